//! `saccade demo`: recorded episodes on the default world, one readable line a step.

use super::picture::{SensorPictures, contact_sheet, to_png};
use super::steps::{Placed, recorded};
use super::{Done, EXIT_FAILED, fail, open_world};
use crate::cli::{Opening, WorldArgs};
use saccade::door::{Results, complain, temporary_folder, write_file};
use saccade::protocol::{
    Answer, Command, EpisodeAnswer, Modality, Motion, Reply, Request, RequestId, SensorObservation, Step, StepAnswer,
    Value, limits,
};
use saccade::session::Session;
use saccade::world::MissDepth;

/// Recorded by `saccade port --record` from `tests/make_demo.py`.
const CAPTURE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/captures/demo.req.bin"));
const CAPTURE_NAME: &str = "captures/demo.req.bin";
const WORLD: &str = "default";

pub fn demo() -> Done {
    let (session, world) = open_world(&world_args(), limits::MAX_FRAME_BYTES)?;
    let miss_depth = world.compat.miss_depth;
    let results = Results::open();
    let mut demo = Demo { session, miss_depth, results, tick: 0, episode: String::new(), last: None };
    demo.results.line(&format!("the world {WORLD}, driven by the recorded requests {CAPTURE_NAME} (metres, world)"))?;
    for Placed { command, .. } in recorded(CAPTURE_NAME, CAPTURE, false) {
        demo.play(command)?;
    }
    Ok(demo.results.finish()?)
}

fn world_args() -> WorldArgs {
    WorldArgs { world: WORLD.into(), opening: Opening::default(), modalities: None, encoding: None, extras: None }
}

struct Demo {
    session: Session,
    miss_depth: MissDepth,
    results: Results,
    tick: u64,
    episode: String,
    /// What was seen last.
    last: Option<StepAnswer>,
}

impl Demo {
    fn play(&mut self, command: Command) -> Done {
        let action = action_text(&command);
        let id = RequestId::from_digits("0").expect("0 is an id");
        let Reply { outcome, .. } = self.session.handle(Request { id, command }, &mut || true).expect("nobody says no");
        match outcome {
            Ok(Answer::Reset(answer, episode)) => {
                self.tick = 0;
                self.episode = episode.as_ref().map_or(action, episode_text);
                self.see(&self.episode.clone(), answer)
            }
            Ok(Answer::Step(answer)) => {
                self.tick += 1;
                self.see(&action, answer)
            }
            Ok(Answer::Digest(digest)) => self.end(digest),
            Ok(_) => Ok(()),
            Err(fault) => Err(fail(EXIT_FAILED, [format!("{CAPTURE_NAME}: {action}: {}", fault.message)])),
        }
    }

    fn see(&mut self, action: &str, answer: StepAnswer) -> Done {
        self.results.line(&format!("tick {:>3}  {action:<21} {}", self.tick, step_text(&answer)))?;
        self.last = Some(answer);
        Ok(())
    }

    /// The picture of the last step, and the digest.
    fn end(&mut self, digest: u64) -> Done {
        if let Some(answer) = &self.last {
            let title = format!("{WORLD}  {}  step {}", self.episode, self.tick);
            let sheet = contact_sheet(&title, &SensorPictures::of_step(answer, self.miss_depth));
            match write_picture(&to_png(&sheet)) {
                Ok(path) => self.results.line(&format!("what the sensors saw last: {path}"))?,
                Err(problem) => complain(&format!("warning: {problem}; set TMPDIR to a folder that takes files")),
            }
        }
        Ok(self.results.line(&format!("digest {digest:016x}: the same on every run and machine"))?)
    }
}

/// Into the system's temporary folder, always under the same name: the demo prints the same bytes every time.
fn write_picture(png: &[u8]) -> Result<String, String> {
    let path = temporary_folder().join("saccade-demo.png");
    write_file(&path, png)?;
    Ok(path.display().to_string())
}

fn step_text(answer: &StepAnswer) -> String {
    let agent = answer.proprioceptive_state.first().map_or([0.0; 3], |agent| agent.position_m);
    let sensor = answer.observations.first().and_then(|agent| agent.sensors.first());
    format!("agent at {}{}", point_text(&agent), sensor.map_or_else(String::new, sensor_text))
}

fn sensor_text(sensor: &SensorObservation) -> String {
    let value = |modality| sensor.values.iter().find(|(m, _)| *m == modality).map(|(_, value)| value);
    let on_object = match value(Modality::OnObject) {
        Some(Value::Flag(true)) => " on object",
        Some(Value::Flag(false)) => " off object",
        _ => "",
    };
    let location = match value(Modality::Location) {
        Some(Value::Numbers(point)) => format!(" at {}", point_text(point)),
        _ => String::new(),
    };
    format!("  {}{on_object:<11}{location}", sensor.sensor_id)
}

fn point_text(point: &[f64]) -> String {
    let numbers: Vec<String> = point.iter().map(|c| format!("{c:>7.4}")).collect();
    format!("({})", numbers.join(", "))
}

fn episode_text(episode: &EpisodeAnswer) -> String {
    format!("episode {}: {}", episode.index, episode.primary_target.object)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn value(answer: &StepAnswer, sensor: usize, wanted: Modality) -> &Value {
        let values = &answer.observations[0].sensors[sensor].values;
        values.iter().find_map(|(modality, value)| (*modality == wanted).then_some(value)).unwrap()
    }

    /// What each step showed, one list for each reset with the object that it placed.
    fn episodes() -> Vec<(String, Vec<StepAnswer>)> {
        let (mut session, _) = open_world(&world_args(), limits::MAX_FRAME_BYTES).unwrap();
        let mut episodes = Vec::new();
        for Placed { command, .. } in recorded(CAPTURE_NAME, CAPTURE, false) {
            let id = RequestId::from_digits("0").unwrap();
            match session.handle(Request { id, command }, &mut || true).unwrap().outcome.unwrap() {
                Answer::Reset(answer, Some(episode)) => episodes.push((episode.primary_target.object, vec![answer])),
                Answer::Step(answer) => episodes.last_mut().unwrap().1.push(answer),
                _ => {}
            }
        }
        episodes
    }

    /// Whether the patch is on the object, step by step.
    fn turns(answers: &[StepAnswer]) -> Vec<bool> {
        answers.iter().map(|answer| *value(answer, 0, Modality::OnObject) == Value::Flag(true)).collect()
    }

    #[test]
    fn the_patch_leaves_the_cube_and_comes_back_and_the_mug_twice() {
        let episodes = episodes();
        let [(cube, on_cube), (mug, on_mug)] = &episodes[..] else { panic!("{} episodes", episodes.len()) };
        assert_eq!((cube.as_str(), mug.as_str()), ("cubeSolid", "demo_mug"));
        assert_eq!(turns(on_cube), [true, false, true, true, true, true]);
        let mut turns = turns(on_mug);
        turns.dedup();
        assert!(turns.starts_with(&[true, false, true, false, true]), "{turns:?}");
    }

    #[test]
    fn the_last_picture_shows_the_mug_with_its_texture() {
        let episodes = episodes();
        let last = episodes.last().and_then(|(_, answers)| answers.last()).unwrap();
        let Value::Rgba(image) = value(last, 1, Modality::Rgba) else { panic!("the view finder has colours") };
        let pixels: Vec<[u32; 4]> = image.pixels.iter().map(|pixel| pixel.map(u32::from)).collect();
        let count = |is_right: fn(&[u32; 4]) -> bool| pixels.iter().filter(|pixel| is_right(pixel)).count();
        let blue = count(|[red, _, blue, _]| *blue > 2 * *red && *blue > 60);
        let orange = count(|[red, green, blue, _]| *red > 120 && *green > 2 * *blue && *red > *green);
        let letter = count(|[red, green, blue, _]| *red > 150 && *green > 130 && (70..200).contains(blue));
        assert!(blue > 200 && orange > 80 && letter > 30, "{blue} blue, {orange} orange, {letter} of the letter");
    }
}
