//! A triangle in a camera's frame: which rays go through it, and how near it is.
//!
//! A ray (x, y, -1) is within an edge from a to b if it is on the inner side of the plane through a, b and the camera, whose
//! normal is a × b. Of two triangles that share an edge, one has a × b and the other b × a, which in IEEE arithmetic is exactly
//! the negative; so no ray slips between them, and one that meets the edge belongs to both.

use super::visible::WHOLE;

type Point = [f64; 3];

#[derive(Clone, Copy, Debug)]
pub struct Facing {
    /// Normals of the planes through the camera and an edge.
    edges: [Point; 3],
    /// The nearness of the plane that a ray goes through: 1 over its planar depth is this times the ray.
    plane: Point,
    /// Below 0 if the front is seen; 0 where a triangle is seen so much from its edge that only rounding would say, and would
    /// make up its depth.
    pub side: f64,
}

/// Of a triangle's side, in sizes of its distance and its edges, with room to spare.
const ROUNDING: f64 = 1e-14;

/// Where a change of frame puts a point: `rows` p + `offset`.
pub fn moved(rows: &[[f64; 3]; 3], offset: &Point, [x, y, z]: Point) -> Point {
    [0, 1, 2].map(|axis| {
        let [a, b, c] = rows[axis];
        a * x + b * y + c * z + offset[axis]
    })
}

fn cross(a: &Point, b: &Point) -> Point {
    [(1, 2), (2, 0), (0, 1)].map(|(next, last)| a[next] * b[last] - a[last] * b[next])
}

fn minus(a: &Point, b: &Point) -> Point {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

fn size([x, y, z]: &Point) -> f64 {
    x.abs() + y.abs() + z.abs()
}

/// On one row, of a number that is linear in the ray: so much times x, and so much beside.
fn on_row([x, y, z]: &Point, at: f64) -> [f64; 2] {
    [*x, y * at - z]
}

impl Facing {
    #[inline(always)]
    pub fn new([a, b, c]: [&Point; 3]) -> Self {
        let (ab, ac) = (minus(b, a), minus(c, a));
        let plane = cross(&ab, &ac);
        let side = plane[0] * a[0] + plane[1] * a[1] + plane[2] * a[2];
        let inverse = 1.0 / side;
        let noise = ROUNDING * size(a) * size(a) * (size(&ab) + size(&ac));
        Self {
            edges: [cross(b, a), cross(c, b), cross(a, c)],
            plane: plane.map(|axis| axis * inverse),
            side: if side.abs() > noise { side } else { 0.0 },
        }
    }

    /// The same triangle from behind.
    pub fn turned(self) -> Self {
        Self { edges: self.edges.map(|normal| normal.map(|axis| -axis)), side: -self.side, ..self }
    }

    /// For a ray through (x, y) that meets the front, 1 over its planar depth; else 0.
    pub fn nearness(&self, x: f64, y: f64) -> f64 {
        let at = |form: &Point| {
            let [slope, rest] = on_row(form, y);
            slope * x + rest
        };
        let [a, b, c] = self.edges.each_ref().map(|normal| at(normal) >= 0.0);
        if a & b & c & (self.side < 0.0) { at(&self.plane) } else { 0.0 }
    }

    /// Times the ray, the nearness of the plane.
    pub fn plane(&self) -> Point {
        self.plane
    }

    /// Where its edges cross rows, in columns: `scale` x + `offset`.
    pub fn slants(&self, [scale, offset]: [f64; 2]) -> Slants {
        let slopes = self.edges.each_ref().map(|edge| {
            let is_steep = edge[0].abs() > ALONG_ROWS * scale * size(edge);
            if is_steep { -scale / edge[0] } else { 0.0 }
        });
        Slants { slopes, offset }
    }

    pub fn row(&self, y: f64) -> FacingRow {
        FacingRow { edges: self.edges.each_ref().map(|normal| on_row(normal, y)), plane: on_row(&self.plane, y) }
    }
}

/// One triangle on one row of rays.
#[derive(Clone, Copy, Debug)]
pub struct FacingRow {
    edges: [[f64; 2]; 3],
    plane: [f64; 2],
}

impl FacingRow {
    /// Puts the triangle where it is nearer than what is there, but not nearer than `most`.
    pub fn draw(&self, x_at: &[f64], most: f64, number: u64, nearness: &mut [f64], seen: &mut [u64]) {
        let [[ax, a], [bx, b], [cx, c]] = self.edges;
        let [px, p] = self.plane;
        for ((x, nearest), seen) in x_at.iter().zip(nearness).zip(seen) {
            let near = px * x + p;
            let is_within = (ax * x + a >= 0.0) & (bx * x + b >= 0.0) & (cx * x + c >= 0.0);
            let is_nearer = is_within & (near > *nearest) & (near < most);
            *nearest = if is_nearer { near } else { *nearest };
            *seen = if is_nearer { number } else { *seen };
        }
    }
}

/// The columns where a triangle's edges cross a row.
#[derive(Clone, Copy, Debug)]
pub struct Slants {
    /// What an edge's number beside x is multiplied with, below 0 where the inner side is to the right. 0 where the edge goes
    /// along the rows so much that rounding would tell.
    slopes: [f64; 3],
    offset: f64,
}

/// Of an edge's x, in sizes of its normal and for each column: a hundredth of a column is far more than all rounding.
const ALONG_ROWS: f64 = 1e-9;

impl Slants {
    /// Of some columns, those that may be within all edges.
    #[inline(always)]
    pub fn columns(&self, row: &FacingRow, [first, last]: [i32; 2]) -> [i32; 2] {
        const NEARLY_HALF: f64 = 0.49;
        let (mut least, mut most) = (f64::from(first), f64::from(last));
        for ([_, rest], slope) in row.edges.iter().zip(self.slopes) {
            let column = rest * slope + self.offset;
            if slope < 0.0 && column + NEARLY_HALF > least {
                least = column + NEARLY_HALF;
            }
            if slope > 0.0 && column - NEARLY_HALF < most {
                most = column - NEARLY_HALF;
            }
        }
        // So near to each other that they fit into the bits.
        let beside = [f64::from(last) + 1.0, f64::from(first) - 1.0];
        least = if least < beside[0] { least } else { beside[0] };
        most = if most > beside[1] { most } else { beside[1] };
        [least, most].map(|column| (column + WHOLE).to_bits() as i32)
    }
}
