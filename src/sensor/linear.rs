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
pub fn eigen<const N: usize>(mut matrix: [[f64; N]; N]) -> Eigen<N> {
    /// It converges quadratically: six sweeps suffice for any matrix of this size.
    const MOST_SWEEPS: usize = 24;
    let mut vectors = [[0.0; N]; N];
    for (index, row) in vectors.iter_mut().enumerate() {
        row[index] = 1.0;
    }
    for _ in 0..MOST_SWEEPS {
        let mut is_diagonal = true;
        for p in 0..N {
            for q in p + 1..N {
                is_diagonal &= !rotate(&mut matrix, &mut vectors, p, q);
            }
        }
        if is_diagonal {
            break;
        }
    }
    Eigen { values: std::array::from_fn(|index| matrix[index][index]), vectors }
}

/// Turns the plane of p and q so that their entry vanishes; false if it is nothing beside the diagonal already.
fn rotate<const N: usize>(matrix: &mut [[f64; N]; N], vectors: &mut [[f64; N]; N], p: usize, q: usize) -> bool {
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
    let values = eigen(matrix).values;
    let (least, most) = values.iter().fold((f64::INFINITY, 0.0f64), |(l, m), v| (l.min(v.abs()), m.max(v.abs())));
    let is_regular = least > 0.0 && most / least < 1.0 / f64::EPSILON;
    if !is_regular {
        return None;
    }
    let factor = cholesky(matrix)?;
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
}
