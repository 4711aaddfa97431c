//! Files of objects: paths relative to a world file's folder, and the folder of objects that the command line or the
//! environment names.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::assets::limits::MAX_FILE_BYTES;
use crate::assets::{Bytes, DataFolder, Source, Unread};
use crate::world::shipped_world;

/// The environment's word for the folder, where neither the command line nor the world file has one.
const VARIABLE: &str = "SACCADE_DATA";

#[derive(Debug)]
struct Folders {
    /// Of the world file.
    base: PathBuf,
    /// Goes before the world file's own.
    of_command_line: Option<DataFolder>,
    /// Goes behind it.
    of_environment: Option<DataFolder>,
}

/// Files as a world sees them: relative to its own folder, which for a shipped one is the working directory. The folder of
/// objects is that of the command line, else the world file's, else that of the environment.
pub fn data_source(folder: Option<&Path>, world: &str) -> Result<Arc<dyn Source>, String> {
    let base = match shipped_world(world) {
        Some(_) => PathBuf::new(),
        None => Path::new(world).parent().map_or_else(PathBuf::new, Path::to_owned),
    };
    let of_environment = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    Ok(Arc::new(Folders {
        base,
        of_command_line: folder.map(checked).transpose()?,
        of_environment: of_environment.filter(|_| folder.is_none()).as_deref().map(checked).transpose()?,
    }))
}

fn checked(path: &Path) -> Result<DataFolder, String> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            let whole = std::path::absolute(path).ok().and_then(|path| path.into_os_string().into_string().ok());
            let root = whole.ok_or_else(|| format!("{}: a folder's path must be UTF-8", path.display()))?;
            Ok(DataFolder { layout: None, root })
        }
        Ok(_) => Err(format!("{}: --data or {VARIABLE} must name a folder, and this is none", path.display())),
        Err(error) => Err(format!("{}: the folder of --data or {VARIABLE} cannot be read: {error}", path.display())),
    }
}

impl Source for Folders {
    fn read(&self, path: &str) -> Result<Bytes<'_>, Unread> {
        read(&self.base.join(path)).map(Bytes::from).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Unread::Missing,
            std::io::ErrorKind::FileTooLarge => Unread::TooLong,
            _ => Unread::Failed(error.to_string()),
        })
    }

    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let folder = if folder.is_empty() { "." } else { folder };
        let entries = fs::read_dir(self.base.join(folder)).ok()?.flatten();
        let with_slash = |is_folder: bool| if is_folder { "/" } else { "" };
        let mut names: Vec<String> = entries
            .filter_map(|entry| Some(format!("{}{}", entry.file_name().to_str()?, with_slash(entry.path().is_dir()))))
            .collect();
        names.sort_unstable();
        Some(names)
    }

    fn data_folder(&self, of_world: Option<&DataFolder>) -> Option<DataFolder> {
        self.of_command_line.as_ref().or(of_world).or(self.of_environment.as_ref()).cloned()
    }
}

/// A plain file, so that neither a pipe is waited for nor more is read than the limit. It is asked before it is opened: the
/// opening itself waits for a named pipe's writer.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(std::io::Error::other("no plain file"));
    }
    let file = File::open(path)?;
    if found.len() > MAX_FILE_BYTES {
        return Err(std::io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(found.len() as usize);
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(std::io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}
