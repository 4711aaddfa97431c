//! Chance, always from a seed: numpy's legacy generator, as Monty's object samplers draw from it.

use rand_mt::Mt;
use sha2::{Digest as _, Sha256};

/// numpy's `RandomState`: a Mersenne Twister seeded by one 32-bit integer.
#[derive(Debug)]
pub struct RandomState(Mt);

impl RandomState {
    pub fn new(seed: u32) -> Self {
        Self(Mt::new(seed))
    }

    /// From `low` to below `high`, with 53 random bits.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let (a, b) = (self.0.next_u32() >> 5, self.0.next_u32() >> 6);
        let unit = (f64::from(a) * 67_108_864.0 + f64::from(b)) / 9_007_199_254_740_992.0;
        low + (high - low) * unit
    }
}

/// Monty's seed of an episode: the SHA-256 of `{seed}-{mode}-{episode}`, modulo 2³².
pub fn episode_seed(seed: u64, mode: &str, episode: u64) -> u32 {
    let hash = Sha256::digest(format!("{seed}-{mode}-{episode}"));
    hash.iter().rev().take(4).rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
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
