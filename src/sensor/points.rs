//! A patch as points: what Monty's DepthTo3DLocations makes of depth.

use super::band::{Work, for_each_band};
use super::camera::Camera;
use super::lanes::{range_of, sum_of};
use super::mask::label_surface;
use super::pipeline::DepthImage;
use crate::math::{Matrix, Pose, Vector};
use crate::protocol::{Abandoned, KeepGoing};
use crate::world::DepthTo3DLocations;

/// A point of each pixel, row by row from the top, and the label that says whether it is on the surface in view.
#[derive(Clone, Debug, Default)]
pub struct PointCloud {
    pub depth: DepthImage,
    /// Semantic ids, or 1 without a semantic image; 0 is off the surface.
    pub labels: Vec<u32>,
    /// All that is on the surface.
    pub runs: Vec<Run>,
    /// Camera frame at depth 1 m: x of each column, y of each row.
    pub x_at: Vec<f64>,
    pub y_at: Vec<f64>,
    /// From the camera's frame into that of the points; `None`: they are the same.
    pub world_from_camera: Option<Pose>,
    has_all_points: bool,
}

/// Pixels of a row that are neighbours and on the surface: columns `from` and on, before `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub row: usize,
    pub from: usize,
    pub to: usize,
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
        depth: DepthImage,
        semantic: Option<&[u32]>,
        camera: &Camera,
        world_from_camera: Option<Pose>,
        arguments: &DepthTo3DLocations,
        keep_going: &mut KeepGoing,
    ) -> Result<Self, Abandoned> {
        let mut cloud = Self { depth, ..Self::default() };
        cloud.read(semantic, camera, world_from_camera, arguments, keep_going)?;
        Ok(cloud)
    }

    /// Makes points of the cloud's own depth, in the memory of those that it held before.
    pub fn read(
        &mut self,
        semantic: Option<&[u32]>,
        camera: &Camera,
        world_from_camera: Option<Pose>,
        arguments: &DepthTo3DLocations,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        label_surface(&mut self.depth, semantic, arguments, &mut self.labels, keep_going)?;
        find_runs(&self.labels, self.depth.width as usize, &mut self.runs);
        self.x_at.clear();
        self.x_at.extend((0..self.depth.width).map(|column| camera.monty_x(column)));
        self.y_at.clear();
        self.y_at.extend((0..self.depth.height).map(|row| camera.monty_y(row)));
        self.world_from_camera = world_from_camera.filter(|_| arguments.world_coord);
        self.has_all_points = arguments.get_all_points;
        Ok(())
    }

    /// The pixel [H//2, W//2].
    pub fn centre(&self) -> usize {
        let (width, height) = (self.x_at.len(), self.y_at.len());
        height / 2 * width + width / 2
    }

    /// In the camera's frame.
    pub fn camera_point(&self, index: usize) -> Vector {
        self.camera_ray(index) * self.depth.metres[index]
    }

    /// The point at depth 1.
    pub fn camera_ray(&self, index: usize) -> Vector {
        let (row, column) = (index / self.x_at.len(), index % self.x_at.len());
        Vector::new(self.x_at[column], self.y_at[row], -1.0)
    }

    /// The depths of a run.
    pub fn depths(&self, run: Run) -> &[f64] {
        let start = run.row * self.x_at.len();
        &self.depth.metres[start + run.from..start + run.to]
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

    /// Appends x, y, z and label of each pixel, or of those on the surface alone.
    pub fn semantic_3d(&self, rows: &mut Vec<[f64; 4]>, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
        self.append(rows, |index| self.point(index), keep_going)
    }

    /// The same in the camera's frame; false, where not all points are asked for, and nothing.
    pub fn sensor_frame_data(&self, rows: &mut Vec<[f64; 4]>, keep_going: &mut KeepGoing) -> Result<bool, Abandoned> {
        if self.has_all_points {
            self.append(rows, |index| self.camera_point(index), keep_going)?;
        }
        Ok(self.has_all_points)
    }

    fn append(
        &self,
        rows: &mut Vec<[f64; 4]>,
        point: impl Fn(usize) -> Vector,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        rows.reserve_exact(if self.has_all_points { self.labels.len() } else { 0 });
        for_each_band(self.labels.len(), keep_going, |band| {
            for index in band.filter(|index| self.has_all_points || self.labels[*index] != 0) {
                let point = point(index);
                rows.push([point.x, point.y, point.z, f64::from(self.labels[index])]);
            }
        })
    }

    /// The pose as a matrix, if points are in the world.
    pub fn cam_to_world(&self) -> Option<[[f64; 4]; 4]> {
        let matrix = self.world_from_camera?.to_homogeneous();
        Some(std::array::from_fn(|row| std::array::from_fn(|column| matrix[(row, column)])))
    }

    pub fn coverage(&self, keep_going: &mut KeepGoing) -> Result<Coverage, Abandoned> {
        let (mut count, mut least, mut sum) = (0, f64::INFINITY, 0.0);
        let mut work = Work::new(keep_going);
        for run in &self.runs {
            work.spend(run.to - run.from)?;
            count += run.to - run.from;
            let depths = self.depths(*run);
            sum += sum_of(depths);
            least = range_of(depths)[0].min(least);
        }
        let is_any = count > 0;
        Ok(Coverage {
            object_coverage: count as f64 / self.labels.len() as f64,
            min_depth_m: is_any.then_some(least),
            mean_depth_m: is_any.then(|| sum / count as f64),
        })
    }
}

/// Row by row. Pixels on the surface are counted, in vectors, and searched only in rows where they are not all neighbours.
fn find_runs(labels: &[u32], width: usize, runs: &mut Vec<Run>) {
    runs.clear();
    runs.reserve(labels.len() / width);
    for (row, labels) in labels.chunks(width).enumerate() {
        let count = count_of(labels);
        if count == 0 {
            continue;
        }
        let from = labels.iter().take_while(|label| **label == 0).count();
        let to = from + count;
        if labels.get(from..to).is_some_and(|labels| count_of(labels) == count) {
            runs.push(Run { row, from, to });
        } else {
            add_runs(row, labels, runs);
        }
    }
}

fn count_of(labels: &[u32]) -> usize {
    labels.iter().map(|label| u32::from(*label != 0)).sum::<u32>() as usize
}

fn add_runs(row: usize, labels: &[u32], runs: &mut Vec<Run>) {
    let mut from = 0;
    for run in labels.chunk_by(|left, right| (*left == 0) == (*right == 0)) {
        let to = from + run.len();
        if run[0] != 0 {
            runs.push(Run { row, from, to });
        }
        from = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_neighbours_of_a_row_that_are_on_the_surface() {
        let run = |row, from, to| Run { row, from, to };
        let labels = [0, 0, 0, 0, 1, 2, 3, 4, 0, 5, 6, 0, 7, 0, 8, 9, 0, 1, 0, 1];
        let expected = vec![run(1, 0, 4), run(2, 1, 3), run(3, 0, 1), run(3, 2, 4), run(4, 1, 2), run(4, 3, 4)];
        let mut found = Vec::new();
        find_runs(&labels, 4, &mut found);
        assert_eq!(found, expected);
    }
}
