//! Jumps call by call: the pose of the goal, and whether it holds. What an InformedPolicy samples after it is its own affair
//! and not looked at.

use saccade::protocol::{ActionName, Jump, Motion};
use saccade::rng::RandomState;
use saccade::sensor::Precision;
use saccade::session::procedure::{Course, SurfacePolicy, is_something_near, jump_to};
use serde_json::Value;

use super::touch::VIEW_FINDER;
use super::trace::{Trace, actions, number, same_motions};
use crate::percept::{Differences, numbers};

pub fn check(trace: &Trace, differences: &mut Differences) {
    // Its parameters reach none of the amounts that a trace of jumps can be asked for.
    let mut walker = SurfacePolicy::new(0.025, 0.004, 0.1);
    let mut before_jump = &Value::Null;
    for (index, call) in trace.calls().enumerate() {
        let what = format!("call {index}");
        let (output, motions) = (&call["output"], motions_of(call));
        match call["phase"].as_str() {
            Some("jump") => {
                before_jump = &call["state"];
                same_motions(&what, &output["actions"], &jump_to(&goal_of(call)), differences);
                check_status(&what, trace, output, "in_progress", differences);
            }
            Some("check") => {
                let holds = is_something_near(number(&call["input"]["view_finder_centre_depth"]));
                differences.equal(&format!("{what}: undo"), output["undo"].as_bool(), Some(!holds));
                check_status(&what, trace, output, "ready", differences);
                if holds {
                    walker.note_jump();
                    check_next(&what, trace, call, &motions, &mut walker, differences);
                } else {
                    differences.equal(&what, undo_to(&before_jump[trace.agent()]), motions);
                }
            }
            Some("after") => check_next(&what, trace, call, &motions, &mut walker, differences),
            other => differences.add(format!("{what}: the test does not know the phase {other:?}")),
        }
    }
}

fn motions_of(call: &Value) -> Vec<Motion> {
    actions(&call["output"]["actions"]).into_iter().map(|action| action.motion).collect()
}

pub fn goal_of(call: &Value) -> Jump {
    let three = |key: &str| numbers(&call["goal"][key]).try_into().expect("three numbers");
    Jump { location_m: three("location"), direction: three("direction") }
}

/// JumpToGoal tells whether it has more to do, which the other policies do not.
fn check_status(what: &str, trace: &Trace, output: &Value, expected: &str, differences: &mut Differences) {
    if trace.policy()["type"] == "JumpToGoal" {
        differences.equal(&format!("{what}: status"), output["status"].as_str(), Some(expected));
    }
}

/// Back to what was reported, which is what a failed `jump` leaves.
fn undo_to(agent: &Value) -> Vec<Motion> {
    let four = |at: &Value| numbers(&at["rotation"]).try_into().expect("four numbers");
    let position_m = numbers(&agent["position"]).try_into().expect("three numbers");
    vec![
        Motion::SetAgentPose { position_m, rotation_wxyz: four(agent) },
        Motion::SetSensorRotation { rotation_wxyz: four(&agent["sensors"][VIEW_FINDER]) },
    ]
}

fn check_next(
    what: &str,
    trace: &Trace,
    call: &Value,
    found: &[Motion],
    walker: &mut SurfacePolicy,
    differences: &mut Differences,
) {
    match trace.policy()["type"].as_str() {
        Some("JumpToGoal") => differences.equal(what, &[][..], found),
        Some("InformedPolicy") => {
            let is_sampled = |motion: &Motion| motion.name() != ActionName::SetAgentPose;
            differences.equal(what, true, found.iter().all(is_sampled));
        }
        Some("SurfacePolicy") => check_walk(what, trace, call, found, walker, differences),
        other => differences.add(format!("{what}: the test does not know the policy {other:?}")),
    }
}

/// The trace tells which step of the walk follows, and the amount of those that look through the view finder.
fn check_walk(
    what: &str,
    trace: &Trace,
    call: &Value,
    found: &[Motion],
    walker: &mut SurfacePolicy,
    differences: &mut Differences,
) {
    let input = &call["input"];
    let course = walker.choose(number(&input["patch_coverage"]), number(&input["on_object"]) > 0.0);
    let expected = match course {
        Course::Touch => {
            let behind_m = trace.stance(call, VIEW_FINDER).sensor_position.z;
            let depth_m = number(&input["view_finder_centre_depth"]);
            let mut chance = RandomState::new(trace.parameter("rng_seed") as u32);
            let motion = walker.search.step(depth_m, Precision::Single, behind_m, &mut chance);
            same_motions(what, &call["output"]["actions"], std::slice::from_ref(&motion), differences);
            motion.name()
        }
        Course::Forward => ActionName::MoveForward,
        Course::OrientHorizontally => ActionName::OrientHorizontal,
        Course::OrientVertically => ActionName::OrientVertical,
        Course::StepAside => ActionName::MoveTangentially,
    };
    differences.equal(what, vec![expected], found.iter().map(Motion::name).collect());
    differences.equal(what, call["output"]["motor_only_step"].as_bool(), Some(course.is_motor_only()));
}
