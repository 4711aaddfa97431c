//! The shipped worlds' goldens: `tests/goldens/worlds.txt` has a line `name digest` for each, the digest being the SHA-256 of
//! all bytes of the replies to a fixed short episode. Worlds of YCB's objects play our mug under their names.
//!
//! To mint it anew, put the lines there that the failing test prints.

use std::process::Command;

use saccade::world::{AgentKind, SHIPPED_WORLDS, ShippedWorld, WorldFile};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{bodies, numbered};
use crate::fixture::{in_repository, read_text, say};
use crate::program::{SACCADE, feed};
use crate::ycb::TenObjects;

/// Two resets, some steps with every agent's own actions, an object more, and both encodings.
fn episode(file: &WorldFile) -> Vec<Value> {
    let steps = (0..3).map(|n| json!({"command": "step", "actions": actions(file, n)}));
    let object =
        json!({"command": "add_object", "name": "icosphereSolid", "position": [0.02, 1.5, 0.02], "scale": 0.4});
    [json!({"command": "reset", "extras": ["tick", "contacts"]})]
        .into_iter()
        .chain(steps)
        .chain([object, json!({"command": "step", "actions": []}), json!({"command": "digest"})])
        .chain([
            json!({"command": "reset", "encoding": "base64"}),
            json!({"command": "step", "actions": actions(file, 3)}),
        ])
        .collect()
}

/// The n-th step of all agents.
fn actions(file: &WorldFile, n: usize) -> Vec<Value> {
    let turn = |word: &str| json!({"action": word, "rotation_degrees": 2.5});
    let forward = json!({"action": "move_forward", "distance": 0.002});
    let distant = [turn("turn_left"), turn("look_up"), forward.clone(), turn("turn_right")];
    let surface = [
        json!({"action": "move_tangentially", "distance": 0.004, "direction": [0.6, 0.8, 0.0]}),
        json!({"action": "orient_horizontal", "rotation_degrees": 3.0, "left_distance": 0.001, "forward_distance": 0.0001}),
        json!({"action": "orient_vertical", "rotation_degrees": 3.0, "down_distance": 0.001, "forward_distance": 0.0001}),
        forward,
    ];
    let of_agent = |kind: AgentKind| match kind {
        AgentKind::Distant => vec![distant[n].clone()],
        AgentKind::Surface => vec![surface[n].clone()],
        AgentKind::Free => vec![distant[n].clone(), surface[n].clone()],
        AgentKind::Noop => Vec::new(),
    };
    let with_id = |agent: &saccade::world::AgentSpec| {
        of_agent(agent.kind)
            .into_iter()
            .map(|mut action| {
                action["agent_id"] = agent.id.as_str().into();
                action
            })
            .collect::<Vec<_>>()
    };
    file.agents.iter().flat_map(|agent| with_id(agent)).collect()
}

/// The digest of a binary's replies; every request must succeed. What runs the binary stands before it, if anything does.
fn digest(binary: &[&str], shipped: &ShippedWorld, objects: &TenObjects) -> String {
    let requests = episode(&objects.world(shipped));
    let args = ["port", "--world", shipped.name, "--data", &objects.folder()];
    let ran = feed(Command::new(binary[0]).args(&binary[1..]).args(args), &numbered(&requests));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let replies = bodies(&ran.stdout);
    assert_eq!(replies.len(), requests.len());
    for (reply, request) in replies.iter().zip(&requests) {
        let start = String::from_utf8_lossy(&reply[..reply.len().min(200)]);
        assert!(!start.contains("\"error\""), "{}: {request}: {start}", shipped.name);
    }
    Sha256::digest(&ran.stdout).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lines(binary: &[&str]) -> String {
    let objects = TenObjects::new();
    SHIPPED_WORLDS.iter().map(|shipped| format!("{} {}\n", shipped.name, digest(binary, shipped, &objects))).collect()
}

#[test]
fn every_shipped_world_answers_a_fixed_episode_with_the_bytes_of_its_golden() {
    let golden = read_text(in_repository("tests/goldens/worlds.txt"));
    let found = lines(&[SACCADE]);
    assert!(
        found == golden,
        "the replies of shipped worlds have changed; tests/goldens/worlds.txt would now be\n{found}"
    );
}

/// `None`, and said so, unless the environment names one.
fn release(left_out: &str) -> Option<String> {
    let release = std::env::var("SACCADE_RELEASE").ok();
    if release.is_none() {
        say(&format!("left out: {left_out} (SACCADE_RELEASE names no release binary; tests/run.sh sets it)"));
    }
    release
}

#[test]
fn the_release_binary_answers_with_the_same_bytes() {
    let Some(release) = release("the worlds' goldens by the release binary") else { return };
    assert_eq!(lines(&[&release]), read_text(in_repository("tests/goldens/worlds.txt")));
}

/// Runs programs as if on another processor.
const QEMU: &str = "qemu-x86_64";

/// Of 2008, without AVX and fused multiply-add; and all that the emulator knows, which has both.
const PROCESSORS: [&str; 2] = ["Nehalem", "max"];

fn has_qemu() -> bool {
    Command::new(QEMU).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn an_old_and_a_new_processor_answer_with_the_bytes_of_this_one() {
    const WHAT: &str = "the worlds' goldens on other processors";
    let Some(release) = release(WHAT) else { return };
    if cfg!(not(target_arch = "x86_64")) {
        return say(&format!("left out: {WHAT} (the emulator is of x86-64 alone)"));
    }
    if !has_qemu() {
        let is_required = std::env::var_os("SACCADE_REQUIRE_CLIENTS").is_some_and(|value| value == "1");
        assert!(!is_required, "{QEMU} is not installed (Debian: qemu-user)");
        return say(&format!("left out: {WHAT} ({QEMU} is not installed; Debian: qemu-user)"));
    }
    let here = lines(&[&release]);
    for processor in PROCESSORS {
        assert_eq!(lines(&[QEMU, "-cpu", processor, &release]), here, "{processor}");
    }
}
