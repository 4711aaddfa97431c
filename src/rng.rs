//! Chance, always from a seed: numpy's legacy generator, as Monty's object samplers draw from it.

use std::fmt;

use rand_mt::Mt;
use sha2::{Digest as _, Sha256};

use crate::math::{log, sqrt};

/// numpy's `RandomState`: a Mersenne Twister seeded by one 32-bit integer.
#[derive(Debug)]
pub struct RandomState {
    bits: Mt,
    /// The second of the last pair of normal numbers, if nobody had it yet.
    spare: Option<f64>,
}

impl RandomState {
    pub fn new(seed: u32) -> Self {
        Self { bits: Mt::new(seed), spare: None }
    }

    /// From `low` to below `high`, with 53 random bits.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// From 0 to below 1, numpy's `random`.
    pub fn unit(&mut self) -> f64 {
        let (a, b) = (self.bits.next_u32() >> 5, self.bits.next_u32() >> 6);
        (f64::from(a) * 67_108_864.0 + f64::from(b)) / 9_007_199_254_740_992.0
    }

    /// A normal number of mean 0: numpy's legacy generator, which is Marsaglia's polar method, two numbers at a time.
    pub fn normal(&mut self, sigma: f64) -> f64 {
        sigma * self.spare.take().unwrap_or_else(|| self.gauss())
    }

    fn gauss(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let squared = x * x + y * y;
            if squared < 1.0 && squared != 0.0 {
                let factor = sqrt(-2.0 * log(squared) / squared);
                self.spare = Some(factor * x);
                return factor * y;
            }
        }
    }
}

/// The seed of a stream of its own: the SHA-256 of its label, so that no draw of one stream can shift another.
pub fn labelled_seed(label: fmt::Arguments) -> u32 {
    let mut hasher = Hasher(Sha256::new());
    fmt::write(&mut hasher, label).expect("a hash takes any text");
    let hash = hasher.0.finalize();
    hash.iter().rev().take(4).rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Monty's seed of an episode: the SHA-256 of `{seed}-{mode}-{episode}`, modulo 2³².
pub fn episode_seed(seed: u64, mode: &str, episode: u64) -> u32 {
    labelled_seed(format_args!("{seed}-{mode}-{episode}"))
}

/// Hashes a text as it is formatted.
struct Hasher(Sha256);

impl fmt::Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episode_seeds_are_montys() {
        let eval = [1_170_100_843, 1_680_878_960, 2_497_867_848];
        let train = [1_060_955_053, 1_260_428_609, 3_997_959_863];
        for (mode, expected) in [("eval", eval), ("train", train)] {
            let found: Vec<u32> = (0..3).map(|episode| episode_seed(42, mode, episode)).collect();
            assert_eq!(found, expected, "{mode}");
        }
    }

    #[test]
    fn uniform_numbers_are_numpys() {
        let mut state = RandomState::new(1_170_100_843);
        for expected in [73.18669974, 104.70631275, 188.55739548] {
            assert!((state.uniform(0.0, 360.0) - expected).abs() < 1e-8);
        }
        assert!((state.uniform(-0.5, 0.5) + 0.23584528).abs() < 1e-8);
    }
}
