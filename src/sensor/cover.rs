//! Which pixels triangles may cover, eight triangles at once: in f32, so it only leaves out what covers no pixel's centre.
//!
//! By the widest vectors of the CPU. What that is does not show in an image, since what is left is drawn in f64.

use fearless_simd::{Level, Simd, dispatch, f32x8, mask32x8, prelude::*};

use super::object_view::ObjectView;
use super::visible::{Grid, Rectangle};
use crate::assets::{Cluster, EIGHT, Eight, WHOLE, dot, first, lanes, sides};
use crate::math::Vector;

/// Some pixels of a view, as triangles of an object are placed on them.
pub struct Screen<'v> {
    level: Level,
    view: &'v ObjectView<'v>,
    rectangle: Rectangle,
    /// What a point in the camera's frame is multiplied with to be its depth, and its column and row times that, from the
    /// first ones of the rectangle.
    of_camera: [Vector; 3],
    /// The same of a direction in the object's frame.
    of_object: [[f32; 3]; 3],
    /// How long such numbers are, of a direction of length 1.
    sizes: [f64; 3],
    /// The last column and row, and how large the numbers of those are, and of what is beside them, that matter.
    lasts: [f32; 2],
    largest: f64,
}

/// A triangle that may cover some pixels.
#[derive(Clone, Copy, Debug)]
pub struct Covered {
    pub triangle: usize,
    pub pixels: Rectangle,
}

/// Where a cluster of triangles is.
struct Near {
    centre: [f32; 3],
    /// The depth from which on f32 says something.
    nearest: f32,
    /// How far columns and rows may be off: so much over the depth, and so much beside.
    noise: [f32; 2],
}

/// What eight triangles may cover.
struct Cover<S: Simd> {
    /// A bit for each that may cover a pixel.
    seen: u32,
    /// A bit for each of which the ends say something.
    sure: u32,
    /// First and last column, first and last row, in the lower half of the bits.
    ends: [[f32x8<S>; 2]; 2],
}

/// Of f32 numbers and their products, with room to spare.
const ROUNDING: f64 = 2e-6;

/// From there to the next whole number up or down.
const NEARLY_HALF: f32 = 0.499;

/// Triangles for which a look at their edges is worth it, and right: as large together as all corners' columns and rows beside
/// a pixel.
const SMALL: f32 = 8.0;

impl<'v> Screen<'v> {
    pub fn new(view: &'v ObjectView<'v>, grid: &Grid, rectangle: &Rectangle) -> Self {
        let depth = -Vector::z();
        let [x, y] = [(Vector::x(), grid.column, rectangle.columns), (Vector::y(), grid.row, rectangle.rows)]
            .map(|(axis, [scale, offset], [first, _])| axis * scale + depth * (offset - f64::from(first)));
        let of_camera = [depth, x, y];
        let of_object = of_camera.map(|form| view.in_object(&form));
        let lasts = [rectangle.columns, rectangle.rows].map(|[first, last]| f64::from(last - first));
        Self {
            level: Level::new(),
            view,
            rectangle: *rectangle,
            of_camera,
            of_object: of_object.map(|form| [0, 1, 2].map(|axis| form[axis] as f32)),
            sizes: of_object.map(|form| form.abs().sum()),
            lasts: lasts.map(|last| last as f32),
            largest: lasts[0].max(lasts[1]) + 1.0 + f64::from(SMALL),
        }
    }

    /// Of a cluster, those triangles of which the corners' columns and rows do not say that they cover no pixel's centre; of
    /// those that reach one pixel alone, which may lie around its centre.
    pub fn cover(&self, cluster: &Cluster, eights: &[Eight], covered: &mut Vec<Covered>) {
        let near = self.near(cluster);
        covered.clear();
        dispatch!(self.level, simd => self.cover_all(simd, &near, cluster, eights, covered));
    }

    #[inline(always)]
    fn cover_all<S: Simd>(
        &self,
        simd: S,
        near: &Near,
        cluster: &Cluster,
        eights: &[Eight],
        covered: &mut Vec<Covered>,
    ) {
        for (first_of_eight, eight) in cluster.triangles.clone().step_by(EIGHT).zip(eights) {
            let cover = self.cover_eight(simd, near, eight);
            for lane in lanes(cover.seen & first((cluster.triangles.end - first_of_eight).min(EIGHT))) {
                covered.push(Covered { triangle: first_of_eight + lane, pixels: self.pixels(&cover, lane) });
            }
        }
    }

    /// What is said of all of a cluster's triangles.
    fn near(&self, cluster: &Cluster) -> Near {
        let at = self.view.to_camera(&cluster.centre);
        let centre = self.of_camera.map(|form| form.dot(&at));
        let reach = self.sizes.map(|size| size * cluster.radius);
        let largest = [0, 1, 2].map(|part| centre[part].abs() + 2.0 * reach[part]);
        // Of others f32 never says something: it holds no square of larger numbers, and no digits of smaller ones.
        let is_in_range = largest.iter().all(|size| *size < 1e15) && largest[0].min(cluster.radius) > 1e-15;
        let over_depth = largest[1].max(largest[2]) + self.largest * largest[0];
        Near {
            centre: centre.map(|part| part as f32),
            nearest: if is_in_range { 1e-3 * largest[0] as f32 } else { f32::NAN },
            noise: [over_depth, self.largest].map(|off| (ROUNDING * off) as f32),
        }
    }

    #[inline(always)]
    fn cover_eight<S: Simd>(&self, simd: S, near: &Near, eight: &Eight) -> Cover<S> {
        let splat = |number: f32| f32x8::splat(simd, number);
        let corners = [0, 1, 2].map(|corner| {
            let from_centre = [0, 1, 2].map(|axis| f32x8::load_array_ref(simd, &eight.0[corner][axis]));
            let [depth, x, y] =
                [0, 1, 2].map(|part| splat(near.centre[part]) + dot(&self.of_object[part].map(splat), &from_centre));
            let over = splat(1.0) / depth;
            (depth, over, [x * over, y * over])
        });
        let [(a, over_a, _), (b, over_b, _), (c, over_c, _)] = corners;
        let is_sure = a.min(b).min(c).simd_ge(splat(near.nearest));
        let noise = over_a.max(over_b).max(over_c) * splat(near.noise[0]) + splat(near.noise[1]);
        let placed = corners.map(|(.., place)| place);
        let (half, whole) = (splat(NEARLY_HALF) - noise, splat(WHOLE));
        let ends = [0, 1].map(|axis| {
            let [a, b, c] = placed.map(|place| place[axis]);
            let least = a.min(b).min(c) + half;
            let most = a.max(b).max(c) - half;
            [least.max(splat(0.0)) + whole, most.min(splat(self.lasts[axis])) + whole]
        });
        let [[left, right], [top, bottom]] = ends;
        let may_cover = left.simd_le(right) & top.simd_le(bottom);
        let is_one = may_cover & left.simd_eq(right) & top.simd_eq(bottom);
        let passes = is_one & passes(&placed, [left - whole, top - whole], noise);
        let sure = is_sure.to_bitmask() as u32;
        Cover { seen: (may_cover & !passes).to_bitmask() as u32 | !sure, sure, ends }
    }

    /// The pixels that one of them may cover.
    #[inline(always)]
    fn pixels<S: Simd>(&self, cover: &Cover<S>, lane: usize) -> Rectangle {
        if cover.sure >> lane & 1 == 0 {
            return self.rectangle;
        }
        let of = |axis: usize, first: i32| {
            cover.ends[axis].map(|ends| first + (ends.as_array()[lane].to_bits() as i32 - WHOLE.to_bits() as i32))
        };
        Rectangle { columns: of(0, self.rectangle.columns[0]), rows: of(1, self.rectangle.rows[0]) }
    }
}

/// Which triangles are small, and have a pixel's centre outside.
#[inline(always)]
fn passes<S: Simd>(placed: &[[f32x8<S>; 2]; 3], [x, y]: [f32x8<S>; 2], noise: f32x8<S>) -> mask32x8<S> {
    let from_centre = placed.map(|place| [place[0] - x, place[1] - y]);
    let [a, b, c] = from_centre.map(|[x, y]| x.abs() + y.abs());
    let size = a + b + c;
    let (noise, [ab, bc, ca]) = (noise * (size + noise + noise), sides(&from_centre));
    let is_left = ab.simd_ge(-noise) & bc.simd_ge(-noise) & ca.simd_ge(-noise);
    let is_right = ab.simd_le(noise) & bc.simd_le(noise) & ca.simd_le(noise);
    !(is_left | is_right) & size.simd_lt(SMALL)
}
