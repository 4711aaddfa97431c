//! The key `episodes` of a world file: what is wrong with it is told by key, with what would be right.

use saccade::assets::Nowhere;
use saccade::world::file;

use crate::program::{Scratch, run};

/// The problems of a world whose key `episodes` is so.
fn problems(episodes: &str) -> Vec<String> {
    match file::parse(episodes, &Nowhere) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn what_is_wrong_with_the_key_episodes_is_told_by_key_with_what_would_be_right() {
    for (text, key, word) in [
        ("episodes = []", "episodes", "table"),
        ("episodes = [{}]", "episodes", "table"),
        ("episodes = 5", "episodes", "table"),
        ("[episodes]", "episodes.targets", "at least one"),
        ("[episodes]\ntargets = []", "episodes.targets", "at least one"),
        ("[episodes]\ntargets = \"sphere\"", "episodes.targets", "names"),
        ("[episodes]\ntargets = [\"sphere\", 5]", "episodes.targets[1]", "5"),
        ("[episodes]\ntargets = [\"spher\"]", "episodes.targets[0]", "did you mean sphere?"),
        ("[episodes]\ntargets = [\"sphere\"]\nsource_objects = []", "episodes.source_objects", "at least one"),
        (
            "[episodes]\ntargets = [\"sphere\", \"box\"]\nsource_objects = [\"sphere\"]",
            "episodes.source_objects",
            "box is not among them",
        ),
        (
            "[episodes]\ntargets = [\"sphere\"]\nsource_objects = [\"sphere\", \"boxx\"]",
            "episodes.source_objects[1]",
            "did you mean box?",
        ),
        (
            "[episodes]\ntargets = [\"sphere\", \"box\"]\nnum_distractors = -1",
            "episodes.num_distractors",
            "from 0 to 9999",
        ),
        ("[episodes]\ntargets = [\"sphere\", \"box\"]\nnum_distractors = 10000", "episodes.num_distractors", "9999"),
        ("[episodes]\ntargets = [\"sphere\", \"box\"]\nnum_distractors = 1.5", "episodes.num_distractors", "1.5"),
        (
            "[episodes]\ntargets = [\"sphere\", \"sphere\"]\nnum_distractors = 1",
            "episodes.num_distractors",
            "more `source_objects` than sphere",
        ),
        ("[episodes]\ntargets = [\"sphere\"]\ndistractors = 1", "episodes.distractors", "num_distractors"),
        ("[episodes]\ntargets = [\"sphere\"]\nsampler = \"radnom_rotation\"", "episodes.sampler", "random_rotation"),
        ("[episodes]\ntargets = [\"sphere\"]\nmode = \"test\"", "episodes.mode", "eval"),
        ("[episodes]\ntargets = [\"sphere\"]\nepochs = 0", "episodes.epochs", "1"),
        ("[episodes]\ntargets = [\"sphere\"]\nepochs = 1.5", "episodes.epochs", "1.5"),
        ("[episodes]\ntargets = [\"sphere\"]\nrotations_deg = []", "episodes.rotations_deg", "at least one"),
        (
            "[episodes]\ntargets = [\"sphere\"]\nrotations_deg = [[0, 0, 0], 45]",
            "episodes.rotations_deg[1]",
            "[x, y, z]",
        ),
        ("[episodes]\ntargets = [\"sphere\"]\nrotations_deg = [[0, nan, 0]]", "episodes.rotations_deg[0]", "degrees"),
        ("[episodes]\ntargets = [\"sphere\"]\npositions = [[0, 0, 1e7]]", "episodes.positions[0]", "metres"),
        ("[episodes]\ntargets = [\"sphere\"]\nscales = [1, 0]", "episodes.scales[1]", "positive"),
        ("[episodes]\ntargets = [\"sphere\"]\nchange_every_episode = 1", "episodes.change_every_episode", "true"),
        ("[episodes]\ntargets = [\"sphere\"]\ncolor = [2, 0, 0]", "episodes.color", "0 to 1"),
        ("[episodes]\ntargets = [\"sphere\"]\nrotation_deg = [[0, 0, 0]]", "episodes.rotation_deg", "rotations_deg"),
    ] {
        let told = problems(text);
        let [problem] = &told[..] else { panic!("{text}: {told:?}") };
        assert!(problem.contains(&format!("{key}: ")) && problem.contains(word), "{text}: {problem}");
    }
}

#[test]
fn the_lists_of_the_predefined_sampler_do_not_stand_beside_a_random_one() {
    for key in ["rotations_deg = [[0, 0, 0]]", "positions = [[0, 0, 0]]", "scales = [1]", "change_every_episode = true"]
    {
        for sampler in ["random_rotation", "default"] {
            let told = problems(&format!("[episodes]\ntargets = [\"sphere\"]\nsampler = \"{sampler}\"\n{key}"));
            let name = key.split(' ').next().expect("a key");
            assert!(told.len() == 1 && told[0].contains(name) && told[0].contains(sampler), "{told:?}");
        }
        assert_eq!(problems(&format!("[episodes]\ntargets = [\"sphere\"]\n{key}")), Vec::<String>::new());
    }
}

#[test]
fn a_broken_key_is_refused_before_the_protocol_starts_with_file_and_line() {
    let scratch = Scratch::new();
    let path = scratch.file("broken.toml", "name = \"x\"\n[episodes]\ntargets = [\"spher\"]\nsampler = \"preset\"\n");
    for args in [["check", &path].to_vec(), ["port", "--world", &path].to_vec()] {
        let ran = run(&args);
        assert_eq!((ran.code, ran.stdout.len(), ran.stderr.lines().count()), (Some(2), 0, 2), "{}", ran.stderr);
        for (line, key) in [(3, "episodes.targets[0]"), (4, "episodes.sampler")] {
            assert!(ran.stderr.contains(&format!("{path}: line {line}: {key}: ")), "{}", ran.stderr);
        }
    }
}
