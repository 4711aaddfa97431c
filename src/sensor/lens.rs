//! What of a sensor's camera never changes: where the rays of its pixels pass.

use super::camera::Camera;
use super::visible::Grid;
use crate::math::Vector;
use crate::world::SensorSpec;

#[derive(Debug)]
pub struct Lens {
    pub grid: Grid,
    /// Through which colours are seen, if not through the pixels' centres.
    pub samples: Vec<Grid>,
    /// From a pixel's ray to those of its right and its lower neighbour.
    pub steps: [Vector; 2],
}

/// Where the rays of a smoothed pixel pass, from its centre, in pixels right and down: the usual pattern of four samples, no
/// two of them in one row or column, as it lies in the reference's images.
const SAMPLES: [[f64; 2]; 4] = [[-0.125, 0.375], [0.375, 0.125], [-0.375, -0.125], [0.125, -0.375]];

impl Lens {
    pub fn new(sensor: &SensorSpec) -> Self {
        let camera = Camera::new(sensor);
        let grid = Grid::new(&camera);
        let samples =
            if sensor.antialiasing { SAMPLES.map(|sample| grid.shifted(sample)).to_vec() } else { Vec::new() };
        Self { grid, samples, steps: camera.steps() }
    }
}
