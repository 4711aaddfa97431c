//! Files of `monty-golden/1`: where they are, which can be played here, and how their steps are replayed over the wire.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use saccade::assets::{Nowhere, Source};
use saccade::door::data_source;
use saccade::world::{WorldFile, file};
use serde_json::{Value, json};

use crate::client::{Client, brief};
use crate::fixture::{files_in, in_repository, read_json, world_text};

fn folder() -> PathBuf {
    std::env::var_os("SACCADE_CONFORMANCE").map_or_else(|| in_repository("tests/conformance/mujoco"), PathBuf::from)
}

/// Where the meshes are, if that was told.
fn meshes() -> Option<PathBuf> {
    std::env::var_os("SACCADE_MESHES").map(PathBuf::from)
}

/// A file of the reference's recordings.
pub struct Golden {
    pub path: PathBuf,
    pub json: Value,
}

/// All files, in the order of their names.
pub fn goldens() -> Vec<Golden> {
    let files = files_in(&folder(), "monty-golden/1").unwrap_or_else(|why| panic!("{why}"));
    files.iter().map(|path| Golden::read(path)).collect()
}

/// Fails with all that a check says of the files that can be played here.
pub fn all_hold(check: impl Fn(&Golden) -> Result<(), String>) {
    let goldens = goldens();
    let checked = goldens.iter().filter(|golden| golden.can_be_played());
    let failures: Vec<String> = checked
        .filter_map(|golden| check(golden).err().map(|why| format!("{}: {why}", golden.path.display())))
        .collect();
    assert!(failures.is_empty(), "{} files differ:\n{}", failures.len(), failures.join("\n"));
}

impl Golden {
    pub fn read(path: &Path) -> Self {
        Self { json: read_json(path), path: path.to_owned() }
    }

    pub fn name(&self) -> String {
        self.path.file_stem().expect("a file has a name").display().to_string()
    }

    pub fn has_mesh(&self) -> bool {
        self.json.get("mesh").is_some_and(|mesh| !mesh.is_null())
    }

    /// Whether the meshes that it needs are there.
    pub fn can_be_played(&self) -> bool {
        !self.has_mesh() || meshes().is_some()
    }

    /// The files of its objects; those without a mesh need none.
    pub fn source(&self) -> Arc<dyn Source> {
        match meshes().filter(|_| self.has_mesh()) {
            Some(folder) => data_source(Some(&folder), "default").unwrap_or_else(|why| panic!("SACCADE_MESHES: {why}")),
            None => Arc::new(Nowhere),
        }
    }

    pub fn world(&self) -> WorldFile {
        file::parse(&self.world_text(&[]), &*self.source())
            .unwrap_or_else(|problems| panic!("the world of {} is wrong: {problems:?}", self.path.display()))
    }

    /// The world as a world file whose sensors answer so much.
    pub fn world_text(&self, modalities: &[&str]) -> String {
        let mut world = translated(&self.json["world"]);
        world["modalities"] = json!(modalities);
        world_text(&world)
    }

    /// Replays every step over the wire, and shows each to `check` with what a look after it sees.
    pub fn replay(
        &self,
        modalities: &[&str],
        mut check: impl FnMut(&Value, &Value) -> Result<(), String>,
    ) -> Result<(), String> {
        if self.json["schema"] != "monty-golden/1" {
            return Err(format!("its schema is {}, not monty-golden/1", self.json["schema"]));
        }
        let mut client = Client::with_source(&self.world_text(modalities), self.source());
        let steps = self.json["steps"].as_array().ok_or("it has no steps")?;
        for (n, step) in steps.iter().enumerate() {
            let seen = take_step(&mut client, step).and_then(|()| check(step, &client.step(json!([]))));
            seen.map_err(|why| format!("step {n}: {why}"))?;
        }
        Ok(())
    }
}

/// A golden's world in the words of world files.
fn translated(golden: &Value) -> Value {
    let without_result = |object: &Value| {
        let mut object = object.clone();
        object.as_object_mut().expect("an object is a map").remove("result");
        object
    };
    let objects = golden["objects"].as_array().into_iter().flatten().map(without_result);
    let compat = match &golden["raise_actuate_missing"] {
        Value::Bool(false) => json!({"preset": "mujoco", "unknown_action": "skip"}),
        _ => json!("mujoco"),
    };
    json!({"compat": compat, "agents": golden["agents"], "objects": objects.collect::<Vec<_>>()})
}

fn take_step(client: &mut Client, step: &Value) -> Result<(), String> {
    let op = step["op"].as_str().unwrap_or_default();
    match (op, error_of(step)) {
        ("step", Some(error)) => refused_step(client, &step["actions"], error),
        ("step", None) => accepted_step(client, step),
        ("add_object", Some(error)) => refused_whole(client, add_object(&step["object"]), error),
        ("add_object", None) => {
            let added = accepted(client, add_object(&step["object"]))?;
            let is_same = ["object_id", "semantic_id"].iter().all(|key| step["result"][key] == added[key]);
            if is_same { Ok(()) } else { Err(format!("the object is {added}, expected {}", step["result"])) }
        }
        ("reset" | "remove_all_objects", None) => accepted(client, json!({"command": op})).map(drop),
        other => Err(format!("the test does not know the op {other:?}")),
    }
}

pub fn has_failed(step: &Value) -> bool {
    error_of(step).is_some()
}

/// The name of the reference's error.
fn error_of(step: &Value) -> Option<&str> {
    step["error"]["type"].as_str()
}

fn add_object(object: &Value) -> Value {
    let mut request = object.clone();
    request["command"] = "add_object".into();
    request
}

fn accepted(client: &mut Client, request: Value) -> Result<Value, String> {
    let reply = client.call(request);
    if reply.get("error").is_none() { Ok(reply) } else { Err(format!("refused: {}", brief(&reply))) }
}

/// The codes that stand for an error of the reference; of what is left, those of a value that makes no sense.
fn codes_of(error: &str) -> &'static [&'static str] {
    match error {
        "ActuateMethodMissing" => &["action_not_available"],
        "KeyError" => &["unknown_agent"],
        "UnknownObjectType" => &["unknown_object"],
        _ => &["bad_request", "out_of_range"],
    }
}

/// A request that must be refused as the reference did, and change nothing.
fn refused_whole(client: &mut Client, request: Value, error: &str) -> Result<(), String> {
    let before = client.digest();
    let reply = client.call(request);
    let code = reply["code"].as_str().unwrap_or_default();
    if !codes_of(error).contains(&code) {
        return Err(format!("the reference raised {error}, the reply is {}", brief(&reply)));
    }
    if client.digest() == before { Ok(()) } else { Err("a refused request changed the state".to_owned()) }
}

/// The reference had applied what stands before the bad action, and a step here is all or nothing: so the whole is
/// refused, the longest prefix that is accepted is exactly what the reference applied, and the rest is refused again.
fn refused_step(client: &mut Client, actions: &Value, error: &str) -> Result<(), String> {
    refused_whole(client, json!({"command": "step", "actions": actions}), error)?;
    let actions = actions.as_array().ok_or("a step has no actions")?;
    let is_accepted = |length: &usize| accepted(client, step_of(&actions[..*length])).is_ok();
    let applied = (0..actions.len()).rev().find(is_accepted).expect("a step without actions is accepted");
    refused_whole(client, step_of(&actions[applied..]), error)
}

fn step_of(actions: &[Value]) -> Value {
    json!({"command": "step", "actions": actions})
}

/// The reference clamps to a negative constraint_degrees; the contract makes it an error. So such a step must be refused,
/// and then the same state is reached by what the contract allows, for the steps that follow.
fn accepted_step(client: &mut Client, step: &Value) -> Result<(), String> {
    let mut actions = step["actions"].as_array().cloned().unwrap_or_default();
    if actions.iter().any(has_negative_constraint) {
        refused_whole(client, step_of(&actions), "a negative constraint")?;
        for index in 0..actions.len() {
            if has_negative_constraint(&actions[index]) {
                check_is_last_turn_of_its_sensors(&actions[index..])?;
                actions[index] = without_negative_constraint(&actions[index], &step["state"]);
            }
        }
    }
    accepted(client, step_of(&actions)).map(drop)
}

fn has_negative_constraint(action: &Value) -> bool {
    action["constraint_degrees"].as_f64().is_some_and(|constraint| constraint < 0.0)
}

/// Otherwise the recorded state would not tell where the first of the actions led.
fn check_is_last_turn_of_its_sensors(actions: &[Value]) -> Result<(), String> {
    let turns =
        |action: &Value| action["action"].as_str().is_some_and(|a| a.starts_with("look_") || a.contains("sensor"));
    let later = actions[1..].iter().any(|action| action["agent_id"] == actions[0]["agent_id"] && turns(action));
    if later { Err("a look with a negative constraint is not the last of its step".to_owned()) } else { Ok(()) }
}

/// With a constraint c below 0 the reference always ends at c or at -c; the recorded state tells at which.
fn without_negative_constraint(action: &Value, state: &Value) -> Value {
    let agent = action["agent_id"].as_str().expect("an action names its agent");
    let sensor = state[agent]["sensors"].as_object().and_then(|sensors| sensors.values().next());
    let is_down = sensor.is_some_and(|sensor| sensor["rotation"][1].as_f64() < Some(0.0));
    let mut legal = action.clone();
    legal["action"] = if is_down { "look_down" } else { "look_up" }.into();
    legal["rotation_degrees"] = 1e5.into();
    legal["constraint_degrees"] = action["constraint_degrees"].as_f64().map(f64::abs).into();
    legal
}
