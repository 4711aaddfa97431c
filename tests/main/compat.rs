//! The switches of compat: presets, single overrides, and how they are written back.

use saccade::assets::Nowhere;
use saccade::world::file;

use crate::client::world;
use crate::fixture::{in_repository, read_text};

/// Every switch and its values.
pub const SWITCHES: &[(&str, &[&str])] = &[
    ("tangential_frame", &["\"world\"", "\"agent\""]),
    ("set_axis_legacy", &["false", "true"]),
    ("sensor_rotation_mode", &["\"full\"", "\"pitch_only\""]),
    ("report_sensor_rotation", &["true", "false"]),
    ("offset_pitch", &["\"arc\"", "\"fixed\""]),
    ("unknown_action", &["\"error\"", "\"skip\""]),
    ("quaternions", &["\"normalised\"", "\"as_given\""]),
    ("remove_all_resets_agents", &["false", "true"]),
    ("miss_depth", &["0.0", "\"far\"", "1000.0"]),
    ("cone", &["\"real\"", "\"sphere\""]),
    ("box_axis_swap", &["false", "true"]),
    ("lighting", &["\"mujoco\"", "\"flat\""]),
    ("curves", &["\"ideal\"", "\"tessellated\""]),
    ("semantic_ids", &["\"habitat\"", "\"mujoco\""]),
    ("distractors", &["\"habitat\"", "\"none\""]),
];

pub const PRESETS: [&str; 3] = ["saccade", "mujoco", "habitat"];

#[test]
fn every_switch_can_be_overridden_under_every_preset_and_is_written_back() {
    for preset in PRESETS {
        let plain = world(&format!("compat = \"{preset}\""));
        for (switch, values) in SWITCHES {
            let with = |value: &str| world(&format!("compat = {{ preset = \"{preset}\", {switch} = {value} }}"));
            let differing: Vec<_> = values.iter().filter(|value| with(value) != plain).collect();
            assert_eq!(differing.len(), values.len() - 1, "{switch} under {preset}");
            for value in differing {
                let text = file::to_text(&with(value));
                let expected = format!("compat = {{ preset = \"{preset}\", {switch} = {value} }}\n");
                assert!(text.contains(&expected), "{expected}{text}");
            }
        }
    }
}

#[test]
fn a_switch_with_a_wrong_value_is_told_with_its_words() {
    for (switch, values) in SWITCHES {
        let text = format!("compat = {{ {switch} = \"never\" }}");
        let problems = file::parse(&text, &Nowhere).expect_err("no switch is never");
        assert_eq!(problems[0].key, format!("compat.{switch}"), "{problems:?}");
        let words = values.iter().filter(|value| value.starts_with('"') || value.parse::<bool>().is_ok());
        let lacking: Vec<_> = words.filter(|word| !problems[0].expected.contains(word.trim_matches('"'))).collect();
        assert!(lacking.is_empty(), "{switch}: {lacking:?} in {problems:?}");
    }
}

#[test]
fn habitat_has_the_values_that_the_issue_lists() {
    let listed = [
        "compat = { preset = \"habitat\", tangential_frame = \"world\", miss_depth = 0.0, set_axis_legacy = true",
        "sensor_rotation_mode = \"full\", report_sensor_rotation = true, offset_pitch = \"fixed\"",
        "unknown_action = \"error\", cone = \"real\", box_axis_swap = false, distractors = \"habitat\"",
        "curves = \"ideal\", remove_all_resets_agents = false }",
    ];
    assert_eq!(world(&listed.join(", ")), world("compat = \"habitat\""));
}

#[test]
fn the_presets_are_those_of_the_readmes_table() {
    let readme = read_text(in_repository("README.md"));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().replace('`', "")).collect::<Vec<_>>();
    let is_head = |line: &&str| cells(line).get(1).is_some_and(|cell| cell == "switch");
    let table = readme.lines().skip_while(|line| !is_head(line)).skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<Vec<String>> = table.map(cells).collect();
    let switches: Vec<&str> = rows.iter().filter_map(|row| row[1].split(':').next()).collect();
    assert_eq!(switches, SWITCHES.iter().map(|(switch, _)| *switch).collect::<Vec<_>>());
    for (row, switch) in rows.iter().zip(switches) {
        for (preset, value) in PRESETS.iter().zip(&row[2..]) {
            let value = value.split(" (").next().unwrap_or(value);
            let spelled = world(&format!("compat = {{ preset = \"{preset}\", {switch} = {value} }}"));
            assert_eq!(spelled, world(&format!("compat = \"{preset}\"")), "{switch} of {preset} is not {value}");
        }
    }
}

#[test]
fn a_compat_table_without_a_preset_starts_from_saccade() {
    assert_eq!(world("compat = {}"), world("compat = \"saccade\""));
    assert_eq!(world(""), world("compat = \"saccade\""));
}
