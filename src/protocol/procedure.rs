//! Monty's positioning, run inside the peer: which procedure, with which of Monty's own parameters.

use super::{Action, AgentId, SemanticId, SensorId, StepAnswer};

/// Places an agent's sensor in as many ticks as that takes.
#[derive(Clone, Debug, PartialEq)]
pub struct RunProcedure {
    pub agent_id: AgentId,
    /// Whose view the procedure decides by.
    pub sensor_id: SensorId,
    /// Of numpy's `RandomState`; `None`: the episode's.
    pub rng_seed: Option<u32>,
    pub procedure: Procedure,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Procedure {
    GetGoodView(GetGoodView),
    Touch(Touch),
    Jump(Jump),
}

impl Procedure {
    pub fn name(&self) -> ProcedureName {
        match self {
            Procedure::GetGoodView(_) => ProcedureName::GetGoodView,
            Procedure::Touch(_) => ProcedureName::Touch,
            Procedure::Jump(_) => ProcedureName::Jump,
        }
    }
}

/// Straight on until the target is large or near enough, then turns towards it.
#[derive(Clone, Debug, PartialEq)]
pub struct GetGoodView {
    pub target: Target,
    /// Near enough: the part of the view that the target covers, from 0 to 1.
    pub good_view_percentage: f64,
    /// Near enough: metres to the target's nearest point.
    pub good_view_distance_m: f64,
    pub max_orientation_attempts: u64,
    /// Whether it may move, and not only turn.
    pub allow_translation: bool,
}

/// Which labels count as the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// All objects: Monty's `multiple_objects_present` is false.
    Any,
    /// One of several objects.
    Only(SemanticId),
}

impl Default for GetGoodView {
    fn default() -> Self {
        Self {
            target: Target::Any,
            good_view_percentage: 0.5,
            good_view_distance_m: 0.03,
            max_orientation_attempts: 1,
            allow_translation: true,
        }
    }
}

/// The surface policy's search for something to touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// Metres from the agent to what it touches.
    pub desired_object_distance_m: f64,
}

impl Default for Touch {
    fn default() -> Self {
        Self { desired_object_distance_m: 0.025 }
    }
}

/// Straight to a goal, unless nothing is to be seen from there.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// Of the agent, metres, world.
    pub location_m: [f64; 3],
    /// Where it looks from there, world, of any length but 0.
    pub direction: [f64; 3],
}

/// A procedure's word on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcedureName {
    GetGoodView,
    Touch,
    Jump,
}

impl ProcedureName {
    pub const ALL: &[ProcedureName] = &[ProcedureName::GetGoodView, ProcedureName::Touch, ProcedureName::Jump];

    pub fn word(self) -> &'static str {
        match self {
            ProcedureName::GetGoodView => "get_good_view",
            ProcedureName::Touch => "touch",
            ProcedureName::Jump => "jump",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|name| name.word() == word)
    }
}

/// Where a procedure led, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureAnswer {
    /// As after the last of its steps; nothing was done where there is none.
    pub answer: StepAnswer,
    /// One list a tick: as steps they lead to the same state.
    pub actions: Vec<Vec<Action>>,
    pub is_success: bool,
    /// It gave up, and the moves stand.
    pub is_truncated: bool,
}
