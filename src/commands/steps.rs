//! A file of steps: a recorded request stream, or one JSON action or list of actions a line, as Monty's
//! PredefinedPolicy reads them.

use std::path::Path;

use super::{EXIT_USAGE, Failure, fail};
use saccade::door::{complain, print_note, read_file};
use saccade::protocol::{Code, Command, Fault, limits};
use saccade::wire::{Frame, FrameReader, read_request};

/// Requests in their order.
#[derive(Debug)]
pub struct Steps {
    pub requests: Vec<Placed>,
    /// A recording has its own resets, and what failed in it failed when it was recorded, too.
    pub is_recording: bool,
}

/// A request, and where it stands in the file.
#[derive(Debug)]
pub struct Placed {
    pub place: String,
    pub command: Command,
}

pub fn read_steps(path: &Path, is_verbose: bool) -> Result<Steps, Failure> {
    let wrong = |problem| fail(EXIT_USAGE, [problem]);
    let bytes = read_file(path).map_err(wrong)?;
    let name = path.display().to_string();
    if is_recording(&bytes) {
        return Ok(Steps { requests: recorded(&name, &bytes, is_verbose), is_recording: true });
    }
    let requests = written(&name, &bytes, is_verbose).map_err(wrong)?;
    Ok(Steps { requests, is_recording: false })
}

/// A stream begins with a length of at most 64 MiB, so with a byte of at most 4, and no text does.
fn is_recording(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| u32::from(*first) <= limits::MAX_FRAME_BYTES >> 24)
}

/// The requests of a stream. What could not be read was answered with an error and did nothing.
pub fn recorded(name: &str, stream: &[u8], is_verbose: bool) -> Vec<Placed> {
    let mut reader = FrameReader::new(limits::MAX_FRAME_BYTES);
    reader.receive(stream);
    let mut requests = Vec::new();
    let mut number = 0;
    while let Some(frame) = reader.next_frame() {
        number += 1;
        let place = format!("{name}: request {number}");
        let read = match frame {
            Frame::Body(body) => request(&place, body, is_verbose).map_err(|fault| fault.message),
            Frame::TooLong { announced } => Err(format!("its {announced} bytes are over the limit")),
        };
        match read {
            Ok(command) => requests.push(Placed { place, command }),
            Err(problem) => complain(&format!("warning: {place}: {problem}")),
        }
    }
    if reader.is_inside_frame() {
        complain(&format!("warning: {name}: the recording ends inside a request"));
    }
    requests
}

fn request(place: &str, body: &[u8], is_verbose: bool) -> Result<Command, Fault> {
    let reading = read_request(body);
    for mut note in reading.notes {
        note.text = format!("{place}: {}", note.text);
        print_note(&note, is_verbose);
    }
    reading.command
}

/// The steps of a text, a line each; empty lines are passed over.
fn written(name: &str, bytes: &[u8], is_verbose: bool) -> Result<Vec<Placed>, String> {
    let mut steps = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let place = format!("{name}:{number}");
        let line =
            std::str::from_utf8(line).map_err(|_| format!("{place}: the line is not UTF-8; save it as UTF-8"))?;
        if !line.trim().is_empty() {
            let command = step(&place, line.trim(), is_verbose).map_err(|problem| format!("{place}: {problem}"))?;
            steps.push(Placed { place, command });
        }
    }
    Ok(steps)
}

fn step(place: &str, line: &str, is_verbose: bool) -> Result<Command, String> {
    let (open, close) = if line.starts_with('[') { ("", "") } else { ("[", "]") };
    let before = format!(r#"{{"id": 0, "command": "step", "actions": {open}"#);
    let body = format!("{before}{line}{close}}}");
    request(place, body.as_bytes(), is_verbose).map_err(|fault| match fault.code {
        Code::BadJson => not_json(&fault, before.len()),
        _ => in_line(&fault),
    })
}

/// What stands around the line in a request says nothing to somebody who reads the line.
pub fn in_line(fault: &Fault) -> String {
    let message = fault.message.as_str();
    message.strip_prefix("step: ").unwrap_or(message).to_owned()
}

/// The wire counts columns from the beginning of the request.
fn not_json(fault: &Fault, before: usize) -> String {
    let message = fault.message.trim_start_matches("the body is not a request: ");
    let (what, column) = message.split_once(" at line 1 column ").unwrap_or((message, ""));
    let column = column.parse::<usize>().map_or(1, |column| column.saturating_sub(before).max(1));
    format!("not JSON from column {column} on: {what}; each line is one JSON action, or a list of them for one step")
}

#[cfg(test)]
mod tests {
    use super::*;
    use saccade::protocol::Step;

    const FORWARD: &str = r#"{"action": "move_forward", "agent_id": "a", "distance": 0.01}"#;

    fn action_counts(text: &str) -> Result<Vec<usize>, String> {
        let counts = written("f", text.as_bytes(), false)?.into_iter().map(|placed| match placed.command {
            Command::Step(Step { actions }) => actions.len(),
            other => panic!("{other:?}"),
        });
        Ok(counts.collect())
    }

    #[test]
    fn a_line_is_a_step_of_one_action_or_of_a_list() {
        let text = format!("{FORWARD}\r\n\n[{FORWARD}, {FORWARD}]\n[]\n");
        assert_eq!(action_counts(&text), Ok(vec![1, 2, 0]));
        assert_eq!(action_counts(""), Ok(Vec::new()));
    }

    #[test]
    fn a_bad_line_is_named() {
        let of_line_2 = |line: &str| action_counts(&format!("{FORWARD}\n{line}")).unwrap_err();
        let hint = "each line is one JSON action, or a list of them for one step";
        assert_eq!(of_line_2("{nonsense"), format!("f:2: not JSON from column 2 on: key must be a string; {hint}"));
        let column = |line: &str| of_line_2(line).split(" on: ").next().map(str::to_owned);
        assert_eq!(column("hello"), Some("f:2: not JSON from column 1".into()));
        assert_eq!(column("[{}, {]"), Some("f:2: not JSON from column 7".into()));
        assert_eq!(column("{}, "), Some("f:2: not JSON from column 4".into()));
        assert!(of_line_2(r#"{"action": "fly"}"#).starts_with("f:2: action 0: the action is not known: fly"));
        assert!(of_line_2(r#"{"action": "move_forward", "agent_id": "a"}"#).contains("distance"));
        assert!(written("f", b"\n\xff\n", false).unwrap_err().starts_with("f:2: the line is not UTF-8"));
    }

    #[test]
    fn a_stream_is_told_from_a_text() {
        assert!(is_recording(b"\0\0\0\x02{}"));
        assert!(!is_recording(b"{}"));
        assert!(!is_recording(b""));
    }
}
