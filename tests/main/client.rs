//! Clients in memory: one that speaks frames and JSON to a connection, and one that speaks words to a session.

use std::sync::Arc;

use saccade::assets::{Nowhere, Source};
use saccade::connection::Connection;
use saccade::protocol::{
    Action, AgentState, Answer, Command, Fault, Motion, Note, Reply, Request, RequestId, Reset, Step, StepAnswer,
    limits,
};
use saccade::session::{Overrides, Session};
use saccade::wire::HEADER_BYTES;
use saccade::world::{WorldFile, file};
use serde_json::{Value, json};

use crate::strict_json;

/// A body as it travels.
pub fn frame(body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = u32::try_from(body.len()).expect("a test's frame is below 4 GiB");
    [&length.to_be_bytes(), body].concat()
}

/// Requests as a stream, with the ids 1, 2, 3, …
pub fn numbered(requests: &[Value]) -> Vec<u8> {
    let with_id = |(id, request): (u64, &Value)| {
        let mut request = request.clone();
        request["id"] = id.into();
        frame(request.to_string())
    };
    (1..).zip(requests).flat_map(with_id).collect()
}

/// The bodies of a stream of whole frames.
pub fn bodies(mut stream: &[u8]) -> Vec<&[u8]> {
    let mut bodies = Vec::new();
    while let Some((header, rest)) = stream.split_first_chunk::<HEADER_BYTES>() {
        let (body, rest) = rest.split_at(usize::try_from(u32::from_be_bytes(*header)).expect("32 bits fit"));
        bodies.push(body);
        stream = rest;
    }
    bodies
}

pub fn world(text: &str) -> WorldFile {
    file::parse(text, &Nowhere).unwrap_or_else(|problems| panic!("the test's world is wrong: {problems:?}\n{text}"))
}

/// A session before its first reset.
pub fn session(world_text: &str) -> Session {
    let file = Arc::new(world(world_text));
    Session::new(file, Arc::new(Nowhere), Overrides::default(), limits::MAX_FRAME_BYTES)
        .expect("the test's world opens")
}

pub fn connection(world_text: &str) -> Connection {
    Connection::new(session(world_text), limits::MAX_FRAME_BYTES)
}

/// A text for a message of an assertion: replies hold whole images, and their beginnings tell enough.
pub fn brief(text: impl ToString) -> String {
    const MOST: usize = 800;
    let text = text.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

/// All replies that are due, as they travel.
pub fn replies(connection: &mut Connection) -> Vec<u8> {
    std::iter::from_fn(|| connection.poll_transmit(&mut || true).map(<[u8]>::to_vec)).flatten().collect()
}

/// A client of the wire: each reply that it takes is one whole frame of strict JSON.
pub struct Client {
    connection: Connection,
    next_id: u64,
}

impl Client {
    /// Before the first reset.
    pub fn waiting_on(world_text: &str) -> Self {
        Self { connection: connection(world_text), next_id: 1 }
    }

    /// Before the first reset, with files of objects.
    pub fn with_source(world_text: &str, source: Arc<dyn Source>) -> Self {
        let file = file::parse(world_text, &*source).expect("the test's world is right");
        let session = Session::new(Arc::new(file), source, Overrides::default(), limits::MAX_FRAME_BYTES);
        let session = session.expect("the test's world opens");
        Self { connection: Connection::new(session, limits::MAX_FRAME_BYTES), next_id: 1 }
    }

    /// After a first reset.
    pub fn on(world_text: &str) -> Self {
        let mut client = Self::waiting_on(world_text);
        client.done(json!({"command": "reset"}));
        client
    }

    /// The one reply to one body, with all that stands behind its JSON.
    pub fn body(&mut self, body: impl AsRef<[u8]>) -> Vec<u8> {
        self.connection.receive(&frame(body));
        let stream = replies(&mut self.connection);
        let [reply] = bodies(&stream)[..] else { panic!("not one reply: {}", brief(String::from_utf8_lossy(&stream))) };
        reply.to_vec()
    }

    /// As `body`, for a reply that is text alone.
    pub fn text(&mut self, body: impl AsRef<[u8]>) -> String {
        String::from_utf8(self.body(body)).expect("a reply is UTF-8")
    }

    pub fn send(&mut self, body: impl AsRef<[u8]>) -> Value {
        let text = self.text(body);
        strict_json::read(&text).unwrap_or_else(|error| panic!("{error} in {}", brief(&text)))
    }

    /// The reply to a request, which gets the next id and has it back.
    pub fn call(&mut self, mut request: Value) -> Value {
        request["id"] = self.next_id.into();
        self.next_id += 1;
        let reply = self.send(request.to_string());
        assert_eq!(reply["id"], request["id"], "{}", brief(&reply));
        reply
    }

    /// As `call`, for a request that must succeed.
    pub fn done(&mut self, request: Value) -> Value {
        let reply = self.call(request.clone());
        assert!(reply.get("error").is_none(), "{}: {}", brief(&request), brief(&reply));
        reply
    }

    /// As `call`, for a request that must fail with a code; its sentence.
    pub fn refused(&mut self, request: Value, code: &str) -> String {
        let reply = self.call(request.clone());
        assert_eq!(reply["code"], code, "{}: {}", brief(&request), brief(&reply));
        reply["error"].as_str().expect("an error is a text").to_owned()
    }

    pub fn step(&mut self, actions: Value) -> Value {
        self.done(json!({"command": "step", "actions": actions}))
    }

    pub fn digest(&mut self) -> String {
        let reply = self.done(json!({"command": "digest"}));
        reply["digest"].as_str().expect("a digest is a text").to_owned()
    }

    /// What people should have heard since the last call.
    pub fn notes(&mut self) -> Vec<Note> {
        std::iter::from_fn(|| self.connection.poll_note()).collect()
    }

    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

/// A session with words in place of bytes, after its first reset.
pub struct Simulation {
    pub session: Session,
}

impl Simulation {
    pub fn on(world_text: &str) -> Self {
        let mut simulation = Self { session: session(world_text) };
        simulation.answer(Command::Reset(Reset::default())).expect("a reset works");
        simulation
    }

    pub fn answer(&mut self, command: Command) -> Result<Answer, Fault> {
        handle(&mut self.session, command, &mut || true).expect("nobody says no").outcome
    }

    pub fn digest(&mut self) -> Answer {
        self.answer(Command::Digest).expect("a digest can be had")
    }

    /// One step in which the world's only agent does all of `motions`.
    pub fn act(&mut self, motions: &[Motion]) -> Result<AgentState, Fault> {
        let to_action = |motion: &Motion| Action { agent_id: AGENT.into(), motion: motion.clone() };
        let step = Step { actions: motions.iter().map(to_action).collect() };
        match self.answer(Command::Step(step))? {
            Answer::Step(StepAnswer { mut proprioceptive_state, .. }) => Ok(proprioceptive_state.remove(0)),
            other => panic!("a step answers like a step: {other:?}"),
        }
    }

    /// As `act`, for motions that must succeed.
    pub fn done(&mut self, motions: &[Motion]) -> AgentState {
        self.act(motions).unwrap_or_else(|fault| panic!("{motions:?}: {fault:?}"))
    }

    pub fn state(&mut self) -> AgentState {
        self.done(&[])
    }
}

/// The agent of worlds that have one.
pub const AGENT: &str = "agent_id_0";

pub fn handle(
    session: &mut Session,
    command: Command,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Reply, saccade::protocol::Abandoned> {
    let id = RequestId::from_digits("1").expect("1 is an id");
    session.handle(Request { id, command }, keep_going)
}
