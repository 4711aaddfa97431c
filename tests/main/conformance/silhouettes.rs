//! The edges of what the reference drew, which takes four samples a pixel: with `antialiasing` they are met too.

use serde_json::Value;

use super::golden::Golden;
use super::recorded::{Background, each_sensor};
use crate::fixture::in_repository;
use crate::images::rgba;

/// What the colours of some pixels differ by, of 255.
#[derive(Default)]
struct Difference {
    sum: u64,
    parts: u64,
}

impl Difference {
    fn add(&mut self, a: &[u8; 4], b: &[u8; 4]) {
        self.sum += a.iter().zip(b).take(3).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
        self.parts += 3;
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.parts as f64
    }
}

/// On the edges and away from them, over all steps.
fn differences(golden: &Golden) -> [Difference; 2] {
    let mut background = Background::new(golden);
    let mut found = [Difference::default(), Difference::default()];
    let replayed = golden.replay(&["rgba"], |step, reply| {
        each_sensor(step, reply, background.after(step), |_, _, recorded, seen| {
            let expected = recorded.rgba.as_ref().map_or(&[][..], |image| &image.pixels);
            for (index, (a, b)) in expected.iter().zip(&rgba(seen).pixels).enumerate() {
                found[usize::from(!recorded.is_on_edge(index))].add(a, b);
            }
            Ok(())
        })
    });
    replayed.unwrap_or_else(|why| panic!("{}: {why}", golden.name()));
    found
}

fn with_antialiasing(mut golden: Golden) -> Golden {
    for agent in golden.json["world"]["agents"].as_array_mut().expect("agents") {
        let sensors = agent["sensors"].as_array_mut().expect("sensors");
        sensors.iter_mut().for_each(|sensor| sensor["antialiasing"] = Value::Bool(true));
    }
    golden
}

#[test]
fn with_antialiasing_silhouettes_are_four_times_nearer_to_the_references_and_the_rest_stays_as_near() {
    let shapes = ["box_0", "box_3", "capsule_3", "coneSolid_0", "cubeSolid_0", "cylinder_3", "ellipsoid_0", "sphere_3"];
    for shape in shapes {
        let golden = Golden::read(&in_repository(&format!("tests/conformance/mujoco/primitive_{shape}.json")));
        let [edges, rest] = differences(&golden);
        let [smooth_edges, smooth_rest] = differences(&with_antialiasing(golden));
        assert!(edges.parts > 100, "{shape}: it has edges");
        assert!(4.0 * smooth_edges.mean() < edges.mean(), "{shape}: {} of {}", smooth_edges.mean(), edges.mean());
        // A fiftieth of a step of 255.
        assert!(smooth_rest.mean() < rest.mean() + 0.02, "{shape}: {} of {}", smooth_rest.mean(), rest.mean());
    }
}
