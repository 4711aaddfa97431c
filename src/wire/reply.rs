//! Replies into frames: all reply text is written here.

use std::io::Write as _;

use byteorder::{BigEndian, ByteOrder};

use super::action::{parameters, write_action};
use super::array;
use super::frame::HEADER_BYTES;
use super::json;
use super::pace::Pace;
use super::value::{self, NUMBER_BYTES};
use crate::protocol::limits::MAX_PROCEDURE_TICKS;
use crate::protocol::{
    Abandoned, ActionName, AgentDescription, AgentObservations, AgentState, Answer, CommandName, Description, Encoding,
    EpisodeAnswer, Extra, Fault, KeepGoing, LimitValue, Modality, ProcedureAnswer, Reply, SensorDescription,
    SensorObservation, StepAnswer,
};

/// Appends a reply with its length, asking `keep_going` after each MiB.
pub fn write_frame(reply: &Reply, out: &mut Vec<u8>, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
    let header = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    let body = out.len();
    let mut pace = Pace::new(out, keep_going);
    write_reply(reply, out, &mut pace)?;
    if let Some(answer) = reply.outcome.as_ref().ok().and_then(Answer::sensed) {
        append_arrays(answer, body, out, &mut pace)?;
    }
    let length = out.len() - body;
    let length = u32::try_from(length).expect("a reply stays within MAX_REPLY_BYTES");
    BigEndian::write_u32(&mut out[header..], length);
    Ok(())
}

fn write_reply(reply: &Reply, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    out.extend_from_slice(b"{\"id\":");
    out.extend_from_slice(reply.id.as_ref().map_or("null", |id| id.digits()).as_bytes());
    match &reply.outcome {
        Ok(answer) => write_answer(answer, out, pace)?,
        Err(fault) => write_fault(fault, out),
    }
    out.push(b'}');
    Ok(())
}

/// Under the encoding `binary` arrays stand behind the JSON.
fn append_arrays(answer: &StepAnswer, body: usize, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    match answer.encoding {
        Encoding::Binary => array::append(answer.values(), body, out, pace),
        Encoding::Nested | Encoding::Base64 => Ok(()),
    }
}

fn write_fault(fault: &Fault, out: &mut Vec<u8>) {
    json::key(out, "error");
    json::string(out, &fault.message);
    json::key(out, "code");
    json::string(out, fault.code.word());
}

fn write_answer(answer: &Answer, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    match answer {
        Answer::Done => write_ok(out),
        Answer::Reset(answer, episode) => {
            write_ok(out);
            write_step(answer, out, pace)?;
            if let Some(episode) = episode {
                write_episode(episode, out);
            }
        }
        Answer::Step(answer) => write_step(answer, out, pace)?,
        Answer::Describe(description) => write_description(description, out),
        Answer::Digest(digest) => {
            json::key(out, "digest");
            write!(out, "\"{digest:016x}\"").expect("writing to memory does not fail");
        }
        Answer::Added(added) => {
            json::key(out, "object_id");
            json::integer(out, added.object_id.0.into());
            json::key(out, "semantic_id");
            json::integer(out, added.semantic_id.0.into());
        }
        Answer::Procedure(answer) => write_procedure(answer, out, pace)?,
    }
    Ok(())
}

fn write_ok(out: &mut Vec<u8>) {
    json::key(out, "ok");
    json::boolean(out, true);
}

fn write_step(answer: &StepAnswer, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    json::key(out, "observations");
    out.push(b'{');
    for agent in &answer.observations {
        write_observations(agent, answer.encoding, out, pace)?;
    }
    out.push(b'}');
    json::key(out, "proprioceptive_state");
    out.push(b'{');
    for agent in &answer.proprioceptive_state {
        write_state(agent, out, pace)?;
    }
    out.push(b'}');
    if let Some(tick) = answer.tick {
        json::key(out, Extra::Tick.word());
        json::integer(out, tick);
    }
    if let Some(contacts) = &answer.contacts {
        json::key(out, Extra::Contacts.word());
        out.push(b'[');
        for [a, b] in contacts {
            json::comma(out);
            json::integers(out, &[a.0.into(), b.0.into()]);
            pace.check(out)?;
        }
        out.push(b']');
    }
    Ok(())
}

fn write_procedure(procedure: &ProcedureAnswer, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    write_step(&procedure.answer, out, pace)?;
    json::key(out, "actions");
    out.push(b'[');
    for tick in &procedure.actions {
        json::comma(out);
        out.push(b'[');
        for action in tick {
            json::comma(out);
            write_action(action, out);
        }
        out.push(b']');
        pace.check(out)?;
    }
    out.push(b']');
    for (key, flag) in [("success", procedure.is_success), ("truncated", procedure.is_truncated)] {
        json::key(out, key);
        json::boolean(out, flag);
    }
    Ok(())
}

fn write_episode(answer: &EpisodeAnswer, out: &mut Vec<u8>) {
    let target = &answer.primary_target;
    json::key(out, "primary_target");
    out.push(b'{');
    json::key(out, "object");
    json::string(out, &target.object);
    json::key(out, "semantic_id");
    json::integer(out, target.semantic_id.0.into());
    for (key, numbers) in [
        ("rotation", &target.rotation_wxyz[..]),
        ("euler_rotation", &target.euler_rotation_deg),
        ("quat_rotation", &target.rotation_wxyz),
        ("position", &target.position_m),
        ("scale", &target.scale),
    ] {
        json::key(out, key);
        json::numbers(out, numbers);
    }
    out.push(b'}');
    json::key(out, "semantic_id_to_label");
    out.push(b'{');
    for (id, label) in &answer.semantic_id_to_label {
        json::comma(out);
        out.push(b'"');
        json::integer(out, id.0.into());
        out.extend_from_slice(b"\":");
        json::string(out, label);
    }
    out.push(b'}');
    json::key(out, "episode");
    out.push(b'{');
    json::key(out, "index");
    json::integer(out, answer.index);
    json::key(out, "count");
    json::integer(out, answer.count);
    json::key(out, "seed");
    json::integer(out, answer.seed);
    out.push(b'}');
}

fn write_observations(
    agent: &AgentObservations,
    encoding: Encoding,
    out: &mut Vec<u8>,
    pace: &mut Pace,
) -> Result<(), Abandoned> {
    json::key(out, agent.agent_id.as_str());
    out.push(b'{');
    for sensor in &agent.sensors {
        write_sensor(sensor, encoding, out, pace)?;
    }
    out.push(b'}');
    Ok(())
}

fn write_sensor(
    sensor: &SensorObservation,
    encoding: Encoding,
    out: &mut Vec<u8>,
    pace: &mut Pace,
) -> Result<(), Abandoned> {
    json::key(out, sensor.sensor_id.as_str());
    out.push(b'{');
    for (modality, value) in &sensor.values {
        json::key(out, modality.word());
        value::write(value, encoding, out, pace)?;
    }
    out.push(b'}');
    Ok(())
}

fn write_state(agent: &AgentState, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    json::key(out, agent.agent_id.as_str());
    out.push(b'{');
    write_pose(out, &agent.position_m, &agent.rotation_wxyz);
    json::key(out, "sensors");
    out.push(b'{');
    for sensor in &agent.sensors {
        json::key(out, sensor.sensor_id.as_str());
        out.push(b'{');
        write_pose(out, &sensor.position_m, &sensor.rotation_wxyz);
        out.push(b'}');
        pace.check(out)?;
    }
    out.extend_from_slice(b"}}");
    Ok(())
}

fn write_pose(out: &mut Vec<u8>, position_m: &[f64; 3], rotation_wxyz: &[f64; 4]) {
    json::key(out, "position");
    json::numbers(out, position_m);
    json::key(out, "rotation");
    json::numbers(out, rotation_wxyz);
}

fn write_description(description: &Description, out: &mut Vec<u8>) {
    json::key(out, "versions");
    out.push(b'{');
    json::key(out, "saccade");
    json::string(out, description.saccade_version);
    json::key(out, "rapier3d");
    json::string(out, description.physics_version);
    json::key(out, "protocol");
    json::integer(out, description.protocol_version.into());
    out.push(b'}');
    write_world(description, out);
    json::key(out, "agents");
    out.push(b'{');
    for agent in &description.agents {
        write_agent(agent, out);
    }
    out.push(b'}');
    json::key(out, "objects");
    json::strings(out, description.objects.iter().map(String::as_str));
    json::key(out, "episodes");
    json::integer(out, description.episodes);
    json::key(out, "encoding");
    json::string(out, description.encoding.word());
    json::key(out, "extras");
    json::strings(out, description.extras.iter().map(Extra::word));
    write_limits(description, out);
    json::key(out, "codes");
    json::strings(out, description.codes.iter().map(|c| c.word()));
    write_commands(out);
}

fn write_world(description: &Description, out: &mut Vec<u8>) {
    json::key(out, "world");
    out.push(b'{');
    json::key(out, "name");
    json::string(out, &description.world_name);
    json::key(out, "compat");
    json::string(out, description.compat);
    json::key(out, "seed");
    json::integer(out, description.seed);
    json::key(out, "tick_s");
    json::number(out, description.tick_s);
    if let Some(text) = &description.world_file {
        json::key(out, "file");
        json::string(out, text);
    }
    out.push(b'}');
}

fn write_agent(agent: &AgentDescription, out: &mut Vec<u8>) {
    json::key(out, agent.agent_id.as_str());
    out.push(b'{');
    json::key(out, "kind");
    json::string(out, agent.kind);
    json::key(out, "actions");
    json::strings(out, agent.actions.iter().copied());
    json::key(out, "sensors");
    out.push(b'{');
    for sensor in &agent.sensors {
        write_camera(sensor, out);
    }
    out.extend_from_slice(b"}}");
}

fn write_camera(sensor: &SensorDescription, out: &mut Vec<u8>) {
    json::key(out, sensor.sensor_id.as_str());
    out.push(b'{');
    json::key(out, "resolution");
    json::integers(out, &[sensor.width.into(), sensor.height.into()]);
    json::key(out, "zoom");
    json::number(out, sensor.zoom);
    json::key(out, "hfov_deg");
    json::number(out, sensor.hfov_deg);
    json::key(out, "semantic");
    json::boolean(out, sensor.semantic);
    json::key(out, "modalities");
    json::strings(out, sensor.modalities.iter().map(Modality::word));
    out.push(b'}');
}

fn write_limits(description: &Description, out: &mut Vec<u8>) {
    json::key(out, "limits");
    out.push(b'{');
    json::key(out, "frame_bytes");
    json::integer(out, description.max_frame_bytes.into());
    for limit in &description.limits {
        json::key(out, limit.name);
        match limit.value {
            LimitValue::Most(most) => json::integer(out, most),
            LimitValue::Range(range) => json::numbers(out, &range),
        }
    }
    out.push(b'}');
}

fn write_commands(out: &mut Vec<u8>) {
    json::key(out, "actions");
    out.push(b'{');
    for action in ActionName::ALL {
        json::key(out, action.word());
        json::strings(out, parameters(*action).iter().copied());
    }
    out.push(b'}');
    json::key(out, "commands");
    out.push(b'{');
    for command in CommandName::ALL {
        json::key(out, command.word());
        json::strings(out, command.keys().iter().copied());
    }
    out.push(b'}');
}

/// An upper bound of the bytes that one answer of these agents can take, with the modalities that they are described with.
pub fn longest_reply_bytes(agents: &[AgentDescription], encoding: Encoding) -> u64 {
    let of_agent = |agent: &AgentDescription| {
        let sensors = agent.sensors.iter().map(|s| longest_sensor_bytes(s, encoding));
        2 * longest_text_bytes(agent.agent_id.as_str()) + POSE_BYTES + sensors.sum::<u64>()
    };
    ENVELOPE_BYTES + longest_actions_bytes(agents) + agents.iter().map(of_agent).sum::<u64>()
}

/// What a procedure tells of its ticks, each of at most two actions.
fn longest_actions_bytes(agents: &[AgentDescription]) -> u64 {
    let longest_id = agents.iter().map(|agent| longest_text_bytes(agent.agent_id.as_str())).max().unwrap_or_default();
    2 * MAX_PROCEDURE_TICKS as u64 * (ACTION_BYTES + longest_id)
}

/// Keys, words, seven numbers, brackets.
const ACTION_BYTES: u64 = 128 + 7 * NUMBER_BYTES;

/// Two keys, seven numbers, brackets.
const POSE_BYTES: u64 = 64 + 7 * NUMBER_BYTES;
/// What stands around the agents, without contacts and labels.
const ENVELOPE_BYTES: u64 = 4096;

fn longest_sensor_bytes(sensor: &SensorDescription, encoding: Encoding) -> u64 {
    let values = sensor.modalities.iter().map(|m| value::longest_bytes(m, sensor, encoding));
    2 * longest_text_bytes(sensor.sensor_id.as_str()) + POSE_BYTES + values.sum::<u64>()
}

/// A text in quotes, every byte escaped.
fn longest_text_bytes(text: &str) -> u64 {
    6 * text.len() as u64 + 8
}
