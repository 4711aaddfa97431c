//! Where a sensor says that its centre pixel's point is: the clip of surface agents, and what a miss reads.

use serde_json::json;

use crate::client::{AGENT, Client};
use crate::fixture::agent;
use crate::prober::{MUJOCO, SACCADE, location, prober};

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
