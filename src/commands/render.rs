//! `saccade render`: pictures of what the sensors see.

use std::path::{Path, PathBuf};

use super::picture::{Canvas, Legend, SensorPictures, contact_sheet, file_stems, to_png};
use super::points::{Sensed, with_all_points};
use super::steps::{Placed, Steps, in_line, read_steps};
use super::strip::Strip;
use super::{Done, EXIT_FAILED, EXIT_USAGE, Failure, fail, open_changed_world};
use crate::cli::{RenderArgs, WorldArgs};
use saccade::door::{Results, complain, make_folder, print_note, write_file};
use saccade::protocol::{
    Answer, Command, EpisodeAnswer, Fault, Modalities, Modality, Request, RequestId, Reset, StepAnswer, limits,
};
use saccade::session::Session;
use saccade::world::MissDepth;

pub fn render(args: &RenderArgs, is_verbose: bool) -> Done {
    let mut player = Player::open(args, is_verbose)?;
    let steps = args.steps.as_deref().map(|path| read_steps(path, is_verbose)).transpose()?;
    player.play(args, steps)?;
    let place = args.steps.as_ref().map_or(args.world.clone(), |path| path.display().to_string());
    let Some(shot) = player.shot else {
        let message = format!("{place}: no reset of the recording succeeds, so there is nothing to see");
        return Err(fail(EXIT_FAILED, [message]));
    };
    let mut album = Album::open(&args.out)?;
    album.add_step(&shot, player.miss_depth)?;
    if let Some(strip) = player.strip {
        album.add("strip", &strip.page(), &strip.summary())?;
    }
    Ok(album.results.finish()?)
}

/// Plays requests and keeps what was seen last.
struct Player {
    session: Session,
    world_name: String,
    has_episodes: bool,
    miss_depth: MissDepth,
    is_verbose: bool,
    episode: String,
    shot: Option<Shot>,
    strip: Option<Strip>,
}

/// What was seen at one moment.
struct Shot {
    title: String,
    /// Steps since the reset.
    step: u64,
    answer: StepAnswer,
}

impl Player {
    fn open(args: &RenderArgs, is_verbose: bool) -> Result<Self, Failure> {
        let modalities = Some(if args.points { pictured(&OF_POINTS) } else { pictured(&[]) });
        let of_world = WorldArgs {
            world: args.world.clone(),
            opening: args.opening.clone(),
            modalities,
            encoding: None,
            extras: None,
        };
        let change = |world| if args.points { with_all_points(world) } else { world };
        let (session, world) = open_changed_world(&of_world, limits::MAX_FRAME_BYTES, change)?;
        Ok(Self {
            session,
            world_name: world.name.clone(),
            has_episodes: world.episodes.is_some(),
            miss_depth: world.compat.miss_depth,
            is_verbose,
            episode: String::new(),
            shot: None,
            strip: args.strip.map(Strip::every),
        })
    }

    /// A recording begins with its own reset; a text is played after one of ours, as is nothing at all.
    fn play(&mut self, args: &RenderArgs, steps: Option<Steps>) -> Done {
        self.check_episode(args)?;
        let steps = steps.unwrap_or(Steps { requests: Vec::new(), is_recording: false });
        let mut requests = steps.requests;
        if !steps.is_recording {
            requests.insert(0, Placed { place: args.world.clone(), command: Command::Reset(Reset::default()) });
        }
        if let Some(Command::Reset(reset)) = requests.iter_mut().map(|r| &mut r.command).find(|c| is_reset(c)) {
            reset.episode = args.episode.or(reset.episode);
        }
        for Placed { place, command } in requests {
            match self.handle(command) {
                Ok(()) => {}
                Err(fault) if steps.is_recording => complain(&format!("warning: {place}: {}", fault.message)),
                Err(fault) => return Err(fail(EXIT_USAGE, [format!("{place}: {}", in_line(&fault))])),
            }
            if self.session.is_closed() {
                break;
            }
        }
        Ok(())
    }

    fn check_episode(&self, args: &RenderArgs) -> Done {
        match args.episode {
            Some(number) if !self.has_episodes => {
                let world = &args.world;
                Err(fail(EXIT_USAGE, [format!("--episode {number}: {world} has no episodes; leave --episode out")]))
            }
            _ => Ok(()),
        }
    }

    fn handle(&mut self, command: Command) -> Result<(), Fault> {
        match command {
            Command::Reset(reset) => self.reset(reset),
            other => {
                if let Answer::Step(answer) = self.ask(other)? {
                    let step = self.shot.as_ref().map_or(0, |shot| shot.step + 1);
                    self.see(step, answer);
                }
                Ok(())
            }
        }
    }

    /// A reset that chooses sensors is asked first as it was recorded, since it may fail, and again with all in view.
    fn reset(&mut self, mut reset: Reset) -> Result<(), Fault> {
        if reset.sensor_ids.is_some() || reset.modalities.is_some() {
            if let Answer::Reset(_, Some(episode)) = self.ask(Command::Reset(reset.clone()))? {
                reset.episode = Some(episode.index);
            }
            reset = Reset { sensor_ids: None, modalities: None, ..reset };
        }
        if let Answer::Reset(answer, episode) = self.ask(Command::Reset(reset))? {
            self.episode = episode.as_ref().map_or_else(String::new, episode_text);
            self.strip = self.strip.as_ref().map(Strip::anew);
            self.see(0, answer);
        }
        Ok(())
    }

    fn ask(&mut self, command: Command) -> Result<Answer, Fault> {
        let id = RequestId::from_digits("0").expect("0 is an id");
        let reply = self.session.handle(Request { id, command }, &mut || true).expect("nobody says no");
        for note in self.session.take_notes() {
            print_note(&note, self.is_verbose);
        }
        reply.outcome
    }

    fn see(&mut self, step: u64, answer: StepAnswer) {
        let place = format!("{}{}", self.world_name, self.episode);
        if let Some(strip) = &mut self.strip {
            strip.see(&place, step, &answer, self.miss_depth);
        }
        let title = if step == 0 { format!("{place}  reset") } else { format!("{place}  step {step}") };
        self.shot = Some(Shot { title, step, answer });
    }
}

fn episode_text(episode: &EpisodeAnswer) -> String {
    format!("  episode {}: {}", episode.index, episode.primary_target.object)
}

fn is_reset(command: &Command) -> bool {
    matches!(command, Command::Reset(_))
}

const OF_POINTS: [Modality; 2] = [Modality::Semantic3d, Modality::CamToWorld];

/// What the pictures show, and more.
fn pictured(more: &[Modality]) -> Modalities {
    let all = [Modality::Rgba, Modality::Depth, Modality::Semantic].into_iter().chain(more.iter().copied());
    all.map(Modality::word).filter_map(Modalities::from_word).fold(Modalities::NONE, Modalities::with)
}

/// A folder of pictures; each file's path is told.
struct Album {
    folder: PathBuf,
    results: Results,
}

impl Album {
    fn open(folder: &Path) -> Result<Self, Failure> {
        make_folder(folder).map_err(|problem| fail(EXIT_FAILED, [format!("{problem}; choose another with --out")]))?;
        Ok(Self { folder: folder.to_owned(), results: Results::open() })
    }

    /// A picture of each sensor and modality, its points where they were asked for, and all pictures on a sheet.
    fn add_step(&mut self, shot: &Shot, miss_depth: MissDepth) -> Done {
        let sensors = SensorPictures::of_step(&shot.answer, miss_depth);
        let stems = file_stems(sensors.iter().map(|sensor| (&sensor.agent_id, &sensor.sensor_id)));
        let observed = shot.answer.observations.iter().flat_map(|agent| &agent.sensors);
        for ((sensor, observed), stem) in sensors.iter().zip(observed).zip(stems) {
            for picture in &sensor.pictures {
                let meaning = match &picture.legend {
                    Legend::Depth(range) => range.to_string(),
                    Legend::Plain | Legend::SemanticIds(_) => String::new(),
                };
                self.add(&format!("{stem}_{}", picture.modality.word()), &picture.canvas, &meaning)?;
            }
            if let Some(sensed) = Sensed::of(observed) {
                let meaning = format!("{} points", sensed.on_object().count());
                self.write(&format!("{stem}_points.ply"), &sensed.to_ply(), &meaning)?;
            }
        }
        self.add("sheet", &contact_sheet(&shot.title, &sensors), &shot.title)
    }

    fn add(&mut self, stem: &str, picture: &Canvas, meaning: &str) -> Done {
        self.write(&format!("{stem}.png"), &to_png(picture), meaning)
    }

    fn write(&mut self, name: &str, bytes: &[u8], meaning: &str) -> Done {
        let path = self.folder.join(name);
        write_file(&path, bytes).map_err(|problem| fail(EXIT_FAILED, [problem]))?;
        let gap = if meaning.is_empty() { "" } else { "  " };
        Ok(self.results.line(&format!("{}{gap}{meaning}", path.display()))?)
    }
}
