//! One action out of a step's list, from Monty's own `dict(action)`, and back.

use super::fields::{Fields, bad, number, string};
use super::json;
use crate::protocol::{Action, ActionName, AgentId, Code, Fault, Motion, listed, shown, suggestion};

const ACTION: &str = "action";
const AGENT_ID: &str = "agent_id";
const ANGLE: &str = "rotation_degrees";
const CONSTRAINT: &str = "constraint_degrees";
const PITCH: &str = "pitch_degrees";
const DISTANCE: &str = "distance";
const DIRECTION: &str = "direction";
const LEFT: &str = "left_distance";
const DOWN: &str = "down_distance";
const FORWARD: &str = "forward_distance";
const LOCATION: &str = "location";
const ROTATION: &str = "rotation_quat";

const KEYS: &[&str] =
    &[ACTION, AGENT_ID, ANGLE, CONSTRAINT, PITCH, DISTANCE, DIRECTION, LEFT, DOWN, FORWARD, LOCATION, ROTATION];

/// How far a look may turn the sensor body if the action does not say.
const DEFAULT_CONSTRAINT_DEG: f64 = 90.0;

const METRES: &str = "metres";
const DEGREES: &str = "degrees";

/// Reads one action; `None` in place of an unknown key's name where all are known.
pub fn read_action<'a>(text: &'a str, unknown_key: &mut dyn FnMut(&str)) -> Result<Action, Fault> {
    let fields: Fields<'a> = Fields::read(text, KEYS.iter().copied()).map_err(|error| not_an_action(text, &error))?;
    let name = read_name(&fields)?;
    let agent_id = AgentId::from(&*fields.string(AGENT_ID, "which agent acts").map_err(|f| f.at(name.word()))?);
    let motion = read_motion(name, &fields).map_err(|f| f.at(name.word()))?;
    for key in fields.others(parameters(name)) {
        if key != ACTION && key != AGENT_ID {
            unknown_key(&key);
        }
    }
    Ok(Action { agent_id, motion })
}

fn not_an_action(text: &str, error: &serde_json::Error) -> Fault {
    match text.starts_with('{') {
        true => bad(format!("an action's keys must be texts without lone surrogates ({error})")),
        false => bad(format!("an action must be an object, found {}", shown(text))),
    }
}

fn read_name(fields: &Fields) -> Result<ActionName, Fault> {
    let known = || ActionName::ALL.iter().map(|a| a.word());
    let unknown = |message| Fault::new(Code::UnknownAction, message);
    let text = fields
        .text(ACTION)?
        .ok_or_else(|| unknown(format!("the key action is missing; the actions are {}", listed(known()))))?;
    let word = string(ACTION, text)?;
    ActionName::from_word(&word).ok_or_else(|| {
        let hint = suggestion(&word, known());
        unknown(format!("the action is not known: {}; the actions are {}{hint}", shown(&word), listed(known())))
    })
}

/// The keys of an action beside `action` and `agent_id`.
pub fn parameters(name: ActionName) -> &'static [&'static str] {
    match name {
        ActionName::MoveForward => &[DISTANCE],
        ActionName::MoveTangentially => &[DISTANCE, DIRECTION],
        ActionName::TurnLeft | ActionName::TurnRight | ActionName::SetYaw => &[ANGLE],
        ActionName::LookUp | ActionName::LookDown => &[ANGLE, CONSTRAINT],
        ActionName::OrientHorizontal => &[ANGLE, LEFT, FORWARD],
        ActionName::OrientVertical => &[ANGLE, DOWN, FORWARD],
        ActionName::SetAgentPose | ActionName::SetSensorPose => &[LOCATION, ROTATION],
        ActionName::SetSensorRotation => &[ROTATION],
        ActionName::SetAgentPitch | ActionName::SetSensorPitch => &[PITCH],
    }
}

fn read_motion(name: ActionName, fields: &Fields) -> Result<Motion, Fault> {
    let metres = |key| fields.number(key, METRES);
    let degrees = |key| fields.number(key, DEGREES);
    let position = || fields.numbers::<3>(LOCATION, "x, y, z in metres");
    Ok(match name {
        ActionName::MoveForward => Motion::MoveForward { distance_m: metres(DISTANCE)? },
        ActionName::MoveTangentially => Motion::MoveTangentially {
            distance_m: metres(DISTANCE)?,
            direction: fields.numbers(DIRECTION, "x, y, z of a unit vector")?,
        },
        ActionName::TurnLeft => Motion::TurnLeft { angle_deg: degrees(ANGLE)? },
        ActionName::TurnRight => Motion::TurnRight { angle_deg: degrees(ANGLE)? },
        ActionName::LookUp => Motion::LookUp { angle_deg: degrees(ANGLE)?, constraint_deg: constraint(fields)? },
        ActionName::LookDown => Motion::LookDown { angle_deg: degrees(ANGLE)?, constraint_deg: constraint(fields)? },
        ActionName::OrientHorizontal => {
            Motion::OrientHorizontal { angle_deg: degrees(ANGLE)?, left_m: metres(LEFT)?, forward_m: metres(FORWARD)? }
        }
        ActionName::OrientVertical => {
            Motion::OrientVertical { angle_deg: degrees(ANGLE)?, down_m: metres(DOWN)?, forward_m: metres(FORWARD)? }
        }
        ActionName::SetAgentPose => Motion::SetAgentPose { position_m: position()?, rotation_wxyz: rotation(fields)? },
        ActionName::SetSensorRotation => Motion::SetSensorRotation { rotation_wxyz: rotation(fields)? },
        ActionName::SetSensorPose => {
            Motion::SetSensorPose { position_m: position()?, rotation_wxyz: rotation(fields)? }
        }
        ActionName::SetAgentPitch => Motion::SetAgentPitch { angle_deg: degrees(PITCH)? },
        ActionName::SetSensorPitch => Motion::SetSensorPitch { angle_deg: degrees(PITCH)? },
        ActionName::SetYaw => Motion::SetYaw { angle_deg: degrees(ANGLE)? },
    })
}

/// Absent means 90, null none. A negative one makes no sense: the sensor body could nowhere be.
fn constraint(fields: &Fields) -> Result<Option<f64>, Fault> {
    match fields.text(CONSTRAINT)? {
        None => Ok(Some(DEFAULT_CONSTRAINT_DEG)),
        Some("null") => Ok(None),
        Some(text) => match number(CONSTRAINT, text, "degrees, or null for no constraint")? {
            negative if negative < 0.0 => {
                Err(bad(format!("{CONSTRAINT} must be 0 or more, or null for no constraint, found {negative}")))
            }
            constraint => Ok(Some(constraint)),
        },
    }
}

fn rotation(fields: &Fields) -> Result<[f64; 4], Fault> {
    let wxyz = fields.numbers(ROTATION, "w, x, y, z of a quaternion")?;
    super::request::nonzero(ROTATION, wxyz)
}

/// Writes an action as a client would send it; no constraint is null.
pub fn write_action(action: &Action, out: &mut Vec<u8>) {
    out.push(b'{');
    for (key, text) in [(ACTION, action.motion.name().word()), (AGENT_ID, action.agent_id.as_str())] {
        json::key(out, key);
        json::string(out, text);
    }
    write_motion(&action.motion, out);
    out.push(b'}');
}

fn write_motion(motion: &Motion, out: &mut Vec<u8>) {
    match *motion {
        Motion::MoveForward { distance_m } => write_number(DISTANCE, distance_m, out),
        Motion::MoveTangentially { distance_m, direction } => {
            write_number(DISTANCE, distance_m, out);
            write_numbers(DIRECTION, &direction, out);
        }
        Motion::TurnLeft { angle_deg } | Motion::TurnRight { angle_deg } | Motion::SetYaw { angle_deg } => {
            write_number(ANGLE, angle_deg, out);
        }
        Motion::LookUp { angle_deg, constraint_deg } | Motion::LookDown { angle_deg, constraint_deg } => {
            json::key(out, CONSTRAINT);
            match constraint_deg {
                None => out.extend_from_slice(b"null"),
                Some(degrees) => json::number(out, degrees),
            }
            write_number(ANGLE, angle_deg, out);
        }
        Motion::OrientHorizontal { angle_deg, left_m, forward_m } => {
            write_orientation(angle_deg, (LEFT, left_m), forward_m, out);
        }
        Motion::OrientVertical { angle_deg, down_m, forward_m } => {
            write_orientation(angle_deg, (DOWN, down_m), forward_m, out);
        }
        Motion::SetAgentPose { position_m, rotation_wxyz } | Motion::SetSensorPose { position_m, rotation_wxyz } => {
            write_numbers(LOCATION, &position_m, out);
            write_numbers(ROTATION, &rotation_wxyz, out);
        }
        Motion::SetSensorRotation { rotation_wxyz } => write_numbers(ROTATION, &rotation_wxyz, out),
        Motion::SetAgentPitch { angle_deg } | Motion::SetSensorPitch { angle_deg } => {
            write_number(PITCH, angle_deg, out);
        }
    }
}

fn write_orientation(angle_deg: f64, (key, aside_m): (&str, f64), forward_m: f64, out: &mut Vec<u8>) {
    write_number(ANGLE, angle_deg, out);
    write_number(key, aside_m, out);
    write_number(FORWARD, forward_m, out);
}

fn write_number(key: &str, number: f64, out: &mut Vec<u8>) {
    json::key(out, key);
    json::number(out, number);
}

fn write_numbers(key: &str, numbers: &[f64], out: &mut Vec<u8>) {
    json::key(out, key);
    json::numbers(out, numbers);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_action_reads_back_to_the_bit() {
        let (position_m, rotation_wxyz) = ([0.1, -1e-300, 1.0 / 3.0], [0.5, -0.5, 1e-17, 0.7]);
        let motions = [
            Motion::MoveForward { distance_m: -0.1 },
            Motion::MoveTangentially { distance_m: 4e-3, direction: position_m },
            Motion::TurnLeft { angle_deg: 1e300 },
            Motion::TurnRight { angle_deg: 5.0 },
            Motion::LookUp { angle_deg: 0.7, constraint_deg: Some(90.0) },
            Motion::LookDown { angle_deg: 0.7, constraint_deg: None },
            Motion::OrientHorizontal { angle_deg: 30.0, left_m: 0.1, forward_m: 0.2 },
            Motion::OrientVertical { angle_deg: 30.0, down_m: 0.1, forward_m: 0.2 },
            Motion::SetAgentPose { position_m, rotation_wxyz },
            Motion::SetSensorRotation { rotation_wxyz },
            Motion::SetSensorPose { position_m, rotation_wxyz },
            Motion::SetAgentPitch { angle_deg: 1.0 },
            Motion::SetSensorPitch { angle_deg: 1.0 },
            Motion::SetYaw { angle_deg: 1.0 },
        ];
        assert!(ActionName::ALL.iter().all(|name| motions.iter().any(|motion| motion.name() == *name)));
        for motion in motions {
            let action = Action { agent_id: "an \"agent\"".into(), motion };
            let mut text = Vec::new();
            write_action(&action, &mut text);
            let text = String::from_utf8(text).expect("UTF-8");
            let read = read_action(&text, &mut |key| panic!("{key} is not known"));
            assert_eq!(read.as_ref(), Ok(&action), "{text}");
        }
    }
}
