//! `saccade completions`: a script for a shell.

use clap_complete::Shell;

use super::Done;
use saccade::door::Results;

pub fn completions(shell: Shell, mut command: clap::Command) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "saccade", &mut script);
    let mut results = Results::open();
    results.bytes(&script)?;
    Ok(results.finish()?)
}
