//! Objects that come from outside the binary: where their files are, by name. A door has the folder, tests have a map.

use std::fmt;

/// A place that holds objects.
pub trait Source: fmt::Debug + Send + Sync {
    /// The names of its objects, sorted.
    fn object_names(&self) -> Vec<String>;

    /// The place, as a message names it.
    fn place(&self) -> String;
}

/// No place at all.
#[derive(Clone, Copy, Debug)]
pub struct Nowhere;

impl Source for Nowhere {
    fn object_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn place(&self) -> String {
        "no data folder (give one with --data or SACCADE_DATA)".into()
    }
}
