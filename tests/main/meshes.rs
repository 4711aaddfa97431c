//! Meshes in worlds: names and files, episodes, scales, contacts, and files that nobody should have written.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use saccade::assets::{InMemory, Located};
use saccade::world::file;
use serde_json::{Value, json};

use crate::client::Client;
use crate::fixture::agent;

/// A square of 0.2 m in the plane z = 0, seen from +z.
const SQUARE: &str = "v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0.1 0.1 0\nv -0.1 0.1 0\nf 1 2 3 4\n";

fn source(files: &[(&str, &str)]) -> InMemory {
    InMemory(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect::<BTreeMap<_, _>>(),
    )
}

/// An agent that looks along -z from 1 m behind the origin.
fn world(keys: &str) -> String {
    format!("modalities = [\"depth\"]\n{keys}\n{}", agent("noop", "").replacen("kind", "position = [0, 0, 1]\nkind", 1))
}

fn client(keys: &str, files: &[(&str, &str)]) -> Client {
    Client::with_source(&world(keys), Arc::new(source(files)))
}

fn depth(reply: &Value, row: usize, column: usize) -> f64 {
    reply["observations"]["agent_id_0"]["patch"]["depth"][row][column].as_f64().expect("a depth")
}

#[test]
fn a_file_is_an_object_at_any_scale_also_one_for_each_axis() {
    let mut client = client("", &[("a/square.obj", SQUARE)]);
    client.done(json!({"command": "reset"}));
    // The outer pixels of 3 x 3 at 90° look 2/3 m aside.
    for (scale, seen) in
        [(json!(1), [false, false]), (json!([10, 1, 1]), [true, false]), (json!([1, 10, 3]), [false, true])]
    {
        let added = json!({"command": "add_object", "name": "it", "file": "a/../a/square.obj", "scale": scale});
        client.done(added);
        let reply = client.step(json!([]));
        assert!((depth(&reply, 1, 1) - 1.0).abs() < 1e-6, "{scale}");
        assert_eq!([depth(&reply, 1, 0) > 0.0, depth(&reply, 0, 1) > 0.0], seen, "{scale}");
        client.done(json!({"command": "remove_all_objects"}));
    }
}

#[test]
fn a_mesh_that_a_semantic_sensor_takes_for_background_is_warned_of() {
    let files = [("square.obj", SQUARE)];
    let notes_of = |sensor: &str, id: &str| {
        let keys = format!("modalities = [\"depth\"]\n{}", agent("noop", sensor));
        let mut client = Client::with_source(&keys, Arc::new(source(&files)));
        client.done(json!({"command": "reset"}));
        let mut object = json!({"command": "add_object", "name": "it", "file": "square.obj"});
        if !id.is_empty() {
            object["semantic_id"] = json!(id.parse::<u32>().expect("an id"));
        }
        client.done(object);
        client.notes().iter().filter(|note| note.text.contains("take for background")).count()
    };
    assert_eq!([notes_of("semantic = true", ""), notes_of("semantic = true", "0")], [1, 1]);
    assert_eq!([notes_of("semantic = true", "3"), notes_of("", "")], [0, 0]);
}

#[test]
fn names_of_the_data_folder_are_known_exactly_or_without_their_number() {
    let files = [("set/025_mug.obj", SQUARE), ("set/mugs.obj", SQUARE)];
    let mut client = client("data = { root = \"set\" }", &files);
    client.done(json!({"command": "reset"}));
    let objects = client.done(json!({"command": "describe"}))["objects"].clone();
    assert!(objects.as_array().is_some_and(|all| all.contains(&json!("025_mug"))), "{objects}");
    for name in ["025_mug", "mug", "mugs"] {
        client.done(json!({"command": "add_object", "name": name}));
    }
    for name in ["ug", "Mug", "mugs.obj", "../set/mugs", "25_mug", ""] {
        client.refused(json!({"command": "add_object", "name": name}), "unknown_object");
    }
    let why = client.refused(json!({"command": "add_object", "name": "mugz"}), "unknown_object");
    assert!(why.contains("did you mean mugs?") && why.contains("the folder set"), "{why}");
}

#[test]
fn a_primitive_keeps_its_name_unless_a_file_is_given() {
    let files = [("set/box.obj", SQUARE)];
    let mut client = client("data = { layout = \"plain\", root = \"set\" }", &files);
    client.done(json!({"command": "reset"}));
    client.done(json!({"command": "add_object", "name": "box", "scale": 0.5}));
    assert_eq!(depth(&client.step(json!([])), 1, 1), 0.5);
    client.done(json!({"command": "remove_all_objects"}));
    client.done(json!({"command": "add_object", "name": "box", "file": "set/box.obj", "scale": 0.5}));
    assert_eq!(depth(&client.step(json!([])), 1, 1), 1.0);
}

#[test]
fn a_broken_target_is_told_by_the_reset_that_plays_it_and_another_episode_can_be_played() {
    let files = [("set/good.obj", SQUARE), ("set/bad.obj", "v 0 0 0\nf 1 2 3\n")];
    let episodes =
        "data = { root = \"set\" }\nepisodes = { targets = [\"good\", \"bad\", \"good\"], positions = [[0, 0, 0]] }";
    let mut client = client(episodes, &files);
    client.done(json!({"command": "reset"}));
    let before = client.digest();
    for _ in 0..2 {
        let why = client.refused(json!({"command": "reset"}), "asset");
        assert!(why.contains("set/bad.obj: line 2: found vertex 2"), "{why}");
        assert_eq!(client.digest(), before);
    }
    assert_eq!(client.done(json!({"command": "reset", "episode": 2}))["episode"]["index"], 2);
    let unknown = world(&episodes.replace("\"bad\"", "\"worse\""));
    assert!(file::parse(&unknown, &source(&files)).is_err_and(|problems| problems[0].expected.contains("not known")));
}

#[test]
fn the_same_object_added_again_has_the_same_digest_and_another_file_another_one() {
    let digest_of = |text: &str| {
        let mut client = client("", &[("it.obj", text)]);
        client.done(json!({"command": "reset"}));
        client.done(json!({"command": "add_object", "name": "it", "file": "it.obj"}));
        client.digest()
    };
    assert_eq!(digest_of(SQUARE), digest_of(&format!("# another comment\n{SQUARE}")));
    assert_ne!(digest_of(SQUARE), digest_of(&SQUARE.replace("-0.1", "-0.2")));
}

#[test]
fn meshes_touch_what_they_cut() {
    let mut client = client("extras = [\"contacts\"]", &[("it.obj", SQUARE)]);
    client.done(json!({"command": "reset"}));
    client.done(json!({"command": "add_object", "name": "it", "file": "it.obj"}));
    for (x, z) in [(0.05, 0.0), (0.0, 0.3)] {
        client.done(json!({"command": "add_object", "name": "sphere", "scale": 0.02, "position": [x, 0, z]}));
    }
    assert_eq!(client.step(json!([]))["contacts"], json!([[0, 1]]));
}

#[test]
fn a_mesh_far_from_its_own_origin_touches_what_it_cuts() {
    let aside = "v 4.9 -0.1 0\nv 5.1 -0.1 0\nv 5.1 0.1 0\nv 4.9 0.1 0\nf 1 2 3 4\n";
    let mut client = client("extras = [\"contacts\"]", &[("it.obj", aside)]);
    client.done(json!({"command": "reset"}));
    client.done(json!({"command": "add_object", "name": "it", "file": "it.obj"}));
    for x in [5.0, 0.0] {
        client.done(json!({"command": "add_object", "name": "sphere", "scale": 0.02, "position": [x, 0, 0]}));
    }
    assert_eq!(client.step(json!([]))["contacts"], json!([[0, 1]]));
}

#[test]
fn objects_of_one_name_share_nothing_across_files() {
    let mut client = client("", &[("a.obj", SQUARE), ("b.obj", &SQUARE.replace(" 0\n", " 0.25\n"))]);
    client.done(json!({"command": "reset"}));
    let files = [(json!({"file": "a.obj"}), 1.0, 0), (json!({"file": "b.obj"}), 0.75, 0), (json!({}), 0.5, 6)];
    for (mut request, depth_m, id) in files {
        request["command"] = "add_object".into();
        request["name"] = "box".into();
        // The box is 2 m wide.
        request["position"] = json!([0, 0, if id == 6 { -0.5 } else { 0.0 }]);
        let added = client.done(request);
        assert_eq!((depth(&client.step(json!([])), 1, 1), &added["semantic_id"]), (depth_m, &json!(id)));
    }
}

#[test]
fn a_mesh_that_would_reach_too_far_is_out_of_range() {
    let mut client = client("", &[("it.obj", &SQUARE.replace("0.1", "1000"))]);
    client.done(json!({"command": "reset"}));
    client.refused(json!({"command": "add_object", "name": "it", "file": "it.obj", "scale": 1e6}), "out_of_range");
    client.done(json!({"command": "add_object", "name": "it", "file": "it.obj", "scale": 1000}));
}

#[test]
fn a_data_folder_that_is_not_there_is_a_problem_of_the_world_file() {
    let problems = file::parse(&world("data = { layout = \"mujoco\", root = \"nowhere\" }"), &source(&[("a/b", "")]));
    assert!(problems.is_err_and(|problems| problems[0].key == "data.root"));
    let problems = file::parse(&world("data = { layout = \"mujoko\", root = \"a\" }"), &source(&[("a/b", "")]));
    assert!(problems.is_err_and(|problems| problems[0].expected.contains("did you mean mujoco?")));
}

/// Why a file is refused.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let source = InMemory(BTreeMap::from([(name.to_owned(), bytes.to_vec())]));
    match Located::File(name.to_owned()).load(&source) {
        Ok(_) => panic!("{name} is taken"),
        Err(error) => error.to_string(),
    }
}

fn glb(json: &Value) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = |bytes: usize| u32::try_from(bytes).expect("short").to_le_bytes();
    [b"glTF", &length(2)[..], &length(20 + text.len()), &length(text.len()), b"JSON", &text].concat()
}

/// A triangle of corners with normals, below a node with a scale; each number is an f32.
fn scaled_triangle(scale: [f32; 3], normal: [f32; 3]) -> Vec<u8> {
    let numbers = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], normal, normal, normal];
    let bytes: Vec<u8> = numbers.concat().iter().flat_map(|number| number.to_le_bytes()).collect();
    let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes));
    let accessor = |offset: usize| {
        json!({"bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": 3, "type": "VEC3",
               "min": [0, 0, 0], "max": [1, 1, 1]})
    };
    glb(
        &json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "scale": scale}],
                "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}}]}],
                "accessors": [accessor(0), accessor(36)], "buffers": [{"byteLength": 72, "uri": uri}],
                "bufferViews": [{"buffer": 0, "byteLength": 72}]}),
    )
}

/// What its first triangle has.
fn normals(name: &str, bytes: Vec<u8>) -> [[f32; 3]; 3] {
    let source = InMemory(BTreeMap::from([(name.to_owned(), bytes)]));
    let loaded = Located::File(name.to_owned()).load(&source).unwrap_or_else(|error| panic!("{error}"));
    loaded.mesh.surfaces[0].normals.expect("the file has normals")
}

#[test]
fn normals_have_length_1_whatever_the_format() {
    for length in [1e-30, 0.1, 1.0, 10.0, 1e30_f32] {
        let obj = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 {length}\nvn 0 1 0\nf 1//1 2//1 3//2\n");
        assert_eq!(
            normals("it.obj", obj.into_bytes()),
            [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
            "{length}"
        );
        let ply = format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             property float nx\nproperty float ny\nproperty float nz\nelement face 1\n\
             property list uchar int vertex_index\nend_header\n0 0 0 0 0 {length}\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n"
        );
        assert_eq!(normals("it.ply", ply.into_bytes()), [[0.0, 0.0, 1.0]; 3], "{length}");
        assert_eq!(normals("it.glb", scaled_triangle([1.0; 3], [0.0, 0.0, length])), [[0.0, 0.0, 1.0]; 3], "{length}");
    }
    assert_eq!(normals("it.glb", scaled_triangle([1.0; 3], [0.0; 3])), [[0.0; 3]; 3]);
}

#[test]
fn a_mirrored_node_mirrors_its_normals() {
    for [x, y] in [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]] {
        let [[nx, ny, nz], ..] = normals("it.glb", scaled_triangle([x, y, 1.0], [0.6, 0.0, 0.8]));
        assert!((nx - 0.6 * x).abs() < 1e-6 && ny.abs() < 1e-6 && (nz - 0.8).abs() < 1e-6, "{x} {y}: {nx} {ny} {nz}");
    }
}

#[test]
fn a_corner_without_a_number_is_refused() {
    check(refusal("it.glb", &scaled_triangle([1.0; 3], [0.0, f32::NAN, 1.0])), "the normal [NaN");
    check(refusal("it.glb", &scaled_triangle([1.0; 3], [0.0, f32::INFINITY, 1.0])), "the normal [NaN");
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
               property float s\nproperty float t\nelement face 1\nproperty list uchar int vertex_index\nend_header\n\
               0 0 0 nan 0\n1 0 0 0 0\n0 1 0 0 0\n3 0 1 2\n";
    check(refusal("it.ply", ply.as_bytes()), "line 14: found the texture coordinate [NaN");
}

fn check(why: String, told: &str) {
    assert!(why.contains(told), "{why}");
}

#[test]
fn hostile_gltf_is_refused() {
    let scene = json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}]});
    let with = |keys: Value| {
        let mut whole = scene.clone();
        whole.as_object_mut().expect("an object").extend(keys.as_object().expect("an object").clone());
        refusal("it.glb", &glb(&whole))
    };
    let triangle = |accessor: Value| {
        json!({"nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
               "accessors": [accessor], "buffers": [{"byteLength": 3, "uri": "data:application/octet-stream;base64,AAAA"}],
               "bufferViews": [{"buffer": 0, "byteLength": u32::MAX, "byteOffset": u32::MAX}]})
    };
    let accessor = |count: u64, view: Value| {
        let mut accessor =
            json!({"componentType": 5126, "count": count, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]});
        if !view.is_null() {
            accessor["bufferView"] = view;
        }
        accessor
    };
    check(with(json!({"nodes": [{"children": [0]}]})), "in a circle");
    let doubling: Vec<Value> = (1..60).map(|next| json!({"children": [next, next]})).chain([json!({})]).collect();
    check(with(json!({"nodes": doubling})), "more than 100000 nodes");
    check(with(triangle(accessor(u64::from(u32::MAX), json!(0)))), "4294967295 items");
    check(with(triangle(accessor(3, json!(0)))), "buffer view 0");
    check(with(triangle(accessor(3, Value::Null))), "accessors[0].bufferView");
    let nowhere = json!({"nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]});
    check(with(nowhere), "POSITION in accessor 0 of 0");
    let picture = json!({"nodes": [{}], "images": [{}], "textures": [{"source": 0}],
                         "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]});
    check(with(picture), "image 0 without");
    let optional_basis = json!({"nodes": [{}], "extensionsUsed": ["KHR_texture_basisu"],
        "textures": [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]});
    check(with(optional_basis), "KHR_texture_basisu");
    assert!(refusal("it.glb", b"glTF\x02\0\0\0\xff\xff\xff\xff").contains("truncated"));
}

#[test]
fn hostile_text_is_refused_by_its_line() {
    for (name, text, told) in [
        ("a.obj", "v 0 0 0\nf 1 1\n", "line 2: found a face of 2 corners"),
        ("a.obj", "v 0 0 0\nf 0 1 1\n", "line 2: found the corner 0"),
        ("a.obj", "v 0 0 0\nf -2 1 1\n", "line 2: found the corner -2"),
        ("a.obj", "v 0 0 0\nf 1/1 1 1\n", "line 2: found vt 1"),
        ("a.obj", "v 0 0 1e300\n", "line 1: found the vertex"),
        ("a.obj", "v 0 0\n", "line 1: found 2 numbers behind v"),
        ("a.obj", "f 99999999999999999999 1 1\n", "line 1: found the corner"),
        ("a.stl", "solid x\nvertex 0 0\n", "line 2: found a vertex without three numbers"),
        ("a.stl", "solid x\nfacet\nvertex 0 0 0\n", "its end inside a loop"),
        ("a.ply", "ply\nformat ascii 1.0\nelement face 9\nend_header\n", "faces without a list"),
        (
            "a.ply",
            "ply\nformat ascii 1.0\nelement face 1\nproperty list uint int vertex_index\nend_header\n4000000000",
            "more than 512 corners",
        ),
        ("a.ply", "ply\nelement vertex 99999999999999999999\n", "line 2: found element vertex"),
        ("a.ply", "plywood\n", "line 1: found plywood"),
        ("a.txt", "", "a file that ends in \"txt\""),
        ("a.gltf", "{", "JSON with an error"),
    ] {
        let why = refusal(name, text.as_bytes());
        assert!(why.starts_with(name) && why.contains(told), "{text:?}: {why}");
    }
    let many = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf{}\n", " 1 2 3".repeat(200));
    assert!(refusal("a.obj", many.as_bytes()).contains("line 4: found more than 512 corners of one face"));
}
