//! The same world, seed and requests give the same reply bytes: in any process, place and environment, however the
//! input comes, after whatever came before, debug or release.
//!
//! `tests/goldens/demo.rep.bin` pins the bits of the demo's replies, without the images, which `worlds.txt` pins. To mint it
//! anew: `saccade replay captures/demo.req.bin --modalities percept > tests/goldens/demo.rep.bin`.

use std::fs::File;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{bodies, connection, frame, replies};
use crate::fixture::{in_repository, read_bytes, say};
use crate::program::{SACCADE, Scratch, feed, finish, run, run_on, saccade};

fn demo() -> Vec<u8> {
    read_bytes(in_repository("captures/demo.req.bin"))
}

/// The same, whatever episodes came before.
fn demo_as_episode_0() -> Vec<u8> {
    let demo = demo();
    let bodies = bodies(&demo);
    let mut reset: Value = serde_json::from_slice(bodies[0]).expect("JSON");
    assert_eq!(reset["command"], "reset");
    reset["episode"] = 0.into();
    let steps = bodies[1..].iter().map(frame);
    [frame(reset.to_string())].into_iter().chain(steps).flatten().collect()
}

/// A fixed stream of 2,000 requests: steps of one to three actions, some of them bad, and now and then objects come or
/// go, the digest is asked for, or all starts over. The demo has the images; here are the points that come of them.
fn long_stream() -> Vec<u8> {
    let mut numbers = Numbers(1);
    let first = frame(reset(0).to_string());
    let others = (1..2000).map(|id| frame(request(id, &mut numbers).to_string()));
    [first].into_iter().chain(others).flatten().collect()
}

fn reset(id: u64) -> Value {
    let modalities = json!({"patch": ["percept"], "view_finder": ["location", "center_rgba", "semantic_id"]});
    json!({"id": id, "command": "reset", "modalities": modalities, "extras": ["tick", "contacts"]})
}

/// Knuth's linear congruential generator: it only has to be the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    /// From -1 to 1.
    fn part(&mut self) -> f64 {
        self.below(2_000_001) as f64 / 1e6 - 1.0
    }
}

fn request(id: u64, numbers: &mut Numbers) -> Value {
    match numbers.below(20) {
        0 => json!({"id": id, "command": "digest"}),
        1 => {
            let mut reset = reset(id);
            reset["seed"] = numbers.below(3).into();
            reset
        }
        2 => object(id, numbers),
        3 => json!({"id": id, "command": "step", "actions": [{"action": "jump", "agent_id": "agent_id_0"}]}),
        4 => json!({"id": id, "command": "remove_all_objects"}),
        _ => {
            let actions: Vec<Value> = (0..=numbers.below(3)).map(|_| action(numbers)).collect();
            json!({"id": id, "command": "step", "actions": actions})
        }
    }
}

fn object(id: u64, numbers: &mut Numbers) -> Value {
    let names = ["sphere", "capsule3DSolid", "coneSolid", "icosphereSolid", "ellipsoid", "uvSphereSolid"];
    let name = names[usize::try_from(numbers.below(6)).expect("small")];
    let position = [numbers.part(), 1.5 + numbers.part(), numbers.part()];
    let rotation = [numbers.part(), numbers.part(), numbers.part(), 1.0];
    json!({"id": id, "command": "add_object", "name": name, "position": position, "rotation": rotation, "scale": 0.2})
}

fn action(numbers: &mut Numbers) -> Value {
    let amount = numbers.part();
    let mut action = match numbers.below(5) {
        0 => json!({"action": "move_forward", "distance": amount * 0.1}),
        1 => json!({"action": "turn_left", "rotation_degrees": amount * 90.0}),
        2 => json!({"action": "look_up", "rotation_degrees": amount * 60.0}),
        3 => json!({"action": "look_down", "rotation_degrees": amount * 60.0, "constraint_degrees": null}),
        _ => {
            json!({"action": "set_agent_pose", "location": [amount, 1.5, amount], "rotation_quat": [1, amount, 0.5, 0]})
        }
    };
    action["agent_id"] = "agent_id_0".into();
    action
}

/// What the real binary answers to a stream on stdin.
fn answers(stream: &[u8]) -> Vec<u8> {
    let ran = run_on(&["port"], stream);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    ran.stdout
}

fn streams() -> [Vec<u8>; 2] {
    [demo(), long_stream()]
}

#[test]
fn three_processes_give_the_same_bytes() {
    for stream in streams() {
        let first = answers(&stream);
        assert_eq!(bodies(&first).len(), bodies(&stream).len());
        assert!(answers(&stream) == first && answers(&stream) == first);
    }
}

#[test]
fn another_directory_locale_time_zone_and_environment_change_nothing() {
    for stream in streams() {
        let mut elsewhere = saccade(&["port"]);
        elsewhere.current_dir("/").env_clear();
        elsewhere.envs([("LC_ALL", "de_DE.UTF-8"), ("LANG", "tr_TR"), ("TZ", "Asia/Kathmandu"), ("HOME", "/nowhere")]);
        let ran = feed(&mut elsewhere, &stream);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert!(ran.stdout == answers(&stream));
    }
}

#[test]
fn input_byte_by_byte_gives_the_same_bytes() {
    let scratch = Scratch::new();
    let stream = [demo(), long_stream()].concat();
    let path = scratch.path("replies");
    let mut child = saccade(&["port"])
        .stdin(Stdio::piped())
        .stdout(File::create(&path).expect("the scratch folder takes a file"))
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    for byte in &stream {
        stdin.write_all(&[*byte]).expect("the peer reads");
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    assert!(read_bytes(&path) == answers(&stream));
}

#[test]
fn what_came_before_a_reset_does_not_show_in_the_replies_after_it() {
    let demo = demo_as_episode_0();
    let alone = answers(&demo);
    let moves = ["turn_left", "look_up", "look_down"];
    let before: Vec<u8> = [json!({"id": 1, "command": "reset", "seed": 77, "sensor_ids": [], "extras": ["tick"]})]
        .into_iter()
        .chain(moves.map(|word| {
            let action = json!({"action": word, "agent_id": "agent_id_0", "rotation_degrees": 33.3});
            json!({"id": 1, "command": "step", "actions": [action]})
        }))
        .chain([json!({"id": 1, "command": "reset", "seed": 5}), json!({"id": 1, "command": "step", "actions": [5]})])
        .flat_map(|request| frame(request.to_string()))
        .collect();
    let after = answers(&[before.clone(), demo.clone(), demo].concat());
    let skipped: usize = bodies(&after)[..bodies(&before).len()].iter().map(|body| body.len() + 4).sum();
    assert!(after[skipped..] == [alone.clone(), alone].concat());
}

#[test]
fn every_door_gives_the_same_bytes() {
    for stream in streams() {
        let expected = answers(&stream);
        let scratch = Scratch::new();
        let replayed = run(&["replay", &scratch.file("stream.req.bin", &stream)]);
        assert!(replayed.code == Some(0) && replayed.stdout == expected);
        let mut in_memory = connection(saccade::world::shipped_world("default").expect("it is shipped").text);
        in_memory.receive(&stream);
        assert!(replies(&mut in_memory) == expected);
    }
}

#[test]
fn debug_and_release_give_the_same_bytes() {
    let Some(release) = std::env::var_os("SACCADE_RELEASE") else {
        say("left out: debug against release (SACCADE_RELEASE names no release binary; tests/run.sh sets it)");
        return;
    };
    for stream in streams() {
        let ran = feed(Command::new(&release).arg("port"), &stream);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert!(ran.stdout == answers(&stream), "{SACCADE} and {}", release.display());
    }
}

#[test]
fn the_demos_replies_are_those_of_the_golden() {
    let [requests, golden] = ["captures/demo.req.bin", "tests/goldens/demo.rep.bin"].map(in_repository);
    let mut replay = saccade(&["replay", "--modalities", "percept"]);
    let ran = finish(replay.arg(requests).arg("--expect").arg(golden));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout_text().contains("42 replies"), "{}", ran.stdout_text());
}

#[test]
fn a_replay_that_differs_names_the_first_difference_and_fails() {
    let scratch = Scratch::new();
    let requests = scratch.file("demo.req.bin", demo());
    let right = answers(&demo());
    let mut wrong = right.clone();
    let second = 4 + bodies(&right)[0].len();
    let at = 30;
    wrong[second + 4 + at] = b'#';
    let cut_at: usize = second;
    for (expected, difference) in [
        (&wrong[..], format!("reply 2 differs at byte {at}: expected ")),
        (&right[..cut_at], "reply 2 differs at byte 0: expected no more replies".to_owned()),
    ] {
        let expected = scratch.file("demo.rep.bin", expected);
        let ran = run(&["replay", &requests, "--expect", &expected]);
        assert_eq!(ran.code, Some(1));
        assert!(ran.stderr.contains(&difference), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    let same = scratch.file("same.rep.bin", &right);
    assert_eq!(run(&["replay", &requests, "--expect", &same]).code, Some(0));
}
