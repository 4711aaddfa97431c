//! Principal curvatures at a patch's centre: a quadratic surface fitted to the points above the tangent plane.

use smallvec::smallvec;

use super::band::Work;
use super::linear::{eigen, solve};
use super::moments::{Moments, ONE, Weights, linear, quadratic};
use super::patch::{Patch, Unreadable};
use crate::math::{Vector, exp, sqrt};
use crate::protocol::KeepGoing;

/// k1 ≥ k2 by signed value, 1/m, convex negative; unit directions in the points' frame. Zeros where invalid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    pub k1: f64,
    pub k2: f64,
    pub direction1: Vector,
    pub direction2: Vector,
    pub is_valid: bool,
}

impl Curvature {
    const INVALID: Curvature = Curvature { k1: 0.0, k2: 0.0, direction1: ZERO, direction2: ZERO, is_valid: false };

    /// Around a unit normal in the points' frame; weighted: pixels near the centre count more.
    pub fn of(
        patch: &Patch,
        normal: &Vector,
        is_weighted: bool,
        keep_going: &mut KeepGoing,
    ) -> Result<Self, Unreadable> {
        if !patch.is_centre_on_object() {
            return Ok(Self::INVALID);
        }
        let frame = TangentFrame::new(normal);
        let weights = if is_weighted {
            patch.check_square()?;
            gaussian_weights(patch.side, patch.half)
        } else {
            smallvec![1.0; patch.cloud.x_at.len().max(patch.cloud.y_at.len())]
        };
        let moments = Moments::of(patch, &weights, |run| run, &mut Work::new(keep_going))?;
        Ok(frame.fit(patch, &moments).map_or(Self::INVALID, |surface| frame.curvature(surface)))
    }
}

const ZERO: Vector = Vector::new(0.0, 0.0, 0.0);

/// Axes of the tangent plane and the normal, points' frame.
struct TangentFrame {
    u: Vector,
    v: Vector,
    normal: Vector,
}

impl TangentFrame {
    fn new(normal: &Vector) -> Self {
        let u = match normal.z {
            0.0 => Vector::z(),
            z => Vector::new(1.0, 0.0, -normal.x / z).normalize(),
        };
        Self { u, v: normal.cross(&u).normalize(), normal: *normal }
    }

    /// The coefficients of u², v², uv, u, v, 1 by the normal equations; `None` if there are too few points.
    fn fit(&self, patch: &Patch, moments: &Moments<5>) -> Option<[f64; 6]> {
        let from_points = (patch.rotation * patch.axes()).transpose();
        let [u, v, n] = [self.u, self.v, self.normal].map(|axis| (from_points * axis).into());
        let basis = [quadratic(u, u), quadratic(v, v), quadratic(u, v), linear(u), linear(v), ONE];
        let (matrix, right) = moments.normal_equations(&basis, &linear(n));
        solve(matrix, right)
    }

    /// Of the surface n = a u² + b v² + c uv + d u + e v + f, from the eigenvectors of G⁻¹B for its fundamental forms G and
    /// B. With G = L·Lᵀ they are L⁻ᵀ times those of the symmetric L⁻¹·B·L⁻ᵀ.
    fn curvature(&self, [a, b, c, d, e, _]: [f64; 6]) -> Curvature {
        let l11 = sqrt(1.0 + d * d);
        let l21 = d * e / l11;
        let l22 = sqrt(1.0 + e * e - l21 * l21);
        let (b11, b12, b22) = (2.0 * a, c, 2.0 * b);
        let m11 = b11 / (l11 * l11);
        let m12 = (b12 - l21 * b11 / l11) / (l11 * l22);
        let m22 = (b22 - 2.0 * l21 * b12 / l11 + l21 * l21 * b11 / (l11 * l11)) / (l22 * l22);
        let found = eigen([[m11, m12], [m12, m22]]);
        let second = found.smallest();
        let first = 1 - second;
        let direction = |index: usize| {
            let [x, y] = found.vector(index);
            let along_v = y / l22;
            let along_u = (x - l21 * along_v) / l11;
            let length = sqrt(along_u * along_u + along_v * along_v);
            self.u * (along_u / length) + self.v * (along_v / length)
        };
        let (direction1, direction2) = (direction(first), direction(second));
        let is_left = self.normal.dot(&direction1.cross(&direction2)) < 0.0;
        Curvature {
            k1: found.values[first],
            k2: found.values[second],
            direction1,
            direction2: if is_left { -direction2 } else { direction2 },
            is_valid: true,
        }
    }
}

/// exp(-d²/2σ²) for a row's or a column's distance from the centre; a pixel's weight is the product of two. Monty makes
/// their sum 1, which changes no fit.
fn gaussian_weights(side: usize, half: usize) -> Weights {
    /// Of the patch's width.
    const SIGMA_FRACTION: f64 = 2.13;
    let sigma = side as f64 / SIGMA_FRACTION;
    let weight = |index: usize| {
        let distance = index.abs_diff(half) as f64;
        exp(-(distance * distance) / (2.0 * sigma * sigma))
    };
    (0..side).map(weight).collect()
}
