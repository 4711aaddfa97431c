//! A point cloud around its centre, as Monty's extraction of features reads it: as a square of √N by √N pixels.

use std::fmt;

use super::points::PointCloud;
use crate::math::{Matrix, Vector};
use crate::protocol::Abandoned;

/// The cloud with its centre.
#[derive(Clone, Debug)]
pub struct Patch<'c> {
    pub cloud: &'c PointCloud,
    /// √N, rounded down, and half of it.
    pub side: usize,
    pub half: usize,
    /// Index of the pixel in row and column `half`.
    pub centre: usize,
    /// From the camera's frame into the points'.
    pub rotation: Matrix,
    /// The centre's point, camera frame: its depth times its ray (x, y, -1).
    pub depth_m: f64,
    pub ray: Vector,
}

/// What ends Monty's extraction with a ValueError.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unreadable {
    /// The pixels are not a square.
    NotSquare { pixels: usize },
    /// Points that give a direction are less than 1e-6 m apart.
    Coincident { distance_m: f64 },
    /// Nobody waits for the answer any more.
    Abandoned,
}

impl From<Abandoned> for Unreadable {
    fn from(Abandoned: Abandoned) -> Self {
        Unreadable::Abandoned
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::NotSquare { pixels } => {
                write!(f, "a patch of {pixels} pixels is not a square; give the sensor as many rows as columns")
            }
            Unreadable::Coincident { distance_m } => {
                write!(f, "points {distance_m:e} m apart give no direction; use the normal TLS or OLS, or less zoom")
            }
            Unreadable::Abandoned => write!(f, "the request was abandoned"),
        }
    }
}

impl std::error::Error for Unreadable {}

impl<'c> Patch<'c> {
    pub fn new(cloud: &'c PointCloud) -> Self {
        let side = cloud.labels.len().isqrt();
        let half = side / 2;
        let centre = half + side * half;
        let (depth_m, ray) = (cloud.depth.metres[centre], cloud.camera_ray(centre));
        Self { cloud, side, half, centre, rotation: cloud.rotation(), depth_m, ray }
    }

    pub fn check_square(&self) -> Result<(), Unreadable> {
        let is_square = self.cloud.x_at.len() == self.side && self.cloud.y_at.len() == self.side;
        if is_square { Ok(()) } else { Err(Unreadable::NotSquare { pixels: self.cloud.labels.len() }) }
    }

    pub fn is_on_object(&self, index: usize) -> bool {
        self.cloud.labels[index] > 0
    }

    pub fn is_centre_on_object(&self) -> bool {
        self.is_on_object(self.centre)
    }

    /// The columns lead from α, β and δ of `Moments` into the camera's frame.
    pub fn axes(&self) -> Matrix {
        Matrix::from_columns(&[Vector::x(), Vector::y(), self.ray])
    }

    /// From the centre's point to another, camera frame.
    pub fn direction_to(&self, index: usize) -> Result<Vector, Unreadable> {
        Self::unit(self.cloud.camera_point(index) - self.cloud.camera_point(self.centre))
    }

    /// A vector at length 1.
    pub fn unit(vector: Vector) -> Result<Vector, Unreadable> {
        const LEAST_M: f64 = 1e-6;
        let distance_m = vector.norm();
        if distance_m < LEAST_M { Err(Unreadable::Coincident { distance_m }) } else { Ok(vector / distance_m) }
    }
}
