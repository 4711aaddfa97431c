//! How arrays travel: nested lists and base64 hold the same numbers, under numpy's words for type and shape.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::client::{AGENT, Client, brief};
use crate::fixture::{one_agent, properties};
use crate::images::{Image, depth, rgba, semantic};
use crate::program::{Scratch, run};
use crate::requests::default_world;

/// A sensor that is not square, before a ball that covers a part of it.
fn wide(zoom: f64) -> String {
    format!(
        "[[agents]]\nid = \"{AGENT}\"\nkind = \"free\"\n[[agents.sensors]]\nid = \"patch\"\nresolution = [7, 5]\n\
         zoom = {zoom}\nsemantic = true\n\
         [[objects]]\nname = \"sphere\"\nposition = [0.57, 0.57, -2]\nscale = 0.3\nsemantic_id = 70000\n"
    )
}

/// What the only sensor sees after a reset with an encoding.
fn seen(client: &mut Client, encoding: &str) -> Value {
    let mut reply = client.done(json!({"command": "reset", "episode": Value::Null, "encoding": encoding}));
    reply["observations"][AGENT]["patch"].take()
}

/// The bytes of an array, by its words.
fn decoded(array: &Value, dtype: &str, shape: &[usize]) -> Vec<u8> {
    let keys: Vec<&String> = array.as_object().expect("an array is a map").keys().collect();
    assert_eq!(keys, ["data", "dtype", "shape"]);
    assert_eq!((&array["dtype"], &array["shape"]), (&json!(dtype), &json!(shape)));
    let data = array["data"].as_str().expect("base64 is a text");
    STANDARD.decode(data).unwrap_or_else(|error| panic!("{error}: {}", brief(data)))
}

fn each<const N: usize, T>(bytes: &[u8], read: fn([u8; N]) -> T) -> Vec<T> {
    let (chunks, rest) = bytes.as_chunks::<N>();
    assert!(rest.is_empty());
    chunks.iter().map(|chunk| read(*chunk)).collect()
}

/// The images of base64, as `images` reads them of nested lists.
fn images_of_base64(sensor: &Value, [width, height]: [usize; 2]) -> (Image<f32>, Image<[u8; 4]>, Image<u32>) {
    let depth_m = each(&decoded(&sensor["depth"], "<f4", &[height, width]), f32::from_le_bytes);
    let rgba = each(&decoded(&sensor["rgba"], "|u1", &[height, width, 4]), |rgba| rgba);
    let semantic = each(&decoded(&sensor["semantic"], "<i4", &[height, width]), i32::from_le_bytes);
    let semantic = semantic.into_iter().map(|id| u32::try_from(id).expect("not negative")).collect();
    (
        Image { width, height, pixels: depth_m },
        Image { width, height, pixels: rgba },
        Image { width, height, pixels: semantic },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..properties() })]

    #[test]
    fn base64_holds_the_numbers_of_nested_lists(width in 1..20usize, height in 1..20usize, zoom in 0.5..5.0f64) {
        let text = wide(zoom).replace("[7, 5]", &format!("[{width}, {height}]"));
        let mut client = Client::on(&text);
        let nested = seen(&mut client, "nested");
        let base64 = seen(&mut client, "base64");
        let (depth_m, colours, ids) = images_of_base64(&base64, [width, height]);
        prop_assert_eq!(depth_m, depth(&nested));
        prop_assert_eq!(colours, rgba(&nested));
        prop_assert_eq!(ids, semantic(&nested));
    }
}

#[test]
fn rows_are_the_images_rows_from_the_top_in_both_encodings() {
    // The ball stands to the right and above the middle.
    let mut client = Client::on(&wide(1.0));
    let nested = seen(&mut client, "nested");
    let ids = semantic(&nested);
    assert_eq!(ids.size(), [7, 5]);
    assert_eq!((ids.at(1, 4), ids.at(1, 2), ids.at(3, 4)), (70_000, 0, 0));
    let base64 = seen(&mut client, "base64");
    assert_eq!(images_of_base64(&base64, [7, 5]).2, ids);
}

#[test]
fn what_is_no_array_stays_as_it_is_under_base64() {
    let mut client = Client::on(&wide(1.0));
    let [nested, base64] = ["nested", "base64"].map(|encoding| seen(&mut client, encoding));
    let keys = |sensor: &Value| sensor.as_object().expect("a map").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&nested), keys(&base64));
    for key in keys(&nested).iter().filter(|key| !["depth", "rgba", "semantic"].contains(&key.as_str())) {
        assert_eq!(nested[key], base64[key], "{key}");
    }
    assert!(nested["location"].is_array() && nested["semantic_id"].is_u64());
}

#[test]
fn depth_reads_back_to_the_same_f32_and_ids_and_colours_are_integers() {
    let text = format!("{}[[objects]]\nname = \"sphere\"\nposition = [0, 0, -3]\n", one_agent("noop", "\"saccade\""));
    let mut client = Client::on(&text.replace("[3, 3]\n", "[3, 3]\nsemantic = true\n"));
    let text = client.text(r#"{"id":1,"command":"step","actions":[]}"#);
    let part = |key: &str| {
        let (_, rest) = text.split_once(&format!("\"{key}\":[[")).expect("the image is there");
        let (image, _) = rest.split_once("]]").expect("it ends");
        image.replace(['[', ']'], "").split(',').map(str::to_owned).collect::<Vec<_>>()
    };
    let depths = part("depth");
    assert_eq!(depths.len(), 9);
    for digits in &depths {
        let depth: f32 = digits.parse().expect("a number");
        assert!(digits.contains('.') && depth.to_string().len() <= digits.len(), "{digits} is the shortest text");
    }
    assert!(part("rgba").iter().chain(&part("semantic")).all(|digits| digits.parse::<u32>().is_ok()));
}

#[test]
fn an_encoding_holds_until_the_next_reset_and_the_later_of_file_line_and_reset_wins() {
    let scratch = Scratch::new();
    let is_nested = |ran: &[u8]| String::from_utf8_lossy(ran).contains("\"depth\":[[");
    let requests = |encoding: Value| {
        let bodies = [
            json!({"id": 1, "command": "reset", "modalities": ["depth"], "encoding": encoding}),
            json!({"id": 2, "command": "step", "actions": []}),
        ];
        bodies.iter().flat_map(|body| crate::client::frame(body.to_string())).collect::<Vec<u8>>()
    };
    let [plain, of_file] = [String::new(), "encoding = \"base64\"\n".to_owned()]
        .map(|head| scratch.file(&format!("{}.toml", head.len()), head + &wide(1.0)));
    for (file, line, reset, expected) in [
        (&plain, None, Value::Null, true),
        (&of_file, None, Value::Null, false),
        (&of_file, Some("nested"), Value::Null, true),
        (&of_file, Some("nested"), json!("base64"), false),
        (&of_file, Some("nested"), json!("binary"), false),
        (&plain, Some("base64"), Value::Null, false),
        (&plain, Some("binary"), Value::Null, false),
        (&plain, Some("base64"), json!("nested"), true),
    ] {
        let mut args = vec!["port", "--world", file];
        args.extend(line.into_iter().flat_map(|encoding| ["--encoding", encoding]));
        let ran = crate::program::run_on(&args, &requests(reset.clone()));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        for reply in crate::client::bodies(&ran.stdout) {
            assert_eq!(is_nested(reply), expected, "{args:?}, {reset}: {}", brief(String::from_utf8_lossy(reply)));
        }
    }
    let mut client = Client::on(default_world());
    client.done(json!({"command": "reset", "encoding": "base64", "modalities": ["depth"]}));
    assert!(client.step(json!([]))["observations"][AGENT]["patch"]["depth"].is_object());
    client.done(json!({"command": "reset", "modalities": ["depth"]}));
    assert!(client.step(json!([]))["observations"][AGENT]["patch"]["depth"].is_array());
}

#[test]
fn describe_tells_the_encoding() {
    let mut client = Client::on(default_world());
    for encoding in ["base64", "binary", "nested"] {
        client.done(json!({"command": "reset", "encoding": encoding, "modalities": ["percept"]}));
        assert_eq!(client.done(json!({"command": "describe"}))["encoding"], encoding);
    }
}

/// So many sensors of so many pixels.
fn large(sensors: usize, side: u32, modalities: &str) -> String {
    let sensor = |i: usize| format!("[[agents.sensors]]\nid = \"s{i}\"\nresolution = [{side}, {side}]\n");
    let sensors: String = (0..sensors).map(sensor).collect();
    format!("{modalities}\n[[agents]]\nid = \"{AGENT}\"\nkind = \"noop\"\n{sensors}")
}

#[test]
fn a_world_whose_reply_could_pass_the_limit_is_refused_at_load() {
    let scratch = Scratch::new();
    let path = |name: &str, text: String| scratch.file(name, text);
    let too_large = path("images.toml", large(64, 4096, ""));
    let of_percepts = path("percepts.toml", large(64, 4096, "modalities = [\"percept\"]"));
    for args in [
        &["check", &too_large][..],
        &["port", "--world", &too_large],
        &["port", "--world", &too_large, "--encoding", "base64"],
        &["port", "--world", &too_large, "--encoding", "binary"],
        &["port", "--world", &too_large, "--modalities", "depth"],
        &["port", "--world", &of_percepts, "--modalities", "depth"],
        &["render", &of_percepts, "--out", "/nowhere"],
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.stdout.len()), (Some(2), 0), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("1073741824"), "{args:?}: {}", ran.stderr);
    }
    for args in [&["check", &of_percepts][..], &["port", "--world", &too_large, "--modalities", "percept"]] {
        let ran = run(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_reset_that_asks_for_too_much_is_refused_and_changes_nothing() {
    let mut client = Client::on(&large(64, 4096, "modalities = []"));
    client.done(json!({"command": "reset", "modalities": {"s3": ["location"]}}));
    let digest = client.digest();
    for reset in [
        json!({"command": "reset", "modalities": ["depth"]}),
        json!({"command": "reset", "modalities": ["rgba"], "encoding": "base64"}),
        json!({"command": "reset", "modalities": ["rgba"], "encoding": "binary"}),
    ] {
        let why = client.refused(reset, "too_large");
        assert!(why.contains("1073741824"), "{why}");
    }
    assert_eq!(client.digest(), digest);
    let reply = client.step(json!([]));
    assert!(reply["observations"][AGENT]["s3"]["location"].is_array());
}

#[test]
fn fewer_sensors_make_a_reply_short_enough() {
    // 64 sensors of 1024² pixels: 34 bytes a pixel nested, but 16 of them are under 1 GiB.
    let mut client = Client::waiting_on(&large(64, 1024, "modalities = []"));
    let images = json!(["depth", "rgba"]);
    client.refused(json!({"command": "reset", "modalities": images}), "too_large");
    let few: Vec<String> = (0..2).map(|i| format!("s{i}")).collect();
    let text = client.text(
        json!({"id": 1, "command": "reset", "sensor_ids": few, "modalities": ["rgba"], "encoding": "base64"})
            .to_string(),
    );
    assert!(text.starts_with("{\"id\":1,\"ok\":true") && text.len() > 2 * 4 * (1 << 20), "{}", brief(text));
}
