//! GetGoodView call by call: what was seen, what was chosen, and where it turned.

use saccade::protocol::{GetGoodView, Motion, SemanticId, Target};
use saccade::sensor::Precision;
use saccade::session::procedure::{Choice, GoodView, MOVE_M, Sighting, focus, look_at};
use serde_json::{Value, json};

use super::trace::{Trace, number, same_motions};
use crate::percept::{Differences, list, numbers};

pub fn check(trace: &Trace, differences: &mut Differences) {
    for (index, procedure) in list(&trace.json["procedures"]).enumerate() {
        let parameters = parameters_of(procedure);
        let sensor = procedure["sensor_id"].as_str().expect("a sensor");
        let mut view = GoodView::new(&parameters);
        for call in trace.calls().filter(|call| call["procedure"] == index) {
            let what = format!("procedure {index}, call {}", call["call"]);
            let seen = sighting(call, pixels_of(trace, sensor));
            let choice = view.choose(&seen);
            check_choice(&what, call, choice, differences);
            if call.get("observation").is_some() {
                check_look(&what, trace, sensor, call, &seen, parameters.target, differences);
            }
        }
    }
}

pub fn parameters_of(procedure: &Value) -> GetGoodView {
    let id = procedure["target_semantic_id"].as_u64().expect("an id") as u32;
    GetGoodView {
        target: if procedure["multiple_objects_present"] == true { Target::Only(SemanticId(id)) } else { Target::Any },
        good_view_percentage: number(&procedure["good_view_percentage"]),
        good_view_distance_m: number(&procedure["good_view_distance"]),
        max_orientation_attempts: procedure["max_orientation_attempts"].as_u64().expect("a count"),
        allow_translation: procedure["allow_translation"] == true,
    }
}

fn pixels_of(trace: &Trace, sensor: &str) -> usize {
    let is_it = |candidate: &&Value| candidate["id"] == sensor;
    let sensor = list(&trace.json["world"]["agents"][0]["sensors"]).find(is_it).expect("the sensor");
    numbers(&sensor["resolution"]).iter().product::<f64>() as usize
}

fn sighting(call: &Value, pixels: usize) -> Sighting {
    let input = &call["input"];
    Sighting {
        pixels,
        target_pixels: number(&input["n_target"]) as usize,
        nearest_of_target_m: input["min_depth_target"].as_f64(),
        nearest_m: input["min_depth_any"].as_f64(),
        is_centre_on_target: input["centre_on_target"] == true,
        precision: Precision::Single,
    }
}

fn check_choice(what: &str, call: &Value, choice: Choice, differences: &mut Differences) {
    let flags = ["success", "terminated", "truncated"].map(|flag| call["output"][flag] == true);
    let words: Vec<&str> = list(&call["output"]["actions"]).filter_map(|action| action["action"].as_str()).collect();
    let expected = match (call.get("error").is_some(), flags, &words[..]) {
        (true, _, _) => Choice::Lose,
        (_, [false, false, false], ["move_forward"]) => Choice::MoveForward,
        (_, [false, false, false], ["look_down", "turn_left"]) => Choice::Orient,
        (_, [true, true, false], []) => Choice::Succeed,
        (_, [false, false, true], []) => Choice::Truncate,
        other => return differences.add(format!("{what}: the test does not know the output {other:?}")),
    };
    differences.equal(what, expected, choice);
    if choice == Choice::MoveForward {
        let forward = Motion::MoveForward { distance_m: MOVE_M };
        same_motions(what, &call["output"]["actions"], &[forward], differences);
    }
}

/// From the stored images: what was seen of the target, and the turns.
fn check_look(
    what: &str,
    trace: &Trace,
    sensor: &str,
    call: &Value,
    expected: &Sighting,
    target: Target,
    differences: &mut Differences,
) {
    let cloud = trace.cloud(call, sensor);
    let seen = Sighting::of(&cloud, target, &mut || true).expect("nobody says no");
    differences.equal(&format!("{what}: the sighting"), expected, &seen);
    check_labels(what, call, seen, target, differences);
    let look_at_expected = &call["look_at"];
    let pixel = focus(&cloud, target, &mut || true).expect("nobody says no");
    let place = json!([pixel / cloud.x_at.len(), pixel % cloud.x_at.len()]);
    let tied = &look_at_expected["tied_pixels"];
    let is_right = if tied == "all" { pixel == 0 } else { list(tied).any(|tied| *tied == place) };
    differences.equal(&format!("{what}: {place} is among {tied}"), true, is_right);
    // Any pixel of a tie is right, but it leads to turns of its own.
    if look_at_expected["pixel"] == place {
        let point = cloud.point(pixel);
        let expected = numbers(&look_at_expected["world_location"]);
        differences.near(&format!("{what}: the point"), &expected, point.as_slice(), 1e-12 * point.amax().max(1.0));
        let turns = look_at(point, &trace.stance(call, sensor));
        same_motions(what, &call["output"]["actions"], &turns, differences);
    }
}

/// Monty overwrites the labels of a single object by the target's id, in place.
fn check_labels(what: &str, call: &Value, seen: Sighting, target: Target, differences: &mut Differences) {
    let Some(after) = call.get("mask_values_after").filter(|_| target == Target::Any) else { return };
    let on_target = list(after).map(numbers).filter(|pair| pair[0] > 0.0).map(|pair| pair[1]).sum::<f64>();
    differences.equal(&format!("{what}: the labels after it"), on_target as usize, seen.target_pixels);
}
