//! The words of the files in `tests/port/`: what a case feeds to the peer and what it expects back.
//!
//! They are those of the runner that the conformance set comes with. An unknown word fails the whole file.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    pub why: String,
    #[serde(rename = "tags")]
    _tags: Vec<String>,
    /// What is typed behind the program's name; paths are relative to the repository's root.
    #[serde(default)]
    pub args: Vec<String>,
    pub stdin: Vec<Input>,
    pub expect: Vec<Expected>,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Input {
    /// A body; the runner adds the length.
    Frame {
        frame: String,
    },
    /// Bytes as they are, then a pause.
    Raw {
        raw_hex: String,
        #[serde(default)]
        pause_ms: u64,
    },
    /// One long frame.
    Repeat {
        repeat: Repeat,
    },
    /// Many frames from a template in which `$` is the id.
    Frames {
        frames: Frames,
    },
    /// Waits until so many replies have been seen, at most a minute.
    Await {
        #[serde(rename = "await")]
        replies: usize,
    },
    /// Waits until the peer has worked for so long on what it was given last; a reply within that time fails the case.
    Busy {
        busy_ms: u64,
    },
    /// Reads no replies for so long.
    HoldReads {
        hold_reads_ms: u64,
    },
    /// The peer's peak memory so far.
    PeakMemory {
        rss_max_mb: u64,
    },
    Signal {
        signal: String,
    },
    Close {
        #[serde(rename = "close")]
        _close: bool,
    },
    CloseStdout {
        #[serde(rename = "close_stdout")]
        _close: bool,
    },
    CloseBoth {
        #[serde(rename = "close_both")]
        _close: bool,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    prefix: String,
    unit: String,
    times: usize,
    suffix: String,
    #[serde(default)]
    close_unit: String,
}

impl Repeat {
    /// The prefix, `times` units, as many closing units, and the suffix.
    pub fn body(&self) -> String {
        let Self { prefix, unit, times, suffix, close_unit } = self;
        [prefix, &unit.repeat(*times), &close_unit.repeat(*times), suffix].map(String::as_str).concat()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    from: u64,
    to: u64,
    template: String,
}

impl Frames {
    pub fn bodies(&self) -> impl Iterator<Item = String> {
        (self.from..=self.to).map(|id| self.template.replace('$', &id.to_string()))
    }
}

/// One expectation, and its text for a failure's message.
#[derive(Deserialize)]
#[serde(try_from = "Value")]
pub struct Expected {
    pub text: String,
    pub what: Expectation,
}

impl TryFrom<Value> for Expected {
    type Error = serde_json::Error;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        Ok(Self { text: value.to_string(), what: serde_json::from_value(value)? })
    }
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Expectation {
    /// The end of the process, counted from the last input. A signal's code is negative.
    Exit {
        exit_code: OneOrMany,
        within_ms: u64,
        #[serde(rename = "ignore_replies", default)]
        _ignore_replies: bool,
    },
    /// Holds for every case: no reply is left over.
    NoMore {
        #[serde(rename = "no_more")]
        _no_more: bool,
    },
    StderrLacks {
        stderr_lacks: String,
    },
    /// A run of replies, first and last id.
    Ids {
        ids: (u64, u64),
        #[serde(default)]
        has: Vec<String>,
    },
    Reply(Box<ExpectedReply>),
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    One(i32),
    Many(Vec<i32>),
}

impl OneOrMany {
    pub fn contains(&self, code: i32) -> bool {
        match self {
            Self::One(one) => *one == code,
            Self::Many(many) => many.contains(&code),
        }
    }
}

/// What one reply must be; the keys of the maps are JSON pointers.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct ExpectedReply {
    /// `Some(Null)` is the id null; `None` is no claim.
    #[serde(deserialize_with = "present")]
    pub id: Option<Value>,
    pub id_in: Option<Vec<Value>>,
    pub has: Vec<String>,
    pub lacks: Vec<String>,
    pub has_one_of: Option<Vec<String>>,
    pub error_contains: Option<String>,
    pub equals: BTreeMap<String, Value>,
    pub present: Vec<String>,
    pub len: BTreeMap<String, usize>,
    /// Vectors of length 1.
    pub unit: Vec<String>,
    pub same_as: Option<Comparison>,
    pub differs_from: Option<Comparison>,
    pub within_ms: Option<u64>,
}

/// Vectors of this reply beside those of an earlier one, counted from 0.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    pub reply: usize,
    pub pointers: Vec<String>,
}

fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}
