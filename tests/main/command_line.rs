//! What a user types: every command of the real binary, what it prints where, and its exit code.

use std::fs::{self, File};
use std::process::{Command, Stdio};

use saccade::protocol::{Encoding, Modalities, Modality};
use serde_json::{Value, json};

use crate::client::{bodies, frame};
use crate::fixture::{in_repository, read_bytes, read_text, say};
use crate::program::{Ran, SACCADE, Scratch, feed, finish, run, run_on, saccade};

const COMMANDS: [&str; 9] = ["port", "replay", "demo", "render", "bench", "check", "worlds", "describe", "completions"];

/// Requests as a stream.
fn stream(requests: &[Value]) -> Vec<u8> {
    requests.iter().flat_map(|request| frame(request.to_string())).collect()
}

fn reset_and_look() -> Vec<u8> {
    stream(&[json!({"id": 1, "command": "reset"}), json!({"id": 2, "command": "step", "actions": []})])
}

/// The replies on stdout of a run that ended well.
fn replies_of(ran: &Ran) -> Vec<Value> {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    bodies(&ran.stdout).iter().map(|body| serde_json::from_slice(body).expect("a reply is JSON")).collect()
}

/// A run that was refused as it was typed: exit code 2, nothing on stdout, and all of these on stderr.
fn is_refused(args: &[&str], words: &[&str]) {
    let ran = run(args);
    assert_eq!((ran.code, ran.stdout.len()), (Some(2), 0), "{args:?}: {}", ran.stderr);
    let missing: Vec<_> = words.iter().filter(|word| !ran.stderr.contains(**word)).collect();
    assert!(missing.is_empty(), "{args:?}: {missing:?} in {}", ran.stderr);
}

#[test]
fn version_is_the_crates() {
    let ran = run(&["--version"]);
    assert_eq!((ran.code, ran.stdout_text()), (Some(0), concat!("saccade ", env!("CARGO_PKG_VERSION"), "\n")));
}

#[test]
fn help_has_an_example_for_the_whole_and_for_each_command() {
    let whole = run(&["--help"]);
    assert_eq!((whole.code, whole.stderr.as_str()), (Some(0), ""));
    for command in COMMANDS {
        assert!(whole.stdout_text().contains(&format!("\n  {command} ")), "{command} is listed");
        let ran = run(&[command, "--help"]);
        let example = format!("Example: saccade {command}");
        assert!(ran.code == Some(0) && ran.stdout_text().contains(&example), "{}", ran.stdout_text());
    }
    assert!(whole.stdout_text().contains("Example: saccade "), "{}", whole.stdout_text());
}

#[test]
fn every_option_of_port_is_in_its_help() {
    let help = run(&["port", "--help"]);
    for option in [
        "--world",
        "--data",
        "--seed",
        "--modalities",
        "--encoding",
        "--extras",
        "--max-frame",
        "--record",
        "--verbose",
    ] {
        assert!(help.stdout_text().contains(option), "{option}");
    }
}

#[test]
fn completions_are_a_script_of_each_shell() {
    for (shell, sign) in
        [("bash", "complete -F _saccade"), ("zsh", "#compdef saccade"), ("fish", "complete -c saccade")]
    {
        let ran = run(&["completions", shell]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.stdout_text().contains(sign) && ran.stdout_text().contains("max-frame"), "{shell}");
    }
}

#[test]
fn worlds_lists_the_shipped_worlds_and_prints_one() {
    let list = run(&["worlds"]);
    assert_eq!((list.code, list.stderr.as_str()), (Some(0), ""));
    assert!(
        list.stdout_text().lines().any(|line| line.starts_with("default ") && line.len() > 30),
        "{}",
        list.stdout_text()
    );
    let printed = run(&["worlds", "default"]);
    assert_eq!(printed.code, Some(0));
    assert_eq!(printed.stdout_text(), read_text(in_repository("worlds/default.toml")));
}

#[test]
fn a_printed_world_is_a_start_for_an_own_one() {
    let scratch = Scratch::new();
    let own = scratch.file("own.toml", run(&["worlds", "default"]).stdout);
    assert_eq!(run(&["check", &own]).code, Some(0));
    let by_path = run_on(&["port", "--world", &own], &reset_and_look());
    let by_name = run_on(&["port"], &reset_and_look());
    assert_eq!(replies_of(&by_path), replies_of(&by_name));
}

#[test]
fn check_tells_each_file_and_fails_if_one_is_wrong() {
    let scratch = Scratch::new();
    let [good, bad] = [scratch.file("good.toml", "name = \"good\""), scratch.file("bad.toml", "name = 5\nsede = 1")];
    let ran = run(&["check", &good, &bad, "default"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.stdout_text(), format!("{good}: ok\ndefault: ok\n"));
    let told: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(told.len(), 2, "{}", ran.stderr);
    for (line, place) in told.iter().zip(["line 1: name: ", "line 2: sede: "]) {
        assert!(line.contains(&format!("{bad}: {place}")), "{line}");
    }
    assert!(ran.stderr.contains("did you mean seed?"), "{}", ran.stderr);
}

#[test]
fn check_reads_the_objects_of_all_episodes() {
    let scratch = Scratch::new();
    scratch.file("whole.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    scratch.file("cut.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n");
    let world = |extra: &str| {
        format!(
            "data = {{ layout = \"plain\", root = \".\" }}\n[episodes]\ntargets = [\"whole\", \"cubeSolid\"]\n{extra}"
        )
    };
    let own = scratch.file("own.toml", world("source_objects = [\"whole\", \"cubeSolid\", \"cut\"]"));
    assert_eq!(run(&["check", &own]).code, Some(0), "nothing plays cut");
    let own =
        scratch.file("own.toml", world("source_objects = [\"whole\", \"cubeSolid\", \"cut\"]\nnum_distractors = 1"));
    let ran = run(&["check", &own]);
    assert_eq!((ran.code, ran.stdout_text()), (Some(2), ""));
    assert!(ran.stderr.contains(&format!("{own}: episodes: ")), "{}", ran.stderr);
    assert!(ran.stderr.contains("cut.obj: line 3: "), "{}", ran.stderr);
}

#[test]
fn check_tells_of_all_objects_that_cannot_be_read() {
    let scratch = Scratch::new();
    scratch.file("cut.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n");
    let object = |name: &str| format!("[[objects]]\nname = \"{name}\"\nfile = \"{name}\"\n");
    let own = scratch.file("own.toml", ["cut.obj", "gone.obj", "cut.mtl"].map(object).concat());
    let ran = run(&["check", &own]);
    assert_eq!((ran.code, ran.stdout_text()), (Some(2), ""));
    let told: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(told.len(), 3, "{}", ran.stderr);
    for (line, problem) in told.iter().zip(["cut.obj: line 3: ", "gone.obj", "cut.mtl"]) {
        assert!(line.contains(&format!("{own}: ")) && line.contains(problem), "{line}");
    }
    assert!(told[1].contains("from the world file's folder"), "{}", told[1]);
}

#[test]
fn describe_prints_what_a_world_offers() {
    let ran = run(&["describe", "--world", "default", "--seed", "7"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let description: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let keys: Vec<&String> = description.as_object().expect("a map").keys().collect();
    for key in ["versions", "world", "agents", "objects", "episodes", "limits", "codes", "commands"] {
        assert!(keys.iter().any(|k| *k == key), "{key} in {keys:?}");
    }
    assert_eq!(description["versions"]["saccade"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&description["world"]["name"], &description["world"]["seed"]), (&json!("default"), &json!(7)));
    let agent = &description["agents"]["agent_id_0"];
    assert_eq!(agent["kind"], "distant");
    assert_eq!(agent["actions"].as_array().map(Vec::len), Some(7));
    let patch = &agent["sensors"]["patch"];
    assert_eq!(
        (&patch["resolution"], &patch["zoom"], &patch["hfov_deg"]),
        (&json!([64, 64]), &json!(10.0), &json!(90.0))
    );
    let percept = Modalities::PERCEPT.iter().map(Modality::word);
    assert_eq!(patch["modalities"], json!(percept.chain(["depth", "rgba", "semantic"]).collect::<Vec<_>>()));
    assert_eq!(description["episodes"], 6);
    assert!(description["world"].get("file").is_none());
    let with_file = run(&["describe", "--with-file"]);
    let description: Value = serde_json::from_slice(&with_file.stdout).expect("JSON");
    assert!(description["world"]["file"].as_str().is_some_and(|text| text.contains("[[agents]]")));
}

#[test]
fn the_demo_prints_one_readable_line_a_step_and_ends_with_the_digest() {
    let ran = run(&["demo"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let text = ran.stdout_text();
    let lines: Vec<&str> = text.lines().collect();
    let requests = bodies(&read_bytes(in_repository("captures/demo.req.bin"))).len();
    // A line of what is played, one for each reset and step, the picture's path, the digest.
    assert_eq!(lines.len(), 2 + requests, "{text}");
    assert!(lines[0].contains("default") && lines[0].contains("captures/demo.req.bin"), "{text}");
    let steps = &lines[1..lines.len() - 2];
    assert!(steps.iter().all(|line| line.starts_with("tick ") && line.contains("agent at (")), "{text}");
    let column = |line: &&str| ["patch on object ", "patch off object "].iter().position(|word| line.contains(word));
    let seen: Vec<usize> = steps.iter().map(|line| column(line).unwrap_or_else(|| panic!("{line}"))).collect();
    assert_eq!(seen[..3], [0, 1, 0], "on, off when it looks away, on when it looks back\n{text}");
    let mut crossings = seen[5..].to_vec();
    crossings.dedup();
    assert!(crossings.starts_with(&[0, 1, 0, 1, 0]), "the spiral crosses the edge: {crossings:?}\n{text}");
    assert!(lines.last().is_some_and(|line| line.starts_with("digest ")), "{text}");
    assert!(lines.iter().all(|line| line.chars().count() <= 120), "{text}");
    assert!(run(&["demo"]).stdout == ran.stdout);
}

#[test]
fn saccade_alone_is_the_port_with_its_options() {
    let alone = run_on(&[], &reset_and_look());
    assert!(run_on(&["port"], &reset_and_look()).stdout == alone.stdout);
    let replies = replies_of(&run_on(&["--extras", "tick"], &reset_and_look()));
    assert_eq!(replies[1]["tick"], 1);
}

#[test]
fn the_options_of_the_command_line_hold_until_a_reset_says_otherwise() {
    let requests = stream(&[
        json!({"id": 1, "command": "reset"}),
        json!({"id": 2, "command": "step", "actions": []}),
        json!({"id": 3, "command": "digest"}),
        json!({"id": 4, "command": "reset", "seed": 0, "extras": [], "modalities": []}),
        json!({"id": 5, "command": "step", "actions": []}),
        json!({"id": 6, "command": "digest"}),
    ]);
    let args = ["port", "--seed", "5", "--extras", "tick, contacts", "--modalities", "percept", "--encoding", "nested"];
    let own = replies_of(&run_on(&args, &requests));
    let plain = replies_of(&run_on(&["port"], &requests));
    assert_eq!((&own[1]["tick"], &own[1]["contacts"]), (&json!(1), &json!([])));
    assert_ne!(own[2]["digest"], plain[2]["digest"]);
    assert_eq!(own[4].get("tick"), None);
    assert_eq!(own[4]["observations"]["agent_id_0"]["patch"], json!({}));
    assert_eq!(own[5]["digest"], plain[5]["digest"]);
}

#[test]
fn a_frame_over_max_frame_is_refused_with_both_numbers() {
    let body = json!({"id": 1, "command": "digest", "padding": "x".repeat(100)}).to_string();
    let input = [frame(&body), frame(r#"{"id":2,"command":"describe"}"#)].concat();
    let replies = replies_of(&run_on(&["port", "--max-frame", "100"], &input));
    assert_eq!((&replies[0]["id"], &replies[0]["code"]), (&Value::Null, &json!("frame_too_long")));
    let why = replies[0]["error"].as_str().expect("a sentence");
    assert!(why.contains(&body.len().to_string()) && why.contains("100"), "{why}");
    assert_eq!(replies[1]["limits"]["frame_bytes"], 100);
}

#[test]
fn an_end_between_frames_is_clean_and_one_inside_a_frame_is_told() {
    let whole = reset_and_look();
    let clean = run_on(&["port"], &whole);
    assert_eq!((clean.code, clean.stderr.as_str()), (Some(0), ""));
    assert_eq!(run_on(&["port"], b"").code, Some(0));
    for cut in [whole.len() - 1, 3] {
        let ran = run_on(&["port"], &whole[..cut]);
        assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1), "{}", ran.stderr);
        assert!(ran.stderr.contains("inside a frame"), "{}", ran.stderr);
    }
    let ran = run_on(&["port"], &whole[..whole.len() - 1]);
    assert_eq!(bodies(&ran.stdout).len(), 1, "what is complete is answered");
}

#[test]
fn close_ends_with_exit_code_0_and_what_follows_is_not_read() {
    let input = stream(&[json!({"id": 1, "command": "close"}), json!({"id": 2, "command": "describe"})]);
    assert_eq!(replies_of(&run_on(&["port"], &input)), [json!({"id": 1, "ok": true})]);
}

#[test]
fn unknown_keys_are_told_with_v_alone_and_skipped_actions_always() {
    let scratch = Scratch::new();
    let world =
        scratch.file("skip.toml", "compat = { unknown_action = \"skip\" }\n[[agents]]\nid = \"a\"\nkind = \"noop\"");
    let yaw = json!({"action": "set_yaw", "agent_id": "a", "rotation_degrees": 1});
    let input = stream(&[
        json!({"id": 1, "command": "reset", "sensorids": []}),
        json!({"id": 2, "command": "step", "actions": [yaw]}),
    ]);
    let quiet = run_on(&["port", "--world", &world], &input);
    assert_eq!((quiet.code, quiet.stderr.lines().count()), (Some(0), 1), "{}", quiet.stderr);
    assert!(quiet.stderr.contains("warning") && quiet.stderr.contains("set_yaw"), "{}", quiet.stderr);
    for args in [["port", "--world", &world, "-v"], ["-v", "port", "--world", &world]] {
        let verbose = run_on(&args, &input);
        assert_eq!(verbose.stderr.lines().count(), 2, "{}", verbose.stderr);
        assert!(verbose.stderr.contains("sensorids"), "{}", verbose.stderr);
        assert!(quiet.stdout == verbose.stdout);
    }
}

#[test]
fn a_terminal_on_stdin_is_told_in_three_lines_what_the_peer_waits_for() {
    if Command::new("script").arg("--version").output().is_err() {
        say("left out: stdin is a terminal (there is no program `script` here to make one)");
        return;
    }
    for line in [SACCADE.to_owned(), format!("{SACCADE} port")] {
        let mut typed = Command::new("script");
        let ran = finish(typed.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null()));
        assert_eq!(ran.code, Some(2));
        assert_eq!(ran.stdout_text().lines().count(), 3, "{}", ran.stdout_text());
        assert!(
            ran.stdout_text().contains("stdin") && ran.stdout_text().contains("saccade demo"),
            "{}",
            ran.stdout_text()
        );
    }
}

#[test]
fn a_recording_holds_both_streams_and_replays_to_the_same_bytes() {
    let scratch = Scratch::new();
    let stem = scratch.path("run").display().to_string();
    let input = read_bytes(in_repository("captures/demo.req.bin"));
    let ran = run_on(&["port", "--record", &stem], &input);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let [requests, replies] = [".req.bin", ".rep.bin"].map(|ending| format!("{stem}{ending}"));
    assert!(read_bytes(&requests) == input && read_bytes(&replies) == ran.stdout);
    let replayed = run(&["replay", &requests, "--expect", &replies]);
    assert_eq!((replayed.code, replayed.stderr.as_str()), (Some(0), ""));
    assert!(run(&["replay", &requests]).stdout == ran.stdout);
}

#[test]
fn a_recording_that_cannot_be_written_on_ends_with_one_line_and_the_run_goes_on() {
    if !std::path::Path::new("/dev/full").exists() {
        say("left out: a full disk (there is no /dev/full here)");
        return;
    }
    for ending in [".rep.bin", ".req.bin"] {
        let scratch = Scratch::new();
        let stem = scratch.path("run").display().to_string();
        std::os::unix::fs::symlink("/dev/full", format!("{stem}{ending}")).expect("the scratch folder takes a link");
        let ran = run_on(&["port", "--record", &stem], &reset_and_look());
        assert_eq!(replies_of(&ran).len(), 2);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("the recording"), "{}", ran.stderr);
    }
}

#[test]
fn a_recording_that_cannot_be_begun_is_refused() {
    is_refused(&["port", "--record", "/nowhere/at/all"], &["/nowhere/at/all.req.bin", "cannot be written"]);
}

#[test]
fn a_capture_that_is_missing_or_cut_is_told() {
    is_refused(&["replay", "/nowhere.req.bin"], &["/nowhere.req.bin", "cannot be read"]);
    let scratch = Scratch::new();
    let capture = scratch.file("cut.req.bin", &reset_and_look()[..20]);
    is_refused(&["replay", &capture, "--expect", "/nowhere.rep.bin"], &["/nowhere.rep.bin", "cannot be read"]);
    let ran = run(&["replay", &capture]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains(&capture) && ran.stderr.contains("inside a frame"), "{}", ran.stderr);
    let expected = scratch.file("expected.rep.bin", b"\0\0\0\x02{}");
    let ran = run(&["replay", &capture, "--expect", &expected]);
    assert_eq!(ran.code, Some(1));
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.stderr);
    assert!(lines[0].contains(&expected) && lines[0].contains("reply 1 differs at byte 0"), "{}", ran.stderr);
    assert!(lines[1].contains(&capture) && lines[1].contains("inside a frame"), "{}", ran.stderr);
}

#[test]
fn an_unknown_word_is_refused_with_the_nearest_name() {
    is_refused(&["prot"], &["prot", "port"]);
    is_refused(&["port", "--word", "default"], &["--word", "--world"]);
    is_refused(&["port", "--world", "defualt"], &["defualt", "did you mean default?"]);
    is_refused(&["worlds", "defualt"], &["defualt", "did you mean default?"]);
    is_refused(&["check", "defualt"], &["defualt", "did you mean default?"]);
    is_refused(&["port", "--modalities", "locaton"], &["locaton", "did you mean location?"]);
    is_refused(&["port", "--encoding", "base46"], &["base46", "did you mean base64?"]);
    is_refused(&["port", "--extras", "tik"], &["tik", "did you mean tick?"]);
    is_refused(&["completions", "bsh"], &["bsh", "bash"]);
}

#[test]
fn a_wrong_value_is_refused_by_name() {
    is_refused(&["port", "--seed=-1"], &["--seed", "-1"]);
    is_refused(&["port", "--seed", "9223372036854775808"], &["9223372036854775808"]);
    is_refused(&["port", "--seed", "x"], &["--seed", "x"]);
    is_refused(&["port", "--max-frame", "4294967296"], &["--max-frame", "4294967296"]);
    is_refused(&["port", "--world", "/nowhere.toml"], &["/nowhere.toml", "cannot be read"]);
    is_refused(&["port", "--world", "/"], &["/", "cannot be read"]);
    is_refused(&["check"], &["FILE"]);
    is_refused(&["replay"], &["CAPTURE"]);
    is_refused(&["demo", "more"], &["more"]);
    is_refused(&["render", "--strip", "0"], &["--strip", "0"]);
    is_refused(&["render", "defualt"], &["defualt", "did you mean default?"]);
}

#[test]
fn every_word_of_the_contract_is_known() {
    for modality in Modality::ALL {
        let word = modality.word();
        let alone = ["port", "--modalities", word];
        assert_eq!(replies_of(&run_on(&alone, &reset_and_look())).len(), 2, "{word}");
    }
    for encoding in Encoding::ALL {
        let ran = run_on(&["port", "--encoding", encoding.word()], &reset_and_look());
        assert_eq!((ran.code, bodies(&ran.stdout).len()), (Some(0), 2), "{}", encoding.word());
    }
    for words in ["percept", "location", "percept,location", "depth, rgba", ""] {
        assert_eq!(replies_of(&run_on(&["port", "--modalities", words], &reset_and_look())).len(), 2, "{words}");
    }
}

#[test]
fn every_command_ends_quietly_when_its_stdout_is_closed() {
    let input = reset_and_look();
    let scratch = Scratch::new();
    let requests = scratch.file("run.req.bin", &input);
    let pictures = scratch.path("pictures").display().to_string();
    for args in [
        &["demo"][..],
        &["worlds"],
        &["worlds", "default"],
        &["render", "--out", &pictures],
        &["check", "default"],
        &["describe"],
        &["completions", "bash"],
        &["replay", &requests],
        &["--help"],
        &["port"],
    ] {
        let (reader, writer) = std::io::pipe().expect("the system has a pipe");
        drop(reader);
        let ran = feed(saccade(args).stdout(writer), &input);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_stdout_that_takes_nothing_is_a_failure_and_told() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        say("left out: a full stdout (there is no /dev/full here)");
        return;
    };
    let scratch = Scratch::new();
    let pictures = scratch.path("pictures").display().to_string();
    for args in [&["demo"][..], &["worlds"], &["describe"], &["render", "--out", &pictures], &["port"]] {
        let ran = feed(saccade(args).stdout(full.try_clone().expect("a second handle")), &reset_and_look());
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn the_repository_ships_no_stray_recording() {
    let names = fs::read_dir(in_repository("captures")).expect("captures stands");
    let names: Vec<String> = names.map(|entry| entry.expect("readable").file_name().display().to_string()).collect();
    assert_eq!(names, ["demo.req.bin"]);
}
