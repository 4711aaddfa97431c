//! World files: what a world starts as, in TOML. `parse` reads one and collects every problem; `to_text` writes it back.

mod episodes;
mod parse;
mod percept;
mod pipeline;
mod reader;
mod switches;
mod write;

use std::sync::Arc;

use super::agent::SensorSpec;
use super::compat::Compat;
use super::episodes::Episodes;
use super::kind::AgentKind;
use crate::assets::DataFolder;
use crate::math::{Rotation, Vector};
use crate::protocol::{AgentId, Encoding, Extras, Modalities, SemanticId};

pub use parse::parse;
pub use reader::Problem;
pub use write::to_text;

/// A world as its file says it.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldFile {
    pub name: String,
    pub seed: u64,
    /// Length of one tick, seconds.
    pub tick_s: f64,
    pub compat: Compat,
    /// What sensors answer unless they, the command line or a reset say otherwise.
    pub modalities: Option<Modalities>,
    pub encoding: Encoding,
    pub extras: Extras,
    /// Where objects are that are no primitives, relative to the folder of the world file.
    pub data: Option<DataFolder>,
    pub agents: Vec<Arc<AgentSpec>>,
    /// What stands in every episode, or always.
    pub objects: Vec<ObjectSpec>,
    pub episodes: Option<Episodes>,
}

impl WorldFile {
    /// Whether what is seen depends on chance, and so on the episode's number.
    pub fn has_noise(&self) -> bool {
        let mut sensors = self.agents.iter().flat_map(|agent| &agent.sensors);
        sensors.any(|sensor| sensor.pipeline.has_noise() || !sensor.percept.noise.is_empty())
    }

    /// Whether a look is remembered.
    pub fn has_filter(&self) -> bool {
        let mut sensors = self.agents.iter().flat_map(|agent| &agent.sensors);
        sensors.any(|sensor| sensor.percept.feature_change.is_some())
    }
}

/// An agent at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSpec {
    pub id: AgentId,
    pub kind: AgentKind,
    /// World, metres.
    pub position: Vector,
    /// World.
    pub rotation: Rotation,
    pub sensors: Vec<SensorSpec>,
}

/// An object as it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectSpec {
    pub name: String,
    /// The file that it is, in place of what is known by its name; relative to the folder of the world file.
    pub file: Option<String>,
    /// World, metres.
    pub position: Vector,
    /// World.
    pub rotation: Rotation,
    /// Factors along the object's own axes.
    pub scale: Vector,
    /// `None`: the object's own default.
    pub semantic_id: Option<SemanticId>,
    /// Red, green, blue, each from 0 to 1.
    pub color: [f64; 3],
}

/// What has no colour of its own: MuJoCo's grey.
pub const DEFAULT_COLOR: [f64; 3] = [0.5; 3];
