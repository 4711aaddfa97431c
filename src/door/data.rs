//! A folder of objects: one subfolder an object, as in Monty's data for MuJoCo.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::assets::{Nowhere, Source};

/// The environment's word for the folder, where the command line says none.
const VARIABLE: &str = "SACCADE_DATA";

#[derive(Debug)]
struct Folder {
    path: PathBuf,
}

/// The folder of the command line, else that of the environment, else none.
pub fn data_source(folder: Option<&Path>) -> Result<Arc<dyn Source>, String> {
    let from_environment = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let Some(path) = folder.map(Path::to_owned).or_else(from_environment) else { return Ok(Arc::new(Nowhere)) };
    match fs::metadata(&path) {
        Ok(found) if found.is_dir() => Ok(Arc::new(Folder { path })),
        Ok(_) => Err(format!("{}: --data or {VARIABLE} must name a folder, and this is none", path.display())),
        Err(error) => Err(format!("{}: the folder of --data or {VARIABLE} cannot be read: {error}", path.display())),
    }
}

impl Source for Folder {
    fn object_names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        let mut names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    fn place(&self) -> String {
        format!("the folder {}", self.path.display())
    }
}
