//! Triangles in a camera's frame, L of them side by side: which rays go through them, and how near they are.
//!
//! A ray (x, y, -1) is within an edge from a to b if it is on the inner side of the plane through a, b and the camera, whose
//! normal is a × b. Of two triangles that share an edge, one has a × b and the other b × a, which in IEEE arithmetic is exactly
//! the negative; so no ray slips between them, and one that meets the edge belongs to both.

/// Numbers of L triangles.
pub type Lanes<const L: usize> = [f64; L];

/// A point of each of L triangles.
pub type Points<const L: usize> = [Lanes<L>; 3];

#[derive(Clone, Copy, Debug)]
pub struct Facing<const L: usize> {
    /// Normals of the planes through the camera and an edge.
    edges: [Points<L>; 3],
    /// The nearness of the plane that a ray goes through: 1 over its planar depth is this times the ray.
    plane: Points<L>,
    /// Below 0 if the front is seen; 0 where a triangle is seen so much from its edge that only rounding would say, and would
    /// make up its depth.
    pub side: Lanes<L>,
}

/// Of a triangle's side, in sizes of its distance and its edges, with room to spare.
const ROUNDING: f64 = 1e-14;

/// Where a change of frame puts points: `rows` p + `offset`.
pub fn moved<const L: usize>(rows: &[[f64; 3]; 3], offset: &[f64; 3], point: &Points<L>) -> Points<L> {
    let [x, y, z] = point;
    [0, 1, 2].map(|axis| {
        let [a, b, c] = rows[axis];
        std::array::from_fn(|lane| a * x[lane] + b * y[lane] + c * z[lane] + offset[axis])
    })
}

fn cross<const L: usize>(a: &Points<L>, b: &Points<L>) -> Points<L> {
    [(1, 2), (2, 0), (0, 1)]
        .map(|(next, last)| std::array::from_fn(|lane| a[next][lane] * b[last][lane] - a[last][lane] * b[next][lane]))
}

fn minus<const L: usize>(a: &Points<L>, b: &Points<L>) -> Points<L> {
    [0, 1, 2].map(|axis| std::array::from_fn(|lane| a[axis][lane] - b[axis][lane]))
}

fn size<const L: usize>(point: &Points<L>, lane: usize) -> f64 {
    point[0][lane].abs() + point[1][lane].abs() + point[2][lane].abs()
}

impl<const L: usize> Facing<L> {
    pub fn new([a, b, c]: [&Points<L>; 3]) -> Self {
        let (ab, ac) = (minus(b, a), minus(c, a));
        let mut plane = cross(&ab, &ac);
        let mut side = [0.0; L];
        for lane in 0..L {
            side[lane] = plane[0][lane] * a[0][lane] + plane[1][lane] * a[1][lane] + plane[2][lane] * a[2][lane];
            let inverse = 1.0 / side[lane];
            for axis in &mut plane {
                axis[lane] *= inverse;
            }
            let noise = ROUNDING * size(a, lane) * size(a, lane) * (size(&ab, lane) + size(&ac, lane));
            side[lane] = if side[lane].abs() > noise { side[lane] } else { 0.0 };
        }
        Self { edges: [cross(b, a), cross(c, b), cross(a, c)], plane, side }
    }

    /// The same triangles from behind.
    pub fn turned(mut self, lane: usize) -> Self {
        for normal in &mut self.edges {
            normal.iter_mut().for_each(|axis| axis[lane] = -axis[lane]);
        }
        self.side[lane] = -self.side[lane];
        self
    }

    /// For each ray through (x, y) that meets the front of a triangle, 1 over its planar depth; else 0.
    pub fn nearness(&self, x: f64, y: f64) -> Lanes<L> {
        let mut nearness = [0.0; L];
        for lane in 0..L {
            let within = self.edges.each_ref().map(|n| n[0][lane] * x + (n[1][lane] * y - n[2][lane]) >= 0.0);
            let near = self.plane[0][lane] * x + (self.plane[1][lane] * y - self.plane[2][lane]);
            let is_met = within[0] & within[1] & within[2] & (self.side[lane] < 0.0);
            nearness[lane] = if is_met { near } else { 0.0 };
        }
        nearness
    }
}

/// One triangle on one row of rays.
#[derive(Clone, Copy, Debug)]
pub struct FacingRow {
    edges: [[f64; 2]; 3],
    plane: [f64; 2],
}

impl Facing<1> {
    /// For each corner, what its weight is on a ray, times the ray.
    pub fn weights(&self) -> [[f64; 3]; 3] {
        [1, 2, 0].map(|edge| self.edges[edge].map(|axis| axis[0]))
    }

    /// Times the ray, the nearness of the plane.
    pub fn plane(&self) -> [f64; 3] {
        self.plane.map(|axis| axis[0])
    }

    pub fn row(&self, y: f64) -> FacingRow {
        let of = |n: &Points<1>| [n[0][0], n[1][0] * y - n[2][0]];
        FacingRow { edges: self.edges.each_ref().map(of), plane: of(&self.plane) }
    }
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
