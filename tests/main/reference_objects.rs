//! Monty's own tests of objects, their ids and their folders: S7 to S14 and S18 of its MuJoCo suite, H2, H3 and H9 of its Habitat
//! suite.

use std::collections::BTreeMap;
use std::sync::Arc;

use saccade::assets::{DataFolder, InMemory, Layout};
use saccade::world::{Compat, Object, ObjectSpec, Preset, Shape, Stock, place};
use serde_json::{Value, json};

use crate::client::{Client, world};
use crate::fixture::{agent, in_repository, read_bytes};
use crate::prober::{DEPTH_ROUNDING, is_near, prober};

/// A square of 0.2 m in the plane z = 0, seen from +z.
const SQUARE: &str = "v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0.1 0.1 0\nv -0.1 0.1 0\nf 1 2 3 4\n";

/// The square turned by a quarter about x, which takes y to z and z to -y, and set down at (1, 1, 1).
const SQUARE_ELSEWHERE: &str = "v 0.9 1 0.9\nv 1.1 1 0.9\nv 1.1 1 1.1\nv 0.9 1 1.1\nf 1 2 3 4\n";

const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Files of objects; each `.png` is one and the same picture.
fn files(texts: &[(&str, &str)]) -> Arc<InMemory> {
    let bytes = |path: &str, text: &str| match path.ends_with(".png") {
        true => read_bytes(in_repository("tests/assets/png_odd_size/cup/texture_map.png")),
        false => text.as_bytes().to_vec(),
    };
    Arc::new(InMemory(
        texts.iter().map(|(path, text)| ((*path).to_owned(), bytes(path, text))).collect::<BTreeMap<_, _>>(),
    ))
}

/// An agent that looks along -z from 1 m behind the origin, in a world with a data folder.
fn client(data: &str, texts: &[(&str, &str)]) -> Client {
    let agent = agent("noop", "").replacen("kind", "position = [0, 0, 1]\nkind", 1);
    let mut client = Client::with_source(&format!("modalities = [\"depth\"]\n{data}\n{agent}"), files(texts));
    client.done(json!({"command": "reset"}));
    client
}

const MUJOCO: &str = "data = { layout = \"mujoco\", root = \"ycb\" }";

const OBJECT: [(&str, &str); 2] = [("ycb/valid_object/textured.obj", SQUARE), ("ycb/valid_object/texture_map.png", "")];

fn add(name: &str) -> Value {
    json!({"command": "add_object", "name": name})
}

/// The depths of the centre pixel and of the one above it, whose ray passes 2/3 m above what is 1 m away.
fn depths(client: &mut Client) -> [f64; 2] {
    let reply = client.step(json!([]));
    let depth = &reply["observations"]["agent_id_0"]["patch"]["depth"];
    [&depth[1][1], &depth[0][1]].map(|depth| depth.as_f64().expect("a depth"))
}

fn is_the_square(client: &mut Client) -> bool {
    is_near(&depths(client), &[1.0, 0.0], DEPTH_ROUNDING)
}

#[test]
fn s7_the_metadata_of_an_object_is_the_frame_in_which_its_vertices_are_given() {
    let metadata = json!({"refpos": [1, 1, 1], "refquat": [HALF, HALF, 0, 0]}).to_string();
    let texts = [
        ("ycb/valid_object/textured.obj", SQUARE_ELSEWHERE),
        ("ycb/valid_object/texture_map.png", ""),
        ("ycb/valid_object/metadata.json", &metadata),
    ];
    let mut client = client(MUJOCO, &texts);
    client.done(add("valid_object"));
    assert!(is_the_square(&mut client), "{:?}", depths(&mut client));
}

#[test]
fn s8_the_same_object_twice_shares_one_mesh() {
    let folder = DataFolder { layout: Some(Layout::Mujoco), root: "ycb".to_owned() };
    let mut stock = Stock::new(files(&OBJECT), Some(&folder));
    let spec = world("[[objects]]\nname = \"box\"\n").objects.remove(0);
    let spec = ObjectSpec { name: "valid_object".to_owned(), ..spec };
    let compat = Compat::preset(Preset::Mujoco);
    let objects = [(); 2].map(|()| place([&spec, &spec], &compat, &mut stock).expect("it can be read"));
    let mesh_of = |object: &Object| match &object.shape {
        Shape::Mesh(shape) => Arc::as_ptr(&shape.mesh),
        other => panic!("a mesh, not {other:?}"),
    };
    let meshes: Vec<_> = objects.iter().flatten().map(mesh_of).collect();
    assert!(meshes.len() == 4 && meshes.iter().all(|mesh| *mesh == meshes[0]));
}

#[test]
fn s9_an_object_can_be_added_again_after_all_were_removed() {
    let mut client = client(MUJOCO, &OBJECT);
    for _ in 0..2 {
        assert_eq!(client.done(add("valid_object"))["object_id"], 0);
        assert!(is_the_square(&mut client));
        client.done(json!({"command": "remove_all_objects"}));
        assert_eq!(depths(&mut client), [0.0, 0.0]);
    }
}

#[test]
fn s10_an_object_from_a_folder_takes_a_scale_in_every_compat() {
    for compat in ["saccade", "mujoco", "habitat"] {
        let switches = format!("compat = {{ preset = \"{compat}\", miss_depth = 0.0 }}\n{MUJOCO}");
        let mut client = client(&switches, &OBJECT);
        let mut scaled = add("valid_object");
        scaled["scale"] = 10.into();
        client.done(scaled);
        assert!(is_near(&depths(&mut client), &[1.0, 1.0], DEPTH_ROUNDING), "{compat}");
    }
}

#[test]
fn s11_s12_without_a_folder_or_in_one_without_it_an_object_is_unknown_and_the_place_is_told() {
    let without = client("", &OBJECT).refused(add("valid_object"), "unknown_object");
    assert!(without.contains("no data folder") && without.contains("--data"), "{without}");
    let unknown = client(MUJOCO, &OBJECT).refused(add("invalid_object"), "unknown_object");
    assert!(unknown.contains("the folder ycb") && unknown.contains("did you mean valid_object?"), "{unknown}");
}

#[test]
fn s13_a_folder_without_its_picture_or_its_model_is_refused_by_the_missing_file() {
    for (there, missing) in [(0, "ycb/valid_object/texture_map.png"), (1, "ycb/valid_object/textured.obj")] {
        let why = client(MUJOCO, &OBJECT[there..=there]).refused(add("valid_object"), "asset");
        assert!(why.contains(missing), "{why}");
    }
}

#[test]
fn s14_an_object_without_metadata_is_where_its_vertices_are() {
    let mut client = client(MUJOCO, &OBJECT);
    assert_eq!(client.done(add("valid_object"))["semantic_id"], 0);
    assert!(is_the_square(&mut client));
}

#[test]
fn s18_metadata_hold_exactly_two_keys_and_what_is_missing_or_more_is_named() {
    let refused = |metadata: &str| {
        let texts = [OBJECT[0], OBJECT[1], ("ycb/valid_object/metadata.json", metadata)];
        client(MUJOCO, &texts).refused(add("valid_object"), "asset")
    };
    let right = r#"{"refpos": [0, 0, 0], "refquat": [1, 0, 0, 0]}"#;
    let texts = [OBJECT[0], OBJECT[1], ("ycb/valid_object/metadata.json", right)];
    client(MUJOCO, &texts).done(add("valid_object"));
    for (metadata, told) in [
        ("{", "JSON with an error"),
        (r#"{"refpos": [0, 0, 0]}"#, "found no refquat, expected"),
        (r#"{"refpos": [0, 0, 0], "refquat": [1, 0, 0, 0], "extra": 1}"#, "found the unknown extra, expected"),
        (r#"{"refpos": [0, 0, 0], "extra": 1}"#, "found no refquat and the unknown extra, expected"),
        (r#"{"b": 1, "a": 1}"#, "found no refpos, refquat and the unknown a, b, expected"),
    ] {
        let why = refused(metadata);
        assert!(why.contains("ycb/valid_object/metadata.json") && why.contains(told), "{why}");
    }
}

#[test]
fn h2_each_of_two_agents_has_its_own_sensors() {
    let agents = ["left", "right"].map(|id| {
        format!(
            "[[agents]]\nid = \"{id}\"\nkind = \"distant\"\n[[agents.sensors]]\nid = \"of_{id}\"\nresolution = [5, 5]\n"
        )
    });
    let reply = Client::on(&format!("compat = \"habitat\"\n{}", agents.concat())).step(json!([]));
    for id in ["left", "right"] {
        let (seen, felt) = (&reply["observations"][id], &reply["proprioceptive_state"][id]["sensors"]);
        for sensors in [seen, felt] {
            let keys: Vec<&String> = sensors.as_object().expect("a map").keys().collect();
            assert_eq!(keys, [&format!("of_{id}")]);
        }
    }
}

#[test]
fn h3_two_objects_are_two_and_none_are_left_after_their_removal() {
    let mut client = prober("\"habitat\"");
    client.done(json!({"command": "reset", "extras": ["contacts"]}));
    for (id, name) in ["cylinder", "cubeSolid"].iter().enumerate() {
        assert_eq!(client.done(add(name))["object_id"], id);
    }
    assert_eq!(client.step(json!([]))["contacts"], json!([[0, 1]]));
    client.done(json!({"command": "remove_all_objects"}));
    assert_eq!(client.step(json!([]))["contacts"], json!([]));
    assert_eq!(client.done(add("cubeSolid"))["object_id"], 0);
    assert_eq!(client.step(json!([]))["contacts"], json!([]));
}

#[test]
fn h9_a_habitat_folder_may_hold_its_configs_itself_or_below_objects_or_nothing() {
    let config = r#"{"render_asset": "test_obj.obj"}"#;
    for folder in ["ycb", "ycb/configs", "ycb/objects/ycb"] {
        let [config_path, mesh] = ["object_config.json", "obj"].map(|end| format!("{folder}/test_obj.{end}"));
        let texts = [(config_path.as_str(), config), (mesh.as_str(), SQUARE)];
        for data in ["data = { layout = \"habitat\", root = \"ycb\" }", "data = { root = \"ycb\" }"] {
            let mut client = client(data, &texts);
            let added = client.done(add("test_obj"));
            assert_eq!((&added["object_id"], &added["semantic_id"]), (&json!(0), &json!(0)), "{folder}");
            assert!(is_the_square(&mut client), "{folder}");
        }
    }
    let why = client("data = { layout = \"habitat\", root = \"ycb\" }", &[("ycb/notes.txt", "")])
        .refused(add("test_obj"), "unknown_object");
    assert!(why.contains("the folder ycb"), "{why}");
}
