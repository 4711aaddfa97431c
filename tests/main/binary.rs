//! The encoding `binary`: arrays as bytes behind the JSON, and what holds of replies in every encoding.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use saccade::protocol::{Answer, Command, Encoding, Reset};
use saccade::wire::{HEADER_BYTES, longest_reply_bytes, write_frame};
use serde_json::{Value, json};

use crate::client::{AGENT, Client, connection, frame, handle, session};
use crate::fixture::properties;
use crate::requests::default_world;
use crate::strict_json;

const ARRAYS: [&str; 5] = ["depth", "rgba", "semantic", "semantic_3d", "sensor_frame_data"];

/// A sensor with every array there is before a ball that covers a part of it.
fn world(width: usize, height: usize) -> String {
    format!(
        "[[agents]]\nid = \"{AGENT}\"\nkind = \"free\"\nposition = [0.5, 1.5, 0]\n\
         [[agents.sensors]]\nid = \"patch\"\nresolution = [{width}, {height}]\nsemantic = true\n\
         modalities = [\"percept\", \"cam_to_world\", \"{}\"]\n\
         [[objects]]\nname = \"sphere\"\nposition = [0.7, 1.6, -1]\nscale = 0.3\nsemantic_id = 70000\n",
        ARRAYS.join("\", \"")
    )
}

/// The JSON of a body, and whether anything stands behind it.
fn json_of(body: &[u8]) -> (Value, bool) {
    let end = body.iter().position(|byte| *byte == 0);
    let text = std::str::from_utf8(&body[..end.unwrap_or(body.len())]).expect("the JSON is UTF-8");
    (strict_json::read(text).expect("strict JSON"), end.is_some())
}

fn integer(value: &Value) -> usize {
    value.as_u64().and_then(|integer| usize::try_from(integer).ok()).expect("a non-negative integer")
}

/// As base64 would tell it; every byte behind the JSON must be an array's or a zero that aligns the next one.
fn as_base64(body: &[u8]) -> Value {
    let (mut json, _) = json_of(body);
    let mut end = body.iter().position(|byte| *byte == 0).expect("arrays stand behind the JSON") + 1;
    let sensor = json["observations"][AGENT]["patch"].as_object_mut().expect("the sensor's values");
    let arrays = ARRAYS.iter().map(|key| (*key, sensor[*key].take())).collect::<Vec<_>>();
    for (key, array) in arrays {
        let keys: Vec<&String> = array.as_object().expect("an array is a map").keys().collect();
        assert_eq!(keys, ["bytes", "dtype", "offset", "shape"]);
        let (offset, bytes) = (integer(&array["offset"]), integer(&array["bytes"]));
        assert_eq!(offset, end.next_multiple_of(8), "{key} stands at the next multiple of 8");
        assert!(body[end..offset].iter().all(|byte| *byte == 0), "{key}");
        let data = STANDARD.encode(&body[offset..offset + bytes]);
        sensor[key] = json!({"dtype": array["dtype"], "shape": array["shape"], "data": data});
        end = offset + bytes;
    }
    assert_eq!(end, body.len(), "the last array ends the body");
    json
}

fn reset(encoding: &str) -> String {
    json!({"id": 1, "command": "reset", "encoding": encoding}).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..properties() })]

    #[test]
    fn binary_tells_what_base64_tells(width in 1..20usize, height in 1..20usize) {
        let mut client = Client::waiting_on(&world(width, height));
        let base64 = client.send(reset("base64"));
        prop_assert_eq!(as_base64(&client.body(reset("binary"))), base64);
    }
}

#[test]
fn arrays_stand_at_multiples_of_8_wherever_the_json_ends() {
    // An id's digits move the end of the JSON over every rest of 8, and offsets over 1,000.
    let mut client = Client::on(&world(1, 1));
    let reset = |digits: usize, encoding: &str| {
        format!(r#"{{"id":{},"command":"reset","encoding":"{encoding}"}}"#, "1".repeat(digits))
    };
    let nested = client.send(reset(1, "nested"));
    let expected = nested["observations"][AGENT]["patch"]["depth"][0][0].as_f64().expect("a depth") as f32;
    let mut ends = BTreeSet::new();
    for digits in 1..=200 {
        let body = client.body(reset(digits, "binary"));
        let json = as_base64(&body);
        let depth = STANDARD.decode(json["observations"][AGENT]["patch"]["depth"]["data"].as_str().expect("a text"));
        assert_eq!(depth.expect("base64"), expected.to_le_bytes(), "{digits}");
        ends.insert(body.iter().position(|byte| *byte == 0).expect("arrays") % 8);
    }
    assert_eq!(ends.len(), 8);
}

#[test]
fn a_reply_without_arrays_is_json_alone() {
    let mut client = Client::waiting_on(default_world());
    let (_, has_arrays) = json_of(&client.body(reset("binary")));
    assert!(has_arrays);
    for request in [
        json!({"id": 2, "command": "describe"}),
        json!({"id": 2, "command": "digest"}),
        json!({"id": 2, "command": "step"}),
        json!({"id": 2, "command": "reset", "encoding": "binary", "modalities": ["percept", "cam_to_world"]}),
        json!({"id": 2, "command": "step", "actions": []}),
    ] {
        let (json, has_arrays) = json_of(&client.body(request.to_string()));
        assert!(json["id"] == 2 && !has_arrays, "{request}");
    }
}

#[test]
fn a_procedures_answer_has_its_arrays_behind_it_too() {
    let mut client = Client::waiting_on(default_world());
    client.body(reset("binary"));
    let body = client.body(
        json!({"id": 2, "command": "run_procedure", "procedure": "get_good_view", "agent_id": AGENT}).to_string(),
    );
    let (json, has_arrays) = json_of(&body);
    let rgba = &json["observations"][AGENT]["view_finder"]["rgba"];
    assert!(has_arrays && json["success"].is_boolean());
    // Colours are opaque.
    let [offset, bytes] = ["offset", "bytes"].map(|key| integer(&rgba[key]));
    assert!(bytes == 64 * 64 * 4 && body[offset..offset + bytes].chunks(4).all(|rgba| rgba[3] == 255));
}

#[test]
fn somebody_is_asked_after_each_mib_in_every_encoding_and_a_no_ends_the_reply() {
    const MIB: usize = 1 << 20;
    let text = world(256, 256);
    for encoding in Encoding::ALL {
        let mut asked_while_handling = 0;
        let words = Command::Reset(Reset { encoding: Some(*encoding), ..Reset::default() });
        let handled = handle(&mut session(&text), words, &mut || {
            asked_while_handling += 1;
            true
        });
        handled.expect("nobody says no");
        // The length of the reply if `keep_going` says yes so many times, and how often it was asked.
        let answered = |yes: usize| {
            let mut connection = connection(&text);
            connection.receive(&frame(reset(encoding.word())));
            let mut asked = 0;
            let reply = connection.poll_transmit(&mut || {
                asked += 1;
                asked <= yes
            });
            (reply.map(<[u8]>::len), asked)
        };
        let (length, asked) = answered(usize::MAX);
        // A row or a piece is finished before the question.
        let least = length.expect("it is answered") / (MIB + MIB / 8);
        assert!(least >= 4 && asked >= asked_while_handling + least, "{}: {asked}", encoding.word());
        for yes in asked_while_handling..asked {
            assert_eq!(answered(yes), (None, yes + 1), "{}", encoding.word());
        }
    }
}

#[test]
fn no_reply_is_longer_than_its_world_is_reckoned_to_answer() {
    let small = world(1, 1);
    let wide = world(7, 300);
    for text in [default_world(), &small, &wide] {
        for encoding in Encoding::ALL {
            let mut session = session(text);
            let reset = Command::Reset(Reset { encoding: Some(*encoding), ..Reset::default() });
            let reply = handle(&mut session, reset, &mut || true).expect("nobody says no");
            let mut frame = Vec::new();
            write_frame(&reply, &mut frame, &mut || true).expect("nobody says no");
            let described = handle(&mut session, Command::Describe { world: false }, &mut || true);
            let Ok(Answer::Describe(description)) = described.expect("nobody says no").outcome else {
                panic!("describe describes")
            };
            let most = longest_reply_bytes(&description.agents, *encoding);
            let length = (frame.len() - HEADER_BYTES) as u64;
            assert!(length <= most, "{}: {length} of {most}", encoding.word());
        }
    }
}
