//! The oracle: which object a ray meets first and where, in f64, by closed forms and by trying every triangle. It is obvious
//! and slow: tests hold against it what sensors see.
//!
//! Back faces are culled, so only the point where a ray enters a body counts: from inside, the body is not seen. A ray's
//! parameter is the planar depth, since its direction has z = -1 in the camera's frame.

use super::closed_form::{Ray, normal_of};
use super::crossing::{Crossing, is_hole};
use crate::assets::Mesh;
use crate::math::{Matrix, Pose, Vector};
use crate::world::{Object, Shape, Triangle};

/// The objects as one camera's rays meet them.
#[derive(Debug)]
pub struct Scene<'w> {
    objects: &'w [Object],
    seen: Vec<SeenFrom>,
    /// A surface nearer than this is not seen, metres.
    near_m: f64,
}

/// An object's own frame, from the camera.
#[derive(Clone, Copy, Debug)]
struct SeenFrom {
    camera: Vector,
    object_from_camera: Matrix,
}

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Planar, metres.
    pub depth_m: f64,
    /// Index into the objects.
    pub object: usize,
    /// Index into the object's triangles, where it has some.
    pub triangle: usize,
}

impl<'w> Scene<'w> {
    pub fn new(objects: &'w [Object], world_from_camera: &Pose, near_m: f64) -> Self {
        let seen = objects.iter().map(|object| SeenFrom::new(object, world_from_camera)).collect();
        Self { objects, seen, near_m }
    }

    /// The nearest entry point; of equals the one of the object that was added first.
    pub fn cast(&self, ray_in_camera: Vector) -> Option<Hit> {
        let mut nearest: Option<Hit> = None;
        for (index, (object, seen)) in self.objects.iter().zip(&self.seen).enumerate() {
            let limit = nearest.map_or(f64::INFINITY, |hit| hit.depth_m);
            let entry = self.enters(&seen.ray(ray_in_camera), object);
            if let Some((depth_m, triangle)) = entry.filter(|(depth_m, _)| *depth_m < limit) {
                nearest = Some(Hit { depth_m, object: index, triangle });
            }
        }
        nearest
    }

    /// The outward unit normal where a ray hit, world.
    pub fn normal(&self, ray_in_camera: Vector, hit: &Hit) -> Vector {
        let object = &self.objects[hit.object];
        let ray = self.seen[hit.object].ray(ray_in_camera);
        let ray = if let Shape::Mesh(shape) = &object.shape { ray.scaled(&shape.scale) } else { ray };
        outward_normal(object, &ray, hit.triangle, hit.depth_m)
    }

    /// The parameter at which the ray enters the object's surface, beyond the near plane, and through which of its triangles.
    fn enters(&self, ray: &Ray, object: &Object) -> Option<(f64, usize)> {
        match (&object.facets, &object.shape) {
            (Some(facets), _) => self.nearest(facets.iter().map(|triangle| enters_triangle(ray, triangle))),
            (None, Shape::Mesh(shape)) => {
                let ray = ray.scaled(&shape.scale);
                self.nearest((0..shape.mesh.triangles.len()).map(|triangle| enters_mesh(&ray, &shape.mesh, triangle)))
            }
            (None, shape) => ray.enters(shape).filter(|t| *t > self.near_m).map(|t| (t, 0)),
        }
    }

    /// Of equals the first.
    fn nearest(&self, entries: impl Iterator<Item = Option<f64>>) -> Option<(f64, usize)> {
        let entries = entries.enumerate().filter_map(|(index, t)| Some((t.filter(|t| *t > self.near_m)?, index)));
        entries.reduce(|nearest, next| if next.0 < nearest.0 { next } else { nearest })
    }
}

impl SeenFrom {
    fn new(object: &Object, world_from_camera: &Pose) -> Self {
        let object_from_world = object.spec.rotation.unit().inverse();
        let camera = object_from_world * (world_from_camera.translation.vector - object.spec.position);
        let turn = object_from_world * world_from_camera.rotation;
        Self { camera, object_from_camera: turn.to_rotation_matrix().into_inner() }
    }

    fn ray(&self, ray_in_camera: Vector) -> Ray {
        Ray { origin: self.camera, direction: self.object_from_camera * ray_in_camera }
    }
}

/// From the front alone.
fn enters_triangle(ray: &Ray, Triangle(corners): &Triangle) -> Option<f64> {
    Crossing::of_front(ray, corners.each_ref()).map(|crossing| crossing.t)
}

/// From the front, or from either side where the material has two; not through a hole of its texture.
fn enters_mesh(ray: &Ray, mesh: &Mesh, triangle: usize) -> Option<f64> {
    let [a, b, c] = mesh.corners(triangle);
    let front = Crossing::of_front(ray, [a, b, c]);
    let is_open = |crossing: &Crossing| !is_hole(mesh, triangle, crossing);
    let crossing = match mesh.material(triangle).is_double_sided {
        true => front.or_else(|| Crossing::of_front(ray, [a, c, b]).map(|crossing| crossing.swapped())),
        false => front,
    };
    crossing.filter(is_open).map(|crossing| crossing.t)
}

/// The outward unit normal where a ray in the object's own frame (a mesh's: before its scale) was met, world.
fn outward_normal(object: &Object, ray: &Ray, triangle: usize, depth_m: f64) -> Vector {
    let normal = match &object.shape {
        Shape::Hull(triangles) => triangles[triangle].normal(),
        Shape::Mesh(shape) => normal_of_mesh(&shape.mesh, triangle, ray).component_div(&shape.scale),
        shape => normal_of(shape, ray.at(depth_m)),
    };
    object.spec.rotation.rotate(normal.normalize())
}

/// Towards the eye, in the object's own frame; between those of the corners where the file has some.
fn normal_of_mesh(mesh: &Mesh, triangle: usize, ray: &Ray) -> Vector {
    let [a, b, c] = mesh.corners(triangle);
    let flat = (b - a).cross(&(c - a));
    let crossing = Crossing::of_plane(mesh, triangle, ray);
    let smooth = mesh.surfaces[triangle].normals.map(|normals| Vector::from(crossing.between(normals)));
    let normal = smooth.filter(|normal| normal.norm_squared() > 0.0).unwrap_or(flat);
    if flat.dot(&ray.direction) > 0.0 { -normal } else { normal }
}
