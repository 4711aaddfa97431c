//! Bytes in, bytes out: frames, requests, the session and its replies, without any I/O. A door pumps it.
//!
//! Inputs: `receive`. Outputs: `poll_transmit`, `poll_note`. Getters: `is_closed`, `is_inside_frame`. One reply for each
//! request, in their order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::protocol::{Abandoned, Code, Fault, KeepGoing, Note, Reply, Request};
use crate::session::Session;
use crate::wire::{Frame, FrameReader, read_request, write_frame};

#[derive(Debug)]
pub struct Connection {
    frames: FrameReader,
    session: Session,
    notes: VecDeque<Note>,
    /// The last reply; its memory serves the next one.
    reply: Vec<u8>,
    is_abandoned: bool,
}

impl Connection {
    pub fn new(session: Session, max_frame_bytes: u32) -> Self {
        let frames = FrameReader::new(max_frame_bytes);
        Self { frames, session, notes: VecDeque::new(), reply: Vec::new(), is_abandoned: false }
    }

    /// Takes the next bytes of the stream, cut anywhere.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.frames.receive(bytes);
    }

    /// The next reply as a whole frame; `None` until more bytes come, or for ever once the connection is closed. A no from
    /// `keep_going` abandons the request, with the state as it was before, and closes the connection.
    pub fn poll_transmit(&mut self, keep_going: &mut KeepGoing) -> Option<&[u8]> {
        if self.is_closed() {
            return None;
        }
        let limit = self.frames.limit();
        let answered = match self.frames.next_frame()? {
            Frame::TooLong { announced } => write(&too_long(announced, limit), &mut self.reply, keep_going),
            Frame::Body(body) => answer(&mut self.session, &mut self.notes, body, &mut self.reply, keep_going),
        };
        self.notes.extend(self.session.take_notes());
        self.is_abandoned = answered.is_err();
        answered.ok().map(|()| &*self.reply)
    }

    /// The next line for people.
    pub fn poll_note(&mut self) -> Option<Note> {
        self.notes.pop_front()
    }

    /// After `close`, or after a request was abandoned.
    pub fn is_closed(&self) -> bool {
        self.is_abandoned || self.session.is_closed()
    }

    /// Whether an end of the stream here would cut a frame.
    pub fn is_inside_frame(&self) -> bool {
        self.frames.is_inside_frame()
    }
}

/// Reads, handles and writes. A panic on the way is a fault of ours: it is answered under the request's id, told on stderr by
/// its own message, and ends the world.
fn answer(
    session: &mut Session,
    notes: &mut VecDeque<Note>,
    body: &[u8],
    out: &mut Vec<u8>,
    keep_going: &mut KeepGoing,
) -> Result<(), Abandoned> {
    let mut id = None;
    let answered = catch_unwind(AssertUnwindSafe(|| {
        let reading = read_request(body);
        id.clone_from(&reading.id);
        notes.extend(reading.notes);
        let reply = match (reading.id, reading.command) {
            (Some(id), Ok(command)) => session.handle(Request { id, command }, keep_going)?,
            (id, Err(fault)) => Reply { id, outcome: Err(fault) },
            (None, Ok(_)) => unreachable!("a request without an id has a fault"),
        };
        write(&reply, out, keep_going).inspect_err(|_| session.take_back())?;
        session.reuse(reply);
        Ok(())
    }));
    answered.unwrap_or_else(|_| {
        session.mark_broken();
        let message = "a fault of the simulator itself, told on stderr; send reset, and please report it";
        write(&Reply { id, outcome: Err(Fault::new(Code::Internal, message)) }, out, &mut || true)
    })
}

/// In place of the last reply.
fn write(reply: &Reply, out: &mut Vec<u8>, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
    out.clear();
    write_frame(reply, out, keep_going)
}

fn too_long(announced: u32, limit: u32) -> Reply {
    let is_json = announced.to_be_bytes()[0] == b'{';
    let hint = if is_json { "; it looks like JSON: 4 bytes with its length go first, big-endian" } else { "" };
    let message = format!("frame of {announced} bytes is over the limit of {limit}; its bytes are passed over{hint}");
    Reply { id: None, outcome: Err(Fault::new(Code::FrameTooLong, message)) }
}
