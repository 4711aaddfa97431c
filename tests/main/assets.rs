//! Files of objects: the cases of `tests/assets`, each through the real binary.
//!
//! `SACCADE_ASSETS` names another folder of `saccade-assets/1` cases.

use std::path::{Path, PathBuf};

use saccade::wire::HEADER_BYTES;
use serde_json::{Value, json};

use crate::client::{bodies, frame};
use crate::fixture::{in_repository, read_json, say, world_text};
use crate::program::{Ran, Scratch, run_on};
use crate::strict_json;

#[test]
fn every_case_is_drawn_as_it_was_meant_or_refused_with_its_reason() {
    let folder = std::env::var_os("SACCADE_ASSETS").map_or_else(|| in_repository("tests/assets"), PathBuf::from);
    let cases = cases_in(&folder).unwrap_or_else(|why| panic!("{why}"));
    say(&format!("assets: {} cases", cases.len()));
    let checked = cases.iter().map(|case| check(&folder, case).map_err(|why| format!("{}: {why}", case["case"])));
    let failures: Vec<String> = checked.filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

fn cases_in(folder: &Path) -> Result<Vec<Value>, String> {
    let path = folder.join("cases.json");
    if !path.is_file() {
        return Err(format!("{}: there is no cases.json", folder.display()));
    }
    let cases = read_json(path)["cases"].as_array().cloned().unwrap_or_default();
    if cases.is_empty() { Err(format!("{}: there are no cases", folder.display())) } else { Ok(cases) }
}

#[test]
fn a_folder_without_cases_is_an_error() {
    let scratch = Scratch::new();
    assert!(cases_in(&scratch.path(".")).is_err());
    scratch.file("cases.json", r#"{"schema": "saccade-assets/1", "cases": []}"#);
    assert!(cases_in(&scratch.path(".")).is_err());
}

/// An object that stands at the start, and one that is added.
fn check(folder: &Path, case: &Value) -> Result<(), String> {
    standing(folder, case).map_err(|why| format!("standing: {why}"))?;
    added(folder, case).map_err(|why| format!("added: {why}"))
}

/// The case's world, its paths made absolute, since the test does not write into the folder of the cases.
fn world_of(folder: &Path, case: &Value) -> Value {
    let absolute = |path: &Value| {
        let path = folder.join(path.as_str().expect("a path is a text"));
        Value::from(std::path::absolute(path).expect("a path").to_str().expect("UTF-8"))
    };
    let mut world = case["world"].clone();
    world["compat"] = json!({"preset": "saccade", "lighting": "flat", "miss_depth": 0.0});
    if world.get("data").is_some() {
        world["data"]["root"] = absolute(&world["data"]["root"]);
    }
    for object in world["objects"].as_array_mut().expect("objects") {
        if object.get("file").is_some() {
            object["file"] = absolute(&object["file"]);
        }
    }
    world
}

const RESET: &str = r#"{"id": 1, "command": "reset", "modalities": ["depth", "rgba", "semantic"]}"#;

fn standing(folder: &Path, case: &Value) -> Result<(), String> {
    let ran = play(&world_text(&world_of(folder, case)), &[RESET.to_owned()]);
    let error = (ran.code == Some(2) && ran.stdout.is_empty()).then(|| ran.stderr.clone());
    judge(case, error, &ran)
}

fn added(folder: &Path, case: &Value) -> Result<(), String> {
    let mut world = world_of(folder, case);
    let mut object = world["objects"][0].take();
    world["objects"] = json!([]);
    object["command"] = "add_object".into();
    object["id"] = 2.into();
    let ran = play(&world_text(&world), &[RESET.to_owned(), object.to_string(), RESET.replace("1", "3")]);
    let replies = replies(&ran)?;
    let [_, reply, _] = &replies[..] else { return Err(format!("not three replies: {}", ran.stderr)) };
    let error = reply["error"].as_str().map(|error| format!("{} {error}", reply["code"]));
    if error.as_ref().is_some_and(|error| !error.starts_with("\"asset\"")) {
        return Err(format!("another code than asset: {reply}"));
    }
    judge(case, error, &ran)
}

fn play(world: &str, requests: &[String]) -> Ran {
    let scratch = Scratch::new();
    let path = scratch.file("world.toml", world);
    let input: Vec<u8> = requests.iter().flat_map(frame).collect();
    run_on(&["port", "--world", &path], &input)
}

fn replies(ran: &Ran) -> Result<Vec<Value>, String> {
    if ran.code != Some(0) || ran.stdout.len() < HEADER_BYTES {
        return Err(format!("exit code {:?}, {}", ran.code, ran.stderr));
    }
    let texts = bodies(&ran.stdout).into_iter().map(|body| String::from_utf8_lossy(body).into_owned());
    texts.map(|text| strict_json::read(&text).map_err(|error| format!("{error} in {text}"))).collect()
}

fn judge(case: &Value, error: Option<String>, ran: &Ran) -> Result<(), String> {
    let expect = &case["expect"];
    if ran.stderr.contains("panicked") {
        return Err(format!("a panic: {}", ran.stderr));
    }
    let refusal = [&expect["error"], &expect["or_error"]].into_iter().find(|refusal| !refusal.is_null());
    match (error, refusal) {
        (Some(error), Some(refusal)) => mentions(&error, &refusal["mentions"]),
        (Some(error), None) => Err(format!("refused: {error}")),
        (None, _) if expect["ok"].is_null() => Err(format!("not refused; stderr {}", ran.stderr)),
        (None, _) => {
            let replies = replies(ran)?;
            let last = replies.last().ok_or("no reply")?;
            compare(&expect["ok"], &last["observations"]["agent_id_0"]["patch"])?;
            warns(case, &ran.stderr)
        }
    }
}

fn mentions(text: &str, lists: &Value) -> Result<(), String> {
    let text = text.to_lowercase();
    let is_told = |list: &&Value| {
        let words = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        words.map(str::to_lowercase).any(|word| text.contains(&word))
    };
    match lists.as_array().into_iter().flatten().find(|list| !is_told(list)) {
        None => Ok(()),
        Some(missing) => Err(format!("{text:?} mentions none of {missing}")),
    }
}

fn warns(case: &Value, stderr: &str) -> Result<(), String> {
    let texts = case["should_warn"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing: Vec<&str> = texts.filter(|text| !stderr.lines().any(|line| line.contains(text))).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no line on stderr holds {missing:?}: {stderr:?}")) }
}

fn compare(ok: &Value, seen: &Value) -> Result<(), String> {
    let edges = ok["edge_pixels"].as_array().expect("a list");
    for (row, column) in (0..16).flat_map(|row| (0..16).map(move |column| (row, column))) {
        if edges.contains(&json!([row, column])) {
            continue;
        }
        let expected = ok["depth"][row][column].as_f64().expect("a depth");
        let depth = seen["depth"][row][column].as_f64().ok_or("no depth")?;
        let is_near = (depth - expected).abs() <= 2e-6 + 5e-6 * expected;
        if !is_near || (expected == 0.0) != (depth == 0.0) {
            return Err(format!("depth[{row}][{column}]: expected {expected}, found {depth}"));
        }
        let semantic = &seen["semantic"][row][column];
        if *semantic != json!(if expected > 0.0 { 7 } else { 0 }) {
            return Err(format!("semantic[{row}][{column}] = {semantic}"));
        }
    }
    let albedo = &ok["albedo"];
    for pixel in albedo["pixels"].as_array().into_iter().flatten() {
        compare_color(pixel, albedo["tolerance"].as_i64().expect("a tolerance"), seen)?;
    }
    Ok(())
}

fn compare_color(pixel: &Value, tolerance: i64, seen: &Value) -> Result<(), String> {
    let [row, column] = [0, 1].map(|i| pixel["pixel"][i].as_u64().expect("an index") as usize);
    let found = &seen["rgba"][row][column];
    let is_near = |i: usize| {
        let part = |value: &Value| value[i].as_i64().expect("a byte");
        (part(&pixel["rgb"]) - part(found)).abs() <= tolerance
    };
    match (0..3).all(is_near) && found[3] == 255 {
        true => Ok(()),
        false => Err(format!("rgba[{row}][{column}]: expected {}, found {found}", pixel["rgb"])),
    }
}
