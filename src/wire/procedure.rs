//! A procedure out of a request, by Monty's own names of its parameters.

use super::fields::{Fields, bad, boolean, integer, number, numbers};
use super::request::{optional, read_word};
use crate::protocol::{
    AgentId, CommandName, Fault, GetGoodView, Jump, Procedure, ProcedureName, RunProcedure, SemanticId, SensorId,
    Target, Touch, limits,
};

const PROCEDURE: &str = "procedure";
const AGENT_ID: &str = "agent_id";
const SENSOR_ID: &str = "sensor_id";
const RNG_SEED: &str = "rng_seed";
const TARGET: &str = "target_semantic_id";
const PERCENTAGE: &str = "good_view_percentage";
const GOOD_DISTANCE: &str = "good_view_distance";
const ATTEMPTS: &str = "max_orientation_attempts";
const TRANSLATION: &str = "allow_translation";
const MULTIPLE: &str = "multiple_objects_present";
const TOUCH_DISTANCE: &str = "desired_object_distance";
const LOCATION: &str = "location";
const DIRECTION: &str = "direction";

/// The sensor that Monty's own policies look through.
const DEFAULT_SENSOR: &str = "view_finder";

/// Reads one procedure; keys that are another one's are told by name.
pub fn read_run_procedure(fields: &Fields, other_key: &mut dyn FnMut(&str, &str)) -> Result<RunProcedure, Fault> {
    let text = fields.required(PROCEDURE, "which one to run")?;
    let name = read_word(PROCEDURE, text, ProcedureName::from_word, ProcedureName::ALL.iter().map(|p| p.word()))?;
    for key in CommandName::RunProcedure.keys().iter().filter(|key| !knows(name, key)) {
        if fields.text(key)?.is_some() {
            other_key(name.word(), key);
        }
    }
    let sensor_id = optional(fields, SENSOR_ID, super::fields::string)?;
    Ok(RunProcedure {
        agent_id: AgentId::from(&*fields.string(AGENT_ID, "which agent acts")?),
        sensor_id: SensorId::from(sensor_id.as_deref().unwrap_or(DEFAULT_SENSOR)),
        rng_seed: optional(fields, RNG_SEED, |k, t| integer(k, t, u32::MAX.into()))?.map(|seed| seed as u32),
        procedure: read_procedure(name, fields).map_err(|fault| fault.at(name.word()))?,
    })
}

fn knows(name: ProcedureName, key: &str) -> bool {
    [PROCEDURE, AGENT_ID, SENSOR_ID, RNG_SEED].contains(&key) || parameters(name).contains(&key)
}

/// The keys of a procedure beside those of all.
fn parameters(name: ProcedureName) -> &'static [&'static str] {
    match name {
        ProcedureName::GetGoodView => &[TARGET, PERCENTAGE, GOOD_DISTANCE, ATTEMPTS, TRANSLATION, MULTIPLE],
        ProcedureName::Touch => &[TOUCH_DISTANCE],
        ProcedureName::Jump => &[LOCATION, DIRECTION],
    }
}

fn read_procedure(name: ProcedureName, fields: &Fields) -> Result<Procedure, Fault> {
    Ok(match name {
        ProcedureName::GetGoodView => Procedure::GetGoodView(read_good_view(fields)?),
        ProcedureName::Touch => Procedure::Touch(read_touch(fields)?),
        ProcedureName::Jump => Procedure::Jump(Jump {
            location_m: fields.numbers(LOCATION, "x, y, z in metres")?,
            direction: read_direction(fields)?,
        }),
    })
}

fn read_good_view(fields: &Fields) -> Result<GetGoodView, Fault> {
    let default = GetGoodView::default();
    let percentage = optional(fields, PERCENTAGE, part_of_view)?;
    let most_attempts = limits::MAX_PROCEDURE_TICKS as u64;
    Ok(GetGoodView {
        target: read_target(fields)?,
        good_view_percentage: percentage.unwrap_or(default.good_view_percentage),
        good_view_distance_m: metres(fields, GOOD_DISTANCE)?.unwrap_or(default.good_view_distance_m),
        max_orientation_attempts: optional(fields, ATTEMPTS, |k, t| integer(k, t, most_attempts))?
            .unwrap_or(default.max_orientation_attempts),
        allow_translation: optional(fields, TRANSLATION, boolean)?.unwrap_or(default.allow_translation),
    })
}

/// Where one object is alone, its id does not matter, as in Monty.
fn read_target(fields: &Fields) -> Result<Target, Fault> {
    let id = optional(fields, TARGET, |k, t| integer(k, t, SemanticId::MAX.into()))?;
    match (optional(fields, MULTIPLE, boolean)?.unwrap_or(false), id) {
        (false, _) => Ok(Target::Any),
        (true, Some(id)) => Ok(Target::Only(SemanticId(id as u32))),
        (true, None) => Err(bad(format!("{MULTIPLE} needs {TARGET}: which of the objects to look at"))),
    }
}

fn read_touch(fields: &Fields) -> Result<Touch, Fault> {
    let distance = metres(fields, TOUCH_DISTANCE)?;
    Ok(distance.map_or_else(Touch::default, |desired_object_distance_m| Touch { desired_object_distance_m }))
}

fn part_of_view(key: &str, text: &str) -> Result<f64, Fault> {
    let part = number(key, text, "a part of the view, from 0 to 1")?;
    if (0.0..=1.0).contains(&part) { Ok(part) } else { Err(bad(format!("{key} must be from 0 to 1, found {text}"))) }
}

fn metres(fields: &Fields, key: &'static str) -> Result<Option<f64>, Fault> {
    optional(fields, key, |key, text| number(key, text, "metres"))
}

fn read_direction(fields: &Fields) -> Result<[f64; 3], Fault> {
    let text = fields.required(DIRECTION, "x, y, z of where to look from there")?;
    match numbers(DIRECTION, text, "x, y, z of where to look from there")? {
        [0.0, 0.0, 0.0] => Err(bad(format!("{DIRECTION} must not be zero; forward is [0, 0, -1]"))),
        direction => Ok(direction),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_of_the_command_belongs_to_a_procedure() {
        let of_all = ProcedureName::ALL.iter().flat_map(|name| parameters(*name));
        let known: Vec<&str> = [PROCEDURE, AGENT_ID, SENSOR_ID, RNG_SEED].iter().chain(of_all).copied().collect();
        assert_eq!(CommandName::RunProcedure.keys(), known);
    }
}
