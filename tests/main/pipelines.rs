//! A sensor's pipeline and percept in the world file: what each key does to the reply, and what is refused.

use saccade::assets::Nowhere;
use saccade::world::file;
use serde_json::{Value, json};

use crate::client::{AGENT, Client};
use crate::fixture::agent;
use crate::percept::numbers;

const POINTS: &str = "{ transform = \"DepthTo3DLocations\" }";

/// A sensor of 16×16 before a ball that fills a part of its view.
fn before_a_ball(sensor: &str) -> String {
    let agent = agent("free", sensor).replace("[3, 3]", "[16, 16]");
    format!("{agent}\n[[objects]]\nname = \"sphere\"\nposition = [0, 0, -0.4]\nscale = 0.1\nsemantic_id = 3\n")
}

fn pipeline(transforms: &[&str]) -> String {
    format!("pipeline = [{}]\n", transforms.join(", "))
}

fn look(client: &mut Client) -> Value {
    client.step(json!([]))["observations"][AGENT]["patch"].take()
}

fn seen(sensor: &str, reset: Value) -> Value {
    let mut client = Client::waiting_on(&before_a_ball(sensor));
    let mut request = json!({"command": "reset"});
    for (key, value) in reset.as_object().expect("keys of reset") {
        request[key] = value.clone();
    }
    client.done(request);
    look(&mut client)
}

#[test]
fn points_are_told_as_lists_or_base64_and_only_those_that_are_asked_for() {
    let words = json!(["semantic_3d", "sensor_frame_data", "cam_to_world"]);
    let all = seen("", json!({"modalities": words}));
    let rows = |sensor: &Value, key: &str| sensor[key].as_array().map(Vec::len);
    assert_eq!((rows(&all, "semantic_3d"), rows(&all, "sensor_frame_data")), (Some(256), Some(256)));
    assert_eq!(numbers(&all["cam_to_world"]).len(), 16);
    let encoded = seen("", json!({"modalities": words, "encoding": "base64"}));
    assert_eq!((&encoded["semantic_3d"]["dtype"], &encoded["semantic_3d"]["shape"]), (&json!("<f8"), &json!([256, 4])));
    assert_eq!(encoded["cam_to_world"], all["cam_to_world"]);
    let on_object = numbers(&all["semantic_3d"]).chunks(4).filter(|row| row[3] != 0.0).count();
    let few = seen(
        &pipeline(&["{ transform = \"DepthTo3DLocations\", get_all_points = false }"]),
        json!({"modalities": words}),
    );
    assert!(on_object > 0 && on_object < 256);
    assert_eq!((rows(&few, "semantic_3d"), few.get("sensor_frame_data")), (Some(on_object), None));
    let own = pipeline(&["{ transform = \"DepthTo3DLocations\", world_coord = false }"]);
    let own = seen(&format!("position = [1, 2, 3]\n{own}"), json!({"modalities": words}));
    assert_eq!((own.get("cam_to_world"), &own["semantic_3d"]), (None, &own["sensor_frame_data"]));
}

#[test]
fn each_transform_does_its_part() {
    let location = |transforms: &[&str]| {
        let keys = if transforms.is_empty() { String::new() } else { pipeline(transforms) };
        numbers(&seen(&keys, json!({"modalities": ["location"]}))["location"])
    };
    let default = location(&[]);
    assert_eq!(location(&["{ transform = \"MissingToMaxDepth\" }", POINTS]), default);
    let zoomed = location(&["{ transform = \"DepthTo3DLocations\", zoom = 2 }"]);
    assert!((zoomed[0] - default[0] / 2.0).abs() < 1e-12, "{zoomed:?}");
    let clipped = location(&["{ transform = \"DepthTo3DLocations\", depth_clip = \"this\", clip_value = 0.125 }"]);
    assert_eq!(clipped[2], -0.125);
    let filled = location(&["{ transform = \"MissingToMaxDepth\", max_depth = 2, threshold = 0.5 }", POINTS]);
    assert_eq!(filled[2], -2.0);
    let smoothed = location(&["{ transform = \"GaussianSmoothing\" }", POINTS]);
    assert!(smoothed[2] != default[2] && (smoothed[2] - default[2]).abs() < 0.05, "{smoothed:?}");
}

const NOISY: &str = "{ transform = \"AddNoiseToRawDepthImage\", sigma = 0.001 }";

#[test]
fn noise_is_of_the_seed_the_tick_and_the_sensor_and_of_nothing_else() {
    let second = "[[agents.sensors]]\nid = \"twin\"\nresolution = [16, 16]\n";
    let keys = pipeline(&[NOISY, POINTS]);
    let text = before_a_ball(&keys).replace("\n[[objects]]", &format!("\n{second}{keys}\n[[objects]]"));
    let play = |seed: u64, modalities: Value| {
        let mut client = Client::waiting_on(&text);
        client.done(json!({"command": "reset", "seed": seed, "modalities": modalities}));
        [(); 2].map(|()| client.step(json!([]))["observations"][AGENT].take())
    };
    let at = |look: &Value, sensor: &str| numbers(&look[sensor]["location"]);
    let [first, second] = play(1, json!(["location"]));
    assert_ne!(at(&first, "patch"), at(&second, "patch"), "each tick has its own");
    assert_ne!(at(&first, "patch"), at(&first, "twin"), "each sensor has its own");
    assert_ne!(at(&first, "patch"), at(&play(2, json!(["location"]))[0], "patch"), "each seed has its own");
    let [with_all, _] = play(1, json!(["percept", "depth", "semantic_3d"]));
    assert_eq!(at(&first, "patch"), at(&with_all, "patch"));
    assert_eq!(at(&first, "twin"), at(&with_all, "twin"));
    let raw = seen("", json!({"modalities": ["depth"]}));
    assert_eq!(with_all["patch"]["depth"], raw["depth"], "the image stays raw");
}

#[test]
fn noise_of_a_percept_reaches_a_location_always_and_features_where_they_are_processed() {
    let noise = "percept = { noise = { location = 0.01, pose_vectors = 5, hsv = 0.1, pose_fully_defined = 1 } }";
    let (plain, noisy) = (seen("", json!({})), seen(noise, json!({})));
    for key in ["location", "pose_vectors", "hsv"] {
        assert_ne!(plain[key], noisy[key], "{key}");
    }
    let flags = (plain["pose_fully_defined"].as_bool(), noisy["pose_fully_defined"].as_bool());
    assert_eq!(flags.0.map(|flag| !flag), flags.1, "a flip of probability 1");
    for key in ["min_depth", "object_coverage", "principal_curvatures"] {
        assert_eq!(plain[key], noisy[key], "{key}");
    }
    let away = |keys: &str| seen(&format!("rotation_deg = [0, 180, 0]\n{keys}"), json!({}));
    let (plain, noisy) = (away(""), away(noise));
    assert_ne!(plain["location"], noisy["location"]);
    assert_eq!(plain["hsv"], noisy["hsv"]);
    let hue = &seen(noise, json!({"modalities": ["hsv"]}))["hsv"];
    assert_eq!(*hue, seen(noise, json!({}))["hsv"], "whatever else was asked for");
}

#[test]
fn the_filter_passes_the_first_percept_and_then_what_is_far_enough_or_late() {
    let keys = "percept = { feature_change = { distance_m = 0.01, n_steps = 2 } }";
    let mut client = Client::on(&before_a_ball(keys));
    let mut passes = |forward: f64| {
        let forward =
            json!([{"action": "move_tangentially", "agent_id": AGENT, "distance": forward, "direction": [1, 0, 0]}]);
        client.step(forward)["observations"][AGENT]["patch"]["process_features_in_lm"].take()
    };
    // The reset's percept was the first.
    let found: Vec<Value> = [0.0, 0.005, 0.0, 0.02, 0.0, 1.0, -1.0].into_iter().map(&mut passes).collect();
    assert_eq!(json!(found), json!([false, false, true, true, false, false, false]));
    client.done(json!({"command": "reset"}));
    let plain = look(&mut Client::on(&before_a_ball("")));
    assert!(plain.get("process_features_in_lm").is_none(), "only a world file's filter says it");
}

#[test]
fn mistakes_in_a_pipeline_or_percept_are_told_with_their_place_and_remedy() {
    for (keys, words) in [
        (pipeline(&[]), vec!["pipeline", "the last"]),
        (pipeline(&["{ transform = \"MissingToMaxDepth\" }"]), vec!["pipeline", "DepthTo3DLocations"]),
        (pipeline(&[POINTS, POINTS]), vec!["pipeline", "only it"]),
        (
            pipeline(&["{ transform = \"DepthTo3DLocation\" }"]),
            vec!["pipeline[0].transform", "did you mean DepthTo3DLocations?"],
        ),
        (pipeline(&["{ sigma = 1 }", POINTS]), vec!["pipeline[0].transform", "nothing"]),
        (pipeline(&["{ transform = \"GaussianSmoothing\", kernel_width = 4 }", POINTS]), vec!["kernel_width", "odd"]),
        (pipeline(&["{ transform = \"AddNoiseToRawDepthImage\" }", POINTS]), vec!["sigma", "nothing"]),
        (pipeline(&["{ transform = \"MissingToMaxDepth\", maxdepth = 1 }", POINTS]), vec!["did you mean max_depth?"]),
        (
            pipeline(&["{ transform = \"DepthTo3DLocations\", depth_clip = \"other\", use_semantic_sensor = true }"]),
            vec!["pipeline[0]", "semantic = true"],
        ),
        ("percept = { surface_normal = \"PCA\" }".to_owned(), vec!["surface_normal", "TLS, OLS, naive"]),
        ("percept = { noise = { pose_fully_defined = 2 } }".to_owned(), vec!["probability"]),
        ("percept = { noise = { rgba = 2 } }".to_owned(), vec!["the unknown key rgba"]),
        ("percept = { feature_change = { hsv = [0.1, 0.1] } }".to_owned(), vec!["3 thresholds"]),
        ("percept = { feature_change = { distance = 1 } }".to_owned(), vec!["did you mean distance_m?"]),
    ] {
        let problems = file::parse(&before_a_ball(&keys), &Nowhere).expect_err(&keys);
        let text = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(words.iter().all(|word| text.contains(word)), "{keys}: {text}");
    }
}
