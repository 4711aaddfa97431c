//! The recorded actions as steps, and the states that they lead to; no object is needed for that.

use serde_json::{Value, json};

use super::touch::VIEW_FINDER;
use super::trace::Trace;
use crate::client::Client;
use crate::conformance::golden::Golden;
use crate::conformance::states::compare;
use crate::percept::Differences;

pub fn check(trace: &Trace, differences: &mut Differences) {
    if let Err(why) = replay(trace) {
        differences.add(why);
    }
}

fn replay(trace: &Trace) -> Result<(), String> {
    let mut client = Client::on(&empty_world(trace));
    if let Some(actions) = trace.json.get("after_reset") {
        client.step(actions.clone());
    }
    let mut before_jump = Value::Null;
    for (index, call) in trace.calls().enumerate() {
        let before = client.step(call.get("actions_before").cloned().unwrap_or(json!([])));
        let place = format!("call {index}: state");
        compare(&place, &call["state"], &before["proprioceptive_state"])?;
        if call["phase"] == "jump" {
            before_jump = before["proprioceptive_state"].clone();
        }
        let Some(expected) = call.get("state_after") else { continue };
        let is_undo = call["output"]["undo"] == true;
        let actions = if is_undo { undo_to(trace, &before_jump) } else { call["output"]["actions"].clone() };
        let after = client.step(actions);
        compare(&place, expected, &after["proprioceptive_state"])?;
        if is_undo {
            check_undo(&before_jump[trace.agent()], &after["proprioceptive_state"][trace.agent()])?;
        }
    }
    Ok(())
}

/// The undo as the reference does it, to what was reported here.
fn undo_to(trace: &Trace, reported: &Value) -> Value {
    let agent = &reported[trace.agent()];
    let sensor = &agent["sensors"][VIEW_FINDER]["rotation"];
    json!([
        {"action": "set_agent_pose", "agent_id": trace.agent(), "location": agent["position"], "rotation_quat": agent["rotation"]},
        {"action": "set_sensor_rotation", "agent_id": trace.agent(), "rotation_quat": sensor},
    ])
}

/// The agent is where it was, to the bit.
fn check_undo(before: &Value, after: &Value) -> Result<(), String> {
    let is_back = ["position", "rotation"].into_iter().all(|key| before[key] == after[key]);
    if is_back { Ok(()) } else { Err(format!("an undo to {before} leads to {after}")) }
}

fn empty_world(trace: &Trace) -> String {
    let mut world = trace.json["world"].clone();
    world["objects"] = json!([]);
    let golden = Golden { path: trace.path.clone(), json: json!({ "world": world }) };
    golden.world_text(&[])
}
