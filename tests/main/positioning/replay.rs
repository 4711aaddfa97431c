//! Whole traces through `run_procedure`, in the worlds that they were recorded in: exact only where no decision of a trace is so
//! close that the last digits of a depth turn it.

use serde_json::{Value, json};

use super::touch::VIEW_FINDER;
use super::trace::{Trace, number};
use crate::client::Client;
use crate::conformance::golden::Golden;
use crate::conformance::states::compare_within;
use crate::fixture::say;
use crate::percept::{Differences, list};

/// Metres, degrees and parts of quaternions: depths differ by a few 1e-6, which a turn towards a near point enlarges.
const TOLERANCE: f64 = 1e-3;

/// A coverage this close to a threshold may fall on the other side: some pixels are on an edge.
const CLOSE_COVERAGE: f64 = 0.005;

/// The same of a depth, metres.
const CLOSE_DEPTH_M: f64 = 1e-4;

type Outcome = Result<(), String>;

pub fn check(trace: &Trace, differences: &mut Differences) {
    let world = json!({"world": trace.json["world"], "mesh": trace.json["mesh"]});
    let golden = Golden { path: trace.path.clone(), json: world };
    if !golden.can_be_played() {
        return say(&format!("left out: {} as a whole (SACCADE_MESHES is not set)", trace.name()));
    }
    let mut client = Client::with_source(&golden.world_text(&[]), golden.source());
    client.done(json!({"command": "reset"}));
    client.step(trace.json.get("after_reset").cloned().unwrap_or(json!([])));
    let replayed = match trace.kind() {
        "get_good_view" => replay_views(trace, &mut client),
        "touch" => replay_touch(trace, &mut client),
        _ => replay_jumps(trace, &mut client),
    };
    if let Err(why) = replayed {
        differences.add(why);
    }
}

fn replay_views(trace: &Trace, client: &mut Client) -> Outcome {
    for (index, procedure) in list(&trace.json["procedures"]).enumerate() {
        let calls: Vec<&Value> = trace.calls().filter(|call| call["procedure"] == index).collect();
        let Some(last) = calls.last() else { return Ok(()) };
        if calls.iter().any(|call| is_close_view(call, procedure)) {
            say(&format!("left out: {} from procedure {index} on (a decision is close)", trace.name()));
            return Ok(());
        }
        let mut request = procedure.clone();
        request["command"] = "run_procedure".into();
        request["procedure"] = "get_good_view".into();
        let before = client.digest();
        let reply = client.done(request);
        if last.get("error").is_some() {
            return expect_as_before(&before, client, &reply);
        }
        expect_ending(&reply, last["output"]["success"] == true, last["output"]["truncated"] == true)?;
        let moving: Vec<&Value> =
            calls.iter().map(|call| &call["output"]["actions"]).filter(|a| **a != json!([])).collect();
        expect_actions(&moving, &reply)?;
        expect_state(&last["state"], &reply)?;
    }
    Ok(())
}

fn is_close_view(call: &Value, procedure: &Value) -> bool {
    let input = &call["input"];
    let coverage = number(&input["fraction_target"]) - number(&procedure["good_view_percentage"]);
    let distance_m = number(&procedure["good_view_distance"]);
    let is_near = |key: &str, metres: f64| input[key].as_f64().is_some_and(|depth| is_close_depth(depth, metres));
    coverage.abs() < CLOSE_COVERAGE
        || is_near("min_depth_target", distance_m)
        || is_near("min_depth_any", distance_m / 4.0)
        || list(&call["look_at"]["tied_pixels"]).count() > 1
}

fn is_close_depth(depth_m: f64, threshold_m: f64) -> bool {
    (depth_m - threshold_m).abs() < CLOSE_DEPTH_M
}

/// As far as the search goes: until it has found something and the patch feels it.
fn replay_touch(trace: &Trace, client: &mut Client) -> Outcome {
    let calls: Vec<&Value> = trace.calls().collect();
    let coverage = |call: &Value| number(&call["input"]["object_coverage"]);
    let touches = |at: &usize| {
        let was_searching = calls[at - 1]["output"]["attempting_to_find_object"] == true;
        !was_searching && coverage(calls[*at]) >= 0.1
    };
    let end = (1..calls.len()).find(touches);
    let search = &calls[..end.unwrap_or(calls.len())];
    let is_close = |call: &&Value| {
        let is_close_coverage = (coverage(call) - 0.1).abs() < CLOSE_COVERAGE;
        is_close_coverage || is_close_depth(number(&call["input"]["view_finder_centre_depth"]), 1.0)
    };
    if coverage(calls[0]) >= 0.1 || search.iter().any(is_close) {
        say(&format!("left out: {} as a whole (it begins with a walk, or a decision is close)", trace.name()));
        return Ok(());
    }
    let reply = client.done(json!({
        "command": "run_procedure", "procedure": "touch", "agent_id": trace.agent(), "sensor_id": VIEW_FINDER,
        "desired_object_distance": trace.policy()["desired_object_distance"], "rng_seed": trace.policy()["rng_seed"],
    }));
    let expected: Vec<&Value> = search.iter().map(|call| &call["output"]["actions"]).collect();
    match end {
        Some(end) => {
            expect_ending(&reply, true, false)?;
            expect_actions(&expected, &reply)?;
            expect_state(&calls[end]["state"], &reply)
        }
        // The trace ends before the search does.
        None => expect_first_actions(&expected, &reply),
    }
}

fn replay_jumps(trace: &Trace, client: &mut Client) -> Outcome {
    let calls: Vec<&Value> = trace.calls().collect();
    for (index, call) in calls.iter().enumerate() {
        if call["phase"] != "jump" {
            // A jump has come back by itself; what the policy does after one is told by the trace.
            let is_done = call["output"]["undo"] == true;
            client.step(if is_done { json!([]) } else { call["output"]["actions"].clone() });
            continue;
        }
        let before = client.digest();
        let reply = client.done(json!({
            "command": "run_procedure", "procedure": "jump", "agent_id": trace.agent(), "sensor_id": VIEW_FINDER,
            "location": call["goal"]["location"], "direction": call["goal"]["direction"],
        }));
        if calls[index + 1]["output"]["undo"] == true {
            expect_as_before(&before, client, &reply)?;
            expect_state(&call["state"], &reply)?;
        } else {
            expect_ending(&reply, true, false)?;
            expect_actions(&[&call["output"]["actions"]], &reply)?;
            expect_state(&calls[index + 1]["state"], &reply)?;
        }
    }
    Ok(())
}

fn expect_ending(reply: &Value, success: bool, truncated: bool) -> Outcome {
    let found = (&reply["success"], &reply["truncated"]);
    match found == (&json!(success), &json!(truncated)) {
        true => Ok(()),
        false => Err(format!("success and truncated are {found:?}, expected {success} and {truncated}")),
    }
}

fn expect_as_before(before: &str, client: &mut Client, reply: &Value) -> Outcome {
    expect_ending(reply, false, false)?;
    expect_actions(&[], reply)?;
    if client.digest() == before { Ok(()) } else { Err("a procedure that failed changed the state".to_owned()) }
}

fn expect_actions(expected: &[&Value], reply: &Value) -> Outcome {
    compare_within(TOLERANCE, "actions", &json!(expected), &reply["actions"])
}

fn expect_first_actions(expected: &[&Value], reply: &Value) -> Outcome {
    let first: Vec<&Value> = list(&reply["actions"]).take(expected.len()).collect();
    compare_within(TOLERANCE, "actions", &json!(expected), &json!(first))
}

fn expect_state(expected: &Value, reply: &Value) -> Outcome {
    compare_within(TOLERANCE, "state", expected, &reply["proprioceptive_state"])
}
