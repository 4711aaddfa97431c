//! A recording of a session: `STEM.req.bin`, the bytes that came in, and `STEM.rep.bin`, those that went out.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use super::console::complain;

/// Keeps what passes until a write fails: then it says so once and keeps no more, and the run goes on.
#[derive(Debug)]
pub struct Recording {
    stem: String,
    files: Option<Files>,
}

#[derive(Debug)]
struct Files {
    requests: File,
    replies: File,
}

impl Recording {
    pub fn create(stem: &str) -> Result<Self, String> {
        let create = |ending: &str| {
            let path = PathBuf::from(format!("{stem}{ending}"));
            File::create(&path).map_err(|e| format!("{}: the recording cannot be written: {e}", path.display()))
        };
        let files = Files { requests: create(".req.bin")?, replies: create(".rep.bin")? };
        Ok(Self { stem: stem.to_owned(), files: Some(files) })
    }

    pub fn requests(&mut self, bytes: &[u8]) {
        self.keep(|files| files.requests.write_all(bytes));
    }

    pub fn reply(&mut self, bytes: &[u8]) {
        self.keep(|files| files.replies.write_all(bytes));
    }

    fn keep(&mut self, write: impl FnOnce(&mut Files) -> io::Result<()>) {
        let Some(files) = &mut self.files else { return };
        if let Err(error) = write(files) {
            complain(&format!("warning: the recording {} ends here: {error}", self.stem));
            self.files = None;
        }
    }
}
