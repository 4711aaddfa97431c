//! The pump of a stream door: reads, lets the connection answer, writes.

use std::io::{self, Read, Write};

use super::console::print_note;
use super::record::Recording;
use crate::connection::Connection;

/// How much is read at once: what a pipe holds.
const READ_BYTES: usize = 64 << 10;

/// Where replies go.
pub trait Output: Write {
    /// Whether somebody can still read them.
    fn reader_is_there(&self) -> bool {
        true
    }
}

/// An output whose reader does not leave: memory, or results that are written out to the end.
#[derive(Debug)]
pub struct Unwatched<W>(pub W);

impl<W: Write> Write for Unwatched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Output for Unwatched<W> {}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// After `close`, between two frames, or because nobody reads the replies any more.
    Clean,
    /// Inside a frame.
    CutFrame,
}

pub fn pump(
    connection: &mut Connection,
    input: &mut impl Read,
    output: &mut impl Output,
    mut recording: Option<Recording>,
    is_verbose: bool,
) -> io::Result<End> {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let bytes = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => &buffer[..count],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if is_hang_up(&error) => return Ok(End::Clean),
            Err(error) => return Err(error),
        };
        if let Some(recording) = &mut recording {
            recording.requests(bytes);
        }
        connection.receive(bytes);
        if !answer_all(connection, output, &mut recording, is_verbose)? || connection.is_closed() {
            return Ok(End::Clean);
        }
    }
    Ok(if connection.is_inside_frame() { End::CutFrame } else { End::Clean })
}

/// Whether somebody still reads.
fn answer_all(
    connection: &mut Connection,
    output: &mut impl Output,
    recording: &mut Option<Recording>,
    is_verbose: bool,
) -> io::Result<bool> {
    loop {
        let reply = connection.poll_transmit(&mut || output.reader_is_there());
        let written = reply.map(|reply| write(reply, output, recording));
        while let Some(note) = connection.poll_note() {
            print_note(&note, is_verbose);
        }
        match written {
            None => return Ok(true),
            Some(Err(error)) if is_hang_up(&error) => return Ok(false),
            Some(written) => written?,
        }
    }
}

fn write(reply: &[u8], output: &mut impl Output, recording: &mut Option<Recording>) -> io::Result<()> {
    output.write_all(reply)?;
    output.flush()?;
    if let Some(recording) = recording {
        recording.reply(reply);
    }
    Ok(())
}

/// The owner is gone: of a pipe by one word, of a socket by the other.
fn is_hang_up(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}
