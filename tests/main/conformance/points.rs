//! What the reference's transforms made of its depth, beside the percept here: location, on_object, object_coverage, depths.

use serde_json::Value;

use super::golden::{Golden, all_hold};
use crate::fixture::in_repository;

#[test]
fn percepts_are_those_of_the_references_transforms() {
    all_hold(check_percepts);
}

fn check_percepts(golden: &Golden) -> Result<(), String> {
    golden.replay(&["percept"], |step, reply| {
        for (agent, sensors) in step["transforms"]["observations"].as_object().into_iter().flatten() {
            for (sensor, transformed) in sensors.as_object().into_iter().flatten() {
                let found = &reply["observations"][agent][sensor];
                let shape = &step["observations"][agent][sensor]["depth"]["shape"];
                if let Some(points) = Points::new(transformed, shape) {
                    points.check(found).map_err(|why| format!("{agent}.{sensor}: {why}, found {found}"))?;
                }
            }
        }
        Ok(())
    })
}

/// `semantic_3d` of the reference: a row of x, y, z and the mask's value for each pixel.
struct Points {
    rows: Vec<[f64; 4]>,
    centre: usize,
    /// After the transforms.
    depth_m: Option<Vec<f64>>,
}

impl Points {
    fn new(transformed: &Value, shape: &Value) -> Option<Self> {
        let side = |index: usize| shape[index].as_u64().and_then(|side| usize::try_from(side).ok()).expect("a shape");
        let rows: Vec<[f64; 4]> =
            numbers(&transformed["semantic_3d"]["data"])?.chunks(4).map(|r| [r[0], r[1], r[2], r[3]]).collect();
        let (height, width) = (side(0), side(1));
        assert_eq!(rows.len(), height * width, "a row for each pixel");
        Some(Self { rows, centre: height / 2 * width + width / 2, depth_m: numbers(&transformed["depth"]["data"]) })
    }

    fn check(&self, found: &Value) -> Result<(), String> {
        let [x, y, z, mask] = self.rows[self.centre];
        let location = numbers(&found["location"]).ok_or("there is no location")?;
        if location.iter().zip([x, y, z]).any(|(a, b)| (a - b).abs() > 1e-6) {
            return Err(format!("the location is {:?}", [x, y, z]));
        }
        if found["on_object"] != (mask > 0.0) {
            return Err(format!("on_object is {}", mask > 0.0));
        }
        let on_object = || self.rows.iter().enumerate().filter(|(_, row)| row[3] > 0.0).map(|(index, _)| index);
        let coverage = on_object().count() as f64 / self.rows.len() as f64;
        if found["object_coverage"] != coverage {
            return Err(format!("object_coverage is {coverage}"));
        }
        let Some(depth_m) = &self.depth_m else { return Ok(()) };
        let least = on_object().map(|index| depth_m[index]).reduce(f64::min);
        let mean = least.map(|_| on_object().map(|index| depth_m[index]).sum::<f64>() / on_object().count() as f64);
        for (key, expected) in [("min_depth", least), ("mean_depth", mean)] {
            let is_near = match (expected, found.get(key).and_then(Value::as_f64)) {
                (Some(expected), Some(got)) => (expected - got).abs() <= 1e-6 + 5e-6 * expected,
                (expected, got) => expected.is_none() && got.is_none(),
            };
            if !is_near {
                return Err(format!("{key} is {expected:?}"));
            }
        }
        Ok(())
    }
}

fn numbers(list: &Value) -> Option<Vec<f64>> {
    list.as_array().map(|list| list.iter().map(|n| n.as_f64().expect("a number")).collect())
}

#[test]
fn a_wrong_point_in_a_file_fails_it() {
    let original = Golden::read(&in_repository("tests/conformance/mujoco/transforms_surface_clip.json"));
    assert_eq!(check_percepts(&original), Ok(()));
    let changed = |change: fn(usize, &mut Value)| {
        let mut golden = Golden { json: original.json.clone(), path: original.path.clone() };
        let patch = &mut golden.json["steps"][0]["transforms"]["observations"]["agent_id_0"]["patch"];
        let data = patch["semantic_3d"]["data"].as_array_mut().expect("points");
        data.iter_mut().enumerate().for_each(|(index, number)| change(index, number));
        check_percepts(&golden).expect_err("it is wrong")
    };
    // The patch has 16×16 pixels: the centre is the 136th, and four numbers stand for each.
    let moved = changed(|index, number| {
        if index == 4 * 136 + 2 {
            *number = (number.as_f64().expect("a number") + 2e-6).into();
        }
    });
    assert!(moved.contains("the location is"), "{moved}");
    let one_less = changed(|index, number| {
        if index == 3 {
            *number = (if number.as_f64() == Some(0.0) { 1.0 } else { 0.0 }).into();
        }
    });
    assert!(one_less.contains("object_coverage is"), "{one_less}");
    let centre = changed(|index, number| {
        if index == 4 * 136 + 3 {
            *number = (if number.as_f64() == Some(0.0) { 1.0 } else { 0.0 }).into();
        }
    });
    assert!(centre.contains("on_object is"), "{centre}");
}
