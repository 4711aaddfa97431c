//! `beam::…`: every script of `tests/beam/`, run by a real BEAM that owns the real binary through a port.

use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

use crate::client::Client;
use crate::group::{differs, files_in, non_empty};

/// The peer and its arguments: what a script is started with.
const PEER: [&str; 4] = [env!("CARGO_BIN_EXE_saccade"), "port", "--modalities", "percept"];

pub fn trials() -> Vec<Trial> {
    let scripts = files_in("beam").map_err(|error| format!("tests/beam: {error}"));
    non_empty("beam", scripts.map(|scripts| scripts.into_iter().filter_map(trial).collect()))
}

/// The trial `beam::<language>::<script>`; none of a file that is not a script but helps them.
fn trial(script: PathBuf) -> Option<Trial> {
    let (language, client) = match script.extension()?.to_str()? {
        "escript" => ("erlang", Client::Escript),
        "exs" => ("elixir", Client::Elixir),
        _ => return None,
    };
    let name = format!("beam::{language}::{}", script.file_stem()?.to_str()?);
    Some(client.trial(name, move || run(client, &script)))
}

fn run(client: Client, script: &Path) -> Result<(), Failed> {
    let output = client.run(script, &PEER, &[])?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && stdout.lines().any(is_success) {
        return Ok(());
    }
    let expected = "exit status: 0\nN passed, 0 failed (from Elixir: N tests, 0 failures)";
    Err(differs("the script failed", expected, &format!("{}\n{stdout}", output.status), &output.stderr))
}

/// The closing line of a script in which something passed and nothing failed.
fn is_success(line: &str) -> bool {
    let all_passed =
        line.ends_with(" passed, 0 failed") || line.ends_with(" tests, 0 failures") || line == "1 test, 0 failures";
    all_passed && !line.starts_with("0 ")
}
