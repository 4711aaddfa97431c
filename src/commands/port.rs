//! `saccade port`: the peer of an Erlang port, on stdin and stdout.

use super::{Done, EXIT_FAILED, EXIT_USAGE, fail, open_connection};
use crate::cli::PortArgs;
use saccade::door::{End, Recording, pump, stdin_is_terminal, take_stdio};

pub fn port(args: &PortArgs, is_verbose: bool) -> Done {
    if stdin_is_terminal() {
        return Err(fail(EXIT_USAGE, WAITING.map(str::to_owned)));
    }
    // First, so that not even a complaint about the world can get between the frames.
    let mut pipes = take_stdio()?;
    let mut connection = open_connection(&args.world, args.max_frame)?;
    let recording = args.record.as_deref().map(Recording::create).transpose();
    let recording = recording.map_err(|problem| fail(EXIT_USAGE, [problem]))?;
    match pump(&mut connection, &mut pipes.input, &mut pipes.output, recording, is_verbose)? {
        End::Clean => Ok(()),
        End::CutFrame => Err(fail(EXIT_FAILED, ["the input ended inside a frame".to_owned()])),
    }
}

/// For somebody who started the peer by hand.
const WAITING: [&str; 3] = [
    "this is a peer: it waits on stdin for requests from a program, each a 4-byte big-endian length and that much JSON",
    "stdin is a terminal, which cannot send those; let a program start it (the README shows Elixir and Python)",
    "to see it work: saccade demo; to learn more: saccade --help",
];
