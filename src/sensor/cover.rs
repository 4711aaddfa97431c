//! Which pixels triangles may cover, four triangles at once: in f32, so it only leaves out what covers no pixel's centre.

use wide::f32x4;

use super::object_view::ObjectView;
use super::visible::{Grid, Rectangle};
use crate::assets::{Cluster, Four, WHOLE, dot, may_surround, point, size, splat};
use crate::math::Vector;

/// Some pixels of a view, as triangles of an object are placed on them.
pub struct Screen<'v> {
    view: &'v ObjectView<'v>,
    rectangle: Rectangle,
    /// What a point in the camera's frame is multiplied with to be its depth, and its column and row times that, from the
    /// first ones of the rectangle.
    of_camera: [Vector; 3],
    /// The same of a direction in the object's frame.
    of_object: [[f32x4; 3]; 3],
    /// How long such numbers are, of a direction of length 1.
    sizes: [f64; 3],
    /// The last column and row, and how large the numbers of those are, and of what is beside them, that matter.
    lasts: [f32x4; 2],
    largest: f64,
}

/// Where a cluster of them is.
pub struct Near {
    centre: [f32x4; 3],
    /// The depth from which on f32 says something.
    nearest: f32x4,
    /// How far columns and rows may be off: so much over the depth, and so much beside.
    noise: [f32x4; 2],
}

/// What four triangles may cover.
pub struct Cover {
    /// A bit for each that may cover a pixel.
    pub seen: u32,
    /// A bit for each of which the ends say something.
    sure: u32,
    /// First and last column, first and last row, in the lower half of the bits.
    ends: [[f32x4; 2]; 2],
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
            view,
            rectangle: *rectangle,
            of_camera,
            of_object: of_object.map(|form| point(&form)),
            sizes: of_object.map(|form| form.abs().sum()),
            lasts: lasts.map(splat),
            largest: lasts[0].max(lasts[1]) + 1.0 + f64::from(SMALL),
        }
    }

    /// What is said of all of a cluster's triangles.
    pub fn near(&self, cluster: &Cluster) -> Near {
        let at = self.view.to_camera(&cluster.centre);
        let centre = self.of_camera.map(|form| form.dot(&at));
        let reach = self.sizes.map(|size| size * cluster.radius);
        let largest = [0, 1, 2].map(|part| centre[part].abs() + 2.0 * reach[part]);
        // Of others f32 never says something: it holds no square of larger numbers, and no digits of smaller ones.
        let is_in_range = largest.iter().all(|size| *size < 1e15) && largest[0].min(cluster.radius) > 1e-15;
        let over_depth = largest[1].max(largest[2]) + self.largest * largest[0];
        Near {
            centre: centre.map(splat),
            nearest: splat(if is_in_range { 1e-3 * largest[0] } else { f64::NAN }),
            noise: [over_depth, self.largest].map(|off| splat(ROUNDING * off)),
        }
    }

    /// Whether each lies so that it covers a pixel's centre, as far as its corners' columns and rows say; of those that reach
    /// one pixel alone, whether they lie around its centre.
    #[inline(always)]
    pub fn cover(&self, near: &Near, four: &Four) -> Cover {
        let corners = four.each_ref().map(|corner| {
            let [depth, x, y] = [0, 1, 2].map(|part| near.centre[part] + dot(&self.of_object[part], corner));
            let over = f32x4::ONE / depth;
            (depth, over, [x * over, y * over])
        });
        let [(a, over_a, _), (b, over_b, _), (c, over_c, _)] = corners;
        let is_sure = a.fast_min(b).fast_min(c).simd_ge(near.nearest);
        let noise = over_a.fast_max(over_b).fast_max(over_c) * near.noise[0] + near.noise[1];
        let placed = corners.map(|(.., place)| place);
        let (half, whole) = (f32x4::splat(NEARLY_HALF) - noise, f32x4::splat(WHOLE));
        let ends = [0, 1].map(|axis| {
            let [a, b, c] = placed.map(|place| place[axis]);
            let least = a.fast_min(b).fast_min(c) + half;
            let most = a.fast_max(b).fast_max(c) - half;
            [least.fast_max(f32x4::ZERO) + whole, most.fast_min(self.lasts[axis]) + whole]
        });
        let [[left, right], [top, bottom]] = ends;
        let may_cover = left.simd_le(right) & top.simd_le(bottom);
        let is_one = may_cover & left.simd_eq(right) & top.simd_eq(bottom);
        let passes =
            if is_one.any() { is_one & passes(&placed, [left - whole, top - whole], noise) } else { f32x4::ZERO };
        let sure = is_sure.to_bitmask();
        Cover { seen: (may_cover & !passes).to_bitmask() | !sure, sure, ends }
    }

    /// The pixels that one of them may cover.
    #[inline(always)]
    pub fn rectangle(&self, cover: &Cover, lane: usize) -> Rectangle {
        if cover.sure >> lane & 1 == 0 {
            return self.rectangle;
        }
        let of = |axis: usize, first: i32| {
            cover.ends[axis].map(|ends| first + (ends.to_array()[lane].to_bits() as i32 - WHOLE.to_bits() as i32))
        };
        Rectangle { columns: of(0, self.rectangle.columns[0]), rows: of(1, self.rectangle.rows[0]) }
    }
}

/// Which triangles are small, and have a pixel's centre outside.
#[inline(always)]
fn passes(placed: &[[f32x4; 2]; 3], [x, y]: [f32x4; 2], noise: f32x4) -> f32x4 {
    let from_centre = placed.map(|place| [place[0] - x, place[1] - y]);
    let size = size(&from_centre);
    !may_surround(&from_centre, size, noise) & size.simd_lt(f32x4::splat(SMALL))
}
