//! One action out of a step's list, from Monty's own `dict(action)`.

use super::fields::{Fields, bad, number, string};
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
    let fields: Fields<'a> = Fields::read(text, KEYS).map_err(|error| not_an_action(text, &error))?;
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
