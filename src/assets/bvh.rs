//! A tree of boxes around a mesh's triangles: which of them a ray may meet, nearest boxes first.
//!
//! It only leaves out what cannot be met: boxes and triangles are f32, and each is taken larger by more than all rounding.
//! Whether and where a triangle is met, the caller says. The triangles of the mesh stand in the order of the leaves.

use std::ops::Range;

use wide::f32x4;

use super::four::{Four, LANES, first, four, lanes, may_surround, pad, point, size, splat};
use super::limits;
use crate::math::{Bounds, Vector};

#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<Node>,
    blocks: Vec<Block>,
    bounds: Bounds,
}

/// Four boxes, each around a node or a block.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Least and most by axis, child beside child.
    bounds: [[f32x4; 2]; 3],
    children: [u32; LANES],
}

/// Of a child that is a block.
const IS_BLOCK: u32 = 1 << 31;
const NO_CHILD: u32 = u32::MAX;

/// A leaf's triangles.
#[derive(Clone, Copy, Debug)]
struct Block {
    corners: Four,
    /// Number of the first triangle in the mesh.
    first: u32,
    count: u32,
}

/// How a tree is built: the order of the triangles, and where in it groups of neighbours begin.
#[derive(Debug)]
pub struct Order {
    pub triangles: Vec<u32>,
    pub groups: Vec<usize>,
}

impl Bvh {
    /// The tree, and the order in which the triangles have to stand from now on, in groups of at most so many.
    pub fn new(positions: &[Vector], triangles: &[[u32; 3]], most_in_group: usize) -> (Self, Order) {
        let corners = |t: &[u32; 3]| t.map(|corner| positions[corner as usize]);
        let boxes: Vec<Bounds> = triangles.iter().map(|t| Bounds::around(&corners(t))).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let root = split(&mut order, 0, &boxes);
        let sorted: Vec<[Vector; 3]> = order.iter().map(|i| corners(&triangles[*i as usize])).collect();
        let mut bvh = Self { nodes: Vec::new(), blocks: Vec::new(), bounds: *root.bounds() };
        bvh.push(&[&root], &sorted);
        let mut groups = Vec::new();
        root.note_groups(most_in_group, &mut groups);
        (bvh, Order { triangles: order, groups })
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
        self.nodes.push(Node { bounds: [[f32x4::ZERO; 2]; 3], children: [NO_CHILD; LANES] });
        for (lane, tree) in trees.iter().enumerate() {
            let Bounds { least, most } = tree.bounds();
            for axis in 0..3 {
                let [low, high] = &mut self.nodes[index].bounds[axis];
                (low.as_mut_array()[lane], high.as_mut_array()[lane]) = (least[axis] as f32, most[axis] as f32);
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
        let corners = four(&all[start..start + count], &Vector::zeros());
        self.blocks.push(Block { corners, first: start as u32, count: count as u32 });
        (self.blocks.len() - 1) as u32 | IS_BLOCK
    }

    /// To cast rays from one point.
    pub fn from(&self, origin: &Vector) -> Caster<'_> {
        let pad = pad(ROUNDING, origin.amax() + reach(&self.bounds));
        let moved = |by: f64| point(&origin.add_scalar(by));
        let (origins, open) = ([moved(-pad), moved(pad)], [(0.0, 0); DEEPEST]);
        Caster { bvh: self, origin: moved(0.0), origins, pad: splat(pad), open }
    }
}

/// Casts rays from one point.
#[derive(Debug)]
pub struct Caster<'b> {
    bvh: &'b Bvh,
    origin: [f32x4; 3],
    /// Moved by more than all rounding, down and up along each axis.
    origins: [[f32x4; 3]; 2],
    /// That much: also more than all rounding of a corner's place.
    pad: f32x4,
    /// Where a ray enters a node or a block, and which that is: what it still has to look at, the nearest on top.
    open: [(f32, u32); DEEPEST],
}

impl Caster<'_> {
    /// Calls `meets` with each triangle that the ray may meet before the parameter that `meets` returned last, which is that of
    /// the nearest hit so far; those in boxes that it enters first come first. Says how many leaves it went through.
    pub fn visit(&mut self, direction: &Vector, mut meets: impl FnMut(usize) -> f64) -> usize {
        let inverse = inverse(direction);
        let (boxes, line) = (BoxRay::new(&inverse, &self.origins), Line::new(direction, &inverse));
        let mut limit = f32::INFINITY;
        self.open[0] = (0.0, 0);
        let (mut depth, mut leaves) = (1, 0);
        while depth > 0 {
            depth -= 1;
            let (entry, index) = self.open[depth];
            if entry > limit {
                continue;
            }
            if index & IS_BLOCK != 0 {
                leaves += 1;
                let block = &self.bvh.blocks[(index & !IS_BLOCK) as usize];
                for lane in lanes(self.may_meet(&line, block) & first(block.count as usize)) {
                    let nearest = meets(block.first as usize + lane);
                    // A little more, so that rounding leaves nothing out.
                    limit = (nearest as f32) * (1.0 + 1e-6);
                }
                continue;
            }
            let node = &self.bvh.nodes[index as usize];
            let entries = boxes.enters(node, limit);
            let bottom = depth;
            for (lane, entry) in entries.into_iter().enumerate() {
                if entry < f32::INFINITY && node.children[lane] != NO_CHILD {
                    self.put(bottom..depth, (entry, node.children[lane]));
                    depth += 1;
                }
            }
        }
        leaves
    }

    /// Among those that are open in these places, one more in its order.
    #[inline(always)]
    fn put(&mut self, places: Range<usize>, open: (f32, u32)) {
        let mut place = places.end;
        while place > places.start && self.open[place - 1].0 < open.0 {
            self.open[place] = self.open[place - 1];
            place -= 1;
        }
        self.open[place] = open;
    }

    /// A bit for each triangle that the ray may go through, from whichever side.
    #[inline(always)]
    fn may_meet(&self, line: &Line, block: &Block) -> u32 {
        let corners = block.corners.each_ref().map(|corner| {
            let [x, y, z] = line.axes.map(|axis| corner[axis] - self.origin[axis]);
            [x - line.slopes[0] * z, y - line.slopes[1] * z]
        });
        may_surround(&corners, size(&corners), self.pad).to_bitmask()
    }
}

/// 1 over a direction along each axis. Where that stands still, it is taken as very slow: it stays on its side of every box.
#[inline(always)]
fn inverse(direction: &Vector) -> [f64; 3] {
    const SLOWEST: f64 = 1e-18;
    let slow = SLOWEST * direction.amax();
    [0, 1, 2].map(|axis| {
        let along = direction[axis];
        1.0 / if along.abs() < slow { slow.copysign(along) } else { along }
    })
}

/// A ray as boxes are tested against it.
struct BoxRay {
    /// By axis, for the lower and for the upper side of a box: the origin, moved away from it by more than all rounding.
    origins: [[f32x4; 2]; 3],
    inverse: [f32x4; 3],
}

impl BoxRay {
    #[inline(always)]
    fn new(inverse: &[f64; 3], [down, up]: &[[f32x4; 3]; 2]) -> Self {
        let origins = [0, 1, 2].map(|axis| [up[axis], down[axis]]);
        Self { origins, inverse: inverse.map(|along| f32x4::splat(along as f32)) }
    }

    /// Where the ray enters each of a node's boxes; beyond everything if it does not before `limit`.
    #[inline(always)]
    fn enters(&self, node: &Node, limit: f32) -> [f32; LANES] {
        let (mut from, mut to) = (f32x4::ZERO, f32x4::splat(limit));
        for axis in 0..3 {
            let [lower, upper] =
                [0, 1].map(|side| (node.bounds[axis][side] - self.origins[axis][side]) * self.inverse[axis]);
            from = from.fast_max(lower.fast_min(upper));
            to = to.fast_min(lower.fast_max(upper));
        }
        from.simd_le(to).bitselect(from, f32x4::splat(f32::INFINITY)).to_array()
    }
}

/// A direction as triangles are tested against it: seen along it, the ray is the point (0, 0).
struct Line {
    /// The axis that it goes along most, behind the two others.
    axes: [usize; 3],
    /// How far it goes along the others meanwhile.
    slopes: [f32x4; 2],
}

impl Line {
    #[inline(always)]
    fn new(direction: &Vector, inverse: &[f64; 3]) -> Self {
        let along = direction.iamax();
        let axes = [[1, 2, 0], [2, 0, 1], [0, 1, 2]][along];
        Self { axes, slopes: [axes[0], axes[1]].map(|axis| f32x4::splat((direction[axis] * inverse[along]) as f32)) }
    }
}

/// Of f32 coordinates of boxes, rays and their products, with room to spare; in sizes of the largest coordinate.
const ROUNDING: f64 = 2e-6;

/// Most that are open at once: three more for each level of the deepest tree.
const DEEPEST: usize = 1 + 3 * levels(limits::MAX_TRIANGLES);

/// Of the deepest tree of so many triangles: the split below leaves either side an eighth, and of few a half.
const fn levels(mut triangles: usize) -> usize {
    let mut levels = 0;
    while triangles > LANES {
        triangles -= if triangles > FEW { triangles / 8 } else { triangles / 2 };
        levels += 1;
    }
    levels
}

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
    /// The largest subtrees of at most so many triangles, from the first.
    fn note_groups(&self, most: usize, groups: &mut Vec<usize>) {
        match self {
            Tree::Inner { halves, .. } if self.count() > most => {
                halves.iter().for_each(|half| half.note_groups(most, groups));
            }
            _ => groups.push(self.start()),
        }
    }

    fn count(&self) -> usize {
        match self {
            Tree::Leaf { count, .. } => *count,
            Tree::Inner { halves, .. } => halves.iter().map(Tree::count).sum(),
        }
    }

    fn start(&self) -> usize {
        match self {
            Tree::Leaf { start, .. } => *start,
            Tree::Inner { halves, .. } => halves[0].start(),
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Triangles of which seven eighths always stand in the nearest third.
    fn lopsided(count: usize) -> Vec<[Vector; 3]> {
        let (mut left, mut size, mut triangles) = (count, 1.0, Vec::new());
        while left > 0 {
            let far = if left > FEW { left / 8 } else { left };
            for number in 0..far {
                // Anywhere, by two roots' digits.
                let [y, z] = [2.0, 3.0].map(|of: f64| size * ((number as f64 * of.sqrt()).fract() - 0.5));
                let corner = Vector::new(-size, y, z);
                triangles.push([corner, corner + Vector::y() * 1e-3 * size, corner + Vector::z() * 1e-3 * size]);
            }
            (left, size) = (left - far, 0.35 * size);
        }
        triangles
    }

    #[test]
    fn the_most_lopsided_trees_do_not_open_more_than_there_is_room_for() {
        let count = 100_000;
        let positions = lopsided(count).concat();
        let triangles: Vec<[u32; 3]> = (0..count as u32).map(|first| [0, 1, 2].map(|at| 3 * first + at)).collect();
        let (bvh, _) = Bvh::new(&positions, &triangles, 64);
        let mut caster = bvh.from(&Vector::x());
        caster.visit(&-Vector::x(), |_| f64::INFINITY);
        let opened = caster.open.iter().rposition(|open| *open != (0.0, 0)).map_or(0, |last| last + 1);
        assert!((150..=1 + 3 * levels(count)).contains(&opened), "{opened} of {}", 1 + 3 * levels(count));
    }

    #[test]
    fn what_is_too_small_for_f32_is_met_all_the_same() {
        let unit = 1e-45;
        let positions =
            [[0.75, -1.0, 0.0], [1.0, -1.0, 0.0], [0.85, 1.0, 0.0]].map(|corner| Vector::from(corner) * unit);
        let (bvh, _) = Bvh::new(&positions, &[[0, 1, 2]], 64);
        let mut met = Vec::new();
        bvh.from(&(Vector::z() * 10.0 * unit)).visit(&Vector::new(0.084, 0.0, -1.0), |triangle| {
            met.push(triangle);
            f64::INFINITY
        });
        assert_eq!(met, [0]);
    }
}
