//! One JSON object, read in two passes: first its keys with their values as text, then each known value by its type.
//!
//! So a key given twice is seen, a fault names its key, unknown values are checked for form and not looked into, and no tree
//! of values is ever built.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use smallvec::SmallVec;

use super::scan;
use crate::protocol::{Code, Fault, limits, shown};

/// The fields of one object: those of `known` keys as text, the rest by name only.
#[derive(Debug, Default)]
pub struct Fields<'a> {
    known: SmallVec<[Field<'a>; USUAL_KEYS]>,
    /// The first of them; how many there are in all.
    unknown: Vec<String>,
    unknown_count: usize,
}

/// Keys of an ordinary request or action; more of them take an allocation.
const USUAL_KEYS: usize = 6;

#[derive(Debug)]
struct Field<'a> {
    key: &'static str,
    text: &'a str,
    is_repeated: bool,
}

/// Names of unknown keys that are kept to be told; the rest is passed over.
const MOST_UNKNOWN_KEPT: usize = 8;

impl<'a> Fields<'a> {
    /// Reads an object, keeping the values of `known` keys. The whole text must be well-formed.
    pub fn read(text: &'a str, known: impl Iterator<Item = &'static str> + Clone) -> Result<Self, serde_json::Error> {
        if let Some(fields) = Self::read_plain(text, known.clone()) {
            return Ok(fields);
        }
        let mut json = serde_json::Deserializer::from_str(text);
        let fields = json.deserialize_any(FieldsVisitor { known })?;
        json.end()?;
        Ok(fields)
    }

    fn read_plain(text: &'a str, known: impl Iterator<Item = &'static str> + Clone) -> Option<Self> {
        let mut fields = Self::default();
        scan::each_entry(text, |name, value| fields.take(name.into(), value, known.clone()))?;
        Some(fields)
    }

    /// The text of a key's value; `None` if it is absent. A key given twice is a fault.
    pub fn text(&self, key: &'static str) -> Result<Option<&'a str>, Fault> {
        match self.known.iter().find(|f| f.key == key) {
            None => Ok(None),
            Some(field) if field.is_repeated => Err(bad(format!("the key {key} is given twice; give it once"))),
            Some(field) => Ok(Some(field.text)),
        }
    }

    /// As `text`, with null taken for absent.
    pub fn text_unless_null(&self, key: &'static str) -> Result<Option<&'a str>, Fault> {
        Ok(self.text(key)?.filter(|text| *text != "null"))
    }

    /// As `text`; an absent key is a fault that says what it is for.
    pub fn required(&self, key: &'static str, meaning: &str) -> Result<&'a str, Fault> {
        self.text(key)?.ok_or_else(|| bad(format!("the key {key} is missing ({meaning})")))
    }

    pub fn number(&self, key: &'static str, meaning: &str) -> Result<f64, Fault> {
        number(key, self.required(key, meaning)?, meaning)
    }

    pub fn numbers<const N: usize>(&self, key: &'static str, meaning: &str) -> Result<[f64; N], Fault> {
        numbers(key, self.required(key, meaning)?, meaning)
    }

    pub fn string(&self, key: &'static str, meaning: &str) -> Result<Cow<'a, str>, Fault> {
        string(key, self.required(key, meaning)?)
    }

    /// Keys that were given and are not among `keys`, ready to be told.
    pub fn others<'s>(&'s self, keys: &'s [&'static str]) -> impl Iterator<Item = Cow<'static, str>> + 's {
        let known = self.known.iter().map(|f| f.key).filter(move |k| !keys.contains(k)).map(Cow::Borrowed);
        let unknown = self.unknown.iter().map(|key| shown(key).into());
        let more = self.unknown_count - self.unknown.len();
        known.chain(unknown).chain((more > 0).then(|| format!("and {more} more").into()))
    }
}

/// The text of a value as a number within f64; its fault names the key.
pub fn number(key: &str, text: &str, meaning: &str) -> Result<f64, Fault> {
    serde_json::from_str::<f64>(text).ok().filter(|number| number.is_finite()).ok_or_else(|| {
        bad(format!("{key} must be a number within the range of f64 ({meaning}), found {}", shown(text)))
    })
}

pub fn numbers<const N: usize>(key: &str, text: &str, meaning: &str) -> Result<[f64; N], Fault> {
    let wrong = || bad(format!("{key} must be a list of {N} numbers ({meaning}), found {}", shown(text)));
    let mut values = [0.0; N];
    let mut count = 0;
    let mut is_wrong = !text.starts_with('[');
    each_item(key, text, |item| {
        match (count < N).then(|| number(key, item, meaning)) {
            Some(Ok(value)) => values[count] = value,
            _ => is_wrong = true,
        }
        count += 1;
        Ok(())
    })
    .map_err(|fault| if is_wrong { wrong() } else { fault })?;
    if is_wrong || count != N { Err(wrong()) } else { Ok(values) }
}

pub fn string<'a>(key: &str, text: &'a str) -> Result<Cow<'a, str>, Fault> {
    serde_json::from_str::<Text<'a>>(text)
        .map(|text| text.0)
        .map_err(|_| bad(format!("{key} must be a text without lone surrogates, found {}", shown(text))))
}

pub fn boolean(key: &str, text: &str) -> Result<bool, Fault> {
    serde_json::from_str(text).map_err(|_| bad(format!("{key} must be true or false, found {}", shown(text))))
}

/// The text of a value as an integer from 0 to `most`.
pub fn integer(key: &str, text: &str, most: u64) -> Result<u64, Fault> {
    serde_json::from_str::<u64>(text)
        .ok()
        .filter(|value| *value <= most && text.bytes().all(|b| b.is_ascii_digit()))
        .ok_or_else(|| bad(format!("{key} must be an integer from 0 to {most}, found {}", shown(text))))
}

/// Calls `take` with the text of each item of a list.
pub fn each_item<'a>(
    key: &str,
    text: &'a str,
    mut take: impl FnMut(&'a str) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut fault = None;
    let mut count = 0;
    let mut take = |item: &'a str| {
        count += 1;
        let taken = if count > limits::MAX_ACTIONS { Err(too_many(key)) } else { take(item) };
        taken.map_err(|f| fault = Some(f)).is_ok()
    };
    let mut is_going_on = true;
    // Looked through as a whole first, so that no item is taken twice.
    let read = match scan::each_item(text, |_| {}) {
        Some(()) => {
            scan::each_item(text, |item| is_going_on = is_going_on && take(item));
            Ok(())
        }
        None => serde_json::Deserializer::from_str(text).deserialize_seq(ItemsVisitor(take)),
    };
    match (fault, read) {
        (Some(fault), _) => Err(fault),
        (None, Err(_)) => Err(bad(format!("{key} must be a list, found {}", shown(text)))),
        (None, Ok(())) => Ok(()),
    }
}

fn too_many(key: &str) -> Fault {
    let most = limits::MAX_ACTIONS;
    Fault::new(Code::TooLarge, format!("{key} holds more than {most} items; send fewer at a time"))
}

/// Calls `take` with each key of an object and the text of its value.
pub fn each_entry<'a>(
    key: &str,
    text: &'a str,
    mut take: impl FnMut(Cow<'a, str>, &'a str) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut fault = None;
    let mut json = serde_json::Deserializer::from_str(text);
    let mut count = 0;
    let read = json.deserialize_map(EntriesVisitor(|name: Cow<'a, str>, value: &'a str| {
        count += 1;
        let taken = if count > limits::MAX_ACTIONS { Err(too_many(key)) } else { take(name, value) };
        taken.map_err(|f| fault = Some(f)).is_ok()
    }));
    match (fault, read) {
        (Some(fault), _) => Err(fault),
        (None, Err(_)) => Err(bad(format!("{key} must be an object, found {}", shown(text)))),
        (None, Ok(())) => Ok(()),
    }
}

pub fn bad(message: impl Into<String>) -> Fault {
    Fault::new(Code::BadRequest, message)
}

/// A text that is borrowed where it holds no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> de::Deserialize<'de> for Text<'de> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor).map(Text)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

struct FieldsVisitor<K> {
    known: K,
}

impl<'de, K: Iterator<Item = &'static str> + Clone> Visitor<'de> for FieldsVisitor<K> {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some((name, value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
            fields.take(name.0, value.get(), self.known.clone());
        }
        Ok(fields)
    }
}

impl<'a> Fields<'a> {
    fn take(&mut self, name: Cow<'a, str>, text: &'a str, mut known: impl Iterator<Item = &'static str>) {
        match known.find(|key| *key == name) {
            Some(key) => self.keep(key, text),
            None => self.count_unknown(name),
        }
    }

    fn count_unknown(&mut self, name: Cow<'a, str>) {
        self.unknown_count += 1;
        if self.unknown.len() < MOST_UNKNOWN_KEPT {
            self.unknown.push(name.into_owned());
        }
    }

    fn keep(&mut self, key: &'static str, text: &'a str) {
        match self.known.iter_mut().find(|f| f.key == key) {
            Some(field) => field.is_repeated = true,
            None => self.known.push(Field { key, text, is_repeated: false }),
        }
    }
}

struct ItemsVisitor<F>(F);

impl<'de, F: FnMut(&'de str) -> bool> Visitor<'de> for ItemsVisitor<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<&'de RawValue>()? {
            if !(self.0)(item.get()) {
                return Err(de::Error::custom("an item was refused"));
            }
        }
        Ok(())
    }
}

struct EntriesVisitor<F>(F);

impl<'de, F: FnMut(Cow<'de, str>, &'de str) -> bool> Visitor<'de> for EntriesVisitor<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
            if !(self.0)(name.0, value.get()) {
                return Err(de::Error::custom("an entry was refused"));
            }
        }
        Ok(())
    }
}
