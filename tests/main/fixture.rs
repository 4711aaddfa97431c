//! What tests start from: world texts, fixtures on disk, the configuration of property tests.

use std::path::{Path, PathBuf};

use proptest::test_runner::{Config, RngSeed};
use serde_json::Value;

/// Fixed, so that a run finds what the last one found; change the seed to look elsewhere.
pub fn properties() -> Config {
    Config { cases: 256, failure_persistence: None, rng_seed: RngSeed::Fixed(0x5ac_cade), ..Config::default() }
}

/// A file or folder of the repository.
pub fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

pub fn read_bytes(path: impl AsRef<Path>) -> Vec<u8> {
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

pub fn read_text(path: impl AsRef<Path>) -> String {
    String::from_utf8(read_bytes(path)).expect("a fixture is UTF-8")
}

pub fn read_json(path: impl AsRef<Path>) -> Value {
    let text = read_text(&path);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// The `.json` files of a folder, in the order of their names; a folder without any is an error.
pub fn files_in(folder: &Path, schema: &str) -> Result<Vec<PathBuf>, String> {
    let entries = folder.read_dir().map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.map(|entry| entry.expect("a folder can be read to its end").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    if files.is_empty() { Err(format!("{} has no {schema} files", folder.display())) } else { Ok(files) }
}

/// Tells people, past the harness's capture.
pub fn say(text: &str) {
    use std::io::Write as _;
    writeln!(std::io::stderr(), "{text}").expect("stderr takes a line");
}

/// A world of one agent at the origin with one sensor in its place, that looks through the exact centre of its pixel.
pub fn one_agent(kind: &str, compat: &str) -> String {
    format!("compat = {compat}\n{}", agent(kind, ""))
}

/// One agent's tables; `sensor` adds keys to its sensor.
pub fn agent(kind: &str, sensor: &str) -> String {
    let agent = format!("[[agents]]\nid = \"agent_id_0\"\nkind = \"{kind}\"\n");
    format!("{agent}\n[[agents.sensors]]\nid = \"patch\"\nresolution = [3, 3]\n{sensor}\n")
}

/// A world in the words of the conformance data, as the text of a world file.
pub fn world_text(world: &Value) -> String {
    toml::to_string(&toml_of(world)).expect("a table can be written")
}

/// JSON as TOML, with the keys of world files; nulls are left out.
fn toml_of(value: &Value) -> toml::Value {
    match value {
        Value::Null => unreachable!("nulls are left out by their objects"),
        Value::Bool(value) => (*value).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().expect("a number of the fixtures is within f64").into(),
        },
        Value::Array(items) => items.iter().map(toml_of).collect::<Vec<_>>().into(),
        Value::Object(entries) => match entries.get("$number") {
            Some(name) => name.as_str().expect("its name").parse::<f64>().expect("nan or inf").into(),
            None => toml::Value::Table(entries.iter().filter(|(_, v)| !v.is_null()).map(toml_entry).collect()),
        },
    }
}

fn toml_entry((key, value): (&String, &Value)) -> (String, toml::Value) {
    let key = match key.as_str() {
        "type" => "kind",
        "rotation" => "rotation_wxyz",
        other => other,
    };
    (key.to_owned(), toml_of(value))
}
