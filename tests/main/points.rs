//! `saccade render --points`: the files hold what the sensors sensed.

use saccade::math::Vector;
use serde_json::{Value, json};

use crate::client::{AGENT, Client};
use crate::fixture::read_bytes;
use crate::images::rgba;
use crate::program::{Ran, Scratch, finish, saccade};

/// A point of a file.
struct Point {
    position: Vector,
    normal: Vector,
    color: [u8; 3],
    label: i32,
}

const HEADER: &str = "ply\nformat binary_little_endian 1.0\ncomment metres, world; label: the semantic id, or 1\n\
    element vertex COUNT\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n\
    property float nz\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty int label\nend_header\n";

fn read(ply: &[u8]) -> Vec<Point> {
    let end = ply.windows(11).position(|window| window == b"end_header\n").expect("a header") + 11;
    let (points, rest) = ply[end..].as_chunks::<31>();
    let header = HEADER.replace("COUNT", &points.len().to_string());
    assert_eq!((std::str::from_utf8(&ply[..end]), rest.len()), (Ok(&*header), 0));
    let point = |bytes: &[u8; 31]| {
        let number = |index: usize| f32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[4 * index + byte]));
        let vector = |first: usize| Vector::from([0, 1, 2].map(|axis| f64::from(number(first + axis))));
        Point {
            position: vector(0),
            normal: vector(3),
            color: [24, 25, 26].map(|byte| bytes[byte]),
            label: i32::from_le_bytes([27, 28, 29, 30].map(|byte| bytes[byte])),
        }
    };
    points.iter().map(point).collect()
}

/// A sphere of 5 cm around [0, 1, -0.3], seen from [0, 1, 0].
fn world(sensor: &str) -> String {
    format!(
        "[[agents]]\nid = \"{AGENT}\"\nkind = \"noop\"\nposition = [0, 1, 0]\n\
         [[agents.sensors]]\nid = \"patch\"\nresolution = [40, 40]\nzoom = 4\n{sensor}\n\
         [[objects]]\nname = \"sphere\"\nposition = [0, 1, -0.3]\nscale = 0.05\nsemantic_id = 9\ncolor = [0.9, 0.2, 0.4]\n"
    )
}

fn render(world: &str, options: &[&str]) -> (Scratch, Ran) {
    let scratch = Scratch::new();
    let path = scratch.file("world.toml", world);
    let ran = finish(saccade(&["render", &path]).args(options).arg("--out").arg(scratch.path("out")));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    (scratch, ran)
}

const FILE: &str = "out/agent_id_0_patch_points.ply";

fn sensed(text: &str) -> (Vec<Point>, Value) {
    let (scratch, ran) = render(text, &["--points"]);
    let points = read(&read_bytes(scratch.path(FILE)));
    let told = format!("agent_id_0_patch_points.ply  {} points", points.len());
    assert!(ran.stdout_text().lines().any(|line| line.ends_with(&told)), "{}", ran.stdout_text());
    let asked = json!({"command": "reset", "modalities": ["semantic_3d", "rgba", "object_coverage"]});
    let reply = Client::waiting_on(text).done(asked);
    (points, reply["observations"][AGENT]["patch"].clone())
}

#[test]
fn the_points_are_those_of_semantic_3d_on_the_object_in_their_pixels_colours() {
    let (points, seen) = sensed(&world("semantic = true"));
    let colors = rgba(&seen).pixels;
    let rows = seen["semantic_3d"].as_array().expect("rows").iter().zip(colors);
    let on_object: Vec<_> = rows.filter(|(row, _)| row[3] != 0.0).collect();
    assert_eq!(points.len(), on_object.len());
    assert_eq!(points.len() as f64 / 1600.0, seen["object_coverage"].as_f64().expect("a number"));
    for (point, (row, color)) in points.iter().zip(on_object) {
        let expected = Vector::from([0, 1, 2].map(|axis| row[axis].as_f64().expect("a number")));
        assert!((point.position - expected).norm() < 1e-6);
        assert_eq!((&point.color[..], point.label), (&color[..3], 9));
    }
}

#[test]
fn the_normals_of_a_sphere_are_unit_and_its_radii() {
    let (points, _) = sensed(&world(""));
    assert!(points.len() > 300, "{}", points.len());
    for Point { position, normal, label, .. } in points {
        let outward = position - Vector::new(0.0, 1.0, -0.3);
        assert!((normal.norm() - 1.0).abs() < 1e-6 && label == 1);
        assert!(normal.dot(&(Vector::y() - position)) > 0.0, "it looks at the camera");
        // Towards the silhouette neighbours are far apart.
        if outward.xy().norm() < 0.03 {
            assert!(normal.dot(&outward.normalize()) > 0.995, "{normal} at {position}");
        }
    }
}

#[test]
fn a_pipeline_of_camera_frame_and_on_object_points_alone_gives_the_same_file() {
    let file = |pipeline: &str| read_bytes(render(&world(pipeline), &["--points"]).0.path(FILE));
    let chain = |arguments: &str| {
        format!(
            "pipeline = [{{ transform = \"MissingToMaxDepth\", max_depth = 1.0 }}, \
             {{ transform = \"DepthTo3DLocations\"{arguments} }}]"
        )
    };
    assert!(file(&chain(", world_coord = false, get_all_points = false")) == file(&chain("")));
}

#[test]
fn where_nothing_is_seen_there_are_no_points_and_without_the_option_no_file() {
    let aside = world("").replace("[0, 1, -0.3]", "[0, 1, 3]");
    let (scratch, _) = render(&aside, &["--points"]);
    assert!(read(&read_bytes(scratch.path(FILE))).is_empty());
    assert!(!render(&aside, &[]).0.path(FILE).exists());
}
