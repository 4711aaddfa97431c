//! The surface policy call by call: its search, and its walk over what it has touched.

use saccade::math::Vector;
use saccade::rng::RandomState;
use saccade::sensor::Precision;
use saccade::session::procedure::{Course, Surface, SurfacePolicy};
use serde_json::Value;

use super::trace::{Trace, number, same_motions};
use crate::percept::{Differences, numbers};

/// The sensor that the reference's policies look through.
pub const VIEW_FINDER: &str = "view_finder";

pub fn check(trace: &Trace, differences: &mut Differences) {
    let [distance_m, step_m, alpha] =
        ["desired_object_distance", "translation_distance", "alpha"].map(|name| trace.parameter(name));
    let mut policy = SurfacePolicy::new(distance_m, step_m, alpha);
    let mut chance = RandomState::new(trace.parameter("rng_seed") as u32);
    for (index, call) in trace.calls().enumerate() {
        let what = format!("call {index}");
        let (input, output) = (&call["input"], &call["output"]);
        let course = policy.choose(number(&input["object_coverage"]), number(&input["on_object"]) > 0.0);
        let stance = trace.stance(call, VIEW_FINDER);
        let motion = match course {
            Course::Touch => {
                let depth_m = number(&input["view_finder_centre_depth"]);
                policy.search.step(depth_m, Precision::Single, stance.sensor_position.z, &mut chance)
            }
            walk => policy.walk(walk, &surface(input), &stance, &mut chance).expect("a step of the walk"),
        };
        same_motions(&what, &output["actions"], &[motion], differences);
        differences.equal(&what, output["motor_only_step"].as_bool(), Some(course.is_motor_only()));
        differences.equal(&what, output["attempting_to_find_object"].as_bool(), Some(policy.search.is_searching));
        let angles = [&output["touch_search_amount"], &output["tangential_angle"]].map(number);
        differences.near(&what, &angles[..1], &[policy.search.turned_deg], 1e-9);
        differences.near(&what, &angles[1..], &[policy.tangential_angle], 1e-12);
    }
}

fn surface(input: &Value) -> Surface {
    Surface {
        object_coverage: number(&input["object_coverage"]),
        min_depth_m: number(&input["min_depth"]),
        mean_depth_m: number(&input["mean_depth"]),
        normal: Vector::from_column_slice(&numbers(&input["normal"])),
    }
}
