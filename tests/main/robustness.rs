//! What once broke: absurd worlds, crowded worlds, hung-up sockets, texts that pretend to be something else. Each test keeps
//! the right answer to a fault that a hostile tester found.

use serde_json::{Value, json};

use crate::client::{Client, bodies, connection, frame, handle, replies, session};
use crate::fixture::one_agent;
use crate::program::{Scratch, feed, run, saccade};
use saccade::assets::Nowhere;
use saccade::protocol::{Command, Reset};
use saccade::world::file;

/// One agent of every action, without a sensor, in an empty world; steps tell contacts.
const CROWD: &str = "extras = [\"contacts\"]\n[[agents]]\nid = \"agent_id_0\"\nkind = \"free\"\n";

fn contacts(client: &mut Client) -> Value {
    client.step(json!([]))["contacts"].take()
}

#[test]
fn a_zoom_that_would_make_points_infinite_is_refused_at_load() {
    for zoom in ["1e-307", "5e-324", "1e-7", "1e7", "inf"] {
        let text = format!("[[agents]]\nid = \"a\"\nkind = \"free\"\n[[agents.sensors]]\nid = \"s\"\nzoom = {zoom}\n");
        let problems = file::parse(&text, &Nowhere).expect_err("no camera zooms so");
        assert!(problems[0].to_string().contains("zoom"), "{problems:?}");
    }
}

#[test]
fn the_extremes_of_a_camera_answer_finite_numbers() {
    for (zoom, hfov) in [(1e-6, 179.9), (1e6, 0.001), (1e-6, 0.001), (1e6, 179.9)] {
        let sensor = format!("zoom = {zoom:?}\nhfov_deg = {hfov:?}");
        let text = format!("{}\n{sensor}\n", one_agent("free", "\"saccade\""));
        // Every reply is read as strict JSON, which has no infinities.
        Client::on(&text).step(json!([{"action": "move_forward", "agent_id": "agent_id_0", "distance": 1e6}]));
    }
}

#[test]
fn a_panic_while_the_reply_is_written_is_an_internal_fault_too() {
    let world =
        format!("{}\nresolution = [512, 512]\n", one_agent("free", "\"saccade\"").replace("resolution = [3, 3]", ""));
    let mut asked_while_handling = 0;
    let reset = || Command::Reset(Reset::default());
    handle(&mut session(&world), reset(), &mut || {
        asked_while_handling += 1;
        true
    })
    .expect("nobody says no");
    let mut connection = connection(&world);
    connection.receive(&frame(r#"{"id":7,"command":"reset"}"#));
    let mut asked = 0;
    let reply = connection.poll_transmit(&mut || {
        asked += 1;
        assert!(asked <= asked_while_handling, "a fault on purpose, in the middle of the text");
        true
    });
    let reply = reply.expect("a fault of ours is answered");
    let reply: Value = serde_json::from_slice(bodies(reply)[0]).expect("JSON");
    assert_eq!((&reply["id"], &reply["code"]), (&json!(7), &json!("internal")));
    connection.receive(&frame(r#"{"id":8,"command":"digest"}"#));
    assert!(String::from_utf8(replies(&mut connection)).expect("UTF-8").contains("reset_needed"));
}

#[test]
fn a_crowd_in_one_place_ticks_and_tells_each_pair_once() {
    let mut client = Client::on(CROWD);
    let count = 200;
    for _ in 0..count {
        client.done(json!({"command": "add_object", "name": "cylinderSolid"}));
    }
    let pairs = contacts(&mut client);
    let pairs = pairs.as_array().expect("a list");
    assert_eq!(pairs.len(), count * (count - 1) / 2);
    assert_eq!((&pairs[0], &pairs[pairs.len() - 1]), (&json!([0, 1]), &json!([count - 2, count - 1])));
}

#[test]
fn a_no_while_contacts_are_sought_abandons_the_step_with_its_state() {
    let mut session = session(CROWD);
    let mut done = |command: Value, keep_going: &mut dyn FnMut() -> bool| {
        let reading = saccade::wire::read_request(command.to_string().as_bytes());
        handle(&mut session, reading.command.expect("it is right"), keep_going)
    };
    done(json!({"id": 1, "command": "reset"}), &mut || true).expect("nobody says no");
    for _ in 0..60 {
        done(json!({"id": 1, "command": "add_object", "name": "box"}), &mut || true).expect("nobody says no");
    }
    let digest = json!({"id": 1, "command": "digest"});
    let before = done(digest.clone(), &mut || true).expect("nobody says no").outcome;
    let mut asked = 0;
    // Once for the agent; the second question stands between the pairs.
    let step = json!({"id": 1, "command": "step", "actions": []});
    let abandoned = done(step, &mut || {
        asked += 1;
        asked < 2
    });
    assert!(abandoned.is_err() && asked == 2);
    assert_eq!(done(digest, &mut || true).expect("nobody says no").outcome, before);
}

#[test]
fn solids_of_every_size_touch_where_they_overlap_and_only_there() {
    let names = ["sphere", "box", "cylinder", "capsule", "ellipsoid", "coneSolid", "icosphereSolid", "uvSphereSolid"];
    for name in names {
        let unit = if name.ends_with("Solid") { 10.0 } else { 1.0 };
        for size in [1e-4, 1e-2, 1.0, 1e2] {
            for (apart, expected) in [(0.0, json!([[0, 1]])), (0.5, json!([[0, 1]])), (3.0, json!([]))] {
                let mut client = Client::on(CROWD);
                let add = |x: f64| json!({"command": "add_object", "name": name, "scale": size * unit, "position": [x, 0.0, 0.0]});
                client.done(add(0.0));
                client.done(add(apart * size));
                assert_eq!(contacts(&mut client), expected, "{name} of {size} m, {apart} sizes apart");
            }
        }
    }
}

#[test]
fn a_small_solid_inside_a_large_one_touches_it() {
    let mut client = Client::on(CROWD);
    client.done(json!({"command": "add_object", "name": "cubeSolid", "scale": 0.01}));
    client.done(json!({"command": "add_object", "name": "capsule3DSolid", "scale": 10.0}));
    assert_eq!(contacts(&mut client), json!([[0, 1]]));
}

#[cfg(unix)]
#[test]
fn a_socket_whose_owner_hangs_up_ends_the_peer_quietly() {
    use std::io::Write as _;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::process::Stdio;

    let (mut ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    let again = theirs.try_clone().expect("a second descriptor");
    let mut command = saccade(&["port", "--modalities", "percept"]);
    command.stdin(OwnedFd::from(theirs)).stdout(OwnedFd::from(again)).stderr(Stdio::piped());
    let child = command.spawn().expect("the peer starts");
    drop(command);
    ours.write_all(&frame(r#"{"id":1,"command":"reset"}"#)).expect("the peer reads");
    // Until the reply is there, unread: closing now resets the connection.
    ours.set_nonblocking(false).expect("a socket can block");
    let mut first = [0];
    use std::io::Read as _;
    ours.read_exact(&mut first).expect("the reply begins");
    drop(ours);
    let output = child.wait_with_output().expect("the peer ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

/// The peer ends though nobody reads on: the rest of its reply stands in the pipe.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_holds_a_whole_reply_with_images() {
    use std::io::{Read as _, Write as _};
    use std::process::Stdio;

    let mut command = saccade(&["port", "--encoding", "base64"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the peer starts");
    let mut stdout = child.stdout.take().expect("stdout is a pipe");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    stdin.write_all(&frame(r#"{"id":1,"command":"reset"}"#)).expect("the peer reads");
    drop(stdin);
    let mut header = [0; 4];
    stdout.read_exact(&mut header).expect("the reply begins");
    assert_eq!(rustix::pipe::fcntl_getpipe_size(&stdout).expect("stdout is a pipe"), 1 << 20);
    assert!(child.wait().expect("the peer ends").success());
    let mut body = Vec::new();
    stdout.read_to_end(&mut body).expect("the pipe can be read");
    assert_eq!(body.len(), usize::try_from(u32::from_be_bytes(header)).expect("32 bits fit"));
    assert!(body.len() > 100_000, "a reply of {} bytes fits into any pipe", body.len());
}

#[cfg(unix)]
#[test]
fn a_complaint_about_the_world_stays_out_of_a_pipe_that_stderr_shares() {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "exec \"$0\" port --world nope 2>&1 </dev/null", crate::program::SACCADE]);
    let ran = crate::program::finish(&mut shell);
    assert_eq!((ran.code, ran.stdout.as_slice()), (Some(2), &b""[..]));
}

#[test]
fn text_that_is_wrong_throughout_is_told_once_and_a_file_too_long_by_its_length() {
    let garbage = "=\n".repeat(1 << 20);
    assert_eq!(file::parse(&garbage, &Nowhere).expect_err("it is not TOML").len(), 1);
    let scratch = Scratch::new();
    let path = scratch.file("long.toml", "é".repeat((4 << 20) / 2 + 1));
    let ran = run(&["check", &path]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("longer than"), "{}", ran.stderr);
    let problems = file::parse("a = 1\na = 2\n", &Nowhere).expect_err("a key is given twice");
    let text = problems[0].to_string();
    assert!(text.starts_with("line 2: found text that is not TOML (duplicate key"), "{text}");
    let problems = file::parse("a = \nb = 1\nc = [\n", &Nowhere).expect_err("two values are missing");
    assert!(problems.len() >= 2 && problems[0].line == 1 && problems[1].line > 1, "{problems:?}");
}

#[test]
fn problems_past_the_hundredth_are_counted() {
    let text: String = (0..150).map(|n| format!("k{n} = 1\n")).collect();
    let problems = file::parse(&text, &Nowhere).expect_err("no such keys");
    assert_eq!(problems.len(), 101);
    assert!(problems[100].to_string().contains("50 more problems"));
}

#[test]
fn control_characters_of_files_and_clients_do_not_reach_the_terminal() {
    let scratch = Scratch::new();
    let path = scratch.file("bad.toml", "\"x\\u001b[31m\\nsaccade: warning: all is well\" = 1\n");
    let ran = run(&["check", &path]);
    assert_eq!(ran.code, Some(2));
    assert!(!ran.stderr.contains('\u{1b}') && ran.stderr.lines().count() == 1, "{:?}", ran.stderr);
    let request = frame(r#"{"id":1,"command":"reset","k\nsaccade: warning: x":1}"#);
    let ran = feed(&mut saccade(&["port", "-v", "--modalities", "percept"]), &request);
    assert_eq!(ran.stderr.lines().count(), 1, "{:?}", ran.stderr);
}

#[test]
fn many_skipped_actions_are_summed_up() {
    let mut client = Client::on(&one_agent("noop", "{ preset = \"saccade\", unknown_action = \"skip\" }"));
    let yaw = json!({"action": "set_yaw", "agent_id": "agent_id_0", "rotation_degrees": 1.0});
    client.step(vec![yaw; 1000].into());
    let notes = client.notes();
    assert_eq!(notes.len(), 11);
    assert!(notes[10].text.starts_with("990 more actions"), "{notes:?}");
}

#[test]
fn a_lone_surrogate_in_an_actions_key_is_told_as_what_it_is() {
    let mut client = Client::on(&one_agent("free", "\"saccade\""));
    let body = r#"{"id":5,"command":"step","actions":[{"action":"set_yaw","\ud800":1}]}"#;
    let reply = client.send(body);
    assert_eq!(reply["id"], 5);
    let error = reply["error"].as_str().expect("a sentence");
    assert!(error.contains("surrogate"), "{error}");
}

#[test]
fn unknown_keys_past_the_eighth_are_counted() {
    let mut client = Client::on(&one_agent("free", "\"saccade\""));
    let keys: String = (0..20).map(|n| format!(",\"k{n}\":0")).collect();
    client.send(format!(r#"{{"id":5,"command":"digest"{keys}}}"#));
    let notes = client.notes();
    assert_eq!(notes.len(), 9);
    assert!(notes[8].text.ends_with("and 12 more"), "{notes:?}");
}
