//! The colours of what is seen: the paint of a row's pixels, and then the light on all of them.
//!
//! A pixel's colour depends on nothing but its own ray and what that meets: whatever is drawn beside it, it has the same bytes.

use std::mem::take;
use std::ops::Range;

use wide::{f32x4, i32x4};

use super::facet::Facet;
use super::facets;
use super::light::Light;
use super::object_view::ObjectView;
use super::room::recycled;
use super::visible::{Grid, NOTHING, Seen, Visible};
use crate::assets::Detail;
use crate::math::Vector;
use crate::world::{Lighting, Shape};

/// Red, green, blue, and something beside: from 0 for black to 1 for white, and brighter.
pub type Color = f32x4;

/// Colours the pixels of one view.
#[derive(Debug)]
pub struct Shader<'v> {
    objects: &'v [ObjectView<'v>],
    /// None where paint is seen as it is.
    light: Option<Light>,
    /// Whether there is something to be lit pixel by pixel.
    has_solids: bool,
    /// From a pixel to its right neighbour along x, and to its lower along y, where pictures are smoothed.
    steps: Option<[f64; 2]>,
    palette: Palette<'v>,
}

/// Memory that one shader leaves to the next.
#[derive(Debug, Default)]
pub struct Palette<'v> {
    /// In the place that a number says: which number, and which of the facets.
    places: Vec<(u64, u32)>,
    facets: Vec<Facet<'v>>,
    /// What facets are still to be made of, those behind the ones that are there.
    waiting: Vec<u64>,
    row: Vec<Pixel>,
}

impl Palette<'_> {
    pub fn recycled<'w>(self) -> Palette<'w> {
        let Palette { places, facets, waiting, row } = self;
        Palette { places, facets: recycled(facets), waiting, row }
    }
}

/// What a pixel sees, in f32, which colours are calculated in.
#[derive(Clone, Copy, Debug)]
pub struct Pixel {
    /// Of its ray (x, y, -1).
    pub x: f32,
    /// Where that meets the surface, metres.
    pub depth: f32,
    /// In the camera's frame, of any length, and behind it 1; of what is not lit here, 0.
    pub normal: f32x4,
    /// In its facet's picture.
    pub places: i32x4,
    pub color: Color,
    facet: u32,
    /// How far that is seen from.
    pub detail: Detail,
}

impl Pixel {
    pub fn new(x: f32) -> Self {
        Self {
            x,
            depth: 0.0,
            normal: f32x4::ZERO,
            places: i32x4::ZERO,
            color: Color::ZERO,
            facet: 0,
            detail: Detail::default(),
        }
    }
}

/// Surfaces that are kept: triangles of some rows of a patch.
const KEPT: usize = 1024;

impl<'v> Shader<'v> {
    pub fn new(
        objects: &'v [ObjectView<'v>],
        lighting: Lighting,
        towards_light: Vector,
        steps: [Vector; 2],
        mut palette: Palette<'v>,
    ) -> Self {
        let is_lit = lighting == Lighting::Mujoco;
        palette.places.clear();
        palette.places.resize(KEPT, (NOTHING, 0));
        palette.facets.clear();
        palette.facets.push(Facet::NOTHING);
        Self {
            objects,
            has_solids: objects.iter().any(|view| !matches!(view.object.shape, Shape::Mesh(_))),
            light: is_lit.then(|| Light::new(&towards_light)),
            steps: is_lit.then(|| [steps[0].x, steps[1].y]),
            palette,
        }
    }

    pub fn into_palette(self) -> Palette<'v> {
        self.palette
    }

    /// The colours of a band as it is seen through a grid, row by row: of the places that see something, from the first to the
    /// last, and which these are.
    pub fn color(&mut self, grid: &Grid, visible: &Visible, mut put: impl FnMut(Range<usize>, &[Pixel])) {
        let mut row = take(&mut self.palette.row);
        let ([first, last], [top, bottom]) = (visible.band.columns, visible.band.rows);
        let (x_at, y_at) = (&grid.x_at[first as usize..=last as usize], &grid.y_at[top as usize..=bottom as usize]);
        row.clear();
        row.extend(x_at.iter().map(|x| Pixel::new(*x as f32)));
        for (y, (drawn, nearness, seen)) in y_at.iter().zip(visible.rows()) {
            if self.palette.facets.len() > KEPT {
                self.forget();
            }
            let part = without_ends(seen);
            let places = drawn.start + part.start..drawn.start + part.end;
            let pixels = &mut row[places.clone()];
            for ((pixel, nearness), seen) in pixels.iter_mut().zip(&nearness[part.clone()]).zip(&seen[part]) {
                (pixel.depth, pixel.facet) = (1.0 / *nearness as f32, self.facet(*seen));
            }
            self.make();
            self.color_row(pixels, *y as f32);
            put(places, pixels);
        }
        self.palette.row = row;
    }

    /// In rounds, since what the next one waits for is there when it begins.
    fn color_row(&mut self, row: &mut [Pixel], y: f32) {
        for pixel in row.iter_mut() {
            self.palette.facets[pixel.facet as usize].begin(y, pixel);
        }
        for pixel in row.iter_mut() {
            self.palette.facets[pixel.facet as usize].paint(pixel);
        }
        if let Some(light) = self.light.as_ref().filter(|_| self.has_solids) {
            light.shine(y, row);
        }
    }

    /// Which of the facets that is: of those that are there, or of those that are waiting behind them.
    #[inline(always)]
    fn facet(&mut self, seen: u64) -> u32 {
        let place = (seen ^ (seen >> 32).wrapping_mul(97)) as usize % KEPT;
        let (kept, facet) = self.palette.places[place];
        if kept == seen { facet } else { self.keep(seen, place) }
    }

    /// The first of the facets stays what nothing is.
    #[inline(never)]
    fn keep(&mut self, seen: u64, place: usize) -> u32 {
        if seen == NOTHING {
            return 0;
        }
        let facet = (self.palette.facets.len() + self.palette.waiting.len()) as u32;
        self.palette.waiting.push(seen);
        self.palette.places[place] = (seen, facet);
        facet
    }

    /// Makes the facets that are waiting; those of one mesh four at a time.
    #[inline(never)]
    fn make(&mut self) {
        let Palette { facets: made, waiting, .. } = &mut self.palette;
        for object in waiting.chunk_by(|a, b| a >> 32 == b >> 32) {
            let view = &self.objects[Seen::unpacked(object[0]).object];
            match &view.object.shape {
                Shape::Mesh(shape) => {
                    object
                        .chunks(4)
                        .for_each(|four| facets::add(made, view, &shape.mesh, four, self.light.as_ref(), self.steps));
                }
                _ => made.extend(object.iter().map(|seen| Facet::new(view, Seen::unpacked(*seen).triangle))),
            }
        }
        waiting.clear();
    }

    /// Between two rows, so that no row loses a facet that it still needs.
    fn forget(&mut self) {
        self.palette.places.fill((NOTHING, 0));
        self.palette.facets.truncate(1);
    }
}

/// From the first to the last pixel that sees something.
fn without_ends(seen: &[u64]) -> Range<usize> {
    let first = seen.iter().position(|seen| *seen != NOTHING).unwrap_or(seen.len());
    let last = seen.iter().rposition(|seen| *seen != NOTHING).map_or(first, |last| last + 1);
    first..last
}
