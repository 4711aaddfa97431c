//! The surface normal at a patch's centre, by each of Monty's three methods.
//!
//! Sums are taken in the camera's frame, which is the world's up to a rotation, around the centre point.

use super::linear::{eigen, solve};
use super::patch::{Patch, Unreadable};
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

/// Sums over the pixels on the object near the centre, relative to the centre point.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    /// x, y, z.
    first: [f64; 3],
    /// xx, xy, xz, yy, yz, zz.
    second: [f64; 6],
}

impl Sums {
    fn of_neighbours(patch: &Patch, keep_going: &mut KeepGoing) -> Result<Self, Unreadable> {
        /// Of the patch's width: how far a neighbour may be from the centre.
        const RADIUS_FRACTION: f64 = 3.2;
        patch.check_square()?;
        let radius = patch.side as f64 / RADIUS_FRACTION;
        let mut sums = Self::default();
        for row in 0..patch.side {
            patch.go_on_at(row, keep_going)?;
            let down = row.abs_diff(patch.half);
            let Some(reach) = (0..=patch.half).rev().find(|across| distance(down, *across) <= radius) else { continue };
            let near = patch.relative_row(row).skip(patch.half - reach).take(2 * reach + 1);
            near.flatten().for_each(|point| sums.add(point));
        }
        Ok(sums)
    }

    fn add(&mut self, [x, y, z]: [f64; 3]) {
        self.count += 1.0;
        for (sum, term) in self.first.iter_mut().zip([x, y, z]) {
            *sum += term;
        }
        for (sum, term) in self.second.iter_mut().zip([x * x, x * y, x * z, y * y, y * z, z * z]) {
            *sum += term;
        }
    }
}

fn distance(down: usize, across: usize) -> f64 {
    sqrt((down * down + across * across) as f64)
}

/// The eigenvector of the smallest eigenvalue of Σqqᵀ/m − μμᵀ, where Monty divides the mean μ by m once more.
fn total_least_squares(sums: &Sums, rotation: &Matrix) -> SurfaceNormal {
    let Sums { count, first, second: [xx, xy, xz, yy, yz, zz] } = *sums;
    let mean = Vector::from(first) / count / count;
    let moments = Matrix::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) / count - mean * mean.transpose();
    let turned = rotation * moments * rotation.transpose();
    let entry = |row: usize, column: usize| 0.5 * (turned[(row, column)] + turned[(column, row)]);
    let found = eigen::<3>(std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column))));
    let direction = Vector::from(found.vector(found.smallest()));
    let is_turned_away = direction.dot(&rotation.column(2)) < 0.0;
    SurfaceNormal::valid(if is_turned_away { -direction } else { direction })
}

/// From the fit z = w₀x + w₁y + w₂ in the camera's frame.
fn ordinary_least_squares(sums: &Sums, rotation: &Matrix) -> SurfaceNormal {
    let Sums { count, first: [x, y, z], second: [xx, xy, xz, yy, yz, _] } = *sums;
    match solve([[xx, xy, x], [xy, yy, y], [x, y, count]], [xz, yz, z]) {
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
