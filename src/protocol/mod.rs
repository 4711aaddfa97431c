//! The words that both sides speak: requests, replies, actions, ids, errors, limits. Data only; no bytes, no physics.

mod action;
mod error;
mod id;
pub mod limits;
mod note;
mod procedure;
mod reply;
mod request;
mod selection;
mod wording;

pub use action::{Action, ActionName, Motion};
pub use error::{Code, Fault};
pub use id::{AgentId, ObjectId, RequestId, SemanticId, SensorId};
pub use note::{Level, Note};
pub use procedure::{GetGoodView, Jump, Procedure, ProcedureAnswer, ProcedureName, RunProcedure, Target, Touch};
pub use reply::{
    AddedObject, AgentDescription, AgentObservations, AgentState, Answer, Description, EpisodeAnswer, Image, Limit,
    LimitValue, Numbers, PrimaryTarget, Reply, SensorDescription, SensorObservation, SensorState, StepAnswer, Value,
};
pub use request::{
    Abandoned, AddObject, Command, CommandName, KeepGoing, ModalityChoice, Request, Reset, Step, Stopped,
};
pub use selection::{Encoding, Extra, Extras, Modalities, Modality};
pub use wording::{listed, shown, suggestion};
