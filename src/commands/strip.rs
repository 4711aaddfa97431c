//! A film strip: what each sensor saw at the reset and at every n-th step of an episode.

use super::picture::{Canvas, Row, SensorPictures, Sides, Tile, Title, page};
use saccade::protocol::{Modality, StepAnswer};
use saccade::world::MissDepth;

#[derive(Debug)]
pub struct Strip {
    every: u64,
    title: String,
    last_step: u64,
    /// One a sensor.
    rows: Vec<Row>,
}

/// Most pictures of one row: beyond 14,000 pixels viewers begin to refuse.
const MOST_PICTURES: u64 = 100;

/// Small enough for many.
const SIDES: Sides = Sides { least: 128, most: 128 };

impl Strip {
    pub fn every(every: u64) -> Self {
        Self { every, title: String::new(), last_step: 0, rows: Vec::new() }
    }

    /// An empty one of the same kind: each reset starts over.
    pub fn anew(&self) -> Self {
        Self::every(self.every)
    }

    pub fn see(&mut self, title: &str, step: u64, answer: &StepAnswer, miss_depth: MissDepth) {
        self.title = format!("{title}  {}", self.pace());
        self.last_step = step;
        if step.is_multiple_of(self.every) && step / self.every < MOST_PICTURES {
            self.add(step, &SensorPictures::of_step(answer, miss_depth));
        }
    }

    fn add(&mut self, step: u64, sensors: &[SensorPictures]) {
        if self.rows.is_empty() {
            self.rows = sensors.iter().map(|s| Row { heading: s.heading(), tiles: Vec::new() }).collect();
        }
        for (row, sensor) in self.rows.iter_mut().zip(sensors) {
            if let Some(picture) = sensor.picture(Modality::Rgba) {
                let title = if step == 0 { "reset".to_owned() } else { format!("step {step}") };
                row.tiles.push(Tile { title: Title::plain(title), canvas: picture.canvas.fitted(SIDES) });
            }
        }
    }

    pub fn page(&self) -> Canvas {
        page(&self.title, &self.rows)
    }

    /// What it shows, and how to see the rest of a long episode.
    pub fn summary(&self) -> String {
        let (every, last) = (self.every, self.last_step);
        let shown = (last / every).min(MOST_PICTURES - 1) * every;
        let rest = if last - shown >= every {
            format!(" of {last}; --strip {} shows them all", last / MOST_PICTURES + 1)
        } else {
            String::new()
        };
        format!("{}, from the reset to step {shown}{rest}", self.pace())
    }

    fn pace(&self) -> String {
        if self.every == 1 { "every step".to_owned() } else { format!("every {} steps", self.every) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(every: u64, last_step: u64) -> String {
        Strip { last_step, ..Strip::every(every) }.summary()
    }

    #[test]
    fn a_long_episode_is_told_how_all_of_it_would_be_shown() {
        assert_eq!(summary(1, 99), "every step, from the reset to step 99");
        assert_eq!(summary(4, 399), "every 4 steps, from the reset to step 396");
        assert_eq!(summary(1, 250), "every step, from the reset to step 99 of 250; --strip 3 shows them all");
        assert_eq!(summary(1, 200), "every step, from the reset to step 99 of 200; --strip 3 shows them all");
        assert_eq!(summary(2, 200), "every 2 steps, from the reset to step 198 of 200; --strip 3 shows them all");
    }
}
