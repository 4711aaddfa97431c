//! The colours of what is seen: paint and light, some numbers for each triangle and few for each pixel.
//!
//! Everything is in the camera's frame. What is linear on a triangle is, times the nearness, linear over the pixels too.

use std::ops::Range;

use super::closed_form::normal_of;
use super::facet::Facet;
use super::light::LightRow;
use super::object_view::ObjectView;
use super::visible::{Grid, NOTHING, Seen, Visible};
use crate::math::Vector;
use crate::world::{Lighting, Shape};

/// Red, green, blue, each from 0 to 1.
pub type Color = [f32; 3];

/// Black, as Monty's simulators leave it.
const BACKGROUND: Color = [0.0; 3];

/// Colours the pixels of one view.
#[derive(Debug)]
pub struct Shader<'v> {
    objects: &'v [ObjectView<'v>],
    is_lit: bool,
    /// World z, where the light comes from, in the camera's frame.
    towards_light: Vector,
    /// From a pixel to its right neighbour along x, and to its lower along y.
    steps: [f64; 2],
    light: LightRow,
    /// The triangles seen last, each in the place that its number says.
    kept: Vec<Option<Facet<'v>>>,
}

/// Triangles that are kept: those of two rows of a patch.
const KEPT: usize = 128;

impl<'v> Shader<'v> {
    pub fn new(objects: &'v [ObjectView<'v>], lighting: Lighting, towards_light: Vector, steps: [Vector; 2]) -> Self {
        let steps = [steps[0].x, steps[1].y];
        Self {
            objects,
            is_lit: lighting == Lighting::Mujoco,
            towards_light,
            steps,
            light: LightRow::default(),
            kept: Vec::new(),
        }
    }

    /// The colours of a band as it is seen through a grid, pixel by pixel.
    pub fn color(&mut self, grid: &Grid, visible: &Visible, mut put: impl FnMut(Color)) {
        for row in visible.band.rows[0]..=visible.band.rows[1] {
            let (x_at, nearness, seen) = visible.row(row, grid);
            let row = Row { x_at, y: grid.y_at[row as usize], nearness, seen };
            if self.is_lit {
                self.light_up(&row);
            }
            row.runs().for_each(|run| self.color_run(&row, run, &mut put));
        }
    }

    /// All normals first, then all light.
    fn light_up(&mut self, row: &Row) {
        let mut light = std::mem::take(&mut self.light);
        light.clear();
        for run in row.runs() {
            match row.seen_by(&run) {
                None => run.for_each(|_| light.push([0.0; 3])),
                Some(seen) if self.is_flat(seen) => self.facet(seen).normals(&row.x_at[run], row.y, &mut light),
                Some(seen) => run.for_each(|pixel| light.push(self.curved(row, pixel, seen))),
            }
        }
        light.shine(row.x_at, row.y, &self.towards_light);
        self.light = light;
    }

    fn color_run(&mut self, row: &Row, run: Range<usize>, put: &mut impl FnMut(Color)) {
        let Some(seen) = row.seen_by(&run) else { return run.for_each(|_| put(BACKGROUND)) };
        let light = std::mem::take(&mut self.light);
        let lit = self.is_lit.then_some(&light);
        if self.is_flat(seen) {
            let facet = self.facet(seen);
            facet.color(&row.x_at[run.clone()], row.y, lit.zip(Some(run.start)), |color| put(within(color)));
        } else {
            let albedo = self.objects[seen.object].object.spec.color.map(|part| part as f32);
            run.for_each(|pixel| put(within(lit.map_or(albedo, |light| light.shade(pixel, albedo)))));
        }
        self.light = light;
    }

    /// MuJoCo's facets, too, have the normals of the ideal surface.
    fn is_flat(&self, seen: Seen) -> bool {
        matches!(self.objects[seen.object].object.shape, Shape::Mesh(_) | Shape::Hull(_) | Shape::Cuboid { .. })
    }

    /// The normal of a curved surface.
    fn curved(&self, row: &Row, pixel: usize, seen: Seen) -> [f32; 3] {
        let view = &self.objects[seen.object];
        let point = view.ray(Vector::new(row.x_at[pixel], row.y, -1.0)).at(1.0 / row.nearness[pixel]);
        let normal = view.turned_normal(&normal_of(&view.object.shape, point)).normalize();
        [normal.x, normal.y, normal.z].map(|part| part as f32)
    }

    fn facet(&mut self, seen: Seen) -> &Facet<'v> {
        if self.kept.is_empty() {
            self.kept.resize_with(KEPT, || None);
        }
        let place = &mut self.kept[(seen.triangle ^ seen.object.wrapping_mul(97)) % KEPT];
        if place.as_ref().is_none_or(|facet| facet.seen != seen) {
            *place = Some(Facet::new(&self.objects[seen.object], seen, self.steps));
        }
        place.as_ref().expect("it was put there")
    }
}

/// One row of a band.
struct Row<'b> {
    x_at: &'b [f64],
    y: f64,
    nearness: &'b [f64],
    seen: &'b [u64],
}

impl Row<'_> {
    /// Neighbouring pixels that see the same.
    fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let mut end = 0;
        self.seen.chunk_by(|a, b| a == b).map(move |run| {
            end += run.len();
            end - run.len()..end
        })
    }

    fn seen_by(&self, run: &Range<usize>) -> Option<Seen> {
        let seen = self.seen[run.start];
        (seen != NOTHING).then(|| Seen::unpacked(seen))
    }
}

/// No more than white; what is no number is black.
fn within(color: Color) -> Color {
    color.map(|part| {
        let part = if part > 0.0 { part } else { 0.0 };
        if part < 1.0 { part } else { 1.0 }
    })
}
