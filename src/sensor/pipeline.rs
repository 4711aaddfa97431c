//! Depth through Monty's transforms, up to the one that makes points: missing pixels, noise, smoothing.
//!
//! Depth starts as f32 and each operation on it is rounded to f32 as numpy rounds it; smoothing makes it f64.

use smallvec::SmallVec;

use super::band::{for_each, go_on};
use crate::math::exp;
use crate::protocol::{Abandoned, KeepGoing};
use crate::rng::RandomState;
use crate::world::Transform;

/// A depth image on its way: metres, row by row from the top, each of them exact in `precision`.
#[derive(Clone, Debug, Default)]
pub struct DepthImage {
    pub width: u32,
    pub height: u32,
    pub metres: Vec<f64>,
    pub precision: Precision,
    /// Memory for smoothing.
    along_rows: Vec<f64>,
}

/// What numpy would hold the numbers in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    #[default]
    Single,
    Double,
}

impl Precision {
    /// The nearest number that an array of this precision can hold.
    pub fn round(self, number: f64) -> f64 {
        match self {
            Precision::Single => f64::from(number as f32),
            Precision::Double => number,
        }
    }
}

impl DepthImage {
    /// As the renderer left it.
    pub fn new(width: u32, height: u32, depth_m: &[f32]) -> Self {
        let mut image = Self::default();
        image.fill(width, height, depth_m);
        image
    }

    /// As the renderer left it, in place of what it held before.
    pub fn fill(&mut self, width: u32, height: u32, depth_m: &[f32]) {
        (self.width, self.height, self.precision) = (width, height, Precision::Single);
        self.metres.clear();
        self.metres.extend(depth_m.iter().map(|depth| f64::from(*depth)));
    }

    /// One transform after the other; all noise comes from one stream that starts at `noise_seed`.
    pub fn transform(
        &mut self,
        transforms: &[Transform],
        noise_seed: impl Fn() -> u32,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        let mut chance = None;
        for transform in transforms {
            match *transform {
                Transform::MissingToMaxDepth { max_depth_m, threshold_m } => {
                    self.fill_missing(max_depth_m, threshold_m, keep_going)?;
                }
                Transform::AddNoiseToRawDepthImage { sigma_m } => {
                    let chance = chance.get_or_insert_with(|| RandomState::new(noise_seed()));
                    self.add_noise(sigma_m, chance, keep_going)?;
                }
                Transform::GaussianSmoothing { sigma, kernel_width } => {
                    self.smooth(&gaussian_kernel(sigma, kernel_width), keep_going)?;
                }
            }
        }
        Ok(())
    }

    fn fill_missing(&mut self, max_depth: f64, threshold: f64, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
        let (max_depth, threshold) = (self.precision.round(max_depth), self.precision.round(threshold));
        for_each(&mut self.metres, keep_going, |depth| {
            *depth = if *depth <= threshold { max_depth } else { *depth };
        })
    }

    /// The sum is made in f64 and then rounded.
    fn add_noise(&mut self, sigma: f64, chance: &mut RandomState, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
        let precision = self.precision;
        for_each(&mut self.metres, keep_going, |depth| *depth = precision.round(*depth + chance.normal(sigma)))
    }

    /// The kernel is the outer product of `weights` with itself, so rows and columns are smoothed one after the other.
    fn smooth(&mut self, weights: &[f64], keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
        let (width, height) = (self.width as usize, self.height as usize);
        let reach = weights.len() / 2;
        self.along_rows.clear();
        self.along_rows.resize(self.metres.len(), 0.0);
        for (row, smoothed) in self.metres.chunks(width).zip(self.along_rows.chunks_mut(width)) {
            for (column, sum) in smoothed.iter_mut().enumerate() {
                *sum = weighted(weights, |tap| row[shifted(column, tap, reach, width)]);
            }
            go_on(keep_going)?;
        }
        for (row, smoothed) in self.metres.chunks_mut(width).enumerate() {
            for (column, sum) in smoothed.iter_mut().enumerate() {
                *sum = weighted(weights, |tap| self.along_rows[shifted(row, tap, reach, height) * width + column]);
            }
            go_on(keep_going)?;
        }
        self.precision = Precision::Double;
        Ok(())
    }
}

fn weighted(weights: &[f64], at: impl Fn(usize) -> f64) -> f64 {
    weights.iter().enumerate().map(|(tap, weight)| weight * at(tap)).sum()
}

/// The index that a kernel's tap reads; beyond an edge, the edge.
fn shifted(index: usize, tap: usize, reach: usize, count: usize) -> usize {
    (index + tap).saturating_sub(reach).min(count - 1)
}

/// The Gaussian at the integers from -w//2 to w//2, of sum 1.
fn gaussian_kernel(sigma: f64, width: u32) -> Kernel {
    let reach = f64::from(width / 2);
    let weight = |tap: u32| {
        let x = f64::from(tap) - reach;
        exp(-(x * x) / (2.0 * sigma * sigma))
    };
    let weights: Kernel = (0..width).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Wider ones than usual take an allocation.
type Kernel = SmallVec<[f64; 32]>;

#[cfg(test)]
mod tests {
    use super::*;

    /// The outer product's corner, edges and centre.
    #[test]
    fn the_kernel_of_width_5_is_montys() {
        let k = gaussian_kernel(2.0, 5);
        for (found, expected) in [
            (k[0] * k[0], 0.023_246_84),
            (k[0] * k[1], 0.033_823_95),
            (k[0] * k[2], 0.038_327_56),
            (k[2] * k[2], 0.063_191_46),
        ] {
            assert!((found - expected).abs() < 1e-8, "{found}");
        }
    }

    #[test]
    fn smoothing_repeats_the_edges() {
        let mut image = DepthImage::new(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        image.smooth(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], &mut || true).expect("nobody says no");
        assert_eq!(image.metres, [1.0; 6]);
        image.smooth(&[0.0, 1.0, 0.0], &mut || true).expect("nobody says no");
        assert_eq!(image.metres, [1.0; 6]);
    }
}
