//! `counts::…`: instructions that the release binary takes, counted by valgrind and compared with what is committed. Margins
//! and how to mint anew: `tests/instructions.py`.

use std::env;
use std::path::Path;

use libtest_mimic::{Failed, Trial};

use crate::client::Client;
use crate::group::{differs, non_empty};

const NAME: &str = "counts::instructions_a_step";

pub fn trials() -> Vec<Trial> {
    non_empty("counts", Ok(vec![trial()]))
}

fn trial() -> Trial {
    match release() {
        Ok(release) => Client::Valgrind.trial(NAME.to_owned(), move || compare(&release)),
        Err(why) => {
            eprintln!("left out: {NAME}: {why}");
            Trial::test(NAME, move || Err(why.into())).with_ignored_flag(true)
        }
    }
}

/// The binary whose instructions were counted, if this machine has it.
fn release() -> Result<String, &'static str> {
    if cfg!(not(target_arch = "x86_64")) {
        return Err("the counts are of x86-64");
    }
    env::var("SACCADE_RELEASE").map_err(|_| "SACCADE_RELEASE names no release binary; tests/run.sh sets it")
}

fn compare(release: &str) -> Result<(), Failed> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/instructions.py");
    let output = Client::Valgrind.run(&script, &[release], &[])?;
    if output.status.success() {
        return Ok(());
    }
    let got = format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stdout));
    Err(differs("the counts are not those of tests/goldens/instructions.json", "exit status: 0", &got, &output.stderr))
}
