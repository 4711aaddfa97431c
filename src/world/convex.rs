//! Convex bodies, and whether two of them touch: the algorithm of Gilbert, Johnson and Keerthi in f64.
//!
//! parry's own is for f32 and calls bodies touching that are apart by up to a thousandth of their size, which is many steps of a
//! distractor's way.

use std::sync::Arc;

use super::object::Object;
use super::shape::Shape;
use crate::math::{UnitQuaternion, Vector};

/// A shape, or the corners of the convex body around one.
#[derive(Clone, Debug)]
pub enum Convex {
    Shape(Shape),
    Corners(Arc<[Vector]>),
}

impl Convex {
    /// The point farthest along a direction.
    pub fn farthest(&self, direction: Vector) -> Vector {
        match self {
            Convex::Shape(shape) => shape.farthest(direction),
            Convex::Corners(corners) => farthest_of(&**corners, direction),
        }
    }
}

/// The corner farthest along a direction; the first of equals.
pub fn farthest_of<'v>(corners: impl IntoIterator<Item = &'v Vector>, direction: Vector) -> Vector {
    let (mut farthest, mut reach) = (Vector::zeros(), f64::NEG_INFINITY);
    for corner in corners {
        let along = corner.dot(&direction);
        if along > reach {
            (farthest, reach) = (*corner, along);
        }
    }
    farthest
}

/// Two bodies, of which one is moved about.
#[derive(Debug)]
pub struct Pair {
    still: Convex,
    moved: Convex,
    still_position: Vector,
    still_from_world: UnitQuaternion,
    still_from_moved: UnitQuaternion,
    /// Of both bounding spheres.
    size: f64,
}

/// Nearer than this part of their size bodies touch: some roundings of f64.
const TOUCHING: f64 = 1e-13;

/// Sine below which an edge lies in a face: of such a tetrahedron roundings decide which side is inside.
const FLAT: f64 = 1e-10;

/// More than two bodies need that are apart by more than roundings.
const MOST_ROUNDS: usize = 100;

impl Pair {
    /// Each with the body that it is taken for.
    pub fn new((still, still_body): (&Object, Convex), (moved, moved_body): (&Object, Convex)) -> Self {
        let still_from_world = still.spec.rotation.unit().inverse();
        Self {
            still: still_body,
            moved: moved_body,
            still_position: still.spec.position,
            still_from_world,
            still_from_moved: still_from_world * moved.spec.rotation.unit(),
            size: still.shape.bounding_radius() + moved.shape.bounding_radius(),
        }
    }

    /// With the moved one at this place in the world. They touch if their difference, all vectors from a point of the moved one
    /// to a point of the still one, holds the origin: simplices within it come nearer and nearer, or show a plane between.
    pub fn touch_at(&self, place: Vector) -> bool {
        let offset = self.still_from_world * (place - self.still_position);
        let start = self.farthest(offset, offset);
        let mut simplex = Simplex { nearest: start, corners: vec![start] };
        for _ in 0..MOST_ROUNDS {
            if simplex.nearest.norm() <= TOUCHING * self.size {
                return true;
            }
            let corner = self.farthest(-simplex.nearest, offset);
            if simplex.nearest.dot(&corner) > 0.0 {
                return false;
            }
            simplex.corners.push(corner);
            match nearest(&simplex.corners) {
                Some(closer) => simplex = closer,
                None => return true,
            }
        }
        true
    }

    /// The point of the difference that is farthest along a direction.
    fn farthest(&self, direction: Vector, offset: Vector) -> Vector {
        let against = self.still_from_moved.inverse() * -direction;
        self.still.farthest(direction) - (self.still_from_moved * self.moved.farthest(against) + offset)
    }
}

/// One to three corners, and the point between them that is nearest to the origin.
#[derive(Debug)]
struct Simplex {
    nearest: Vector,
    corners: Vec<Vector>,
}

/// Of the parts of a simplex the one that is nearest to the origin; `None` for a tetrahedron that holds it.
fn nearest(corners: &[Vector]) -> Option<Simplex> {
    match corners {
        [a, b] => Some(nearest_of_segment(a, b)),
        [a, b, c] => Some(nearest_of_triangle(a, b, c)),
        [a, b, c, d] => nearest_of_tetrahedron([a, b, c, d]),
        _ => unreachable!("a simplex of three corners at most gets one more"),
    }
}

fn nearest_of_segment(a: &Vector, b: &Vector) -> Simplex {
    let along = b - a;
    let part = -a.dot(&along) / along.norm_squared();
    match part {
        part if part >= 1.0 => Simplex { nearest: *b, corners: vec![*b] },
        part if part > 0.0 => Simplex { nearest: a + along * part, corners: vec![*a, *b] },
        _ => Simplex { nearest: *a, corners: vec![*a] },
    }
}

/// As a mean of the corners, so that it lies between them whatever the roundings of a long thin triangle's normal are.
fn nearest_of_triangle(a: &Vector, b: &Vector, c: &Vector) -> Simplex {
    let normal = (b - a).cross(&(c - a));
    let weights = [b.cross(c), c.cross(a), a.cross(b)].map(|area| area.dot(&normal));
    if weights.iter().all(|weight| *weight > 0.0) {
        let [of_a, of_b, of_c] = weights;
        let nearest = (a * of_a + b * of_b + c * of_c) / (of_a + of_b + of_c);
        return Simplex { nearest, corners: vec![*a, *b, *c] };
    }
    nearest_of([nearest_of_segment(a, b), nearest_of_segment(b, c), nearest_of_segment(c, a)])
}

fn nearest_of_tetrahedron([a, b, c, d]: [&Vector; 4]) -> Option<Simplex> {
    let faces = [[a, b, c, d], [a, b, d, c], [a, c, d, b], [b, c, d, a]];
    let is_beyond = |[p, q, r, opposite]: &[&Vector; 4]| {
        let (normal, inward) = ((*q - *p).cross(&(*r - *p)), *opposite - *p);
        let height = normal.dot(&inward);
        let is_flat = height.abs() <= FLAT * normal.norm() * inward.norm();
        is_flat || height * normal.dot(&-*p) <= 0.0
    };
    let open = faces.iter().filter(|face| is_beyond(face));
    let nearest: Vec<Simplex> = open.map(|[p, q, r, _]| nearest_of_triangle(p, q, r)).collect();
    (!nearest.is_empty()).then(|| nearest_of(nearest))
}

/// The first of equals.
fn nearest_of(simplices: impl IntoIterator<Item = Simplex>) -> Simplex {
    let by_distance = |a: &Simplex, b: &Simplex| a.nearest.norm_squared().total_cmp(&b.nearest.norm_squared());
    simplices.into_iter().min_by(by_distance).expect("a triangle has edges and an open tetrahedron faces")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{PI, about_x, about_y, about_z, sqrt};

    fn pair(still: Shape, moved: Shape, still_from_moved: UnitQuaternion) -> Pair {
        let size = still.bounding_radius() + moved.bounding_radius();
        let still_from_world = UnitQuaternion::identity();
        let [still, moved] = [still, moved].map(Convex::Shape);
        Pair { still, moved, still_position: Vector::zeros(), still_from_world, still_from_moved, size }
    }

    fn touch_from(pair: &Pair, direction: Vector, distance: f64) {
        for (part, expected) in [(0.0, true), (0.5, true), (1.0 - 1e-7, true), (1.0 + 1e-7, false), (2.0, false)] {
            let place = direction.normalize() * (distance * part);
            assert_eq!(pair.touch_at(place), expected, "{pair:?} at {part} of {distance} along {direction:?}");
        }
    }

    #[test]
    fn bodies_touch_up_to_the_distance_that_their_sizes_say() {
        let ball = |radius| Shape::Sphere { radius };
        let cube = || Shape::Cuboid { half: Vector::repeat(0.1) };
        let unturned = UnitQuaternion::identity();
        for direction in [Vector::x(), Vector::new(1.0, 2.0, -3.0), Vector::new(-1e-3, 1e3, 1.0)] {
            touch_from(&pair(ball(0.1), ball(0.02), unturned), direction, 0.12);
            touch_from(&pair(ball(1e4), ball(1e-3), about_y(1.0)), direction, 1e4 + 1e-3);
        }
        touch_from(&pair(cube(), cube(), unturned), Vector::x(), 0.2);
        // A corner of the cube ahead, then an edge.
        touch_from(&pair(cube(), ball(0.3), about_x(0.7)), Vector::repeat(1.0), 0.1 * sqrt(3.0) + 0.3);
        touch_from(&pair(cube(), cube(), about_y(PI / 4.0)), Vector::x(), 0.1 + 0.1 * sqrt(2.0));
        // Capsules across each other, ends of cylinders face to face, a tip on a face.
        let capsule = || Shape::Capsule { radius: 0.1, half_length: 1.0 };
        touch_from(&pair(capsule(), capsule(), about_x(PI / 2.0)), Vector::x(), 0.2);
        let cylinder = || Shape::Cylinder { radius: 0.1, half_height: 0.3 };
        touch_from(&pair(cylinder(), cylinder(), about_y(0.3)), Vector::y(), 0.6);
        let cone = Shape::Cone { radius: 0.1, half_height: 0.125 };
        touch_from(&pair(cube(), cone, about_z(-PI / 2.0)), -Vector::x(), 0.225);
        let ellipsoid = Shape::Ellipsoid { radii: Vector::new(0.1, 0.2, 0.3) };
        touch_from(&pair(ellipsoid, ball(0.1), unturned), Vector::z(), 0.4);
    }
}
