//! Objects with a `primary_target_object`, and the distractors of episodes: where they go, by which chance, and what is said where
//! nothing fits.

use std::path::PathBuf;
use std::sync::Arc;

use saccade::assets::Source;
use saccade::door::data_source;
use saccade::protocol::{AddObject, Command};
use serde_json::{Value, json};

use crate::client::{AGENT, Client, Simulation, handle};
use crate::fixture::{one_agent, say};
use crate::images::semantic;
use crate::prober::{MUJOCO, SACCADE, is_near};

/// Between two places that are tried, metres.
const STEP: f64 = 0.000_05;

fn client(compat: &str) -> Client {
    let mut client = Client::on(&one_agent("free", compat));
    client.done(json!({"command": "reset", "extras": ["contacts"]}));
    client
}

fn request(name: &str, position: [f64; 3], keys: Value) -> Value {
    let mut request = json!({"command": "add_object", "name": name, "position": position});
    request.as_object_mut().expect("a map").extend(keys.as_object().expect("a map").clone());
    request
}

/// Where the objects of the last requests went, as `-v` tells it.
fn places(client: &mut Client) -> Vec<[f64; 3]> {
    let texts = client.notes().into_iter().filter_map(|note| Some(note.text.split_once("stands at ")?.1.to_owned()));
    texts.map(|place| serde_json::from_str(&place).expect("three numbers")).collect()
}

/// Adds a distractor of object 0; how it was moved.
fn moved(client: &mut Client, name: &str, start: [f64; 3], mut keys: Value) -> [f64; 3] {
    keys["primary_target_object"] = 0.into();
    client.done(request(name, start, keys));
    let [place] = places(client)[..] else { panic!("one place is told") };
    [0, 1, 2].map(|axis| place[axis] - start[axis])
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

#[test]
fn a_ball_within_a_ball_goes_just_so_far_that_they_are_apart_mostly_aside_and_level() {
    for seed in 0..20 {
        let mut client = client("\"habitat\"");
        client.done(json!({"command": "reset", "seed": seed}));
        client.done(request("sphere", [0.0, 1.5, 0.0], json!({"scale": 0.1})));
        let [x, y, z] = moved(&mut client, "sphere", [0.0, 1.5, 0.0], json!({"scale": 0.05003}));
        assert!((0.15003..=0.15003 + STEP).contains(&length([x, y, z])), "{x} {y} {z}");
        assert!(y == 0.0 && (z / x).abs() <= 0.5, "{x} {y} {z}");
    }
}

#[test]
fn what_hides_the_target_goes_aside_until_three_quarters_are_free_or_less_covered() {
    let mut client = client(SACCADE);
    client.done(request("cubeSolid", [0.0, 1.5, 0.0], json!({})));
    // As wide as the target, before and behind it, without contact.
    for z in [0.5, -0.5] {
        let [x, ..] = moved(&mut client, "cubeSolid", [0.0, 1.5, z], json!({}));
        assert!((0.05..=0.05 + STEP).contains(&x.abs()), "{x}");
    }
    // Three quarters as wide, and so never in the way.
    assert_eq!(moved(&mut client, "cubeSolid", [0.0, 1.5, 2.0], json!({"scale": [0.7499, 1, 1]})), [0.0; 3]);
}

#[test]
fn the_target_is_as_wide_as_it_is_turned() {
    let mut client = client(SACCADE);
    let half = (15f64.to_radians().cos(), -15f64.to_radians().sin());
    client.done(request("cubeSolid", [0.0, 1.5, 0.0], json!({"rotation": [half.0, 0, half.1, 0]})));
    // 0.273 m, of which a cube of 0.2 m covers 0.73. Two corners of the unturned box, turned, would be 0.073 m apart.
    assert_eq!(moved(&mut client, "cubeSolid", [0.0, 1.5, 1.0], json!({})), [0.0; 3]);
}

#[test]
fn a_distractor_may_start_clear_and_stays_then() {
    let mut client = client(SACCADE);
    client.done(request("cubeSolid", [0.0, 1.5, 0.0], json!({})));
    assert_eq!(moved(&mut client, "cubeSolid", [0.3, 1.5, 0.0], json!({})), [0.0; 3]);
}

#[test]
fn ten_distractors_in_the_place_of_the_target_touch_neither_it_nor_each_other() {
    let names = ["capsule3DSolid", "coneSolid", "cylinderSolid", "icosphereSolid", "ellipsoid"];
    let mut client = client("\"habitat\"");
    client.done(request("cubeSolid", [0.2, 1.5, -0.2], json!({})));
    for name in names.iter().chain(&names) {
        let scale = if name.ends_with("Solid") { 0.5 } else { 0.05 };
        let keys = json!({"rotation": [0.8, 0.3, -0.4, 0.1], "scale": scale});
        let [x, y, z] = moved(&mut client, name, [0.2, 1.5, -0.2], keys);
        assert!(y == 0.0 && (z / x).abs() <= 0.5 && length([x, y, z]) < 1.0, "{x} {y} {z}");
    }
    assert_eq!(client.step(json!([]))["contacts"], json!([]));
}

#[test]
fn where_nothing_fits_the_request_is_refused_and_changes_nothing() {
    let mut client = client(SACCADE);
    client.done(request("box", [0.0; 3], json!({"scale": 10})));
    let digest = client.digest();
    let why = client.refused(request("cubeSolid", [0.0; 3], json!({"primary_target_object": 0})), "no_room");
    for word in ["cubeSolid", "within 1 m", "[0, 0, 0]", "smaller", "distractors = \"none\""] {
        assert!(why.contains(word), "{word}: {why}");
    }
    assert_eq!(client.digest(), digest);
    assert_eq!(client.done(request("cubeSolid", [0.0; 3], json!({})))["object_id"], 1);
}

#[test]
fn a_way_over_the_edge_of_the_world_is_refused() {
    let mut client = client(SACCADE);
    for x in [1e6, -1e6] {
        client.done(json!({"command": "remove_all_objects"}));
        client.done(request("cubeSolid", [x, 0.0, 0.0], json!({})));
        let outward = (0..20).any(|_| {
            let reply = client.call(request("cubeSolid", [x, 0.0, 0.0], json!({"primary_target_object": 0})));
            reply["code"] == "out_of_range"
        });
        assert!(outward, "one of 20 goes to that side");
    }
}

#[test]
fn with_distractors_none_an_object_overlaps_its_target() {
    for compat in [MUJOCO, "{ distractors = \"none\" }"] {
        let mut client = client(compat);
        client.done(request("cubeSolid", [0.2, 1.5, -0.2], json!({})));
        assert_eq!(moved(&mut client, "cubeSolid", [0.2, 1.5, -0.2], json!({})), [0.0; 3]);
        assert_eq!(client.step(json!([]))["contacts"], json!([[0, 1]]));
    }
}

/// Where object 2 goes, with a neighbour that was placed by chance or not.
fn third(seed: u64, neighbour_is_distractor: bool) -> [f64; 3] {
    let mut client = client(SACCADE);
    client.done(json!({"command": "reset", "seed": seed}));
    client.done(request("sphere", [0.0; 3], json!({"scale": 0.1})));
    let keys =
        if neighbour_is_distractor { json!({"scale": 0.1, "primary_target_object": 0}) } else { json!({"scale": 0.1}) };
    client.done(request("sphere", [0.0, 9.0, 0.0], keys));
    client.notes();
    moved(&mut client, "sphere", [0.0; 3], json!({"scale": 0.1}))
}

#[test]
fn the_direction_is_by_seed_and_number_and_no_other_draw_shifts_it() {
    assert_eq!(third(1, true), third(1, true));
    assert_eq!(third(1, true), third(1, false));
    assert_ne!(third(1, true), third(2, true));
}

#[test]
fn all_four_quarters_are_drawn() {
    let mut quarters: Vec<[bool; 2]> =
        (0..40).map(|seed| third(seed, false)).map(|[x, _, z]| [x < 0.0, z < 0.0]).collect();
    quarters.sort_unstable();
    quarters.dedup();
    assert_eq!(quarters.len(), 4);
}

#[test]
fn a_distractor_that_nobody_waits_for_is_not_added() {
    let mut simulation = Simulation::on(&format!("{}[[objects]]\nname = \"box\"\n", one_agent("free", SACCADE)));
    let digest = simulation.digest();
    let object = AddObject {
        name: "cubeSolid".to_owned(),
        position_m: [0.0; 3],
        rotation_wxyz: [1.0, 0.0, 0.0, 0.0],
        scale: [1.0; 3],
        semantic_id: None,
        primary_target_object: Some(0),
        file: None,
    };
    handle(&mut simulation.session, Command::AddObject(object), &mut || false).expect_err("nobody waits");
    assert_eq!(simulation.digest(), digest);
}

/// A wide semantic view of a target of 10 cm among others, all drawn from four primitives.
fn episodes(head: &str, keys: &str) -> String {
    format!(
        "{head}\nextras = [\"contacts\"]\n[[agents]]\nid = \"{AGENT}\"\nkind = \"free\"\nposition = [0, 1.5, 3]\n\
         [[agents.sensors]]\nid = \"patch\"\nresolution = [256, 64]\nzoom = 2\nsemantic = true\n\
         [[objects]]\nname = \"sphere\"\nposition = [0, 1.2, 0]\nscale = 0.1\nsemantic_id = 77\n\
         [episodes]\ntargets = [\"cubeSolid\", \"coneSolid\"]\nscales = [0.5]\n\
         source_objects = [\"cubeSolid\", \"coneSolid\", \"cylinderSolid\", \"uvSphereSolid\"]\n{keys}\n"
    )
}

fn ids_in(reply: &Value) -> Vec<u32> {
    let mut ids = semantic(&reply["observations"][AGENT]["patch"]).pixels;
    ids.sort_unstable();
    ids.dedup();
    ids
}

#[test]
fn an_episode_has_its_distractors_beside_the_target_and_behind_it_in_the_order_of_ids() {
    let mut client = Client::waiting_on(&episodes("", "num_distractors = 5"));
    let mut seen = Vec::new();
    for index in 0..8u32 {
        let reply = client.done(json!({"command": "reset"}));
        let label = 1 + index % 2;
        assert_eq!(reply["primary_target"]["semantic_id"], label);
        assert_eq!(reply["primary_target"]["position"], json!([0.0, 1.5, 0.0]));
        let places = places(&mut client);
        assert_eq!(places.len(), 5);
        for [x, y, z] in places {
            assert!(y == 1.5 && (z / x).abs() <= 0.5, "{x} {y} {z}");
        }
        let ids = ids_in(&reply);
        assert!(ids.starts_with(&[0]) && ids.contains(&label) && ids.contains(&77), "{ids:?}");
        seen.extend(ids);
        assert_eq!(client.step(json!([]))["contacts"], json!([]));
        // The target is 0, the distractors 1 to 5, and 6 stands in the file.
        let touching = request("sphere", [0.0, 1.2, 0.0], json!({"scale": 0.1}));
        assert_eq!(client.done(touching)["object_id"], 7);
        assert_eq!(client.step(json!([]))["contacts"], json!([[6, 7]]));
    }
    assert!([3, 4].iter().all(|label| seen.contains(label)), "objects that are no targets are drawn too");
}

#[test]
fn the_target_is_no_distractor_of_its_own() {
    let keys = "num_distractors = 8\nmode = \"train\"";
    let text = episodes("", keys).replace(", \"cylinderSolid\", \"uvSphereSolid\"", "");
    let mut client = Client::waiting_on(&text);
    for index in 0..4 {
        client.done(json!({"command": "reset"}));
        let names: Vec<String> = client.notes().into_iter().map(|note| note.text).collect();
        let other = ["coneSolid", "cubeSolid"][index % 2];
        assert!(names.len() == 8 && names.iter().all(|text| text.contains(other)), "{names:?}");
    }
}

/// Everything that an episode tells.
fn play(client: &mut Client, episode: u64, seed: u64) -> [String; 3] {
    let reset = client.text(format!(r#"{{"id":1,"command":"reset","episode":{episode},"seed":{seed}}}"#));
    let digest = client.text(r#"{"id":2,"command":"digest"}"#);
    [reset, digest, format!("{:?}", places(client))]
}

#[test]
fn the_distractors_are_those_of_the_episode_and_the_seed_whatever_came_before() {
    let text = episodes("", "num_distractors = 4");
    let fresh = |episode, seed| play(&mut Client::waiting_on(&text), episode, seed);
    let mut used = Client::waiting_on(&text);
    for (episode, seed) in [(3, 0), (0, 0), (3, 7), (3, 0), (4_000_000_000, 1)] {
        assert!(play(&mut used, episode, seed) == fresh(episode, seed), "episode {episode} with seed {seed}");
        used.done(request("cubeSolid", [0.0, 1.5, 0.0], json!({"primary_target_object": 0})));
        used.done(json!({"command": "remove_all_objects"}));
        used.notes();
    }
    let different = [fresh(0, 0), fresh(2, 0), fresh(0, 1)].map(|[_, _, places]| places);
    assert!(different[0] != different[1] && different[0] != different[2], "{different:?}");
}

#[test]
fn the_number_of_distractors_changes_neither_the_target_nor_the_first_of_them() {
    let of = |count: u32| {
        let keys = format!("num_distractors = {count}\nsampler = \"random_rotation\"");
        let mut client = Client::waiting_on(&episodes("", &keys).replace("scales = [0.5]\n", ""));
        (client.done(json!({"command": "reset"}))["primary_target"].take(), places(&mut client))
    };
    let (few, many) = (of(2), of(4));
    assert_eq!((few.0, of(0).1.len()), (many.0, 0));
    assert_eq!(few.1, many.1[..2]);
}

#[test]
fn with_distractors_none_those_of_an_episode_stand_in_the_place_of_the_target() {
    let mut client = Client::waiting_on(&episodes("compat = \"mujoco\"", "num_distractors = 2"));
    client.done(json!({"command": "reset"}));
    assert_eq!(client.step(json!([]))["contacts"], json!([[0, 1], [0, 2], [1, 2]]));
    assert!(places(&mut client).iter().all(|place| is_near(place, &[0.0, 1.5, 0.0], 0.0)));
}

#[test]
fn an_episode_without_room_is_a_fault_of_its_reset_and_another_can_be_played() {
    let keys = "num_distractors = 1\nchange_every_episode = true";
    let text = episodes("", keys).replace("scales = [0.5]", "scales = [0.5, 100]");
    let mut client = Client::waiting_on(&text);
    client.done(json!({"command": "reset"}));
    let before = client.digest();
    for _ in 0..2 {
        let why = client.refused(json!({"command": "reset"}), "no_room");
        assert!(why.starts_with("episode 1: the distractor "), "{why}");
        assert_eq!(client.digest(), before);
    }
    assert_eq!(client.done(json!({"command": "reset", "episode": 2}))["episode"]["index"], 2);
}

#[test]
fn every_episode_of_the_shipped_world_has_room_for_its_ten_distractors_and_its_target_in_view() {
    let mut client = Client::waiting_on(saccade::world::shipped_world("distractors").expect("it is shipped").text);
    for _ in 0..40 {
        let sensors = json!({"patch": ["percept"], "view_finder": ["semantic"]});
        let reply = client.done(json!({"command": "reset", "extras": ["contacts"], "modalities": sensors}));
        assert_eq!(places(&mut client).len(), 10);
        let (label, seen) = (&reply["primary_target"]["semantic_id"], &reply["observations"][AGENT]);
        assert_eq!(seen["patch"]["semantic_id"], *label);
        assert_eq!(client.step(json!([]))["contacts"], json!([]));
    }
}

/// A folder as `--data` takes it.
fn scans() -> Option<Arc<dyn Source>> {
    let folder = std::env::var_os("SACCADE_MESHES").map(PathBuf::from)?;
    Some(data_source(Some(&folder), "default").unwrap_or_else(|why| panic!("SACCADE_MESHES: {why}")))
}

#[test]
fn distractors_may_be_scans() {
    let Some(source) = scans() else {
        say("left out: distractors of YCB (SACCADE_MESHES is not set)");
        return;
    };
    let names = ["banana", "cracker_box", "master_chef_can", "mustard_bottle", "power_drill", "scissors"];
    let world = one_agent("free", "\"habitat\"");
    let [mut placed, mut checked] = [(); 2].map(|()| Client::with_source(&world, Arc::clone(&source)));
    // Taken a little smaller, since of scans that all but touch the test of single triangles says that they do.
    let smaller = json!({"rotation": [0.9, 0.1, 0.4, 0.2], "scale": 0.97});
    for target in names {
        for client in [&mut placed, &mut checked] {
            client.done(json!({"command": "reset", "extras": ["contacts"]}));
            client.done(json!({"command": "remove_all_objects"}));
        }
        placed.done(request(target, [0.0, 1.5, 0.0], json!({"rotation": [0.9, 0.1, 0.4, 0.2]})));
        checked.done(request(target, [0.0, 1.5, 0.0], smaller.clone()));
        for name in names {
            let [x, y, z] = moved(&mut placed, name, [0.0, 1.5, 0.0], json!({"rotation": [0.9, 0.1, 0.4, 0.2]}));
            assert!(y == 0.0 && length([x, y, z]) < 1.0, "{name} beside {target}: {x} {y} {z}");
            checked.done(request(name, [x, 1.5, z], smaller.clone()));
        }
        assert_eq!(checked.step(json!([]))["contacts"], json!([]), "{target}");
    }
}
