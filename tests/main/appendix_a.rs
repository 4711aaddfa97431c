//! What a sensor's percept says of simple scenes: the vectors V1 to V11 of appendix A of Monty's reference, over the wire.

use serde_json::{Value, json};

use crate::client::{AGENT, Client};
use crate::fixture::agent;
use crate::percept::numbers;
use crate::prober::is_near;

/// The reference's own suggestions: normals, and curvatures in 1/m.
const NORMAL_TOLERANCE: f64 = 2e-4;
const CURVATURE_TOLERANCE: f64 = 2e-2;

/// A box of 0.2 m before a patch of 64×64 with zoom 10: `turned` about y, `scale` along z.
fn slab(position: [f64; 3], turned_deg: f64, scale: f64) -> String {
    let [x, y, z] = position;
    format!(
        "[[objects]]\nname = \"cubeSolid\"\nposition = [{x}, {y}, {z}]\nrotation_deg = [0, {turned_deg}, 0]\n\
         scale = [1, 1, {scale}]\n"
    )
}

fn sphere(z: f64) -> String {
    format!("[[objects]]\nname = \"sphere\"\nposition = [0, 1.5, {z}]\nscale = 0.1\n")
}

fn client_before(kind: &str, z: f64, percept: &str, objects: &str) -> Client {
    let sensor = format!("zoom = 10\nmodalities = [\"percept\"]\n{percept}");
    let agent = agent(kind, &sensor).replace("[3, 3]", "[64, 64]");
    let placed = agent.replacen("\n\n", &format!("\nposition = [0, 1.5, {z}]\n\n"), 1);
    Client::on(&format!("{placed}\n{objects}"))
}

fn percept_of(client: &mut Client, actions: Value) -> Value {
    client.step(actions)["observations"][AGENT]["patch"].take()
}

fn distant(objects: &str) -> Value {
    percept_of(&mut client_before("distant", 0.2, "", objects), json!([]))
}

fn number(percept: &Value, key: &str) -> f64 {
    percept[key].as_f64().unwrap_or_else(|| panic!("{key} in {percept}"))
}

/// Location, normal, principal curvatures, and that the directions are not defined.
fn check(id: &str, percept: &Value, location: [f64; 3], normal: [f64; 3], curvatures: [f64; 2]) {
    assert!(is_near(&numbers(&percept["location"]), &location, 1e-6), "{id}: {percept}");
    assert!(is_near(&numbers(&percept["pose_vectors"][0]), &normal, NORMAL_TOLERANCE), "{id}: {percept}");
    assert!(is_near(&numbers(&percept["principal_curvatures"]), &curvatures, CURVATURE_TOLERANCE), "{id}: {percept}");
    assert_eq!((&percept["on_object"], &percept["pose_fully_defined"]), (&json!(true), &json!(false)), "{id}");
}

fn check_depths(id: &str, percept: &Value, coverage: f64, least: f64, mean: f64) {
    let found = ["object_coverage", "min_depth", "mean_depth"].map(|key| number(percept, key));
    assert!(is_near(&found, &[coverage, least, mean], 1e-6), "{id}: {percept}");
}

const IN_FRONT: [f64; 3] = [0.000_158_73, 1.499_841_27, 0.1];
const TOWARDS_CAMERA: [f64; 3] = [0.0, 0.0, 1.0];

#[test]
fn v1_a_sphere() {
    let percept = distant(&sphere(0.0));
    let at = [0.000_158_73, 1.499_841_27, 0.099_999_75];
    check("V1", &percept, at, [0.001_552, -0.001_552, 0.999_998], [-9.724_375, -9.724_408]);
    check_depths("V1", &percept, 1.0, 0.1, 0.100_337);
    for (key, expected, tolerance) in [
        ("gaussian_curvature", 94.5638, 0.4),
        ("mean_curvature", -9.72439, CURVATURE_TOLERANCE),
        ("gaussian_curvature_sc", 9.72439, CURVATURE_TOLERANCE),
        ("mean_curvature_sc", -3.118_396, 4e-3),
    ] {
        assert!((number(&percept, key) - expected).abs() < tolerance, "{key}: {percept}");
    }
    assert!(is_near(&numbers(&percept["principal_curvatures_log"]), &[-2.372_52; 2], 2e-3), "{percept}");
}

#[test]
fn v1_by_each_method_of_the_normal() {
    for (method, x) in [("TLS", 0.001_552), ("OLS", 0.001_547), ("naive", 0.001_542)] {
        let keys = format!("percept = {{ surface_normal = \"{method}\" }}");
        let percept = percept_of(&mut client_before("distant", 0.2, &keys, &sphere(0.0)), json!([]));
        let normal = numbers(&percept["pose_vectors"][0]);
        assert!(is_near(&normal, &[x, -x, 0.999_998], 2e-6), "{method}: {normal:?}");
    }
}

#[test]
fn v2_a_sphere_after_a_turn_and_a_look() {
    let mut client = client_before("distant", 0.2, "", &sphere(0.0));
    client.done(json!({"command": "reset", "modalities": ["percept", "cam_to_world"]}));
    let turn = json!({"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 10});
    let look = json!({"action": "look_up", "agent_id": AGENT, "rotation_degrees": 5});
    let percept = percept_of(&mut client, json!([turn, look]));
    let at = [-0.017_818_62, 1.508_893_76, 0.097_995_57];
    check("V2", &percept, at, [-0.175_96, 0.087_834, 0.980_471], [-9.7532, -9.805_094]);
    check_depths("V2", &percept, 1.0, 0.099_647, 0.104_519);
    assert!((number(&percept, "gaussian_curvature") - 95.631_04).abs() < 0.4, "{percept}");
    let expected = json!([
        [0.984_808, 0.015_134, 0.172_987, 0.0],
        [0.0, 0.996_195, -0.087_156, 1.5],
        [-0.173_648, 0.085_832, 0.981_06, 0.2],
        [0.0, 0.0, 0.0, 1.0]
    ]);
    assert!(is_near(&numbers(&percept["cam_to_world"]), &numbers(&expected), 1e-6), "{percept}");
}

#[test]
fn v3_a_cylinder_bends_across_its_axis() {
    let percept = distant("[[objects]]\nname = \"cylinderSolid\"\nposition = [0, 1.5, 0]\n");
    let at = [0.000_158_73, 1.499_841_27, 0.099_999_88];
    check("V3", &percept, at, [0.001_547, -1e-6, 0.999_999], [0.0, -9.710_101]);
    assert!((number(&percept, "mean_depth") - 0.100_168).abs() < 1e-6, "{percept}");
    assert!((number(&percept, "mean_curvature_sc") + 2.203_418).abs() < 4e-3, "{percept}");
    assert!(numbers(&percept["pose_vectors"][1])[1].abs() > 1.0 - 1e-6, "{percept}");
}

#[test]
fn v4_a_tilted_plane_by_each_method_of_the_normal() {
    let (sine, cosine) = (0.5, 0.75f64.sqrt());
    let plane = slab([-0.1 * sine, 1.5, 0.1 - 0.1 * cosine], 30.0, 1.0);
    for method in ["TLS", "OLS", "naive"] {
        let keys = format!("percept = {{ surface_normal = \"{method}\" }}");
        let percept = percept_of(&mut client_before("distant", 0.2, &keys, &plane), json!([]));
        let at = [0.000_158_87, 1.499_841_13, 0.099_909_7];
        check(&format!("V4 {method}"), &percept, at, [0.494_106, 0.0, 0.869_401], [0.0, 0.0]);
        check_depths("V4", &percept, 1.0, 0.094_622, 0.100_111);
    }
}

#[test]
fn v5_to_v8_planes_that_end_in_the_patch() {
    let v5 = distant(&slab([0.095, 1.5, 0.0], 0.0, 1.0));
    check("V5", &v5, IN_FRONT, TOWARDS_CAMERA, [0.0, 0.0]);
    check_depths("V5", &v5, 0.75, 0.1, 0.1);
    let v6 = distant(&slab([0.102, 1.5, 0.0999], 0.0, 0.001));
    assert!(is_near(&numbers(&v6["location"]), &[0.001_587_3, 1.498_412_7, -0.8], 1e-6), "{v6}");
    assert_eq!((&v6["on_object"], v6.get("pose_vectors")), (&json!(false), None));
    assert_eq!(number(&v6, "object_coverage"), 0.40625);
    let far = slab([0.0, 1.5, 0.0499], 0.0, 0.001);
    let v7 = distant(&format!("{}{far}", slab([0.097, 1.5, 0.0999], 0.0, 0.001)));
    check("V7", &v7, IN_FRONT, TOWARDS_CAMERA, [0.0, 0.0]);
    check_depths("V7", &v7, 0.65625, 0.1, 0.1);
    let v8 = distant(&format!("{}{far}", slab([-0.103, 1.5, 0.0999], 0.0, 0.001)));
    check("V8", &v8, [0.000_238_1, 1.499_761_9, 0.05], TOWARDS_CAMERA, [0.0, 0.0]);
    check_depths("V8", &v8, 0.65625, 0.15, 0.15);
}

#[test]
fn v9_to_v11_a_surface_agent_near_a_sphere_and_out_of_reach_and_nothing() {
    let v9 = percept_of(&mut client_before("surface", 0.1, "", &sphere(-0.03)), json!([]));
    let at = [0.000_047_62, 1.499_952_38, 0.069_999_98];
    check("V9", &v9, at, [0.000_462, -0.000_462, 1.0], [-9.692_998, -9.693_001]);
    check_depths("V9", &v9, 1.0, 0.03, 0.030_03);
    let v10 = percept_of(&mut client_before("surface", 0.1, "", &slab([0.0, 1.5, -0.06], 0.0, 1.0)), json!([]));
    let v11 = distant("");
    for (percept, at) in [(v10, [0.000_079_37, 1.499_920_63, 0.05]), (v11, [0.001_587_3, 1.498_412_7, -0.8])] {
        assert!(is_near(&numbers(&percept["location"]), &at, 1e-6), "{percept}");
        assert_eq!((percept.get("pose_vectors"), number(&percept, "object_coverage")), (None, 0.0));
        assert_eq!(percept["pose_fully_defined"], json!(false));
    }
}
