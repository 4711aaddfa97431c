//! What each command leaves of agents, sensors, objects, numbers and lenses, under each compat: Monty's reset matrix.
//!
//! It differs from Monty's in one thing: its MuJoCo forgets loaded meshes when all objects go, which no client can see.

use serde_json::{Value, json};

use crate::client::{AGENT, Client};
use crate::images::semantic;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Now {
    /// As before the command.
    Kept,
    /// As at the start.
    Initial,
}
use Now::{Initial, Kept};

/// What a command leaves: the agent's pose, the sensor's pitch, the objects, and the number of the next one.
struct Row {
    compat: &'static str,
    command: &'static str,
    agent: Now,
    pitch: Now,
    objects: &'static [u32],
    next: u32,
}

const fn row(compat: &'static str, command: &'static str, now: Now, objects: &'static [u32], next: u32) -> Row {
    Row { compat, command, agent: now, pitch: now, objects, next }
}

/// Before each command there are the objects 0 and 1, and 2 is the next.
const MATRIX: &[Row] = &[
    row("saccade", "reset", Initial, &[10, 11], 2),
    row("saccade", "remove_all_objects", Kept, &[], 0),
    row("saccade", "add_object", Kept, &[10, 11, 12], 3),
    row("saccade", "step", Kept, &[10, 11], 2),
    row("mujoco", "reset", Initial, &[10, 11], 2),
    row("mujoco", "remove_all_objects", Initial, &[], 0),
    row("mujoco", "add_object", Kept, &[10, 11, 12], 3),
    row("mujoco", "step", Kept, &[10, 11], 2),
    row("habitat", "reset", Initial, &[10, 11], 2),
    row("habitat", "remove_all_objects", Kept, &[], 0),
    row("habitat", "add_object", Kept, &[10, 11, 12], 3),
    row("habitat", "step", Kept, &[10, 11], 2),
];

/// An agent that starts turned, with a sensor of zoom 2.
fn world(compat: &str) -> String {
    format!(
        "compat = \"{compat}\"\n[[agents]]\nid = \"{AGENT}\"\nkind = \"free\"\nposition = [0, 1.5, 0.2]\n\
         rotation_deg = [0, 20, 0]\n[[agents.sensors]]\nid = \"patch\"\nresolution = [16, 16]\nzoom = 2\nsemantic = true\n"
    )
}

/// The objects stand in a row, each in a view of its own.
fn object(number: u32) -> Value {
    json!({"command": "add_object", "name": "cubeSolid", "semantic_id": 10 + number,
           "position": [4 * number, 1.5, -2.5]})
}

fn request(command: &str) -> Value {
    match command {
        "add_object" => object(2),
        "step" => json!({"command": "step", "actions": []}),
        command => json!({"command": command}),
    }
}

fn pose(reply: &Value) -> (Value, Value) {
    let state = &reply["proprioceptive_state"][AGENT];
    (json!([state["position"], state["rotation"]]), state["sensors"]["patch"].clone())
}

/// How many pixels show which object, from half a metre before each place where one may be.
fn shown(client: &mut Client) -> Vec<(u32, usize)> {
    let mut counts = Vec::new();
    for number in 0..4 {
        let reply = client.step(json!([
            {"action": "set_agent_pose", "agent_id": AGENT, "location": [4 * number, 1.5, -2], "rotation_quat": [1, 0, 0, 0]},
            {"action": "set_sensor_rotation", "agent_id": AGENT, "rotation_quat": [1, 0, 0, 0]},
        ]));
        let pixels = semantic(&reply["observations"][AGENT]["patch"]).pixels;
        let ids = pixels.iter().find(|id| **id != 0);
        counts.extend(ids.map(|id| (*id, pixels.iter().filter(|other| *other == id).count())));
    }
    counts
}

fn check(row: &Row) {
    let place = format!("{} under {}", row.command, row.compat);
    let mut client = Client::waiting_on(&world(row.compat));
    let initial = pose(&client.done(json!({"command": "reset"})));
    for number in [0, 1] {
        client.done(object(number));
    }
    let before = pose(&client.step(json!([
        {"action": "move_forward", "agent_id": AGENT, "distance": 0.05},
        {"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 10},
        {"action": "look_up", "agent_id": AGENT, "rotation_degrees": 15},
    ])));
    assert!(before.0 != initial.0 && before.1 != initial.1, "{place}");
    client.done(request(row.command));
    let after = pose(&client.step(json!([])));
    let expected = |now: Now| if now == Kept { &before } else { &initial };
    assert_eq!(after.0, expected(row.agent).0, "{place}: the agent");
    assert_eq!(after.1, expected(row.pitch).1, "{place}: the sensor");
    // A cube of 0.2 m at half a metre covers 8 x 8 of 16 x 16 pixels through a lens of zoom 2.
    let objects: Vec<(u32, usize)> = row.objects.iter().map(|id| (*id, 64)).collect();
    assert_eq!(shown(&mut client), objects, "{place}: objects and zoom");
    assert_eq!(client.done(object(3))["object_id"], row.next, "{place}: the next number");
}

#[test]
fn every_command_leaves_what_montys_reset_matrix_says() {
    MATRIX.iter().for_each(check);
}
