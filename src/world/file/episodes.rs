//! The key `episodes` of a world file.

use super::super::compat::Word as _;
use super::super::episodes::{DEFAULT_POSITION, Episodes, Mode, Sampler};
use super::super::stock::Objects;
use super::parse::{color_of, read_name, vector};
use super::reader::{Item, Report, Section};
use super::write::{line, list, numbers, text};
use crate::protocol::limits;

/// Monty's own rotations, in degrees, where a world file gives none.
const DEFAULT_ROTATIONS_DEG: [[f64; 3]; 2] = [[0.0, 0.0, 0.0], [45.0, 0.0, 0.0]];

const SAMPLERS: [&str; 3] = ["predefined", "random_rotation", "default"];

/// `standing` objects stand in every episode.
pub fn read_episodes(item: &Item, known: &Objects, standing: usize, r: &mut Report) -> Option<Episodes> {
    if item.is_list() {
        item.wrong(r, "a table with at least one of `targets`, not an empty or other list");
        return None;
    }
    let mut s = item.section(r, "episodes")?;
    let targets = s.required("targets", r, "a list of at least one object's name");
    let targets = targets.and_then(|item| read_names(&item, known, r)).unwrap_or_default();
    let sources = s.optional("source_objects");
    let source_objects =
        sources.as_ref().and_then(|item| read_names(item, known, r)).unwrap_or_else(|| targets.clone());
    if let (Some(sources), Some(missing)) = (&sources, targets.iter().find(|name| !source_objects.contains(name))) {
        sources.wrong(r, format!("a list that holds every target; {missing} is not among them"));
    }
    let source_objects = each_once(source_objects);
    let distractors = s.optional("num_distractors");
    let num_distractors = distractors.and_then(|item| read_distractors(&item, &source_objects, standing, r));
    let mode = s.optional("mode").and_then(|item| item.word(r, Mode::from_word, Mode::words()));
    let sampler = read_sampler(&mut s, r);
    let default_epochs = sampler.epochs(targets.len());
    let epochs = s.optional("epochs").and_then(|item| item.integer(r, 1, MOST_EPOCHS));
    let color = color_of(&mut s, r);
    s.finish(r);
    (!targets.is_empty()).then(|| Episodes {
        targets,
        source_objects,
        num_distractors: num_distractors.unwrap_or(0),
        sampler,
        mode: mode.unwrap_or(Mode::Eval),
        epochs: epochs.unwrap_or(default_epochs),
        color,
    })
}

/// More would overflow the count of episodes.
const MOST_EPOCHS: u64 = 1 << 32;

impl Sampler {
    /// Enough walks through the targets that every item of every list has its turn.
    fn epochs(&self, targets: usize) -> u64 {
        match self {
            Sampler::Predefined { rotations_deg, positions, scales, change_every_episode } => {
                let longest = rotations_deg.len().max(positions.len()).max(scales.len());
                let epochs = if *change_every_episode { longest.div_ceil(targets.max(1)) } else { longest };
                epochs as u64
            }
            Sampler::RandomRotation | Sampler::Default => 1,
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Sampler::Predefined { .. } => SAMPLERS[0],
            Sampler::RandomRotation => SAMPLERS[1],
            Sampler::Default => SAMPLERS[2],
        }
    }
}

fn read_distractors(item: &Item, sources: &[String], standing: usize, r: &mut Report) -> Option<u32> {
    let most = limits::MAX_OBJECTS.saturating_sub(1 + standing);
    let count = item.integer(r, 0, most as u64)?;
    if count > 0 && sources.len() == 1 {
        let only = &sources[0];
        item.wrong(r, format!("0, or more `source_objects` than {only}: the target is not drawn as a distractor"));
        return None;
    }
    u32::try_from(count).ok()
}

fn each_once(names: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

fn read_names(item: &Item, known: &Objects, r: &mut Report) -> Option<Vec<String>> {
    let items = item.items(r, "objects' names")?;
    if items.is_empty() || items.len() > limits::MAX_OBJECTS {
        item.wrong(r, format!("at least one name, and at most {}", limits::MAX_OBJECTS));
        return None;
    }
    Some(items.iter().filter_map(|item| read_known_name(item, known, r)).collect())
}

fn read_known_name(item: &Item, known: &Objects, r: &mut Report) -> Option<String> {
    let name = read_name(item, r)?;
    if let Err(fault) = known.check(&name) {
        item.wrong(r, format!("a known object ({})", fault.message));
    }
    Some(name)
}

fn read_sampler(s: &mut Section, r: &mut Report) -> Sampler {
    let find = |word: &str| SAMPLERS.iter().position(|known| *known == word);
    let word = match s.optional("sampler") {
        // One that is not known is reported, and the lists are read all the same.
        Some(item) => item.word(r, find, SAMPLERS.into_iter()).unwrap_or(0),
        None => 0,
    };
    if word > 0 {
        for key in ["rotations_deg", "positions", "scales", "change_every_episode"] {
            if let Some(item) = s.optional(key) {
                item.wrong(r, format!("no such key beside the sampler {}, which draws by chance", SAMPLERS[word]));
            }
        }
        return if word == 1 { Sampler::RandomRotation } else { Sampler::Default };
    }
    let within = |most: f64| move |number: f64| number.abs() <= most;
    let rotations_deg = read_vectors(s, "rotations_deg", "[x, y, z] in degrees", within(f64::MAX), r);
    let positions = read_vectors(s, "positions", "[x, y, z] in metres", within(limits::MAX_COORDINATE_M), r);
    let is_scale = |factor: f64| (limits::MIN_SCALE..=limits::MAX_SCALE).contains(&factor);
    let scales = read_vectors(s, "scales", "a positive number or [x, y, z]", is_scale, r);
    let change_every_episode = s.optional("change_every_episode").and_then(|item| item.boolean(r)).unwrap_or(false);
    Sampler::Predefined {
        rotations_deg: rotations_deg.unwrap_or_else(|| DEFAULT_ROTATIONS_DEG.to_vec()),
        positions: positions.unwrap_or_else(|| vec![DEFAULT_POSITION]),
        scales: scales.unwrap_or_else(|| vec![[1.0; 3]]),
        change_every_episode,
    }
}

fn read_vectors(
    s: &mut Section,
    key: &'static str,
    what: &str,
    is_right: impl Fn(f64) -> bool,
    r: &mut Report,
) -> Option<Vec<[f64; 3]>> {
    let item = s.optional(key)?;
    let items = item.items(r, what)?;
    if items.is_empty() {
        item.wrong(r, format!("at least one {what}"));
        return None;
    }
    let is_factor = key == "scales";
    Some(items.iter().filter_map(|item| vector(item, is_factor, what, &is_right, r)).collect())
}

pub fn write_episodes(out: &mut String, episodes: &Episodes) {
    out.push_str("\n[episodes]\n");
    let names = |names: &[String]| list(names.iter().map(|name| text(name)));
    line(out, "targets", names(&episodes.targets));
    line(out, "source_objects", names(&episodes.source_objects));
    line(out, "num_distractors", episodes.num_distractors.to_string());
    line(out, "sampler", text(episodes.sampler.word()));
    if let Sampler::Predefined { rotations_deg, positions, scales, change_every_episode } = &episodes.sampler {
        let vectors = |vectors: &[[f64; 3]]| list(vectors.iter().map(|vector| numbers(vector)));
        line(out, "rotations_deg", vectors(rotations_deg));
        line(out, "positions", vectors(positions));
        line(out, "scales", vectors(scales));
        line(out, "change_every_episode", change_every_episode.to_string());
    }
    line(out, "mode", text(episodes.mode.word()));
    line(out, "epochs", episodes.epochs.to_string());
    line(out, "color", numbers(&episodes.color));
}
