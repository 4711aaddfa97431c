//! The envelope of requests: ids, keys, and bodies that are JSON or are not.

use saccade::protocol::Level;
use serde_json::{Value, json};

use crate::client::{AGENT, Client, bodies, brief, connection, frame, replies};
use crate::requests::{act, client, default_world, look};
use crate::strict_json::numbers_in;

/// The id and the code of a failed reply.
fn refusal(client: &mut Client, body: impl AsRef<[u8]>) -> (Value, String) {
    let reply = client.send(&body);
    let code = reply["code"]
        .as_str()
        .unwrap_or_else(|| panic!("{}: {}", brief(String::from_utf8_lossy(body.as_ref())), brief(&reply)));
    (reply["id"].clone(), code.to_owned())
}

fn is_taken(client: &mut Client, body: &str) -> bool {
    client.send(body).get("error").is_none()
}

#[test]
fn an_id_is_echoed_digit_for_digit() {
    let huge = "9".repeat(400);
    for id in ["0", "1", "9007199254740993", "18446744073709551616", &huge] {
        let text = client().text(look(id));
        assert!(text.starts_with(&format!("{{\"id\":{id},")), "{}", brief(text));
    }
}

#[test]
fn what_is_not_a_non_negative_integer_is_no_id() {
    let mut client = client();
    for id in ["-1", "-0", "1.0", "1.5", "1e3", "1E3", "\"1\"", "\"\"", "null", "true", "[1]", "{}", "{\"id\":1}"] {
        let (echoed, code) = refusal(&mut client, look(id));
        assert_eq!((echoed, code.as_str()), (Value::Null, "bad_id"), "{id}");
    }
    for id in ["007", "00", "+1", "0x1", "1.", ".5", "1_000", "NaN", "Infinity", "'1'"] {
        let (echoed, code) = refusal(&mut client, look(id));
        assert_eq!((echoed, code.as_str()), (Value::Null, "bad_json"), "{id}");
    }
}

#[test]
fn an_id_that_is_absent_or_given_twice_is_none() {
    for body in [
        r#"{"command":"digest"}"#,
        r#"{}"#,
        r#"{"id":1,"command":"digest","id":1}"#,
        r#"{"id":1,"id":2,"command":"digest"}"#,
        r#"{"id":1,"\u0069d":1,"command":"digest"}"#,
    ] {
        assert_eq!(refusal(&mut client(), body), (Value::Null, "bad_id".to_owned()), "{body}");
    }
}

#[test]
fn a_fault_elsewhere_in_a_readable_body_still_gets_its_id() {
    let mut client = client();
    for body in [
        r#"{"command":"warp","id":7}"#,
        r#"{"id":7}"#,
        r#"{"actions":[{"action":"fly","agent_id":"agent_id_0"}],"command":"step","id":7}"#,
        r#"{"id":7,"command":"step"}"#,
        r#"{"id":7,"command":"step","actions":[1e999]}"#,
        r#"{"id":7,"command":"\ud800"}"#,
    ] {
        assert_eq!(refusal(&mut client, body).0, 7, "{body}");
    }
}

#[test]
fn ids_are_not_judged_and_replies_come_in_request_order() {
    let ids = [5, 3, 3, 0, 5];
    let mut connection = connection(default_world());
    for id in ids {
        connection.receive(&frame(format!(r#"{{"id":{id},"command":"describe"}}"#)));
    }
    let stream = replies(&mut connection);
    let echoed: Vec<String> =
        bodies(&stream).iter().map(|body| String::from_utf8_lossy(&body[..7]).into_owned()).collect();
    assert_eq!(echoed, ids.map(|id| format!("{{\"id\":{id}")));
}

#[test]
fn a_key_that_the_command_knows_given_twice_is_an_error() {
    let mut client = client();
    let digest = client.digest();
    for body in [
        r#"{"id":7,"command":"digest","command":"digest"}"#,
        r#"{"id":7,"command":"step","actions":[],"actions":[]}"#,
        r#"{"id":7,"command":"step","actions":[],"acti\u006fns":[]}"#,
        r#"{"id":7,"command":"reset","sensor_ids":[],"sensor_ids":null}"#,
        r#"{"id":7,"command":"reset","seed":1,"seed":1}"#,
        r#"{"id":7,"command":"reset","modalities":{"patch":[],"patch":[]}}"#,
        r#"{"id":7,"command":"describe","world":true,"world":true}"#,
        r#"{"id":7,"command":"add_object","name":"box","name":"box"}"#,
        r#"{"id":7,"command":"add_object","name":"box","scale":1,"scale":1}"#,
        &act(r#""action":"move_forward","distance":1,"distance":1"#),
        &act(r#""action":"move_forward","distance":1,"action":"move_forward""#),
        &act(r#""action":"move_forward","distance":1,"agent_id":"agent_id_0""#),
        &act(r#""action":"look_up","rotation_degrees":1,"constraint_degrees":null,"constraint_degrees":null"#),
    ] {
        let reply = client.send(body);
        assert_eq!((&reply["id"], &reply["code"]), (&json!(7), &json!("bad_request")), "{body}: {}", brief(&reply));
        assert!(reply["error"].as_str().is_some_and(|why| why.contains("twice")), "{reply}");
    }
    assert_eq!(client.digest(), digest);
}

#[test]
fn a_key_that_only_another_command_or_action_knows_may_stand_twice() {
    let mut client = client();
    for body in [
        r#"{"id":7,"command":"step","actions":[],"sensor_ids":[],"sensor_ids":[]}"#,
        r#"{"id":7,"command":"digest","actions":[],"actions":5}"#,
        &act(r#""action":"move_forward","distance":0,"direction":1,"direction":2"#),
        r#"{"id":7,"command":"digest","what":1,"what":2}"#,
    ] {
        assert!(is_taken(&mut client, body), "{body}");
    }
}

#[test]
fn unknown_keys_are_passed_over_and_told_to_who_asks_for_details() {
    let mut client = client();
    client.notes();
    for (body, key) in [
        (r#"{"id":7,"command":"digest","sensorids":[]}"#.to_owned(), "sensorids"),
        (r#"{"id":7,"command":"step","actions":[],"seed":5}"#.to_owned(), "seed"),
        (act(r#""action":"turn_left","rotation_degrees":0,"speed":9"#), "speed"),
        (act(r#""action":"turn_left","rotation_degrees":0,"distance":9"#), "distance"),
        (r#"{"id":7,"command":"digest","\u0068ue":1}"#.to_owned(), "hue"),
    ] {
        assert!(is_taken(&mut client, &body), "{body}");
        let notes = client.notes();
        let [note] = &notes[..] else { panic!("{body}: {notes:?}") };
        assert!(note.level == Level::Detail && note.text.contains(key), "{body}: {note:?}");
    }
    assert!(is_taken(&mut client, r#"{"id":7,"command":"digest"}"#));
    assert_eq!(client.notes(), []);
}

#[test]
fn values_under_unknown_keys_are_well_formed_and_not_looked_into() {
    let with = |value: &str| format!(r#"{{"id":7,"note":{value},"command":"digest"}}"#);
    let mut client = client();
    for value in ["null", "1e999", "-1e-999", r#""\ud800""#, r#"{"a":1,"a":2}"#, r#"[{"id":1},"x",[]]"#, "\"\u{feff}\""]
    {
        assert!(is_taken(&mut client, &with(value)), "{value}");
    }
    for value in ["NaN", "Infinity", "-Infinity", "01", "1.", "'x'", "[1,]", "{\"a\"}", "\"\n\"", r#""\x""#, "nul", ""]
    {
        assert_eq!(refusal(&mut client, with(value)), (Value::Null, "bad_json".to_owned()), "{value}");
    }
}

#[test]
fn null_stands_for_absent_where_a_key_may_be_absent_and_only_there() {
    let mut client = client();
    for body in [
        r#"{"id":7,"command":"reset","sensor_ids":null,"seed":null,"episode":null}"#,
        r#"{"id":7,"command":"reset","modalities":null,"encoding":null,"extras":null}"#,
        r#"{"id":7,"command":"describe","world":null}"#,
        r#"{"id":7,"command":"add_object","name":"box","position":null,"rotation":null,"scale":null}"#,
        r#"{"id":7,"command":"add_object","name":"box","semantic_id":null,"primary_target_object":null}"#,
        &act(r#""action":"look_up","rotation_degrees":1,"constraint_degrees":null"#),
    ] {
        assert!(is_taken(&mut client, body), "{body}");
    }
    for body in [
        r#"{"id":7,"command":"step","actions":null}"#,
        r#"{"id":7,"command":"step"}"#,
        r#"{"id":7,"command":"add_object","name":null}"#,
        &act(r#""action":"move_forward","distance":null"#),
        &act(r#""action":"turn_left""#),
    ] {
        assert_eq!(refusal(&mut client, body), (json!(7), "bad_request".to_owned()), "{body}");
    }
}

#[test]
fn escaped_names_are_the_names() {
    let mut client = client();
    for body in [
        r#"{"id":7,"command":"re\u0073et"}"#,
        r#"{"i\u0064":7,"\u0063ommand":"digest"}"#,
        r#"{"id":7,"command":"reset","sensor_ids":["p\u0061tch"],"modalities":{"\u0070atch":["loc\u0061tion"]}}"#,
        r#"{"id":7,"command":"step","\u0061ctions":[{"\u0061ction":"turn\u005fleft","agent\u005fid":"agent_id\u005f0",
            "rotation_d\u0065grees":0},{"action":"move\u005fforward","agent_id":"agent_id_0","dist\u0061nce":1}]}"#,
    ] {
        assert!(is_taken(&mut client, body), "{body}");
    }
    let moved = client.step(json!([]));
    assert_eq!(moved["proprioceptive_state"][AGENT]["position"], json!([0.0, 1.5, -0.8]));
}

#[test]
fn texts_with_lone_surrogates_are_refused_and_pairs_are_characters() {
    let mut client = client();
    for body in [
        r#"{"id":7,"command":"reset","sensor_ids":["\ud800"]}"#,
        r#"{"id":7,"command":"add_object","name":"\udc00x"}"#,
        r#"{"id":7,"command":"step","actions":[{"action":"turn_left","agent_id":"\ud83d","rotation_degrees":1}]}"#,
    ] {
        assert_eq!(refusal(&mut client, body), (json!(7), "bad_request".to_owned()), "{body}");
    }
    let reply = client.send(r#"{"id":7,"command":"reset","sensor_ids":["\ud83d\ude00"]}"#);
    assert!(reply["error"].as_str().is_some_and(|why| why.contains('😀')), "{reply}");
    let key = client.send(r#"{"id":7,"command":"digest","\ud800":1}"#);
    assert!(key.get("error").is_some() || key.get("digest").is_some(), "{key}");
}

#[test]
fn a_body_that_is_not_one_json_object_in_utf_8_has_no_id() {
    let mut client = client();
    for body in [
        &b""[..],
        b" ",
        b"5",
        b"[]",
        b"null",
        b"\"reset\"",
        b"{\"id\":7,\"command\":\"digest\"",
        b"{\"id\":7,\"command\":\"digest\"}}",
        b"{\"id\":7,\"command\":\"digest\"}x",
        b"{\"id\":7,\"command\":\"digest\"}{}",
        b"{\"id\":7,\"command\":\"digest\"}\0",
        b"{\"id\":7,\"command\":\"digest\",}",
        b"{\"id\":7 \"command\":\"digest\"}",
        b"{\"id\":7,/**/\"command\":\"digest\"}",
        b"{\"id\":7,\"command\":\"di\ngest\"}",
        b"\xef\xbb\xbf{\"id\":7,\"command\":\"digest\"}",
        b"{\"id\":7,\"command\":\"dig\xffest\"}",
        b"{\"id\":7,\"command\":\"digest\",\"x\":\"\xc0\xaf\"}",
        b"{\"id\":7,\"command\":\"digest\",\"x\":\"\xed\xa0\x80\"}",
        b"{\"id\":7,\"command\":\"digest\"}\xff",
    ] {
        let found = refusal(&mut client, body);
        assert_eq!(found, (Value::Null, "bad_json".to_owned()), "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn white_space_around_and_between_is_no_fault() {
    assert!(is_taken(&mut client(), " \t\r\n{ \"id\" :\n7 , \"command\"\t: \"digest\" }\r\n "));
}

#[test]
fn nesting_is_taken_to_128_and_refused_from_129() {
    let nested = |brackets: usize| {
        let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
        format!(r#"{{"id":7,"command":"digest","x":{open}{close}}}"#)
    };
    let mut client = client();
    assert!(is_taken(&mut client, &nested(127)));
    for deeper in [128, 1000, 100_000] {
        assert_eq!(refusal(&mut client, nested(deeper)).1, "bad_json", "{deeper}");
    }
    let objects = |count: usize| {
        format!(r#"{{"id":7,"command":"digest","x":{}1{}}}"#, "{\"a\":".repeat(count), "}".repeat(count))
    };
    assert!(is_taken(&mut client, &objects(127)));
    assert_eq!(refusal(&mut client, objects(128)).1, "bad_json");
    let in_text = format!(r#"{{"id":7,"command":"digest","x":"{}\"{}"}}"#, "[".repeat(500), "{".repeat(500));
    assert!(is_taken(&mut client, &in_text));
}

#[test]
fn a_number_beyond_f64_is_refused_and_one_below_is_zero() {
    let mut client = client();
    for number in ["1e999", "-1e999", "1e309", &format!("1{}", "0".repeat(400))] {
        let body = act(&format!(r#""action":"move_forward","distance":{number}"#));
        assert_eq!(refusal(&mut client, body), (json!(7), "bad_request".to_owned()), "{number}");
    }
    for number in ["1e-999", "-1e-999", "0e999", &format!("0.{}1", "0".repeat(400)), "-0", "-0.0", "0E+5"] {
        assert!(is_taken(&mut client, &act(&format!(r#""action":"move_forward","distance":{number}"#))), "{number}");
    }
    assert_eq!(client.step(json!([]))["proprioceptive_state"][AGENT]["position"], json!([0.0, 1.5, 0.2]));
}

#[test]
fn numbers_are_read_to_the_last_bit() {
    // A text that readers without correct rounding get wrong by one bit.
    let mut client = client();
    for number in ["0.1", "2.2250738585072011e-308", "9007199254740993.0e-16", "3.4028236e-5", "0.30000000000000004"] {
        let set = format!(r#""action":"set_agent_pose","location":[{number},0,0],"rotation_quat":[1,0,0,0]"#);
        let reply = client.send(act(&set));
        let x = reply["proprioceptive_state"][AGENT]["position"][0].as_f64();
        assert_eq!(x, number.parse().ok(), "{number}");
    }
}

#[test]
fn negative_zero_leaves_as_zero() {
    let mut client = client();
    let set = r#""action":"set_agent_pose","location":[-0.0,-0,0],"rotation_quat":[1,-0.0,-0,-0.0]"#;
    let text = client.text(act(set));
    let of_agent = r#""position":[0.0,0.0,0.0],"rotation":[1.0,0.0,0.0,0.0]"#;
    assert!(text.contains(of_agent) && !numbers_in(&text).contains(&"-0.0"), "{}", brief(text));
}

#[test]
fn numbers_of_state_have_a_decimal_point_and_counts_have_none() {
    let mut client = client();
    client.done(json!({"command": "reset", "modalities": ["location"], "extras": ["tick", "contacts"]}));
    for name in ["box", "box"] {
        client.done(json!({"command": "add_object", "name": name}));
    }
    let text =
        client.text(act(r#""action":"set_agent_pose","location":[1e-7,1e5,123456],"rotation_quat":[1,0,0,1e-12]"#));
    let (state, counts) = text.split_once(r#","tick":"#).expect("extras follow the state");
    let (_id, state) = state.split_once(',').expect("the id comes first");
    let numbers = numbers_in(state);
    assert!(numbers.len() > 20 && numbers.iter().all(|n| n.contains('.')), "{numbers:?}");
    assert_eq!(counts, r#"1,"contacts":[[1,2]]}"#);
}
