//! The peak memory of the real binary: what Linux counts of it while it answers.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::json;

use crate::client::frame;
use crate::fixture::{read_text, say};
use crate::program::SACCADE;

const MOST_KIB: u64 = 32 << 10;
const STEPS: usize = 20;

#[test]
fn the_default_world_with_all_that_its_sensors_answer_stays_below_32_mib() {
    if !Path::new("/proc/self/status").exists() {
        say("left out: peak memory (this system has no /proc)");
        return;
    }
    let release = std::env::var("SACCADE_RELEASE").ok();
    for binary in [Some(SACCADE.to_owned()), release].into_iter().flatten() {
        for encoding in ["nested", "base64", "binary"] {
            let peak_kib = peak_kib_of(&binary, encoding);
            assert!(peak_kib < MOST_KIB, "{binary}, {encoding}: {peak_kib} KiB");
        }
    }
}

/// After a reset and 20 steps.
fn peak_kib_of(binary: &str, encoding: &str) -> u64 {
    let mut command = Command::new(binary);
    command.args(["port", "--encoding", encoding]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdout = child.stdout.take().expect("stdout is a pipe");
    let mut bytes = ask(&mut child, &mut stdout, &json!({"id": 0, "command": "reset"}).to_string());
    for id in 1..=STEPS {
        let turn = json!({"action": "turn_left", "agent_id": "agent_id_0", "rotation_degrees": 0.5});
        bytes += ask(&mut child, &mut stdout, &json!({"id": id, "command": "step", "actions": [turn]}).to_string());
    }
    assert!(bytes > STEPS * 2 * 64 * 64 * 3 * 4, "the images were answered: {bytes} bytes");
    let status = read_text(format!("/proc/{}/status", child.id()));
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("Linux tells the peak");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number of kB")
}

/// Sends a request, reads its whole reply, and tells how long that is.
fn ask(child: &mut Child, stdout: &mut ChildStdout, body: &str) -> usize {
    let stdin = child.stdin.as_mut().expect("stdin is a pipe");
    stdin.write_all(&frame(body)).expect("the peer reads");
    let mut header = [0; 4];
    stdout.read_exact(&mut header).expect("the peer answers");
    let mut reply = vec![0; usize::try_from(u32::from_be_bytes(header)).expect("32 bits fit")];
    stdout.read_exact(&mut reply).expect("the whole reply");
    reply.len()
}
