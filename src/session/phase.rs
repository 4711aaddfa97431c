//! Which commands are admitted when: the one table of the session's phases.

use crate::protocol::{Code, CommandName, Fault};

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the first reset.
    Waiting,
    /// A world ticks.
    Running,
    /// After a fault of our own.
    Broken,
    /// After `close`.
    Closed,
}

impl Phase {
    pub fn admit(self, command: CommandName) -> Result<(), Fault> {
        use CommandName::*;
        match (self, command) {
            (Phase::Running, _) => Ok(()),
            (Phase::Waiting | Phase::Broken, Reset | Describe | Close) => Ok(()),
            (Phase::Waiting, _) => {
                Err(Fault::new(Code::ResetNeeded, format!("{} needs a world: send reset first", command.word())))
            }
            (Phase::Broken, _) => Err(Fault::new(
                Code::ResetNeeded,
                format!("{} needs a world, and a fault of the simulator has ended it: send reset", command.word()),
            )),
            (Phase::Closed, _) => Err(Fault::new(Code::ResetNeeded, "the session is closed: open another")),
        }
    }
}
