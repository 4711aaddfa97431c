//! The messages of Monty's sensor module, made from a patch's features, against those of the conformance files.

use saccade::math::Vector;
use saccade::protocol::Modality;
use saccade::sensor::{Coverage, Features, Patch, PointCloud, Unreadable, hsv};
use saccade::world::{PerceptSpec, SurfaceNormalMethod, Word as _};
use serde_json::{Value, json};

use crate::percept::{Differences, list, numbers, size_of};

/// All of the features that the variants of `percepts` ask for.
const ALL_FEATURES: [&str; 14] = [
    "on_object",
    "object_coverage",
    "min_depth",
    "mean_depth",
    "rgba",
    "hsv",
    "pose_vectors",
    "principal_curvatures",
    "principal_curvatures_log",
    "pose_fully_defined",
    "gaussian_curvature",
    "mean_curvature",
    "gaussian_curvature_sc",
    "mean_curvature_sc",
];

const CURVATURES: [(&str, Modality); 6] = [
    ("principal_curvatures", Modality::PrincipalCurvatures),
    ("principal_curvatures_log", Modality::PrincipalCurvaturesLog),
    ("gaussian_curvature", Modality::GaussianCurvature),
    ("mean_curvature", Modality::MeanCurvature),
    ("gaussian_curvature_sc", Modality::GaussianCurvatureSc),
    ("mean_curvature_sc", Modality::MeanCurvatureSc),
];

/// 1/m.
const CURVATURE_TOLERANCE: f64 = 1e-7;

/// One variant of `percepts` or `camera_sm`.
struct Variant<'c> {
    expected: &'c Value,
    method: SurfaceNormalMethod,
    is_weighted: bool,
    is_surface: bool,
    features: Vec<&'c str>,
    /// Whether the file itself shows that the normal means nothing.
    is_undefined: bool,
}

pub fn check_messages(case: &Value, cloud: &PointCloud, differences: &mut Differences) {
    let variants = list(&case["percepts"]).map(|expected| Variant {
        expected,
        method: SurfaceNormalMethod::from_word(expected["method"].as_str().expect("a method")).expect("a known one"),
        is_weighted: expected["weight_curvature"] == true,
        is_surface: expected["is_surface_sm"] == true,
        features: ALL_FEATURES.to_vec(),
        is_undefined: is_undefined(case, expected["method"].as_str()),
    });
    let modules = list(&case["camera_sm"]).map(|expected| Variant {
        expected,
        method: SurfaceNormalMethod::Tls,
        is_weighted: true,
        is_surface: expected["is_surface_sm"] == true,
        features: list(&expected["features"]).filter_map(Value::as_str).collect(),
        is_undefined: is_undefined(case, Some("TLS")),
    });
    let all: Vec<Variant> = variants.chain(modules).collect();
    if all.len() < 13 {
        differences.add(format!("only {} messages", all.len()));
    }
    for (n, variant) in all.iter().enumerate() {
        let mut found = Differences::new(&format!("message {n} ({}, {})", variant.method.word(), variant.is_weighted));
        check_variant(case, cloud, variant, &mut found);
        found.found.iter().for_each(|difference| differences.add(difference));
    }
}

/// By the file's own float64 runs.
pub fn is_undefined(case: &Value, method: Option<&str>) -> bool {
    let runs = list(&case["sensitivity"]["float64_points_2ulp"]);
    runs.filter(|run| run["method"].as_str() == method).any(|run| run["normal_rad"].as_f64().is_some_and(|r| r > 1e-6))
}

/// The reference's error, if it raised one: its type and message.
enum Raised {
    KeyError(&'static str),
    ValueError(Unreadable),
}

fn check_variant(case: &Value, cloud: &PointCloud, variant: &Variant, differences: &mut Differences) {
    let patch = Patch::new(cloud);
    let expected_error = variant.expected.get("error").filter(|error| !error.is_null());
    match (features_of(&patch, variant), expected_error) {
        (Err(raised), Some(error)) => check_error(&raised, error, &patch, differences),
        (Err(Raised::ValueError(why)), None) => differences.add(format!("unreadable: {why}")),
        (Err(Raised::KeyError(key)), None) => differences.add(format!("it lacks {key}")),
        (Ok(_), Some(error)) => differences.add(format!("the reference raised {error}")),
        (Ok(features), None) => {
            let message = Message { case, patch: &patch, features, coverage: coverage_of(cloud) };
            message.check(variant, differences);
        }
    }
}

/// `None` where nothing is extracted: off the object, except that a surface module reads what is in view.
fn features_of(patch: &Patch, variant: &Variant) -> Result<Option<Features>, Raised> {
    let is_extracted = match (patch.is_centre_on_object(), variant.is_surface) {
        (true, _) => true,
        (false, false) => false,
        (false, true) if !variant.features.contains(&"object_coverage") => {
            return Err(Raised::KeyError("object_coverage"));
        }
        (false, true) => coverage_of(patch.cloud).object_coverage > 0.0,
    };
    let spec =
        PerceptSpec { surface_normal: variant.method, weight_curvature: variant.is_weighted, ..PerceptSpec::default() };
    is_extracted.then(|| Features::of(patch, &spec, &mut || true)).transpose().map_err(Raised::ValueError)
}

fn coverage_of(cloud: &PointCloud) -> Coverage {
    cloud.coverage(&mut || true).expect("nobody says no")
}

fn check_error(raised: &Raised, expected: &Value, patch: &Patch, differences: &mut Differences) {
    let (kind, text) = match raised {
        Raised::KeyError(key) => ("KeyError", format!("'{key}'")),
        Raised::ValueError(Unreadable::NotSquare { pixels }) => {
            ("ValueError", format!("cannot reshape array of size {pixels} into shape ({0},{0})", patch.side))
        }
        Raised::ValueError(Unreadable::Coincident { distance_m }) => {
            let mantissa = format!("{distance_m:.2e}").replace("e-", "e-0");
            ("ValueError", format!("Cannot normalize near-zero vector (norm={mantissa})"))
        }
        Raised::ValueError(Unreadable::Abandoned) => unreachable!("nobody says no"),
    };
    differences.equal(
        "error",
        &json!({"type": kind, "message": text}),
        &json!({"type": expected["type"], "message": expected["message"]}),
    );
}

struct Message<'c> {
    case: &'c Value,
    patch: &'c Patch<'c>,
    features: Option<Features>,
    coverage: Coverage,
}

impl Message<'_> {
    fn check(&self, variant: &Variant, differences: &mut Differences) {
        let expected = &variant.expected["message"];
        let location = numbers(&expected["location"]);
        let largest = location.iter().fold(1.0f64, |most, c| most.max(c.abs()));
        let found = self.patch.cloud.point(self.patch.centre);
        differences.near("location", &location, found.as_slice(), 1e-12 * largest);
        let label = self.patch.cloud.labels[self.patch.centre];
        differences.equal("semantic_id", expected["semantic_id"].as_f64(), Some(label.into()));
        self.check_flags(variant, differences);
        self.check_signals(variant, differences);
        self.check_morphology(variant, differences);
        self.check_features(variant, differences);
    }

    fn check_flags(&self, variant: &Variant, differences: &mut Differences) {
        let expected = &variant.expected["message"];
        let is_valid = self.features.as_ref().is_some_and(Features::are_valid);
        let is_processed = self.patch.is_centre_on_object() && is_valid;
        differences.equal("process_features_in_lm", &expected["process_features_in_lm"], &json!(is_processed));
        let is_passed = variant.expected["motor_only_step"] != true;
        differences.equal("pass_message", &expected["pass_message"], &json!(is_passed));
    }

    fn check_signals(&self, variant: &Variant, differences: &mut Differences) {
        let (Some(expected), Some(found)) = (variant.expected.get("signals"), &self.features) else {
            return;
        };
        differences.equal("valid_normal", &expected["valid_normal"], &json!(found.normal.is_valid));
        differences.equal("valid_curvature", &expected["valid_curvature"], &json!(found.curvature.is_valid));
        if !variant.is_undefined {
            let curvature = &found.curvature;
            differences.near("k1", &numbers(&expected["k1"]), &[curvature.k1], CURVATURE_TOLERANCE);
            differences.near("k2", &numbers(&expected["k2"]), &[curvature.k2], CURVATURE_TOLERANCE);
        }
    }

    fn check_morphology(&self, variant: &Variant, differences: &mut Differences) {
        let expected = &variant.expected["message"]["morphological_features"];
        let on_object = variant.features.contains(&"on_object").then(|| self.patch.is_centre_on_object());
        let on_object = on_object.map(|flag| f64::from(u8::from(flag)));
        differences.equal("on_object", expected["on_object"].as_f64(), on_object);
        let Some(found) = &self.features else {
            differences.equal("pose_vectors", None, expected.get("pose_vectors"));
            return;
        };
        differences.equal("pose_fully_defined", &expected["pose_fully_defined"], &json!(found.is_pose_fully_defined));
        if !variant.is_undefined {
            check_pose(&numbers(&expected["pose_vectors"]), found, differences);
        }
    }

    fn check_features(&self, variant: &Variant, differences: &mut Differences) {
        let expected = &variant.expected["message"]["non_morphological_features"];
        let asked = |name: &str| variant.features.contains(&name);
        let mut keys = Vec::new();
        let mut compare = |name: &str, found: Option<Vec<f64>>, tolerance: f64| {
            let found = found.filter(|_| asked(name)).unwrap_or_default();
            if !found.is_empty() {
                keys.push(name.to_owned());
            }
            let (expected, found) = match name.ends_with("_sc") {
                true => (squares(&numbers(&expected[name])), squares(&found)),
                false => (numbers(&expected[name]), found),
            };
            differences.near(name, &expected, &found, tolerance);
        };
        compare("object_coverage", Some(vec![self.coverage.object_coverage]), 0.0);
        let features = self.features.as_ref();
        let [min_depth, mean_depth] = [self.coverage.min_depth_m, self.coverage.mean_depth_m];
        let as_list = |number: Option<f64>| features.and(number).map(|number| vec![number]);
        compare("min_depth", as_list(min_depth), if self.is_smoothed() { 1e-13 } else { 0.0 });
        compare("mean_depth", as_list(mean_depth), 1e-13);
        let rgba = self.centre_rgba();
        compare("rgba", features.map(|_| rgba.map(f64::from).to_vec()), 0.0);
        compare("hsv", features.map(|_| hsv(rgba).to_vec()), 1e-12);
        for (name, modality) in CURVATURES {
            let found =
                features.and_then(|features| features.curvatures(modality)).map(|value| value.numbers().to_vec());
            let wanted = numbers(&expected[name]);
            let size = wanted.iter().fold(1.0f64, |most, number| most.max(number.abs()));
            match variant.is_undefined {
                true => compare(name, found.map(|_| wanted), 0.0),
                false => compare(name, found, CURVATURE_TOLERANCE * scale_of(name, size, features)),
            }
        }
        let is_flagged = features.is_some_and(|f| !f.normal.is_valid)
            || (features.is_some() && !CURVATURES.iter().any(|(name, _)| asked(name)));
        differences.equal("pose_fully_defined too", is_flagged, expected.get("pose_fully_defined").is_some());
        keys.extend(is_flagged.then(|| "pose_fully_defined".to_owned()));
        let known = expected.as_object().into_iter().flat_map(|map| map.keys());
        let extra: Vec<&String> = known.filter(|key| !keys.contains(key)).collect();
        differences.equal("other features", Vec::new(), extra);
    }

    fn is_smoothed(&self) -> bool {
        self.case["transformed"]["depth_dtype"] == "float64"
    }

    /// [H//2, H//2]: Monty takes patches to be square.
    fn centre_rgba(&self) -> [u8; 4] {
        let rgba = &self.case["observation"]["rgba"];
        let [height, width] = size_of(rgba);
        let start = 4 * (height / 2 * width + height / 2) as usize;
        let data = rgba["data"].as_array().expect("bytes");
        std::array::from_fn(|part| data[start + part].as_u64().expect("a byte") as u8)
    }
}

/// How an error in k1 and k2 grows in what is derived from them.
fn scale_of(name: &str, size: f64, features: Option<&Features>) -> f64 {
    let largest = features.map_or(1.0, |f| f.curvature.k1.abs().max(f.curvature.k2.abs()).max(1.0));
    match name {
        "gaussian_curvature" | "gaussian_curvature_sc" => 2.0 * largest,
        _ => 1.0 + 1e-9 * size,
    }
}

/// x·|x|: the error of a square root grows without bound near 0.
fn squares(roots: &[f64]) -> Vec<f64> {
    roots.iter().map(|x| x * x.abs()).collect()
}

/// The normal exactly, the directions up to one joint sign, and only where k1 and k2 differ.
fn check_pose(expected: &[f64], found: &Features, differences: &mut Differences) {
    if expected.len() != 9 {
        differences.add("pose_vectors are not 3×3");
        return;
    }
    let expected: Vec<Vector> = expected.chunks(3).map(Vector::from_column_slice).collect();
    let [normal, first, second] = found.pose_vectors().map(Vector::from);
    let angle = angle_between(&expected[0], &normal);
    if angle > 1e-10 {
        differences.add(format!("normal: {angle:e} rad off: expected {:?}, found {normal:?}", expected[0]));
    }
    let range = found.curvature.k1 - found.curvature.k2;
    if !found.curvature.is_valid {
        differences.equal("directions", [Vector::zeros(); 2], [first, second]);
    } else if range > 1e-3 {
        let tolerance = 8.0 * CURVATURE_TOLERANCE / range + 1e-9;
        let sign = if expected[1].dot(&first) < 0.0 { -1.0 } else { 1.0 };
        let worst = angle_between(&expected[1], &(first * sign)).max(angle_between(&expected[2], &(second * sign)));
        if worst > tolerance {
            differences.add(format!("directions: {worst:e} rad off, over {tolerance:e}"));
        }
    } else {
        let lengths = [first.norm(), second.norm()];
        differences.near("lengths of the directions", &[1.0; 2], &lengths, 1e-12);
    }
}

/// Also for angles far below the resolution of a cosine.
pub fn angle_between(a: &Vector, b: &Vector) -> f64 {
    saccade::math::atan2(a.cross(b).norm(), a.dot(b))
}
