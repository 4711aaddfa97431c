//! The project's own sources, as text: which files there are, what in them is code, and which modules a file names.

use std::path::{Path, PathBuf};

use crate::fixture::{in_repository, read_text};

/// One source file.
pub struct Source {
    /// From the repository's root, with `/`.
    pub path: String,
    pub text: String,
}

/// All Rust files below the given folders, in the order of their paths.
pub fn sources_below(folders: &[&str]) -> Vec<Source> {
    let mut paths = Vec::new();
    folders.iter().for_each(|folder| collect(&in_repository(folder), &mut paths));
    paths.sort();
    let root = in_repository("");
    let relative =
        |path: &PathBuf| path.strip_prefix(&root).expect("below the root").to_str().expect("UTF-8").to_owned();
    paths.iter().map(|path| Source { path: relative(path), text: read_text(path) }).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("a folder can be read to its end").path();
        match path.is_dir() {
            true => collect(&path, paths),
            false if path.extension().is_some_and(|end| end == "rs") => paths.push(path),
            false => {}
        }
    }
}

/// The text with every comment, text literal and character blanked.
pub fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = blank_length(rest, code.chars().last());
        if length == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.extend(rest[..length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[length..];
        }
    }
    code
}

/// How many bytes from here on are no code: 0 if the next character is.
fn blank_length(rest: &str, before: Option<char>) -> usize {
    let starts_word = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return rest.find("*/").map_or(rest.len(), |end| end + 2);
    }
    if rest.starts_with('"') {
        return text_length(rest);
    }
    let after_r = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r')).filter(|_| starts_word);
    match after_r {
        Some(raw) if raw.trim_start_matches('#').starts_with('"') => rest.len() - raw.len() + raw_text_length(raw),
        _ => character_length(rest),
    }
}

/// From an opening quote to behind the closing one.
fn text_length(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// From the hashes before an opening quote to those behind the closing one.
fn raw_text_length(raw: &str) -> usize {
    let hashes = raw.len() - raw.trim_start_matches('#').len();
    let close = format!("\"{}", "#".repeat(hashes));
    raw[hashes + 1..].find(&close).map_or(raw.len(), |end| hashes + 1 + end + close.len())
}

/// A character literal's length; 0 for a lifetime, and for what is neither.
fn character_length(rest: &str) -> usize {
    let Some(inside) = rest.strip_prefix('\'') else { return 0 };
    let end = match inside.strip_prefix('\\') {
        Some(escape) => escape.char_indices().skip(1).find(|(_, c)| *c == '\'').map(|(at, _)| at + 1),
        None => inside.char_indices().nth(1).filter(|(_, c)| *c == '\'').map(|(at, _)| at),
    };
    end.map_or(0, |end| end + 2)
}

/// What stands before the tests of a file, which come last.
pub fn without_tests(code: &str) -> &str {
    code.split("#[cfg(test)]").next().unwrap_or(code)
}

/// Whether a word stands in code by itself.
pub fn names(code: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(is_part) && !code[at + word.len()..].starts_with(is_part))
}

/// The first segments of all paths behind `root::`, those of groups in braces too.
pub fn named_behind<'c>(code: &'c str, root: &str) -> Vec<&'c str> {
    let opening = format!("{root}::");
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let starts = code.match_indices(&opening).filter(|(at, _)| !code[..*at].ends_with(is_part));
    starts.flat_map(|(at, _)| first_segments(&code[at + opening.len()..])).collect()
}

fn first_segments(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else { return vec![first_segment(path)] };
    let mut depth = 0;
    let mut start = 0;
    let mut segments = Vec::new();
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                segments.extend(Some(first_segment(group[start..at].trim_start())).filter(|s| !s.is_empty()));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    segments
}

pub fn first_segment(path: &str) -> &str {
    path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(path)
}

#[test]
fn comments_texts_and_characters_are_no_code() {
    let text = "a // x\n\"y \\\" z\" b /* c */ d r#\"e \"f\"#; 'g' '\\'' &'h str; br\"i\" var\"j\"\n";
    let code = code_of(text);
    let words: Vec<&str> = code.split_whitespace().collect();
    assert_eq!(words, ["a", "b", "d", ";", "&'h", "str;", "var"]);
    assert_eq!(code.lines().count(), text.lines().count());
}

#[test]
fn the_modules_behind_a_root_are_found_in_paths_and_groups() {
    let code = "use crate::{a::{b, c}, d as e, f}; crate::g::h(); use supercrate::i; use crate::j;";
    assert_eq!(named_behind(code, "crate"), ["a", "d", "f", "g", "j"]);
    assert_eq!(named_behind("use super::super::k::l; use super::m;", "super::super"), ["k"]);
}

#[test]
fn a_word_is_found_only_by_itself() {
    assert!(names("use toml::de;", "toml") && !names("let toml_text = untoml;", "toml"));
}
