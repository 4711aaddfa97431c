//! The colours of what is seen: the paint of a row's pixels, and then the light on all of them.
//!
//! A pixel's colour depends on nothing but its own ray and what that meets: whatever is drawn beside it, it has the same bytes.

use wide::f32x4;

use super::facet::{Facet, Pixel};
use super::light::Light;
use super::object_view::ObjectView;
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
    /// In the place that a number says: which number, and which of the facets.
    places: Vec<(u64, usize)>,
    facets: Vec<Facet<'v>>,
}

/// Surfaces that are kept: triangles of some rows of a patch.
const KEPT: usize = 256;

impl<'v> Shader<'v> {
    pub fn new(objects: &'v [ObjectView<'v>], lighting: Lighting, towards_light: Vector, steps: [Vector; 2]) -> Self {
        let is_lit = lighting == Lighting::Mujoco;
        Self {
            objects,
            light: is_lit.then(|| Light::new(&towards_light)),
            steps: is_lit.then(|| [steps[0].x, steps[1].y]),
            places: vec![(NOTHING, 0); KEPT],
            facets: vec![Facet::NOTHING],
        }
    }

    /// The colours of a band as it is seen through a grid, row by row.
    pub fn color(&mut self, grid: &Grid, visible: &Visible, mut put: impl FnMut(&[Color])) {
        let width = visible.row(visible.band.rows[0], grid).0.len();
        let [mut colors, mut normals] = [vec![f32x4::ZERO; width], vec![f32x4::ZERO; width]];
        let mut places = vec![(0, f32x4::ZERO); width];
        for row in visible.band.rows[0]..=visible.band.rows[1] {
            if self.facets.len() > KEPT {
                self.forget();
            }
            let y = grid.y_at[row as usize] as f32;
            let (x_at, nearness, seen) = visible.row(row, grid);
            let pixels = x_at.iter().zip(nearness).map(|(x, near)| Pixel { x: *x as f32, y, nearness: *near });
            // In two rounds: what the second waits for is there when it begins.
            for (((pixel, seen), place), normal) in pixels.clone().zip(seen).zip(&mut places).zip(&mut normals) {
                let facet = self.facet(*seen);
                *normal = self.facets[facet].normal(&pixel);
                *place = (facet, self.facets[facet].uv(&pixel));
            }
            for ((pixel, (facet, uv)), color) in pixels.zip(&places).zip(&mut colors) {
                *color = self.facets[*facet].paint(&pixel, *uv);
            }
            if let Some(light) = &self.light {
                light.shine(x_at, y, &normals, &mut colors);
            }
            colors.iter_mut().for_each(|color| *color = within(*color));
            put(&colors);
        }
    }

    #[inline(always)]
    fn facet(&mut self, seen: u64) -> usize {
        let place = (seen ^ (seen >> 32).wrapping_mul(97)) as usize % KEPT;
        let (kept, facet) = self.places[place];
        if kept == seen { facet } else { self.keep(seen, place) }
    }

    /// The first of the facets stays what nothing is.
    #[inline(never)]
    fn keep(&mut self, seen: u64, place: usize) -> usize {
        if seen == NOTHING {
            return 0;
        }
        let unpacked = Seen::unpacked(seen);
        self.facets.push(Facet::new(&self.objects[unpacked.object], unpacked, self.steps));
        self.places[place] = (seen, self.facets.len() - 1);
        self.facets.len() - 1
    }

    /// Between two rows, so that no row loses a facet that it still needs.
    fn forget(&mut self) {
        self.places.fill((NOTHING, 0));
        self.facets.truncate(1);
    }
}

/// No more than white; what is no number is black.
#[inline(always)]
fn within(color: Color) -> Color {
    let color = color & color.simd_gt(f32x4::ZERO);
    color.simd_lt(f32x4::ONE).bitselect(color, f32x4::ONE)
}
