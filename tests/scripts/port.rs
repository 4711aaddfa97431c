//! `port::…`: the cases of every file in `tests/port/`, each against a fresh process, without arguments where it gives none.
//!
//! `cases.json` is the conformance set, `contract.json` our own; the semantics are those of the runner that the set comes with.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::case::{Case, Expectation, Expected, ExpectedReply, Input};
use crate::check::check_reply;
use crate::group::{differs, files_in, non_empty};
use crate::peer::Peer;

const SACCADE: &str = env!("CARGO_BIN_EXE_saccade");
/// How long a reply may take where the case says nothing.
const REPLY: Duration = Duration::from_secs(10);
/// One of a run of replies, the first of which waits for the whole input.
const REPLY_OF_RUN: Duration = Duration::from_secs(30);
const AWAIT: Duration = Duration::from_secs(60);
/// How long the input may take where the end of the process counts from its end.
const FEEDING: Duration = Duration::from_secs(120);

pub fn trials() -> Vec<Trial> {
    non_empty("port", cases().map(|cases| cases.into_iter().map(trial).collect()))
}

fn cases() -> Result<Vec<Case>, String> {
    let files = files_in("port").map_err(|error| format!("tests/port: {error}"))?;
    let cases: Result<Vec<_>, String> = files.iter().map(|file| read_cases(file)).collect();
    Ok(cases?.into_iter().flatten().collect())
}

fn read_cases(file: &Path) -> Result<Vec<Case>, String> {
    let told = |error: &dyn Display| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| told(&error))?;
    let cases: Vec<Case> = serde_json::from_str(&text).map_err(|error| told(&error))?;
    if cases.is_empty() { Err(told(&"it has no case")) } else { Ok(cases) }
}

fn trial(case: Case) -> Trial {
    Trial::test(format!("port::{}", case.name), move || run(&case))
}

fn run(case: &Case) -> Result<(), Failed> {
    let peer = Peer::start(SACCADE, &case.args)?;
    thread::scope(|scope| {
        let feeder = scope.spawn(|| {
            let fed = case.stdin.iter().try_for_each(|input| feed(&peer, input));
            peer.update(|seen| seen.fed_at = Some(Instant::now()));
            fed
        });
        let checked = check(&peer, &case.expect);
        peer.kill();
        let fed = feeder.join().expect("the feeder does not panic").map_err(Failure::without_reply);
        fed.and(checked)
    })
    .map_err(|failure| failure.told(case, &peer))
}

/// What went wrong; beside it, where there is one, the expectation and the reply it is about.
struct Failure {
    why: String,
    expected: String,
    got: String,
}

impl Failure {
    fn without_reply(why: String) -> Self {
        Self { why, expected: String::new(), got: String::new() }
    }

    fn told(&self, case: &Case, peer: &Peer) -> Failed {
        let expected = if self.expected.is_empty() { &case.why } else { &self.expected };
        let got = if self.got.is_empty() { &self.why } else { &self.got };
        differs(&self.why, expected, got, &peer.now().stderr)
    }
}

fn feed(peer: &Peer, input: &Input) -> Result<(), String> {
    match input {
        Input::Frame { frame } => peer.write_frame(frame.as_bytes()),
        Input::Raw { raw_hex, pause_ms } => {
            peer.write(&bytes(raw_hex)?);
            thread::sleep(Duration::from_millis(*pause_ms));
        }
        Input::Repeat { repeat } => peer.write_frame(repeat.body().as_bytes()),
        Input::Frames { frames } => frames.bodies().for_each(|body| peer.write_frame(body.as_bytes())),
        Input::Await { replies } => {
            drop(peer.wait(AWAIT, |seen| seen.count >= *replies || seen.stdout_ended || seen.exit.is_some()));
        }
        Input::Busy { busy_ms } => return await_work(peer, Duration::from_millis(*busy_ms)),
        Input::HoldReads { hold_reads_ms } => peer.hold_reads(Duration::from_millis(*hold_reads_ms)),
        Input::PeakMemory { rss_max_mb } => return check_memory(peer, *rss_max_mb),
        Input::Signal { signal } => peer.signal(signal).map_err(|error| format!("sh: {error}"))?,
        Input::Close { .. } => peer.close_stdin(),
        Input::CloseStdout { .. } => peer.close_stdout(),
        Input::CloseBoth { .. } => {
            peer.close_stdout();
            peer.close_stdin();
        }
    }
    Ok(())
}

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digits = (0..hex.len()).step_by(2).map(|at| hex.get(at..at + 2).unwrap_or("odd"));
    digits.map(|pair| u8::from_str_radix(pair, 16).map_err(|error| format!("raw_hex {hex}: {error}"))).collect()
}

/// Where the system tells no processor time, the time that passes has to do.
fn await_work(peer: &Peer, work: Duration) -> Result<(), String> {
    let (start, before, count) = (Instant::now(), peer.processor_time(), peer.now().count);
    let worked = || match (before, peer.processor_time()) {
        (Some(before), Some(now)) => now.saturating_sub(before),
        _ => start.elapsed(),
    };
    while worked() < work && start.elapsed() < AWAIT {
        thread::sleep(Duration::from_millis(20));
        if peer.now().count > count || peer.now().exit.is_some() {
            return Err(format!("the peer was done {:?} after it began", start.elapsed()));
        }
    }
    Ok(())
}

fn check_memory(peer: &Peer, most_mb: u64) -> Result<(), String> {
    if !Path::new("/proc/self/status").exists() {
        eprintln!("left out: rss_max_mb: this system has no /proc");
    }
    match peer.peak_memory_mb() {
        Some(peak_mb) if peak_mb > most_mb => Err(format!("peak memory {peak_mb} MB is over {most_mb} MB")),
        _ => Ok(()),
    }
}

/// Takes the peer's replies and its end in the order of the case.
fn check(peer: &Peer, expected: &[Expected]) -> Result<(), Failure> {
    let mut replies = Vec::new();
    for Expected { text, what } in expected {
        let before = replies.len();
        check_one(peer, what, &mut replies).map_err(|why| {
            let got = replies[before..].last().map(shortened).unwrap_or_default();
            Failure { why, expected: text.clone(), got }
        })?;
    }
    check_rest(peer).map_err(Failure::without_reply)
}

fn check_one(peer: &Peer, expected: &Expectation, replies: &mut Vec<Value>) -> Result<(), String> {
    match expected {
        Expectation::Exit { exit_code, within_ms, .. } => {
            let code = exit(peer, Duration::from_millis(*within_ms))?;
            if exit_code.contains(code) { Ok(()) } else { Err(format!("the exit code is {code}")) }
        }
        Expectation::NoMore { .. } => Ok(()),
        Expectation::StderrLacks { stderr_lacks } => {
            let seen = peer.wait(Duration::from_secs(1), |seen| seen.stderr_ended);
            let has = String::from_utf8_lossy(&seen.stderr).contains(stderr_lacks);
            if has { Err(format!("stderr has {stderr_lacks:?}")) } else { Ok(()) }
        }
        Expectation::Ids { ids, has } => (ids.0..=ids.1).try_for_each(|id| {
            let expected = ExpectedReply { id: Some(id.into()), has: has.clone(), ..ExpectedReply::default() };
            replies.push(reply(peer, REPLY_OF_RUN)?);
            check_reply(&expected, replies)
        }),
        Expectation::Reply(expected) => {
            replies.push(reply(peer, expected.within_ms.map_or(REPLY, Duration::from_millis))?);
            check_reply(expected, replies)
        }
    }
}

fn reply(peer: &Peer, limit: Duration) -> Result<Value, String> {
    let mut seen = peer.wait(limit, |seen| !seen.replies.is_empty() || seen.stdout_ended);
    let Some(body) = seen.replies.pop_front() else {
        return Err(match seen.stdout_ended {
            true => format!("stdout ended, exit code {:?}", seen.exit),
            false => format!("no reply in {limit:?}"),
        });
    };
    let start = String::from_utf8_lossy(&body[..body.len().min(120)]);
    let reply: Value =
        serde_json::from_slice(&body).map_err(|error| format!("the reply is not JSON: {error}: {start}"))?;
    if reply.get("id").is_some() { Ok(reply) } else { Err(format!("the reply carries no id: {start}")) }
}

/// The exit code, which must come so long after the last input.
fn exit(peer: &Peer, within: Duration) -> Result<i32, String> {
    let fed_at = peer.wait(FEEDING, |seen| seen.fed_at.is_some()).fed_at;
    let left = within.saturating_sub(fed_at.map_or(Duration::ZERO, |at| at.elapsed())).max(Duration::from_millis(50));
    let exit = peer.wait(left, |seen| seen.exit.is_some()).exit;
    exit.ok_or_else(|| format!("still running {within:?} after the last input"))
}

/// After the last expectation: the peer ends with its input, and left neither a reply nor a stray byte.
fn check_rest(peer: &Peer) -> Result<(), String> {
    if peer.wait(Duration::from_secs(5), |seen| seen.fed_at.is_some()).fed_at.is_none() {
        return Err("the peer does not take its input".to_owned());
    }
    peer.close_stdin();
    if peer.wait(Duration::from_secs(3), |seen| seen.exit.is_some()).exit.is_none() {
        return Err("the peer did not end after stdin was closed".to_owned());
    }
    let seen = peer.wait(Duration::from_secs(2), |seen| seen.stdout_ended);
    match (seen.replies.front(), &seen.rest[..]) {
        _ if !peer.stdout_is_open() => Ok(()),
        (Some(body), _) => {
            Err(format!("{} replies too many, first {}", seen.replies.len(), String::from_utf8_lossy(body)))
        }
        (None, []) => Ok(()),
        (None, stray) => {
            let start = String::from_utf8_lossy(&stray[..stray.len().min(60)]);
            Err(format!("{} stray bytes on stdout: {start:?}", stray.len()))
        }
    }
}

fn shortened(reply: &Value) -> String {
    reply.to_string().chars().take(2000).collect()
}
