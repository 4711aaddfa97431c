//! Curved shapes as triangles: Habitat's two faceted spheres, and what MuJoCo draws in place of its curves.

use std::sync::Arc;

use super::shape::{Shape, Triangle};
use crate::math::{PI, Vector, cos, sin};

/// MuJoCo's slices around the axis and stacks from pole to pole.
const SLICES: usize = 28;
const STACKS: usize = 16;

/// Segments around the axis and rings from pole to pole of Habitat's `uvSphereSolid`.
const UV_SEGMENTS: usize = 16;
const UV_RINGS: usize = 8;

pub type Triangles = Arc<[Triangle]>;

/// An icosahedron, each face cut into four and its corners moved onto the ellipsoid: 80 faces.
pub fn icosphere(radii: Vector) -> Triangles {
    let faces = icosahedron();
    let quarters = faces.iter().flat_map(|Triangle([a, b, c])| {
        let [ab, bc, ca] = [(a + b).normalize(), (b + c).normalize(), (c + a).normalize()];
        [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
    });
    quarters.map(|corners| Triangle(corners.map(|v| v.component_mul(&radii)))).collect()
}

/// The 20 faces of the icosahedron of radius 1 with corners at the cyclic permutations of (0, ±a, ±b).
fn icosahedron() -> Vec<Triangle> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let corner = |sign_a: f64, sign_b: f64| Vector::new(0.0, sign_a, sign_b * golden).normalize();
    let first = [corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)];
    let turned = |v: &Vector, times: usize| match times {
        0 => *v,
        1 => Vector::new(v.z, v.x, v.y),
        _ => Vector::new(v.y, v.z, v.x),
    };
    let corners: Vec<Vector> = (0..3).flat_map(|times| first.iter().map(move |v| turned(v, times))).collect();
    let edge = 2.0 / (golden * golden + 1.0).sqrt();
    let are_neighbours = |i: usize, j: usize| ((corners[i] - corners[j]).norm() - edge).abs() < 1e-9;
    let mut faces = Vec::new();
    for i in 0..corners.len() {
        for j in i + 1..corners.len() {
            for k in j + 1..corners.len() {
                if are_neighbours(i, j) && are_neighbours(j, k) && are_neighbours(k, i) {
                    faces.push(outward(corners[i], corners[j], corners[k]));
                }
            }
        }
    }
    faces
}

/// The triangle with its corners in the order that turns its face away from the origin.
fn outward(a: Vector, b: Vector, c: Vector) -> Triangle {
    let faces_out = (b - a).cross(&(c - a)).dot(&a) > 0.0;
    Triangle(if faces_out { [a, b, c] } else { [a, c, b] })
}

pub fn uv_sphere(radii: Vector) -> Triangles {
    sphere_patches(UV_SEGMENTS, 0..UV_RINGS, UV_RINGS).map(|t| scaled(t, radii)).collect()
}

/// The triangles that MuJoCo draws for a curved shape; `None` for the others.
pub fn mujoco_facets(shape: &Shape) -> Option<Triangles> {
    match *shape {
        Shape::Sphere { radius } => Some(sphere(Vector::repeat(radius))),
        Shape::Ellipsoid { radii } => Some(sphere(radii)),
        Shape::Cylinder { radius, half_height } => Some(cylinder(radius, half_height)),
        Shape::Capsule { radius, half_length } => Some(capsule(radius, half_length)),
        Shape::Cuboid { .. } | Shape::Cone { .. } | Shape::Hull(_) | Shape::Mesh(_) => None,
    }
}

/// Two triangles for each face.
pub fn cuboid(half: Vector) -> Triangles {
    let corner = |x: f64, y: f64, z: f64| Vector::new(x, y, z).component_mul(&half);
    let faces = [0, 1, 2].into_iter().flat_map(|axis| [-1.0, 1.0].map(|side| (axis, side)));
    let face = |(axis, side): (usize, f64)| {
        // Counter-clockwise around the axis, so the lower side goes round the other way.
        let around = [(-1.0, -side), (1.0, -side), (1.0, side), (-1.0, side)];
        quad(around.map(|(u, v)| match axis {
            0 => corner(side, u, v),
            1 => corner(v, side, u),
            _ => corner(u, v, side),
        }))
    };
    faces.flat_map(face).collect()
}

fn sphere(radii: Vector) -> Triangles {
    sphere_patches(SLICES, 0..STACKS, STACKS).map(|t| scaled(t, radii)).collect()
}

fn cylinder(radius: f64, half_height: f64) -> Triangles {
    let size = Vector::new(radius, half_height, radius);
    let side = (0..SLICES).flat_map(|j| quad([(j, -1.0), (j + 1, -1.0), (j + 1, 1.0), (j, 1.0)].map(rim)));
    let caps = (0..SLICES).flat_map(|j| {
        let [low, next_low] = [rim((j, -1.0)), rim((j + 1, -1.0))];
        let [high, next_high] = [rim((j, 1.0)), rim((j + 1, 1.0))];
        [Triangle([Vector::y(), high, next_high]), Triangle([-Vector::y(), next_low, low])]
    });
    side.chain(caps).map(|t| scaled(t, size)).collect()
}

fn capsule(radius: f64, half_length: f64) -> Triangles {
    let half_spheres = sphere_patches(SLICES, 0..STACKS / 2, STACKS).map(|t| moved(scaled_by(t, radius), -half_length));
    let upper = sphere_patches(SLICES, STACKS / 2..STACKS, STACKS).map(|t| moved(scaled_by(t, radius), half_length));
    let size = Vector::new(radius, half_length, radius);
    let side = (0..SLICES)
        .flat_map(|j| quad([(j, -1.0), (j + 1, -1.0), (j + 1, 1.0), (j, 1.0)].map(rim)))
        .map(|t| scaled(t, size));
    half_spheres.chain(upper).chain(side).collect()
}

/// Bands of the unit sphere around y, from the lowest of `bands` up; `of` bands make the whole.
fn sphere_patches(slices: usize, bands: std::ops::Range<usize>, of: usize) -> impl Iterator<Item = Triangle> {
    let point = move |(slice, ring): (usize, usize)| {
        // A pole is one point, whichever slice asks: rays that meet it must not slip between slices.
        if ring == 0 || ring == of {
            return Vector::y() * if ring == 0 { -1.0 } else { 1.0 };
        }
        let elevation = PI * (ring as f64 / of as f64 - 0.5);
        around(slice, slices) * cos(elevation) + Vector::y() * sin(elevation)
    };
    let cell = move |j, k| {
        let [low, high] = quad([(j, k), (j + 1, k), (j + 1, k + 1), (j, k + 1)].map(point));
        // At a pole one side of the quad is a point, and one of its halves a line.
        [(k + 1 < of).then_some(high), (k > 0).then_some(low)].into_iter().flatten()
    };
    bands.flat_map(move |k| (0..slices).flat_map(move |j| cell(j, k)))
}

/// The unit vector of a slice's border, counter-clockwise around +y as MuJoCo's runs around its z.
fn around(slice: usize, slices: usize) -> Vector {
    let angle = 2.0 * PI * (slice % slices) as f64 / slices as f64;
    Vector::new(cos(angle), 0.0, -sin(angle))
}

fn rim((slice, y): (usize, f64)) -> Vector {
    around(slice, SLICES) + Vector::y() * y
}

/// A quad cut along its first and third corner.
fn quad([a, b, c, d]: [Vector; 4]) -> [Triangle; 2] {
    [Triangle([a, b, c]), Triangle([a, c, d])]
}

fn scaled(Triangle(corners): Triangle, size: Vector) -> Triangle {
    Triangle(corners.map(|v| v.component_mul(&size)))
}

fn scaled_by(triangle: Triangle, size: f64) -> Triangle {
    scaled(triangle, Vector::repeat(size))
}

fn moved(Triangle(corners): Triangle, up: f64) -> Triangle {
    Triangle(corners.map(|v| v + Vector::y() * up))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signed volume: positive if the faces look out.
    fn volume(triangles: &[Triangle]) -> f64 {
        triangles.iter().map(|Triangle([a, b, c])| a.dot(&b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn every_tessellation_is_closed_enough_to_have_nearly_the_volume_of_its_ideal() {
        let ball = 4.0 / 3.0 * PI;
        let cases = [
            (volume(&icosphere(Vector::repeat(1.0))), ball, 0.86, 80, icosphere(Vector::repeat(1.0)).len()),
            (volume(&uv_sphere(Vector::repeat(1.0))), ball, 0.92, 224, uv_sphere(Vector::repeat(1.0)).len()),
            (volume(&sphere(Vector::repeat(1.0))), ball, 0.98, 840, sphere(Vector::repeat(1.0)).len()),
            (volume(&cylinder(1.0, 1.0)), 2.0 * PI, 0.99, 112, cylinder(1.0, 1.0).len()),
            (volume(&cuboid(Vector::new(1.0, 0.5, 2.0))), 8.0 + 1e-9, 0.99, 12, cuboid(Vector::repeat(1.0)).len()),
            (volume(&capsule(1.0, 0.75)), ball + 1.5 * PI, 0.98, 896, capsule(1.0, 0.75).len()),
        ];
        for (volume, ideal, least, faces, found) in cases {
            assert!(volume < ideal && volume > least * ideal, "{volume} of {ideal}");
            assert_eq!(faces, found);
        }
    }
}
