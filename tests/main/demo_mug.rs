//! The mesh that comes with the binary: what it is, and that it is known by its name wherever primitives are.

use std::collections::BTreeMap;
use std::sync::Arc;

use saccade::assets::{InMemory, Located, Mesh, Nowhere, shipped_mesh};
use saccade::math::Vector;
use serde_json::{Value, json};

use crate::client::Client;
use crate::fixture::one_agent;
use crate::images::rgba;

const NAME: &str = "demo_mug";

fn mug() -> Arc<Mesh> {
    let shipped = shipped_mesh(NAME).expect("it is shipped");
    assert!(shipped.bytes.len() < 200_000, "{} bytes", shipped.bytes.len());
    Located::Shipped(shipped).load(&Nowhere).expect("it can be read").mesh
}

/// To the bit, as whole numbers that can be ordered.
fn bits(corner: &Vector) -> [u64; 3] {
    [corner.x, corner.y, corner.z].map(|part| (part + 0.0).to_bits())
}

#[test]
fn it_is_closed_and_its_faces_look_outward() {
    let mesh = mug();
    assert!((2000..=5000).contains(&mesh.triangles.len()), "{} triangles", mesh.triangles.len());
    let mut edges: BTreeMap<_, i32> = BTreeMap::new();
    let mut volume = 0.0;
    for triangle in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(triangle);
        volume += a.dot(&b.cross(c)) / 6.0;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            *edges.entry((bits(from), bits(to))).or_default() += 1;
        }
    }
    let is_paired =
        |((from, to), count): (&([u64; 3], [u64; 3]), &i32)| *count == 1 && edges.get(&(*to, *from)) == Some(&1);
    assert!(edges.iter().all(is_paired), "each edge is one of two faces, once in each direction");
    // The clay of a mug: a few of the 500 cm³ that it takes up with its inside.
    assert!((80e-6..160e-6).contains(&volume), "{volume} m³");
}

#[test]
fn it_is_8_by_10_cm_around_its_origin_with_a_handle_and_smooth() {
    let mesh = mug();
    let most = |axis: usize, sign: f64| mesh.positions.iter().map(|p| sign * p[axis]).fold(0.0, f64::max);
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    [1.0, -1.0].into_iter().for_each(|sign| near(most(1, sign), 0.05));
    [1.0, -1.0].into_iter().for_each(|sign| near(most(2, sign), 0.04));
    near(most(0, 1.0), 0.04);
    assert!((0.06..0.08).contains(&most(0, -1.0)), "the handle");
    for triangle in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(triangle);
        let flat = (b - a).cross(&(c - a));
        let normals = mesh.surfaces[triangle].normals.expect("it has normals");
        assert!(normals.iter().all(|normal| Vector::from(normal.map(f64::from)).dot(&flat) > 0.0), "{triangle}");
    }
}

#[test]
fn its_letter_reads_from_left_to_right() {
    // From 20 cm before it: the S has its upper end on the right and its lower end on the left.
    let view = one_agent("noop", "\"habitat\"")
        .replace("kind", "position = [0, 0, 0.2]\nkind")
        .replace("[3, 3]", "[101, 101]\nzoom = 3");
    let mut client = Client::on(&view);
    client.done(json!({"command": "add_object", "name": NAME}));
    let seen = rgba(&client.step(json!([]))["observations"]["agent_id_0"]["patch"]);
    let is_ink = |row: usize, column: usize| {
        let [red, green, blue, _] = seen.at(row, column);
        red > 200 && green > 180 && blue < 200
    };
    let inked = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
        rows.flat_map(|row| columns.clone().map(move |column| (row, column))).filter(|(r, c)| is_ink(*r, *c)).count()
    };
    // Between the two bows there is ink on the left above the middle and on the right below it.
    let (above, below) = (30..47, 54..71);
    assert!(inked(above.clone(), 20..42) > 40 && inked(below.clone(), 59..81) > 40);
    assert!(inked(above, 20..42) > 2 * inked(34..47, 62..81) && inked(below, 59..81) > 2 * inked(54..67, 20..39));
}

#[test]
fn it_is_known_by_name_with_the_semantic_id_of_a_mesh_and_takes_every_scale() {
    for (compat, id) in [("\"saccade\"", 0), ("\"mujoco\"", 7)] {
        let mut client = Client::on(&format!(
            "{}\n[[objects]]\nname = \"{NAME}\"\nscale = [1, 2, 0.5]\nposition = [0, 0, -1]\n",
            one_agent("noop", compat)
        ));
        assert_eq!(
            client.done(json!({"command": "add_object", "name": NAME, "scale": 20})),
            json!({"id": 2, "object_id": 1, "semantic_id": id})
        );
        let names = client.done(json!({"command": "describe"}))["objects"].clone();
        assert_eq!(names.as_array().expect("names").iter().filter(|name| **name == NAME).count(), 1);
    }
}

#[test]
fn a_name_near_to_its_own_is_answered_with_it() {
    let mut client = Client::on("");
    let why = client.refused(json!({"command": "add_object", "name": "demo_mugs"}), "unknown_object");
    assert!(why.contains("shipped meshes") && why.contains("did you mean demo_mug?"), "{why}");
    // It is no alias of YCB's mug.
    client.refused(json!({"command": "add_object", "name": "mug"}), "unknown_object");
}

#[test]
fn an_object_of_the_data_folder_goes_before_it() {
    let square = b"v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0.1 0.1 0\nv -0.1 0.1 0\nf 1 2 3 4\n";
    let depth_with = |file: &str| {
        let source = InMemory(BTreeMap::from([(format!("set/{file}.obj"), square.to_vec())]));
        let world = one_agent("noop", "\"saccade\"").replace("kind", "position = [0, 0, 0.2]\nkind");
        let mut client = Client::with_source(&format!("data = {{ root = \"set\" }}\n{world}"), Arc::new(source));
        client.done(json!({"command": "reset"}));
        client.done(json!({"command": "add_object", "name": NAME}));
        let names = client.done(json!({"command": "describe"}))["objects"].clone();
        assert_eq!(names.as_array().expect("names").iter().filter(|name| **name == NAME).count(), 1);
        client.step(json!([]))["observations"]["agent_id_0"]["patch"]["depth"][1][1].clone()
    };
    assert_eq!(depth_with(NAME), json!(0.2));
    assert_eq!(depth_with("other"), Value::from(0.16));
}
