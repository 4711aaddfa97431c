//! Where files are: the one door through which they reach the core.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::error::{AssetError, Place};
use super::layout::DataFolder;
use super::limits;

/// Of a file; lent where its place holds them anyway.
pub type Bytes<'s> = Cow<'s, [u8]>;

/// A place that holds files. Paths have `/` between their parts; a relative one counts from the folder of the world file.
pub trait Source: fmt::Debug + Send + Sync {
    /// The bytes of a file, at most `limits::MAX_FILE_BYTES`.
    fn read(&self, path: &str) -> Result<Bytes<'_>, Unread>;

    /// The names in a folder, sorted, those of folders with `/` at their end; `None` if it is no folder.
    fn list(&self, folder: &str) -> Option<Vec<String>>;

    /// The folder of objects, of which the world file may name one.
    fn data_folder(&self, of_world: Option<&DataFolder>) -> Option<DataFolder> {
        of_world.cloned()
    }
}

/// Why a file has no bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    Missing,
    /// Longer than the limit.
    TooLong,
    Failed(String),
}

/// No place at all.
#[derive(Clone, Copy, Debug)]
pub struct Nowhere;

impl Source for Nowhere {
    fn read(&self, _path: &str) -> Result<Bytes<'_>, Unread> {
        Err(Unread::Missing)
    }

    fn list(&self, _folder: &str) -> Option<Vec<String>> {
        None
    }
}

/// Files by their paths.
#[derive(Clone, Debug, Default)]
pub struct InMemory(pub BTreeMap<String, Vec<u8>>);

impl Source for InMemory {
    fn read(&self, path: &str) -> Result<Bytes<'_>, Unread> {
        self.0.get(path).map(Cow::from).ok_or(Unread::Missing)
    }

    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let inside = self.0.keys().filter_map(|path| path.strip_prefix(&prefix));
        let mut names: Vec<String> =
            inside.map(|rest| rest.split_once('/').map_or(rest.to_owned(), |(name, _)| format!("{name}/"))).collect();
        names.sort();
        names.dedup();
        (!names.is_empty()).then_some(names)
    }
}

/// A source under the eyes of a reader, who may have something to say.
#[derive(Debug)]
pub struct Files<'s> {
    source: &'s dyn Source,
    /// What people should hear of a file that is taken all the same.
    pub warnings: Vec<String>,
}

impl<'s> Files<'s> {
    pub fn new(source: &'s dyn Source) -> Self {
        Self { source, warnings: Vec::new() }
    }

    /// The file, or `None` where there is none.
    pub fn read_if_there(&self, path: &str) -> Result<Option<Bytes<'s>>, AssetError> {
        let most = limits::MAX_FILE_BYTES;
        match self.source.read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Unread::Missing) => Ok(None),
            Err(Unread::TooLong) => {
                let expected = format!("at most {most}; cut it into several objects, or make it coarser");
                Err(AssetError::new(path, Place::File, format!("more than {most} bytes"), expected))
            }
            Err(Unread::Failed(why)) => Err(AssetError::new(path, Place::File, why, "a file that can be read")),
        }
    }

    /// The file, which `named_by` asks for.
    pub fn read(&self, path: &str, named_by: &str) -> Result<Bytes<'s>, AssetError> {
        self.read_if_there(path)?.ok_or_else(|| {
            AssetError::new(path, Place::File, "no such file", format!("the file that {named_by} names; put it there"))
        })
    }

    pub fn warn(&mut self, text: impl Into<String>) {
        const MOST_WARNINGS: usize = 100;
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(text.into());
        }
    }
}
