//! The images of the reference: depth, semantic and colours, at the gates of `tests/conformance/README.md`.

use saccade::sensor::Camera;
use serde_json::Value;

use super::golden::{Golden, all_hold};
use super::recorded::{Background, Recorded, as_f64, each_sensor, shape};
use super::stage::{Stage, world_from_camera};
use crate::fixture::in_repository;
use crate::images::{Image, depth, rgba, semantic};

#[test]
fn depth_and_semantic_equal_the_references_in_every_file() {
    all_hold(check_depth_and_semantic);
}

#[test]
fn colours_are_the_references_away_from_edges_and_shadows() {
    all_hold(check_colours);
}

/// The pixels of one file, and how many of them are off.
#[derive(Default)]
struct Tally {
    pixels: usize,
    off_depth: usize,
    semantic_pixels: usize,
    off_semantic: usize,
}

fn check_depth_and_semantic(golden: &Golden) -> Result<(), String> {
    let mut background = Background::new(golden);
    let mut tally = Tally::default();
    golden.replay(&["depth", "semantic"], |step, reply| {
        let background_depth = background.after(step);
        each_sensor(step, reply, background_depth, |_, _, recorded, found| tally.count(recorded, found))
    })?;
    tally.check()
}

impl Tally {
    fn count(&mut self, recorded: &Recorded, found: &Value) -> Result<(), String> {
        let depth_m = depth(found);
        same_size(&recorded.depth, &depth_m)?;
        for (index, (&expected, &got)) in recorded.depth.pixels.iter().zip(&depth_m.pixels).enumerate() {
            let difference = (f64::from(expected) - f64::from(got)).abs();
            self.pixels += 1;
            if difference > 2e-6 + 5e-6 * f64::from(expected) {
                self.off_depth += 1;
            }
            if difference > 1e-4 * f64::from(expected) && !recorded.is_on_edge(index) {
                return Err(format!("depth {}: expected {expected}, found {got}", place(&depth_m, index)));
            }
            // The background is a constant, not a measurement.
            if recorded.is_miss(expected) && recorded.is_miss(got) && got != recorded.background_depth {
                return Err(format!("a miss reads {got}, not {}", recorded.background_depth));
            }
        }
        match (&recorded.semantic, found.get("semantic")) {
            (Some(expected), Some(_)) => self.count_semantic(recorded, expected, &semantic(found)),
            (None, None) => Ok(()),
            (_, found) => Err(format!("a semantic image is there: {}", found.is_some())),
        }
    }

    fn count_semantic(&mut self, recorded: &Recorded, expected: &Image<u32>, got: &Image<u32>) -> Result<(), String> {
        same_size(expected, got)?;
        self.semantic_pixels += expected.pixels.len();
        for (index, (a, b)) in expected.pixels.iter().zip(&got.pixels).enumerate().filter(|(_, (a, b))| a != b) {
            self.off_semantic += 1;
            if !recorded.is_on_edge(index) {
                return Err(format!("semantic {}: expected {a}, found {b}", place(got, index)));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        if self.off_depth * 100 > self.pixels {
            return Err(format!("{} of {} depths are beyond 2e-6 m + 5e-6 of depth", self.off_depth, self.pixels));
        }
        if self.off_semantic * 200 > self.semantic_pixels {
            return Err(format!("{} of {} semantic pixels differ", self.off_semantic, self.semantic_pixels));
        }
        Ok(())
    }
}

fn same_size<A: Copy, B: Copy>(expected: &Image<A>, found: &Image<B>) -> Result<(), String> {
    let (expected, found) = (expected.size(), found.size());
    if expected == found { Ok(()) } else { Err(format!("{expected:?} pixels expected, found {found:?}")) }
}

fn place<T: Copy>(image: &Image<T>, index: usize) -> String {
    format!("[{}, {}]", index / image.width, index % image.width)
}

fn check_colours(golden: &Golden) -> Result<(), String> {
    let mut background = Background::new(golden);
    let mut stage = Stage::new(golden);
    let mut differences: Vec<u8> = Vec::new();
    golden.replay(&["rgba"], |step, reply| {
        stage.follow(golden, step);
        each_sensor(step, reply, background.after(step), |agent, sensor, recorded, found| {
            let Some(expected) = &recorded.rgba else { return Ok(()) };
            let spec = stage.sensor(agent, sensor);
            let camera = Camera::new(spec);
            let pose = world_from_camera(&step["state"][agent], spec);
            let found = rgba(found);
            same_size(expected, &found)?;
            for (index, (a, b)) in expected.pixels.iter().zip(&found.pixels).enumerate() {
                let depth_m = recorded.depth.pixels[index];
                if recorded.is_on_edge(index) {
                    continue;
                }
                if recorded.is_miss(depth_m) {
                    if a != b {
                        return Err(format!("the background {} is {b:?}, not {a:?}", place(expected, index)));
                    }
                    continue;
                }
                let (row, column) = (index / expected.width, index % expected.width);
                let ray = camera.ray(u32::try_from(row).expect("small"), u32::try_from(column).expect("small"));
                let point = pose.translation.vector + pose.rotation * (ray * f64::from(depth_m));
                if !stage.is_in_shadow(point) {
                    differences.extend(a.iter().zip(b).take(3).map(|(a, b)| a.abs_diff(*b)));
                }
            }
            Ok(())
        })
    })?;
    differences.sort_unstable();
    match differences.get(differences.len() / 2) {
        Some(median) if *median > 3 => Err(format!("the colours' median difference is {median} of 255")),
        _ => Ok(()),
    }
}

/// The first steps of a recording with a change to one image of the view finder after the reset.
fn changed(modality: &str, change: impl Fn(usize, &mut Value)) -> Golden {
    let mut golden = Golden::read(&in_repository("tests/conformance/mujoco/distant_actions.json"));
    golden.json["steps"].as_array_mut().expect("steps").truncate(2);
    let data = &mut golden.json["steps"][0]["observations"]["agent_id_0"]["view_finder"][modality]["data"];
    data.as_array_mut().expect("an image").iter_mut().enumerate().for_each(|(index, value)| change(index, value));
    golden
}

#[test]
fn a_wrong_pixel_in_a_file_fails_it() {
    let middle = |golden: &Golden| {
        let step = &golden.json["steps"][0]["observations"]["agent_id_0"]["view_finder"];
        let [width, height] = shape(&step["depth"]);
        (height / 2) * width + width / 2
    };
    let same = changed("depth", |_, _| {});
    assert_eq!((check_depth_and_semantic(&same), check_colours(&same)), (Ok(()), Ok(())));
    let at = middle(&same);
    let scaled = |value: &mut Value, factor: f64| *value = (as_f64(value) * factor).into();
    let fails = |golden: &Golden, why: &str| {
        let found = check_depth_and_semantic(golden);
        assert!(found.as_ref().is_err_and(|found| found.contains(why)), "{why}: {found:?}");
    };
    fails(
        &changed("depth", |index, value| {
            if index == at {
                scaled(value, 1.000_2)
            }
        }),
        "depth [",
    );
    fails(&changed("depth", |_, value| scaled(value, 1.000_03)), "beyond 2e-6 m");
    let other_id = |_, value: &mut Value| {
        if *value != 0 {
            *value = 77.into();
        }
    };
    fails(&changed("semantic", other_id), "semantic [");
    let speckles = |index: usize, value: &mut Value| {
        if index.is_multiple_of(25) {
            *value = 77.into();
        }
    };
    fails(&changed("semantic", speckles), "semantic pixels differ");
    let brighter = changed("rgba", |index, value| {
        if index % 4 < 3 {
            *value = (as_f64(value) as u8).saturating_add(9).into()
        }
    });
    assert!(check_colours(&brighter).is_err());
}
