//! Monty's own positioning, recorded: the traces of `tests/conformance/positioning`, call by call through the functions that
//! `run_procedure` decides by, and whole through `run_procedure` itself.
//!
//! `SACCADE_POSITIONING` names another folder of `monty-positioning/1` files. Those with a mesh are replayed whole only where
//! `SACCADE_MESHES` names the folder of the meshes.

mod good_view;
mod jump;
mod replay;
mod states;
mod touch;
mod trace;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::fixture::{files_in, in_repository, read_json, say};
use crate::percept::Differences;
use crate::program::Scratch;
use trace::{SCHEMA, Trace, folder};

fn files() -> Vec<PathBuf> {
    files_in(&folder(), SCHEMA).unwrap_or_else(|why| panic!("{why}"))
}

/// Fails with all that a check says of the traces.
fn all_hold(check: impl Fn(&Trace, &mut Differences)) {
    let of_file = |path: &PathBuf| {
        let trace = Trace::read(path);
        let mut differences = Differences::new(&trace.name());
        check(&trace, &mut differences);
        differences.found
    };
    let failures: Vec<String> = files().iter().flat_map(of_file).collect();
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_call_decides_as_the_reference_did() {
    say(&format!("positioning: {} files", files().len()));
    all_hold(check_calls);
}

fn check_calls(trace: &Trace, differences: &mut Differences) {
    match trace.kind() {
        "get_good_view" => good_view::check(trace, differences),
        "jump" => jump::check(trace, differences),
        "touch" => touch::check(trace, differences),
        other => differences.add(format!("the test does not know the kind {other}")),
    }
}

#[test]
fn the_recorded_actions_lead_to_the_recorded_states_and_an_undo_to_the_same_bits() {
    all_hold(states::check);
}

#[test]
fn whole_traces_are_run_as_the_reference_ran_them_where_no_decision_is_close() {
    all_hold(replay::check);
}

#[test]
fn a_folder_without_files_is_an_error() {
    let scratch = Scratch::new();
    scratch.file("README.md", "no trace");
    assert!(files_in(&scratch.path("."), SCHEMA).is_err_and(|why| why.contains("has no monty-positioning/1 files")));
}

#[test]
fn the_comparison_sees_each_output_that_is_off_by_more_than_its_gate() {
    let differs_with = |name: &str, pointer: &str, change: &dyn Fn(&Value) -> Value| {
        let mut json = read_json(in_repository(&format!("tests/conformance/positioning/{name}.json")));
        let value = json.pointer_mut(pointer).unwrap_or_else(|| panic!("{name} has no {pointer}"));
        *value = change(value);
        let mut differences = Differences::new(name);
        check_calls(&Trace { path: name.into(), json }, &mut differences);
        !differences.found.is_empty()
    };
    let more = |by: f64| move |value: &Value| json!(value.as_f64().expect("a number") + by);
    assert!(!differs_with("touch_beside", "/calls/0/output/actions/0/rotation_degrees", &more(0.0)));
    for (name, pointer, by) in [
        ("ggv_cube_front", "/calls/3/output/actions/0/distance", 1e-11),
        ("ggv_near_thin", "/calls/0/output/actions/0/constraint_degrees", 1e-9),
        ("ggv_near_thin", "/calls/0/output/actions/1/rotation_degrees", 1e-8),
        ("ggv_near_thin", "/calls/0/input/n_target", 1.0),
        ("touch_beside", "/calls/0/output/actions/0/left_distance", 1e-11),
        ("touch_walk_banana", "/calls/4/output/actions/0/direction/0", 1e-11),
        ("touch_walk_banana", "/calls/4/output/tangential_angle", 1e-11),
        ("touch_ahead", "/calls/0/output/actions/0/distance", 1e-11),
        ("jump_to_goal_banana", "/calls/0/output/actions/0/location/0", 1e-17),
        ("jump_to_goal_banana", "/calls/0/output/actions/0/rotation_quat/0", 1e-14),
    ] {
        assert!(differs_with(name, pointer, &more(by)), "{name}: {pointer}");
    }
    let not = |value: &Value| json!(!value.as_bool().expect("a flag"));
    for (name, pointer) in [
        ("ggv_cube_front", "/calls/28/output/success"),
        ("ggv_patch_never", "/calls/4/output/truncated"),
        ("touch_beside", "/calls/0/output/attempting_to_find_object"),
        ("touch_walk_banana", "/calls/3/output/motor_only_step"),
        ("jump_to_goal_banana", "/calls/3/output/undo"),
    ] {
        assert!(differs_with(name, pointer, &not), "{name}: {pointer}");
    }
}
