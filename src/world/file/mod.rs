//! World files: what a world starts as, in TOML. `parse` reads one and collects every problem; `to_text` writes it back.

mod parse;
mod reader;
mod switches;
mod write;

use std::sync::Arc;

use super::agent::SensorSpec;
use super::compat::Compat;
use super::kind::AgentKind;
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
    pub agents: Vec<Arc<AgentSpec>>,
    pub objects: Vec<ObjectSpec>,
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
    /// World, metres.
    pub position: Vector,
    /// World.
    pub rotation: Rotation,
    /// Factors along the object's own axes.
    pub scale: Vector,
    /// `None`: the object's own default.
    pub semantic_id: Option<SemanticId>,
}
