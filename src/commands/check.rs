//! `saccade check`: every problem of world files.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::{Done, EXIT_USAGE, Failure, fail};
use saccade::assets::Source;
use saccade::door::{Results, complain, data_source, load_world, print_note};
use saccade::protocol::limits;
use saccade::session::{Overrides, Session};
use saccade::world::{ObjectSpec, Stock, WorldFile, place};

pub fn check(files: &[String], data: Option<&Path>) -> Done {
    let mut results = Results::open();
    let mut is_wrong = false;
    for file in files {
        let source = data_source(data, file).map_err(|problem| fail(EXIT_USAGE, [problem]))?;
        match problems_of(file, &source) {
            problems if problems.is_empty() => results.line(&format!("{file}: ok"))?,
            problems => {
                is_wrong = true;
                problems.iter().for_each(|problem| complain(problem));
            }
        }
    }
    results.finish()?;
    if is_wrong { Err(Failure::Told { exit_code: EXIT_USAGE }) } else { Ok(()) }
}

/// A world is right if it can be read, a session can be opened on it, and its episodes' objects can be read.
fn problems_of(file: &str, source: &Arc<dyn Source>) -> Vec<String> {
    let world = match load_world(file, &**source) {
        Err(problems) => return problems,
        Ok(world) => Arc::new(world),
    };
    let mut stock = Stock::new(Arc::clone(source), world.data.as_ref());
    let mut unreadable = |spec: &ObjectSpec| place([spec], &world.compat, &mut stock).err().map(|fault| fault.message);
    let session = Session::new(Arc::clone(&world), Arc::clone(source), Overrides::default(), limits::MAX_FRAME_BYTES);
    let mut problems: Vec<String> = match session {
        Ok(mut session) => {
            session.take_notes().iter().for_each(|note| print_note(note, false));
            Vec::new()
        }
        // A session tells of the first object that it cannot read.
        Err(fault) => match world.objects.iter().filter_map(&mut unreadable).collect::<Vec<String>>() {
            all if all.is_empty() => return vec![format!("{file}: {}", fault.message)],
            all => all,
        },
    };
    let played = played_objects(&world).filter_map(|spec| unreadable(&spec));
    problems.extend(played.map(|problem| format!("episodes: {problem}")));
    problems.iter().map(|problem| format!("{file}: {problem}")).collect()
}

/// Those that a session reads when their turn comes.
fn played_objects(world: &WorldFile) -> impl Iterator<Item = ObjectSpec> {
    world.episodes.iter().flat_map(|episodes| {
        let spec = episodes.play(0, world.seed).0.target;
        let others = if episodes.num_distractors > 0 { &*episodes.source_objects } else { &[] };
        let names: BTreeSet<&String> = episodes.targets.iter().chain(others).collect();
        names.into_iter().map(move |name| ObjectSpec { name: name.clone(), ..spec.clone() })
    })
}
