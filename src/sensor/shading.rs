//! The colours of what is seen: the paint of a row's pixels, and then the light on all of them.
//!
//! A pixel's colour depends on nothing but its own ray and what that meets: whatever is drawn beside it, it has the same bytes.

use std::mem::take;
use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};
use wide::{f32x4, i32x4};

use super::facet::Facet;
use super::facets;
use super::light::Light;
use super::object_view::ObjectView;
use super::room::recycled;
use super::visible::{Grid, NOTHING, Seen, Visible};
use crate::assets::{Detail, EIGHT};
use crate::math::Vector;
use crate::world::{Lighting, Shape};

/// Red, green, blue, and something beside: from 0 for black to 1 for white, and brighter.
pub type Color = f32x4;

/// Colours the pixels of one view.
#[derive(Debug)]
pub struct Shader<'v> {
    /// Of the CPU's vectors.
    level: Level,
    objects: &'v [ObjectView<'v>],
    /// None where paint is seen as it is.
    light: Option<Light>,
    /// Whether there is something to be lit pixel by pixel.
    has_solids: bool,
    /// From a pixel to its right neighbour along x, and to its lower along y; 0 where pictures are not smoothed.
    steps: [f64; 2],
    palette: Palette<'v>,
}

/// Memory that one shader leaves to the next.
#[derive(Debug, Default)]
pub struct Palette<'v> {
    /// In the place that a number says: which number, and which of the facets.
    places: Vec<(u64, u32)>,
    facets: Vec<Facet<'v>>,
    /// What facets are still to be made of, behind the first one.
    waiting: Vec<u64>,
    /// Which of the facets pixels see, of rows that are still to be coloured.
    numbers: Vec<u32>,
    /// Of a row, metres.
    depths: Vec<f32>,
    row: Vec<Pixel>,
}

impl Palette<'_> {
    pub fn recycled<'w>(self) -> Palette<'w> {
        Palette { facets: recycled(self.facets), ..self }
    }
}

/// What a pixel sees, in f32, which colours are calculated in.
#[derive(Clone, Copy, Debug)]
pub struct Pixel {
    /// Of its ray (x, y, -1).
    pub x: f32,
    /// In the camera's frame, of any length, and behind it 1; of what is not lit here, 0.
    pub normal: f32x4,
    /// In its facet's picture.
    pub places: i32x4,
    /// What these are between, if that is known to be inside.
    pub texels: [u32; 2],
    pub color: Color,
    /// How far the picture is seen from.
    pub detail: Detail,
}

/// Where a ray meets a surface, in f32: (x, y, -1), times the depth in metres.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub x: f32,
    pub y: f32,
    pub depth: f32,
}

impl Pixel {
    pub fn new(x: f32) -> Self {
        Self {
            x,
            normal: f32x4::ZERO,
            places: i32x4::ZERO,
            texels: [0; 2],
            color: Color::ZERO,
            detail: Detail::default(),
        }
    }
}

/// About as many facets are made at once: of triangles of some rows of a patch.
const KEPT: usize = 1024;

impl<'v> Shader<'v> {
    pub fn new(
        objects: &'v [ObjectView<'v>],
        lighting: Lighting,
        towards_light: Vector,
        steps: [Vector; 2],
        palette: Palette<'v>,
    ) -> Self {
        let is_lit = lighting == Lighting::Mujoco;
        Self {
            level: Level::new(),
            objects,
            has_solids: objects.iter().any(|view| !matches!(view.object.shape, Shape::Mesh(_))),
            light: is_lit.then(|| Light::new(&towards_light)),
            steps: if is_lit { [steps[0].x, steps[1].y] } else { [0.0; 2] },
            palette,
        }
    }

    pub fn into_palette(self) -> Palette<'v> {
        self.palette
    }

    /// The colours of a band as it is seen through a grid, row by row: of the places that see something, from the first to the
    /// last, and which these are.
    pub fn color(&mut self, grid: &Grid, visible: &Visible, mut put: impl FnMut(Range<usize>, &[Pixel])) {
        let Palette { row, numbers, depths, .. } = &mut self.palette;
        let (mut row, mut numbers, mut depths) = (take(row), take(numbers), take(depths));
        let ([first, last], [top, bottom]) = (visible.band.columns, visible.band.rows);
        let (x_at, y_at) = (&grid.x_at[first as usize..=last as usize], &grid.y_at[top as usize..=bottom as usize]);
        row.clear();
        row.extend(x_at.iter().map(|x| Pixel::new(*x as f32)));
        let mut rows = y_at.iter().zip(visible.rows());
        while rows.len() > 0 {
            self.forget();
            let count = self.number(rows.clone().map(|(_, (.., seen))| seen), &mut numbers);
            self.make();
            let mut numbers = &numbers[..];
            for (y, (drawn, nearness, seen)) in rows.by_ref().take(count) {
                let part = without_ends(seen);
                let places = drawn.start + part.start..drawn.start + part.end;
                let pixels = &mut row[places.clone()];
                let seen = numbers.split_off(..pixels.len()).unwrap_or_default();
                depths.clear();
                depths.extend(nearness[part].iter().map(|nearness| 1.0 / *nearness as f32));
                self.color_row(pixels, *y as f32, &depths, seen);
                put(places, pixels);
            }
        }
        let palette = &mut self.palette;
        (palette.row, palette.numbers, palette.depths) = (row, numbers, depths);
    }

    /// Which of the facets each pixel sees, of so many rows that these stay few. Says of how many.
    fn number<'s>(&mut self, rows: impl Iterator<Item = &'s [u64]>, numbers: &mut Vec<u32>) -> usize {
        let Palette { places, waiting, .. } = &mut self.palette;
        let places = places.first_chunk_mut().expect("there are as many as are kept");
        numbers.clear();
        let mut count = 0;
        for seen in rows {
            numbers.extend(seen[without_ends(seen)].iter().map(|seen| number_of(*seen, places, waiting)));
            count += 1;
            if waiting.len() > KEPT {
                break;
            }
        }
        count
    }

    /// By the depths, and which of the facets each sees. In rounds, since what the next one waits for is there when it begins.
    fn color_row(&self, row: &mut [Pixel], y: f32, depths: &[f32], seen: &[u32]) {
        let facets = &self.palette.facets;
        for ((pixel, depth), number) in row.iter_mut().zip(depths).zip(seen) {
            facets[*number as usize].begin(Hit { x: pixel.x, y, depth: *depth }, pixel);
        }
        for (pixel, number) in row.iter_mut().zip(seen) {
            facets[*number as usize].paint(pixel);
        }
        if let Some(light) = self.light.as_ref().filter(|_| self.has_solids) {
            dispatch!(self.level, simd => light.shine(simd, y, row));
        }
    }

    /// Makes the facets that are waiting.
    fn make(&mut self) {
        dispatch!(self.level, simd => self.make_all(simd));
        self.palette.waiting.clear();
    }

    /// Those of one mesh eight at a time.
    #[inline(always)]
    fn make_all<S: Simd>(&mut self, simd: S) {
        let Palette { facets: made, waiting, .. } = &mut self.palette;
        for object in waiting.chunk_by(|a, b| a >> 32 == b >> 32) {
            let view = &self.objects[Seen::unpacked(object[0]).object];
            match &view.object.shape {
                Shape::Mesh(shape) => {
                    for eight in object.chunks(EIGHT) {
                        facets::add(simd, made, view, &shape.mesh, eight, self.light.as_ref(), self.steps);
                    }
                }
                _ => made.extend(object.iter().map(|seen| Facet::new(view, Seen::unpacked(*seen).triangle))),
            }
        }
    }

    /// All facets but the first, which is what nothing is.
    fn forget(&mut self) {
        let Palette { places, facets, .. } = &mut self.palette;
        places.clear();
        places.resize(KEPT, (NOTHING, 0));
        facets.clear();
        facets.push(Facet::NOTHING);
    }
}

/// Which of the facets that will be.
#[inline(always)]
fn number_of(seen: u64, places: &mut [(u64, u32); KEPT], waiting: &mut Vec<u64>) -> u32 {
    // The object's number a few places above the end of the triangle's.
    let place = &mut places[(seen ^ seen >> 27) as usize % KEPT];
    if place.0 == seen { place.1 } else { keep(seen, place, waiting) }
}

#[inline(never)]
fn keep(seen: u64, place: &mut (u64, u32), waiting: &mut Vec<u64>) -> u32 {
    if seen == NOTHING {
        return 0;
    }
    waiting.push(seen);
    *place = (seen, waiting.len() as u32);
    place.1
}

/// From the first to the last pixel that sees something.
fn without_ends(seen: &[u64]) -> Range<usize> {
    let first = seen.iter().position(|seen| *seen != NOTHING).unwrap_or(seen.len());
    let last = seen.iter().rposition(|seen| *seen != NOTHING).map_or(first, |last| last + 1);
    first..last
}
