//! The two tables that people read: whole steps by what the reply holds, and what is done for each sensor.

use super::sensing::SensingTimes;
use super::steps::{StepTimes, WITHIN_DEG};
use saccade::protocol::{EpisodeAnswer, Fault};

/// A kind of reply, with its times or why it cannot be had.
pub type Row = (&'static str, Result<StepTimes, Fault>);

pub fn heading(world: &str, played: Option<&EpisodeAnswer>) -> String {
    let episode = played.map_or_else(String::new, |p| format!(", episode {}: {}", p.index, p.primary_target.object));
    format!(
        "{world}{episode}. Each step turns every agent to another direction within {WITHIN_DEG}°; medians, times in µs"
    )
}

pub fn steps_table(rows: &[Row]) -> Vec<String> {
    let width = widest(rows.iter().map(|(name, _)| *name));
    let head = format!(
        "{:<width$} {:>9} {:>9} {:>9} {:>11} {:>15}",
        "what the reply holds", "bytes", "reading", "writing", "whole step", "steps a second"
    );
    let row = |(name, times): &Row| match times {
        Ok(times) => {
            let whole = times.whole.median();
            format!(
                "{name:<width$} {:>9} {:>9.1} {:>9.1} {whole:>11.1} {:>15.0}",
                times.reply_bytes,
                times.reading.median(),
                times.writing.median(),
                1e6 / whole
            )
        }
        Err(fault) => format!("{name:<width$} left out: {}", fault.message),
    };
    [head].into_iter().chain(rows.iter().map(row)).collect()
}

/// What is done between reading and writing.
pub fn sensing_table(times: &SensingTimes) -> Vec<String> {
    const TICK: &str = "tick of the world";
    const HEAD: &str = "where the rest goes";
    let width = widest(times.sensors.iter().map(|sensor| &*sensor.name).chain([TICK, HEAD]));
    let head = format!("{HEAD:<width$} {:>11} {:>9} {:>9}", "visibility", "shading", "percept");
    let rows = times.sensors.iter().map(|sensor| {
        let [visibility, shading, percept] = [&sensor.visibility, &sensor.shading, &sensor.percept].map(|t| t.median());
        format!("{:<width$} {visibility:>11.1} {shading:>9.1} {percept:>9.1}", sensor.name)
    });
    let tick = format!("{TICK:<width$} {:>11.1}", times.tick.median());
    [head].into_iter().chain(rows).chain([tick]).collect()
}

fn widest<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use saccade::protocol::Code;

    #[test]
    fn a_reply_that_cannot_be_had_says_why_among_the_others() {
        let too_large = Fault::new(Code::TooLarge, "a reply could take 9 bytes");
        let table = steps_table(&[("percept", Ok(StepTimes::default())), ("all", Err(too_large))]);
        assert!(table[1].starts_with("percept ") && !table[1].contains("left out"), "{table:?}");
        assert_eq!(table[2], "all     left out: a reply could take 9 bytes");
    }
}
