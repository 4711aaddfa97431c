//! `saccade bench`: what its tables hold. How long things take is nobody's to promise here.

use saccade::assets::Nowhere;
use saccade::world::{SHIPPED_WORLDS, WorldFile, file};

use crate::program::run;

const KINDS: [&str; 4] =
    ["percept", "percept, images as base64", "percept, images as binary", "percept, images as nested lists"];

/// A line's name, and the numbers behind it.
type Row = (String, Vec<f64>);

/// The heading's line, then the rows of both tables, their heads left out.
fn tables(args: &[&str]) -> (String, [Vec<Row>; 2]) {
    let ran = run(&[&["bench", "--seconds", "0.02"], args].concat());
    assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.stderr);
    let blocks: Vec<&str> = ran.stdout_text().split("\n\n").collect();
    let [heading, steps, parts] = blocks[..] else { panic!("three blocks, not\n{}", ran.stdout_text()) };
    let rows = |block: &str| block.lines().skip(1).map(row).collect();
    (heading.to_owned(), [rows(steps), rows(parts)])
}

/// Names have single spaces inside, and at least one before the first of the numbers at the end.
fn row(line: &str) -> Row {
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers = words.iter().rev().map_while(|word| word.parse::<f64>().ok()).count();
    let (name, numbers) = words.split_at(words.len() - numbers);
    (name.join(" "), numbers.iter().map(|number| number.parse().expect("it was counted as one")).collect())
}

/// The shipped worlds that need no folder of objects.
fn worlds() -> Vec<WorldFile> {
    SHIPPED_WORLDS.iter().filter_map(|shipped| file::parse(shipped.text, &Nowhere).ok()).collect()
}

#[test]
fn every_shipped_world_has_its_steps_a_second_for_each_kind_of_reply() {
    assert!(worlds().len() >= 9, "{}", worlds().len());
    for world in worlds() {
        let (heading, [steps, _]) = tables(&[&world.name]);
        assert!(heading.starts_with(&world.name), "{heading}");
        for (kind, (name, numbers)) in KINDS.iter().zip(&steps) {
            let is_left_out = name.starts_with(&format!("{kind} left out: the encoding binary is not supported"));
            let is_told = name == kind && numbers.len() == 5 && numbers.iter().all(|number| *number >= 0.0);
            assert!(
                is_told && numbers[3] > 0.0 && numbers[4] > 0.0 || is_left_out,
                "{}: {name} {numbers:?}",
                world.name
            );
        }
        let bytes = |kind: usize| steps[kind].1[0];
        assert!(steps.len() == KINDS.len() && bytes(0) < bytes(1) && bytes(1) < bytes(3), "{}", world.name);
    }
}

#[test]
fn every_sensor_of_a_world_has_its_parts_and_the_tick_its_line() {
    for world in worlds() {
        let (_, [_, parts]) = tables(&[&world.name]);
        let sensors = world.agents.iter().flat_map(|agent| {
            agent.sensors.iter().map(|s| format!("{} {} {}×{}", agent.id, s.id, s.width, s.height)).collect::<Vec<_>>()
        });
        let expected: Vec<String> = sensors.chain(["tick of the world".to_owned()]).collect();
        assert_eq!(parts.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), expected, "{}", world.name);
        for (name, numbers) in &parts {
            let count = if name == "tick of the world" { 1 } else { 3 };
            assert!(numbers.len() == count && numbers[0] > 0.0, "{}: {name} {numbers:?}", world.name);
            assert!(numbers.iter().all(|number| *number >= 0.0), "{}: {name} {numbers:?}", world.name);
        }
    }
}

#[test]
fn what_is_asked_for_stands_alone() {
    let (_, [percept, _]) = tables(&["--modalities", "location"]);
    let (_, [images, _]) = tables(&["--encoding", "base64"]);
    for rows in [&percept, &images] {
        assert!(rows.len() == 1 && rows[0].0 == "what was asked for", "{rows:?}");
    }
    assert!(percept[0].1[0] < 2000.0 && images[0].1[0] > 100_000.0, "{percept:?} {images:?}");
}

#[test]
fn all_is_measured_in_the_episode_that_was_asked_for() {
    let (heading, _) = tables(&["default", "--episode", "5"]);
    assert!(heading.starts_with("default, episode 5: demo_mug. "), "{heading}");
    let (heading, _) = tables(&[]);
    assert!(heading.starts_with("default, episode 0: cubeSolid. "), "{heading}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (args, words) in [
        (&["empty", "--episode", "1"][..], "empty: reset: this world has no episodes"),
        (&["--seconds", "-1"], "is no number of seconds"),
        (&["nowhere"], "neither a shipped world nor a file"),
        (&["--modalities", "smell"], "smell is not known"),
    ] {
        let ran = run(&[&["bench"], args].concat());
        assert!(ran.code == Some(2) && ran.stderr.contains(words) && ran.stdout.is_empty(), "{args:?}: {}", ran.stderr);
    }
}
