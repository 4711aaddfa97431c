//! Sums of products of coordinates over the pixels on the object: what normals and curvatures are fitted to.
//!
//! A point, from the centre's point, is `α·x̂ + β·ŷ + δ·ray`: δ is its depth beyond the centre's, `ray` the centre's ray, and
//! α and β are its depth times how far its column and its row are from the centre's at depth 1. In a row β = s·(d₀ + δ), so a
//! pixel adds to the products of α and δ alone: 15 sums in place of the 35 of three coordinates.

use smallvec::SmallVec;

use super::band::Work;
use super::patch::Patch;
use super::points::Run;
use crate::math::{Matrix, Vector};
use crate::protocol::Abandoned;

/// Of each row, and the same of each column; patches of more than the usual ones take an allocation.
pub type Weights = SmallVec<[f64; 256]>;

/// Two neighbours of a row, each with sums of its own until the end: a vector register, in an order that no compiler may
/// change. Four took half as long again: their sums do not fit into the registers.
type Lanes = [f64; 2];

fn plus(a: Lanes, b: Lanes) -> Lanes {
    [a[0] + b[0], a[1] + b[1]]
}

fn times(a: Lanes, b: Lanes) -> Lanes {
    [a[0] * b[0], a[1] * b[1]]
}

/// Σ w αⁱ βʲ δᵏ at `[i][j][k]`, for i + j + k < N.
#[derive(Clone, Debug)]
pub struct Moments<const N: usize>([[[Lanes; N]; N]; N]);

/// The same within a row: Σ w αⁱ δᵏ at `[i][k]`.
type RowMoments<const N: usize> = [[Lanes; N]; N];

impl<const N: usize> Moments<N> {
    /// Over all that is on the object, of which `near` leaves the part that counts; a pixel's weight is the product of its
    /// row's and its column's.
    pub fn of(patch: &Patch, weights: &[f64], near: impl Fn(Run) -> Run, work: &mut Work) -> Result<Self, Abandoned> {
        let mut sums = Self([[[[0.0; 2]; N]; N]; N]);
        for run in patch.cloud.runs.iter().map(|run| near(*run)).filter(|run| run.from < run.to) {
            work.spend(run.to - run.from)?;
            let columns = run.from..run.to;
            let x_at = &patch.cloud.x_at[columns.clone()];
            let row = row_moments(x_at, patch.cloud.depths(run), &weights[columns], patch.ray.x, patch.depth_m);
            sums.add(row, weights[run.row], patch.cloud.y_at[run.row] - patch.ray.y, patch.depth_m);
        }
        Ok(sums)
    }

    pub fn sum(&self, [i, j, k]: [usize; 3]) -> f64 {
        let [left, right] = self.0[i][j][k];
        left + right
    }

    /// Each factor β is `down` times the centre's depth and δ, and so lowers the degree that is left.
    fn add(&mut self, mut row: RowMoments<N>, weight: f64, down: f64, depth_m: f64) {
        row = row.map(|sums| sums.map(|sum| times(sum, [weight; 2])));
        for j in 0..N {
            for (i, row) in row.iter_mut().enumerate().take(N - j) {
                let row = &mut row[..N - j - i];
                for (sum, term) in self.0[i][j].iter_mut().zip(&*row) {
                    *sum = plus(*sum, *term);
                }
                for k in 1..row.len() {
                    row[k - 1] = times([down; 2], plus(times([depth_m; 2], row[k - 1]), row[k]));
                }
            }
        }
    }
}

/// From slices and plain numbers, in a function of its own that does not add its lanes: only so does the compiler keep them
/// in vectors and registers all the way (7 µs for 64×64 pixels, else 12 to 16).
#[inline(never)]
fn row_moments<const N: usize>(x_at: &[f64], depths: &[f64], weights: &[f64], x: f64, depth_m: f64) -> RowMoments<N> {
    let (x_at, x_at_rest) = x_at.as_chunks::<2>();
    let (depths, depths_rest) = depths.as_chunks::<2>();
    let (weights, weights_rest) = weights.as_chunks::<2>();
    let mut sums = [[[0.0; 2]; N]; N];
    for ((x_at, depths), weights) in x_at.iter().zip(depths).zip(weights) {
        add_pixels(&mut sums, x_at.map(|x_at| x_at - x), *depths, *weights, depth_m);
    }
    if let ([x_at], [depth], [weight]) = (x_at_rest, depths_rest, weights_rest) {
        add_pixels(&mut sums, [x_at - x; 2], [*depth; 2], [*weight, 0.0], depth_m);
    }
    sums
}

#[inline(always)]
fn add_pixels<const N: usize>(sums: &mut RowMoments<N>, across: Lanes, depths: Lanes, weights: Lanes, depth_m: f64) {
    let delta = depths.map(|depth| depth - depth_m);
    let alpha = times(across, depths);
    let mut of_alpha = weights;
    for (i, sums) in sums.iter_mut().enumerate() {
        let mut term = of_alpha;
        for sum in &mut sums[..N - i] {
            *sum = plus(*sum, term);
            term = times(term, delta);
        }
        of_alpha = times(of_alpha, alpha);
    }
}

impl Moments<3> {
    pub fn count(&self) -> f64 {
        self.sum([0, 0, 0])
    }

    /// Σ w p of the points p, camera frame.
    pub fn first(&self, axes: &Matrix) -> Vector {
        axes * Vector::from(AXES.map(|axis| self.sum(axis)))
    }

    /// Σ w p·pᵀ.
    pub fn second(&self, axes: &Matrix) -> Matrix {
        let of_pair = Matrix::from_fn(|row, column| self.sum(product(AXES[row], AXES[column])));
        axes * of_pair * axes.transpose()
    }
}

/// The exponents of α, β and δ.
const AXES: [[usize; 3]; 3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

/// Those of a product.
fn product(a: [usize; 3], b: [usize; 3]) -> [usize; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// A polynomial of degree 2 in α, β and δ: a coefficient for each of `MONOMIALS`.
pub type Quadratic = [f64; 10];

const MONOMIALS: [[usize; 3]; 10] =
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0], [1, 1, 0], [1, 0, 1], [0, 2, 0], [0, 1, 1], [0, 0, 2]];

pub const ONE: Quadratic = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// a·α + b·β + c·δ.
pub fn linear([a, b, c]: [f64; 3]) -> Quadratic {
    [0.0, a, b, c, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
}

/// The product of two of these.
pub fn quadratic([a, b, c]: [f64; 3], [d, e, f]: [f64; 3]) -> Quadratic {
    [0.0, 0.0, 0.0, 0.0, a * d, a * e + b * d, a * f + c * d, b * e, b * f + c * e, c * f]
}

impl Moments<5> {
    /// The normal equations of a fit of `height` by a sum of `basis`: Σ w p·q of all its pairs, and Σ w p·height.
    pub fn normal_equations<const B: usize>(
        &self,
        basis: &[Quadratic; B],
        height: &Quadratic,
    ) -> ([[f64; B]; B], [f64; B]) {
        let of_pair = MONOMIALS.map(|a| MONOMIALS.map(|b| self.sum(product(a, b))));
        let with_monomials = basis.map(|p| combined(&p, &of_pair));
        let with = |q: &Quadratic| with_monomials.map(|sums| dot(&sums, q));
        (std::array::from_fn(|index| with(&basis[index])), with(height))
    }
}

fn combined(coefficients: &Quadratic, rows: &[Quadratic; 10]) -> Quadratic {
    let mut sum = [0.0; 10];
    for (coefficient, row) in coefficients.iter().zip(rows) {
        for (sum, entry) in sum.iter_mut().zip(row) {
            *sum += coefficient * entry;
        }
    }
    sum
}

fn dot(a: &Quadratic, b: &Quadratic) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::sensor::{Camera, DepthImage, PointCloud};
    use crate::world::{DepthClip, DepthTo3DLocations};

    const SIDE: usize = 7;

    /// A bent surface with holes: rows of an odd length, of several runs and of none. Its labels are the semantic image.
    fn cloud() -> PointCloud {
        let depth: Vec<f32> = (0..SIDE * SIDE).map(|index| 0.3 + 0.01 * (index * index % 11) as f32).collect();
        let labels: Vec<u32> = (0..SIDE * SIDE).map(|index| u32::from(index % 5 != 1 && index / SIDE != 5)).collect();
        let arguments =
            DepthTo3DLocations { use_semantic_sensor: true, depth_clip: DepthClip::Other, ..Default::default() };
        let camera = Camera::with([SIDE as u32; 2], 2.0, 90.0);
        let image = DepthImage::new(SIDE as u32, SIDE as u32, &depth);
        PointCloud::new(image, Some(&labels), &camera, Some(Pose::identity()), &arguments, &mut || true)
            .expect("nobody says no")
    }

    /// Σ w·f(p) over the points on the object, from the centre's point, one after the other.
    fn plainly(cloud: &PointCloud, weights: &[f64], of: impl Fn(Vector) -> f64) -> f64 {
        let origin = cloud.camera_point(Patch::new(cloud).centre);
        let on_object = (0..SIDE * SIDE).filter(|index| cloud.labels[*index] != 0);
        on_object
            .map(|index| weights[index / SIDE] * weights[index % SIDE] * of(cloud.camera_point(index) - origin))
            .sum()
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-13 * (1.0 + expected.abs()), "{found} is not {expected}");
    }

    #[test]
    fn first_and_second_moments_are_the_plain_sums_over_the_points() {
        let (cloud, weights) = (cloud(), [1.0; SIDE]);
        let patch = Patch::new(&cloud);
        let found =
            Moments::<3>::of(&patch, &weights, |run| run, &mut Work::new(&mut || true)).expect("nobody says no");
        let (first, second) = (found.first(&patch.axes()), found.second(&patch.axes()));
        assert_near(found.count(), plainly(&cloud, &weights, |_| 1.0));
        for row in 0..3 {
            assert_near(first[row], plainly(&cloud, &weights, |p| p[row]));
            for column in 0..3 {
                assert_near(second[(row, column)], plainly(&cloud, &weights, |p| p[row] * p[column]));
            }
        }
    }

    #[test]
    fn normal_equations_are_the_plain_sums_over_the_points() {
        let (cloud, weights) = (cloud(), [0.2, 0.5, 0.9, 1.0, 0.8, 0.4, 0.1]);
        let patch = Patch::new(&cloud);
        let found =
            Moments::<5>::of(&patch, &weights, |run| run, &mut Work::new(&mut || true)).expect("nobody says no");
        let [u, v, n] = [[0.6, -0.1, 0.3], [0.2, 0.7, -0.4], [-0.3, 0.5, 0.8]].map(Vector::from);
        let [a, b, c] = [u, v, n].map(|axis| (patch.axes().transpose() * axis).into());
        let (matrix, right) = found.normal_equations(&[quadratic(a, b), linear(a), ONE], &linear(c));
        let basis: [fn(f64, f64) -> f64; 3] = [|u, v| u * v, |u, _| u, |_, _| 1.0];
        for (row, p) in basis.iter().enumerate() {
            assert_near(right[row], plainly(&cloud, &weights, |at| p(at.dot(&u), at.dot(&v)) * at.dot(&n)));
            for (column, q) in basis.iter().enumerate() {
                let of = |at: Vector| p(at.dot(&u), at.dot(&v)) * q(at.dot(&u), at.dot(&v));
                assert_near(matrix[row][column], plainly(&cloud, &weights, of));
            }
        }
    }
}
