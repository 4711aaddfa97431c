//! A mesh as it stands in a world: scaled, with the size that MuJoCo gives it.

use std::sync::Arc;

use crate::assets::Mesh;
use crate::digest::Digest;
use crate::math::{Matrix, UnitQuaternion, Vector, sqrt};

/// A mesh with factors along its own axes. Rays are scaled in place of its vertices, so that all scales share one tree.
#[derive(Clone, Debug)]
pub struct MeshShape {
    pub mesh: Arc<Mesh>,
    pub scale: Vector,
    /// MuJoCo's centre of mass of a mesh, own frame, metres.
    pub centre: Vector,
    /// Of MuJoCo's bounding sphere around it, metres.
    pub radius: f64,
    /// Of the smallest sphere around its own origin, metres.
    pub bounding_radius: f64,
    /// Of the geometry.
    pub fingerprint: u64,
}

impl PartialEq for MeshShape {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.mesh, &other.mesh) && self.scale == other.scale
    }
}

impl MeshShape {
    pub fn new(mesh: &Arc<Mesh>, scale: Vector) -> Self {
        // MuJoCo reads vertices as f32, and its far plane shows every bit of what it makes of them.
        let in_single = |position: &Vector| position.map(|c| f64::from(c as f32)).component_mul(&scale);
        let positions: Vec<Vector> = mesh.positions.iter().map(in_single).collect();
        let corners = |t: &[u32; 3]| t.map(|corner| positions[corner as usize]);
        let triangles = mesh.triangles.iter().map(corners);
        let centre = centre_of_mass(triangles.clone());
        let axes = principal_axes(&inertia(triangles, centre));
        let most = positions
            .iter()
            .fold(Vector::zeros(), |most, position| most.sup(&(axes.inverse() * (position - centre)).abs()));
        let farthest = mesh.positions.iter().map(|position| position.component_mul(&scale).norm()).fold(0.0, f64::max);
        Self {
            mesh: Arc::clone(mesh),
            scale,
            centre,
            radius: most.norm(),
            bounding_radius: farthest,
            fingerprint: fingerprint(mesh),
        }
    }

    /// Farthest coordinate along any axis, metres.
    pub fn reach(&self) -> f64 {
        self.mesh.positions.iter().map(|position| position.component_mul(&self.scale).amax()).fold(0.0, f64::max)
    }
}

/// From the tetrahedra between each triangle and the surface's own centre, each with its volume's size; of a flat mesh that
/// centre itself.
fn centre_of_mass(triangles: impl Iterator<Item = [Vector; 3]> + Clone) -> Vector {
    let (mut area, mut of_surface) = (0.0, Vector::zeros());
    for [a, b, c] in triangles.clone() {
        let size = (b - a).cross(&(c - a)).norm();
        area += size;
        of_surface += (a + b + c) / 3.0 * size;
    }
    of_surface /= area;
    let (mut volume, mut centre) = (0.0, Vector::zeros());
    for [a, b, c] in triangles {
        let size = (a - of_surface).dot(&(b - of_surface).cross(&(c - of_surface))).abs();
        volume += size;
        centre += ((a + b + c) / 4.0 + of_surface / 4.0) * size;
    }
    let is_flat = volume <= 1e-12 * area * crate::math::sqrt(area);
    if is_flat { of_surface } else { centre / volume }
}

/// Of the tetrahedra between each triangle and the centre, each with its volume's size, at a density of 1 kg/m³.
fn inertia(triangles: impl Iterator<Item = [Vector; 3]>, centre: Vector) -> Matrix {
    let mut covariance = Matrix::zeros();
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| corner - centre);
        let sum = a + b + c;
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose();
        covariance += squares * (a.dot(&b.cross(&c)).abs() / 120.0);
    }
    Matrix::identity() * covariance.trace() - covariance
}

/// Jacobi's rotations as MuJoCo makes them: it stops so early that the axes are off by up to 1e-6 rad, and so is its far plane.
fn principal_axes(inertia: &Matrix) -> UnitQuaternion {
    const SMALLEST: f64 = 1e-12;
    const MOST_ROTATIONS: usize = 500;
    let mut axes = UnitQuaternion::identity();
    for _ in 0..MOST_ROTATIONS {
        let turn = axes.to_rotation_matrix().into_inner();
        let turned = turn.transpose() * inertia * turn;
        let (row, column) = largest_beside_the_diagonal(&turned);
        let beside = turned[(row, column)];
        if beside.abs() < SMALLEST {
            break;
        }
        let tau = (turned[(column, column)] - turned[(row, row)]) / (2.0 * beside);
        let tangent = 1.0 / (tau.abs() + sqrt(1.0 + tau * tau));
        let cosine = 1.0 / sqrt(1.0 + tangent * tangent);
        if cosine > 1.0 - SMALLEST {
            break;
        }
        let sine_of_half = sqrt(0.5 - 0.5 * cosine) * if tau >= 0.0 { -1.0 } else { 1.0 };
        let mut imaginary = Vector::zeros();
        let axis = 3 - row - column;
        imaginary[axis] = if axis == 1 { -sine_of_half } else { sine_of_half };
        let cosine_of_half = sqrt(1.0 - sine_of_half * sine_of_half);
        axes *= UnitQuaternion::from_quaternion(nalgebra::Quaternion::from_parts(cosine_of_half, imaginary));
    }
    axes
}

/// Of a symmetric matrix; of equals the later.
fn largest_beside_the_diagonal(matrix: &Matrix) -> (usize, usize) {
    let size = |place: (usize, usize)| matrix[place].abs();
    let later = if size((0, 2)) > size((1, 2)) { (0, 2) } else { (1, 2) };
    if size((0, 1)) > size((0, 2)) && size((0, 1)) > size((1, 2)) { (0, 1) } else { later }
}

fn fingerprint(mesh: &Mesh) -> u64 {
    let mut digest = Digest::new();
    mesh.positions.iter().for_each(|position| digest.numbers(position.as_slice()));
    mesh.triangles.iter().flatten().for_each(|corner| digest.bytes(&corner.to_le_bytes()));
    digest.finish()
}
