//! Monty's own transforms and sensor module, recorded: the patches of `tests/conformance/percept`, through the functions that
//! sensors use.
//!
//! `SACCADE_PERCEPT` names another folder of `monty-percept/1` files.

use std::path::{Path, PathBuf};

use saccade::math::{Pose, UnitQuaternion, Vector};
use saccade::sensor::{Camera, DepthImage, PointCloud, Precision};
use saccade::world::{DepthClip, DepthTo3DLocations, Transform};
use serde_json::{Value, json};

use crate::fixture::{files_in, in_repository, read_json, say};
use crate::percept_messages::check_messages;
use crate::program::Scratch;

pub const SCHEMA: &str = "monty-percept/1";

#[test]
fn transforms_and_messages_equal_the_references_in_every_file() {
    let files = files_in(&folder(), SCHEMA).unwrap_or_else(|why| panic!("{why}"));
    say(&format!("percept: {} files", files.len()));
    let failures: Vec<String> = files.iter().flat_map(|path| check_file(path)).collect();
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), failures.join("\n"));
}

pub fn folder() -> PathBuf {
    std::env::var_os("SACCADE_PERCEPT").map_or_else(|| in_repository("tests/conformance/percept"), PathBuf::from)
}

/// Everything that differs, each with the file's name.
fn check_file(path: &Path) -> Vec<String> {
    let case = read_json(path);
    let mut differences = Differences::new(&path.display().to_string());
    if case["schema"] != SCHEMA {
        differences.add(format!("its schema is {}, not {SCHEMA}", case["schema"]));
        return differences.found;
    }
    let cloud = cloud_of(&case);
    check_transformed(&case, &cloud, &mut differences);
    check_messages(&case, &cloud, &mut differences);
    differences.found
}

/// What differs from a file, under its name.
pub struct Differences {
    name: String,
    pub found: Vec<String>,
}

impl Differences {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), found: Vec::new() }
    }

    pub fn add(&mut self, what: impl std::fmt::Display) {
        self.found.push(format!("{}: {what}", self.name));
    }

    pub fn equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, expected: T, found: T) {
        if expected != found {
            self.add(format!("{what}: expected {expected:?}, found {found:?}"));
        }
    }

    /// `None` is absent, which a number must equal too.
    pub fn near(&mut self, what: &str, expected: &[f64], found: &[f64], tolerance: f64) {
        let are_near =
            expected.len() == found.len() && expected.iter().zip(found).all(|(a, b)| (a - b).abs() <= tolerance);
        if !are_near {
            self.add(format!("{what}: expected {expected:?}, found {found:?}, over {tolerance:e}"));
        }
    }
}

pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        Value::Number(number) => vec![number.as_f64().expect("a number within f64")],
        _ => Vec::new(),
    }
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn wxyz(value: &Value) -> UnitQuaternion {
    let [w, x, y, z] = numbers(value)[..] else { panic!("not a quaternion: {value}") };
    saccade::math::Rotation::as_given([w, x, y, z]).expect("not zero").unit()
}

fn position(value: &Value) -> Vector {
    Vector::from_column_slice(&numbers(value))
}

/// Agent in world times sensor in agent, as reported.
fn pose_of(state: &Value, sensor: &str) -> Pose {
    let agent = &state["agent_id_0"];
    let sensor = &agent["sensors"][sensor];
    let pose = |at: &Value| Pose::from_parts(position(&at["position"]).into(), wxyz(&at["rotation"]));
    pose(agent) * pose(sensor)
}

/// The patch after the file's chain.
pub fn cloud_of(case: &Value) -> PointCloud {
    let depth = &case["observation"]["depth"];
    let [height, width] = size_of(depth);
    let pixels: Vec<f32> = numbers(&depth["data"]).into_iter().map(|depth| depth as f32).collect();
    let mut image = DepthImage::new(width, height, &pixels);
    let (last, transforms) = case["chain"].as_array().and_then(|chain| chain.split_last()).expect("a chain");
    let seed = transforms.iter().find_map(|t| t["rng_seed"].as_u64()).unwrap_or_default() as u32;
    let transforms: Vec<Transform> = transforms.iter().map(transform_of).collect();
    image.transform(&transforms, || seed, &mut || true).expect("nobody says no");
    let ids: Option<Vec<u32>> = case["observation"]
        .get("semantic")
        .map(|semantic| numbers(&semantic["data"]).into_iter().map(|id| id as u32).collect());
    let arguments = points_of(last);
    let camera = Camera::with([width, height], numbers(&last["zooms"])[0], last["hfov"].as_f64().expect("degrees"));
    let pose = pose_of(&case["state"], case["sensor"].as_str().expect("the sensor's id"));
    PointCloud::new(image, ids.as_deref(), &camera, Some(pose), &arguments, &mut || true).expect("nobody says no")
}

/// Height and width.
pub fn size_of(array: &Value) -> [u32; 2] {
    [0, 1].map(|axis| array["shape"][axis].as_u64().expect("a size") as u32)
}

fn transform_of(transform: &Value) -> Transform {
    let argument = |name: &str| transform[name].as_f64().unwrap_or_else(|| panic!("{name} in {transform}"));
    match transform["name"].as_str() {
        Some("MissingToMaxDepth") => {
            Transform::MissingToMaxDepth { max_depth_m: argument("max_depth"), threshold_m: argument("threshold") }
        }
        Some("AddNoiseToRawDepthImage") => Transform::AddNoiseToRawDepthImage { sigma_m: argument("sigma") },
        Some("GaussianSmoothing") => {
            Transform::GaussianSmoothing { sigma: argument("sigma"), kernel_width: argument("kernel_width") as u32 }
        }
        other => panic!("the test does not know the transform {other:?}"),
    }
}

fn points_of(last: &Value) -> DepthTo3DLocations {
    assert_eq!(last["name"], "DepthTo3DLocations");
    let flag = |name: &str| last[name].as_bool().expect("a flag");
    let clips = numbers(&last["depth_clip_sensors"]);
    let depth_clip = match (clips.is_empty(), clips.contains(&0.0)) {
        (true, _) => DepthClip::None,
        (_, true) => DepthClip::This,
        (_, false) => DepthClip::Other,
    };
    DepthTo3DLocations {
        zoom: None,
        hfov_deg: None,
        depth_clip,
        clip_value_m: last["clip_value"].as_f64().expect("metres"),
        world_coord: flag("world_coord"),
        get_all_points: flag("get_all_points"),
        use_semantic_sensor: flag("use_semantic_sensor"),
    }
}

fn check_transformed(case: &Value, cloud: &PointCloud, differences: &mut Differences) {
    let expected = &case["transformed"];
    let matrix = cloud.cam_to_world().map_or_else(Vec::new, |matrix| matrix.concat());
    differences.near("cam_to_world", &numbers(&expected["cam_to_world"]), &matrix, 1e-12);
    let (mut points, mut in_sensor) = (Vec::new(), Vec::new());
    cloud.semantic_3d(&mut points, &mut || true).expect("nobody says no");
    cloud.sensor_frame_data(&mut in_sensor, &mut || true).expect("nobody says no");
    for (n, row) in list(&expected["rows"]).enumerate() {
        let row = row.as_u64().expect("an index") as usize;
        for (key, found) in [("semantic_3d", &points[row]), ("sensor_frame_data", &in_sensor[row])] {
            let expected = numbers(&expected[key][n]);
            let largest = expected.iter().fold(1.0f64, |most, number| most.max(number.abs()));
            differences.near(&format!("{key}[{row}]"), &expected, found, 1e-12 * largest);
        }
    }
    check_mask(expected, cloud, differences);
    check_depth(case, cloud, differences);
}

fn check_mask(expected: &Value, cloud: &PointCloud, differences: &mut Differences) {
    let row = |labels: &[u32]| labels.iter().map(|label| if *label > 0 { '1' } else { '0' }).collect::<String>();
    let mask: Vec<String> = cloud.labels.chunks(cloud.x_at.len()).map(row).collect();
    differences.equal("mask_on_object", &expected["mask_on_object"], &json!(mask));
    for pair in list(&expected["mask_values"]) {
        let [value, count] = numbers(pair)[..] else { panic!("not a pair: {pair}") };
        let found = cloud.labels.iter().filter(|label| f64::from(**label) == value).count();
        differences.equal(&format!("pixels of the label {value}"), count as usize, found);
    }
    let on_object = cloud.labels.iter().filter(|label| **label > 0).count();
    differences.equal("n_on_object", expected["n_on_object"].as_u64(), Some(on_object as u64));
}

fn check_depth(case: &Value, cloud: &PointCloud, differences: &mut Differences) {
    let expected = &case["transformed"];
    let dtype = match cloud.depth.precision {
        Precision::Single => "float32",
        Precision::Double => "float64",
    };
    differences.equal("depth_dtype", expected["depth_dtype"].as_str(), Some(dtype));
    let raw = numbers(&case["observation"]["depth"]["data"]);
    let is_changed = |(raw, depth): &(&f64, &f64)| f64::from(**raw as f32) != **depth;
    let changed = raw.iter().zip(&cloud.depth.metres).filter(is_changed).count();
    differences.equal("depth_pixels_changed", expected["depth_pixels_changed"].as_u64(), Some(changed as u64));
    if let Some(stored) = expected.get("depth") {
        let stored = numbers(&stored["data"]);
        match cloud.depth.precision {
            Precision::Double => differences.near("depth", &stored, &cloud.depth.metres, 1e-13),
            Precision::Single => {
                let stored: Vec<f64> = stored.into_iter().map(|depth| f64::from(depth as f32)).collect();
                differences.near("depth", &stored, &cloud.depth.metres, 0.0);
            }
        }
    }
}

#[test]
fn a_folder_without_files_is_an_error() {
    let scratch = Scratch::new();
    scratch.file("README.md", "no case");
    assert!(files_in(&scratch.path("."), SCHEMA).is_err_and(|why| why.contains("has no monty-percept/1 files")));
}

#[test]
fn the_comparison_sees_a_normal_off_by_1e_8_a_curvature_by_1e_6_a_pixel_and_a_single_sign() {
    let path = in_repository("tests/conformance/percept/surface_banana_0.json");
    let original = read_json(path);
    let differs_with = |change: &dyn Fn(&mut Value)| {
        let mut case = original.clone();
        change(&mut case);
        let mut differences = Differences::new("changed");
        let cloud = cloud_of(&original);
        check_transformed(&case, &cloud, &mut differences);
        check_messages(&case, &cloud, &mut differences);
        !differences.found.is_empty()
    };
    let shifted = |pointer: &'static str, by: f64| {
        move |case: &mut Value| {
            let number = case.pointer_mut(pointer).expect("it is there");
            *number = json!(number.as_f64().expect("a number") + by);
        }
    };
    assert!(!differs_with(&|_| {}));
    let vectors = "/percepts/0/message/morphological_features/pose_vectors";
    assert!(differs_with(&shifted("/percepts/0/message/morphological_features/pose_vectors/0/0", 1e-8)));
    assert!(differs_with(&shifted("/percepts/0/message/non_morphological_features/principal_curvatures/0", 1e-6)));
    assert!(differs_with(&|case| {
        for part in case.pointer_mut(&format!("{vectors}/2")).and_then(Value::as_array_mut).expect("a direction") {
            *part = json!(-part.as_f64().expect("a number"));
        }
    }));
    assert!(differs_with(&|case| {
        let row = case.pointer_mut("/transformed/mask_on_object/3").expect("a row");
        let text = row.as_str().expect("text");
        let flipped = if text.starts_with('1') { "0" } else { "1" };
        *row = json!(format!("{flipped}{}", &text[1..]));
    }));
}
