//! Solid shapes in their own frame: the axis of what has one is y, sizes are metres.

use std::sync::Arc;

use crate::math::Vector;

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
}

/// A face, its corners counter-clockwise as seen from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle(pub [Vector; 3]);
