//! A JSON reader that a reply must pass: no key twice in one object, no number beyond f64.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Reads a whole text; the first duplicate key or overlong number is an error.
pub fn read(text: &str) -> Result<Value, String> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0).map_err(|error| error.to_string())
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON without duplicate keys")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, _>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key {key} stands twice")));
            }
            map.insert(key, value);
        }
        Ok(map.into())
    }
}

/// The number tokens of a JSON text, in order.
pub fn numbers_in(text: &str) -> Vec<&str> {
    let mut numbers = Vec::new();
    let (mut in_text, mut escaped) = (false, false);
    let mut start = None;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'-' | b'0'..=b'9' if !in_text && start.is_none() => start = Some(at),
            b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9' => {}
            _ => numbers.extend(start.take().map(|from| &text[from..at])),
        }
    }
    numbers
}

#[test]
fn a_key_twice_and_an_overlong_number_are_seen() {
    assert!(read(r#"{"a":{"b":1,"b":2}}"#).is_err_and(|error| error.contains("the key b stands twice")));
    assert!(read(r#"[1e999]"#).is_err());
    assert!(read(r#"{"a":NaN}"#).is_err());
    assert_eq!(read(r#"{"a":[1,-2.5,"x",null,true]}"#), Ok(serde_json::json!({"a": [1, -2.5, "x", null, true]})));
}

#[test]
fn number_tokens_are_found_outside_of_texts() {
    assert_eq!(numbers_in(r#"{"a1":[0.0,-1.5e-7,12],"b":"3 \" 4","c":9}"#), ["0.0", "-1.5e-7", "12", "9"]);
}
