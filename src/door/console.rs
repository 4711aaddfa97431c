//! What people read: results on stdout, notes and complaints on stderr.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};

use crate::protocol::{Level, Note};

/// The one writer of results. An output that nobody reads any more is `BrokenPipe`, which ends a command quietly.
#[derive(Debug)]
pub struct Results(BufWriter<StdoutLock<'static>>);

impl Results {
    pub fn open() -> Self {
        Self(BufWriter::new(io::stdout().lock()))
    }

    pub fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.0, "{text}")
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// Writes out what is still held back.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Write for Results {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// One line on stderr, whatever the text holds: names in it come from files and clients. That nobody reads it is no reason
/// to stop.
pub fn complain(text: &str) {
    let line: String =
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.into() }).collect();
    let _ = writeln!(io::stderr(), "saccade: {line}");
}

/// Details are for `-v` alone.
pub fn print_note(note: &Note, is_verbose: bool) {
    match note.level {
        Level::Warning => complain(&format!("warning: {}", note.text)),
        Level::Detail if is_verbose => complain(&note.text),
        Level::Detail => {}
    }
}

pub fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}
