//! The house rules that a compiler does not keep: imports point down, crates stay in their rooms, files say what they
//! are.

use crate::fixture::{in_repository, read_text};
use crate::source::{Source, code_of, first_segment, named_behind, names, sources_below, without_tests};

/// What each rule says is wrong, with the file.
type Findings = Vec<String>;

/// Fails with all that a rule finds in the files.
fn holds(sources: &[Source], rule: impl Fn(&Source) -> Findings) {
    assert!(sources.len() > 10, "the sources are found");
    let findings: Findings = sources.iter().flat_map(rule).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

fn everything() -> Vec<Source> {
    sources_below(&["src", "tests", "benches"])
}

fn sample(path: &str, text: &str) -> Source {
    Source { path: path.to_owned(), text: text.to_owned() }
}

/// The lines of modules, from the top, as the table at the head of `src/lib.rs` shows them.
struct Lines(Vec<Vec<String>>);

impl Lines {
    /// From the documentation of `src/lib.rs`: the second block of text, whose lines begin with names of modules.
    fn of(lib: &str, modules: &[String]) -> Self {
        let table = lib.split("//! ```text").nth(2).and_then(|block| block.split("//! ```").next()).expect("the table");
        let lines = table.lines().map(|line| modules_of(line, modules)).filter(|line| !line.is_empty());
        Self(lines.collect())
    }

    fn of_module(&self, module: &str) -> Option<usize> {
        self.0.iter().position(|line| line.iter().any(|name| name == module))
    }

    /// A module may name itself and what stands on a lower line; the binary's root also its own line.
    fn may_import(&self, from: &str, to: &str) -> bool {
        let (above, below) = (self.of_module(from), self.of_module(to));
        from == to || above < below || (from == "main" && above == below)
    }
}

/// The names that a line of the table begins with.
fn modules_of(line: &str, modules: &[String]) -> Vec<String> {
    let words = line.trim_start_matches("//!").split_whitespace().filter(|word| *word != "|");
    let names = words.map(|word| word.trim_end_matches([',', '/']).to_owned());
    names.take_while(|name| modules.contains(name)).collect()
}

/// The way of a file's module from the crate's root: `src/world/file/mod.rs` is `world`, `file`.
fn module_path(path: &str) -> Vec<&str> {
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    inner.split('/').collect()
}

fn top_modules(sources: &[Source]) -> Vec<String> {
    let mut modules: Vec<String> = sources.iter().map(|source| module_path(&source.path)[0].to_owned()).collect();
    modules.dedup();
    modules
}

/// The modules of the crate's first level that a file names: from the root, through the library's name, or climbing.
fn imports_of(source: &Source, modules: &[String]) -> Vec<String> {
    let code = code_of(&source.text);
    let path = module_path(&source.path);
    // A file of depth n reaches the root by n times `super`.
    let climb = vec!["super"; path.len()].join("::");
    let named = ["crate", "saccade", &climb].into_iter().flat_map(|root| named_behind(&code, root));
    // The binary's own root names its modules plainly.
    let own = code.lines().filter_map(|line| line.strip_prefix("use ")).map(first_segment).filter(|_| path == ["main"]);
    named.chain(own).filter(|name| modules.iter().any(|m| m == name)).map(str::to_owned).collect()
}

fn check_imports(source: &Source, lines: &Lines, modules: &[String]) -> Findings {
    let own = module_path(&source.path)[0];
    let wrong = imports_of(source, modules).into_iter().filter(|to| !lines.may_import(own, to));
    wrong.map(|to| format!("{}: imports {to}, which does not stand on a lower line than {own}", source.path)).collect()
}

#[test]
fn every_module_has_its_line_in_the_table_of_lib_rs() {
    let modules = top_modules(&sources_below(&["src"]));
    let lines = Lines::of(&read_text(in_repository("src/lib.rs")), &modules);
    let without: Vec<&String> = modules.iter().filter(|m| *m != "lib" && lines.of_module(m).is_none()).collect();
    assert!(without.is_empty() && lines.0.len() > 7, "{without:?} of {:?}", lines.0);
}

#[test]
fn a_module_imports_only_what_stands_on_a_lower_line() {
    let sources = sources_below(&["src"]);
    let modules = top_modules(&sources);
    let lines = Lines::of(&read_text(in_repository("src/lib.rs")), &modules);
    let library: Vec<Source> = sources.into_iter().filter(|source| source.path != "src/lib.rs").collect();
    holds(&library, |source| check_imports(source, &lines, &modules));
}

#[test]
fn imports_that_point_up_or_aside_are_found() {
    let modules = ["main", "session", "wire", "world", "math"].map(str::to_owned);
    let table =
        ["main  what math is", "session/  x", "wire/  |  world/  y", "math z"].map(|line| format!("//! {line}\n"));
    let lib = format!("//! ```text\n//! flow\n//! ```\n//! ```text\n{}//! ```", table.concat());
    let lines = Lines::of(&lib, &modules);
    assert_eq!(lines.0, [vec!["main"], vec!["session"], vec!["wire", "world"], vec!["math"]]);
    let is_found = |path: &str, text: &str| !check_imports(&sample(path, text), &lines, &modules).is_empty();
    for (path, text) in [
        ("src/world/mod.rs", "use crate::wire::Frame;"),
        ("src/wire/mod.rs", "use crate::{math::PI, world::World};"),
        ("src/wire/json.rs", "use super::super::session::Session;"),
        ("src/wire/mod.rs", "use super::session::Session;"),
        ("src/math.rs", "fn f() -> crate::wire::Frame { todo() }"),
        ("src/math.rs", "use super::world::World;"),
        ("src/session/mod.rs", "use saccade::main::main;"),
    ] {
        assert!(is_found(path, text), "{path}: {text}");
    }
    for (path, text) in [
        ("src/session/mod.rs", "use crate::{math, wire::Frame, world::World};"),
        ("src/session/phase.rs", "use super::Session; use crate::session::Session;"),
        ("src/wire/json.rs", "use super::super::math::PI; // crate::world is only named"),
        ("src/main.rs", "use session::Session; use saccade::world::World;"),
        ("src/math.rs", "mod tests { use super::*; }"),
    ] {
        assert!(!is_found(path, text), "{path}: {text}");
    }
}

/// A crate, and the folders and files that may name it.
const ROOMS: &[(&str, &[&str])] = &[
    ("rapier", &["src/world/physics/"]),
    ("rapier3d", &["src/world/physics/"]),
    ("serde", &["src/wire/"]),
    ("serde_json", &["src/wire/", "src/assets/layout.rs"]),
    ("gltf", &["src/assets/"]),
    ("zune_jpeg", &["src/assets/image.rs"]),
    ("byteorder", &["src/wire/"]),
    ("zmij", &["src/wire/"]),
    ("base64_simd", &["src/wire/", "src/assets/gltf/"]),
    ("smol_str", &["src/protocol/id.rs"]),
    ("wide", &["src/sensor/", "src/assets/"]),
    ("smallvec", &["src/protocol/", "src/wire/", "src/world/percept.rs", "src/sensor/"]),
    ("png", &["src/commands/picture/", "src/assets/image.rs"]),
    ("font8x8", &["src/commands/picture/"]),
    ("rand_mt", &["src/rng.rs"]),
    ("sha2", &["src/rng.rs"]),
    ("toml", &["src/world/file/"]),
    ("rustix", &["src/door/"]),
    ("libm", &["src/math.rs"]),
    ("clap", &["src/main.rs", "src/cli.rs", "src/commands/"]),
    ("clap_complete", &["src/cli.rs", "src/commands/"]),
];

fn check_rooms(source: &Source) -> Findings {
    let code = code_of(&source.text);
    let is_outside = |rooms: &&[&str]| !rooms.iter().any(|room| source.path.starts_with(room));
    // A variable may have a crate's name.
    let is_named = |name: &str| !named_behind(&code, name).is_empty() || names(&code, &format!("use {name}"));
    let wrong = ROOMS.iter().filter(|(name, rooms)| is_outside(rooms) && is_named(name));
    wrong
        .map(|(name, rooms)| format!("{}: names {name}, which belongs into {}", source.path, rooms.join(", ")))
        .collect()
}

#[test]
fn each_crate_is_named_in_its_own_room_alone() {
    holds(&sources_below(&["src"]), check_rooms);
}

#[test]
fn a_crate_outside_of_its_room_is_found() {
    for (path, text) in [
        ("src/world/mod.rs", "use rapier3d::prelude::World;"),
        ("src/world/agent.rs", "fn f(w: rapier::World) {}"),
        ("src/session/mod.rs", "fn f() { serde_json::to_string(&1) }"),
        ("src/door/pump.rs", "use byteorder::BigEndian;"),
        ("src/commands/port.rs", "use rustix::stdio::stdin;"),
        ("src/world/agent.rs", "use libm::sin;"),
        ("src/sensor/camera.rs", "use base64_simd::STANDARD;"),
        ("src/commands/render.rs", "use png::Encoder;"),
        ("src/commands/strip.rs", "use font8x8::UnicodeFonts;"),
        ("src/world/episodes.rs", "fn f(r: rand_mt::Mt) {}"),
        ("src/digest.rs", "use sha2::Sha256;"),
    ] {
        assert_eq!(check_rooms(&sample(path, text)).len(), 1, "{path}: {text}");
    }
    let inside = sample("src/world/physics/mod.rs", "use rapier3d::prelude as rapier; // not serde_json");
    assert!(check_rooms(&inside).is_empty());
    let variable = sample("src/commands/demo.rs", "fn write(png: &[u8]) { super::picture::png::to_png(png) }");
    assert!(check_rooms(&variable).is_empty());
}

fn check_head(source: &Source) -> Findings {
    let says_what_it_is = source.text.starts_with("//! ");
    if says_what_it_is { Vec::new() } else { vec![format!("{}: does not begin with //!", source.path)] }
}

#[test]
fn every_file_begins_with_what_it_is() {
    holds(&everything(), check_head);
    assert_eq!(check_head(&sample("src/x.rs", "// A comment.\nfn f() {}")).len(), 1);
}

/// Only `expect` opens a lint: it tells its reason, and complains once it is no longer needed.
fn check_lints(source: &Source) -> Findings {
    let is_open = names(&code_of(&source.text), "allow");
    if is_open { vec![format!("{}: allows a lint; expect it, with a reason", source.path)] } else { Vec::new() }
}

#[test]
fn no_lint_is_allowed_anywhere() {
    holds(&everything(), check_lints);
    for text in ["#[allow(dead_code)]", "#![allow(clippy::all)]", "#[cfg_attr(test, allow(unused))]"] {
        assert_eq!(check_lints(&sample("src/x.rs", text)).len(), 1, "{text}");
    }
    assert!(check_lints(&sample("src/x.rs", "#[expect(dead_code)] // allow\nlet allowed = 1;")).is_empty());
}

fn check_unwrap(source: &Source) -> Findings {
    let code = code_of(&source.text);
    let is_used = without_tests(&code).contains(".unwrap()");
    if is_used { vec![format!("{}: unwraps; expect names the invariant", source.path)] } else { Vec::new() }
}

#[test]
fn nothing_is_unwrapped_outside_of_tests() {
    holds(&sources_below(&["src"]), check_unwrap);
    assert_eq!(check_unwrap(&sample("src/x.rs", "fn f() { g().unwrap(); }")).len(), 1);
    assert!(
        check_unwrap(&sample("src/x.rs", "fn f() {}\n#[cfg(test)]\nmod tests { fn t() { g().unwrap(); } }")).is_empty()
    );
}

/// Nobody but a door may meet the outside; the lints ban the rest by name.
fn check_outside(source: &Source) -> Findings {
    let is_door = source.path.starts_with("src/door/");
    let outside = ["std::fs", "std::net", "std::thread", "std::time", "std::env", "std::process"];
    let code = code_of(&source.text);
    let is_wrong = |path: &&&str| !is_door && without_tests(&code).contains(**path);
    let wrong =
        outside.iter().filter(is_wrong).filter(|path| !(source.path == "src/main.rs" && **path == "std::process"));
    wrong.map(|path| format!("{}: names {path}, which belongs into src/door/", source.path)).collect()
}

#[test]
fn files_sockets_threads_clocks_and_the_environment_are_met_in_doors_alone() {
    holds(&sources_below(&["src"]), check_outside);
    assert_eq!(check_outside(&sample("src/world/mod.rs", "use std::time::Instant;")).len(), 1);
    assert!(check_outside(&sample("src/door/files.rs", "use std::fs::File;")).is_empty());
}

fn check_hashed(source: &Source) -> Findings {
    let code = code_of(&source.text);
    let wrong = ["HashMap", "HashSet", "Rc", "RefCell", "Mutex", "mpsc"].into_iter().filter(|name| names(&code, name));
    wrong.map(|name| format!("{}: names {name}", source.path)).collect()
}

#[test]
fn the_sources_have_nothing_hashed_shared_or_locked() {
    holds(&sources_below(&["src"]), check_hashed);
    assert_eq!(check_hashed(&sample("src/x.rs", "use std::collections::HashMap;")).len(), 1);
}

fn manifest() -> toml::Table {
    read_text(in_repository("Cargo.toml")).parse().expect("Cargo.toml is TOML")
}

/// A dependency's version, given plainly or in a table.
fn version_of<'m>(manifest: &'m toml::Table, name: &str) -> Option<&'m str> {
    let dependency = manifest.get("dependencies")?.get(name)?;
    dependency.as_str().or_else(|| dependency.get("version")?.as_str())
}

fn is_pinned_to(manifest: &toml::Table, version: &str) -> bool {
    version_of(manifest, "rapier3d") == Some(&format!("={version}"))
}

#[test]
fn the_physics_version_is_the_pinned_one() {
    assert!(is_pinned_to(&manifest(), saccade::world::PHYSICS_VERSION));
    for other in ["0.36.1", "^0.36.1", "=0.36.2"] {
        let manifest: toml::Table =
            format!("[dependencies]\nrapier3d = {{ version = \"{other}\" }}").parse().expect("TOML");
        assert!(!is_pinned_to(&manifest, "0.36.1"), "{other}");
    }
}

#[test]
fn the_features_that_results_depend_on_are_on() {
    let manifest = manifest();
    let has = |name: &str, feature: &str| {
        let features = manifest["dependencies"][name].get("features").and_then(toml::Value::as_array);
        features.is_some_and(|features| features.iter().any(|f| f.as_str() == Some(feature)))
    };
    assert!(has("rapier3d", "enhanced-determinism") && !has("rapier3d", "parallel"));
    assert!(has("nalgebra", "libm-force"));
    assert!(has("serde_json", "float_roundtrip") && !has("serde_json", "preserve_order"));
}
