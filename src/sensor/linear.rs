//! Small linear algebra of fixed order, so that its last bits are the same everywhere: eigenvectors and normal equations.

use crate::math::sqrt;

/// Eigenvalues of a symmetric matrix, in no order, and the unit eigenvector of each.
pub struct Eigen<const N: usize> {
    pub values: [f64; N],
    /// One in each column.
    vectors: [[f64; N]; N],
}

impl<const N: usize> Eigen<N> {
    pub fn vector(&self, index: usize) -> [f64; N] {
        self.vectors.map(|row| row[index])
    }

    /// The index of the smallest value, of equals the first.
    pub fn smallest(&self) -> usize {
        (1..N).fold(0, |least, index| if self.values[index] < self.values[least] { index } else { least })
    }
}

/// Jacobi's method: planes are rotated, one after the other, until nothing is left beside the diagonal.
pub fn eigen<const N: usize>(matrix: [[f64; N]; N]) -> Eigen<N> {
    let mut vectors = [[0.0; N]; N];
    for (index, row) in vectors.iter_mut().enumerate() {
        row[index] = 1.0;
    }
    let values = diagonal(matrix, &mut vectors);
    Eigen { values, vectors }
}

/// The eigenvalues; all rotations are applied to `vectors` too, which may be empty.
fn diagonal<const N: usize>(mut matrix: [[f64; N]; N], vectors: &mut [[f64; N]]) -> [f64; N] {
    /// It converges quadratically: six sweeps suffice for any matrix of this size.
    const MOST_SWEEPS: usize = 24;
    for _ in 0..MOST_SWEEPS {
        let mut is_diagonal = true;
        for p in 0..N {
            for q in p + 1..N {
                is_diagonal &= !rotate(&mut matrix, vectors, p, q);
            }
        }
        if is_diagonal {
            break;
        }
    }
    std::array::from_fn(|index| matrix[index][index])
}

/// Turns the plane of p and q so that their entry vanishes; false if it is nothing beside the diagonal already.
fn rotate<const N: usize>(matrix: &mut [[f64; N]; N], vectors: &mut [[f64; N]], p: usize, q: usize) -> bool {
    let (pp, qq, pq) = (matrix[p][p], matrix[q][q], matrix[p][q]);
    if pq.abs() <= f64::EPSILON * 1e-3 * sqrt(pp.abs()) * sqrt(qq.abs()) {
        return false;
    }
    let theta = (qq - pp) / (2.0 * pq);
    let t = 1.0 / (theta.abs() + sqrt(theta * theta + 1.0));
    let t = if theta < 0.0 { -t } else { t };
    let c = 1.0 / sqrt(t * t + 1.0);
    let s = t * c;
    (matrix[p][p], matrix[q][q]) = (pp - t * pq, qq + t * pq);
    (matrix[p][q], matrix[q][p]) = (0.0, 0.0);
    for k in (0..N).filter(|k| *k != p && *k != q) {
        let (kp, kq) = (matrix[k][p], matrix[k][q]);
        (matrix[k][p], matrix[k][q]) = (c * kp - s * kq, s * kp + c * kq);
        (matrix[p][k], matrix[q][k]) = (matrix[k][p], matrix[k][q]);
    }
    for row in vectors {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    true
}

/// Solves normal equations by Cholesky's method. `None` where the matrix is singular as Monty judges it: its condition
/// number is 1/ε or more.
pub fn solve<const N: usize>(matrix: [[f64; N]; N], right: [f64; N]) -> Option<[f64; N]> {
    let factor = cholesky(matrix)?;
    if !is_surely_regular(&matrix, &factor) && !is_regular(matrix) {
        return None;
    }
    let mut x = right;
    for row in 0..N {
        let known: f64 = (0..row).map(|column| factor[row][column] * x[column]).sum();
        x[row] = (x[row] - known) / factor[row][row];
    }
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|below| factor[below][row] * x[below]).sum();
        x[row] = (x[row] - known) / factor[row][row];
    }
    Some(x)
}

fn is_regular<const N: usize>(matrix: [[f64; N]; N]) -> bool {
    let values = diagonal(matrix, &mut []);
    let (least, most) = values.iter().fold((f64::INFINITY, 0.0f64), |(l, m), v| (l.min(v.abs()), m.max(v.abs())));
    least > 0.0 && most / least < 1.0 / f64::EPSILON
}

/// Says yes where the eigenvalues, which for six unknowns take 2 µs, would say so beyond doubt: their ratio is at most the
/// trace of matrix = L·Lᵀ times that of its inverse, the sum of the squares of L⁻¹.
fn is_surely_regular<const N: usize>(matrix: &[[f64; N]; N], factor: &[[f64; N]; N]) -> bool {
    /// Far enough from 1/ε that rounding decides nothing.
    const MOST: f64 = 1.0 / (64.0 * f64::EPSILON);
    let trace: f64 = (0..N).map(|index| matrix[index][index]).sum();
    trace * squares_of_inverse(factor) < MOST
}

/// Of a lower triangle.
fn squares_of_inverse<const N: usize>(factor: &[[f64; N]; N]) -> f64 {
    let mut inverse = [[0.0; N]; N];
    for column in 0..N {
        inverse[column][column] = 1.0 / factor[column][column];
        for row in column + 1..N {
            let known: f64 = (column..row).map(|k| factor[row][k] * inverse[k][column]).sum();
            inverse[row][column] = -known / factor[row][row];
        }
    }
    inverse.iter().flatten().map(|entry| entry * entry).sum()
}

/// The lower triangle L of matrix = L·Lᵀ.
fn cholesky<const N: usize>(matrix: [[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let mut factor = [[0.0; N]; N];
    for column in 0..N {
        let squares: f64 = factor[column][..column].iter().map(|entry| entry * entry).sum();
        let square = matrix[column][column] - squares;
        if square <= 0.0 {
            return None;
        }
        factor[column][column] = sqrt(square);
        for row in column + 1..N {
            let products: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
            factor[row][column] = (matrix[row][column] - products) / factor[column][column];
        }
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_satisfy_their_equation() {
        let matrix = [[4.0, 1.0, -2.0], [1.0, 2.0, 0.5], [-2.0, 0.5, 3.0]];
        let found = eigen(matrix);
        for index in 0..3 {
            let vector = found.vector(index);
            for row in 0..3 {
                let product: f64 = (0..3).map(|column| matrix[row][column] * vector[column]).sum();
                assert!((product - found.values[index] * vector[row]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn equations_are_solved_and_singular_ones_refused() {
        let matrix = [[4.0, 2.0, 0.0], [2.0, 3.0, 1.0], [0.0, 1.0, 2.0]];
        let x = solve(matrix, [8.0, 11.0, 8.0]).expect("it is regular");
        for (found, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14, "{x:?}");
        }
        assert_eq!(solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 2.0]), None);
        assert_eq!(solve([[0.0; 3]; 3], [0.0; 3]), None);
    }

    #[test]
    fn the_bound_calls_no_matrix_regular_that_the_eigenvalues_do_not() {
        for exponent in 0..24 {
            let small = (0..exponent).fold(1.0, |product, _| product / 10.0);
            let matrix = [[1.0 + small, 1.0], [1.0, 1.0]];
            let is_sure = cholesky(matrix).is_some_and(|factor| is_surely_regular(&matrix, &factor));
            assert!(is_regular(matrix) || !is_sure, "{small:e}");
            assert_eq!(is_sure, exponent < 14, "{small:e}");
        }
    }
}
