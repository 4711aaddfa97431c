//! `made::…`: data that scripts of the project write, compared with what is committed.

use std::env;
use std::fs;
use std::path::Path;
use std::process;

use libtest_mimic::{Failed, Trial};

use crate::client::Client;
use crate::group::{differs, non_empty};

pub fn trials() -> Vec<Trial> {
    non_empty("made", Ok(vec![trial("demo_mug", "worlds/make_demo_mug.py", "worlds/objects/demo_mug.glb")]))
}

fn trial(name: &'static str, script: &'static str, made: &'static str) -> Trial {
    Client::Python.trial(format!("made::{name}"), move || {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
        let fresh = env::temp_dir().join(format!("saccade-{name}-{}", process::id()));
        let target = fresh.to_str().ok_or("the folder for temporary files has no name in UTF-8")?;
        let output = Client::Python.run(&repository.join(script), &[target], &[])?;
        let written = fs::read(&fresh);
        fs::remove_file(&fresh)?;
        compare(made, &fs::read(repository.join(made))?, &written?, &output.stderr)
    })
}

fn compare(made: &str, committed: &[u8], written: &[u8], stderr: &[u8]) -> Result<(), Failed> {
    if committed == written {
        return Ok(());
    }
    let (expected, got) = (format!("{} bytes", committed.len()), format!("{} bytes", written.len()));
    Err(differs(&format!("{made} is not what its script writes"), &expected, &got, stderr))
}
