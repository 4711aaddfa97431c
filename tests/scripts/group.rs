//! Groups of trials: names, the rule that no group is empty, and how a failure is shown.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

/// What is in a folder of `tests/`, in the order of the names.
pub fn files_in(folder: &str) -> io::Result<Vec<PathBuf>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// The trials of a group, or one that fails where there is none or they cannot be had.
pub fn non_empty(group: &str, trials: Result<Vec<Trial>, String>) -> Vec<Trial> {
    let why = match trials {
        Ok(trials) if !trials.is_empty() => return trials,
        Ok(_) => "it has no case".to_owned(),
        Err(why) => why,
    };
    let message = format!("the group {group}: {why}");
    vec![Trial::test(format!("{group}::has_cases"), || Err(message.into()))]
}

/// A failure with what was expected and what was got between rulers.
pub fn differs(why: &str, expected: &str, got: &str, stderr: &[u8]) -> Failed {
    let sections = [("expected", expected), ("got", got), ("stderr", &String::from_utf8_lossy(stderr))];
    let shown: String = sections.iter().map(|(title, text)| format!("{title:=^80}\n{}\n", text.trim_end())).collect();
    Failed::from(format!("{why}\n{shown}{:=^80}", ""))
}
