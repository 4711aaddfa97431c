//! `saccade demo`: a recorded episode on the default world, one readable line a step.

use super::{Done, open_session};
use crate::cli::WorldArgs;
use saccade::door::Results;
use saccade::protocol::{Answer, Command, Motion, Reply, Request, Step, StepAnswer, Value, limits};
use saccade::session::Session;
use saccade::wire::{Frame, FrameReader, read_request};

/// Recorded by `saccade port --record` from `tests/make_demo.py`.
const CAPTURE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/captures/demo.req.bin"));

pub fn demo() -> Done {
    let args = WorldArgs { world: "default".into(), seed: None, modalities: None, encoding: None, extras: None };
    let mut session = open_session(&args, limits::MAX_FRAME_BYTES)?;
    let mut results = Results::open();
    results.line("the world default, driven by the recorded requests captures/demo.req.bin (metres, world frame)")?;
    let mut frames = FrameReader::new(limits::MAX_FRAME_BYTES);
    frames.receive(CAPTURE);
    let mut tick = 0;
    while let Some(Frame::Body(body)) = frames.next_frame() {
        let reading = read_request(body);
        let id = reading.id.expect("the capture's requests have ids");
        let command = reading.command.expect("the capture's requests are right");
        tick = if matches!(command, Command::Step(_)) { tick + 1 } else { tick };
        let text = action_text(&command);
        let reply = handle(&mut session, Request { id, command });
        results.line(&line(tick, &text, &reply))?;
    }
    Ok(results.finish()?)
}

fn handle(session: &mut Session, request: Request) -> Reply {
    session.handle(request, &mut || true).expect("nobody says no")
}

fn line(tick: u64, action: &str, reply: &Reply) -> String {
    match &reply.outcome {
        Ok(Answer::Reset(answer) | Answer::Step(answer)) => {
            format!("tick {tick:>3}  {action:<28} {}", step_text(answer))
        }
        Ok(Answer::Digest(digest)) => format!("digest {digest:016x}: the same on every run and machine"),
        other => format!("{action}: {other:?}"),
    }
}

fn step_text(answer: &StepAnswer) -> String {
    let agent = answer.proprioceptive_state.first().map_or([0.0; 3], |agent| agent.position_m);
    let sensor = answer.observations.first().and_then(|agent| agent.sensors.first());
    let point = sensor.and_then(|sensor| sensor.values.first()).map(|(_, Value::Numbers(point))| point);
    let seen = point.map_or_else(String::new, |point| format!("  patch sees {}", point_text(point)));
    format!("agent at {}{seen}", point_text(&agent))
}

fn point_text(point: &[f64]) -> String {
    let numbers: Vec<String> = point.iter().map(|c| format!("{c:>8.4}")).collect();
    format!("({})", numbers.join(","))
}

fn action_text(command: &Command) -> String {
    let Command::Step(Step { actions }) = command else { return command.name().word().to_owned() };
    let texts: Vec<String> = actions.iter().map(|action| motion_text(&action.motion)).collect();
    if texts.is_empty() { "look".into() } else { texts.join(", ") }
}

fn motion_text(motion: &Motion) -> String {
    let amount = match motion {
        Motion::MoveForward { distance_m } => format!(" {:.0} mm", distance_m * 1000.0),
        Motion::TurnLeft { angle_deg } | Motion::TurnRight { angle_deg } => format!(" {angle_deg}°"),
        Motion::LookUp { angle_deg, .. } | Motion::LookDown { angle_deg, .. } => format!(" {angle_deg}°"),
        _ => String::new(),
    };
    format!("{}{amount}", motion.name().word())
}
