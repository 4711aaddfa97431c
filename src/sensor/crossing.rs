//! Where a ray crosses a triangle of a mesh, and whether there is a hole.

use super::closed_form::Ray;
use crate::assets::Mesh;
use crate::math::Vector;

/// Where a ray crosses a triangle.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    pub t: f64,
    /// Of the second and the third corner.
    weights: [f64; 2],
}

impl Crossing {
    /// Möller and Trumbore's test, from the front alone; edges belong to both of their triangles.
    pub fn of_front(ray: &Ray, [a, b, c]: [&Vector; 3]) -> Option<Self> {
        let (ab, ac) = (b - a, c - a);
        let p = ray.direction.cross(&ac);
        let determinant = ab.dot(&p);
        if determinant <= 0.0 {
            return None;
        }
        let from_a = ray.origin - a;
        let u = from_a.dot(&p);
        let q = from_a.cross(&ab);
        let v = ray.direction.dot(&q);
        let is_inside = u >= 0.0 && v >= 0.0 && u + v <= determinant;
        is_inside.then(|| Self { t: ac.dot(&q) / determinant, weights: [u / determinant, v / determinant] })
    }

    /// Of the triangle's plane, also outside of the triangle.
    pub fn of_plane(mesh: &Mesh, triangle: usize, ray: &Ray) -> Self {
        let [a, b, c] = mesh.corners(triangle);
        let (ab, ac) = (b - a, c - a);
        let p = ray.direction.cross(&ac);
        let determinant = ab.dot(&p);
        let from_a = ray.origin - a;
        let q = from_a.cross(&ab);
        let weights = [from_a.dot(&p) / determinant, ray.direction.dot(&q) / determinant];
        Self { t: ac.dot(&q) / determinant, weights }
    }

    /// As of a triangle with its second and third corner exchanged.
    pub fn swapped(self) -> Self {
        let [u, v] = self.weights;
        Self { weights: [v, u], ..self }
    }

    pub fn between<const N: usize>(&self, [a, b, c]: [[f32; N]; 3]) -> [f64; N] {
        let [u, v] = self.weights;
        std::array::from_fn(|i| {
            let [a, b, c] = [a[i], b[i], c[i]].map(f64::from);
            a + u * (b - a) + v * (c - a)
        })
    }
}

/// Whether the material's texture has a hole where a triangle is crossed.
pub fn is_hole(mesh: &Mesh, triangle: usize, crossing: &Crossing) -> bool {
    let material = mesh.material(triangle);
    let Some(cutoff) = material.alpha_cutoff else { return false };
    match (&material.texture, mesh.surfaces[triangle].uv) {
        (Some(texture), Some(uv)) => f64::from(texture.sample(crossing.between(uv))[3]) < cutoff,
        (None, _) => cutoff > 1.0,
        (Some(_), None) => false,
    }
}
