//! A tree of boxes around a mesh's triangles: which of them a ray may meet, nearest boxes first.
//!
//! It only leaves out what cannot be met: boxes are f32, and each is taken larger by more than all rounding. Whether and where
//! a triangle is met, the caller says. The triangles of the mesh stand in the order of the leaves.

use crate::math::{Bounds, Vector};

/// Triangles in a leaf, and children of a node: what four lanes test at once.
pub const LANES: usize = 4;

#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<Node>,
    blocks: Vec<Block>,
    bounds: Bounds,
}

/// Four boxes, each around a node or a block.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// By axis and side: least x, most x, least y and so on; then by child.
    bounds: [[f32; LANES]; 6],
    children: [u32; LANES],
}

/// Of a child that is a block.
const IS_BLOCK: u32 = 1 << 31;
const NO_CHILD: u32 = u32::MAX;

/// A leaf's triangles by corner, axis and lane; beyond the last, the last again.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub corners: [[[f64; LANES]; 3]; 3],
    /// Number of the first triangle in the mesh.
    pub first: u32,
    pub count: u32,
}

/// How a tree is built: the order of the triangles.
#[derive(Debug)]
pub struct Order(pub Vec<u32>);

impl Bvh {
    /// The tree, and the order in which the triangles have to stand from now on.
    pub fn new(positions: &[Vector], triangles: &[[u32; 3]]) -> (Self, Order) {
        let corners = |t: &[u32; 3]| t.map(|corner| positions[corner as usize]);
        let boxes: Vec<Bounds> = triangles.iter().map(|t| Bounds::around(&corners(t))).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let root = split(&mut order, 0, &boxes);
        let sorted: Vec<[Vector; 3]> = order.iter().map(|i| corners(&triangles[*i as usize])).collect();
        let mut bvh = Self { nodes: Vec::new(), blocks: Vec::new(), bounds: *root.bounds() };
        bvh.push(&[&root], &sorted);
        (bvh, Order(order))
    }

    /// Around all triangles.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Roughly, in memory.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.blocks.len() * size_of::<Block>()
    }

    /// A node of up to four subtrees.
    fn push(&mut self, trees: &[&Tree], corners: &[[Vector; 3]]) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Node { bounds: [[0.0; LANES]; 6], children: [NO_CHILD; LANES] });
        for (lane, tree) in trees.iter().enumerate() {
            for axis in 0..3 {
                self.nodes[index].bounds[2 * axis][lane] = tree.bounds().least[axis] as f32;
                self.nodes[index].bounds[2 * axis + 1][lane] = tree.bounds().most[axis] as f32;
            }
            let child = match tree {
                Tree::Leaf { start, count, .. } => self.push_block(*start, *count, corners),
                Tree::Inner { .. } => self.push(&tree.four(), corners),
            };
            self.nodes[index].children[lane] = child;
        }
        index as u32
    }

    fn push_block(&mut self, start: usize, count: usize, all: &[[Vector; 3]]) -> u32 {
        let lane_of = |lane: usize| &all[start + lane.min(count - 1)];
        let corners = std::array::from_fn(|corner| {
            std::array::from_fn(|axis| std::array::from_fn(|lane| lane_of(lane)[corner][axis]))
        });
        self.blocks.push(Block { corners, first: start as u32, count: count as u32 });
        (self.blocks.len() - 1) as u32 | IS_BLOCK
    }

    /// Calls `meets` with the triangles of each leaf whose box the ray passes before the parameter that `meets` returned last,
    /// which is that of the nearest hit so far; the boxes that it enters first come first.
    pub fn visit(&self, origin: &Vector, direction: &Vector, mut meets: impl FnMut(&Block) -> f64) {
        let ray = BoxRay::new(origin, direction, reach(&self.bounds));
        let mut limit = f32::INFINITY;
        let mut open = [(0.0f32, 0u32); DEEPEST];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (entry, index) = open[depth];
            if entry > limit {
                continue;
            }
            if index & IS_BLOCK != 0 {
                let nearest = meets(&self.blocks[(index & !IS_BLOCK) as usize]);
                // A little more, so that rounding leaves nothing out.
                limit = (nearest as f32) * (1.0 + 1e-6);
                continue;
            }
            let node = &self.nodes[index as usize];
            let entries = ray.enters(node, limit);
            let first = depth;
            for (lane, entry) in entries.into_iter().enumerate() {
                if entry < f32::INFINITY && node.children[lane] != NO_CHILD {
                    // The pile stays sorted from here on, the nearest on top.
                    let mut place = depth;
                    while place > first && open[place - 1].0 < entry {
                        open[place] = open[place - 1];
                        place -= 1;
                    }
                    open[place] = (entry, node.children[lane]);
                    depth += 1;
                }
            }
        }
    }
}

/// A ray as boxes are tested against it.
struct BoxRay {
    /// By axis: the origin, moved away from the near and from the far side by more than all rounding.
    near_origin: [f32; 3],
    far_origin: [f32; 3],
    inverse: [f32; 3],
    /// By axis: which side the ray meets first.
    near_side: [usize; 3],
}

impl BoxRay {
    fn new(origin: &Vector, direction: &Vector, reach: f64) -> Self {
        // Of a direction that stands still along an axis, a very slow one: it stays on its side of every box.
        const SLOWEST: f64 = 1e-18;
        let pad = ROUNDING * (origin.amax() + reach);
        let slow = SLOWEST * direction.amax();
        let mut ray = Self { near_origin: [0.0; 3], far_origin: [0.0; 3], inverse: [0.0; 3], near_side: [0; 3] };
        for axis in 0..3 {
            let d = direction[axis];
            let is_forward = d >= 0.0;
            let d = if d.abs() < slow { slow.copysign(d) } else { d };
            let away = if is_forward { pad } else { -pad };
            ray.near_origin[axis] = (origin[axis] + away) as f32;
            ray.far_origin[axis] = (origin[axis] - away) as f32;
            ray.inverse[axis] = (1.0 / d) as f32;
            ray.near_side[axis] = 2 * axis + usize::from(!is_forward);
        }
        ray
    }

    /// Where the ray enters each of a node's boxes; beyond everything if it does not before `limit`.
    fn enters(&self, node: &Node, limit: f32) -> [f32; LANES] {
        let mut from = [0.0f32; LANES];
        let mut to = [limit; LANES];
        for axis in 0..3 {
            let near = &node.bounds[self.near_side[axis]];
            let far = &node.bounds[self.near_side[axis] ^ 1];
            for lane in 0..LANES {
                let a = (near[lane] - self.near_origin[axis]) * self.inverse[axis];
                let b = (far[lane] - self.far_origin[axis]) * self.inverse[axis];
                from[lane] = if a > from[lane] { a } else { from[lane] };
                to[lane] = if b < to[lane] { b } else { to[lane] };
            }
        }
        std::array::from_fn(|lane| if from[lane] <= to[lane] { from[lane] } else { f32::INFINITY })
    }
}

/// Of f32 coordinates of boxes, rays and their products, with room to spare; in sizes of the largest coordinate.
const ROUNDING: f64 = 2e-6;

/// Three more for each level of at most 2³¹ triangles' tree, which the split below keeps from being a list.
const DEEPEST: usize = 256;

/// Largest coordinate.
fn reach(bounds: &Bounds) -> f64 {
    bounds.least.amax().max(bounds.most.amax())
}

/// Half the surface of the box; of nothing, nothing.
fn area(bounds: &Bounds) -> f64 {
    let size = bounds.size().map(|side| side.max(0.0));
    size.x * size.y + size.y * size.z + size.z * size.x
}

/// The tree while it is built, two by two.
enum Tree {
    Leaf { bounds: Bounds, start: usize, count: usize },
    Inner { bounds: Bounds, halves: Box<[Tree; 2]> },
}

impl Tree {
    fn bounds(&self) -> &Bounds {
        let (Tree::Leaf { bounds, .. } | Tree::Inner { bounds, .. }) = self;
        bounds
    }

    /// The children, and the children of the largest of them, up to four.
    fn four(&self) -> Vec<&Tree> {
        let mut trees = vec![self];
        while trees.len() < LANES {
            let inner = trees.iter().enumerate().filter_map(|(place, tree)| match tree {
                Tree::Inner { bounds, halves } => Some((place, area(bounds), halves)),
                Tree::Leaf { .. } => None,
            });
            let Some((place, _, halves)) = inner.reduce(|a, b| if b.1 > a.1 { b } else { a }) else { break };
            trees.splice(place..=place, halves.iter());
        }
        trees
    }
}

/// Cuts along the widest axis where the surface area heuristic says, in halves where that would leave one side too small.
fn split(order: &mut [u32], start: usize, boxes: &[Bounds]) -> Tree {
    let (mut bounds, mut centres) = (Bounds::NOTHING, Bounds::NOTHING);
    for i in order.iter() {
        let (around, centre) = (&boxes[*i as usize], boxes[*i as usize].centre());
        bounds = bounds.with(around);
        centres = centres.with(&Bounds { least: centre, most: centre });
    }
    if order.len() <= LANES {
        return Tree::Leaf { bounds, start, count: order.len() };
    }
    let axis = centres.size().imax();
    // The last levels are most of the work and hardly of the rays' way: they are cut in halves.
    let half = if order.len() <= FEW { halve(order, axis, boxes) } else { cut(order, axis, &centres, boxes) };
    let (low, high) = order.split_at_mut(half);
    let halves = Box::new([split(low, start, boxes), split(high, start + half, boxes)]);
    Tree::Inner { bounds, halves }
}

/// Sorts the low part before the high one, and says how many are low.
fn cut(order: &mut [u32], axis: usize, centres: &Bounds, boxes: &[Bounds]) -> usize {
    let (least, width) = (centres.least[axis], centres.size()[axis]);
    let mut contents = [Content::NOTHING; BINS];
    let mut bins = Vec::with_capacity(order.len());
    for i in order.iter() {
        let bounds = boxes[*i as usize];
        let centre = (bounds.least[axis] + bounds.most[axis]) / 2.0;
        let bin = (((centre - least) / width * BINS as f64) as usize).min(BINS - 1);
        contents[bin] = contents[bin].with(&Content { count: 1, bounds });
        bins.push(bin as u8);
    }
    match cheapest(&contents, order.len()) {
        Some(last_low) => partition(order, &bins, last_low as u8),
        None => halve(order, axis, boxes),
    }
}

fn halve(order: &mut [u32], axis: usize, boxes: &[Bounds]) -> usize {
    let key = |i: u32| boxes[i as usize].least[axis] + boxes[i as usize].most[axis];
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |a, b| key(*a).total_cmp(&key(*b)).then(a.cmp(b)));
    half
}

/// Triangles for which looking for the best cut is not worth it.
const FEW: usize = 8 * LANES;

/// Slices along an axis, between which a cut is looked for.
const BINS: usize = 16;

/// Of one or more bins.
#[derive(Clone, Copy)]
struct Content {
    count: usize,
    bounds: Bounds,
}

impl Content {
    const NOTHING: Self = Self { count: 0, bounds: Bounds::NOTHING };

    fn with(&self, other: &Self) -> Self {
        Self { count: self.count + other.count, bounds: self.bounds.with(&other.bounds) }
    }

    /// In whole leaves, since a leaf of one triangle costs as much as one of four.
    fn cost(&self) -> f64 {
        area(&self.bounds) * self.count.div_ceil(LANES) as f64
    }
}

/// The bin behind which a cut costs rays the least, if any leaves both sides an eighth of the triangles.
fn cheapest(bins: &[Content; BINS], count: usize) -> Option<usize> {
    let mut above = [Content::NOTHING; BINS];
    for b in (0..BINS - 1).rev() {
        above[b] = above[b + 1].with(&bins[b + 1]);
    }
    let fewest = (count / 8).max(1);
    let (mut below, mut least, mut best) = (Content::NOTHING, f64::INFINITY, None);
    for b in 0..BINS - 1 {
        below = below.with(&bins[b]);
        let cost = below.cost() + above[b].cost();
        if (fewest..=count - fewest).contains(&below.count) && cost < least {
            (least, best) = (cost, Some(b));
        }
    }
    best
}

/// Those up to the last low bin before the others, both in their order.
fn partition(order: &mut [u32], bins: &[u8], last_low: u8) -> usize {
    let mut high = vec![0; order.len()];
    let mut count = 0;
    // Both places are written, since no branch could be foreseen.
    for (index, bin) in bins.iter().enumerate() {
        let triangle = order[index];
        order[count] = triangle;
        high[index - count] = triangle;
        count += usize::from(*bin <= last_low);
    }
    let rest = order.len() - count;
    order[count..].copy_from_slice(&high[..rest]);
    count
}
