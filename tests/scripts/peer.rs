//! The real binary as a child process: frames in and out over pipes, and every event of its life to wait for.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

/// How much of stderr is kept, from its end.
const STDERR_KEPT: usize = 20_000;

/// A running peer. One thread feeds it while another checks its replies.
pub struct Peer {
    pid: u32,
    life: Arc<Life>,
    stdin: Mutex<Option<ChildStdin>>,
    /// Dropped, it stops the reader, which closes stdout.
    reading: Mutex<Option<PipeWriter>>,
}

/// What has been seen of the peer so far.
#[derive(Default)]
pub struct Seen {
    /// Bodies that nobody has taken yet.
    pub replies: VecDeque<Vec<u8>>,
    /// How many came, taken or not.
    pub count: usize,
    /// Bytes on stdout after the last whole frame.
    pub rest: Vec<u8>,
    pub stdout_ended: bool,
    pub stderr: Vec<u8>,
    pub stderr_ended: bool,
    /// The exit code; a signal's is negative.
    pub exit: Option<i32>,
    /// The end of the input, for those who wait on it.
    pub fed_at: Option<Instant>,
    hold_until: Option<Instant>,
}

#[derive(Default)]
struct Life {
    seen: Mutex<Seen>,
    changed: Condvar,
}

impl Peer {
    pub fn start(program: &str, args: &[String]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (stop, reading) = io::pipe()?;
        let peer = Self {
            pid: child.id(),
            life: Arc::default(),
            stdin: Mutex::new(stdin),
            reading: Mutex::new(Some(reading)),
        };
        let stdout = stdout.expect("stdout is a pipe");
        let stderr = stderr.expect("stderr is a pipe");
        peer.watch(move |life| read_replies(stdout, &stop, life));
        peer.watch(move |life| read_stderr(stderr, life));
        peer.watch(move |life| await_exit(child, life));
        Ok(peer)
    }

    fn watch(&self, work: impl FnOnce(&Life) + Send + 'static) {
        let life = Arc::clone(&self.life);
        thread::spawn(move || work(&life));
    }

    /// Waits until `ready` holds, at most for `limit`, and returns what has been seen by then.
    pub fn wait(&self, limit: Duration, ready: impl Fn(&Seen) -> bool) -> MutexGuard<'_, Seen> {
        let seen = locked(&self.life.seen);
        let waited = self.life.changed.wait_timeout_while(seen, limit, |seen| !ready(seen));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    pub fn now(&self) -> MutexGuard<'_, Seen> {
        locked(&self.life.seen)
    }

    pub fn update(&self, change: impl FnOnce(&mut Seen)) {
        self.life.update(change);
    }

    /// Writes to stdin. That the peer has gone is no error here: its end is looked at elsewhere.
    pub fn write(&self, bytes: &[u8]) {
        if let Some(stdin) = locked(&self.stdin).as_mut() {
            let _gone = stdin.write_all(bytes);
        }
    }

    pub fn write_frame(&self, body: &[u8]) {
        let length = u32::try_from(body.len()).expect("a test's frame is below 4 GiB");
        self.write(&[&length.to_be_bytes(), body].concat());
    }

    pub fn close_stdin(&self) {
        drop(locked(&self.stdin).take());
    }

    pub fn close_stdout(&self) {
        drop(locked(&self.reading).take());
        drop(self.wait(Duration::from_secs(60), |seen| seen.stdout_ended));
    }

    pub fn stdout_is_open(&self) -> bool {
        locked(&self.reading).is_some()
    }

    /// Reads nothing for so long.
    pub fn hold_reads(&self, pause: Duration) {
        self.update(|seen| seen.hold_until = Some(Instant::now() + pause));
    }

    pub fn signal(&self, name: &str) -> io::Result<()> {
        let kill = ["-c", "kill -s \"$0\" \"$1\"", name, &self.pid.to_string()];
        Command::new("sh").args(kill).stderr(Stdio::null()).status().map(drop)
    }

    /// Ends the peer where it still runs, and with it every thread that waits for it.
    pub fn kill(&self) {
        if self.now().exit.is_none() {
            self.signal("KILL").expect("sh runs");
        }
    }

    /// How long processors have worked for the peer; none where the system keeps no such account or the peer has ended.
    pub fn processor_time(&self) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        // The name in brackets may hold spaces; utime and stime are the 12th and 13th words behind it.
        let (_, behind_name) = stat.rsplit_once(')')?;
        let ticks = behind_name.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().ok());
        // Linux counts 100 a second for whoever asks it.
        ticks.sum::<Option<u64>>().map(|ticks| Duration::from_millis(10 * ticks))
    }

    /// The peak of resident memory in MB so far; none where the system keeps no such account or the peer has ended.
    pub fn peak_memory_mb(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kb| kb / 1024)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Life {
    fn update(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut locked(&self.seen));
        self.changed.notify_all();
    }

    fn wait_for_end_of_hold(&self) {
        loop {
            let until = locked(&self.seen).hold_until;
            match until.map(|until| until.saturating_duration_since(Instant::now())) {
                Some(left) if !left.is_zero() => thread::sleep(left),
                _ => return,
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_replies(mut stdout: ChildStdout, stop: &PipeReader, life: &Life) {
    let mut rest = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    while is_readable(&stdout, stop) {
        life.wait_for_end_of_hold();
        match stdout.read(&mut chunk) {
            Ok(0) | Err(_) => break,
            Ok(count) => rest.extend_from_slice(&chunk[..count]),
        }
        while let Some(body) = take_frame(&mut rest) {
            life.update(|seen| {
                seen.replies.push_back(body);
                seen.count += 1;
            });
        }
    }
    drop(stdout);
    life.update(|seen| {
        seen.rest = rest;
        seen.stdout_ended = true;
    });
}

/// Waits until stdout has something to say; false once the other end of `stop` is dropped.
fn is_readable(stdout: &ChildStdout, stop: &PipeReader) -> bool {
    let mut fds = [PollFd::new(stdout, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
    while poll(&mut fds, None).is_err() {}
    fds[1].revents().is_empty()
}

fn take_frame(bytes: &mut Vec<u8>) -> Option<Vec<u8>> {
    let header = bytes.first_chunk::<4>()?;
    let end = 4 + usize::try_from(u32::from_be_bytes(*header)).expect("32 bits fit");
    (bytes.len() >= end).then(|| bytes.drain(..end).skip(4).collect())
}

fn read_stderr(mut stderr: ChildStderr, life: &Life) {
    let mut chunk = vec![0; 1 << 16];
    while let Ok(count @ 1..) = stderr.read(&mut chunk) {
        life.update(|seen| {
            seen.stderr.extend_from_slice(&chunk[..count]);
            let surplus = seen.stderr.len().saturating_sub(STDERR_KEPT);
            seen.stderr.drain(..surplus);
        });
    }
    life.update(|seen| seen.stderr_ended = true);
}

fn await_exit(mut child: Child, life: &Life) {
    let status = child.wait().expect("a child can be waited for");
    let code = status.code().or(status.signal().map(|signal| -signal));
    life.update(|seen| seen.exit = code);
}
