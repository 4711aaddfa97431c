//! A triangle in a camera's frame: which rays go through it, and how near it is.
//!
//! A ray (x, y, -1) is within an edge from a to b if it is on the inner side of the plane through a, b and the camera, whose
//! normal is a × b. Of two triangles that share an edge, one has a × b and the other b × a, which in IEEE arithmetic is exactly
//! the negative; so no ray slips between them, and one that meets the edge belongs to both.

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
