//! Objects: which can be had, under which ids (S1 to S4 of Monty's reference), what may be asked of them, and which
//! touch.

use saccade::assets::Nowhere;
use saccade::world::known_objects;
use serde_json::{Value, json};

use crate::client::{AGENT, Client};
use crate::fixture::one_agent;
use crate::prober::{DEPTH_ROUNDING, MUJOCO, SACCADE, add, extents, is_near, prober};
use crate::sizes::extents_of;

#[test]
fn the_primitives_are_those_of_both_families() {
    let mut names: Vec<&str> = known_objects().collect();
    names.sort_unstable();
    let expected = [
        "box",
        "capsule",
        "capsule3DSolid",
        "coneSolid",
        "cubeSolid",
        "cylinder",
        "cylinderSolid",
        "ellipsoid",
        "icosphereSolid",
        "sphere",
        "uvSphereSolid",
    ];
    assert_eq!(names, expected);
}

#[test]
fn default_semantic_ids_are_habitats_for_solid_names_and_mujocos_for_the_others() {
    let ids = [
        ("capsule3DSolid", 101, 3),
        ("coneSolid", 102, 2),
        ("cubeSolid", 103, 6),
        ("cylinderSolid", 104, 5),
        ("icosphereSolid", 105, 105),
        ("uvSphereSolid", 106, 106),
        ("sphere", 2, 2),
        ("capsule", 3, 3),
        ("ellipsoid", 4, 4),
        ("cylinder", 5, 5),
        ("box", 6, 6),
    ];
    for (compat, column) in [(SACCADE, 0), ("\"habitat\"", 0), (MUJOCO, 1)] {
        let mut client = prober(compat);
        for (object_id, (name, habitat, mujoco)) in ids.iter().enumerate() {
            // MuJoCo has no faceted spheres; they keep the ids of their own family.
            let semantic_id = [habitat, mujoco][column];
            let added = add(&mut client, name);
            assert_eq!(added, json!({"id": added["id"], "object_id": object_id, "semantic_id": semantic_id}), "{name}");
        }
    }
}

#[test]
fn s2_s3_s4_objects_are_numbered_from_0_until_all_are_removed() {
    let mut client = prober(SACCADE);
    for (object_id, name) in ["box", "capsule", "cylinder", "ellipsoid", "sphere", "box", "box"].iter().enumerate() {
        assert_eq!(add(&mut client, name)["object_id"], object_id);
    }
    assert_eq!(client.done(json!({"command": "remove_all_objects"}))["ok"], true);
    assert_eq!(add(&mut client, "box")["object_id"], 0);
}

#[test]
fn a_refused_object_takes_no_number() {
    let mut client = prober(SACCADE);
    assert_eq!(add(&mut client, "box")["object_id"], 0);
    client.refused(json!({"command": "add_object", "name": "bax"}), "unknown_object");
    client.refused(json!({"command": "add_object", "name": "box", "scale": 0}), "bad_request");
    assert_eq!(add(&mut client, "box")["object_id"], 1);
}

#[test]
fn an_unknown_object_is_named_with_the_nearest_one() {
    let why = prober(SACCADE).refused(json!({"command": "add_object", "name": "cubeSolld"}), "unknown_object");
    assert!(why.contains("cubeSolld") && why.contains("did you mean cubeSolid?"), "{why}");
    for name in ["cube", "Box", "mug", ""] {
        prober(SACCADE).refused(json!({"command": "add_object", "name": name}), "unknown_object");
    }
}

#[test]
fn objects_stand_through_resets_with_their_order_and_ids() {
    let mut client = prober(SACCADE);
    for x in [0.0, 1.0, 10.0, 11.0] {
        client.done(json!({"command": "add_object", "name": "box", "position": [x, 0, 0]}));
    }
    for _ in 0..2 {
        client.done(json!({"command": "reset", "extras": ["contacts"]}));
        assert_eq!(client.step(json!([]))["contacts"], json!([[0, 1], [2, 3]]));
    }
    assert_eq!(add(&mut client, "box")["object_id"], 4);
    client.done(json!({"command": "reset"}));
    assert_eq!(add(&mut client, "box")["object_id"], 5);
}

#[test]
fn what_was_removed_stays_away_after_a_reset() {
    let mut client = Client::on(&format!("{}[[objects]]\nname = \"box\"\n", one_agent("free", SACCADE)));
    client.done(json!({"command": "remove_all_objects"}));
    client.done(json!({"command": "reset"}));
    assert_eq!(add(&mut client, "sphere")["object_id"], 0);
}

#[test]
fn agents_stay_when_all_objects_go_except_under_mujoco() {
    for (compat, expected) in [
        (SACCADE, -1.0),
        ("\"habitat\"", -1.0),
        (MUJOCO, 0.0),
        ("{ remove_all_resets_agents = true }", 0.0),
        ("{ preset = \"mujoco\", remove_all_resets_agents = false }", -1.0),
    ] {
        let mut client = prober(compat);
        client.step(json!([{"action": "move_forward", "agent_id": AGENT, "distance": 1}]));
        client.done(json!({"command": "remove_all_objects"}));
        let reply = client.step(json!([]));
        assert_eq!(reply["proprioceptive_state"][AGENT]["position"][2], expected, "{compat}");
    }
}

#[test]
fn a_semantic_id_is_an_integer_from_0_to_2147483647() {
    let with = |id: Value| json!({"command": "add_object", "name": "box", "semantic_id": id});
    let mut client = prober(SACCADE);
    for id in [0u32, 1, 256, 2_147_483_647] {
        assert_eq!(client.done(with(id.into()))["semantic_id"], id);
    }
    assert_eq!(client.done(with(Value::Null))["semantic_id"], 6);
    for id in [json!(2_147_483_648u32), json!(-1), json!(1.0), json!(1.5), json!("1"), json!(true), json!([1])] {
        client.refused(with(id), "bad_request");
    }
    let exponent = client.send(r#"{"id":1,"command":"add_object","name":"box","semantic_id":1e0}"#);
    assert_eq!(exponent["code"], "bad_request");
}

#[test]
fn a_scale_is_a_positive_number_or_three() {
    let with = |scale: &str| format!(r#"{{"id":1,"command":"add_object","name":"box","scale":{scale}}}"#);
    let mut client = prober(SACCADE);
    for scale in ["1", "0.5", "[1,2,3]", "[1.0,1e-3,1e3]", "null"] {
        let reply = client.send(with(scale));
        assert!(reply.get("error").is_none(), "{scale}: {reply}");
    }
    let digest = client.digest();
    for (scale, code) in [
        ("0", "bad_request"),
        ("0.0", "bad_request"),
        ("-1", "bad_request"),
        ("[1,0,1]", "bad_request"),
        ("[1,1,-1]", "bad_request"),
        ("[1,1]", "bad_request"),
        ("[1,1,1,1]", "bad_request"),
        ("[]", "bad_request"),
        ("[1,[1],1]", "bad_request"),
        ("\"1\"", "bad_request"),
        ("1e999", "bad_request"),
        ("[1,1,-1e999]", "bad_request"),
        ("NaN", "bad_json"),
        ("[1,Infinity,1]", "bad_json"),
        ("1e300", "out_of_range"),
        ("1e-300", "out_of_range"),
    ] {
        let reply = client.send(with(scale));
        assert_eq!(reply["code"], code, "{scale}: {reply}");
    }
    assert_eq!(client.digest(), digest);
}

#[test]
fn a_position_is_three_numbers_within_1e6_and_a_rotation_any_quaternion_but_zero() {
    let with = |key: &str, value: Value| json!({"command": "add_object", "name": "box", key: value});
    let mut client = prober(SACCADE);
    for (key, value) in [
        ("position", json!([1e6, -1e6, 0])),
        ("position", Value::Null),
        ("rotation", json!([0, 0, 0, 1e-9])),
        ("rotation", json!([3, 4, 5, 6])),
        ("rotation", Value::Null),
    ] {
        client.done(with(key, value));
    }
    for (key, value, code) in [
        ("position", json!([0, 0]), "bad_request"),
        ("position", json!(["0", 0, 0]), "bad_request"),
        ("position", json!([1_000_001, 0, 0]), "out_of_range"),
        ("rotation", json!([0, 0, 0, 0]), "bad_request"),
        ("rotation", json!([1, 0, 0]), "bad_request"),
        ("name", json!(7), "bad_request"),
        ("name", Value::Null, "bad_request"),
    ] {
        let why = client.refused(with(key, value), code);
        assert!(why.contains(key), "{why}");
    }
    client.refused(json!({"command": "add_object"}), "bad_request");
}

#[test]
fn a_rotation_of_any_length_is_used_normalised() {
    let mut client = prober(SACCADE);
    client.done(json!({"command": "add_object", "name": "cylinder", "scale": [0.1, 1, 0.1], "rotation": [5, 5, 0, 0]}));
    let found = extents(&mut client, 0.0);
    assert!(is_near(&found, &[0.1, 0.1, 0.1, 0.1, 1.0, 1.0], DEPTH_ROUNDING), "{found:?}");
}

#[test]
fn a_world_holds_10_000_objects_and_no_more() {
    let ten_thousand = "[[objects]]\nname = \"sphere\"\nscale = 0.001\n".repeat(10_000);
    let mut client = Client::on(&ten_thousand);
    let why = client.refused(json!({"command": "add_object", "name": "box"}), "too_large");
    assert!(why.contains("10000"), "{why}");
    let one_more = ten_thousand + "[[objects]]\nname = \"sphere\"\n";
    assert!(saccade::world::file::parse(&one_more, &Nowhere).is_err());
}

#[test]
fn a_primary_target_object_must_stand() {
    let beside =
        |target: Value| json!({"command": "add_object", "name": "box", "scale": 0.1, "primary_target_object": target});
    for compat in [SACCADE, MUJOCO, "{ distractors = \"none\" }"] {
        let mut client = prober(compat);
        client.refused(beside(json!(0)), "unknown_object");
        add(&mut client, "cubeSolid");
        assert_eq!(client.done(beside(json!(0)))["object_id"], 1);
        client.refused(beside(json!(2)), "unknown_object");
        client.refused(beside(json!(2_147_483_647)), "unknown_object");
        client.refused(beside(json!("0")), "bad_request");
        assert_eq!(client.done(beside(Value::Null))["object_id"], 2);
    }
}

#[test]
fn contacts_are_the_pairs_that_touch_or_overlap_the_lower_id_first_in_order() {
    let mut client = prober(SACCADE);
    client.done(json!({"command": "reset", "extras": ["contacts"]}));
    assert_eq!(client.step(json!([]))["contacts"], json!([]));
    for (name, x) in [("sphere", 0.0), ("box", 10.0), ("capsule", 10.5), ("cylinder", 0.5), ("coneSolid", -10.0)] {
        client.done(json!({"command": "add_object", "name": name, "position": [x, 0, 0]}));
    }
    assert_eq!(client.step(json!([]))["contacts"], json!([[0, 3], [1, 2]]));
    client.done(json!({"command": "remove_all_objects"}));
    assert_eq!(client.step(json!([]))["contacts"], json!([]));
}

#[test]
fn objects_a_centimetre_apart_do_not_touch_and_a_centimetre_into_each_other_do() {
    for (gap, expected) in [(0.01, json!([])), (-0.01, json!([[0, 1]]))] {
        for name in known_objects() {
            let mut client = prober(SACCADE);
            client.done(json!({"command": "reset", "extras": ["contacts"]}));
            add(&mut client, "box");
            // A cone is widest at its base.
            let half = if name == "coneSolid" { 0.1 } else { extents_of(name)[0] };
            let x = 1.0 + half + gap;
            client.done(json!({"command": "add_object", "name": name, "position": [x, 0, 0]}));
            assert_eq!(client.step(json!([]))["contacts"], expected, "{name}, {gap}");
        }
    }
}
