//! Frames: their limit, streams cut anywhere, and what a reply holds.

use proptest::prelude::*;
use saccade::connection::Connection;
use serde_json::{Value, json};

use crate::client::{bodies, frame, replies};
use crate::fixture::properties;
use crate::requests::{default_world, session_on};
use crate::strict_json;

#[test]
fn a_frame_over_the_limit_is_answered_at_once_and_passed_over() {
    let mut connection = Connection::new(session_on(default_world()), 100);
    let announced = 1_000_000u32;
    connection.receive(&announced.to_be_bytes());
    let stream = replies(&mut connection);
    let [reply] = bodies(&stream)[..] else { panic!("one reply to the header alone") };
    let reply = strict_json::read(std::str::from_utf8(reply).expect("UTF-8")).expect("strict JSON");
    assert_eq!((&reply["id"], &reply["code"]), (&Value::Null, &json!("frame_too_long")));
    let why = reply["error"].as_str().expect("a sentence");
    assert!(why.contains("1000000") && why.contains("100"), "{why}");
    for _ in 0..1000 {
        connection.receive(&[b'{'; 1000]);
        assert_eq!(connection.poll_transmit(&mut || true), None);
    }
    connection.receive(&frame(r#"{"id":8,"command":"describe"}"#));
    assert!(String::from_utf8_lossy(&replies(&mut connection)).contains(r#"{"id":8,"#));
}

#[test]
fn json_without_its_length_is_told_to_lack_it() {
    let mut connection = Connection::new(session_on(default_world()), 1 << 24);
    connection.receive(br#"{"id":1,"command":"reset"}"#);
    let stream = replies(&mut connection);
    let [reply] = bodies(&stream)[..] else { panic!("one reply") };
    let reply: Value = serde_json::from_slice(reply).expect("JSON");
    assert_eq!(reply["code"], "frame_too_long");
    let why = reply["error"].as_str().expect("a sentence");
    assert!(why.contains("looks like JSON: 4 bytes with its length go first"), "{why}");
}

#[test]
fn a_frame_at_the_limit_is_read() {
    let body = r#"{"id":8,"command":"reset"}"#;
    let limit = u32::try_from(body.len()).expect("short");
    for (limit, code) in [(limit, Value::Null), (limit - 1, json!("frame_too_long"))] {
        let mut connection = Connection::new(session_on(default_world()), limit);
        connection.receive(&frame(body));
        let stream = replies(&mut connection);
        let reply = strict_json::read(std::str::from_utf8(bodies(&stream)[0]).expect("UTF-8")).expect("strict JSON");
        assert_eq!(reply["code"], code);
    }
}

/// Requests of every kind, good and bad.
fn requests() -> Vec<Vec<u8>> {
    let mut requests: Vec<Vec<u8>> = [
        r#"{"id":1,"command":"reset","sensor_ids":["patch"],"extras":["tick","contacts"]}"#,
        r#"{"id":2,"command":"step","actions":[]}"#,
        r#"{"id":3,"command":"step","actions":[{"action":"move_forward","agent_id":"agent_id_0","distance":0.05}]}"#,
        r#"{"id":4,"command":"step","actions":[{"action":"jump","agent_id":"agent_id_0"}]}"#,
        r#"{"id":5,"command":"add_object","name":"sphere","scale":0.01}"#,
        r#"{"id":6,"command":"remove_all_objects"}"#,
        r#"{"id":7,"command":"digest"}"#,
        r#"{"id":8,"command":"describe","world":true}"#,
        r#"{"id":9,"command":"reset","sensor_ids":["nobody"]}"#,
        "",
        "{",
    ]
    .map(frame)
    .into();
    requests.push(frame(b"\xff\xfe"));
    requests.push(frame(vec![b' '; 2000]));
    requests
}

const SHORT_LIMIT: u32 = 1000;

fn replies_to(pieces: &[&[u8]]) -> Vec<u8> {
    let mut connection = Connection::new(session_on(default_world()), SHORT_LIMIT);
    let mut stream = Vec::new();
    for piece in pieces {
        connection.receive(piece);
        stream.extend(replies(&mut connection));
    }
    stream
}

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn a_stream_cut_anywhere_gives_the_same_reply_bytes(
        chosen in prop::collection::vec(prop::sample::select(requests()), 1..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let stream = chosen.concat();
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len())).chain([stream.len()]).collect();
        ends.sort_unstable();
        let mut start = 0;
        let pieces: Vec<&[u8]> = ends.iter().map(|end| &stream[std::mem::replace(&mut start, *end)..*end]).collect();
        prop_assert_eq!(bodies(&replies_to(&pieces)).len(), chosen.len());
        prop_assert_eq!(replies_to(&pieces), replies_to(&[&stream]));
    }
}

#[test]
fn a_stream_cut_at_every_byte_gives_the_same_reply_bytes() {
    let stream = requests().concat();
    let whole = replies_to(&[&stream]);
    let bytewise: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(replies_to(&bytewise), whole);
    let short = requests()[..3].concat();
    let whole = replies_to(&[&short]);
    for cut in 0..=short.len() {
        assert_eq!(replies_to(&[&short[..cut], &short[cut..]]), whole, "cut at {cut}");
    }
}

#[test]
fn every_reply_is_strict_json_with_the_keys_that_the_contract_gives_it() {
    let stream = replies_to(&[&requests().concat()]);
    let keys_of = |body: &&[u8]| -> Vec<String> {
        let reply = strict_json::read(std::str::from_utf8(body).expect("UTF-8")).expect("strict JSON");
        reply.as_object().expect("a reply is an object").keys().cloned().collect()
    };
    let keys: Vec<Vec<String>> = bodies(&stream).iter().map(keys_of).collect();
    let step = ["contacts", "id", "observations", "proprioceptive_state", "tick"];
    let error = ["code", "error", "id"];
    let expected: [&[&str]; 13] = [
        &["episode", "id", "observations", "ok", "primary_target", "proprioceptive_state", "semantic_id_to_label"],
        &step,
        &step,
        &error,
        &["id", "object_id", "semantic_id"],
        &["id", "ok"],
        &["digest", "id"],
        &[
            "actions", "agents", "codes", "commands", "encoding", "episodes", "extras", "id", "limits", "objects",
            "versions", "world",
        ],
        &error,
        &error,
        &error,
        &error,
        &error,
    ];
    assert_eq!(keys, expected);
}
