//! `readme::…`: the owners and decoders printed in README.md, run exactly as printed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use libtest_mimic::{Failed, Trial};

use crate::client::Client;
use crate::group::{differs, non_empty};

const SACCADE: &str = env!("CARGO_BIN_EXE_saccade");
/// Where the agent of the default world stands after the step of 4 mm that the owners make.
const POSITION: [f64; 3] = [0.0, 1.5, 0.196];

pub fn trials() -> Vec<Trial> {
    let trials = [
        owner(Client::Elixir, "elixir", "exs", 20),
        owner(Client::Python, "python", "py", 15),
        decoder(Client::Elixir, "elixir", "exs"),
        decoder(Client::Python, "python", "py"),
    ];
    non_empty("readme", Ok(trials.into()))
}

fn owner(client: Client, language: &'static str, extension: &'static str, lines: usize) -> Trial {
    let name = format!("{language} owner");
    client.trial(format!("readme::{language}_owner"), move || {
        let expected = format!("{POSITION:?}");
        run(client, &code_block(&name, language, lines)?, &format!("owner.{extension}"), is_position, &expected)
    })
}

/// The script of `tests/readme/` that follows a decoder feeds it replies and compares what comes out.
fn decoder(client: Client, language: &'static str, extension: &'static str) -> Trial {
    const LINES: usize = 15;
    let name = format!("{language} decoder");
    client.trial(format!("readme::{language}_decoder"), move || {
        let file = format!("decoder.{extension}");
        let follower = fs::read_to_string(in_repository("tests/readme").join(&file))?;
        let code = code_block(&name, language, LINES)? + &follower;
        run(client, &code, &file, |printed| printed == "equal\n", "equal")
    })
}

/// The code between the fences that follow the line `<!-- test: NAME -->`.
fn code_block(name: &str, language: &str, lines: usize) -> Result<String, Failed> {
    let readme = fs::read_to_string(in_repository("README.md")).map_err(|error| format!("README.md: {error}"))?;
    let after_mark = readme.split_once(&format!("<!-- test: {name} -->")).map(|(_, after)| after);
    let after_fence = after_mark.and_then(|text| text.split_once(&format!("```{language}\n"))).map(|(_, after)| after);
    let code = after_fence.and_then(|text| text.split_once("\n```")).map(|(code, _)| format!("{code}\n"));
    let code = code.ok_or_else(|| format!("README.md has no block ```{language} after <!-- test: {name} -->"))?;
    match code.lines().count() {
        count if count > lines => Err(format!("the {name} has {count} lines, promised are at most {lines}").into()),
        _ => Ok(code),
    }
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs a script under a name of its own and judges what it prints.
fn run(client: Client, code: &str, name: &str, is_right: impl Fn(&str) -> bool, expected: &str) -> Result<(), Failed> {
    let script = env::temp_dir().join(format!("saccade-{}-{name}", process::id()));
    fs::write(&script, code)?;
    let ran = client.run(&script, &[], &[("SACCADE", SACCADE)]);
    fs::remove_file(&script)?;
    let output = ran?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && is_right(&stdout) {
        return Ok(());
    }
    let expected = format!("exit status: 0\n{expected}");
    Err(differs("the script failed", &expected, &format!("{}\n{stdout}", output.status), &output.stderr))
}

fn is_position(printed: &str) -> bool {
    let position: [f64; 3] = serde_json::from_str(printed).unwrap_or([f64::NAN; 3]);
    position.iter().zip(&POSITION).all(|(got, expected)| (got - expected).abs() < 1e-12)
}
