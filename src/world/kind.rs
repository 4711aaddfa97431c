//! Kinds of agents: which of Monty's actions each understands.

use super::compat::Word;
use crate::protocol::ActionName;

/// An agent's kind, which is its action space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentKind {
    /// Looks around from afar.
    Distant,
    /// Follows a surface closely.
    Surface,
    /// Only watches.
    Noop,
    /// Understands every action.
    Free,
}

impl Word for AgentKind {
    const ALL: &'static [Self] = &[AgentKind::Distant, AgentKind::Surface, AgentKind::Noop, AgentKind::Free];

    fn word(self) -> &'static str {
        match self {
            AgentKind::Distant => "distant",
            AgentKind::Surface => "surface",
            AgentKind::Noop => "noop",
            AgentKind::Free => "free",
        }
    }
}

impl AgentKind {
    pub fn action_space(self) -> &'static [ActionName] {
        use ActionName::*;
        match self {
            AgentKind::Distant => {
                &[MoveForward, TurnLeft, TurnRight, LookUp, LookDown, SetAgentPose, SetSensorRotation]
            }
            AgentKind::Surface => {
                &[MoveForward, MoveTangentially, OrientHorizontal, OrientVertical, SetAgentPose, SetSensorRotation]
            }
            AgentKind::Noop => &[],
            AgentKind::Free => ActionName::ALL,
        }
    }
}
