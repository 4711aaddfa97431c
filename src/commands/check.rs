//! `saccade check`: every problem of world files.

use std::sync::Arc;

use super::{Done, EXIT_USAGE, Failure};
use saccade::door::{Results, complain, load_world};
use saccade::protocol::limits;
use saccade::session::{Overrides, Session};

pub fn check(files: &[String]) -> Done {
    let mut results = Results::open();
    let mut is_wrong = false;
    for file in files {
        match problems_of(file) {
            problems if problems.is_empty() => results.line(&format!("{file}: ok"))?,
            problems => {
                is_wrong = true;
                problems.iter().for_each(|problem| complain(problem));
            }
        }
    }
    results.finish()?;
    if is_wrong { Err(Failure::Told { exit_code: EXIT_USAGE }) } else { Ok(()) }
}

/// A world is right if it can be read and a session can be opened on it.
fn problems_of(file: &str) -> Vec<String> {
    match load_world(file) {
        Err(problems) => problems,
        Ok(world) => match Session::new(Arc::new(world), Overrides::default(), limits::MAX_FRAME_BYTES) {
            Ok(_) => Vec::new(),
            Err(fault) => vec![format!("{file}: {}", fault.message)],
        },
    }
}
