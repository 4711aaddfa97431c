//! What can be typed behind `saccade`: each command a thin use of the library.

mod bench;
mod check;
mod completions;
mod demo;
mod describe;
mod picture;
mod points;
mod port;
mod render;
mod replay;
mod steps;
mod strip;
mod worlds;

use std::io;
use std::sync::Arc;

use crate::cli::WorldArgs;
use saccade::connection::Connection;
use saccade::door::{complain, data_source, load_world, print_note};
use saccade::session::{Overrides, Session};
use saccade::world::WorldFile;

pub use bench::bench;
pub use check::check;
pub use completions::completions;
pub use demo::demo;
pub use describe::describe;
pub use port::port;
pub use render::render;
pub use replay::replay;
pub use worlds::worlds;

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// The user was told on stderr.
    Told {
        exit_code: u8,
    },
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

pub type Done = Result<(), Failure>;

/// What was typed or read is wrong.
const EXIT_USAGE: u8 = 2;
/// What was asked for did not come out.
const EXIT_FAILED: u8 = 1;

/// Tells each line on stderr and fails.
fn fail(exit_code: u8, lines: impl IntoIterator<Item = String>) -> Failure {
    for line in lines {
        complain(&line);
    }
    Failure::Told { exit_code }
}

/// A session on the world of the command line, before its first reset.
fn open_session(args: &WorldArgs, max_frame_bytes: u32) -> Result<Session, Failure> {
    open_world(args, max_frame_bytes).map(|(session, _)| session)
}

/// The same, and the world file that it plays.
fn open_world(args: &WorldArgs, max_frame_bytes: u32) -> Result<(Session, Arc<WorldFile>), Failure> {
    open_changed_world(args, max_frame_bytes, |world| world)
}

/// The same of a world that is changed before it is played.
fn open_changed_world(
    args: &WorldArgs,
    max_frame_bytes: u32,
    change: impl FnOnce(WorldFile) -> WorldFile,
) -> Result<(Session, Arc<WorldFile>), Failure> {
    let source =
        data_source(args.opening.data.as_deref(), &args.world).map_err(|problem| fail(EXIT_USAGE, [problem]))?;
    let world = load_world(&args.world, &*source).map_err(|problems| fail(EXIT_USAGE, problems))?;
    let world = Arc::new(change(world));
    let overrides = Overrides {
        seed: args.opening.seed,
        modalities: args.modalities,
        encoding: args.encoding,
        extras: args.extras,
    };
    let mut session = Session::new(Arc::clone(&world), source, overrides, max_frame_bytes)
        .map_err(|fault| fail(EXIT_USAGE, [format!("{}: {}", args.world, fault.message)]))?;
    session.take_notes().iter().for_each(|note| print_note(note, false));
    Ok((session, world))
}

fn open_connection(args: &WorldArgs, max_frame_bytes: u32) -> Result<Connection, Failure> {
    Ok(Connection::new(open_session(args, max_frame_bytes)?, max_frame_bytes))
}
