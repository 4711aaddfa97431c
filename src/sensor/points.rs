//! A patch as points: what Monty's DepthTo3DLocations makes of depth.

use super::band::for_each_band;
use super::camera::Camera;
use super::mask::label_surface;
use super::pipeline::DepthImage;
use crate::math::{Matrix, Pose, Vector};
use crate::protocol::{Abandoned, KeepGoing};
use crate::world::DepthTo3DLocations;

/// A point of each pixel, row by row from the top, and the label that says whether it is on the surface in view.
#[derive(Clone, Debug)]
pub struct PointCloud {
    pub depth: DepthImage,
    /// Semantic ids, or 1 without a semantic image; 0 is off the surface.
    pub labels: Vec<u32>,
    /// Camera frame at depth 1 m: x of each column, y of each row.
    pub x_at: Vec<f64>,
    pub y_at: Vec<f64>,
    /// From the camera's frame into that of the points; `None`: they are the same.
    pub world_from_camera: Option<Pose>,
    has_all_points: bool,
}

/// How much of a patch is on the surface, and how far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    pub object_coverage: f64,
    /// `None` where nothing is on the surface.
    pub min_depth_m: Option<f64>,
    pub mean_depth_m: Option<f64>,
}

impl PointCloud {
    /// Of depth after the other transforms; the semantic image if the sensor has one; the pose that Monty is told.
    pub fn new(
        mut depth: DepthImage,
        semantic: Option<&[u32]>,
        camera: &Camera,
        world_from_camera: Option<Pose>,
        arguments: &DepthTo3DLocations,
        keep_going: &mut KeepGoing,
    ) -> Result<Self, Abandoned> {
        let labels = label_surface(&mut depth, semantic, arguments, keep_going)?;
        Ok(Self {
            x_at: (0..depth.width).map(|column| camera.monty_x(column)).collect(),
            y_at: (0..depth.height).map(|row| camera.monty_y(row)).collect(),
            depth,
            labels,
            world_from_camera: world_from_camera.filter(|_| arguments.world_coord),
            has_all_points: arguments.get_all_points,
        })
    }

    /// The pixel [H//2, W//2].
    pub fn centre(&self) -> usize {
        let (width, height) = (self.x_at.len(), self.y_at.len());
        height / 2 * width + width / 2
    }

    /// In the camera's frame.
    pub fn camera_point(&self, index: usize) -> Vector {
        let depth = self.depth.metres[index];
        let (row, column) = (index / self.x_at.len(), index % self.x_at.len());
        Vector::new(self.x_at[column] * depth, self.y_at[row] * depth, -depth)
    }

    /// In the world, or in the camera's frame where that is asked for.
    pub fn point(&self, index: usize) -> Vector {
        let point = self.camera_point(index);
        self.world_from_camera.map_or(point, |pose| (pose * nalgebra::Point3::from(point)).coords)
    }

    /// From directions of the camera's frame into the points' frame.
    pub fn rotation(&self) -> Matrix {
        self.world_from_camera.map_or_else(Matrix::identity, |pose| pose.rotation.to_rotation_matrix().into_inner())
    }

    /// x, y, z and label of each pixel, or of those on the surface alone.
    pub fn semantic_3d(&self, keep_going: &mut KeepGoing) -> Result<Vec<[f64; 4]>, Abandoned> {
        self.rows(|index| self.point(index), keep_going)
    }

    /// The same in the camera's frame, where all points are asked for.
    pub fn sensor_frame_data(&self, keep_going: &mut KeepGoing) -> Result<Option<Vec<[f64; 4]>>, Abandoned> {
        let rows = self.has_all_points.then(|| self.rows(|index| self.camera_point(index), keep_going));
        rows.transpose()
    }

    fn rows(&self, point: impl Fn(usize) -> Vector, keep_going: &mut KeepGoing) -> Result<Vec<[f64; 4]>, Abandoned> {
        let mut rows = Vec::with_capacity(if self.has_all_points { self.labels.len() } else { 0 });
        for_each_band(self.labels.len(), keep_going, |band| {
            for index in band.filter(|index| self.has_all_points || self.labels[*index] != 0) {
                let point = point(index);
                rows.push([point.x, point.y, point.z, f64::from(self.labels[index])]);
            }
        })?;
        Ok(rows)
    }

    /// The pose as a matrix, if points are in the world.
    pub fn cam_to_world(&self) -> Option<[[f64; 4]; 4]> {
        let matrix = self.world_from_camera?.to_homogeneous();
        Some(std::array::from_fn(|row| std::array::from_fn(|column| matrix[(row, column)])))
    }

    pub fn coverage(&self, keep_going: &mut KeepGoing) -> Result<Coverage, Abandoned> {
        let (mut count, mut least, mut sum) = (0u32, f64::INFINITY, 0.0);
        for_each_band(self.labels.len(), keep_going, |band| {
            for (depth, label) in self.depth.metres[band.clone()].iter().zip(&self.labels[band]) {
                if *label != 0 {
                    count += 1;
                    sum += depth;
                    least = if *depth < least { *depth } else { least };
                }
            }
        })?;
        let is_any = count > 0;
        Ok(Coverage {
            object_coverage: f64::from(count) / self.labels.len() as f64,
            min_depth_m: is_any.then_some(least),
            mean_depth_m: is_any.then(|| sum / f64::from(count)),
        })
    }
}
