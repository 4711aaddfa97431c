//! A point cloud around its centre, as Monty's extraction of features reads it: as a square of √N by √N pixels.

use std::fmt;

use super::band::{PIXELS_PER_BAND, go_on};
use super::points::PointCloud;
use crate::math::{Matrix, Vector};
use crate::protocol::{Abandoned, KeepGoing};

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
    /// The centre's point, camera frame.
    origin: Vector,
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
        Self { cloud, side, half, centre, rotation: cloud.rotation(), origin: cloud.camera_point(centre) }
    }

    pub fn check_square(&self) -> Result<(), Unreadable> {
        let is_square = self.cloud.x_at.len() == self.side && self.cloud.y_at.len() == self.side;
        if is_square { Ok(()) } else { Err(Unreadable::NotSquare { pixels: self.cloud.labels.len() }) }
    }

    /// Asks, once in a band of rows, whether to go on.
    pub fn go_on_at(&self, row: usize, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
        let rows_per_band = (PIXELS_PER_BAND / self.cloud.x_at.len()).max(1);
        if row % rows_per_band == rows_per_band - 1 { go_on(keep_going) } else { Ok(()) }
    }

    pub fn is_on_object(&self, index: usize) -> bool {
        self.cloud.labels[index] > 0
    }

    pub fn is_centre_on_object(&self) -> bool {
        self.is_on_object(self.centre)
    }

    /// The points of a row in the camera's frame, from the centre's point; `None` off the object.
    pub fn relative_row(&self, row: usize) -> impl Iterator<Item = Option<[f64; 3]>> {
        let width = self.cloud.x_at.len();
        let pixels = row * width..(row + 1) * width;
        let (origin, y_at) = (self.origin, self.cloud.y_at[row]);
        let depths = self.cloud.depth.metres[pixels.clone()].iter().zip(&self.cloud.labels[pixels]);
        depths.zip(&self.cloud.x_at).map(move |((depth, label), x_at)| {
            let point = [x_at * depth - origin.x, y_at * depth - origin.y, -depth - origin.z];
            (*label != 0).then_some(point)
        })
    }

    /// From the centre's point to another, camera frame.
    pub fn direction_to(&self, index: usize) -> Result<Vector, Unreadable> {
        Self::unit(self.cloud.camera_point(index) - self.origin)
    }

    /// A vector at length 1.
    pub fn unit(vector: Vector) -> Result<Vector, Unreadable> {
        const LEAST_M: f64 = 1e-6;
        let distance_m = vector.norm();
        if distance_m < LEAST_M { Err(Unreadable::Coincident { distance_m }) } else { Ok(vector / distance_m) }
    }
}
