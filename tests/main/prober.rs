//! An agent that may go anywhere and measures objects by looking at them.

use saccade::math::{PI, Rotation, UnitQuaternion, about_x, about_y};
use serde_json::{Value, json};

use crate::client::{AGENT, Client, brief};
use crate::fixture::one_agent;

pub const SACCADE: &str = "\"saccade\"";
pub const MUJOCO: &str = "\"mujoco\"";

/// Depth is rounded to f32, which at these distances is off by less than half of this.
pub const DEPTH_ROUNDING: f64 = 1e-6;

/// An agent that may go anywhere and looks through the exact centre of its one pixel in the middle.
pub fn prober(compat: &str) -> Client {
    Client::on(&one_agent("free", compat))
}

pub fn add(client: &mut Client, name: &str) -> Value {
    client.done(json!({"command": "add_object", "name": name}))
}

pub fn add_scaled(client: &mut Client, name: &str, scale: Value) {
    client.done(json!({"command": "add_object", "name": name, "scale": scale}));
}

pub fn location(reply: &Value) -> [f64; 3] {
    let location = &reply["observations"][AGENT]["patch"]["location"];
    [0, 1, 2].map(|axis| location[axis].as_f64().unwrap_or_else(|| panic!("a location in {}", brief(reply))))
}

/// Where the ray from a place along a direction of the world ends.
pub fn seen_from(client: &mut Client, place: [f64; 3], looking: UnitQuaternion) -> [f64; 3] {
    let rotation = Rotation::from(looking).wxyz();
    let pose = json!({"action": "set_agent_pose", "agent_id": AGENT, "location": place, "rotation_quat": rotation});
    location(&client.step(json!([pose])))
}

/// The six axes: the index, the sign, and the rotation that looks against it.
pub fn sides() -> [(usize, f64, UnitQuaternion); 6] {
    [
        (0, 1.0, about_y(PI / 2.0)),
        (0, -1.0, about_y(-PI / 2.0)),
        (1, 1.0, about_x(-PI / 2.0)),
        (1, -1.0, about_x(PI / 2.0)),
        (2, 1.0, UnitQuaternion::identity()),
        (2, -1.0, about_y(PI)),
    ]
}

/// How far the surface is from the origin on each of the six sides, on a line that is `aside` from the axis.
pub fn extents(client: &mut Client, aside: f64) -> [f64; 6] {
    sides().map(|(axis, sign, looking)| {
        let mut place = [aside; 3];
        place[axis] = 5.0 * sign;
        sign * seen_from(client, place, looking)[axis]
    })
}

pub fn is_near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}
