//! The surface normal at a patch's centre, by each of Monty's three methods.
//!
//! Sums are taken in the camera's frame, which is the world's up to a rotation, around the centre point.

use super::band::Work;
use super::linear::{eigen, solve};
use super::moments::{Moments, Weights};
use super::patch::{Patch, Unreadable};
use super::points::Run;
use crate::math::{Matrix, Vector, sqrt};
use crate::protocol::KeepGoing;
use crate::world::SurfaceNormalMethod;

/// A unit vector in the points' frame that looks towards the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceNormal {
    pub direction: Vector,
    pub is_valid: bool,
}

impl SurfaceNormal {
    /// What Monty says where it has none.
    const INVALID: SurfaceNormal = SurfaceNormal { direction: Vector::new(0.0, 0.0, 1.0), is_valid: false };

    fn valid(direction: Vector) -> Self {
        Self { direction, is_valid: true }
    }

    pub fn of(patch: &Patch, method: SurfaceNormalMethod, keep_going: &mut KeepGoing) -> Result<Self, Unreadable> {
        let fit = match method {
            SurfaceNormalMethod::Naive => return naive(patch),
            SurfaceNormalMethod::Tls => total_least_squares,
            SurfaceNormalMethod::Ols => ordinary_least_squares,
        };
        if !patch.is_centre_on_object() {
            return Ok(Self::INVALID);
        }
        Ok(fit(&Sums::of_neighbours(patch, keep_going)?, &patch.rotation))
    }
}

/// Sums over the pixels on the object near the centre, relative to the centre point: 1, p and p·pᵀ.
#[derive(Clone, Copy, Debug)]
struct Sums {
    count: f64,
    first: Vector,
    second: Matrix,
}

impl Sums {
    fn of_neighbours(patch: &Patch, keep_going: &mut KeepGoing) -> Result<Self, Unreadable> {
        patch.check_square()?;
        let squared_radius = squared_radius(patch.side);
        let near = |run: Run| {
            let down = run.row.abs_diff(patch.half);
            let reach = squared_radius.checked_sub(down * down).map(usize::isqrt);
            let [from, to] = reach.map_or([0, 0], |reach| [patch.half.saturating_sub(reach), patch.half + reach + 1]);
            Run { from: run.from.max(from), to: run.to.min(to), ..run }
        };
        let moments = Moments::of(patch, &Weights::from_elem(1.0, patch.side), near, &mut Work::new(keep_going))?;
        let axes = patch.axes();
        Ok(Self { count: moments.count(), first: moments.first(&axes), second: moments.second(&axes) })
    }
}

/// The largest square of a distance in pixels within which a pixel is a neighbour.
fn squared_radius(side: usize) -> usize {
    /// Of the patch's width: how far a neighbour may be from the centre.
    const RADIUS_FRACTION: f64 = 3.2;
    let radius = side as f64 / RADIUS_FRACTION;
    // Monty compares roots, which round: one more may be within.
    let within = |squared: &usize| sqrt(*squared as f64) <= radius;
    let squared = (radius * radius) as usize;
    (squared.saturating_sub(1)..=squared + 1).rev().find(within).unwrap_or(0)
}

/// The eigenvector of the smallest eigenvalue of Σqqᵀ/m − μμᵀ, where Monty divides the mean μ by m once more.
fn total_least_squares(sums: &Sums, rotation: &Matrix) -> SurfaceNormal {
    let mean = sums.first / sums.count / sums.count;
    let moments = sums.second / sums.count - mean * mean.transpose();
    let turned = rotation * moments * rotation.transpose();
    let entry = |row: usize, column: usize| 0.5 * (turned[(row, column)] + turned[(column, row)]);
    let found = eigen::<3>(std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column))));
    let direction = Vector::from(found.vector(found.smallest()));
    let is_turned_away = direction.dot(&rotation.column(2)) < 0.0;
    SurfaceNormal::valid(if is_turned_away { -direction } else { direction })
}

/// From the fit z = w₀x + w₁y + w₂ in the camera's frame.
fn ordinary_least_squares(sums: &Sums, rotation: &Matrix) -> SurfaceNormal {
    let [x, y, z] = sums.first.into();
    let [[xx, xy, xz], [_, yy, yz], _] = sums.second.into();
    match solve([[xx, xy, x], [xy, yy, y], [x, y, sums.count]], [xz, yz, z]) {
        Some([w0, w1, _]) => SurfaceNormal::valid(rotation * Vector::new(-w0, -w1, 1.0).normalize()),
        None => SurfaceNormal::INVALID,
    }
}

/// From the directions to the pixels `step` above, right, below and left, nearer ones where these are off the object.
fn naive(patch: &Patch) -> Result<SurfaceNormal, Unreadable> {
    /// Of half the patch's width: where the four pixels are at first.
    const STEP_FRACTION: f64 = 2.5;
    let mut step = (patch.half as f64 / STEP_FRACTION) as usize;
    loop {
        let centre = patch.centre;
        let [up, right, down, left] =
            [centre - patch.side * step, centre + step, centre + patch.side * step, centre - step];
        let towards = |index| patch.direction_to(index);
        let [to_up, to_right, to_down, to_left] = [towards(up)?, towards(right)?, towards(down)?, towards(left)?];
        let are_on = |a, b| patch.is_on_object(a) && patch.is_on_object(b);
        let first = are_on(up, right).then(|| -to_up.cross(&to_right));
        let second = are_on(down, left).then(|| -to_down.cross(&to_left));
        let pair = first.or(second).zip(second.or(first)).or_else(|| {
            let first = are_on(up, left).then(|| to_up.cross(&to_left));
            let second = are_on(down, right).then(|| to_down.cross(&to_right));
            first.or(second).zip(second.or(first))
        });
        if let Some((first, second)) = pair {
            let mean = (first + second) / 2.0;
            return Ok(SurfaceNormal::valid(patch.rotation * Patch::unit(mean)?));
        }
        step /= 2;
        if step < 1 {
            return Ok(SurfaceNormal::INVALID);
        }
    }
}
