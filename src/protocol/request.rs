//! What a client asks.

use std::collections::BTreeMap;
use std::fmt;

use smallvec::SmallVec;

use super::{Action, Encoding, Extras, Fault, Modalities, RequestId, RunProcedure, SensorId};

/// Asked between pieces of work of at most 50 ms: a no abandons the request with the state unchanged.
pub type KeepGoing<'a> = dyn FnMut() -> bool + 'a;

/// `keep_going` said no: what was done so far is worth nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abandoned;

/// Why a piece of work is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    Fault(Fault),
    Abandoned,
}

impl Stopped {
    /// The fault, if somebody waits to be told.
    pub fn fault(self) -> Result<Fault, Abandoned> {
        match self {
            Stopped::Fault(fault) => Ok(fault),
            Stopped::Abandoned => Err(Abandoned),
        }
    }

    /// The same, a fault told where it stands.
    pub fn at(self, place: impl fmt::Display) -> Self {
        match self {
            Stopped::Fault(fault) => Stopped::Fault(fault.at(place)),
            Stopped::Abandoned => self,
        }
    }
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Stopped::Fault(fault)
    }
}

impl From<Abandoned> for Stopped {
    fn from(_: Abandoned) -> Self {
        Stopped::Abandoned
    }
}

/// One request, read and checked as far as it can be without a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub id: RequestId,
    pub command: Command,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Reset(Reset),
    Step(Step),
    Describe { world: bool },
    Digest,
    AddObject(AddObject),
    RemoveAllObjects,
    RunProcedure(RunProcedure),
    Close,
}

/// Starts over. All that is `None` here falls back to the command line, then the world file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reset {
    /// What is observed from now on; `None` is every sensor.
    pub sensor_ids: Option<Vec<SensorId>>,
    pub episode: Option<u64>,
    pub seed: Option<u64>,
    pub modalities: Option<ModalityChoice>,
    pub encoding: Option<Encoding>,
    pub extras: Option<Extras>,
}

/// Modalities for all sensors, or sensor by sensor.
#[derive(Clone, Debug, PartialEq)]
pub enum ModalityChoice {
    All(Modalities),
    BySensor(BTreeMap<SensorId, Modalities>),
}

/// Applies the actions in order, then advances the world by one tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    pub actions: SmallVec<[Action; MOST_BY_MONTY]>,
}

/// Actions that Monty sends at most in one step; more of them take an allocation.
const MOST_BY_MONTY: usize = 3;

/// Monty's own `add_object`.
#[derive(Clone, Debug, PartialEq)]
pub struct AddObject {
    pub name: String,
    /// Metres, world.
    pub position_m: [f64; 3],
    /// Any length but 0.
    pub rotation_wxyz: [f64; 4],
    pub scale: [f64; 3],
    /// `None`: the object's own default.
    pub semantic_id: Option<u64>,
    pub primary_target_object: Option<u64>,
    /// Relative to the folder of the world file.
    pub file: Option<String>,
}

macro_rules! commands {
    ($($variant:ident = $word:literal [$($key:literal),*],)+) => {
        /// A command's word, and the keys that it knows beside `id` and `command`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CommandName {
            $($variant,)+
        }

        impl CommandName {
            pub const ALL: &[CommandName] = &[$(CommandName::$variant,)+];

            pub fn word(self) -> &'static str {
                match self {
                    $(CommandName::$variant => $word,)+
                }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(CommandName::$variant),)+
                    _ => None,
                }
            }

            pub fn keys(self) -> &'static [&'static str] {
                match self {
                    $(CommandName::$variant => &[$($key),*],)+
                }
            }
        }

        impl Command {
            pub fn name(&self) -> CommandName {
                match self {
                    $(Command::$variant { .. } => CommandName::$variant,)+
                }
            }
        }
    };
}

commands! {
    Reset = "reset" ["sensor_ids", "episode", "seed", "modalities", "encoding", "extras"],
    Step = "step" ["actions"],
    Describe = "describe" ["world"],
    Digest = "digest" [],
    AddObject = "add_object" ["name", "position", "rotation", "scale", "semantic_id", "primary_target_object", "file"],
    RemoveAllObjects = "remove_all_objects" [],
    RunProcedure = "run_procedure" [
        "procedure", "agent_id", "sensor_id", "rng_seed",
        "target_semantic_id", "good_view_percentage", "good_view_distance", "max_orientation_attempts",
        "allow_translation", "multiple_objects_present",
        "desired_object_distance",
        "location", "direction"
    ],
    Close = "close" [],
}
