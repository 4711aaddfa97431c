//! Solid shapes in their own frame: the axis of what has one is y, sizes are metres.

use std::sync::Arc;

use super::convex::farthest_of;
use super::mesh::MeshShape;
use crate::math::{Bounds, Vector, hypot, sqrt};

#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Sphere {
        radius: f64,
    },
    Ellipsoid {
        radii: Vector,
    },
    Cuboid {
        half: Vector,
    },
    /// Between the planes y = ±half_height.
    Cylinder {
        radius: f64,
        half_height: f64,
    },
    /// Half spheres around (0, ±half_length, 0) and what lies between.
    Capsule {
        radius: f64,
        half_length: f64,
    },
    /// Its tip at (0, half_height, 0), its base at y = -half_height.
    Cone {
        radius: f64,
        half_height: f64,
    },
    /// A convex body by its faces.
    Hull(Arc<[Triangle]>),
    /// Triangles from files, of which nothing is known.
    Mesh(MeshShape),
}

impl Shape {
    /// A box that holds the shape; of a mesh, before its scale.
    pub fn bounds(&self) -> Bounds {
        let around = |half: Vector| Bounds { least: -half, most: half };
        match self {
            Shape::Sphere { radius } => around(Vector::repeat(*radius)),
            Shape::Ellipsoid { radii } => around(*radii),
            Shape::Cuboid { half } => around(*half),
            Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => {
                around(Vector::new(*radius, *half_height, *radius))
            }
            Shape::Capsule { radius, half_length } => around(Vector::new(*radius, half_length + radius, *radius)),
            Shape::Mesh(mesh) => mesh.mesh.bvh.bounds(),
            Shape::Hull(triangles) => Bounds::around(triangles.iter().flat_map(|t| &t.0)),
        }
    }

    /// Of the smallest sphere around the origin that holds the shape.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Shape::Sphere { radius } => *radius,
            Shape::Ellipsoid { radii } => radii.max(),
            Shape::Cuboid { half } => half.norm(),
            Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => {
                hypot(*radius, *half_height)
            }
            Shape::Capsule { radius, half_length } => radius + half_length,
            Shape::Mesh(mesh) => mesh.bounding_radius,
            Shape::Hull(triangles) => {
                let corners = triangles.iter().flat_map(|t| t.0.iter());
                sqrt(corners.map(Vector::norm_squared).fold(0.0, f64::max))
            }
        }
    }

    /// The point of the shape, or of the convex body around it, that is farthest along a direction.
    pub fn farthest(&self, direction: Vector) -> Vector {
        let height = |half: f64| Vector::new(0.0, half.copysign(direction.y), 0.0);
        match self {
            Shape::Sphere { radius } => to_length(direction, *radius),
            Shape::Ellipsoid { radii } => to_length(direction.component_mul(radii), 1.0).component_mul(radii),
            Shape::Cuboid { half } => half.zip_map(&direction, f64::copysign),
            Shape::Cylinder { radius, half_height } => rim(direction, *radius) + height(*half_height),
            Shape::Capsule { radius, half_length } => to_length(direction, *radius) + height(*half_length),
            Shape::Cone { radius, half_height } => {
                let (tip, base) = (Vector::y() * *half_height, rim(direction, *radius) - Vector::y() * *half_height);
                if tip.dot(&direction) > base.dot(&direction) { tip } else { base }
            }
            Shape::Hull(triangles) => farthest_of(triangles.iter().flat_map(|t| &t.0), direction),
            Shape::Mesh(mesh) => {
                farthest_of(&mesh.mesh.positions, direction.component_mul(&mesh.scale)).component_mul(&mesh.scale)
            }
        }
    }
}

/// Of the circle around the y axis.
fn rim(direction: Vector, radius: f64) -> Vector {
    to_length(Vector::new(direction.x, 0.0, direction.z), radius)
}

/// A vector of no direction is left at no length.
fn to_length(vector: Vector, length: f64) -> Vector {
    let own = vector.norm();
    if own > 0.0 { vector * (length / own) } else { vector }
}

/// A face, its corners counter-clockwise as seen from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle(pub [Vector; 3]);

impl Triangle {
    /// Outward, of any length.
    pub fn normal(&self) -> Vector {
        let [a, b, c] = self.0;
        (b - a).cross(&(c - a))
    }
}
