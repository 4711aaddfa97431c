//! A mesh as it stands in a world: scaled, with the size that MuJoCo gives it.

use std::sync::Arc;

use crate::assets::Mesh;
use crate::digest::Digest;
use crate::math::{Matrix, Vector};

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
        let corners = |t: &[u32; 3]| t.map(|corner| mesh.positions[corner as usize].component_mul(&scale));
        let triangles: Vec<[Vector; 3]> = mesh.triangles.iter().map(corners).collect();
        let centre = centre_of_mass(&triangles);
        let axes = principal_axes(&triangles, centre);
        let most = mesh.positions.iter().fold(Vector::zeros(), |most, position| {
            most.sup(&(axes.transpose() * (position.component_mul(&scale) - centre)).abs())
        });
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
fn centre_of_mass(triangles: &[[Vector; 3]]) -> Vector {
    let (mut area, mut of_surface) = (0.0, Vector::zeros());
    for [a, b, c] in triangles {
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

/// As columns. The covariance of a tetrahedron with a corner at the centre has the same axes as its inertia.
fn principal_axes(triangles: &[[Vector; 3]], centre: Vector) -> Matrix {
    let mut covariance = Matrix::zeros();
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| corner - centre);
        let sum = a + b + c;
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose();
        covariance += squares * a.dot(&b.cross(&c)).abs();
    }
    covariance.symmetric_eigen().eigenvectors
}

fn fingerprint(mesh: &Mesh) -> u64 {
    let mut digest = Digest::new();
    mesh.positions.iter().for_each(|position| digest.numbers(position.as_slice()));
    mesh.triangles.iter().flatten().for_each(|corner| digest.bytes(&corner.to_le_bytes()));
    digest.finish()
}
