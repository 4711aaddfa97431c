//! Whole steps, bytes to bytes, as a peer answers them: read, handled, written.

use super::times::{Times, for_rounds, timed};
use saccade::protocol::{Answer, Command, EpisodeAnswer, Fault, Reply, Request, RequestId, Reset};
use saccade::session::Session;
use saccade::wire::{read_request, write_frame};
use saccade::world::{AgentKind, AgentSpec, WorldFile};

/// Every agent turns to and fro within so many degrees.
pub const WITHIN_DEG: f64 = 2.0;

/// To so many directions before it sees the first one again: a view that the CPU has just had takes less time than a new one.
const DIRECTIONS: u32 = 499;

/// Of steps with one kind of reply.
#[derive(Debug, Default)]
pub struct StepTimes {
    pub whole: Times,
    pub reading: Times,
    pub writing: Times,
    pub reply_bytes: usize,
}

/// Which episode it plays, if the world has any.
pub fn reset(session: &mut Session, reset: Reset) -> Result<Option<EpisodeAnswer>, Fault> {
    match ask(session, Command::Reset(reset)).outcome? {
        Answer::Reset(_, episode) => Ok(episode),
        other => unreachable!("a reset is not answered by {other:?}"),
    }
}

pub fn time_steps(session: &mut Session, bodies: &[String], seconds: f64) -> StepTimes {
    let mut times = StepTimes::default();
    for_rounds(seconds, |number| {
        let mut frame = Vec::new();
        let body = bodies[number % bodies.len()].as_bytes();
        let (reading, read_us) = timed(|| read_request(body));
        let command = reading.command.expect("our own request can be read");
        let (reply, handled_us) = timed(|| ask(session, command));
        let ((), written_us) = timed(|| write_frame(&reply, &mut frame, &mut || true).expect("nobody says no"));
        session.reuse(reply);
        times.whole.add(read_us + handled_us + written_us);
        times.reading.add(read_us);
        times.writing.add(written_us);
        times.reply_bytes = frame.len();
    });
    times
}

fn ask(session: &mut Session, command: Command) -> Reply {
    let id = RequestId::from_digits("0").expect("0 is an id");
    let reply = session.handle(Request { id, command }, &mut || true).expect("nobody says no");
    // Notes of the thousandth step say nothing that those of the first did not.
    session.take_notes();
    reply
}

/// A step to each direction, and the last one back to the first.
pub fn requests(world: &WorldFile) -> Vec<String> {
    // Multiples of the golden section are spread evenly, in no order.
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let direction = |number: u32| WITHIN_DEG * (f64::from(number % DIRECTIONS) * GOLDEN).fract();
    let request = |number: u32| {
        let angle_deg = direction(number + 1) - direction(number);
        let actions: Vec<String> = world.agents.iter().filter_map(|agent| turn(agent, angle_deg)).collect();
        format!(r#"{{"id": 0, "command": "step", "actions": [{}]}}"#, actions.join(", "))
    };
    (0..DIRECTIONS).map(request).collect()
}

/// `None` for an agent that cannot act.
fn turn(agent: &AgentSpec, angle_deg: f64) -> Option<String> {
    let action = match agent.kind {
        AgentKind::Noop => return None,
        AgentKind::Distant | AgentKind::Free => r#""turn_left""#,
        AgentKind::Surface => r#""orient_horizontal", "left_distance": 0.0, "forward_distance": 0.0"#,
    };
    let id = quoted(agent.id.as_str());
    Some(format!(r#"{{"action": {action}, "agent_id": {id}, "rotation_degrees": {angle_deg:?}}}"#))
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c < ' ' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use saccade::assets::Nowhere;
    use saccade::world::file;

    #[test]
    fn agents_end_where_they_began_and_are_nowhere_twice_before() {
        let world = file::parse("[[agents]]\nid = \"a\"\nkind = \"free\"\n", &Nowhere).unwrap();
        let mut directions = vec![0.0];
        for body in requests(&world) {
            let (_, angle) = body.split_once("degrees\": ").unwrap();
            let (angle, _) = angle.split_once('}').unwrap();
            directions.push(directions[directions.len() - 1] + angle.parse::<f64>().unwrap());
        }
        assert!(directions.pop().unwrap().abs() < 1e-9);
        assert!(directions.iter().all(|direction| (-1e-9..WITHIN_DEG).contains(direction)), "{directions:?}");
        directions.sort_by(f64::total_cmp);
        assert!(directions.windows(2).all(|two| two[1] - two[0] > 1e-4), "{directions:?}");
    }

    #[test]
    fn every_agent_that_can_act_turns_whatever_its_name_is() {
        let agent = |id: &str, kind: &str| format!("[[agents]]\nid = {id}\nkind = \"{kind}\"\n");
        let agents = [agent(r#""a\"\\\u0001ß""#, "distant"), agent("'s'", "surface"), agent("'n'", "noop")];
        let world = file::parse(&agents.concat(), &Nowhere).unwrap();
        for body in requests(&world) {
            let Command::Step(step) = read_request(body.as_bytes()).command.unwrap() else { panic!("{body}") };
            let ids: Vec<&str> = step.actions.iter().map(|action| action.agent_id.as_str()).collect();
            assert_eq!(ids, ["a\"\\\u{1}ß", "s"]);
        }
    }
}
