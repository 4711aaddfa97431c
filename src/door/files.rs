//! Worlds and captures by name or path.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::assets::Source;
use crate::protocol::{limits, listed, suggestion};
use crate::world::{Problem, SHIPPED_WORLDS, ShippedWorld, WorldFile, file, shipped_world};

/// A shipped world by its name, or a world file by its path; on failure one line for each problem.
pub fn load_world(name_or_path: &str, source: &dyn Source) -> Result<WorldFile, Vec<String>> {
    if let Some(world) = shipped_world(name_or_path) {
        return load_shipped(world, source);
    }
    let text = read_world_text(name_or_path).map_err(|problem| vec![problem])?;
    file::parse(&text, source).map_err(|problems| told(name_or_path, &problems))
}

/// A shipped world is right but for objects that are not there: without any folder all are missing for one reason.
fn load_shipped(world: &ShippedWorld, source: &dyn Source) -> Result<WorldFile, Vec<String>> {
    file::parse(world.text, source).map_err(|problems| match source.data_folder(None) {
        None => vec![format!(
            "{}: its objects are no part of this program; give the folder that holds them with --data or SACCADE_DATA",
            world.name
        )],
        Some(_) => told(world.name, &problems),
    })
}

fn told(name_or_path: &str, problems: &[Problem]) -> Vec<String> {
    problems.iter().map(|problem| format!("{name_or_path}: {problem}")).collect()
}

fn read_world_text(path: &str) -> Result<String, String> {
    let most = limits::MAX_WORLD_FILE_BYTES;
    let bytes = read_limited(path, most as u64).map_err(|e| not_readable(path, &e))?;
    if bytes.len() > most {
        return Err(format!("{path}: the file is longer than the {most} bytes of the longest world"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        format!("{path}: the file is not UTF-8 from byte {at} on; save it as UTF-8")
    })
}

fn not_readable(path: &str, error: &io::Error) -> String {
    let looks_like_path = path.contains(['/', '\\', '.']);
    if error.kind() != io::ErrorKind::NotFound || looks_like_path {
        return format!("{path}: the world file cannot be read: {error}");
    }
    let known = || SHIPPED_WORLDS.iter().map(|world| world.name);
    let hint = suggestion(path, known());
    format!("{path}: neither a shipped world nor a file; the shipped worlds are {}{hint}", listed(known()))
}

/// At most one byte more than `limit`, so that a reader of the text can tell that it is too long.
fn read_limited(path: &str, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: the file cannot be read: {e}", path.display()))
}

pub fn open_capture(path: &Path) -> Result<File, String> {
    let not_readable = |why: String| format!("{}: the capture cannot be read: {why}", path.display());
    let file = File::open(path).map_err(|e| not_readable(e.to_string()))?;
    match file.metadata() {
        Ok(found) if found.is_dir() => Err(not_readable("it is a folder".into())),
        _ => Ok(file),
    }
}

pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{}: the file cannot be written: {e}", path.display()))
}

/// With those above it; it may be there already.
pub fn make_folder(path: &Path) -> Result<(), String> {
    std::fs::create_dir_all(path).map_err(|e| format!("{}: the folder cannot be made: {e}", path.display()))
}

/// The system's folder for files that nobody needs to keep.
pub fn temporary_folder() -> PathBuf {
    std::env::temp_dir()
}
