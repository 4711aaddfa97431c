//! Requests out of frames: every rule of the envelope, then each command's own keys.

use std::borrow::Cow;
use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::action::read_action;
use super::fields::{Fields, bad, boolean, each_entry, each_item, integer, number, numbers, string};
use super::procedure::read_run_procedure;
use crate::protocol::{
    AddObject, Code, Command, CommandName, Encoding, Extra, Extras, Fault, Modalities, ModalityChoice, Note, RequestId,
    Reset, RunProcedure, SemanticId, SensorId, Step, limits, listed, shown, suggestion,
};

const ID: &str = "id";
const COMMAND: &str = "command";

/// What a frame's body held: the id as far as it could be read, and the command or what is wrong with it.
#[derive(Debug)]
pub struct Reading {
    pub id: Option<RequestId>,
    pub command: Result<Command, Fault>,
    /// Unknown keys, by name.
    pub notes: Vec<Note>,
}

pub fn read_request(body: &[u8]) -> Reading {
    let fields = match read_object(body) {
        Ok(fields) => fields,
        Err(fault) => return Reading { id: None, command: Err(fault), notes: Vec::new() },
    };
    let mut notes = Vec::new();
    match read_id(&fields) {
        Err(fault) => Reading { id: None, command: Err(fault), notes },
        Ok(id) => {
            let command = check_nesting(body).and_then(|()| read_command(&fields, &mut notes));
            Reading { id: Some(id), command, notes }
        }
    }
}

fn read_object(body: &[u8]) -> Result<Fields<'_>, Fault> {
    let not_json = |why: String| Fault::new(Code::BadJson, format!("the body is not a request: {why}"));
    let text =
        std::str::from_utf8(body).map_err(|e| not_json(format!("it is not UTF-8 from byte {} on", e.valid_up_to())))?;
    if text.starts_with('\u{feff}') {
        return Err(not_json("it begins with a byte order mark; send plain UTF-8".into()));
    }
    Fields::read(text, every_key()).map_err(|e| not_json(e.to_string()))
}

/// All keys that any command knows: the command may stand behind its keys.
fn every_key() -> impl Iterator<Item = &'static str> + Clone {
    let of_commands = CommandName::ALL.iter().flat_map(|c| c.keys());
    [ID, COMMAND].into_iter().chain(of_commands.copied())
}

fn read_id(fields: &Fields) -> Result<RequestId, Fault> {
    let bad_id = |why: String| Fault::new(Code::BadId, why);
    let text = fields
        .text(ID)
        .map_err(|fault| bad_id(fault.message))?
        .ok_or_else(|| bad_id("the key id is missing; give each request a non-negative integer".into()))?;
    RequestId::from_digits(text)
        .ok_or_else(|| bad_id(format!("the id must be a non-negative integer, found {}", shown(text))))
}

/// Brackets that are open at once, those inside texts not counted.
fn check_nesting(body: &[u8]) -> Result<(), Fault> {
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth -= 1,
            _ => {}
        }
        if depth > limits::MAX_NESTING {
            let most = limits::MAX_NESTING;
            return Err(Fault::new(Code::BadJson, format!("the body is nested deeper than {most} brackets")));
        }
    }
    Ok(())
}

fn read_command(fields: &Fields, notes: &mut Vec<Note>) -> Result<Command, Fault> {
    let name = read_name(fields)?;
    for key in fields.others(name.keys()).filter(|k| k != ID && k != COMMAND) {
        note(notes, unknown_key(name.word(), &key));
    }
    let command = match name {
        CommandName::Reset => read_reset(fields).map(Command::Reset),
        CommandName::Step => read_step(fields, notes).map(Command::Step),
        CommandName::Describe => read_describe(fields),
        CommandName::AddObject => read_add_object(fields).map(Command::AddObject),
        CommandName::Digest => Ok(Command::Digest),
        CommandName::RemoveAllObjects => Ok(Command::RemoveAllObjects),
        CommandName::RunProcedure => read_procedure(fields, notes).map(Command::RunProcedure),
        CommandName::Close => Ok(Command::Close),
    };
    command.map_err(|fault| fault.at(name.word()))
}

fn read_name(fields: &Fields) -> Result<CommandName, Fault> {
    let known = || CommandName::ALL.iter().map(|c| c.word());
    let unknown =
        |why: String| Fault::new(Code::UnknownCommand, format!("{why}; the commands are {}", listed(known())));
    let text = fields.text(COMMAND)?.ok_or_else(|| unknown("the key command is missing".into()))?;
    let word = string(COMMAND, text).map_err(|f| unknown(f.message))?;
    CommandName::from_word(&word).ok_or_else(|| {
        let hint = suggestion(&word, known());
        let mut fault = unknown(format!("the command is not known: {}", shown(&word)));
        fault.message.push_str(&hint);
        fault
    })
}

/// Notes kept of one request: more of the same kind tell nothing.
const MOST_NOTES: usize = 100;

fn note(notes: &mut Vec<Note>, note: Note) {
    match notes.len() {
        count if count < MOST_NOTES => notes.push(note),
        MOST_NOTES => notes.push(Note::detail("there are more unknown keys in this request")),
        _ => {}
    }
}

fn unknown_key(place: &str, key: &str) -> Note {
    Note::detail(format!("{place}: the key is not known and passed over: {key}"))
}

fn read_reset(fields: &Fields) -> Result<Reset, Fault> {
    Ok(Reset {
        sensor_ids: optional(fields, "sensor_ids", read_sensor_ids)?,
        episode: optional(fields, "episode", |key, text| integer(key, text, limits::MAX_SEED))?,
        seed: optional(fields, "seed", |key, text| integer(key, text, limits::MAX_SEED))?,
        modalities: optional(fields, "modalities", read_modality_choice)?,
        encoding: optional(fields, "encoding", |key, text| {
            read_word(key, text, Encoding::from_word, Encoding::ALL.iter().map(|e| e.word()))
        })?,
        extras: optional(fields, "extras", read_extras)?,
    })
}

pub(super) fn optional<'a, T>(
    fields: &Fields<'a>,
    key: &'static str,
    read: impl FnOnce(&'static str, &'a str) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    fields.text_unless_null(key)?.map(|text| read(key, text)).transpose()
}

fn read_sensor_ids(key: &'static str, text: &str) -> Result<Vec<SensorId>, Fault> {
    let mut ids = Vec::new();
    each_item(key, text, |item| {
        ids.push(SensorId::from(&*string("a sensor id", item)?));
        Ok(())
    })?;
    Ok(ids)
}

fn read_modality_choice(key: &'static str, text: &str) -> Result<ModalityChoice, Fault> {
    if text.starts_with('{') {
        let mut by_sensor = BTreeMap::new();
        each_entry(key, text, |name, list| {
            match by_sensor.insert(SensorId::from(&*name), read_modalities(key, list)?) {
                Some(_) => Err(bad(format!("{key} names the sensor {} twice; give it once", shown(&name)))),
                None => Ok(()),
            }
        })?;
        return Ok(ModalityChoice::BySensor(by_sensor));
    }
    read_modalities(key, text).map(ModalityChoice::All)
}

fn read_modalities(key: &str, text: &str) -> Result<Modalities, Fault> {
    let mut chosen = Modalities::NONE;
    each_item(key, text, |item| {
        chosen = chosen.with(read_word("a modality", item, Modalities::from_word, Modalities::words())?);
        Ok(())
    })?;
    Ok(chosen)
}

fn read_extras(key: &'static str, text: &str) -> Result<Extras, Fault> {
    let mut chosen = Extras::default();
    each_item(key, text, |item| {
        chosen = chosen.with(read_word("an extra", item, Extra::from_word, Extra::ALL.iter().map(|e| e.word()))?);
        Ok(())
    })?;
    Ok(chosen)
}

pub(super) fn read_word<T>(
    what: &str,
    text: &str,
    from_word: fn(&str) -> Option<T>,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Result<T, Fault> {
    let word = string(what, text)?;
    from_word(&word).ok_or_else(|| {
        let hint = suggestion(&word, known.clone());
        bad(format!("{what} is not known: {}; it must be one of {}{hint}", shown(&word), listed(known)))
    })
}

fn read_step(fields: &Fields, notes: &mut Vec<Note>) -> Result<Step, Fault> {
    let text = fields.required("actions", "a list of actions, which may be empty")?;
    let mut actions = SmallVec::new();
    each_item("actions", text, |item| {
        let index = actions.len();
        let mut note_unknown = |key: &str| note(notes, unknown_key(&format!("action {index}"), key));
        actions.push(read_action(item, &mut note_unknown).map_err(|f| f.at(format_args!("action {index}")))?);
        Ok(())
    })?;
    Ok(Step { actions })
}

fn read_procedure(fields: &Fields, notes: &mut Vec<Note>) -> Result<RunProcedure, Fault> {
    read_run_procedure(fields, &mut |procedure, key| note(notes, unknown_key(procedure, key)))
}

fn read_describe(fields: &Fields) -> Result<Command, Fault> {
    let world = optional(fields, "world", boolean)?.unwrap_or(false);
    Ok(Command::Describe { world })
}

fn read_add_object(fields: &Fields) -> Result<AddObject, Fault> {
    let most = u64::from(SemanticId::MAX);
    Ok(AddObject {
        name: fields.string("name", "which object")?.into_owned(),
        position_m: optional(fields, "position", |k, t| numbers(k, t, "x, y, z in metres"))?.unwrap_or([0.0; 3]),
        rotation_wxyz: optional(fields, "rotation", |k, t| nonzero(k, numbers(k, t, "w, x, y, z of a quaternion")?))?
            .unwrap_or([1.0, 0.0, 0.0, 0.0]),
        scale: optional(fields, "scale", read_scale)?.unwrap_or([1.0; 3]),
        semantic_id: optional(fields, "semantic_id", |k, t| integer(k, t, most))?,
        primary_target_object: optional(fields, "primary_target_object", |k, t| integer(k, t, most))?,
        file: optional(fields, "file", |k, t| string(k, t).map(Cow::into_owned))?,
    })
}

fn read_scale(key: &'static str, text: &str) -> Result<[f64; 3], Fault> {
    let meaning = "a factor, or one for each of x, y, z";
    let scale = if text.starts_with('[') { numbers(key, text, meaning)? } else { [number(key, text, meaning)?; 3] };
    match scale.iter().all(|factor| *factor > 0.0) {
        true => Ok(scale),
        false => Err(bad(format!("{key} must be positive ({meaning}), found {}", shown(text)))),
    }
}

pub(super) fn nonzero(key: &str, wxyz: [f64; 4]) -> Result<[f64; 4], Fault> {
    match wxyz == [0.0; 4] {
        true => Err(bad(format!("{key} must not be the zero quaternion; no rotation is [1, 0, 0, 0]"))),
        false => Ok(wxyz),
    }
}
