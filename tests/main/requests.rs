//! Requests as texts, to the default world.

use std::sync::Arc;

use saccade::assets::Nowhere;
use saccade::protocol::limits;
use saccade::session::{Overrides, Session};

use crate::client::{Client, world};

pub fn default_world() -> &'static str {
    saccade::world::shipped_world("default").expect("it is shipped").text
}

pub fn client() -> Client {
    Client::on(default_world())
}

/// A request to look, with its id as written.
pub fn look(id: &str) -> String {
    format!(r#"{{"id":{id},"command":"step","actions":[]}}"#)
}

/// A request with one action, its parameters as written.
pub fn act(parameters: &str) -> String {
    format!(r#"{{"id":7,"command":"step","actions":[{{"agent_id":"agent_id_0",{parameters}}}]}}"#)
}

pub fn session_on(text: &str) -> Session {
    Session::new(Arc::new(world(text)), Arc::new(Nowhere), Overrides::default(), limits::MAX_FRAME_BYTES)
        .expect("the world opens")
}
