//! The binary: reads the command line and hands over.

#![forbid(unsafe_code)]
#![warn(clippy::unwrap_used)]

mod cli;
mod commands;

use std::io;
use std::process::ExitCode;

use clap::CommandFactory as _;

use cli::{Command, CommandLine};
use commands::Failure;
use saccade::door::complain;

fn main() -> ExitCode {
    let line = cli::parse();
    let done = match &line.command {
        None => commands::port(&line.port, line.verbose),
        Some(Command::Port(args)) => commands::port(args, line.verbose),
        Some(Command::Replay(args)) => commands::replay(args, line.verbose),
        Some(Command::Demo) => commands::demo(),
        Some(Command::Render(args)) => commands::render(args, line.verbose),
        Some(Command::Bench(args)) => commands::bench(args),
        Some(Command::Check { files, data }) => commands::check(files, data.as_deref()),
        Some(Command::Worlds { name }) => commands::worlds(name.as_deref()),
        Some(Command::Describe(args)) => commands::describe(args),
        Some(Command::Completions { shell }) => commands::completions(*shell, CommandLine::command()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Told { exit_code }) => exit_code.into(),
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => {
            complain(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
