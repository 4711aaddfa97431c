//! Times of the same thing done again and again, in microseconds.

use saccade::door::Stopwatch;

#[derive(Debug, Default)]
pub struct Times(Vec<f64>);

impl Times {
    pub fn add(&mut self, us: f64) {
        self.0.push(us);
    }

    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    }
}

/// What came out, and how long it took.
pub fn timed<T>(act: impl FnOnce() -> T) -> (T, f64) {
    let watch = Stopwatch::start();
    let done = act();
    (done, watch.elapsed_us())
}

/// Fewest and most rounds that a median is of.
const FEWEST: usize = 4;
const MOST: usize = 20_000;

/// Goes through the rounds that fit into the time, with each one's number.
pub fn for_rounds(seconds: f64, mut round: impl FnMut(usize)) {
    let watch = Stopwatch::start();
    for number in 0..MOST {
        if number >= FEWEST && watch.elapsed_us() > seconds * 1e6 {
            return;
        }
        round(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_the_middle_whatever_the_order() {
        let of = |times: &[f64]| Times(times.to_vec()).median();
        assert_eq!([of(&[3.0, 1.0, 900.0]), of(&[7.0]), of(&[])], [3.0, 7.0, 0.0]);
    }

    #[test]
    fn some_rounds_are_played_even_without_time() {
        let mut seen = Vec::new();
        for_rounds(0.0, |number| seen.push(number));
        assert_eq!(seen, [0, 1, 2, 3]);
    }
}
