//! Monty's own simulator, recorded: the states of `tests/conformance/mujoco`, replayed over the wire under compat
//! `mujoco`.
//!
//! `SACCADE_CONFORMANCE` names another folder of `monty-golden/1` files.

use std::path::{Path, PathBuf};

use saccade::world::World;
use serde_json::{Value, json};

use crate::client::{Client, world};
use crate::fixture::{in_repository, read_json, say, world_text};
use crate::program::Scratch;

/// The reference composes its rotations in another order, so that last bits differ.
const TOLERANCE: f64 = 1e-12;

#[test]
fn states_equal_the_references_after_every_step_of_every_file_without_a_mesh() {
    let files = files_in(&folder()).unwrap_or_else(|why| panic!("{why}"));
    say(&format!("conformance: {} files", files.len()));
    let checked = files.iter().map(|path| check_file(path).map_err(|why| format!("{}: {why}", path.display())));
    let failures: Vec<String> = checked.filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{} files differ:\n{}", failures.len(), failures.join("\n"));
}

fn folder() -> PathBuf {
    std::env::var_os("SACCADE_CONFORMANCE").map_or_else(|| in_repository("tests/conformance/mujoco"), PathBuf::from)
}

/// The `.json` files of a folder, in the order of their names; a folder without any is an error.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = folder.read_dir().map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.map(|entry| entry.expect("a folder can be read to its end").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    if files.is_empty() { Err(format!("{} has no monty-golden/1 files", folder.display())) } else { Ok(files) }
}

fn check_file(path: &Path) -> Result<(), String> {
    let golden = read_json(path);
    if golden["schema"] != "monty-golden/1" {
        return Err(format!("its schema is {}, not monty-golden/1", golden["schema"]));
    }
    if golden.get("mesh").is_some_and(|mesh| !mesh.is_null()) {
        let name = path.file_name().expect("a file has a name").display();
        say(&format!("left out: {name} (meshes are not supported yet)"));
        return Ok(());
    }
    let text = world_text(&translated(&golden["world"]));
    check_placed_objects(&text, &golden["world"])?;
    let mut client = Client::waiting_on(&text);
    let steps = golden["steps"].as_array().ok_or("it has no steps")?;
    let mut numbered = steps.iter().enumerate();
    numbered.try_for_each(|(n, step)| check_step(&mut client, step).map_err(|why| format!("step {n}: {why}")))
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

/// No reply tells the ids of objects that a world file places, so the world itself is asked.
fn check_placed_objects(text: &str, golden: &Value) -> Result<(), String> {
    let placed = World::objects_of(&world(text)).expect("the reference's objects are right");
    let found: Vec<Value> =
        placed.iter().map(|o| json!({"object_id": o.id.0, "semantic_id": o.semantic_id.0})).collect();
    let recorded = golden["objects"].as_array().into_iter().flatten().map(|object| object["result"].clone());
    compare("the placed objects", &recorded.collect::<Vec<_>>().into(), &found.into())
}

fn check_step(client: &mut Client, step: &Value) -> Result<(), String> {
    let op = step["op"].as_str().unwrap_or_default();
    match (op, error_of(step)) {
        ("step", Some(error)) => refused_step(client, &step["actions"], error)?,
        ("step", None) => accepted_step(client, step)?,
        ("add_object", Some(error)) => refused_whole(client, add_object(&step["object"]), error)?,
        ("add_object", None) => {
            let added = accepted(client, add_object(&step["object"]))?;
            ["object_id", "semantic_id"].iter().try_for_each(|k| compare(k, &step["result"][k], &added[k]))?;
        }
        ("reset" | "remove_all_objects", None) => drop(accepted(client, json!({"command": op}))?),
        other => return Err(format!("the test does not know the op {other:?}")),
    }
    let state = client.step(json!([]))["proprioceptive_state"].take();
    compare("state", &step["state"], &state)
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
    if reply.get("error").is_none() { Ok(reply) } else { Err(format!("refused: {reply}")) }
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
        return Err(format!("the reference raised {error}, the reply is {reply}"));
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

/// The same keys, texts and lengths, and numbers within the tolerance.
fn compare(place: &str, expected: &Value, found: &Value) -> Result<(), String> {
    let differ = || Err(format!("{place}: expected {expected}, found {found}"));
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().try_for_each(|(key, value)| compare(&format!("{place}.{key}"), value, &b[key]))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.try_for_each(|(i, (a, b))| compare(&format!("{place}[{i}]"), a, b))
        }
        (Value::Number(_), Value::Number(_)) => match (expected.as_f64(), found.as_f64()) {
            (Some(a), Some(b)) if (a - b).abs() <= TOLERANCE => Ok(()),
            _ => differ(),
        },
        _ if expected == found => Ok(()),
        _ => differ(),
    }
}

#[test]
fn a_folder_without_files_is_an_error() {
    let scratch = Scratch::new();
    scratch.file("README.md", "no golden");
    assert!(files_in(&scratch.path(".")).is_err_and(|why| why.contains("has no monty-golden/1 files")));
    assert!(files_in(&scratch.path("nowhere")).is_err());
}

#[test]
fn the_comparison_sees_2e_12_a_sign_and_a_missing_sensor() {
    let state = json!({"a": {"rotation": [1.0, 0.0, 0.0, 0.0], "sensors": {"patch": {"position": [0.0, 0.5, 0.0]}}}});
    let changed = |pointer: &str, value: Value| {
        let mut other = state.clone();
        *other.pointer_mut(pointer).expect("it is there") = value;
        compare("state", &state, &other)
    };
    assert_eq!(changed("/a/sensors/patch/position/1", (0.5 + 0.5e-12).into()), Ok(()));
    assert!(changed("/a/sensors/patch/position/1", (0.5 + 2e-12).into()).is_err());
    assert!(changed("/a/rotation/0", (-1.0).into()).is_err());
    assert!(changed("/a/sensors", json!({})).is_err());
    assert!(changed("/a/rotation", json!([1.0, 0.0, 0.0])).is_err());
}

#[test]
fn a_wrong_state_in_a_file_fails_it() {
    let scratch = Scratch::new();
    let original = in_repository("tests/conformance/mujoco/random_distant_101.json");
    let mut golden = read_json(original);
    golden["steps"].as_array_mut().expect("steps").truncate(3);
    let copy = |golden: &Value| check_file(Path::new(&scratch.file("copy.json", golden.to_string())));
    assert_eq!(copy(&golden), Ok(()));
    golden["steps"][2]["state"]["agent_id_0"]["position"][1] = 77.0.into();
    assert!(copy(&golden).is_err_and(|why| why.contains("step 2: state.agent_id_0.position[1]")));
}
