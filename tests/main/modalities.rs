//! What a sensor answers: the choice by world file, command line and reset, the members of the percept, and that no value
//! depends on what else was asked for.

use std::collections::BTreeMap;

use saccade::protocol::Modality;
use serde_json::{Value, json};

use crate::client::{AGENT, Client, bodies, brief, frame};
use crate::images::{depth, rgba, semantic};
use crate::program::{Scratch, run_on};

/// A free agent 30 cm before a red ball and a green cube beside it; `keys` are those of its one sensor.
fn before_two(head: &str, keys: &str) -> String {
    format!(
        "{head}\n[[agents]]\nid = \"{AGENT}\"\nkind = \"free\"\n\
         [[agents.sensors]]\nid = \"patch\"\nresolution = [16, 12]\n{keys}\n\
         [[objects]]\nname = \"sphere\"\nposition = [0, 0, -0.3]\nscale = 0.1\nsemantic_id = 3\ncolor = [0.8, 0.2, 0.2]\n\
         [[objects]]\nname = \"cubeSolid\"\nposition = [0.2, 0, -0.5]\nsemantic_id = 9\ncolor = [0, 1, 0.5]\n"
    )
}

fn patch(reply: &Value) -> &Value {
    &reply["observations"][AGENT]["patch"]
}

fn keys(sensor: &Value) -> String {
    sensor.as_object().expect("a map").keys().cloned().collect::<Vec<_>>().join(" ")
}

/// Poses from which the centre is on the ball, on the cube, beside both, on neither, too near, and inside.
fn poses() -> impl Iterator<Item = Value> {
    let at = |x: f64, z: f64| json!([{"action": "set_agent_pose", "agent_id": AGENT, "location": [x, 0.0, z], "rotation_quat": [1, 0, 0, 0]}]);
    [(0.0, 0.0), (0.2, 0.0), (0.1, 0.0), (3.0, 0.0), (0.0, -0.199), (0.0, -0.3), (0.05, 1.5)]
        .into_iter()
        .map(move |(x, z)| at(x, z))
}

#[test]
fn no_value_depends_on_what_else_was_asked_for() {
    let answered: Vec<&str> = Modality::ALL.iter().map(|modality| modality.word()).collect();
    for (kind, sensor, head) in [
        ("free", "semantic = true", ""),
        ("free", "", ""),
        ("surface", "semantic = true", ""),
        ("surface", "", "compat = \"mujoco\""),
        ("free", "semantic = true\nzoom = 8", "compat = \"habitat\""),
    ] {
        let text = before_two(head, sensor).replace("\"free\"", &format!("\"{kind}\""));
        for pose in poses() {
            let seen_with = |modalities: Value| {
                let mut client = Client::waiting_on(&text);
                client.done(json!({"command": "reset", "modalities": modalities}));
                patch(&client.step(pose.clone())).clone()
            };
            let whole = seen_with(json!(answered));
            for word in &answered {
                let alone = seen_with(json!([word]));
                let expected = whole.get(word).map_or_else(|| json!({}), |value| json!({*word: value}));
                assert!(alone == expected, "{word}: {} alone, {} with all", brief(&alone), brief(&expected));
            }
            let percept = seen_with(json!(["percept"]));
            let members = percept.as_object().expect("a map");
            assert!(members.iter().all(|(key, value)| whole[key] == *value), "{}", brief(&percept));
        }
    }
}

#[test]
fn semantic_is_left_out_where_the_sensor_is_not_semantic_and_asking_for_it_is_no_error() {
    let mut client = Client::on(&before_two("", ""));
    let plain = keys(patch(&client.step(json!([]))));
    assert_eq!(
        plain,
        "center_rgba depth hsv location mean_depth min_depth object_coverage on_object pose_fully_defined rgba"
    );
    client.done(json!({"command": "reset", "modalities": ["semantic", "depth", "semantic_id"]}));
    assert_eq!(keys(patch(&client.step(json!([])))), "depth");
    client.done(json!({"command": "reset", "modalities": {"patch": ["semantic"]}}));
    assert_eq!(patch(&client.step(json!([]))), &json!({}));
}

#[test]
fn the_depths_of_a_percept_are_there_where_the_object_covers_a_part_of_the_patch() {
    let mut client = Client::on(&before_two("modalities = [\"percept\"]", "semantic = true"));
    let on = client.step(poses().next().expect("a pose"));
    let on = patch(&on);
    assert_eq!(
        keys(on),
        "center_rgba hsv location mean_depth min_depth object_coverage on_object pose_fully_defined semantic_id"
    );
    assert_eq!((&on["on_object"], &on["semantic_id"]), (&json!(true), &json!(3)));
    let (least, mean) = (on["min_depth"].as_f64().expect("a number"), on["mean_depth"].as_f64().expect("a number"));
    assert!(0.2 <= least && least < mean && mean < 0.5, "{least}, {mean}");
    let off = client.step(poses().nth(3).expect("a pose"));
    let off = patch(&off);
    assert_eq!(keys(off), "center_rgba hsv location object_coverage on_object pose_fully_defined semantic_id");
    let expected = json!([false, 0.0, 0, [0, 0, 0, 255], [0.0, 0.0, 0.0]]);
    let found = ["on_object", "object_coverage", "semantic_id", "center_rgba", "hsv"].map(|key| off[key].clone());
    assert_eq!(json!(found), expected);
}

#[test]
fn what_is_said_of_the_centre_is_what_the_images_show_there() {
    for (head, zoom) in [("", 1), ("compat = \"habitat\"", 1), ("compat = \"mujoco\"", 6)] {
        let mut client = Client::on(&before_two(head, &format!("semantic = true\nzoom = {zoom}")));
        for pose in poses() {
            let reply = client.step(pose);
            let sensor = patch(&reply);
            // 12 rows, 16 columns.
            let (row, column) = (6, 8);
            assert_eq!(sensor["semantic_id"], semantic(sensor).at(row, column));
            assert_eq!(sensor["center_rgba"], json!(rgba(sensor).at(row, column)));
            let covered = sensor["object_coverage"].as_f64().expect("a number") * 192.0;
            assert!((covered - covered.round()).abs() < 1e-9, "a number of 192 pixels");
            if sensor["on_object"] == true {
                assert!(covered >= 1.0 && semantic(sensor).at(row, column) > 0);
                assert!(f64::from(depth(sensor).at(row, column)) >= sensor["min_depth"].as_f64().expect("a number"));
            }
        }
    }
}

#[test]
fn a_painted_object_has_its_colour_under_flat_light_and_its_hue_in_any() {
    let colours = [
        ([1.0, 0.0, 0.0], [255, 0, 0, 255], [0.0, 1.0, 1.0]),
        ([0.0, 0.5, 0.0], [0, 128, 0, 255], [1.0 / 3.0, 1.0, 128.0 / 255.0]),
        ([0.2, 0.4, 0.6], [51, 102, 153, 255], [7.0 / 12.0, 2.0 / 3.0, 0.6]),
        ([0.5, 0.5, 0.5], [128, 128, 128, 255], [0.0, 0.0, 128.0 / 255.0]),
        ([0.0, 0.0, 0.0], [0, 0, 0, 255], [0.0, 0.0, 0.0]),
    ];
    for (color, rgba, hsv) in colours {
        let world = |lighting: &str| {
            let text = before_two(&format!("compat = {{ lighting = \"{lighting}\" }}"), "zoom = 4");
            let mut client = Client::on(&text.replace("[0.8, 0.2, 0.2]", &format!("{color:?}")));
            patch(&client.step(json!([]))).clone()
        };
        let flat = world("flat");
        assert_eq!(flat["center_rgba"], json!(rgba));
        let pixels = crate::images::rgba(&flat).pixels;
        assert!(pixels.iter().all(|pixel| *pixel == rgba), "nothing but the ball is in view");
        let found: Vec<f64> = flat["hsv"].as_array().expect("three").iter().filter_map(Value::as_f64).collect();
        assert!(crate::prober::is_near(&found, &hsv, 1e-12), "{found:?}, expected {hsv:?}");
        let lit = world("mujoco");
        let hue = |sensor: &Value| sensor["hsv"][0].as_f64().expect("a number");
        assert!(hsv[1] == 0.0 || (hue(&lit) - hsv[0]).abs() < 0.03, "{}", lit["hsv"]);
        // The light stands above in world z, behind the camera: the ball's front is brighter than its own colour.
        assert!(color == [0.0; 3] || lit["center_rgba"] != flat["center_rgba"]);
    }
}

#[test]
fn an_object_without_a_colour_is_grey_and_the_background_black() {
    let text = before_two("compat = { lighting = \"flat\" }", "").replace("color = [0.8, 0.2, 0.2]\n", "");
    let mut client = Client::on(&text.replace("color = [0, 1, 0.5]\n", ""));
    let mut count: BTreeMap<[u8; 4], usize> = BTreeMap::new();
    for pixel in rgba(patch(&client.step(json!([])))).pixels {
        *count.entry(pixel).or_default() += 1;
    }
    let colours: Vec<&[u8; 4]> = count.keys().collect();
    assert_eq!(colours, [&[0, 0, 0, 255], &[128, 128, 128, 255]]);
}

/// Keys of both sensors of a world under a choice by file, sensor, command line and reset.
fn chosen(of_file: &str, of_sensor: &str, of_line: Option<&str>, of_reset: Value) -> [String; 2] {
    let sensor = |id: &str, keys: &str| format!("[[agents.sensors]]\nid = \"{id}\"\nresolution = [2, 2]\n{keys}\n");
    let text = format!(
        "{of_file}\n[[agents]]\nid = \"{AGENT}\"\nkind = \"noop\"\n{}{}",
        sensor("patch", of_sensor),
        sensor("view_finder", "")
    );
    let scratch = Scratch::new();
    let path = scratch.file("world.toml", text);
    let mut args = vec!["port", "--world", &path];
    args.extend(of_line.into_iter().flat_map(|words| ["--modalities", words]));
    let reset = json!({"id": 1, "command": "reset", "modalities": of_reset});
    let look = json!({"id": 2, "command": "step", "actions": []});
    let ran = run_on(&args, &[reset, look].map(|body| frame(body.to_string())).concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let replies: Vec<Value> =
        bodies(&ran.stdout).iter().map(|body| serde_json::from_slice(body).expect("JSON")).collect();
    let of = |reply: &Value| ["patch", "view_finder"].map(|id| keys(&reply["observations"][AGENT][id]));
    assert_eq!(of(&replies[0]), of(&replies[1]), "a reset answers what the steps after it will");
    of(&replies[1])
}

#[test]
fn the_later_of_file_sensor_command_line_and_reset_chooses() {
    let default = "center_rgba depth hsv location object_coverage on_object pose_fully_defined rgba";
    let file = "modalities = [\"depth\"]";
    let sensor = "modalities = [\"rgba\", \"location\"]";
    for (of_file, of_sensor, of_line, of_reset, expected) in [
        ("", "", None, Value::Null, [default, default]),
        (file, "", None, Value::Null, ["depth", "depth"]),
        ("", sensor, None, Value::Null, ["location rgba", default]),
        (file, sensor, None, Value::Null, ["location rgba", "depth"]),
        (file, "modalities = []", None, Value::Null, ["", "depth"]),
        (file, sensor, Some("hsv"), Value::Null, ["hsv", "hsv"]),
        (file, sensor, Some(""), Value::Null, ["", ""]),
        (file, sensor, None, json!(["on_object"]), ["on_object", "on_object"]),
        (file, sensor, Some("hsv"), json!(["on_object"]), ["on_object", "on_object"]),
        (file, sensor, Some("hsv"), json!({"patch": ["on_object"]}), ["on_object", "hsv"]),
        (file, sensor, None, json!({"view_finder": ["on_object"]}), ["location rgba", "on_object"]),
        (file, sensor, Some("hsv"), json!({}), ["hsv", "hsv"]),
        (file, sensor, Some("hsv"), json!([]), ["", ""]),
    ] {
        let found = chosen(of_file, of_sensor, of_line, of_reset.clone());
        assert_eq!(found, expected, "{of_file}, {of_sensor}, {of_line:?}, {of_reset}");
    }
}

#[test]
fn the_choice_of_a_reset_ends_with_the_next() {
    let mut client = Client::on(&before_two("modalities = [\"depth\"]", "semantic = true"));
    client.done(json!({"command": "reset", "modalities": ["semantic"]}));
    assert_eq!(keys(patch(&client.step(json!([])))), "semantic");
    client.done(json!({"command": "reset"}));
    assert_eq!(keys(patch(&client.step(json!([])))), "depth");
}
