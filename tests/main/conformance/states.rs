//! The states of the reference, replayed.

use saccade::world::{Stock, place};
use serde_json::{Value, json};

use super::golden::{Golden, all_hold, goldens};
use crate::fixture::{files_in, in_repository, say};
use crate::program::Scratch;

/// The reference composes its rotations in another order, so that last bits differ.
const TOLERANCE: f64 = 1e-12;

#[test]
fn states_equal_the_references_after_every_step_of_every_file() {
    let goldens = goldens();
    say(&format!("conformance: {} files", goldens.len()));
    for golden in goldens.iter().filter(|golden| !golden.can_be_played()) {
        say(&format!("left out: {} (SACCADE_MESHES is not set)", golden.name()));
    }
    all_hold(check_states);
}

fn check_states(golden: &Golden) -> Result<(), String> {
    check_placed_objects(golden)?;
    golden.replay(&[], |step, reply| compare("state", &step["state"], &reply["proprioceptive_state"]))
}

/// No reply tells the ids of objects that a world file places, so the world itself is asked.
fn check_placed_objects(golden: &Golden) -> Result<(), String> {
    let file = golden.world();
    let mut stock = Stock::new(golden.source(), None);
    let placed = place(&file.objects, &file.compat, &mut stock).expect("the reference's objects are right");
    let found: Vec<Value> =
        placed.iter().map(|o| json!({"object_id": o.id.0, "semantic_id": o.semantic_id.0})).collect();
    let recorded =
        golden.json["world"]["objects"].as_array().into_iter().flatten().map(|object| object["result"].clone());
    compare("the placed objects", &recorded.collect::<Vec<_>>().into(), &found.into())
}

pub fn compare(place: &str, expected: &Value, found: &Value) -> Result<(), String> {
    compare_within(TOLERANCE, place, expected, found)
}

/// The same keys, texts and lengths, and numbers within the tolerance.
pub fn compare_within(tolerance: f64, place: &str, expected: &Value, found: &Value) -> Result<(), String> {
    let differ = || Err(format!("{place}: expected {expected}, found {found}"));
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().try_for_each(|(key, value)| compare_within(tolerance, &format!("{place}.{key}"), value, &b[key]))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.try_for_each(|(i, (a, b))| compare_within(tolerance, &format!("{place}[{i}]"), a, b))
        }
        (Value::Number(_), Value::Number(_)) => match (expected.as_f64(), found.as_f64()) {
            (Some(a), Some(b)) if (a - b).abs() <= tolerance => Ok(()),
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
    assert!(
        files_in(&scratch.path("."), "monty-golden/1").is_err_and(|why| why.contains("has no monty-golden/1 files"))
    );
    assert!(files_in(&scratch.path("nowhere"), "monty-golden/1").is_err());
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
    let mut golden = Golden::read(&in_repository("tests/conformance/mujoco/random_distant_101.json"));
    golden.json["steps"].as_array_mut().expect("steps").truncate(3);
    assert_eq!(check_states(&golden), Ok(()));
    golden.json["steps"][2]["state"]["agent_id_0"]["position"][1] = 77.0.into();
    assert!(check_states(&golden).is_err_and(|why| why.contains("step 2: state.agent_id_0.position[1]")));
}
