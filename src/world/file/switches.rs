//! The switches of compat in a world file: a preset's name, or a table of a preset and the switches that differ from it.

use super::super::compat::{Compat, MissDepth, Preset, Word};
use super::reader::{Item, Report, Section};
use crate::protocol::limits;

/// A switch's value as a world file spells it.
trait Switch: Sized {
    fn read(item: &Item, report: &mut Report) -> Option<Self>;
    fn text(&self) -> String;
}

impl<W: Word> Switch for W {
    fn read(item: &Item, report: &mut Report) -> Option<Self> {
        item.word(report, W::from_word, W::words())
    }

    fn text(&self) -> String {
        format!("\"{}\"", self.word())
    }
}

impl Switch for bool {
    fn read(item: &Item, report: &mut Report) -> Option<Self> {
        item.boolean(report)
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

const FAR: &str = "far";

impl Switch for MissDepth {
    fn read(item: &Item, report: &mut Report) -> Option<Self> {
        let expected = "metres from 0 to 1000000, or \"far\" for MuJoCo's far plane";
        if item.says(FAR) {
            return Some(MissDepth::Far);
        }
        let is_right = |depth: f64| (0.0..=limits::MAX_COORDINATE_M).contains(&depth);
        item.number(report, expected, is_right).map(MissDepth::Constant)
    }

    fn text(&self) -> String {
        match self {
            MissDepth::Far => format!("\"{FAR}\""),
            MissDepth::Constant(depth) => format!("{depth:?}"),
        }
    }
}

macro_rules! switches {
    ($($field:ident,)+) => {
        fn read_switches(section: &mut Section, report: &mut Report, compat: &mut Compat) {
            $(if let Some(value) = section.optional(stringify!($field)).and_then(|item| Switch::read(&item, report)) {
                compat.$field = value;
            })+
        }

        /// The switches that differ from their preset, by name and text.
        fn overrides(compat: &Compat) -> Vec<(&'static str, String)> {
            let preset = Compat::preset(compat.preset);
            let mut differing = Vec::new();
            $(if compat.$field != preset.$field {
                differing.push((stringify!($field), compat.$field.text()));
            })+
            differing
        }
    };
}

switches! {
    tangential_frame,
    set_axis_legacy,
    sensor_rotation_mode,
    report_sensor_rotation,
    offset_pitch,
    unknown_action,
    quaternions,
    remove_all_resets_agents,
    miss_depth,
    cone,
    box_axis_swap,
    lighting,
    curves,
    semantic_ids,
    distractors,
}

const PRESET: &str = "preset";

pub fn read_compat(item: &Item, report: &mut Report) -> Option<Compat> {
    if item.is_text() {
        return Preset::read(item, report).map(Compat::preset);
    }
    let mut section = item.section(report, "compat (or the name of a preset)")?;
    let preset = section.optional(PRESET).and_then(|item| Preset::read(&item, report));
    let mut compat = Compat::preset(preset.unwrap_or(Preset::Saccade));
    read_switches(&mut section, report, &mut compat);
    section.finish(report);
    Some(compat)
}

pub fn compat_text(compat: &Compat) -> String {
    let overrides = overrides(compat);
    if overrides.is_empty() {
        return compat.preset.text();
    }
    let switches = overrides.iter().map(|(name, text)| format!(", {name} = {text}"));
    format!("{{ {PRESET} = {}{} }}", compat.preset.text(), switches.collect::<String>())
}
