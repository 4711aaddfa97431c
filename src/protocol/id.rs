//! Names and numbers that stand for something: each its own type, so that one is never taken for another.

use std::fmt;

use smol_str::SmolStr;

macro_rules! name_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(SmolStr);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name_id!(
    /// An agent's name, unique in its world.
    AgentId
);
name_id!(
    /// A sensor's name, unique within its agent: several agents may each have a `patch`.
    SensorId
);

/// A request's id: the digits of a non-negative integer of any size, kept as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(SmolStr);

impl RequestId {
    /// `None` unless the text is digits alone, without a sign, a fraction or an exponent.
    pub fn from_digits(text: &str) -> Option<Self> {
        let is_integer = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        is_integer.then(|| Self(text.into()))
    }

    pub fn digits(&self) -> &str {
        &self.0
    }
}

/// An object's number: how many were added before it since the world was last empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// What a semantic sensor reads on an object: 0 to 2³¹-1, where 0 reads as background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SemanticId(pub u32);

impl SemanticId {
    pub const MAX: u32 = i32::MAX as u32;
}
