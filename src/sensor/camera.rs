//! A pinhole camera: which ray a pixel sees along, and which point Monty makes of a pixel's depth.
//!
//! Cameras look along -z, +x right, +y up, row 0 on top. A ray is (x, y, -1), never normalised, so that the parameter along
//! it is the planar depth.

use crate::math::{Vector, radians, tan};
use crate::world::SensorSpec;

#[derive(Clone, Copy, Debug)]
pub struct Camera {
    width: u32,
    height: u32,
    /// Half-width and half-height of the view at depth 1.
    half_x: f64,
    half_y: f64,
}

impl Camera {
    pub fn new(sensor: &SensorSpec) -> Self {
        Self::with([sensor.width, sensor.height], sensor.zoom, sensor.hfov_deg)
    }

    pub fn with([width, height]: [u32; 2], zoom: f64, hfov_deg: f64) -> Self {
        let half_x = tan(radians(hfov_deg) / 2.0) / zoom;
        let half_y = half_x * f64::from(height) / f64::from(width);
        Self { width, height, half_x, half_y }
    }

    /// As the sensor's pipeline takes it to be.
    pub fn of_pipeline(sensor: &SensorSpec) -> Self {
        let points = &sensor.pipeline.points;
        let zoom = points.zoom.unwrap_or(sensor.zoom);
        Self::with([sensor.width, sensor.height], zoom, points.hfov_deg.unwrap_or(sensor.hfov_deg))
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// The ray through a pixel's centre, camera frame.
    pub fn ray(&self, row: u32, column: u32) -> Vector {
        let x = self.half_x * (2.0 * (f64::from(column) + 0.5) / f64::from(self.width) - 1.0);
        let y = self.half_y * (1.0 - 2.0 * (f64::from(row) + 0.5) / f64::from(self.height));
        Vector::new(x, y, -1.0)
    }

    /// From a pixel's ray to those of its right and its lower neighbour.
    pub fn steps(&self) -> [Vector; 2] {
        let (x, y) = (2.0 * self.half_x / f64::from(self.width), 2.0 * self.half_y / f64::from(self.height));
        [Vector::new(x, 0.0, 0.0), Vector::new(0.0, -y, 0.0)]
    }

    /// Where Monty's DepthTo3DLocations places a column at depth 1, camera frame: it spreads the pixels from edge to edge,
    /// where cameras look through their centres.
    pub fn monty_x(&self, column: u32) -> f64 {
        linspace(-1.0, 1.0, self.width, column) * self.half_x
    }

    pub fn monty_y(&self, row: u32) -> f64 {
        linspace(1.0, -1.0, self.height, row) * self.half_y
    }
}

/// numpy's `linspace(from, to, count)[index]`.
fn linspace(from: f64, to: f64, count: u32, index: u32) -> f64 {
    match count {
        0 | 1 => from,
        _ if index + 1 == count => to,
        _ => f64::from(index) * ((to - from) / f64::from(count - 1)) + from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linspace_runs_from_edge_to_edge() {
        assert_eq!(linspace(-1.0, 1.0, 1, 0), -1.0);
        assert_eq!(linspace(-1.0, 1.0, 2, 1), 1.0);
        assert_eq!(linspace(-1.0, 1.0, 5, 2), 0.0);
        assert!((linspace(-1.0, 1.0, 64, 32) - 1.0 / 63.0).abs() < 1e-15);
    }
}
