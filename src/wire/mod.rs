//! Bytes to words and back: frames, requests, replies. Knows JSON and nothing of worlds.

mod action;
mod array;
mod digits;
mod fields;
mod frame;
mod json;
mod nested;
mod pace;
mod procedure;
mod reply;
mod request;
mod scan;
mod value;

pub use frame::{Frame, FrameReader, HEADER_BYTES};
pub use reply::{longest_reply_bytes, write_frame};
pub use request::{Reading, read_request};
