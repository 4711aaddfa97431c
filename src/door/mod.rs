//! The OS, and nothing else: standard streams, files, the wait for a reader, the clock. The one place where the lints of
//! `.clippy.toml` are opened.

#![expect(clippy::disallowed_methods, reason = "a door is where the outside comes in")]

mod clock;
mod console;
mod data;
mod files;
mod pump;
mod record;
mod stdio;

pub use clock::Stopwatch;
pub use console::{Results, complain, print_note, stdin_is_terminal};
pub use data::data_source;
pub use files::{load_world, make_folder, open_capture, read_file, temporary_folder, write_file};
pub use pump::{End, Output, Unwatched, pump};
pub use record::Recording;
pub use stdio::{ProtocolPipes, take_stdio};
