//! Which objects touch or overlap: asked for, not kept, since a still world's answer does not change from tick to tick.

use rapier3d::parry::query::intersection_test;
use rapier3d::prelude as rapier;

use super::{Convex, Object, Pair, Shape, pose};
use crate::math::Vector;
use crate::protocol::{Abandoned, KeepGoing, ObjectId};

/// Pairs tested between two questions whether to go on: under 50 ms for the slowest solids, of which meshes count for more.
const PAIRS_PER_BAND: usize = 500;

/// Triangles of a mesh that take as long as one such pair.
const TRIANGLES_PER_PAIR: usize = 500;

/// Pairs of objects that touch or overlap, the lower id first, in order.
pub fn contacts(objects: &[Object], keep_going: &mut KeepGoing) -> Result<Vec<[ObjectId; 2]>, Abandoned> {
    let mut spheres: Vec<Sphere> = objects.iter().map(Sphere::around).collect();
    spheres.sort_by(|a, b| a.least_x().total_cmp(&b.least_x()));
    let mut touching = Vec::new();
    let mut tested = 0;
    for (index, sphere) in spheres.iter().enumerate() {
        let neighbours = spheres[index + 1..].iter().take_while(|other| other.least_x() <= sphere.most_x());
        for other in neighbours {
            let is_near = sphere.meets(other);
            tested += if is_near { 1 + (sphere.triangles() + other.triangles()) / TRIANGLES_PER_PAIR } else { 1 };
            if tested >= PAIRS_PER_BAND {
                tested = 0;
                if !keep_going() {
                    return Err(Abandoned);
                }
            }
            if is_near && solids_touch(sphere, other) {
                let (a, b) = (sphere.object.id, other.object.id);
                touching.push([a.min(b), a.max(b)]);
            }
        }
    }
    touching.sort_unstable();
    Ok(touching)
}

/// An object within its bounding sphere.
struct Sphere<'o> {
    object: &'o Object,
    radius: f64,
}

impl<'o> Sphere<'o> {
    fn around(object: &'o Object) -> Self {
        Self { object, radius: object.shape.bounding_radius() }
    }

    fn centre(&self) -> Vector {
        self.object.spec.position
    }

    fn least_x(&self) -> f64 {
        self.centre().x - self.radius
    }

    fn most_x(&self) -> f64 {
        self.centre().x + self.radius
    }

    /// Of a mesh.
    fn triangles(&self) -> usize {
        if let Shape::Mesh(shape) = &self.object.shape { shape.mesh.triangles.len() } else { 0 }
    }

    fn meets(&self, other: &Sphere) -> bool {
        (self.centre() - other.centre()).norm() <= self.radius + other.radius
    }
}

fn solids_touch(a: &Sphere, b: &Sphere) -> bool {
    let is_mesh = |object: &Object| matches!(object.shape, Shape::Mesh(_));
    if is_mesh(a.object) || is_mesh(b.object) {
        return meshes_touch(a, b);
    }
    let body = |object: &Object| Convex::Shape(object.shape.clone());
    Pair::new((a.object, body(a.object)), (b.object, body(b.object))).touch_at(b.centre())
}

/// In the frame of the first and in sizes of the larger, since f32 and the tolerances of the test are made for such.
fn meshes_touch(a: &Sphere, b: &Sphere) -> bool {
    let scale = 1.0 / a.radius.max(b.radius);
    let a_from_world = a.object.spec.rotation.unit().inverse();
    let b_in_a = pose(a_from_world * (b.centre() - a.centre()) * scale, a_from_world * b.object.spec.rotation.unit());
    let scaled = |object: &Object| object.solid.0.scale_dyn(rapier::Vector::splat(scale as f32), 0);
    let (Some(a), Some(b)) = (scaled(a.object), scaled(b.object)) else { return false };
    intersection_test(&rapier::Pose::IDENTITY, &*a, &b_in_a, &*b).is_ok_and(|found| found.intersecting)
}
