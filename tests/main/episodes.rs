//! Episodes over the wire: their order and where they wrap, what a reset tells of one, and Monty's own chance.

use saccade::math::Rotation;
use saccade::protocol::{Answer, Command, Reply, Reset};
use serde_json::{Value, json};

use crate::client::{AGENT, Client, handle, session};
use crate::images::semantic;
use crate::prober::is_near;
use crate::requests::{default_world, look};
use crate::strict_json::numbers_in;

/// A semantic patch of 9×9 pixels, whose centre looks straight ahead, 20 cm before Monty's place for objects, and the tables of the test behind it.
fn world_with(head: &str, tables: &str) -> String {
    format!(
        "{head}\n[[agents]]\nid = \"{AGENT}\"\nkind = \"free\"\nposition = [0, 1.5, 0.2]\n\
         [[agents.sensors]]\nid = \"patch\"\nresolution = [9, 9]\nsemantic = true\n{tables}\n"
    )
}

const THREE: &str = "[episodes]\ntargets = [\"cubeSolid\", \"sphere\", \"cubeSolid\"]\n\
                     source_objects = [\"box\", \"cubeSolid\", \"box\", \"sphere\"]\nscales = [0.1]\n\
                     rotations_deg = [[0, 0, 0], [0, 45, 0]]\npositions = [[0, 1.5, 0]]\n";

fn reset(client: &mut Client) -> Value {
    client.done(json!({"command": "reset"}))
}

fn reset_to(client: &mut Client, episode: u64) -> Value {
    client.done(json!({"command": "reset", "episode": episode}))
}

/// Index, target, its label, and the second of its angles.
fn told(reply: &Value) -> (u64, String, u64, f64) {
    let target = &reply["primary_target"];
    (
        reply["episode"]["index"].as_u64().expect("an index"),
        target["object"].as_str().expect("a name").to_owned(),
        target["semantic_id"].as_u64().expect("an id"),
        target["euler_rotation"][1].as_f64().expect("a number"),
    )
}

/// The ids that the patch shows, background left out.
fn shown(reply: &Value) -> Vec<u32> {
    let mut ids = semantic(&reply["observations"][AGENT]["patch"]).pixels;
    ids.sort_unstable();
    ids.dedup();
    ids.retain(|id| *id != 0);
    ids
}

#[test]
fn the_nth_reset_plays_the_nth_episode_and_past_the_last_they_wrap_while_the_index_goes_on() {
    let mut client = Client::waiting_on(&world_with("", THREE));
    let expected = [
        (0, "cubeSolid", 2, 0.0),
        (1, "sphere", 3, 0.0),
        (2, "cubeSolid", 2, 0.0),
        (3, "cubeSolid", 2, 45.0),
        (4, "sphere", 3, 45.0),
        (5, "cubeSolid", 2, 45.0),
        (6, "cubeSolid", 2, 0.0),
        (7, "sphere", 3, 0.0),
    ];
    for (index, object, label, angle) in expected {
        let reply = reset(&mut client);
        assert_eq!(told(&reply), (index, object.to_owned(), label, angle));
        assert_eq!(reply["episode"], json!({"index": index, "count": 6, "seed": 0}));
        assert_eq!(shown(&reply), [u32::try_from(label).expect("small")]);
    }
}

#[test]
fn with_change_every_episode_the_lists_are_taken_at_the_episodes_number() {
    let text = world_with("", &format!("{THREE}change_every_episode = true\n"));
    let mut client = Client::waiting_on(&text);
    let angles: Vec<f64> = (0..5).map(|_| told(&reset(&mut client)).3).collect();
    assert_eq!(angles, [0.0, 45.0, 0.0, 45.0, 0.0]);
    assert_eq!(told(&reset_to(&mut client, 0)).0, 0);
    assert_eq!(client.done(json!({"command": "describe"}))["episodes"], 3);
}

#[test]
fn each_list_is_taken_modulo_its_own_length() {
    let tables = "[episodes]\ntargets = [\"cubeSolid\"]\nrotations_deg = [[0, 0, 0], [0, 10, 0], [0, 20, 0]]\n\
                  positions = [[0, 1.5, 0], [0, 1.5, -1]]\nscales = [1, 2, [1, 2, 3], 0.5]\n";
    let mut client = Client::waiting_on(&world_with("", tables));
    for index in 0..13usize {
        let target = reset(&mut client)["primary_target"].take();
        assert_eq!(target["euler_rotation"], json!([[0.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 20.0, 0.0]][index % 3]));
        assert_eq!(target["position"], json!([[0.0, 1.5, 0.0], [0.0, 1.5, -1.0]][index % 2]));
        let scales = [[1.0; 3], [2.0; 3], [1.0, 2.0, 3.0], [0.5; 3]];
        assert_eq!(target["scale"], json!(scales[index % 4]));
    }
    assert_eq!(client.done(json!({"command": "describe"}))["episodes"], 4);
}

#[test]
fn the_key_episode_plays_that_one_and_the_next_reset_the_one_after_it() {
    let mut client = Client::waiting_on(&world_with("", THREE));
    let index = |reply: Value| reply["episode"]["index"].as_u64().expect("an index");
    assert_eq!(index(reset_to(&mut client, 4)), 4);
    assert_eq!(index(reset(&mut client)), 5);
    assert_eq!(index(reset(&mut client)), 6);
    assert_eq!(index(reset_to(&mut client, 0)), 0);
    assert_eq!(index(reset(&mut client)), 1);
    assert_eq!(index(client.done(json!({"command": "reset", "episode": null}))), 2);
    // The largest, whose follower is out of range.
    let last = reset_to(&mut client, 9_223_372_036_854_775_807);
    assert_eq!(index(last), 9_223_372_036_854_775_807);
    let mut wrapped = client.call(json!({"command": "reset"}));
    wrapped["observations"].take();
    assert!(wrapped["code"] != "internal", "{wrapped}");
    assert_eq!(index(reset_to(&mut client, 1)), 1);
}

#[test]
fn a_reset_that_fails_is_no_episode() {
    let mut client = Client::waiting_on(&world_with("", THREE));
    let bad = [
        (json!({"command": "reset", "sensor_ids": ["nobody"]}), "unknown_sensor"),
        (json!({"command": "reset", "seed": -1}), "bad_request"),
        (json!({"command": "reset", "episode": 4, "modalities": {"nobody": []}}), "unknown_sensor"),
        (json!({"command": "reset", "episode": "1"}), "bad_request"),
        (json!({"command": "reset", "episode": -1}), "bad_request"),
        (json!({"command": "reset", "episode": 1.0}), "bad_request"),
    ];
    for index in 0..3 {
        for (request, code) in &bad {
            client.refused(request.clone(), code);
        }
        let reply = reset(&mut client);
        assert_eq!(told(&reply).0, index);
        for (request, code) in &bad {
            client.refused(request.clone(), code);
            assert_eq!(client.step(json!([]))["observations"], reply["observations"]);
        }
    }
}

#[test]
fn a_reset_that_nobody_waits_for_or_that_is_taken_back_is_no_episode() {
    let mut session = session(&world_with("", THREE));
    let index = |reply: Reply| match reply.outcome {
        Ok(Answer::Reset(_, Some(episode))) => episode.index,
        other => panic!("a reset tells of its episode: {other:?}"),
    };
    let reset = |episode| Command::Reset(Reset { episode, ..Reset::default() });
    for expected in 0..3 {
        handle(&mut session, reset(None), &mut || false).expect_err("nobody waits");
        handle(&mut session, reset(Some(5)), &mut || false).expect_err("nobody waits");
        assert_eq!(index(handle(&mut session, reset(None), &mut || true).expect("somebody waits")), expected);
        handle(&mut session, reset(Some(4)), &mut || true).expect("somebody waits");
        session.take_back();
    }
}

#[test]
fn a_reset_tells_of_its_episode_and_a_step_does_not() {
    let mut client = Client::waiting_on(&world_with("seed = 11", THREE));
    let text = client.text(r#"{"id":1,"command":"reset","episode":4}"#);
    let (_, of_episode) = text.split_once(r#","primary_target":"#).expect("it tells of its episode");
    let half = std::f64::consts::FRAC_PI_8;
    let (w, y) = (half.cos(), half.sin());
    let expected = json!({
        "object": "sphere", "semantic_id": 3, "rotation": [w, 0.0, y, 0.0], "euler_rotation": [0.0, 45.0, 0.0],
        "quat_rotation": [w, 0.0, y, 0.0], "position": [0.0, 1.5, 0.0], "scale": [0.1, 0.1, 0.1],
    });
    let reply: Value = serde_json::from_str(&text).expect("JSON");
    let keys: Vec<&String> = reply["primary_target"].as_object().expect("a map").keys().collect();
    assert_eq!(keys, expected.as_object().expect("a map").keys().collect::<Vec<_>>());
    for (key, value) in expected.as_object().expect("a map") {
        let numbers = |value: &Value| value.as_array().map(|v| v.iter().filter_map(Value::as_f64).collect::<Vec<_>>());
        match (numbers(value), numbers(&reply["primary_target"][key])) {
            (Some(expected), Some(found)) => assert!(is_near(&found, &expected, 1e-15), "{key}: {found:?}"),
            _ => assert_eq!(&reply["primary_target"][key], value, "{key}"),
        }
    }
    assert_eq!(reply["semantic_id_to_label"], json!({"1": "box", "2": "cubeSolid", "3": "sphere"}));
    assert_eq!(reply["episode"], json!({"index": 4, "count": 6, "seed": 11}));
    // Numbers of state have a decimal point, ids and counts have none.
    let (state, counts) = of_episode.split_once("\"scale\":").expect("scale is the last of the target");
    let integers: Vec<&str> = numbers_in(state).into_iter().filter(|digits| !digits.contains('.')).collect();
    assert_eq!(integers, ["3"], "{state}");
    assert!(numbers_in(counts).ends_with(&["4", "6", "11"]), "{counts}");
    let step = client.step(json!([]));
    let keys: Vec<&String> = step.as_object().expect("a map").keys().collect();
    assert_eq!(keys, ["id", "observations", "proprioceptive_state"]);
}

#[test]
fn a_world_without_episodes_tells_of_none_and_refuses_the_key() {
    let objects = "[[objects]]\nname = \"cubeSolid\"\nposition = [0, 1.5, 0]\n";
    let mut client = Client::waiting_on(&world_with("", objects));
    let reply = reset(&mut client);
    let keys: Vec<&String> = reply.as_object().expect("a map").keys().collect();
    assert_eq!(keys, ["id", "observations", "ok", "proprioceptive_state"]);
    let why = client.refused(json!({"command": "reset", "episode": 0}), "bad_request");
    assert!(why.contains("episode"), "{why}");
    client.done(json!({"command": "reset", "episode": null}));
    assert_eq!(client.done(json!({"command": "describe"}))["episodes"], 0);
}

#[test]
fn what_commands_had_added_or_removed_is_gone_at_the_next_reset() {
    let objects = "[[objects]]\nname = \"box\"\nposition = [5, 1.5, 5]\nsemantic_id = 77\n";
    let mut client = Client::waiting_on(&world_with("", &format!("{objects}{THREE}")));
    let undisturbed = [0, 0].map(|episode| client.text(format!(r#"{{"id":1,"command":"reset","episode":{episode}}}"#)));
    assert!(undisturbed[0] == undisturbed[1]);
    let before = json!({"command": "add_object", "name": "sphere", "position": [0, 1.5, 0.1], "scale": 0.02});
    let added = client.done(before);
    // The target is object 0, what stands in every episode follows.
    assert_eq!(added["object_id"], 2);
    assert_eq!(shown(&client.step(json!([]))), [2], "the ball hides nothing: it shares the default id of spheres");
    assert!(client.text(r#"{"id":1,"command":"reset","episode":0}"#) == undisturbed[0]);
    client.done(json!({"command": "remove_all_objects"}));
    assert_eq!(shown(&client.step(json!([]))), Vec::<u32>::new());
    assert!(client.text(r#"{"id":1,"command":"reset","episode":0}"#) == undisturbed[0]);
    assert_eq!(client.done(json!({"command": "add_object", "name": "sphere"}))["object_id"], 2);
}

#[test]
fn what_stands_in_the_file_stands_in_every_episode_behind_the_target() {
    let objects = "[[objects]]\nname = \"box\"\nposition = [0, 1.5, -12]\nscale = 9\nsemantic_id = 77\n";
    let mut client = Client::waiting_on(&world_with("", &format!("{objects}{THREE}")));
    for label in [2, 3, 2, 2] {
        assert_eq!(shown(&reset(&mut client)), [label, 77]);
    }
}

#[test]
fn an_object_whose_default_id_is_a_label_is_warned_of_once_and_one_with_an_id_of_its_own_is_not() {
    let object = |name: &str, keys: &str| format!("[[objects]]\nname = \"{name}\"\nposition = [0, 9, 0]\n{keys}\n");
    // Labels are 1 to 3; by default a sphere has 2, a capsule 3, a box 6.
    let warned = object("sphere", "") + &object("sphere", "");
    let silent = object("capsule", "semantic_id = 3") + &object("box", "");
    let mut client = Client::waiting_on(&world_with("", &format!("{warned}{silent}{THREE}")));
    reset(&mut client);
    let notes = client.notes();
    let [note] = &notes[..] else { panic!("one warning: {notes:?}") };
    assert!(["sphere", "2", "cubeSolid", "semantic_id"].iter().all(|word| note.text.contains(word)), "{note:?}");
}

#[test]
fn agents_return_to_their_start() {
    let mut client = Client::waiting_on(&world_with("", THREE));
    let start = reset(&mut client)["proprioceptive_state"].take();
    client.step(json!([{"action": "move_forward", "agent_id": AGENT, "distance": 0.05},
                       {"action": "look_up", "agent_id": AGENT, "rotation_degrees": 20}]));
    assert_eq!(reset(&mut client)["proprioceptive_state"], start);
}

#[test]
fn the_semantic_image_and_the_percept_show_the_label_of_the_target() {
    let mut client = Client::waiting_on(default_world());
    for label in 1..=6 {
        let reply = reset(&mut client);
        assert_eq!(reply["primary_target"]["semantic_id"], label);
        let patch = &reply["observations"][AGENT]["patch"];
        assert_eq!((&patch["semantic_id"], &patch["on_object"]), (&json!(label), &json!(true)));
        let ids = semantic(&reply["observations"][AGENT]["view_finder"]).pixels;
        assert!(ids.iter().all(|id| [0, label].contains(id)) && ids.contains(&label));
        let label_of_it = &reply["semantic_id_to_label"][label.to_string()];
        assert_eq!(*label_of_it, reply["primary_target"]["object"]);
    }
    assert_eq!(client.done(json!({"command": "describe"}))["episodes"], 6);
}

/// §7.3's vectors: seed 42, mode eval. The Euler angles, the quaternion, and `Default`'s x.
const VECTORS: [([f64; 3], [f64; 4], f64); 3] = [
    (
        [73.186_699_74, 104.706_312_75, 188.557_395_48],
        [0.434_108_36, -0.661_112_01, 0.315_668_45, 0.524_246_38],
        -0.235_845_28,
    ),
    (
        [49.989_096_53, 20.272_074_84, 298.322_874_62],
        [-0.727_940_05, -0.438_895_48, 0.076_265_26, 0.521_207_88],
        -0.085_977_30,
    ),
    (
        [110.385_455_18, 294.530_469_69, 201.130_255_98],
        [0.524_510_09, -0.176_799_84, -0.735_562_36, -0.390_613_61],
        -0.090_339_66,
    ),
];

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

#[test]
fn the_same_seed_gives_the_rotations_and_positions_of_monty() {
    for (sampler, seed) in [("random_rotation", "seed = 42"), ("default", "seed = 42"), ("default", "")] {
        let tables = format!("[episodes]\ntargets = [\"cubeSolid\", \"sphere\"]\nsampler = \"{sampler}\"\n");
        let mut client = Client::waiting_on(&world_with(seed, &tables));
        for (index, (euler, wxyz, x)) in (0..).zip(VECTORS) {
            // The seed of the file, or of the reset.
            let given = if seed.is_empty() { json!(42) } else { Value::Null };
            let reply = client.done(json!({"command": "reset", "seed": given}));
            assert_eq!(reply["episode"]["index"], index);
            assert_eq!(reply["episode"]["seed"], 42);
            let target = &reply["primary_target"];
            assert!(is_near(&numbers(&target["euler_rotation"]), &euler, 1e-8), "{target}");
            assert!(is_near(&numbers(&target["rotation"]), &wxyz, 1e-8), "{target}");
            assert_eq!(target["rotation"], target["quat_rotation"]);
            let position = if sampler == "default" { [x, 0.0, 0.0] } else { [0.0, 1.5, 0.0] };
            assert!(is_near(&numbers(&target["position"]), &position, 1e-8), "{target}");
            assert_eq!(target["scale"], json!([1.0, 1.0, 1.0]));
            let own = Rotation::from_extrinsic_xyz_deg([0, 1, 2].map(|i| numbers(&target["euler_rotation"])[i]));
            assert!(is_near(&numbers(&target["rotation"]), &own.wxyz(), 1e-15), "{target}");
        }
    }
}

#[test]
fn a_random_sampler_does_not_repeat_past_the_last_episode_and_differs_by_seed_and_mode() {
    let angles_under = |head: &str, mode: &str| {
        let tables =
            format!("[episodes]\ntargets = [\"cubeSolid\"]\nsampler = \"random_rotation\"\n{mode}\nepochs = 2\n");
        let mut client = Client::waiting_on(&world_with(head, &tables));
        (0..4).map(|_| reset(&mut client)["primary_target"]["euler_rotation"].to_string()).collect::<Vec<_>>()
    };
    let own = angles_under("seed = 42", "");
    assert_eq!(own, angles_under("seed = 42", "mode = \"eval\""));
    let others = [angles_under("seed = 43", ""), angles_under("seed = 42", "mode = \"train\""), angles_under("", "")];
    let mut all: Vec<&String> = own.iter().chain(others.iter().flatten()).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 16);
}

#[test]
fn the_seed_of_a_reset_holds_for_its_episode_alone() {
    let tables = "[episodes]\ntargets = [\"cubeSolid\"]\nsampler = \"random_rotation\"\n";
    let mut client = Client::waiting_on(&world_with("seed = 42", tables));
    let mut target = |request: Value| {
        let reply = client.done(request);
        (reply["episode"]["seed"].clone(), reply["primary_target"]["euler_rotation"].clone())
    };
    let own = target(json!({"command": "reset", "episode": 7}));
    let seeded = target(json!({"command": "reset", "episode": 7, "seed": 5}));
    assert_eq!((&own.0, &seeded.0), (&json!(42), &json!(5)));
    assert_ne!(own.1, seeded.1);
    assert_eq!(target(json!({"command": "reset", "episode": 7})), own);
}

#[test]
fn an_episode_has_the_same_bytes_whatever_came_before() {
    let random = "[episodes]\ntargets = [\"cubeSolid\", \"coneSolid\"]\nsampler = \"default\"\n";
    for text in [default_world().to_owned(), world_with("seed = 3", random), world_with("compat = \"mujoco\"", THREE)] {
        let play = |client: &mut Client, episode: u64| {
            let turn = json!({"id": 2, "command": "step", "actions": [
                {"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 3}]});
            let reset =
                client.text(format!(r#"{{"id":1,"command":"reset","episode":{episode},"extras":["contacts"]}}"#));
            [
                reset,
                client.text(turn.to_string()),
                client.text(look("3")),
                client.text(r#"{"id":4,"command":"digest"}"#),
            ]
        };
        let fresh = |episode: u64| play(&mut Client::waiting_on(&text), episode);
        let mut used = Client::waiting_on(&text);
        for episode in [3, 0, 1_000_000_007, 3, 2] {
            assert!(play(&mut used, episode) == fresh(episode), "episode {episode}");
            used.done(json!({"command": "add_object", "name": "box", "position": [0, 9, 0], "scale": 0.1}));
            used.done(json!({"command": "reset", "seed": 99, "modalities": [], "encoding": "base64"}));
            used.step(json!([]));
            used.done(json!({"command": "remove_all_objects"}));
        }
        let mut in_order = Client::waiting_on(&text);
        for episode in 0..3 {
            let by_order = in_order.text(r#"{"id":1,"command":"reset","extras":["contacts"]}"#);
            assert!(by_order == fresh(episode)[0], "episode {episode} by order");
        }
    }
}

#[test]
fn the_targets_are_painted_in_the_color_of_the_key() {
    let tables = format!("{THREE}color = [0, 0, 1]\n");
    let mut client = Client::waiting_on(&world_with("compat = { lighting = \"flat\" }", &tables));
    for _ in 0..2 {
        assert_eq!(reset(&mut client)["observations"][AGENT]["patch"]["center_rgba"], json!([0, 0, 255, 255]));
    }
}

#[test]
fn a_scale_turns_with_the_object() {
    // A quarter turn about z: what was wide is now high.
    let tables = "[episodes]\ntargets = [\"cubeSolid\"]\nrotations_deg = [[0, 0, 90]]\npositions = [[0, 1.5, -1]]\n\
                  scales = [[4, 1, 1]]\n";
    let reply = reset(&mut Client::waiting_on(&world_with("", tables)));
    let image = semantic(&reply["observations"][AGENT]["patch"]);
    let count = |ids: Vec<u32>| ids.into_iter().filter(|id| *id == 1).count();
    let wide = count((0..9).map(|column| image.at(4, column)).collect());
    let high = count((0..9).map(|row| image.at(row, 4)).collect());
    assert!(high >= 2 * wide, "{wide} wide, {high} high");
}

#[test]
fn left_out_lists_are_montys_own() {
    let mut client = Client::waiting_on(&world_with("", "[episodes]\ntargets = [\"cubeSolid\"]\n"));
    let targets = [0, 1, 2].map(|_| reset(&mut client)["primary_target"].clone());
    let angles = targets.iter().map(|target| target["euler_rotation"][0].as_f64());
    assert_eq!(angles.collect::<Vec<_>>(), [Some(0.0), Some(45.0), Some(0.0)]);
    assert!(targets.iter().all(|target| target["position"] == json!([0.0, 1.5, 0.0])));
    assert_eq!(client.done(json!({"command": "describe"}))["episodes"], 2);
}

#[test]
fn epochs_say_after_how_many_walks_the_count_ends() {
    for (epochs, sampler, count) in
        [("", "random_rotation", 3), ("epochs = 7", "random_rotation", 21), ("epochs = 7", "predefined", 21)]
    {
        let tables =
            format!("[episodes]\ntargets = [\"box\", \"box\", \"sphere\"]\nsampler = \"{sampler}\"\n{epochs}\n");
        let mut client = Client::waiting_on(&world_with("", &tables));
        assert_eq!(client.done(json!({"command": "describe"}))["episodes"], count);
        assert_eq!(reset(&mut client)["episode"]["count"], count);
    }
}
