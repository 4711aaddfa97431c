//! Where a sensor says that its centre pixel's point is: the vectors V1 to V16 of appendix A of Monty's reference.

use serde_json::json;

use crate::client::{AGENT, Client};
use crate::fixture::agent;
use crate::prober::{MUJOCO, SACCADE, is_near, location, prober};

/// The set-up of the vectors: a 64×64 patch of zoom 10, first sensor of an agent that looks along −z.
fn appendix(kind: &str, position: &str, objects: &str) -> String {
    let agent = agent(kind, "zoom = 10").replace("[3, 3]", "[64, 64]");
    let placed = agent.replacen("\n\n", &format!("\nposition = {position}\n\n"), 1);
    format!("{placed}\n{objects}")
}

fn objects(name: &str, position: &str, scale: f64) -> String {
    format!("[[objects]]\nname = \"{name}\"\nposition = {position}\nscale = {scale}\n")
}

#[test]
fn appendix_a_locations_of_the_centre_pixel() {
    let distant = "[0, 1.5, 0.2]";
    let at = "[0, 1.5, 0]";
    for (id, kind, agent_at, objects, expected) in [
        ("V1", "distant", distant, objects("sphere", at, 0.1), [0.000_158_73, 1.499_841_27, 0.099_999_75]),
        ("V3", "distant", distant, objects("cylinderSolid", at, 1.0), [0.000_158_73, 1.499_841_27, 0.099_999_88]),
        ("cubeSolid", "distant", distant, objects("cubeSolid", at, 1.0), [0.000_158_73, 1.499_841_27, 0.1]),
        (
            "V9",
            "surface",
            "[0, 1.5, 0.1]",
            objects("sphere", "[0, 1.5, -0.03]", 0.1),
            [0.000_047_62, 1.499_952_38, 0.069_999_98],
        ),
        (
            "V10",
            "surface",
            "[0, 1.5, 0.1]",
            objects("cubeSolid", "[0, 1.5, -0.06]", 1.0),
            [0.000_079_37, 1.499_920_63, 0.05],
        ),
        ("V11", "distant", distant, String::new(), [0.001_587_3, 1.498_412_7, -0.8]),
        ("V16", "distant", at, objects("cubeSolid", at, 1.0), [0.001_587_3, 1.498_412_7, -1.0]),
        ("V15", "distant", "[0, 0, 0]", objects("box", "[0, 0, -5]", 1.0), [0.006_349_2, -0.006_349_2, -4.0]),
    ] {
        let mut client = Client::on(&appendix(kind, agent_at, &objects));
        let found = location(&client.step(json!([])));
        assert!(is_near(&found, &expected, 1e-6), "{id}: {found:?}, expected {expected:?}");
    }
}

#[test]
fn appendix_a_v2_the_location_after_a_turn_and_a_look() {
    let mut client = Client::on(&appendix("distant", "[0, 1.5, 0.2]", &objects("sphere", "[0, 1.5, 0]", 0.1)));
    let turn = json!({"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 10});
    let look = json!({"action": "look_up", "agent_id": AGENT, "rotation_degrees": 5});
    let found = location(&client.step(json!([turn, look])));
    assert!(is_near(&found, &[-0.017_818_62, 1.508_893_76, 0.097_995_57], 1e-6), "{found:?}");
}

#[test]
fn only_the_first_sensor_of_a_surface_agent_is_clipped_at_5_centimetres() {
    let second = "[[agents.sensors]]\nid = \"view_finder\"\nresolution = [3, 3]\n";
    let mut client = Client::on(&format!("{}{second}", agent("surface", "")));
    let reply = client.step(json!([]));
    let depth = |sensor: &str| -reply["observations"][AGENT][sensor]["location"][2].as_f64().expect("a number");
    assert!((depth("patch") - 0.05).abs() <= 1e-8);
    assert_eq!(depth("view_finder"), 1.0);
}

#[test]
fn a_miss_reads_1_metre_or_the_constant_or_mujocos_far_plane() {
    let depth_under = |compat: &str| {
        let mut client = prober(compat);
        -location(&client.step(json!([])))[2]
    };
    assert_eq!(depth_under(SACCADE), 1.0);
    assert_eq!(depth_under("\"habitat\""), 1.0);
    assert_eq!(depth_under("{ miss_depth = 1000 }"), 1000.0);
    let far = depth_under(MUJOCO);
    assert!((900.0..1100.0).contains(&far), "an empty scene has extent 2 and zfar 1000: {far}");
}
