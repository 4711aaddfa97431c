//! What is wrong with a file: where it is, what stands there, what is expected.

use std::fmt;

/// Why an object cannot be had from its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetError {
    pub file: String,
    pub place: Place,
    pub found: String,
    /// And the remedy, where there is one.
    pub expected: String,
}

/// Where in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    File,
    /// From 1.
    Line(usize),
    /// From 0.
    Byte(usize),
}

impl AssetError {
    pub fn new(file: &str, place: Place, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { file: file.to_owned(), place, found: found.into(), expected: expected.into() }
    }
}

impl fmt::Display for AssetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, place, found, expected } = self;
        match place {
            Place::File => write!(f, "{file}: found {found}, expected {expected}"),
            Place::Line(line) => write!(f, "{file}: line {line}: found {found}, expected {expected}"),
            Place::Byte(byte) => write!(f, "{file}: byte {byte}: found {found}, expected {expected}"),
        }
    }
}

impl std::error::Error for AssetError {}
