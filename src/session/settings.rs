//! What is observed and how it is told, from one reset to the next: world file, command line, reset; the later wins.

use std::collections::BTreeSet;

use super::describe::describe_agents;
use crate::protocol::{
    Code, Encoding, Extras, Fault, Modalities, ModalityChoice, Reset, SensorId, limits, listed, shown, suggestion,
};
use crate::wire::longest_reply_bytes;
use crate::world::{SensorSpec, WorldFile};

/// What the command line says in place of the world file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides {
    pub seed: Option<u64>,
    pub modalities: Option<Modalities>,
    pub encoding: Option<Encoding>,
    pub extras: Option<Extras>,
}

/// What holds until the next reset.
#[derive(Clone, Debug)]
pub struct Settings {
    pub seed: u64,
    /// Agent by agent and sensor by sensor, as in the world file; `None` for a sensor that is not observed.
    pub modalities: Vec<Vec<Option<Modalities>>>,
    pub encoding: Encoding,
    pub extras: Extras,
}

impl Settings {
    pub fn new(file: &WorldFile, overrides: &Overrides, reset: &Reset) -> Result<Self, Fault> {
        check_sensor_ids(file, reset)?;
        let observed: Option<BTreeSet<&SensorId>> = reset.sensor_ids.as_ref().map(|ids| ids.iter().collect());
        let of_sensor = |sensor: &SensorSpec| {
            let is_observed = observed.as_ref().is_none_or(|ids| ids.contains(&sensor.id));
            is_observed.then(|| chosen(sensor, file, overrides, reset))
        };
        let of_agents = file.agents.iter().map(|agent| agent.sensors.iter().map(of_sensor).collect());
        let settings = Self {
            seed: reset.seed.or(overrides.seed).unwrap_or(file.seed),
            modalities: of_agents.collect(),
            encoding: reset.encoding.or(overrides.encoding).unwrap_or(file.encoding),
            extras: reset.extras.or(overrides.extras).unwrap_or(file.extras),
        };
        settings.check_size(file)?;
        Ok(settings)
    }

    fn check_size(&self, file: &WorldFile) -> Result<(), Fault> {
        let (longest, most) =
            (longest_reply_bytes(&describe_agents(file, self), self.encoding), limits::MAX_REPLY_BYTES);
        if longest <= most {
            return Ok(());
        }
        let message = format!(
            "a reply could take {longest} bytes, over the limit of {most}; observe fewer sensors, modalities or pixels"
        );
        Err(Fault::new(Code::TooLarge, message))
    }
}

fn chosen(sensor: &SensorSpec, file: &WorldFile, overrides: &Overrides, reset: &Reset) -> Modalities {
    let by_reset = match &reset.modalities {
        Some(ModalityChoice::All(modalities)) => Some(*modalities),
        Some(ModalityChoice::BySensor(by_sensor)) => by_sensor.get(&sensor.id).copied(),
        None => None,
    };
    let by_file = sensor.modalities.or(file.modalities);
    by_reset.or(overrides.modalities).or(by_file).unwrap_or(Modalities::default_of(sensor.semantic))
}

fn check_sensor_ids(file: &WorldFile, reset: &Reset) -> Result<(), Fault> {
    let known: BTreeSet<&SensorId> = file.agents.iter().flat_map(|a| &a.sensors).map(|s| &s.id).collect();
    let observed = reset.sensor_ids.iter().flatten();
    let chosen_for = reset.modalities.iter().flat_map(|choice| match choice {
        ModalityChoice::All(_) => Vec::new(),
        ModalityChoice::BySensor(by_sensor) => by_sensor.keys().collect(),
    });
    match observed.chain(chosen_for).find(|id| !known.contains(id)) {
        None => Ok(()),
        Some(id) => {
            let words = || known.iter().map(|id| id.as_str());
            let hint = suggestion(id.as_str(), words());
            let message = format!(
                "the sensor id is not known: {}; the sensors are {}{hint}",
                shown(id.as_str()),
                listed(words())
            );
            Err(Fault::new(Code::UnknownSensor, message))
        }
    }
}
