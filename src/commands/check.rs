//! `saccade check`: every problem of world files.

use std::path::Path;
use std::sync::Arc;

use super::{Done, EXIT_USAGE, Failure, fail};
use saccade::assets::Source;
use saccade::door::{Results, complain, data_source, load_world, print_note};
use saccade::protocol::limits;
use saccade::session::{Overrides, Session};

pub fn check(files: &[String], data: Option<&Path>) -> Done {
    let mut results = Results::open();
    let mut is_wrong = false;
    for file in files {
        let source = data_source(data, file).map_err(|problem| fail(EXIT_USAGE, [problem]))?;
        match problems_of(file, &source) {
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
fn problems_of(file: &str, source: &Arc<dyn Source>) -> Vec<String> {
    match load_world(file, &**source) {
        Err(problems) => problems,
        Ok(world) => {
            match Session::new(Arc::new(world), Arc::clone(source), Overrides::default(), limits::MAX_FRAME_BYTES) {
                Ok(mut session) => {
                    session.take_notes().iter().for_each(|note| print_note(note, false));
                    Vec::new()
                }
                Err(fault) => vec![format!("{file}: {}", fault.message)],
            }
        }
    }
}
