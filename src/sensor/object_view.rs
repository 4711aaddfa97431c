//! An object as one camera sees it: the change of frame between the two, and the pixels that it may cover.

use std::ops::{Add, Mul};

use super::closed_form::Ray;
use super::triangle::{Facing, moved};
use super::visible::{Grid, Rectangle};
use crate::math::{Bounds, Matrix, Pose, Vector};
use crate::world::{Object, Shape};

/// Of a mesh in the mesh's own units, before its scale.
#[derive(Clone, Debug)]
pub struct ObjectView<'w> {
    pub object: &'w Object,
    pub index: usize,
    /// A point p of the object is `camera_from_object` p + `offset` in the camera's frame.
    camera_from_object: Matrix,
    offset: Vector,
    object_from_camera: Matrix,
    /// In the object's frame.
    pub camera: Vector,
    camera_from_normal: Matrix,
    /// `camera_from_object` and the same of normals, in f32, which colours are calculated in.
    pub turn: Turn,
    pub normal_turn: Turn,
    scale: Vector,
}

impl<'w> ObjectView<'w> {
    pub fn new(object: &'w Object, index: usize, world_from_camera: &Pose) -> Self {
        let object_from_world = object.spec.rotation.unit().inverse();
        let camera = object_from_world * (world_from_camera.translation.vector - object.spec.position);
        let turn = (object_from_world * world_from_camera.rotation).to_rotation_matrix().into_inner();
        let scale = match &object.shape {
            Shape::Mesh(shape) => shape.scale,
            _ => Vector::repeat(1.0),
        };
        let camera_from_normal = turn.transpose() * Matrix::from_diagonal(&scale.map(|factor| 1.0 / factor));
        let camera_from_object = turn.transpose() * Matrix::from_diagonal(&scale);
        Self {
            object,
            index,
            turn: Turn::new(&camera_from_object),
            normal_turn: Turn::new(&camera_from_normal),
            camera_from_object,
            camera_from_normal,
            offset: -(turn.transpose() * camera),
            object_from_camera: Matrix::from_diagonal(&scale.map(|factor| 1.0 / factor)) * turn,
            camera: camera.component_div(&scale),
            scale,
        }
    }

    pub fn to_camera(&self, point: &Vector) -> Vector {
        self.camera_from_object * point + self.offset
    }

    /// Of directions and points of the object, row by row; behind it the offset.
    pub fn rows(&self) -> ([[f64; 3]; 3], [f64; 3]) {
        let m = &self.camera_from_object;
        ([0, 1, 2].map(|row| [0, 1, 2].map(|column| m[(row, column)])), self.offset.into())
    }

    /// What a direction of the object is multiplied with, of what one in the camera's frame is.
    pub fn in_object(&self, form: &Vector) -> Vector {
        self.camera_from_object.tr_mul(form)
    }

    /// Of a ball, as large as any direction makes it.
    pub fn radius(&self, radius: f64) -> f64 {
        radius * self.scale.amax() * (1.0 + 1e-9)
    }

    /// A plane through the camera, by its normal there: what a point of the object is multiplied with, and what is added, to be
    /// no more than its distance in the object's own units.
    pub fn plane(&self, normal: &Vector) -> (Vector, f64) {
        let scale = self.scale.amax();
        (self.in_object(normal) / scale, normal.dot(&self.offset) / scale)
    }

    /// In the object's frame.
    pub fn ray(&self, ray_in_camera: Vector) -> Ray {
        Ray { origin: self.camera, direction: self.object_from_camera * ray_in_camera }
    }

    /// One of its triangles.
    #[inline(always)]
    pub fn facing(&self, triangle: usize) -> Facing {
        let (rows, offset) = self.rows();
        let corners = self.object.corners(triangle).map(|corner| moved(&rows, &offset, (*corner).into()));
        Facing::new(corners.each_ref())
    }

    /// A normal of the object, of any length, in the camera's frame.
    pub fn turned_normal(&self, normal: &Vector) -> Vector {
        self.camera_from_normal * normal
    }

    /// Of an ellipsoid around the object's origin: what a point that the camera sees is multiplied with to be its normal in the
    /// camera's frame, of any length, and what is added.
    pub fn normals_of_ellipsoid(&self, radii: &Vector) -> (Matrix, Vector) {
        let least = radii.amin();
        let gradient = Matrix::from_diagonal(&radii.map(|radius| (least / radius) * (least / radius)));
        let turned = self.camera_from_normal * gradient;
        (turned * self.object_from_camera, turned * self.camera)
    }

    /// Directions of a row's rays in the object's frame: so much times x, and so much beside.
    pub fn row(&self, y: f64) -> [[f64; 3]; 2] {
        let of = |column: usize| self.object_from_camera.column(column).into_owned();
        [of(0).into(), (of(1) * y - of(2)).into()]
    }

    /// The pixels that the box around the object covers; all of them if it reaches behind the camera.
    pub fn covers(&self, grid: &Grid, within: &Rectangle) -> Rectangle {
        let Bounds { least, most } = self.object.shape.bounds();
        let mut places = Places::nowhere();
        let mut is_behind = true;
        for corner in 0..8 {
            let side = |axis: usize| if corner >> axis & 1 == 0 { least[axis] } else { most[axis] };
            let point = self.to_camera(&Vector::new(side(0), side(1), side(2)));
            is_behind &= point.z >= 0.0;
            match in_front(&point) {
                Some([x, y]) => places.add(grid.place_of(x, y)),
                None => places.is_everywhere = true,
            }
        }
        if is_behind { Rectangle::default() } else { places.rectangle(within) }
    }
}

/// A linear map of some vectors at once.
#[derive(Clone, Copy, Debug)]
pub struct Turn([[f32; 3]; 3]);

impl Turn {
    fn new(matrix: &Matrix) -> Self {
        Self([0, 1, 2].map(|row| [0, 1, 2].map(|column| matrix[(row, column)] as f32)))
    }

    #[inline(always)]
    pub fn of<V: Copy + Add<Output = V> + Mul<f32, Output = V>>(&self, [x, y, z]: [V; 3]) -> [V; 3] {
        let [first, second, third] = self.0;
        let row = |[a, b, c]: [f32; 3]| x * a + y * b + z * c;
        [row(first), row(second), row(third)]
    }
}

/// Where a point of the camera's frame is seen in the plane at depth 1, unless it is behind or so far aside that the place
/// would have no digits.
fn in_front(point: &Vector) -> Option<[f64; 2]> {
    let depth = -point.z;
    (depth > 1e-12 * (point.x.abs() + point.y.abs())).then(|| [point.x / depth, point.y / depth])
}

/// Around places in columns and rows.
pub struct Places {
    least: [f64; 2],
    most: [f64; 2],
    is_everywhere: bool,
}

/// Columns and rows of places are right to far less.
const ROUNDING_PIXELS: f64 = 1e-6;

impl Places {
    pub fn nowhere() -> Self {
        Self { least: [f64::INFINITY; 2], most: [f64::NEG_INFINITY; 2], is_everywhere: false }
    }

    fn add(&mut self, place: [f64; 2]) {
        self.least = [0, 1].map(|axis| self.least[axis].min(place[axis]));
        self.most = [0, 1].map(|axis| self.most[axis].max(place[axis]));
    }

    /// Of a ball in the camera's frame: of the box around it.
    pub fn add_ball(&mut self, centre: &Vector, radius: f64, grid: &Grid) {
        let (near, far) = (-centre.z - radius, -centre.z + radius);
        self.is_everywhere |= near <= 0.0;
        // A side is seen farthest out where it is nearest.
        let least = |axis: usize| (centre[axis] - radius) / if centre[axis] < radius { near } else { far };
        let most = |axis: usize| (centre[axis] + radius) / if centre[axis] > -radius { near } else { far };
        self.add(grid.place_of(least(0), least(1)));
        self.add(grid.place_of(most(0), most(1)));
    }

    pub fn rectangle(&self, within: &Rectangle) -> Rectangle {
        if self.is_everywhere {
            return *within;
        }
        // A cast ends at the largest and the smallest integer.
        let range = |axis: usize| {
            [
                crate::math::ceil(self.least[axis] - ROUNDING_PIXELS) as i32,
                crate::math::floor(self.most[axis] + ROUNDING_PIXELS) as i32,
            ]
        };
        Rectangle { columns: range(0), rows: range(1) }.meet(within)
    }
}
