//! The real binary: runs to its end on a given input, or under a given environment.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a run left.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ran {
    pub fn stdout_text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is UTF-8")
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let stderr = String::from_utf8(output.stderr).expect("stderr is UTF-8");
        Self { code: output.status.code(), stdout: output.stdout, stderr }
    }
}

pub const SACCADE: &str = env!("CARGO_BIN_EXE_saccade");

/// The binary with arguments and nothing on stdin.
pub fn saccade(args: &[&str]) -> Command {
    let mut command = Command::new(SACCADE);
    command.args(args).stdin(std::process::Stdio::null());
    command
}

pub fn run(args: &[&str]) -> Ran {
    finish(&mut saccade(args))
}

/// Runs with bytes on stdin, from a file, so that no pipe fills up.
pub fn run_on(args: &[&str], input: &[u8]) -> Ran {
    feed(&mut saccade(args), input)
}

pub fn feed(command: &mut Command, input: &[u8]) -> Ran {
    let scratch = Scratch::new();
    let path = scratch.path("stdin");
    fs::write(&path, input).expect("the scratch folder takes a file");
    finish(command.stdin(File::open(&path).expect("it was just written")))
}

pub fn finish(command: &mut Command) -> Ran {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}")).into()
}

/// A folder of one test's own, gone with it.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("main-{}-{count}", std::process::id()));
        fs::create_dir_all(&path).expect("cargo's folder for tests takes a folder");
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file, and returns its path as an argument.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).expect("the scratch folder takes a file");
        path.to_str().expect("cargo's folder has a name in UTF-8").to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _gone_already = fs::remove_dir_all(&self.0);
    }
}
