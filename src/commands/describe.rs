//! `saccade describe`: what a world offers, as JSON.

use super::{Done, open_session};
use crate::cli::DescribeArgs;
use saccade::door::Results;
use saccade::protocol::{Command, Request, RequestId, limits};
use saccade::wire::{HEADER_BYTES, write_frame};

pub fn describe(args: &DescribeArgs) -> Done {
    let mut session = open_session(&args.world, limits::MAX_FRAME_BYTES)?;
    let id = RequestId::from_digits("0").expect("0 is an id");
    let request = Request { id, command: Command::Describe { world: args.with_file } };
    let mut frame = Vec::new();
    let reply = session.handle(request, &mut || true).expect("nobody says no");
    write_frame(&reply, &mut frame, &mut || true).expect("nobody says no");
    let mut results = Results::open();
    results.line(&String::from_utf8_lossy(&frame[HEADER_BYTES..]))?;
    Ok(results.finish()?)
}
