//! Bytes to words and back: frames, requests, replies. Knows JSON and nothing of worlds.

mod action;
mod fields;
mod frame;
mod json;
mod reply;
mod request;

pub use frame::{Frame, FrameReader, HEADER_BYTES};
pub use reply::{Abandoned, longest_reply_bytes, write_frame};
pub use request::{Reading, read_request};

pub use json::number_text;
