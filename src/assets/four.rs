//! What searches in f32 share that look at four things at once, a lane for each: which lanes, and how much rounding takes.

use wide::f32x4;

use crate::math::Vector;

pub const LANES: usize = 4;

/// A length of which f32 still holds the square with some digits.
const SMALLEST: f64 = 1e-17;

/// What things are taken larger by so that rounding leaves nothing out, of which `rounding` is that of the largest coordinate.
pub fn pad(rounding: f64, largest: f64) -> f64 {
    (rounding * largest).max(SMALLEST)
}

#[inline(always)]
pub fn splat(number: f64) -> f32x4 {
    f32x4::splat(number as f32)
}

#[inline(always)]
pub fn point(point: &Vector) -> [f32x4; 3] {
    [0, 1, 2].map(|axis| splat(point[axis]))
}

#[inline(always)]
pub fn dot(a: &[f32x4; 3], b: &[f32x4; 3]) -> f32x4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The lanes of which the bits are set.
#[inline(always)]
pub fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (bits != 0).then_some(bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lane
    })
}

/// The bits of the first so many lanes.
#[inline(always)]
pub fn first(count: usize) -> u32 {
    (1 << count) - 1
}
