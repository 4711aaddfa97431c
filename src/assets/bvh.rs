//! A tree of boxes around a mesh's triangles: which of them a ray may meet, nearest boxes first.
//!
//! It only leaves out what cannot be met: boxes are f64 and padded by more than the rounding of the test against them. Whether
//! and where a triangle is met, the caller says.

use crate::math::Vector;

/// Triangles in a leaf: fewer make the tree larger and hardly faster.
const LEAF: usize = 4;

#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<Node>,
    /// The triangles in the order of the leaves.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    least: Vector,
    most: Vector,
    /// A leaf's first triangle in the order, or an inner node's second child; the first stands right behind its parent.
    start: u32,
    /// Triangles of a leaf; 0 for an inner node.
    count: u32,
}

impl Bvh {
    pub fn new(positions: &[Vector], triangles: &[[u32; 3]]) -> Self {
        let corners = |t: &[u32; 3]| t.map(|corner| positions[corner as usize]);
        let boxes: Vec<[Vector; 2]> = triangles.iter().map(|t| bounds(corners(t))).collect();
        let centres: Vec<Vector> = boxes.iter().map(|[least, most]| least + most).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * triangles.len() / LEAF + 1);
        split(&mut nodes, &mut order, 0, &boxes, &centres);
        Self { nodes, order }
    }

    /// Calls `meets` with each triangle whose box the ray passes beyond `near` and before the nearest hit so far, which is what
    /// `meets` returns. The nearest hit; of equals that of the lowest triangle.
    pub fn nearest(
        &self,
        origin: &Vector,
        direction: &Vector,
        near: f64,
        mut meets: impl FnMut(usize) -> Option<f64>,
    ) -> Option<(f64, usize)> {
        let inverse = direction.map(|d| 1.0 / d);
        let mut nearest: Option<(f64, usize)> = None;
        let mut open = [(0u32, 0.0f64); DEEPEST];
        let mut depth = 0;
        if let Some(entry) = self.enters(0, origin, &inverse, near, f64::INFINITY) {
            open[0] = (0, entry);
            depth = 1;
        }
        while depth > 0 {
            depth -= 1;
            let (index, entry) = open[depth];
            let limit = nearest.map_or(f64::INFINITY, |(t, _)| t);
            if entry > limit {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for triangle in &self.order[node.start as usize..][..node.count as usize] {
                    let triangle = *triangle as usize;
                    let Some(t) = meets(triangle).filter(|t| *t > near) else { continue };
                    if nearest.is_none_or(|(best, of)| t < best || (t == best && triangle < of)) {
                        nearest = Some((t, triangle));
                    }
                }
                continue;
            }
            let [first, second] = [index + 1, node.start];
            let entries =
                [first, second].map(|child| self.enters(child, origin, &inverse, near, limit).map(|t| (child, t)));
            let [a, b] = entries;
            // The nearer child is looked into first, so it goes onto the pile last.
            let in_order = if a.map(|e| e.1) <= b.map(|e| e.1) { [b, a] } else { [a, b] };
            for child in in_order.into_iter().flatten() {
                open[depth] = child;
                depth += 1;
            }
        }
        nearest
    }

    /// Where the ray enters a node's box, if it passes it between `near` and `limit`.
    fn enters(&self, node: u32, origin: &Vector, inverse: &Vector, near: f64, limit: f64) -> Option<f64> {
        let Node { least, most, .. } = &self.nodes[node as usize];
        let (mut from, mut to) = (near, limit);
        for axis in 0..3 {
            if inverse[axis].is_infinite() {
                if !(least[axis]..=most[axis]).contains(&origin[axis]) {
                    return None;
                }
                continue;
            }
            let a = (least[axis] - origin[axis]) * inverse[axis];
            let b = (most[axis] - origin[axis]) * inverse[axis];
            from = from.max(a.min(b) - ROUNDING * a.abs().max(b.abs()));
            to = to.min(a.max(b) + ROUNDING * a.abs().max(b.abs()));
        }
        (from <= to).then_some(from)
    }
}

/// Of one subtraction and one multiplication by an inverse, with room to spare.
const ROUNDING: f64 = 1e-15;

/// Halves of halves of at most 2³² triangles.
const DEEPEST: usize = 64;

fn bounds(corners: [Vector; 3]) -> [Vector; 2] {
    let [a, b, c] = corners;
    [a.inf(&b).inf(&c), a.sup(&b).sup(&c)]
}

fn split(nodes: &mut Vec<Node>, order: &mut [u32], start: usize, boxes: &[[Vector; 2]], centres: &[Vector]) {
    let around = |all: &[u32], of: &dyn Fn(u32) -> [Vector; 2]| {
        let first = of(all[0]);
        all.iter().map(|i| of(*i)).fold(first, |[least, most], [a, b]| [least.inf(&a), most.sup(&b)])
    };
    let [least, most] = around(order, &|i| boxes[i as usize]);
    let pad = Vector::repeat(1e-12 * least.amax().max(most.amax()) + f64::MIN_POSITIVE);
    let index = nodes.len();
    let leaf = Node { least: least - pad, most: most + pad, start: start as u32, count: order.len() as u32 };
    nodes.push(leaf);
    if order.len() <= LEAF {
        return;
    }
    let [least, most] = around(order, &|i| [centres[i as usize]; 2]);
    let axis = (most - least).imax();
    let half = order.len() / 2;
    let by_centre = |a: &u32, b: &u32| {
        let (x, y) = (centres[*a as usize][axis], centres[*b as usize][axis]);
        x.total_cmp(&y).then(a.cmp(b))
    };
    order.select_nth_unstable_by(half, by_centre);
    let (low, high) = order.split_at_mut(half);
    split(nodes, low, start, boxes, centres);
    let second = nodes.len() as u32;
    split(nodes, high, start + half, boxes, centres);
    nodes[index] = Node { start: second, count: 0, ..leaf };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from -1 to 1.
    fn chance() -> impl FnMut() -> f64 {
        let mut state = 1u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 23) - 1.0
        }
    }

    fn meets([a, b, c]: [Vector; 3], origin: &Vector, direction: &Vector) -> Option<f64> {
        let (ab, ac, from_a) = (b - a, c - a, origin - a);
        let p = direction.cross(&ac);
        let determinant = ab.dot(&p);
        let q = from_a.cross(&ab);
        let (u, v) = (from_a.dot(&p) / determinant, direction.dot(&q) / determinant);
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0).then(|| ac.dot(&q) / determinant)
    }

    #[test]
    fn the_tree_finds_what_trying_every_triangle_finds() {
        let mut next = chance();
        let mut vector = |size: f64| Vector::new(next() * size, next() * size, next() * size);
        let mut positions = Vec::new();
        for _ in 0..500 {
            let corner = vector(1.0);
            positions.extend([corner, corner + vector(0.2), corner + vector(0.2)]);
        }
        // A flat grid through the middle, whose boxes have no height.
        for (x, y) in (-4..4).flat_map(|x| (-4..4).map(move |y| (f64::from(x) / 4.0, f64::from(y) / 4.0))) {
            positions.extend([Vector::new(x, y, 0.0), Vector::new(x + 0.25, y, 0.0), Vector::new(x, y + 0.25, 0.0)]);
        }
        let triangles: Vec<[u32; 3]> = (0..positions.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let bvh = Bvh::new(&positions, &triangles);
        let mut hits = 0;
        for ray in 0..4000 {
            let origin = if ray % 2 == 0 { vector(2.0) } else { (vector(2.0) * 4.0).map(|c| c.round() / 4.0) };
            let direction = match ray % 4 {
                0 | 1 => vector(1.0),
                2 => Vector::new(0.0, 0.0, -1.0),
                _ => Vector::new(1.0, 0.0, 0.0),
            };
            let test = |i: usize| meets(triangles[i].map(|corner| positions[corner as usize]), &origin, &direction);
            let plain = (0..triangles.len()).filter_map(|i| Some((test(i).filter(|t| *t > 0.1)?, i)));
            let plain = plain.reduce(|best, next| if next.0 < best.0 { next } else { best });
            assert_eq!(bvh.nearest(&origin, &direction, 0.1, test), plain, "{ray}");
            hits += usize::from(plain.is_some());
        }
        assert!(hits > 400, "{hits} rays meet something");
    }
}
