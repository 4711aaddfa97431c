//! What a case of `tests/port/` says of one reply, held against the reply that came.

use serde_json::Value;

use crate::case::{Comparison, ExpectedReply};

/// Checks the last of the replies, some claims beside the earlier ones.
pub fn check_reply(expected: &ExpectedReply, replies: &[Value]) -> Result<(), String> {
    let reply = replies.last().expect("a reply was just taken");
    check_id(expected, &reply["id"])?;
    check_keys(expected, reply)?;
    check_error(expected, reply.get("error"))?;
    check_values(expected, reply)?;
    compare(expected.same_as.as_ref(), true, replies)?;
    compare(expected.differs_from.as_ref(), false, replies)
}

fn check_id(expected: &ExpectedReply, id: &Value) -> Result<(), String> {
    if let Some(wanted) = &expected.id {
        holds(wanted == id, || format!("the id is {id}, expected {wanted}"))?;
    }
    let any = expected.id_in.as_ref().is_none_or(|ids| ids.contains(id));
    holds(any, || format!("the id is {id}"))
}

fn check_keys(expected: &ExpectedReply, reply: &Value) -> Result<(), String> {
    let has = |key: &String| reply.get(key).is_some();
    for key in &expected.has {
        holds(has(key), || format!("the reply lacks {key}"))?;
    }
    for key in &expected.lacks {
        holds(!has(key), || format!("the reply has {key}"))?;
    }
    let one_of = expected.has_one_of.as_ref().is_none_or(|keys| keys.iter().any(has));
    holds(one_of, || format!("the reply has none of {:?}", expected.has_one_of))
}

fn check_error(expected: &ExpectedReply, error: Option<&Value>) -> Result<(), String> {
    let text = error.and_then(Value::as_str).unwrap_or_default();
    holds(error.is_none() || !text.is_empty(), || "the error is not a text".to_owned())?;
    let wanted = expected.error_contains.as_deref().unwrap_or_default();
    let contains = text.to_lowercase().contains(&wanted.to_lowercase());
    holds(contains, || format!("the error {text:?} does not contain {wanted:?}"))
}

fn check_values(expected: &ExpectedReply, reply: &Value) -> Result<(), String> {
    for (pointer, wanted) in &expected.equals {
        let value = at(reply, pointer)?;
        holds(value == wanted, || format!("{pointer} is {value}"))?;
    }
    for pointer in &expected.present {
        at(reply, pointer)?;
    }
    for (pointer, wanted) in &expected.len {
        let length = length(at(reply, pointer)?);
        holds(length == Some(*wanted), || format!("{pointer} has length {length:?}"))?;
    }
    for pointer in &expected.unit {
        let square: f64 = vector(reply, pointer)?.iter().map(|x| x * x).sum();
        holds((square - 1.0).abs() <= 1e-6, || format!("{pointer} is not of length 1"))?;
    }
    Ok(())
}

fn compare(comparison: Option<&Comparison>, same: bool, replies: &[Value]) -> Result<(), String> {
    let Some(Comparison { reply, pointers }) = comparison else { return Ok(()) };
    let earlier = replies.get(*reply).ok_or_else(|| format!("the case speaks of reply {reply}, which has not come"))?;
    let this = replies.last().expect("a reply was just taken");
    for pointer in pointers {
        let (a, b) = (vector(this, pointer)?, vector(earlier, pointer)?);
        let equal = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12);
        holds(equal == same, || format!("{pointer} is {a:?}, reply {reply} had {b:?}"))?;
    }
    Ok(())
}

fn holds(claim: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if claim { Ok(()) } else { Err(why()) }
}

fn at<'a>(reply: &'a Value, pointer: &str) -> Result<&'a Value, String> {
    reply.pointer(pointer).ok_or_else(|| format!("{pointer} is missing"))
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::Object(entries) => Some(entries.len()),
        Value::String(text) => Some(text.chars().count()),
        _ => None,
    }
}

fn vector(reply: &Value, pointer: &str) -> Result<Vec<f64>, String> {
    let items = at(reply, pointer)?.as_array().map(Vec::as_slice).unwrap_or_default();
    let numbers: Option<Vec<f64>> = items.iter().map(Value::as_f64).collect();
    numbers.filter(|numbers| !numbers.is_empty()).ok_or_else(|| format!("{pointer} is not a list of numbers"))
}
