//! JSON text, written straight into a buffer.

use super::digits::{self, MOST_OF_F64, MOST_OF_INTEGER};

/// Writes a text with its quotes and escapes.
pub fn string(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("writing to memory does not fail");
}

/// Writes an object's key and the colon, with a comma unless it is the first.
pub fn key(out: &mut Vec<u8>, name: &str) {
    comma(out);
    string(out, name);
    out.push(b':');
}

/// Writes a comma unless a bracket was just opened.
pub fn comma(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'{' | b'[')) {
        out.push(b',');
    }
}

/// Writes a finite number with the shortest digits that read back to it, always with a decimal point.
pub fn number(out: &mut Vec<u8>, value: f64) {
    let mut place = [0; MOST_OF_F64];
    let length = digits::number(&mut place, value);
    out.extend_from_slice(&place[..length]);
}

pub fn numbers(out: &mut Vec<u8>, values: &[f64]) {
    out.push(b'[');
    for value in values {
        comma(out);
        number(out, *value);
    }
    out.push(b']');
}

pub fn integer(out: &mut Vec<u8>, value: u64) {
    let mut place = [0; MOST_OF_INTEGER];
    let length = digits::integer(&mut place, value);
    out.extend_from_slice(&place[..length]);
}

pub fn integers(out: &mut Vec<u8>, values: &[u64]) {
    out.push(b'[');
    for value in values {
        comma(out);
        integer(out, *value);
    }
    out.push(b']');
}

pub fn boolean(out: &mut Vec<u8>, value: bool) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Writes a list of texts.
pub fn strings<'a>(out: &mut Vec<u8>, texts: impl IntoIterator<Item = &'a str>) {
    out.push(b'[');
    for text in texts {
        comma(out);
        string(out, text);
    }
    out.push(b']');
}
