//! What can go wrong on the wire: one table of codes, and the fault that carries one.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)+) => {
        /// The stable word of a failed reply. Clients may match on it; the sentence beside it is for people.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $($(#[$doc])* $variant,)+
        }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$variant,)+];

            pub fn word(self) -> &'static str {
                match self {
                    $(Code::$variant => $word,)+
                }
            }
        }
    };
}

codes! {
    /// The frame is longer than the limit; its bytes are passed over.
    FrameTooLong = "frame_too_long",
    /// The body is not one JSON object in UTF-8.
    BadJson = "bad_json",
    /// The id is absent, given twice, or not a non-negative integer.
    BadId = "bad_id",
    /// The command is absent or not a known word.
    UnknownCommand = "unknown_command",
    /// A key is absent, given twice, of another type, or its value makes no sense there.
    BadRequest = "bad_request",
    /// The action is absent or not one of Monty's 14 words.
    UnknownAction = "unknown_action",
    /// The action is outside the action space of this kind of agent.
    ActionNotAvailable = "action_not_available",
    /// No agent has this id.
    UnknownAgent = "unknown_agent",
    /// No sensor has this id.
    UnknownSensor = "unknown_sensor",
    /// No object has this name.
    UnknownObject = "unknown_object",
    /// An object's files are broken, or of a kind that cannot be read.
    Asset = "asset",
    /// An outcome is not finite, or farther than 1e6 m from the origin.
    OutOfRange = "out_of_range",
    /// A distractor touches another object or hides its target everywhere within 1 m.
    NoRoom = "no_room",
    /// The request or its reply passes one of the limits that `describe` lists.
    TooLarge = "too_large",
    /// The command needs a world: send `reset` first.
    ResetNeeded = "reset_needed",
    /// A fault of the simulator itself; the world asks for a reset.
    Internal = "internal",
}

/// A failed request: why, in a sentence that names the thing and the remedy, and the stable word for its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    /// Lower case at its start, no full stop at its end.
    pub message: String,
}

impl Fault {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The same fault, told where it stands.
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }
}
