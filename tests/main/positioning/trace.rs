//! One recorded trace, and what its actions are in words.

use std::path::{Path, PathBuf};

use saccade::math::{Rotation, Vector};
use saccade::protocol::{Action, Command, Motion, Step};
use saccade::sensor::PointCloud;
use saccade::session::procedure::Stance;
use serde_json::{Value, json};

use crate::fixture::{in_repository, read_json};
use crate::percept::{Differences, cloud_of, list, numbers};

pub const SCHEMA: &str = "monty-positioning/1";

pub fn folder() -> PathBuf {
    let other = std::env::var_os("SACCADE_POSITIONING");
    other.map_or_else(|| in_repository("tests/conformance/positioning"), PathBuf::from)
}

pub struct Trace {
    pub path: PathBuf,
    pub json: Value,
}

impl Trace {
    pub fn read(path: &Path) -> Self {
        let json = read_json(path);
        assert_eq!(json["schema"], SCHEMA, "{}", path.display());
        Self { path: path.to_owned(), json }
    }

    pub fn name(&self) -> String {
        self.path.file_stem().expect("a file has a name").display().to_string()
    }

    pub fn kind(&self) -> &str {
        self.json["kind"].as_str().expect("a kind")
    }

    pub fn calls(&self) -> impl Iterator<Item = &Value> {
        list(&self.json["calls"])
    }

    pub fn policy(&self) -> &Value {
        &self.json["policy"]
    }

    /// The policy's parameter.
    pub fn parameter(&self, name: &str) -> f64 {
        number(&self.policy()[name])
    }

    /// The agent's id: each trace has one agent.
    pub fn agent(&self) -> &str {
        self.json["world"]["agents"][0]["id"].as_str().expect("an agent")
    }

    /// Where the agent and a sensor were at a call.
    pub fn stance(&self, call: &Value, sensor: &str) -> Stance {
        let agent = &call["state"][self.agent()];
        let sensor = &agent["sensors"][sensor];
        let position = |at: &Value| Vector::from_column_slice(&numbers(&at["position"]));
        let rotation = |at: &Value| Rotation::as_given(wxyz(&at["rotation"])).expect("not zero").unit();
        Stance {
            agent_position: position(agent),
            agent_rotation: rotation(agent),
            sensor_position: position(sensor),
            sensor_rotation: rotation(sensor),
        }
    }

    /// What the sensor saw at a call, after the trace's chain.
    pub fn cloud(&self, call: &Value, sensor: &str) -> PointCloud {
        let mut chain = self.json["chain"].clone();
        let points = chain.as_array_mut().and_then(|chain| chain.last_mut()).expect("a chain");
        let index = list(&points["sensor_ids"]).position(|id| id == sensor).expect("the chain knows the sensor");
        points["zooms"] = points["zooms"][index].clone();
        // Of one sensor, in the words of the percepts' files: 0 is itself, 1 another.
        let clipped = list(&points["depth_clip_sensors"]).map(|clipped| u8::from(clipped != &json!(index)));
        points["depth_clip_sensors"] = clipped.collect();
        cloud_of(&json!({
            "observation": call["observation"], "state": call["state"], "sensor": sensor, "chain": chain,
        }))
    }
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn wxyz(value: &Value) -> [f64; 4] {
    numbers(value).try_into().expect("four numbers")
}

/// Action maps as the peer reads them.
pub fn actions(maps: &Value) -> Vec<Action> {
    let request = json!({"id": 1, "command": "step", "actions": maps});
    match saccade::wire::read_request(request.to_string().as_bytes()).command {
        Ok(Command::Step(Step { actions })) => actions.into_vec(),
        other => panic!("{maps} is not a list of actions: {other:?}"),
    }
}

/// Compares what was decided with the action maps of the trace, each amount at its gate.
pub fn same_motions(what: &str, expected: &Value, found: &[Motion], differences: &mut Differences) {
    let expected: Vec<Motion> = actions(expected).into_iter().map(|action| action.motion).collect();
    let names = |motions: &[Motion]| motions.iter().map(Motion::name).collect::<Vec<_>>();
    differences.equal(&format!("{what}: the actions"), names(&expected), names(found));
    for (expected, found) in expected.iter().zip(found) {
        let what = format!("{what}: {}", found.name().word());
        for ((expected, gate), (found, _)) in amounts(expected).into_iter().zip(amounts(found)) {
            differences.near(&what, &[expected], &[found], gate);
        }
    }
}

/// All numbers of a motion, each with how far it may be off.
fn amounts(motion: &Motion) -> Vec<(f64, f64)> {
    const EXACT: f64 = 0.0;
    const DEGREES: f64 = 1e-9;
    const SEARCH: f64 = 1e-12;
    const QUATERNION: f64 = 1e-15;
    let each = |numbers: &[f64], gate: f64| numbers.iter().map(|number| (*number, gate)).collect();
    match *motion {
        Motion::MoveForward { distance_m } => each(&[distance_m], SEARCH),
        Motion::MoveTangentially { distance_m, direction } => {
            [(distance_m, SEARCH)].into_iter().chain(direction.map(|part| (part, SEARCH))).collect()
        }
        Motion::TurnLeft { angle_deg } | Motion::TurnRight { angle_deg } => each(&[angle_deg], DEGREES),
        Motion::LookUp { angle_deg, constraint_deg } | Motion::LookDown { angle_deg, constraint_deg } => {
            vec![(angle_deg, DEGREES), (constraint_deg.unwrap_or(f64::INFINITY), EXACT)]
        }
        Motion::OrientHorizontal { angle_deg, left_m: aside_m, forward_m }
        | Motion::OrientVertical { angle_deg, down_m: aside_m, forward_m } => {
            // Around 90° the distances grow without bound.
            each(&[angle_deg, aside_m, forward_m], SEARCH * aside_m.abs().max(1.0))
        }
        Motion::SetAgentPose { position_m, rotation_wxyz } => {
            let location = position_m.map(|part| (part, EXACT));
            location.into_iter().chain(rotation_wxyz.map(|part| (part, QUATERNION))).collect()
        }
        Motion::SetSensorRotation { rotation_wxyz } => each(&rotation_wxyz, QUATERNION),
        ref other => panic!("no trace holds a {}", other.name().word()),
    }
}
