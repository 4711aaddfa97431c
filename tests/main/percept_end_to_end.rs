//! Percepts end to end: the scenes of `tests/conformance/percept`, sensed by our own cameras, against the reference's percepts.
//!
//! A case with noise on its depth, or in which the reference itself is undefined, is not compared. Those with a mesh need
//! `SACCADE_MESHES`.

use saccade::math::Vector;
use serde_json::{Value, json};

use crate::client::{Client, brief};
use crate::conformance::golden::Golden;
use crate::fixture::{files_in, say};
use crate::images::depth;
use crate::percept::{SCHEMA, folder, list, numbers};
use crate::percept_messages::angle_between;

#[test]
fn what_our_cameras_see_becomes_the_references_percepts() {
    let files = files_in(&folder(), SCHEMA).unwrap_or_else(|why| panic!("{why}"));
    let cases: Vec<Golden> = files.iter().map(|path| Golden::read(path)).filter(is_comparable).collect();
    let played = cases.iter().filter(|case| case.can_be_played());
    let offs: Vec<Off> =
        played.map(|case| Off::of(case).unwrap_or_else(|why| panic!("{}: {why}", case.name()))).collect();
    say(&format!(
        "percept, end to end: {} of {} files; those with meshes need SACCADE_MESHES",
        offs.len(),
        cases.len()
    ));
    let wrong: Vec<String> = offs.iter().filter_map(Off::complaint).collect();
    assert!(wrong.is_empty(), "{} cases are off:\n{}", wrong.len(), wrong.join("\n"));
    let edges: Vec<&Off> = offs.iter().filter(|off| !off.is_full).collect();
    let near = edges.iter().filter(|off| off.is_within(&Gate::FULL)).count();
    assert!(10 * near >= 9 * edges.len(), "only {near} of {} patches with an edge are within the gate", edges.len());
}

fn is_comparable(case: &Golden) -> bool {
    !list(&case.json["tags"]).any(|tag| tag == "noise" || tag == "degenerate")
}

/// How far a percept may be from the reference's.
struct Gate {
    normal_rad: f64,
    /// 1/m.
    curvature: f64,
}

const LOCATION_M: f64 = 1e-6;

/// Of an image of which all pixels are on the object; those at an edge are of another triangle now and then.
const DEPTH_M: f64 = 1e-6;

const MOST_MASK_PIXELS: usize = 2;

impl Gate {
    /// Of patches without an edge, and of nine in ten of the others.
    const FULL: Gate = Gate { normal_rad: 2e-5, curvature: 1e-2 };
    const EDGE: Gate = Gate { normal_rad: 5e-3, curvature: 0.3 };
}

/// How far one percept is.
#[derive(Debug)]
struct Off {
    name: String,
    is_full: bool,
    location_m: f64,
    depth_m: f64,
    mask_pixels: usize,
    /// What of the flags and features is there in one and not in the other.
    presence: String,
    normal_rad: f64,
    curvature: f64,
    /// The angle of the directions times |k1 - k2|.
    directions: f64,
}

impl Off {
    fn of(case: &Golden) -> Result<Self, String> {
        let json = &case.json;
        let id = json["sensor"].as_str().ok_or("it names no sensor")?;
        let seen = sense(case)?;
        let sensor = &seen["observations"]["agent_id_0"][id];
        let mut percepts = list(&json["percepts"]);
        let is_default =
            |p: &&Value| p["method"] == "TLS" && p["weight_curvature"] == true && p["is_surface_sm"] == false;
        let message = &percepts.find(is_default).ok_or("it has no TLS percept")?["message"];
        let morphology = &message["morphological_features"];
        let others = &message["non_morphological_features"];
        let mask = mask_pixels(&json["transformed"]["mask_on_object"], &sensor["semantic_3d"]);
        let pixels = list(&sensor["semantic_3d"]).count();
        let is_full =
            json["transformed"]["n_on_object"] == json!(pixels) && !list(&json["tags"]).any(|tag| tag == "edge");
        let [expected, found] = [&morphology["pose_vectors"], &sensor["pose_vectors"]].map(numbers);
        let curvatures = [&others["principal_curvatures"], &sensor["principal_curvatures"]].map(numbers);
        Ok(Self {
            name: case.name(),
            is_full,
            location_m: farthest(&numbers(&message["location"]), &numbers(&sensor["location"])),
            depth_m: farthest(&numbers(&json["observation"]["depth"]["data"]), &depths(sensor)),
            mask_pixels: mask,
            presence: presence(morphology, sensor, [&expected, &found], &curvatures),
            normal_rad: angle(&expected, &found, 0, 1.0),
            curvature: farthest(&curvatures[0], &curvatures[1]),
            directions: directions(&expected, &found, &curvatures[0]),
        })
    }

    fn is_within(&self, gate: &Gate) -> bool {
        self.normal_rad <= gate.normal_rad
            && self.curvature <= gate.curvature
            && self.directions <= 8.0 * gate.curvature
    }

    fn complaint(&self) -> Option<String> {
        let is_right = match self.is_full {
            true => self.is_within(&Gate::FULL) && self.mask_pixels == 0 && self.depth_m <= DEPTH_M,
            false => self.is_within(&Gate::EDGE) && self.mask_pixels <= MOST_MASK_PIXELS,
        };
        let is_all_right = is_right && self.location_m <= LOCATION_M && self.presence.is_empty();
        (!is_all_right).then(|| format!("{}: {self:?}", self.name))
    }
}

/// The step in which the case's actions are applied.
fn sense(case: &Golden) -> Result<Value, String> {
    let mut case = Golden { path: case.path.clone(), json: case.json.clone() };
    let pipeline = pipeline_of(&case.json);
    let id = case.json["sensor"].clone();
    for agent in case.json["world"]["agents"].as_array_mut().ok_or("it has no agents")? {
        for sensor in agent["sensors"].as_array_mut().ok_or("it has no sensors")? {
            if sensor["id"] == id {
                sensor["pipeline"] = pipeline.clone();
            }
        }
    }
    let mut client = Client::with_source(&case.world_text(&["percept", "depth", "semantic_3d"]), case.source());
    client.done(json!({"command": "reset"}));
    let reply = client.step(case.json["actions"].clone());
    match reply.get("error") {
        None => Ok(reply),
        Some(_) => Err(brief(&reply)),
    }
}

/// The case's chain in the words of a world file.
fn pipeline_of(case: &Value) -> Value {
    let transform = |transform: &Value| {
        let mut transform = transform.clone();
        let map = transform.as_object_mut().expect("a transform is a map");
        let name = map.remove("name").expect("a transform has a name");
        map.insert("transform".to_owned(), name);
        if let Some(clips) = map.remove("depth_clip_sensors") {
            let depth_clip = if numbers(&clips).contains(&0.0) { "this" } else { "none" };
            map.insert("depth_clip".to_owned(), json!(depth_clip));
        }
        let of_client = ["agent_id", "sensor_ids", "resolutions", "resolutions_hw", "zooms", "hfov", "rng_seed"];
        of_client.iter().for_each(|key| drop(map.remove(*key)));
        transform
    };
    list(&case["chain"]).map(transform).collect()
}

fn depths(sensor: &Value) -> Vec<f64> {
    depth(sensor).pixels.into_iter().map(f64::from).collect()
}

/// Pixels that are on the object in one of the two alone.
fn mask_pixels(expected: &Value, points: &Value) -> usize {
    let expected = list(expected).filter_map(Value::as_str).flat_map(str::chars).map(|pixel| pixel == '1');
    let found = list(points).map(|point| point[3].as_f64().is_some_and(|label| label > 0.0));
    expected.zip(found).filter(|(expected, found)| expected != found).count()
}

fn presence(morphology: &Value, sensor: &Value, vectors: [&Vec<f64>; 2], curvatures: &[Vec<f64>; 2]) -> String {
    let mut differences = Vec::new();
    if (morphology["on_object"] == 1.0) != (sensor["on_object"] == true) {
        differences.push("on_object");
    }
    // The reference extracts from a centre off the object too, if it can; the contract does not tell what it finds there.
    if sensor["on_object"] == true {
        if vectors[0].len() != vectors[1].len() {
            differences.push("pose_vectors");
        }
        if curvatures[0].len() != curvatures[1].len() {
            differences.push("principal_curvatures");
        }
        if morphology["pose_fully_defined"] != sensor["pose_fully_defined"] {
            differences.push("pose_fully_defined");
        }
    }
    differences.join(", ")
}

/// The largest difference of what both have.
fn farthest(expected: &[f64], found: &[f64]) -> f64 {
    expected.iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Between one row of both, the found one times a sign; 0 where one has none.
fn angle(expected: &[f64], found: &[f64], row: usize, sign: f64) -> f64 {
    let row_of = |rows: &[f64]| rows.chunks_exact(3).nth(row).map(Vector::from_column_slice);
    row_of(expected).zip(row_of(found)).map_or(0.0, |(a, b)| angle_between(&a, &(b * sign)))
}

/// Both directions have one joint sign, and mean nothing where k1 = k2.
fn directions(expected: &[f64], found: &[f64], curvatures: &[f64]) -> f64 {
    let [k1, k2] = curvatures else { return 0.0 };
    let with = |sign: f64| angle(expected, found, 1, sign).max(angle(expected, found, 2, sign));
    let range = (k1 - k2).abs();
    if range > 1e-3 { with(1.0).min(with(-1.0)) * range } else { 0.0 }
}
