//! The folder of objects that `--data` or `SACCADE_DATA` names: what is looked for there, and what is said of it.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::client::{bodies, frame};
use crate::fixture::in_repository;
use crate::program::{Ran, Scratch, feed, finish, saccade};

/// The object `mug`.
const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// The object `power_drill`: a face without its corners.
const BROKEN: &str = "f 1 2 3\n";

/// A folder with the objects `mug` and `power_drill`, of which one can be read, and a file that is none.
fn with_objects() -> (Scratch, String) {
    let scratch = Scratch::new();
    let folder = scratch.path("data");
    for (name, mesh) in [("mug", TRIANGLE), ("power_drill", BROKEN)] {
        fs::create_dir_all(folder.join(name)).expect("the scratch folder takes a folder");
        fs::write(folder.join(name).join("textured.obj"), mesh).expect("the folder takes a file");
        let picture = in_repository("tests/assets/png_odd_size/cup/texture_map.png");
        fs::copy(picture, folder.join(name).join("texture_map.png")).expect("the folder takes a file");
    }
    fs::write(folder.join("notes.txt"), "no object").expect("the folder takes a file");
    let folder = folder.to_str().expect("UTF-8").to_owned();
    (scratch, folder)
}

/// The binary under no folder but those that a test gives it.
fn alone(args: &[&str]) -> Command {
    let mut command = saccade(args);
    command.env_remove("SACCADE_DATA");
    command
}

/// What the empty world answers to objects of these names.
fn answers(command: &mut Command, names: &[&str]) -> Vec<Value> {
    let reset = json!({"id": 0, "command": "reset"});
    let adds = names.iter().map(|name| json!({"id": 1, "command": "add_object", "name": name, "semantic_id": 5}));
    let requests: Vec<u8> = [reset].into_iter().chain(adds).flat_map(|request| frame(request.to_string())).collect();
    let ran = feed(command, &requests);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let replies = bodies(&ran.stdout).into_iter().skip(1);
    replies.map(|body| serde_json::from_slice(body).expect("a reply is JSON")).collect()
}

const EMPTY: [&str; 3] = ["port", "--world", "empty"];

fn error(reply: &Value) -> &str {
    reply["error"].as_str().expect("an error is a text")
}

#[test]
fn an_unknown_object_is_answered_with_the_nearest_names_of_the_folder_and_where_was_looked() {
    let (_scratch, folder) = with_objects();
    let by_option = answers(alone(&EMPTY).args(["--data", &folder]), &["mugs", "power_dril", "cubeSolld", "notes.txt"]);
    let by_variable =
        answers(alone(&EMPTY).env("SACCADE_DATA", &folder), &["mugs", "power_dril", "cubeSolld", "notes.txt"]);
    assert_eq!(by_option, by_variable);
    for (reply, nearest) in by_option.iter().zip([Some("mug"), Some("power_drill"), Some("cubeSolid"), None]) {
        assert_eq!(reply["code"], "unknown_object");
        let why = error(reply);
        assert!(why.contains(&folder) && why.contains("primitives"), "{why}");
        let hint = why.split_once("did you mean ").map(|(_, hint)| hint.trim_end_matches('?'));
        assert_eq!(hint, nearest, "{why}");
    }
}

#[test]
fn without_a_folder_an_unknown_object_is_answered_with_how_to_give_one() {
    for reply in answers(&mut alone(&EMPTY), &["mug", "capsul"]) {
        assert_eq!(reply["code"], "unknown_object");
        assert!(error(&reply).contains("--data") && error(&reply).contains("SACCADE_DATA"), "{reply}");
    }
    let empty_value = answers(alone(&EMPTY).env("SACCADE_DATA", ""), &["mug"]);
    assert!(error(&empty_value[0]).contains("--data"), "{empty_value:?}");
}

#[test]
fn an_object_that_is_there_is_added_and_a_broken_one_is_told_with_its_file_and_line() {
    let (_scratch, folder) = with_objects();
    let replies = answers(alone(&EMPTY).args(["--data", &folder]), &["mug", "power_drill", "cubeSolid"]);
    assert_eq!(replies[0], json!({"id": 1, "object_id": 0, "semantic_id": 5}));
    assert_eq!(replies[1]["code"], "asset");
    let why = error(&replies[1]);
    assert!(why.contains(&folder) && why.contains("textured.obj: line 1"), "{why}");
    assert_eq!(replies[2], json!({"id": 1, "object_id": 1, "semantic_id": 5}));
}

#[cfg(unix)]
#[test]
fn a_named_pipe_in_place_of_a_mesh_is_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let (_scratch, folder) = with_objects();
    let mesh = format!("{folder}/mug/textured.obj");
    fs::remove_file(&mesh).expect("the mesh is there");
    mknodat(CWD, &mesh, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("the folder takes a pipe");
    let replies = answers(alone(&EMPTY).args(["--data", &folder]), &["mug", "cubeSolid"]);
    assert_eq!(replies[0]["code"], "asset");
    let why = error(&replies[0]);
    assert!(why.contains("textured.obj") && why.contains("no plain file"), "{why}");
    assert_eq!(replies[1]["object_id"], 0);
}

#[test]
fn the_option_wins_over_the_variable() {
    let (_scratch, folder) = with_objects();
    let other = Scratch::new();
    let elsewhere = other.path(".").display().to_string();
    let mut command = alone(&EMPTY);
    let reply = answers(command.args(["--data", &folder]).env("SACCADE_DATA", &elsewhere), &["nothing"]);
    assert!(error(&reply[0]).contains(&folder) && !error(&reply[0]).contains(&elsewhere), "{reply:?}");
}

fn is_refused(ran: &Ran, words: &[&str]) {
    assert_eq!((ran.code, ran.stdout.len()), (Some(2), 0), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    let missing: Vec<_> = words.iter().filter(|word| !ran.stderr.contains(**word)).collect();
    assert!(missing.is_empty(), "{missing:?} in {}", ran.stderr);
}

#[test]
fn a_folder_that_is_missing_or_none_is_refused_before_the_protocol_starts() {
    let scratch = Scratch::new();
    let file = scratch.file("file", "no folder");
    let missing = scratch.path("missing").display().to_string();
    for (place, word) in [(&file, "folder"), (&missing, "cannot be read")] {
        for args in [&["port"][..], &["check", "default"], &["describe"], &["render"], &["replay", &file]] {
            is_refused(&finish(alone(args).args(["--data", place])), &[place, word, "--data"]);
            is_refused(&finish(alone(args).env("SACCADE_DATA", place)), &[place, word, "SACCADE_DATA"]);
        }
    }
}

#[test]
fn a_world_file_with_an_object_that_is_not_in_the_folder_is_refused_with_its_line() {
    let (scratch, folder) = with_objects();
    for (text, line, word) in [
        ("[[objects]]\nname = \"mugg\"\n", 2, "did you mean mug?"),
        ("[episodes]\ntargets = [\"mug\",\n\"power_dril\"]\n", 3, "did you mean power_drill?"),
        (
            "[episodes]\ntargets = [\"sphere\"]\nsource_objects = [\"sphere\", \"powerdrill\"]",
            3,
            "did you mean power_drill?",
        ),
    ] {
        let path = scratch.file("world.toml", text);
        let place = format!("{path}: line {line}: ");
        for args in [&["check", &path][..], &["port", "--world", &path]] {
            is_refused(&finish(alone(args).args(["--data", &folder])), &[&place, word, &folder]);
        }
    }
}

#[test]
fn a_broken_object_is_told_by_check_and_before_the_protocol_starts_unless_an_episode_plays_it() {
    let (scratch, folder) = with_objects();
    let standing = scratch.file("standing.toml", "[[objects]]\nname = \"power_drill\"\n");
    let played = scratch.file("played.toml", "[episodes]\ntargets = [\"power_drill\"]\n");
    for args in [&["check", &standing][..], &["port", "--world", &standing]] {
        is_refused(&finish(alone(args).args(["--data", &folder])), &[&standing, "textured.obj: line 1", &folder]);
    }
    is_refused(
        &finish(alone(&["check", &played]).args(["--data", &folder])),
        &[&played, "textured.obj: line 1", &folder],
    );
    let reset = frame(json!({"id": 1, "command": "reset"}).to_string());
    let ran = feed(alone(&["port", "--world", &played]).args(["--data", &folder]), &reset);
    let reply: Value = serde_json::from_slice(bodies(&ran.stdout)[0]).expect("a reply is JSON");
    assert_eq!((ran.code, &reply["code"]), (Some(0), &json!("asset")));
}

#[test]
fn describe_lists_our_mesh_and_the_objects_of_the_folder_behind_the_primitives() {
    let (_scratch, folder) = with_objects();
    let ran = finish(alone(&["describe"]).args(["--data", &folder]));
    let description: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let names: Vec<&str> = description["objects"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    assert_eq!((names.len(), &names[11..]), (14, &["demo_mug", "mug", "power_drill"][..]));
}

#[test]
fn a_folder_without_objects_changes_no_reply() {
    let scratch = Scratch::new();
    let folder = scratch.path(".").display().to_string();
    let requests = [json!({"id": 1, "command": "reset"}), json!({"id": 2, "command": "digest"})];
    let stream: Vec<u8> = requests.iter().flat_map(|request| frame(request.to_string())).collect();
    let with = feed(alone(&["port"]).args(["--data", &folder]), &stream);
    assert!(with.code == Some(0) && with.stdout == feed(&mut alone(&["port"]), &stream).stdout);
}
