//! A checked walk over TOML's spanned tree: wrong values are reported with line and key, and the walk goes on.

use std::fmt;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::protocol::{listed, shown, suggestion};

/// One thing that is wrong in a world file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// From 1.
    pub line: usize,
    /// The way to the value, with the names of what it passes: `agents[0] (agent_id_0).sensors[1] (patch).zoom`.
    pub key: String,
    pub found: String,
    pub expected: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, key, found, expected } = self;
        match key.is_empty() {
            true => write!(f, "line {line}: found {found}, expected {expected}"),
            false => write!(f, "line {line}: {key}: found {found}, expected {expected}"),
        }
    }
}

/// The problems so far, and the text that they are in.
pub struct Report<'t> {
    text: &'t str,
    problems: Vec<Problem>,
    /// How many more there were than are kept.
    dropped: usize,
}

/// Problems that are kept: a file that is wrong throughout is told so by its first hundred.
const MOST_PROBLEMS: usize = 100;

impl<'t> Report<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, problems: Vec::new(), dropped: 0 }
    }

    /// What was found, in the order of the file.
    pub fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|p| p.line);
        if let (true, Some(last)) = (self.dropped > 0, self.problems.last()) {
            let (line, found) = (last.line, format!("{} more problems", self.dropped));
            let expected = "none; mend these first".into();
            self.problems.push(Problem { line, key: String::new(), found, expected });
        }
        self.problems
    }

    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    pub fn add(&mut self, at: usize, key: &str, found: impl Into<String>, expected: impl Into<String>) {
        if self.is_full() {
            self.dropped += 1;
            return;
        }
        let line = 1 + self.text[..at].bytes().filter(|b| *b == b'\n').count();
        self.problems.push(Problem { line, key: key.into(), found: found.into(), expected: expected.into() });
    }

    fn is_full(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    /// The file's own words for a value, cut where they are long.
    fn words(&self, value: &Spanned<DeValue>) -> String {
        shown(&self.text[value.span()].split_whitespace().take(60).collect::<Vec<_>>().join(" "))
    }
}

/// A value with the way to it.
pub struct Item<'v, 't> {
    pub key: String,
    value: &'v Spanned<DeValue<'t>>,
}

impl<'v, 't> Item<'v, 't> {
    /// Reports this value as wrong.
    pub fn wrong(&self, report: &mut Report, expected: impl Into<String>) {
        let found = report.words(self.value);
        report.add(self.value.span().start, &self.key, found, expected);
    }

    fn refuse<T>(&self, report: &mut Report, expected: impl Into<String>) -> Option<T> {
        self.wrong(report, expected);
        None
    }

    pub fn text(&self, report: &mut Report, what: &str) -> Option<String> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => self.refuse(report, format!("{what} in quotes")),
        }
    }

    pub fn boolean(&self, report: &mut Report) -> Option<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            _ => self.refuse(report, "true or false"),
        }
    }

    /// A finite number; an integer is one too.
    pub fn number(&self, report: &mut Report, expected: &str, is_right: impl Fn(f64) -> bool) -> Option<f64> {
        match as_number(self.value.get_ref()).filter(|number| is_right(*number)) {
            Some(number) => Some(number),
            None => self.refuse(report, expected),
        }
    }

    pub fn integer(&self, report: &mut Report, least: u64, most: u64) -> Option<u64> {
        match as_integer(self.value.get_ref()).filter(|integer| (least..=most).contains(integer)) {
            Some(integer) => Some(integer),
            None => self.refuse(report, format!("an integer from {least} to {most}")),
        }
    }

    pub fn numbers<const N: usize>(&self, report: &mut Report, expected: &str) -> Option<[f64; N]> {
        let array = self.value.get_ref().as_array();
        let numbers = array.and_then(|array| array.iter().map(|v| as_number(v.get_ref())).collect::<Option<Vec<_>>>());
        match numbers.and_then(|numbers| <[f64; N]>::try_from(numbers).ok()) {
            Some(numbers) => Some(numbers),
            None => self.refuse(report, expected),
        }
    }

    /// One of a closed set of words.
    pub fn word<T>(
        &self,
        report: &mut Report,
        from_word: impl Fn(&str) -> Option<T>,
        known: impl Iterator<Item = &'static str> + Clone,
    ) -> Option<T> {
        let text = self.value.get_ref().as_str().unwrap_or_default();
        match from_word(text) {
            Some(value) => Some(value),
            None => {
                let hint = suggestion(text, known.clone());
                self.refuse(report, format!("one of {}{hint}", listed(known)))
            }
        }
    }

    /// The items of a list, each with its place in the key.
    pub fn items(&self, report: &mut Report, what: &str) -> Option<Vec<Item<'v, 't>>> {
        match self.value.get_ref() {
            DeValue::Array(array) => Some(
                (0..).zip(array.iter()).map(|(i, value)| Item { key: format!("{}[{i}]", self.key), value }).collect(),
            ),
            _ => self.refuse(report, format!("a list of {what}")),
        }
    }

    pub fn section(&self, report: &mut Report, what: &str) -> Option<Section<'v, 't>> {
        match self.value.get_ref() {
            DeValue::Table(table) => Some(Section::new(self.key.clone(), table, self.value.span().start)),
            _ => self.refuse(report, format!("a table with the keys of {what}")),
        }
    }

    pub fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    pub fn says(&self, word: &str) -> bool {
        self.value.get_ref().as_str() == Some(word)
    }

    pub fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }
}

fn as_number(value: &DeValue) -> Option<f64> {
    let number = match value {
        DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
        DeValue::Integer(integer) => i128::from_str_radix(integer.as_str(), integer.radix()).ok().map(|i| i as f64),
        _ => None,
    };
    number.filter(|n| n.is_finite())
}

fn as_integer(value: &DeValue) -> Option<u64> {
    let integer = value.as_integer()?;
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// A table, and which of its keys were asked for: the rest is unknown.
pub struct Section<'v, 't> {
    key: String,
    table: &'v DeTable<'t>,
    start: usize,
    asked: Vec<&'static str>,
}

impl<'v, 't> Section<'v, 't> {
    pub fn new(key: String, table: &'v DeTable<'t>, start: usize) -> Self {
        Self { key, table, start, asked: Vec::new() }
    }

    /// Adds a name to the way, for people: `agents[0]` becomes `agents[0] (agent_id_0)`.
    pub fn call(&mut self, name: &str) {
        self.key = format!("{} ({})", self.key, shown(name));
    }

    pub fn key_of(&self, key: &str) -> String {
        if self.key.is_empty() { key.to_owned() } else { format!("{}.{key}", self.key) }
    }

    pub fn optional(&mut self, key: &'static str) -> Option<Item<'v, 't>> {
        self.asked.push(key);
        let (_, value) = self.table.iter().find(|(name, _)| name.get_ref() == key)?;
        Some(Item { key: self.key_of(key), value })
    }

    pub fn required(&mut self, key: &'static str, report: &mut Report, expected: &str) -> Option<Item<'v, 't>> {
        let item = self.optional(key);
        if item.is_none() {
            report.add(self.start, &self.key_of(key), "nothing", expected);
        }
        item
    }

    /// Reports the keys that nobody asked for.
    pub fn finish(self, report: &mut Report) {
        for (name, _) in self.table.iter() {
            let word = name.get_ref().as_ref();
            if !self.asked.contains(&word) && report.is_full() {
                report.dropped += 1;
            } else if !self.asked.contains(&word) {
                let known = || self.asked.iter().copied();
                let hint = suggestion(word, known());
                let expected = format!("one of the keys {}{hint}", listed(known()));
                let word = shown(word);
                report.add(name.span().start, &self.key_of(&word), format!("the unknown key {word}"), expected);
            }
        }
    }
}
