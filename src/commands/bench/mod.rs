//! `saccade bench`: how fast a world is on this machine, and where the time goes.

mod report;
mod sensing;
mod steps;
mod times;

use super::{Done, EXIT_USAGE, Failure, fail, open_world};
use crate::cli::{BenchArgs, WorldArgs};
use report::{Row, heading, sensing_table, steps_table};
use saccade::door::{Results, complain};
use saccade::protocol::{Code, Encoding, EpisodeAnswer, Fault, Modalities, ModalityChoice, Reset, limits};
use saccade::session::Session;
use sensing::time_sensing;
use steps::{requests, reset, time_steps};

pub fn bench(args: &BenchArgs) -> Done {
    if cfg!(debug_assertions) {
        complain("warning: this is a debug build, which is slower; for times that count build with --release");
    }
    let kinds = kinds_of_reply(args);
    let seconds = args.seconds / (kinds.len() + 1) as f64;
    let (mut session, world) = open_world(&world_args(args), limits::MAX_FRAME_BYTES)?;
    let bodies = requests(&world);
    let (rows, played) = time_kinds(args, &kinds, &mut session, &bodies, seconds)?;
    let sensing = time_sensing(session.into_world(), &bodies, seconds);
    let mut results = Results::open();
    let blank = || [String::new()];
    let lines = [heading(&world.name, played.as_ref())].into_iter().chain(blank());
    for line in lines.chain(steps_table(&rows)).chain(blank()).chain(sensing_table(&sensing)) {
        results.line(&line)?;
    }
    Ok(results.finish()?)
}

/// Each kind of reply by itself, all in the same episode.
fn time_kinds(
    args: &BenchArgs,
    kinds: &[KindOfReply],
    session: &mut Session,
    bodies: &[String],
    seconds: f64,
) -> Result<(Vec<Row>, Option<EpisodeAnswer>), Failure> {
    let (mut rows, mut played): (_, Option<EpisodeAnswer>) = (Vec::new(), None);
    for kind in kinds {
        let episode = played.as_ref().map_or(args.episode, |played| Some(played.index));
        match reset(session, kind.reset(episode)) {
            Ok(episode) => {
                played = episode;
                rows.push((kind.name, Ok(time_steps(session, bodies, seconds))));
            }
            Err(fault) if kind.is_optional && fault.code == Code::TooLarge => {
                rows.push((kind.name, Err(fault)));
            }
            Err(fault) => return Err(wrong(args, &fault)),
        }
    }
    Ok((rows, played))
}

fn wrong(args: &BenchArgs, fault: &Fault) -> Failure {
    fail(EXIT_USAGE, [format!("{}: {}", args.world, fault.message)])
}

fn world_args(args: &BenchArgs) -> WorldArgs {
    let BenchArgs { world, opening, modalities, encoding, .. } = args.clone();
    WorldArgs { world, opening, modalities, encoding, extras: None }
}

/// What a client may ask for at its reset.
struct KindOfReply {
    name: &'static str,
    modalities: Option<Modalities>,
    encoding: Option<Encoding>,
    /// Whether the others are told even if this one cannot be had.
    is_optional: bool,
}

impl KindOfReply {
    fn of(name: &'static str, modalities: Modalities, encoding: Encoding) -> Self {
        Self { name, modalities: Some(modalities), encoding: Some(encoding), is_optional: true }
    }

    fn reset(&self, episode: Option<u64>) -> Reset {
        let modalities = self.modalities.map(ModalityChoice::All);
        Reset { episode, modalities, encoding: self.encoding, ..Reset::default() }
    }
}

/// What the command line asks for, or else the usual ones.
fn kinds_of_reply(args: &BenchArgs) -> Vec<KindOfReply> {
    if args.modalities.is_some() || args.encoding.is_some() {
        let name = "what was asked for";
        return vec![KindOfReply { name, modalities: None, encoding: None, is_optional: false }];
    }
    let with_images = Modalities::default_of(true);
    vec![
        KindOfReply::of("percept", Modalities::PERCEPT, Encoding::Nested),
        KindOfReply::of("percept, images as base64", with_images, Encoding::Base64),
        KindOfReply::of("percept, images as binary", with_images, Encoding::Binary),
        KindOfReply::of("percept, images as nested lists", with_images, Encoding::Nested),
    ]
}
