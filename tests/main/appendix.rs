//! The vectors V1 to V11, V15 and V16 of appendix A of Monty's reference: where a patch's centre is, whether on the
//! object, and how much and how far the patch sees of it.

use serde_json::{Value, json};

use crate::client::{AGENT, Client};
use crate::fixture::agent;
use crate::images::depth;
use crate::prober::{is_near, location};

/// The set-up of the vectors: a 64×64 patch of zoom 10, first sensor of an agent that looks along −z.
fn set_up(kind: &str, position: &str, objects: &str) -> Client {
    let agent = agent(kind, "zoom = 10").replace("[3, 3]", "[64, 64]");
    let placed = agent.replacen("\n\n", &format!("\nposition = {position}\n\n"), 1);
    Client::on(&format!("{placed}\n{objects}"))
}

const DISTANT: [&str; 2] = ["distant", "[0, 1.5, 0.2]"];
const SURFACE: [&str; 2] = ["surface", "[0, 1.5, 0.1]"];

fn object(name: &str, position: &str, scale: f64) -> String {
    format!("[[objects]]\nname = \"{name}\"\nposition = {position}\nscale = {scale}\n")
}

/// A plane at a z that faces the agent, between two x: a sheet, whose edge is too thin for a pixel.
fn plane(z: f64, from: f64, to: f64) -> String {
    const HALF_THICKNESS: f64 = 1e-5;
    let (x, half, behind) = ((from + to) / 2.0, (to - from) / 2.0, z - HALF_THICKNESS);
    format!("[[objects]]\nname = \"box\"\nposition = [{x}, 1.5, {behind}]\nscale = [{half}, 1.0, {HALF_THICKNESS}]\n")
}

/// The plane through (0, 1.5, 0.1) whose normal is turned 30° about y: a face of a large box.
fn tilted_plane() -> String {
    let (x, z) = (-0.5, 0.1 - 0.75f64.sqrt());
    format!("[[objects]]\nname = \"box\"\nposition = [{x}, 1.5, {z}]\nrotation_deg = [0, 30, 0]\n")
}

/// What a vector says of a patch; digits as the reference prints them.
struct Vector {
    id: &'static str,
    set_up: [&'static str; 2],
    objects: String,
    actions: Value,
    location: [f64; 3],
    on_object: bool,
    coverage: f64,
    /// Least and mean, metres.
    depth_m: Option<[f64; 2]>,
}

fn vector(id: &'static str, set_up: [&'static str; 2], objects: String, location: [f64; 3]) -> Vector {
    Vector { id, set_up, objects, actions: json!([]), location, on_object: true, coverage: 1.0, depth_m: None }
}

fn vectors() -> Vec<Vector> {
    let at = "[0, 1.5, 0]";
    let turn = json!({"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 10});
    let look = json!({"action": "look_up", "agent_id": AGENT, "rotation_degrees": 5});
    let ball = || object("sphere", at, 0.1);
    let centre = [0.000_158_73, 1.499_841_27, 0.1];
    let off = |vector: Vector, coverage: f64| Vector { on_object: false, coverage, ..vector };
    let deep = |vector: Vector, least: f64, mean: f64| Vector { depth_m: Some([least, mean]), ..vector };
    let two = |near: String, far: String| near + &far;
    vec![
        deep(vector("V1", DISTANT, ball(), [0.000_158_73, 1.499_841_27, 0.099_999_75]), 0.1, 0.100_337),
        Vector {
            actions: json!([turn, look]),
            ..deep(vector("V2", DISTANT, ball(), [-0.017_818_62, 1.508_893_76, 0.097_995_57]), 0.099_647, 0.104_519)
        },
        deep(
            vector("V3", DISTANT, object("cylinderSolid", at, 1.0), [0.000_158_73, 1.499_841_27, 0.099_999_88]),
            0.1,
            0.100_168,
        ),
        deep(vector("V4", DISTANT, tilted_plane(), [0.000_158_87, 1.499_841_13, 0.099_909_7]), 0.094_622, 0.100_111),
        deep(Vector { coverage: 0.75, ..vector("V5", DISTANT, plane(0.1, -0.005, 2.0), centre) }, 0.1, 0.1),
        deep(off(vector("V6", DISTANT, plane(0.1, 0.002, 2.0), [0.001_587_3, 1.498_412_7, -0.8]), 0.406_25), 0.1, 0.1),
        deep(
            Vector {
                coverage: 0.656_25,
                ..vector("V7", DISTANT, two(plane(0.1, -0.003, 2.0), plane(0.05, -2.0, -0.003)), centre)
            },
            0.1,
            0.1,
        ),
        deep(
            Vector {
                coverage: 0.656_25,
                ..vector(
                    "V8",
                    DISTANT,
                    // The far plane begins where the near one's edge hides it.
                    two(plane(0.1, -2.0, -0.003), plane(0.05, -0.1, 2.0)),
                    [0.000_238_1, 1.499_761_9, 0.05],
                )
            },
            0.15,
            0.15,
        ),
        deep(
            vector("V9", SURFACE, object("sphere", "[0, 1.5, -0.03]", 0.1), [0.000_047_62, 1.499_952_38, 0.069_999_98]),
            0.03,
            0.030_03,
        ),
        off(vector("V10", SURFACE, plane(0.04, -2.0, 2.0), [0.000_079_37, 1.499_920_63, 0.05]), 0.0),
        off(vector("V11", DISTANT, String::new(), [0.001_587_3, 1.498_412_7, -0.8]), 0.0),
        off(vector("V16", ["distant", at], object("cubeSolid", at, 1.0), [0.001_587_3, 1.498_412_7, -1.0]), 0.0),
        // Not a vector of the appendix, but of the table below it.
        deep(vector("cubeSolid", DISTANT, object("cubeSolid", at, 1.0), centre), 0.1, 0.1),
    ]
}

#[test]
fn patches_are_those_of_the_vectors() {
    for Vector { id, set_up: [kind, position], objects, actions, location: expected, on_object, coverage, depth_m } in
        vectors()
    {
        let reply = set_up(kind, position, &objects).step(actions);
        let found = location(&reply);
        assert!(is_near(&found, &expected, 1e-6), "{id}: {found:?}, expected {expected:?}");
        let patch = &reply["observations"][AGENT]["patch"];
        assert_eq!((&patch["on_object"], &patch["object_coverage"]), (&json!(on_object), &json!(coverage)), "{id}");
        let depths =
            ["min_depth", "mean_depth"].map(|key| patch.get(key).map(|depth| depth.as_f64().expect("a number")));
        let is_right = match (depths, depth_m) {
            ([Some(least), Some(mean)], Some(expected)) => is_near(&[least, mean], &expected, 1e-6),
            ([None, None], None) => true,
            _ => false,
        };
        assert!(is_right, "{id}: {depths:?}, expected {depth_m:?}");
    }
}

#[test]
fn v15_depth_is_planar_over_a_whole_face() {
    let mut client = set_up("distant", "[0, 0, 0]", &object("box", "[0, 0, -5]", 1.0));
    let reply = client.step(json!([]));
    let depth_m = depth(&reply["observations"][AGENT]["patch"]);
    assert!(depth_m.pixels.iter().all(|depth| *depth == 4.0), "the patch sees the middle of the face");
    assert!(is_near(&location(&reply), &[0.006_349_2, -0.006_349_2, -4.0], 1e-6));
}

#[test]
fn v16_from_inside_every_pixel_is_a_miss() {
    let mut client = set_up("distant", "[0, 1.5, 0]", &object("cubeSolid", "[0, 1.5, 0]", 1.0));
    let reply = client.step(json!([]));
    assert!(depth(&reply["observations"][AGENT]["patch"]).pixels.iter().all(|depth| *depth == 0.0));
}
