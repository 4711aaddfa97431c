//! Replies into frames: all reply text is written here.

use byteorder::{BigEndian, ByteOrder};

use super::frame::HEADER_BYTES;
use super::json;
use crate::protocol::{
    AgentDescription, AgentObservations, AgentState, Answer, CommandName, Description, Extra, Fault, KeepGoing,
    Modality, Reply, SensorDescription, SensorObservation, StepAnswer, Value,
};

/// `keep_going` said no: what was written so far is worth nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abandoned;

/// Appends a reply with its length, asking `keep_going` after each MiB of text.
pub fn write_frame(reply: &Reply, out: &mut Vec<u8>, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
    let header = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    let mut pace = Pace { next_at: out.len() + MEBIBYTE, keep_going };
    write_reply(reply, out, &mut pace)?;
    let length = out.len() - header - HEADER_BYTES;
    let length = u32::try_from(length).expect("a reply stays within MAX_REPLY_BYTES");
    BigEndian::write_u32(&mut out[header..], length);
    Ok(())
}

const MEBIBYTE: usize = 1 << 20;

/// Asks `keep_going` once for each MiB that was written.
struct Pace<'a, 'k> {
    next_at: usize,
    keep_going: &'a mut KeepGoing<'k>,
}

impl Pace<'_, '_> {
    fn check(&mut self, out: &[u8]) -> Result<(), Abandoned> {
        if out.len() < self.next_at {
            return Ok(());
        }
        self.next_at = out.len() + MEBIBYTE;
        if (self.keep_going)() { Ok(()) } else { Err(Abandoned) }
    }
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

fn write_fault(fault: &Fault, out: &mut Vec<u8>) {
    json::key(out, "error");
    json::string(out, &fault.message);
    json::key(out, "code");
    json::string(out, fault.code.word());
}

fn write_answer(answer: &Answer, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    match answer {
        Answer::Done => write_ok(out),
        Answer::Reset(answer) => {
            write_ok(out);
            write_step(answer, out, pace)?;
        }
        Answer::Step(answer) => write_step(answer, out, pace)?,
        Answer::Describe(description) => write_description(description, out),
        Answer::Digest(digest) => {
            json::key(out, "digest");
            json::string(out, &format!("{digest:016x}"));
        }
        Answer::Added(added) => {
            json::key(out, "object_id");
            json::integer(out, added.object_id.0.into());
            json::key(out, "semantic_id");
            json::integer(out, added.semantic_id.0.into());
        }
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
        write_observations(agent, out, pace)?;
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
            out.extend_from_slice(format!("[{},{}]", a.0, b.0).as_bytes());
            pace.check(out)?;
        }
        out.push(b']');
    }
    Ok(())
}

fn write_observations(agent: &AgentObservations, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    json::key(out, agent.agent_id.as_str());
    out.push(b'{');
    for sensor in &agent.sensors {
        write_sensor(sensor, out);
        pace.check(out)?;
    }
    out.push(b'}');
    Ok(())
}

fn write_sensor(sensor: &SensorObservation, out: &mut Vec<u8>) {
    json::key(out, sensor.sensor_id.as_str());
    out.push(b'{');
    for (modality, value) in &sensor.values {
        json::key(out, modality.word());
        match value {
            Value::Numbers(numbers) => json::numbers(out, numbers),
        }
    }
    out.push(b'}');
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
    json::integer(out, 0);
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
    out.extend_from_slice(format!("[{},{}]", sensor.width, sensor.height).as_bytes());
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
        json::integer(out, limit.value);
    }
    out.push(b'}');
}

fn write_commands(out: &mut Vec<u8>) {
    json::key(out, "commands");
    out.push(b'{');
    for command in CommandName::ALL {
        json::key(out, command.word());
        json::strings(out, command.keys().iter().copied());
    }
    out.push(b'}');
}

/// An upper bound of the bytes that one answer of these agents can take, with the modalities that they are described with.
pub fn longest_reply_bytes(agents: &[AgentDescription]) -> u64 {
    let of_agent = |agent: &AgentDescription| {
        let sensors = agent.sensors.iter().map(longest_sensor_bytes);
        2 * longest_text_bytes(agent.agent_id.as_str()) + POSE_BYTES + sensors.sum::<u64>()
    };
    ENVELOPE_BYTES + agents.iter().map(of_agent).sum::<u64>()
}

/// The longest f64 with sign, digits, point, exponent and a comma: `-1.7976931348623157e+308,`.
const NUMBER_BYTES: u64 = 26;
/// Two keys, seven numbers, brackets.
const POSE_BYTES: u64 = 64 + 7 * NUMBER_BYTES;
/// What stands around the agents, without contacts.
const ENVELOPE_BYTES: u64 = 512;

fn longest_sensor_bytes(sensor: &SensorDescription) -> u64 {
    let values = sensor.modalities.iter().map(longest_value_bytes);
    2 * longest_text_bytes(sensor.sensor_id.as_str()) + POSE_BYTES + values.sum::<u64>()
}

fn longest_value_bytes(modality: Modality) -> u64 {
    let numbers = match modality {
        Modality::Location => 3,
        _ => 0,
    };
    modality.word().len() as u64 + 8 + numbers * NUMBER_BYTES
}

/// A text in quotes, every byte escaped.
fn longest_text_bytes(text: &str) -> u64 {
    6 * text.len() as u64 + 8
}
