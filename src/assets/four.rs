//! What calculations in f32 share that look at four or eight things at once, a lane for each: which lanes, and how much
//! rounding takes.

use std::ops::{Add, Mul, Sub};

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
pub fn dot<V: Copy + Add<Output = V> + Mul<Output = V>>(a: &[V; 3], b: &[V; 3]) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Of triangles in a plane, by corner and axis: twice how much (0, 0) and each edge enclose, above 0 to the left of it.
#[inline(always)]
pub fn sides<V: Copy + Sub<Output = V> + Mul<Output = V>>([a, b, c]: &[[V; 2]; 3]) -> [V; 3] {
    [(a, b), (b, c), (c, a)].map(|([ax, ay], [bx, by])| *ax * *by - *ay * *bx)
}

/// Four triangles, by corner and axis.
pub type Four = [[f32x4; 3]; 3];

/// At most four triangles, seen from a point; behind the last one, the last again.
pub fn four(triangles: &[[Vector; 3]], from: &Vector) -> Four {
    by_lanes::<LANES>(triangles, from).map(|corner| corner.map(f32x4::new))
}

pub const EIGHT: usize = 8;

/// Eight triangles, by corner and axis.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub struct Eight(pub [[[f32; EIGHT]; 3]; 3]);

impl Eight {
    /// As `four`.
    pub fn new(triangles: &[[Vector; 3]], from: &Vector) -> Self {
        Self(by_lanes(triangles, from))
    }
}

fn by_lanes<const N: usize>(triangles: &[[Vector; 3]], from: &Vector) -> [[[f32; N]; 3]; 3] {
    let lane_of = |lane: usize| &triangles[lane.min(triangles.len() - 1)];
    let part = |corner: usize, axis: usize, lane: usize| (lane_of(lane)[corner][axis] - from[axis]) as f32;
    [0, 1, 2].map(|corner| [0, 1, 2].map(|axis| std::array::from_fn(|lane| part(corner, axis, lane))))
}

/// Of triangles in a plane, by corner and axis: how large all their numbers are together.
#[inline(always)]
pub fn size(corners: &[[f32x4; 2]; 3]) -> f32x4 {
    corners.iter().flatten().fold(f32x4::ZERO, |sum, part| sum + part.abs())
}

/// Which of them may lie around (0, 0), from whichever side they are seen, if each number may be off by `pad`.
#[inline(always)]
pub fn may_surround(corners: &[[f32x4; 2]; 3], size: f32x4, pad: f32x4) -> f32x4 {
    let noise = pad * (size + pad + pad);
    let sides = sides(corners);
    let [ab, bc, ca] = sides.map(|side| side.simd_ge(-noise));
    let [ba, cb, ac] = sides.map(|side| side.simd_le(noise));
    (ab & bc & ca) | (ba & cb & ac)
}

/// Added to a number below 2²², leaves the nearest whole one in the lower half of the bits.
pub const WHOLE: f32 = 1.5 * (1u32 << 23) as f32;

/// The largest whole number that is not above, or for a whole one that or the next below; below 2²².
#[inline(always)]
pub fn whole<V: Add<f32, Output = V> + Sub<f32, Output = V>>(number: V) -> V {
    number - 0.5 + WHOLE - WHOLE
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
