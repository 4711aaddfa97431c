//! `readme::…`: the owners printed in README.md, run exactly as printed.

use std::env;
use std::fs;
use std::path::Path;
use std::process;

use libtest_mimic::{Failed, Trial};

use crate::client::Client;
use crate::group::{differs, non_empty};

const SACCADE: &str = env!("CARGO_BIN_EXE_saccade");
/// Where the agent of the default world stands after the step of 4 mm that the owners make.
const POSITION: [f64; 3] = [0.0, 1.5, 0.196];

pub fn trials() -> Vec<Trial> {
    non_empty("readme", Ok(vec![trial(Client::Elixir, "elixir", "exs", 20), trial(Client::Python, "python", "py", 15)]))
}

fn trial(client: Client, language: &'static str, extension: &'static str, lines: usize) -> Trial {
    client.trial(format!("readme::{language}_owner"), move || {
        let code = code_block(language)?;
        let count = code.lines().count();
        if count > lines {
            return Err(format!("the {language} owner has {count} lines, promised are at most {lines}").into());
        }
        let script = env::temp_dir().join(format!("saccade-owner-{}.{extension}", process::id()));
        fs::write(&script, code)?;
        let ran = run(client, &script);
        fs::remove_file(&script)?;
        ran
    })
}

/// The code between the fences that follow the line `<!-- test: LANGUAGE owner -->`.
fn code_block(language: &str) -> Result<String, Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(path).map_err(|error| format!("README.md: {error}"))?;
    let after_mark = readme.split_once(&format!("<!-- test: {language} owner -->")).map(|(_, after)| after);
    let after_fence = after_mark.and_then(|text| text.split_once(&format!("```{language}\n"))).map(|(_, after)| after);
    let code = after_fence.and_then(|text| text.split_once("\n```")).map(|(code, _)| format!("{code}\n"));
    code.ok_or_else(|| format!("README.md has no block ```{language} after <!-- test: {language} owner -->").into())
}

fn run(client: Client, script: &Path) -> Result<(), Failed> {
    let output = client.run(script, &[], &[("SACCADE", SACCADE)])?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && is_position(&stdout) {
        return Ok(());
    }
    let expected = format!("exit status: 0\n{POSITION:?}");
    Err(differs("the owner failed", &expected, &format!("{}\n{stdout}", output.status), &output.stderr))
}

fn is_position(printed: &str) -> bool {
    let position: [f64; 3] = serde_json::from_str(printed).unwrap_or([f64::NAN; 3]);
    position.iter().zip(&POSITION).all(|(got, expected)| (got - expected).abs() < 1e-12)
}
