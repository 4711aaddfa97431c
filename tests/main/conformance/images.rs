//! The images of the reference: depth, semantic and colours, at the gates of `tests/conformance/README.md`.

use std::sync::Arc;

use saccade::assets::Nowhere;
use saccade::math::{Pose, Rotation, UnitQuaternion, Vector};
use saccade::sensor::{Camera, Scene};
use saccade::world::{AgentSpec, Object, SensorSpec, World, WorldFile};
use serde_json::{Value, json};

use super::golden::{Golden, all_hold, has_failed};
use crate::client::world;
use crate::fixture::in_repository;
use crate::images::{Image, depth, rgba, semantic};

#[test]
fn depth_and_semantic_equal_the_references_in_every_file_without_a_mesh() {
    all_hold(check_depth_and_semantic);
}

#[test]
fn colours_are_the_references_away_from_edges_and_shadows() {
    all_hold(check_colours);
}

/// What one sensor of the reference saw; semantic and colours where they were kept.
struct Recorded {
    depth: Image<f32>,
    semantic: Option<Image<u32>>,
    rgba: Option<Image<[u8; 4]>>,
    background_depth: f32,
}

impl Recorded {
    fn new(sensor: &Value, background_depth: f32) -> Self {
        let pixels = |key: &str| sensor.get(key).map(|image| (shape(image), &image["data"]));
        let [depth, semantic, rgba] = ["depth", "semantic", "rgba"].map(pixels);
        Self {
            depth: depth.map(|(shape, data)| flat(shape, data, 1, |p| as_f64(&p[0]) as f32)).expect("depth is kept"),
            semantic: semantic.map(|(shape, data)| flat(shape, data, 1, |p| as_f64(&p[0]) as u32)),
            rgba: rgba.map(|(shape, data)| flat(shape, data, 4, |p| [0, 1, 2, 3].map(|i| as_f64(&p[i]) as u8))),
            background_depth,
        }
    }

    fn is_miss(&self, depth_m: f32) -> bool {
        depth_m > 0.99 * self.background_depth
    }

    /// Two semantic ids, a miss and a hit, or a depth over 5 % from the plane through the pixel, in its 3×3.
    fn is_on_edge(&self, index: usize) -> bool {
        let differs = |mut values: Vec<u32>| {
            values.dedup();
            values.len() > 1
        };
        let ids = |image: &Image<u32>| image.around(index).map(|(_, id)| id).collect();
        let misses = self.depth.around(index).map(|(_, depth)| u32::from(self.is_miss(depth))).collect();
        self.semantic.as_ref().is_some_and(|image| differs(ids(image))) || differs(misses) || self.is_bent(index)
    }

    /// Of a plane, 1/depth is linear over the pixels.
    fn is_bent(&self, index: usize) -> bool {
        let inverse = |depth: f32| 1.0 / f64::from(depth);
        let here = inverse(self.depth.pixels[index]);
        let slope = |along: [isize; 2]| {
            let slopes = self.depth.around(index).filter_map(|(step, depth)| {
                let sign = if step == along { 1.0 } else { -1.0 };
                (step == along || step == along.map(|s| -s)).then(|| sign * (inverse(depth) - here))
            });
            // Of an edge beside it, the plane through the pixel is on the flat side.
            slopes.reduce(|a, b| if b.abs() < a.abs() { b } else { a }).unwrap_or(0.0)
        };
        let (down, right) = (slope([1, 0]), slope([0, 1]));
        self.depth.around(index).any(|([i, j], depth)| {
            let predicted = 1.0 / (here + down * i as f64 + right * j as f64);
            (f64::from(depth) - predicted).abs() > 0.05 * predicted.abs()
        })
    }
}

fn as_f64(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Width and height of an image whose shape is height, width, and maybe channels.
fn shape(image: &Value) -> [usize; 2] {
    let side = |index: usize| image["shape"][index].as_u64().and_then(|side| usize::try_from(side).ok());
    [1, 0].map(|index| side(index).expect("a shape"))
}

fn flat<T>([width, height]: [usize; 2], data: &Value, channels: usize, read: impl Fn(&[Value]) -> T) -> Image<T> {
    let pixels: Vec<T> = data.as_array().expect("data").chunks(channels).map(read).collect();
    assert_eq!(pixels.len(), width * height, "the reference's data have their shape");
    Image { width, height, pixels }
}

/// Each sensor that the reference observed after a step: agent, sensor, what was recorded, and the values here.
fn each_sensor(
    step: &Value,
    reply: &Value,
    background_depth: f32,
    mut check: impl FnMut(&str, &str, &Recorded, &Value) -> Result<(), String>,
) -> Result<(), String> {
    for (agent, sensors) in step["observations"].as_object().into_iter().flatten() {
        for (sensor, recorded) in sensors.as_object().into_iter().flatten() {
            let found = &reply["observations"][agent][sensor];
            check(agent, sensor, &Recorded::new(recorded, background_depth), found)
                .map_err(|why| format!("{agent}.{sensor}: {why}"))?;
        }
    }
    Ok(())
}

/// The depth of a miss: the world's, until a step tells another.
struct Background(f32);

impl Background {
    fn new(golden: &Golden) -> Self {
        let Some(depth) = Self::of(&golden.json["world"]) else { panic!("the world tells its background") };
        Self(depth)
    }

    fn of(place: &Value) -> Option<f32> {
        place["render"]["background_depth"].as_f64().map(|depth| depth as f32)
    }

    fn after(&mut self, step: &Value) -> f32 {
        self.0 = Self::of(step).unwrap_or(self.0);
        self.0
    }
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

/// The world whose objects stand before the light.
struct Stage {
    file: WorldFile,
    objects: Vec<Object>,
    golden_objects: Vec<Value>,
}

impl Stage {
    fn new(golden: &Golden) -> Self {
        let objects = golden.json["world"]["objects"].as_array().cloned().unwrap_or_default();
        let mut stage = Self { file: world(&golden.world_text(&[])), objects: Vec::new(), golden_objects: objects };
        stage.build(golden);
        stage
    }

    /// What a step adds or removes.
    fn follow(&mut self, golden: &Golden, step: &Value) {
        match step["op"].as_str() {
            Some("add_object") if !has_failed(step) => self.golden_objects.push(step["object"].clone()),
            Some("remove_all_objects") => self.golden_objects.clear(),
            _ => return,
        }
        self.build(golden);
    }

    fn build(&mut self, golden: &Golden) {
        let mut with_objects = Golden { path: golden.path.clone(), json: json!({"world": golden.json["world"]}) };
        with_objects.json["world"]["objects"] = self.golden_objects.clone().into();
        let file = world(&with_objects.world_text(&[]));
        self.objects = World::place(&file.objects, &file.compat, &Nowhere).expect("the reference had them");
    }

    fn sensor(&self, agent: &str, sensor: &str) -> &SensorSpec {
        let is_agent = |spec: &&Arc<AgentSpec>| spec.id.as_str() == agent;
        let agent = self.file.agents.iter().find(is_agent).expect("the reference's agent");
        agent.sensors.iter().find(|spec| spec.id.as_str() == sensor).expect("the reference's sensor")
    }

    /// Whether something stands between a point and the directional light, straight above in z.
    fn is_in_shadow(&self, point: Vector) -> bool {
        const OFF_THE_SURFACE_M: f64 = 1e-4;
        let above = point + Vector::z() * OFF_THE_SURFACE_M;
        let from_there = Pose::from_parts(above.into(), UnitQuaternion::identity());
        Scene::new(&self.objects, &from_there, 0.0).cast(Vector::z()).is_some()
    }
}

/// Where the camera of a recorded state is; the reference does not report a sensor's own rotation.
fn world_from_camera(agent: &Value, sensor: &SensorSpec) -> Pose {
    let pose = |value: &Value| {
        let number = |key: &str, index: usize| as_f64(&value[key][index]);
        let rotation = Rotation::normalised([0, 1, 2, 3].map(|i| number("rotation", i))).expect("not zero");
        Pose::from_parts(Vector::from([0, 1, 2].map(|i| number("position", i))).into(), rotation.unit())
    };
    let own = Pose::from_parts(Vector::zeros().into(), sensor.rotation.unit());
    pose(agent) * pose(&agent["sensors"][sensor.id.as_str()]) * own
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

/// The first steps of a recording with a change to one image of the patch after the reset.
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
    fails(
        &changed("semantic", |index, value| {
            if index == at {
                *value = 77.into()
            }
        }),
        "semantic pixels differ",
    );
    let brighter = changed("rgba", |index, value| {
        if index % 4 < 3 {
            *value = (as_f64(value) as u8).saturating_add(9).into()
        }
    });
    assert!(check_colours(&brighter).is_err());
}

#[test]
fn an_edge_is_a_change_of_id_a_miss_beside_a_hit_or_a_depth_off_the_plane() {
    let recorded = |depth: fn(usize, usize) -> f32, ids: fn(usize, usize) -> u32| {
        let all = || (0..5usize).flat_map(|row| (0..5usize).map(move |column| (row, column)));
        let depth = Image { width: 5, height: 5, pixels: all().map(|(row, column)| depth(row, column)).collect() };
        let semantic = Image { width: 5, height: 5, pixels: all().map(|(row, column)| ids(row, column)).collect() };
        Recorded { depth, semantic: Some(semantic), rgba: None, background_depth: 800.0 }
    };
    let edges = |image: Recorded| (0..25).filter(|index| image.is_on_edge(*index)).count();
    // A plane that recedes fast is no edge; each of the others runs between two columns.
    assert_eq!(edges(recorded(|row, column| 1.0 / (1.0 + 0.15 * column as f32 + 0.1 * row as f32), |_, _| 1)), 0);
    assert_eq!(edges(recorded(|_, _| 1.0, |_, column| u32::from(column > 2))), 10);
    assert_eq!(edges(recorded(|_, column| if column > 2 { 800.0 } else { 1.0 }, |_, _| 0)), 10);
    assert_eq!(edges(recorded(|_, column| if column > 2 { 1.06 } else { 1.0 }, |_, _| 1)), 10);
    assert_eq!(edges(recorded(|_, column| if column > 2 { 1.04 } else { 1.0 }, |_, _| 1)), 0);
}
