//! What is observed and told: sensors, modalities, extras and the seed, from one reset to the next.

use std::sync::Arc;

use saccade::assets::Nowhere;
use saccade::connection::Connection;
use saccade::protocol::{Extras, Modalities, limits};
use saccade::session::{Overrides, Session};
use serde_json::{Value, json};

use crate::client::{AGENT, Client, bodies, frame, replies, world};
use crate::fixture::one_agent;
use crate::requests::client;
use crate::strict_json;

/// Two agents that share a sensor id, in an order that is not the alphabet's.
const TWO_AGENTS: &str = r#"
[[agents]]
id = "zoe"
kind = "free"
[[agents.sensors]]
id = "patch"
[[agents.sensors]]
id = "finder"

[[agents]]
id = "adam"
kind = "noop"
[[agents.sensors]]
id = "patch"
"#;

/// Agent and sensor of each observation, in their order in the text.
fn observed(client: &mut Client, reset: Value) -> Vec<(String, Vec<String>)> {
    client.done(reset);
    let reply = client.done(json!({"command": "step", "actions": []}));
    let agents = reply["observations"].as_object().expect("a map");
    let sensors = |value: &Value| value.as_object().expect("a map").keys().cloned().collect();
    agents.iter().map(|(agent, value)| (agent.clone(), sensors(value))).collect()
}

fn expected_agents(adam: &[&str], zoe: &[&str]) -> Vec<(String, Vec<String>)> {
    let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    vec![("adam".to_owned(), owned(adam)), ("zoe".to_owned(), owned(zoe))]
}

#[test]
fn sensor_ids_choose_every_sensor_of_an_id_whichever_agent_has_it() {
    let mut client = Client::on(TWO_AGENTS);
    let all = expected_agents(&["patch"], &["finder", "patch"]);
    let patches = expected_agents(&["patch"], &["patch"]);
    for (ids, expected) in [
        (json!(["patch"]), &patches),
        (json!(["patch", "patch"]), &patches),
        (json!(["finder"]), &expected_agents(&[], &["finder"])),
        (json!(["finder", "patch"]), &all),
        (json!([]), &expected_agents(&[], &[])),
        (Value::Null, &all),
    ] {
        let found = observed(&mut client, json!({"command": "reset", "sensor_ids": ids}));
        assert_eq!(&found, expected, "{ids}");
    }
    assert_eq!(observed(&mut client, json!({"command": "reset"})), all);
}

#[test]
fn an_unknown_sensor_id_is_told_in_the_contracts_words_with_the_known_ones() {
    let reset = json!({"command": "reset", "sensor_ids": ["patch", "retina"]});
    let why = Client::on(TWO_AGENTS).refused(reset, "unknown_sensor");
    assert!(why.starts_with("the sensor id is not known: retina"), "{why}");
    assert!(why.contains("finder") && why.contains("patch"), "{why}");
}

#[test]
fn agents_and_sensors_come_in_the_order_of_the_world_file_and_all_of_them_in_the_state() {
    let mut client = Client::on(TWO_AGENTS);
    let text = client.text(r#"{"id":1,"command":"reset","sensor_ids":["finder"]}"#);
    let (observations, state) = text.split_once("proprioceptive_state").expect("a reset tells the state");
    for part in [observations, state] {
        assert!(part.find("\"zoe\"") < part.find("\"adam\""), "{part}");
    }
    assert!(observations.ends_with(r#""adam":{}},""#), "{observations}");
    let places = ["\"zoe\"", "\"patch\"", "\"finder\"", "\"adam\""].map(|id| state.find(id));
    assert!(places.is_sorted() && places[0].is_some(), "{state}");
    assert_eq!(state.matches("\"patch\"").count(), 2, "{state}");
}

#[test]
fn the_choice_of_sensors_holds_until_the_next_reset() {
    let mut client = client();
    client.done(json!({"command": "reset", "sensor_ids": ["view_finder"]}));
    for _ in 0..2 {
        let reply = client.step(json!([]));
        let sensors: Vec<&String> = reply["observations"][AGENT].as_object().expect("a map").keys().collect();
        assert_eq!(sensors, ["view_finder"]);
    }
    client.done(json!({"command": "reset"}));
    assert_eq!(client.step(json!([]))["observations"][AGENT].as_object().map(serde_json::Map::len), Some(2));
}

#[test]
fn modalities_are_chosen_for_all_sensors_or_sensor_by_sensor() {
    let mut client = client();
    let mut observed = |modalities: Value| {
        client.done(json!({"command": "reset", "episode": 0, "modalities": modalities}));
        let reply = client.step(json!([]));
        ["patch", "view_finder"].map(|sensor| {
            let values = reply["observations"][AGENT][sensor].as_object().expect("the sensor is observed");
            values.keys().cloned().collect::<Vec<_>>().join(" ")
        })
    };
    let derived = "gaussian_curvature gaussian_curvature_sc hsv location mean_curvature mean_curvature_sc mean_depth \
                   min_depth object_coverage on_object pose_fully_defined pose_vectors principal_curvatures \
                   principal_curvatures_log";
    let percept = &*format!("center_rgba {derived} semantic_id");
    let all = &*format!("center_rgba depth {derived} rgba semantic semantic_id");
    for (modalities, expected) in [
        (Value::Null, [all, all]),
        (json!(["location"]), ["location", "location"]),
        (json!(["percept"]), [percept, percept]),
        (json!(["percept", "location", "location"]), [percept, percept]),
        (json!(["rgba", "depth"]), ["depth rgba", "depth rgba"]),
        (json!([]), ["", ""]),
        (json!({}), [all, all]),
        (json!({"patch": []}), ["", all]),
        (json!({"patch": ["location"], "view_finder": []}), ["location", ""]),
        (json!({"patch": ["semantic"], "view_finder": ["location", "semantic"]}), ["semantic", "location semantic"]),
    ] {
        assert_eq!(observed(modalities.clone()), expected, "{modalities}");
    }
    assert_eq!(observed(Value::Null), [all, all]);
}

#[test]
fn a_seed_holds_until_the_next_reset() {
    let mut client = Client::on(&one_agent("noop", "\"saccade\""));
    let mut digest_after = |reset: Value| {
        client.done(reset);
        client.digest()
    };
    let own = digest_after(json!({"command": "reset"}));
    let seeded = digest_after(json!({"command": "reset", "seed": 5}));
    assert_ne!(seeded, own);
    assert_eq!(digest_after(json!({"command": "reset"})), own);
    assert_eq!(digest_after(json!({"command": "reset", "seed": 5})), seeded);
    assert_eq!(digest_after(json!({"command": "reset", "seed": 0})), own);
    digest_after(json!({"command": "reset", "seed": 9_223_372_036_854_775_807u64}));
}

#[test]
fn extras_hold_until_the_next_reset_and_a_tick_is_counted_by_steps_alone() {
    let mut client = client();
    client.done(json!({"command": "reset", "extras": ["tick"]}));
    assert_eq!(client.step(json!([]))["tick"], 1);
    client.refused(json!({"command": "step", "actions": [5]}), "bad_request");
    client.done(json!({"command": "add_object", "name": "box", "position": [9, 9, 9]}));
    client.digest();
    client.done(json!({"command": "describe"}));
    let reply = client.step(json!([]));
    assert_eq!((&reply["tick"], reply.get("contacts")), (&json!(2), None));
    client.done(json!({"command": "reset"}));
    let keys: Vec<String> = client.step(json!([])).as_object().expect("a map").keys().cloned().collect();
    assert_eq!(keys, ["id", "observations", "proprioceptive_state"]);
    client.done(json!({"command": "reset", "extras": ["tick", "tick"]}));
    assert_eq!(client.step(json!([]))["tick"], 1);
}

#[test]
fn the_later_of_file_command_line_and_reset_wins() {
    let text = format!("seed = 1\nextras = [\"tick\"]\nmodalities = []\n{}", one_agent("noop", "\"saccade\""));
    let plays = |overrides: Overrides, reset: Value| {
        let session = Session::new(Arc::new(world(&text)), Arc::new(Nowhere), overrides, limits::MAX_FRAME_BYTES)
            .expect("it opens");
        let mut connection = Connection::new(session, limits::MAX_FRAME_BYTES);
        for request in
            [reset, json!({"id": 1, "command": "step", "actions": []}), json!({"id": 2, "command": "describe"})]
        {
            connection.receive(&frame(request.to_string()));
        }
        let stream = replies(&mut connection);
        let read = |body: &[u8]| strict_json::read(std::str::from_utf8(body).expect("UTF-8")).expect("strict JSON");
        let [step, description] = [1, 2].map(|n| read(bodies(&stream)[n]));
        let has_location = !step["observations"][AGENT]["patch"].as_object().expect("a map").is_empty();
        (description["world"]["seed"].clone(), step.get("tick").is_some(), has_location)
    };
    let line = Overrides {
        seed: Some(2),
        modalities: Modalities::from_word("location"),
        extras: Some(Extras::default()),
        ..Overrides::default()
    };
    let plain = json!({"id": 0, "command": "reset"});
    let own = json!({"id": 0, "command": "reset", "seed": 3, "modalities": [], "extras": ["tick"]});
    assert_eq!(plays(Overrides::default(), plain.clone()), (json!(1), true, false));
    assert_eq!(plays(line, plain), (json!(2), false, true));
    assert_eq!(plays(line, own), (json!(3), true, false));
}
