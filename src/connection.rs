//! Bytes in, bytes out: frames, requests, the session and its replies, without any I/O. A door pumps it.
//!
//! Inputs: `receive`. Outputs: `poll_transmit`, `poll_note`. Getters: `is_closed`, `is_inside_frame`. One reply for each
//! request, in their order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::protocol::{Code, Command, Fault, KeepGoing, Note, Reply, Request, RequestId};
use crate::session::Session;
use crate::wire::{Abandoned, Frame, FrameReader, Reading, read_request, write_frame};

#[derive(Debug)]
pub struct Connection {
    frames: FrameReader,
    session: Session,
    notes: VecDeque<Note>,
    is_abandoned: bool,
}

impl Connection {
    pub fn new(session: Session, max_frame_bytes: u32) -> Self {
        Self { frames: FrameReader::new(max_frame_bytes), session, notes: VecDeque::new(), is_abandoned: false }
    }

    /// Takes the next bytes of the stream, cut anywhere.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.frames.receive(bytes);
    }

    /// The next reply as a whole frame; `None` until more bytes come, or for ever once the connection is closed. A no from
    /// `keep_going` abandons the request, with the state as it was before, and closes the connection.
    pub fn poll_transmit(&mut self, keep_going: &mut KeepGoing) -> Option<Vec<u8>> {
        if self.is_closed() {
            return None;
        }
        let limit = self.frames.limit();
        let reading = match self.frames.next_frame()? {
            Frame::TooLong { announced } => too_long(announced, limit),
            Frame::Body(body) => read_request(body),
        };
        self.notes.extend(reading.notes.iter().cloned());
        let reply = self.answer(reading, keep_going);
        self.notes.extend(self.session.take_notes());
        let frame = reply.and_then(|reply| self.write(&reply, keep_going));
        self.is_abandoned = frame.is_err();
        frame.ok()
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

    fn answer(&mut self, reading: Reading, keep_going: &mut KeepGoing) -> Result<Reply, Abandoned> {
        match (reading.id, reading.command) {
            (Some(id), Ok(command)) => self.handle(id, command, keep_going),
            (id, Err(fault)) => Ok(Reply { id, outcome: Err(fault) }),
            (None, Ok(_)) => unreachable!("a request without an id has a fault"),
        }
    }

    /// A panic is a fault of ours: it is answered, told on stderr by the panic's own message, and ends the world.
    fn handle(&mut self, id: RequestId, command: Command, keep_going: &mut KeepGoing) -> Result<Reply, Abandoned> {
        let request = Request { id: id.clone(), command };
        let session = &mut self.session;
        catch_unwind(AssertUnwindSafe(|| session.handle(request, keep_going))).unwrap_or_else(|_| {
            self.session.mark_broken();
            let message = "a fault of the simulator itself, told on stderr; send reset, and please report it";
            Ok(Reply { id: Some(id), outcome: Err(Fault::new(Code::Internal, message)) })
        })
    }

    fn write(&mut self, reply: &Reply, keep_going: &mut KeepGoing) -> Result<Vec<u8>, Abandoned> {
        let mut frame = Vec::new();
        match write_frame(reply, &mut frame, keep_going) {
            Ok(()) => Ok(frame),
            Err(abandoned) => {
                self.session.take_back();
                Err(abandoned)
            }
        }
    }
}

fn too_long(announced: u32, limit: u32) -> Reading {
    let message = format!("frame of {announced} bytes is over the limit of {limit}; its bytes are passed over");
    Reading { id: None, command: Err(Fault::new(Code::FrameTooLong, message)), notes: Vec::new() }
}
