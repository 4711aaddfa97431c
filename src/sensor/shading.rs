//! The colours of what is seen: the paint of a row's pixels, and then the light on all of them.
//!
//! A pixel's colour depends on nothing but its own ray and what that meets: whatever is drawn beside it, it has the same bytes.

use std::mem::take;

use wide::f32x4;

use super::facet::{Facet, Pixel};
use super::light::Light;
use super::object_view::ObjectView;
use super::room::recycled;
use super::visible::{Grid, NOTHING, Seen, Visible};
use crate::math::Vector;
use crate::world::Lighting;

/// Red, green, blue, each from 0 to 1, and something beside.
pub type Color = f32x4;

/// Colours the pixels of one view.
#[derive(Debug)]
pub struct Shader<'v> {
    objects: &'v [ObjectView<'v>],
    /// None where paint is seen as it is.
    light: Option<Light>,
    /// From a pixel to its right neighbour along x, and to its lower along y, where pictures are smoothed.
    steps: Option<[f64; 2]>,
    palette: Palette<'v>,
}

/// Memory that one shader leaves to the next.
#[derive(Debug, Default)]
pub struct Palette<'v> {
    /// In the place that a number says: which number, and which of the facets.
    places: Vec<(u64, usize)>,
    facets: Vec<Facet<'v>>,
    /// Of a row's pixels: which facet each sees and where in its picture, their normals and their colours.
    found: Vec<(usize, f32x4)>,
    normals: Vec<f32x4>,
    colors: Vec<Color>,
}

impl Palette<'_> {
    pub fn recycled<'w>(self) -> Palette<'w> {
        let Palette { places, facets, found, normals, colors } = self;
        Palette { places, facets: recycled(facets), found, normals, colors }
    }
}

/// Surfaces that are kept: triangles of some rows of a patch.
const KEPT: usize = 256;

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
            light: is_lit.then(|| Light::new(&towards_light)),
            steps: is_lit.then(|| [steps[0].x, steps[1].y]),
            palette,
        }
    }

    pub fn into_palette(self) -> Palette<'v> {
        self.palette
    }

    /// The colours of a band as it is seen through a grid, row by row.
    pub fn color(&mut self, grid: &Grid, visible: &Visible, mut put: impl FnMut(&[Color])) {
        let width = visible.row(visible.band.rows[0], grid).0.len();
        let [mut colors, mut normals] = [take(&mut self.palette.colors), take(&mut self.palette.normals)];
        let mut found = take(&mut self.palette.found);
        colors.resize(width, f32x4::ZERO);
        normals.resize(width, f32x4::ZERO);
        found.resize(width, (0, f32x4::ZERO));
        for row in visible.band.rows[0]..=visible.band.rows[1] {
            if self.palette.facets.len() > KEPT {
                self.forget();
            }
            let y = grid.y_at[row as usize] as f32;
            let (x_at, nearness, seen) = visible.row(row, grid);
            let pixels = x_at.iter().zip(nearness).map(|(x, near)| Pixel { x: *x as f32, y, nearness: *near });
            // In two rounds: what the second waits for is there when it begins.
            for (((pixel, seen), place), normal) in pixels.clone().zip(seen).zip(&mut found).zip(&mut normals) {
                let facet = self.facet(*seen);
                *normal = self.palette.facets[facet].normal(&pixel);
                *place = (facet, self.palette.facets[facet].uv(&pixel));
            }
            for ((pixel, (facet, uv)), color) in pixels.zip(&found).zip(&mut colors) {
                *color = self.palette.facets[*facet].paint(&pixel, *uv);
            }
            if let Some(light) = &self.light {
                light.shine(x_at, y, &normals, &mut colors);
            }
            colors.iter_mut().for_each(|color| *color = within(*color));
            put(&colors);
        }
        (self.palette.colors, self.palette.normals, self.palette.found) = (colors, normals, found);
    }

    #[inline(always)]
    fn facet(&mut self, seen: u64) -> usize {
        let place = (seen ^ (seen >> 32).wrapping_mul(97)) as usize % KEPT;
        let (kept, facet) = self.palette.places[place];
        if kept == seen { facet } else { self.keep(seen, place) }
    }

    /// The first of the facets stays what nothing is.
    #[inline(never)]
    fn keep(&mut self, seen: u64, place: usize) -> usize {
        if seen == NOTHING {
            return 0;
        }
        let unpacked = Seen::unpacked(seen);
        self.palette.facets.push(Facet::new(&self.objects[unpacked.object], unpacked, self.steps));
        self.palette.places[place] = (seen, self.palette.facets.len() - 1);
        self.palette.facets.len() - 1
    }

    /// Between two rows, so that no row loses a facet that it still needs.
    fn forget(&mut self) {
        self.palette.places.fill((NOTHING, 0));
        self.palette.facets.truncate(1);
    }
}

/// No more than white; what is no number is black.
#[inline(always)]
fn within(color: Color) -> Color {
    let color = color & color.simd_gt(f32x4::ZERO);
    color.simd_lt(f32x4::ONE).bitselect(color, f32x4::ONE)
}
