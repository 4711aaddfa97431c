//! The renderer against the oracle: the same object at the same depth in every pixel that is not on an edge, and no pixel of a
//! closed mesh lost.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use saccade::assets::{InMemory, Source};
use saccade::math::{Pose, Vector};
use saccade::sensor::{Camera, ClipPlanes, Rectangle, Scene, View, Visible};
use saccade::world::{Stock, World, WorldFile, file, place};

use serde_json::json;

use crate::ball::{RADIUS_M, ball, folder};
use crate::client::Client;
use crate::fixture::properties;

/// One agent with one sensor among objects.
struct Look {
    world: World,
    size: [u32; 2],
}

impl Look {
    fn new(text: &str, source: Arc<dyn Source>) -> Self {
        let file: WorldFile = file::parse(text, &*source).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
        let mut stock = Stock::new(source, file.data.as_ref());
        let objects = place(&file.objects, &file.compat, &mut stock).expect("the test's objects can be had");
        let sensor = &file.agents[0].sensors[0];
        let size = [sensor.width, sensor.height];
        Self { world: World::new(Arc::new(file), 0, 0, objects, false), size }
    }

    fn camera(&self) -> Camera {
        Camera::new(&self.world.agents()[0].sensors()[0])
    }

    fn world_from_camera(&self) -> Pose {
        let agent = &self.world.agents()[0];
        agent.world_from_camera(&agent.sensors()[0], self.world.compat())
    }

    fn all(&self) -> Rectangle {
        let [width, height] = self.size.map(|side| i32::try_from(side).expect("a side is small"));
        Rectangle { columns: [0, width - 1], rows: [0, height - 1] }
    }

    /// The pixels as the product sees them.
    fn see(&self, pixels: Rectangle) -> Visible {
        let agent = &self.world.agents()[0];
        let view = View::new(&self.world, agent, &agent.sensors()[0], &ClipPlanes::of(&self.world));
        view.look(pixels, &mut || true).expect("nobody says no")
    }

    /// What differs from the oracle in pixels that are not on an edge.
    fn differences(&self) -> Vec<String> {
        let (seen, camera, from) = (self.see(self.all()), self.camera(), self.world_from_camera());
        let scene = Scene::new(self.world.objects(), &from, ClipPlanes::of(&self.world).near_m);
        let mut differences = Vec::new();
        for (pixel, row, column) in seen.pixels() {
            let ray = camera.ray(row as u32, column as u32);
            let found = seen.at(pixel).map(|(seen, depth_m)| (seen.object, depth_m));
            let cast = |ray| scene.cast(ray).map(|hit| (hit.object, hit.depth_m));
            if !is_same(found, cast(ray), 1e-9) && !is_on_edge(found, ray, &cast) {
                differences.push(format!("row {row}, column {column}: {found:?}, not {:?}", cast(ray)));
            }
        }
        differences
    }
}

type Met = Option<(usize, f64)>;

fn is_same(a: Met, b: Met, tolerance: f64) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some((a, near)), Some((b, far))) => a == b && (near - far).abs() <= tolerance * far,
        _ => false,
    }
}

/// Whether the oracle itself sees what was found as little aside as rounding may put an edge.
fn is_on_edge(found: Met, ray: Vector, cast: &impl Fn(Vector) -> Met) -> bool {
    const ASIDE: f64 = 1e-8;
    let around = (-1..=1).flat_map(|x| (-1..=1).map(move |y| Vector::new(f64::from(x), f64::from(y), 0.0)));
    let size = ray.amax();
    around.map(|step| ray + step * (ASIDE * size)).any(|beside| is_same(found, cast(beside), 1e-6))
}

const NAMES: [&str; 9] =
    ["sphere", "ellipsoid", "box", "cylinder", "capsule", "coneSolid", "icosphereSolid", "uvSphereSolid", "ball"];

/// An object's table at a size, anywhere within that size around the origin.
fn object(size: f64) -> impl Strategy<Value = String> {
    let place = prop::array::uniform3(-1.0..1.0f64);
    let angles = prop::array::uniform3(0.0..360.0f64);
    let aspect = prop::array::uniform3(0.2..1.0f64);
    (prop::sample::select(&NAMES[..]), place, angles, aspect).prop_map(move |(name, place, angles, aspect)| {
        let unit = match name {
            "ball" => 1.0 / RADIUS_M,
            solid if solid.ends_with("Solid") => 10.0,
            _ => 1.0,
        };
        let [position, scale] = [place.map(|part| part * size), aspect.map(|part| part * unit * size)];
        format!(
            "[[objects]]\nname = \"{name}\"\nposition = {position:?}\nrotation_deg = {angles:?}\nscale = {scale:?}\n"
        )
    })
}

/// Some objects of 1 mm to 10 m, and a camera near, far, among and within them.
fn scene() -> impl Strategy<Value = String> {
    (-3.0..1.0f64).prop_map(|power| 10f64.powf(power)).prop_flat_map(|size| {
        let place = prop::array::uniform3(-2.0..2.0f64);
        let angles = prop::array::uniform3(0.0..360.0f64);
        let camera = (1..20u32, 1..20u32, -0.3..1.5f64);
        let compat = prop::sample::select(vec!["saccade", "mujoco"]);
        let objects = prop::collection::vec(object(size), 1..5);
        (place, angles, camera, compat, objects).prop_map(
            move |(place, angles, (width, height, zoom), compat, objects)| {
                let position = place.map(|part| part * size);
                format!(
                    "compat = \"{compat}\"\ndata = {{ root = \"{}\" }}\n[[agents]]\nid = \"a\"\nkind = \"free\"\n\
                 position = {position:?}\nrotation_deg = {angles:?}\n[[agents.sensors]]\nid = \"patch\"\n\
                 resolution = [{width}, {height}]\nzoom = {}\n{}",
                    folder().root,
                    10f64.powf(zoom),
                    objects.concat()
                )
            },
        )
    })
}

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn every_pixel_off_an_edge_sees_what_the_oracle_sees(text in scene()) {
        let differences = Look::new(&text, Arc::new(ball(12, 6, 1))).differences();
        prop_assert!(differences.is_empty(), "{}\n{}", text, differences.join("\n"));
    }
}

proptest! {
    #![proptest_config(properties())]

    /// A step that asks for percepts alone draws no other pixel than the centre's.
    #[test]
    fn the_centres_colour_drawn_alone_is_the_one_in_the_image(text in scene(), antialiasing in any::<bool>()) {
        let text = text.replace("id = \"patch\"", &format!("id = \"patch\"\nantialiasing = {antialiasing}"));
        let source: Arc<dyn Source> = Arc::new(ball(12, 6, 64));
        let ask = |modality: &str| {
            let mut client = Client::with_source(&text, Arc::clone(&source));
            let reply = client.done(json!({"command": "reset", "modalities": [modality]}));
            reply["observations"]["a"]["patch"][modality].clone()
        };
        let [alone, image] = ["center_rgba", "rgba"].map(ask);
        let rows = image.as_array().expect("rows");
        let row = rows[rows.len() / 2].as_array().expect("pixels");
        prop_assert_eq!(&alone, &row[row.len() / 2], "{}", text);
    }
}

/// A ball of 5 cm before a camera at a distance from its centre, turned somehow.
fn before_the_ball(distance: f64, zoom: f64, angles: [f64; 3], aside: [f64; 2]) -> String {
    format!(
        "data = {{ root = \"{}\" }}\n[[agents]]\nid = \"a\"\nkind = \"free\"\nposition = [{}, {}, {distance}]\n\
         [[agents.sensors]]\nid = \"patch\"\nresolution = [64, 64]\nzoom = {zoom}\n\
         [[objects]]\nname = \"ball\"\nrotation_deg = {angles:?}\n",
        folder().root,
        aside[0],
        aside[1],
    )
}

/// Pixels whose rays pass well within the mesh and yet see nothing, or something farther than its middle.
fn lost(look: &Look) -> usize {
    // The mesh's waves are 2 % high, and its facets cut less than 3 % off.
    let sure = 0.95 * RADIUS_M;
    let (seen, camera, from) = (look.see(look.all()), look.camera(), look.world_from_camera());
    let passes = |row: usize, column: usize| {
        let direction = from.rotation * camera.ray(row as u32, column as u32);
        let middle = -from.translation.vector.dot(&direction) / direction.norm_squared();
        let miss = (from.translation.vector + direction * middle).norm();
        (middle > 0.0 && miss < sure).then_some(middle)
    };
    let lost = seen.pixels().filter(|(pixel, row, column)| {
        passes(*row, *column).is_some_and(|middle| seen.at(*pixel).is_none_or(|(_, depth_m)| depth_m > middle))
    });
    lost.count()
}

#[test]
fn no_pixel_within_a_closed_mesh_is_lost() {
    let sources: [Arc<dyn Source>; 3] =
        [Arc::new(ball(24, 12, 1)), Arc::new(ball(128, 64, 1)), Arc::new(ball(512, 245, 1))];
    let mut turn = 0.0;
    for (source, views) in sources.into_iter().zip([60, 30, 6]) {
        for view in 0..views {
            turn += 37.3;
            let angles = [turn, 1.7 * turn, 2.3 * turn];
            // From 0.02 m before the surface, where triangles cross the camera's plane, to where they are far below a pixel.
            let distance = [0.0702, 0.1, 0.2, 1.0, 5.0][view % 5];
            let zoom = [0.5, 1.0, 3.0, 10.0][view % 4];
            let aside = [0.01 * (view % 3) as f64 * distance, -0.013 * (view % 2) as f64];
            let text = before_the_ball(distance, zoom, angles, aside);
            assert_eq!(lost(&Look::new(&text, Arc::clone(&source))), 0, "{text}");
        }
    }
}

#[test]
fn the_test_for_lost_pixels_sees_a_hole() {
    let text = before_the_ball(0.2, 3.0, [0.0; 3], [0.0; 2]);
    let source: Arc<dyn Source> = Arc::new(ball(24, 12, 1));
    assert_eq!(lost(&Look::new(&text, Arc::clone(&source))), 0);
    let without = text.split("[[objects]]").next().expect("a text has a beginning");
    assert!(lost(&Look::new(without, source)) > 1000);
}

#[test]
fn a_pixel_seen_alone_is_the_same_to_the_bit_as_in_its_image() {
    for name in ["ball", "box", "cylinder", "capsule", "coneSolid", "uvSphereSolid", "sphere", "ellipsoid"] {
        let size = if name == "ball" { 1.0 } else { 0.05 };
        let size = if name.ends_with("Solid") { 0.5 } else { size };
        let text = before_the_ball(0.2, 1.5, [20.0, 40.0, 60.0], [0.01, 0.0])
            .replace("\"ball\"", &format!("\"{name}\"\nscale = {size}"));
        let look = Look::new(&text, Arc::new(ball(128, 64, 1)));
        let whole = look.see(look.all());
        let mut hits = 0;
        for (pixel, row, column) in whole.pixels() {
            let [row, column] = [row, column].map(|at| i32::try_from(at).expect("small"));
            let alone = look.see(Rectangle { columns: [column; 2], rows: [row; 2] });
            assert_eq!(alone.at(0), whole.at(pixel), "{name}: row {row}, column {column}");
            hits += usize::from(alone.at(0).is_some());
        }
        assert!(hits > 300, "{name}: {hits}");
    }
}

/// A look at a mesh of this text, with these keys, from a distance along z.
fn before_mesh(obj: String, keys: &str, distance: f64, resolution: u32, zoom: f64) -> Look {
    let text = format!(
        "[[agents]]\nid = \"a\"\nkind = \"free\"\nposition = [0, 0, {distance}]\n[[agents.sensors]]\nid = \"patch\"\n\
         resolution = [{resolution}, {resolution}]\nzoom = {zoom}\n[[objects]]\nname = \"mesh\"\nfile = \"mesh.obj\"\n{keys}"
    );
    Look::new(&text, Arc::new(InMemory(BTreeMap::from([("mesh.obj".to_owned(), obj.into_bytes())]))))
}

/// The inside of a box around the origin.
fn room() -> String {
    let mut text = String::new();
    for corner in 0..8 {
        let [x, y, z] = [4, 2, 1].map(|bit| if corner & bit == 0 { -1 } else { 1 });
        writeln!(text, "v {x} {y} {z}").expect("a string takes all");
    }
    text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

#[test]
fn rays_along_an_axis_see_whichever_sign_the_zeros_of_their_directions_have() {
    for turn in 0..64 {
        let angles = [turn % 4 * 90, turn / 4 % 4 * 90, turn / 16 * 90];
        let look = before_mesh(room(), &format!("rotation_deg = {angles:?}"), 0.0, 3, 1.0);
        // Alone, a pixel is seen by a ray.
        for (row, column) in (0..9).map(|pixel| (pixel / 3, pixel % 3)) {
            let alone = look.see(Rectangle { columns: [column; 2], rows: [row; 2] });
            assert!(alone.at(0).is_some(), "turned by {angles:?}: row {row}, column {column}");
        }
    }
}

/// Triangles in planes through the z axis, both sides of each.
fn fan() -> String {
    let mut text = String::new();
    for k in 0..37u32 {
        for corner in 0..3u32 {
            let (aside, along) = ((k * 7 + corner * 13) % 11, (k * 5 + corner * 17) % 13);
            let (aside, z) = ((f64::from(aside) - 5.0) / 100.0, (f64::from(along) - 6.0) / 60.0);
            let [x, y] = [f64::from(k + 1), 37.0 - f64::from(k)].map(|part| part * aside / 37.0);
            writeln!(text, "v {x} {y} {z}").expect("a string takes all");
        }
        let [a, b, c] = [1, 2, 3].map(|corner| 3 * k + corner);
        writeln!(text, "f {a} {b} {c}\nf {a} {c} {b}").expect("a string takes all");
    }
    text
}

#[test]
fn a_pixel_that_sees_triangles_from_their_edge_is_the_same_alone_and_in_its_image() {
    for distance in (0..40).map(|step| 0.2 + 0.013 * f64::from(step)) {
        let look = before_mesh(fan(), "", distance, 5, 3.0);
        let whole = look.see(look.all());
        for (pixel, row, column) in whole.pixels() {
            let [row, column] = [row, column].map(|at| i32::try_from(at).expect("small"));
            let alone = look.see(Rectangle { columns: [column; 2], rows: [row; 2] });
            assert_eq!(alone.at(0), whole.at(pixel), "from {distance} m: row {row}, column {column}");
        }
    }
}

#[test]
fn rays_before_triangles_that_all_stand_at_one_place_ask_whether_somebody_waits() {
    let stack = "v -1 -1 0\nv 1 -1 0\nv 0 1 0\n".to_owned() + &"f 1 2 3\n".repeat(20_000);
    let look = before_mesh(stack, "", 0.5, 16, 10.0);
    let (agent, planes) = (&look.world.agents()[0], ClipPlanes::of(&look.world));
    let view = View::new(&look.world, agent, &agent.sensors()[0], &planes);
    let mut asked = 0;
    let seen = view.look(look.all(), &mut || {
        asked += 1;
        true
    });
    let seen = seen.expect("nobody says no");
    assert!(asked > 0);
    // Of triangles at one depth the first of the mesh, whether by rays or not.
    assert!(seen.pixels().all(|(pixel, ..)| seen.at(pixel).is_some_and(|(seen, _)| seen.triangle == 0)));
}
