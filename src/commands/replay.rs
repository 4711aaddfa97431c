//! `saccade replay`: a recorded request stream played again, its replies written or compared.

use super::{Done, EXIT_FAILED, EXIT_USAGE, fail, open_connection};
use crate::cli::ReplayArgs;
use saccade::door::{End, Results, Unwatched, open_capture, pump, read_file};
use saccade::wire::{Frame, FrameReader, HEADER_BYTES};

pub fn replay(args: &ReplayArgs, is_verbose: bool) -> Done {
    let mut connection = open_connection(&args.world, args.max_frame)?;
    let mut capture = open_capture(&args.capture).map_err(|problem| fail(EXIT_USAGE, [problem]))?;
    let Some(path) = &args.expect else {
        let mut results = Unwatched(Results::open());
        let end = pump(&mut connection, &mut capture, &mut results, None, is_verbose)?;
        results.0.finish()?;
        return check_end(end, args);
    };
    let expected = read_file(path).map_err(|problem| fail(EXIT_USAGE, [problem]))?;
    let mut replies = Unwatched(Vec::new());
    let end = pump(&mut connection, &mut capture, &mut replies, None, is_verbose)?;
    if let Some(difference) = first_difference(&expected, &replies.0) {
        let hint = "is it played on the world and with the options that it was recorded with?";
        let message = format!("{}: {difference}; {hint}", path.display());
        return Err(fail(EXIT_FAILED, [message].into_iter().chain(cut(end, args))));
    }
    check_end(end, args)?;
    let mut results = Results::open();
    results.line(&format!("{} replies, {} bytes, all equal", frames(&expected).len(), expected.len()))?;
    Ok(results.finish()?)
}

fn check_end(end: End, args: &ReplayArgs) -> Done {
    cut(end, args).map_or(Ok(()), |message| Err(fail(EXIT_FAILED, [message])))
}

/// What is wrong with the capture's end.
fn cut(end: End, args: &ReplayArgs) -> Option<String> {
    let message = || {
        let hint = "it was cut off, or is none that `port --record` wrote; all requests before that are played";
        format!("{}: the capture ends inside a frame: {hint}", args.capture.display())
    };
    (end == End::CutFrame).then(message)
}

/// The bodies of a reply stream; a cut one at the end counts as it is.
fn frames(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = FrameReader::new(u32::MAX);
    reader.receive(stream);
    let mut bodies = Vec::new();
    let mut read = 0;
    while let Some(Frame::Body(body)) = reader.next_frame() {
        read += HEADER_BYTES + body.len();
        bodies.push(body.to_vec());
    }
    let rest = &stream[read..];
    if !rest.is_empty() {
        bodies.push(rest.get(HEADER_BYTES..).unwrap_or(rest).to_vec());
    }
    bodies
}

/// Where two reply streams part, in words; `None` if they are equal to the byte.
fn first_difference(expected: &[u8], found: &[u8]) -> Option<String> {
    if expected == found {
        return None;
    }
    let (expected, found) = (frames(expected), frames(found));
    let same = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let (a, b) = (expected.get(same), found.get(same));
    if a.is_none() && b.is_none() {
        return Some(format!("the bytes differ behind the last of {same} equal replies"));
    }
    let at = match (a, b) {
        (Some(a), Some(b)) => a.iter().zip(b).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    let number = same + 1;
    Some(format!("reply {number} differs at byte {at}: expected {}, found {}", around(a, at), around(b, at)))
}

/// The text around a byte.
fn around(body: Option<&Vec<u8>>, at: usize) -> String {
    const BEFORE: usize = 40;
    const AFTER: usize = 40;
    let Some(body) = body else { return "no more replies".to_owned() };
    let (from, to) = (at.saturating_sub(BEFORE), (at + AFTER).min(body.len()));
    let (start, end) = (if from > 0 { "…" } else { "" }, if to < body.len() { "…" } else { "" });
    format!("{start}{}{end}", String::from_utf8_lossy(&body[from..to]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let stream = |bodies: &[&str]| -> Vec<u8> {
            bodies.iter().flat_map(|b| [&(b.len() as u32).to_be_bytes()[..], b.as_bytes()].concat()).collect()
        };
        let expected = stream(&["{\"id\":1}", "{\"id\":2}"]);
        assert_eq!(first_difference(&expected, &expected), None);
        let other = first_difference(&expected, &stream(&["{\"id\":1}", "{\"id\":3}"])).expect("they differ");
        assert_eq!(other, "reply 2 differs at byte 6: expected {\"id\":2}, found {\"id\":3}");
        let short = first_difference(&expected, &stream(&["{\"id\":1}"])).expect("they differ");
        assert_eq!(short, "reply 2 differs at byte 0: expected {\"id\":2}, found no more replies");
    }
}
