//! What a sensor sensed as points with normals and colours, and as a PLY file that any viewer opens.

use std::sync::Arc;

use saccade::math::Vector;
use saccade::protocol::{Modality, SensorObservation, Value};
use saccade::world::WorldFile;

/// A point and a colour for each pixel, row by row from the top.
#[derive(Debug)]
pub struct Sensed<'o> {
    width: usize,
    /// x, y, z in metres, world, and the label: 0 is off the object.
    points: &'o [[f64; 4]],
    colors: &'o [[u8; 4]],
    /// Where the camera is, world.
    eye: Vector,
}

/// A world whose sensors answer a point for each pixel, and in the world's frame, whatever their pipelines say.
pub fn with_all_points(mut world: WorldFile) -> WorldFile {
    for sensor in world.agents.iter_mut().flat_map(|agent| &mut Arc::make_mut(agent).sensors) {
        sensor.pipeline.points.get_all_points = true;
        sensor.pipeline.points.world_coord = true;
    }
    world
}

impl<'o> Sensed<'o> {
    /// `None` for a sensor that was not asked for points.
    pub fn of(sensor: &'o SensorObservation) -> Option<Self> {
        let value = |modality| sensor.values.iter().find(|(m, _)| *m == modality).map(|(_, value)| value);
        let (Value::Points(points), Value::Rgba(image), Value::Matrix(pose)) =
            (value(Modality::Semantic3d)?, value(Modality::Rgba)?, value(Modality::CamToWorld)?)
        else {
            return None;
        };
        let eye = Vector::new(pose[0][3], pose[1][3], pose[2][3]);
        Some(Self { width: image.width as usize, points, colors: &image.pixels, eye })
    }

    /// The pixels that are on the object.
    pub fn on_object(&self) -> impl Iterator<Item = usize> {
        (0..self.points.len()).filter(|index| self.label(*index) != 0.0)
    }

    fn label(&self, index: usize) -> f64 {
        self.points[index][3]
    }

    fn point(&self, index: usize) -> Vector {
        let [x, y, z, _] = self.points[index];
        Vector::new(x, y, z)
    }

    /// Of length 1, on the camera's side: across the lines through the neighbouring pixels' points, or where there are no
    /// such two, straight to the camera.
    pub fn normal(&self, index: usize) -> Vector {
        let (row, column) = (index / self.width, index % self.width);
        let rows = self.points.len() / self.width;
        let left = (column > 0).then(|| index - 1);
        let right = (column + 1 < self.width).then_some(index + 1);
        let above = (row > 0).then(|| index - self.width);
        let below = (row + 1 < rows).then_some(index + self.width);
        let to_eye = self.eye - self.point(index);
        let across = self.line(index, left, right).zip(self.line(index, above, below));
        let normal = across.and_then(|(a, b)| a.cross(&b).try_normalize(0.0));
        match normal {
            Some(normal) if normal.dot(&to_eye) < 0.0 => -normal,
            Some(normal) => normal,
            None => to_eye.try_normalize(0.0).unwrap_or_else(Vector::z),
        }
    }

    /// From the pixel before to the one behind, as far as both are on the same surface.
    fn line(&self, index: usize, before: Option<usize>, after: Option<usize>) -> Option<Vector> {
        let here = self.point(index);
        let to = |other: Option<usize>| {
            let other = other.filter(|other| self.label(*other) == self.label(index))?;
            Some(self.point(other) - here)
        };
        match (to(before), to(after)) {
            (Some(back), Some(ahead)) => Some(along(back, ahead)),
            (back, ahead) => ahead.or(back.map(|back| -back)),
        }
    }

    /// Binary, little-endian. Viewers read float32.
    pub fn to_ply(&self) -> Vec<u8> {
        let mut ply = header(self.on_object().count()).into_bytes();
        for index in self.on_object() {
            let numbers =
                self.point(index).iter().chain(self.normal(index).iter()).map(|n| *n as f32).collect::<Vec<_>>();
            ply.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
            ply.extend(&self.colors[index][..3]);
            ply.extend((self.label(index) as i32).to_le_bytes());
        }
        ply
    }
}

/// The whole way, or the shorter half where the other leaps to what stands before or behind.
fn along(back: Vector, ahead: Vector) -> Vector {
    const LEAP: f64 = 3.0;
    if ahead.norm() > LEAP * back.norm() {
        -back
    } else if back.norm() > LEAP * ahead.norm() {
        ahead
    } else {
        ahead - back
    }
}

fn header(count: usize) -> String {
    let floats = ["x", "y", "z", "nx", "ny", "nz"].map(|name| format!("property float {name}\n")).concat();
    let colors = ["red", "green", "blue"].map(|name| format!("property uchar {name}\n")).concat();
    format!(
        "ply\nformat binary_little_endian 1.0\ncomment metres, world; label: the semantic id, or 1\n\
         element vertex {count}\n{floats}{colors}property int label\nend_header\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const EYE: [f64; 3] = [0.1, 1.5, 0.9];

    /// What a camera at `EYE` senses of a surface that it sees along -z through 9 x 9 pixels; `None` is off the object.
    fn points(depth: impl Fn(Vector) -> Option<f64>) -> Vec<[f64; 4]> {
        let rays =
            (0..81).map(|index| Vector::new((index % 9) as f64 / 20.0 - 0.2, 0.2 - (index / 9) as f64 / 20.0, -1.0));
        let point = |ray: Vector| {
            let [x, y, z] = (Vector::from(EYE) + ray * depth(ray).unwrap_or(1.0)).into();
            [x, y, z, if depth(ray).is_some() { 7.0 } else { 0.0 }]
        };
        rays.map(point).collect()
    }

    fn sensed(points: &[[f64; 4]]) -> Sensed<'_> {
        Sensed { width: 9, points, colors: &[[1, 2, 3, 255]; 81], eye: EYE.into() }
    }

    #[test]
    fn a_plane_has_its_normal_everywhere_also_at_the_borders_of_the_image() {
        let normal = Vector::new(0.3, -0.2, 1.0).normalize();
        let points = points(|ray| Some(-0.5 / normal.dot(&ray)));
        let sensed = sensed(&points);
        assert!((0..81).all(|index| (sensed.normal(index) - normal).norm() < 1e-12));
    }

    #[test]
    fn a_sphere_has_its_radii_as_normals_and_all_look_at_the_camera() {
        let (centre, radius) = (Vector::new(0.02, -0.01, -0.5), 0.15);
        let points = points(|ray| {
            let (nearest, squared) = (centre.dot(&ray) / ray.norm_squared(), ray.norm_squared());
            let inside = radius * radius - (ray * nearest - centre).norm_squared();
            (inside > 0.0).then(|| nearest - saccade::math::sqrt(inside / squared))
        });
        let sensed = sensed(&points);
        let middle = |index: &usize| (sensed.point(*index) - Vector::from(EYE) - centre).xy().norm() < 0.07;
        let mut seen = 0;
        for index in sensed.on_object() {
            let normal = sensed.normal(index);
            assert!((normal.norm() - 1.0).abs() < 1e-12 && normal.dot(&(sensed.eye - sensed.point(index))) > 0.0);
            if middle(&index) {
                seen += 1;
                let outward = (sensed.point(index) - Vector::from(EYE) - centre) / radius;
                assert!(normal.dot(&outward) > 0.99, "{index}: {normal} is not {outward}");
            }
        }
        assert!(seen > 15, "{seen}");
    }

    #[test]
    fn a_step_to_what_stands_behind_does_not_turn_the_normals_beside_it() {
        let points = points(|ray| Some(if ray.x < 0.01 { 0.4 } else { 0.8 }));
        let sensed = sensed(&points);
        assert!((0..81).all(|index| (sensed.normal(index) - Vector::z()).norm() < 1e-12));
    }

    #[test]
    fn a_point_without_neighbours_looks_at_the_camera() {
        let points = points(|ray| (ray.x.abs() < 0.01 && (ray.y - 0.1).abs() < 0.01).then_some(0.5));
        let sensed = sensed(&points);
        let alone: Vec<usize> = sensed.on_object().collect();
        let [index] = alone[..] else { panic!("one point, not {alone:?}") };
        let to_eye = (Vector::from(EYE) - sensed.point(index)).normalize();
        assert!((sensed.normal(index) - to_eye).norm() < 1e-12);
    }
}
