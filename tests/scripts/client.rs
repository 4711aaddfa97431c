//! Clients in other languages: whether they are installed, and running one of their scripts to its end.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};

/// No script takes longer, even in a debug build on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// A program that runs scripts, with what it needs beside it.
#[derive(Clone, Copy, PartialEq)]
pub enum Client {
    Escript,
    Elixir,
    Python,
    /// Python, whose script runs valgrind.
    Valgrind,
}

impl Client {
    pub fn program(self) -> &'static str {
        match self {
            Self::Escript => "escript",
            Self::Elixir => "elixir",
            Self::Python | Self::Valgrind => "python3",
        }
    }

    fn debian_package(self) -> &'static str {
        match self {
            Self::Escript => "erlang-base",
            Self::Elixir => "elixir",
            Self::Python | Self::Valgrind => "python3",
        }
    }

    /// What is not installed, named with the package to install.
    fn lacks(self) -> Option<String> {
        if !is_installed(self.program()) {
            return Some(format!("{} is not installed (Debian: {})", self.program(), self.debian_package()));
        }
        if self == Self::Valgrind && !is_installed("valgrind") {
            return Some("valgrind is not installed (Debian: valgrind)".to_owned());
        }
        let has_codec = matches!(self, Self::Python | Self::Valgrind) || *HAS_JIFFY;
        (!has_codec).then(|| "Erlang's JSON codec jiffy is not installed (Debian: erlang-jiffy)".to_owned())
    }

    /// A trial that runs a script. Without the client it fails under `SACCADE_REQUIRE_CLIENTS=1`; else it is named as
    /// left out and marked ignored.
    pub fn trial(self, name: String, run: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
        let Some(lack) = self.lacks() else { return Trial::test(name, run) };
        let is_required = env::var_os("SACCADE_REQUIRE_CLIENTS").is_some_and(|value| value == "1");
        if !is_required {
            eprintln!("left out: {name}: {lack}");
        }
        Trial::test(name, || Err(lack.into())).with_ignored_flag(!is_required)
    }

    /// Runs a script to its end, with no input.
    pub fn run(self, script: &Path, args: &[&str], environment: &[(&str, &str)]) -> Result<Output, Failed> {
        let mut command = Command::new(self.program());
        command.arg(script).args(args).envs(environment.iter().copied());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let pid = child.id().to_string();
        let (ended, end) = mpsc::channel();
        thread::spawn(move || ended.send(child.wait_with_output()));
        let Ok(output) = end.recv_timeout(LIMIT) else {
            Command::new("sh").args(["-c", "kill -KILL \"$0\"", &pid]).status()?;
            return Err(format!("{} did not end within {LIMIT:?}", script.display()).into());
        };
        Ok(output?)
    }
}

static HAS_JIFFY: LazyLock<bool> = LazyLock::new(|| {
    let probe = "halt(case code:which(jiffy) of non_existing -> 1; _ -> 0 end).";
    let mut erl = Command::new("erl");
    let status = erl.args(["-noinput", "-eval", probe]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
});

fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(program)).any(|file: PathBuf| file.is_file())
}
