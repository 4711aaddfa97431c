//! A mesh in clusters of neighbouring triangles: what can be left out of a view as a whole, and in f32 eight triangles at once.

use std::ops::Range;

use wide::f32x4;

use super::four::{EIGHT, Eight, LANES, dot, first, lanes, pad, point, splat};
use crate::math::{Bounds, Vector, sqrt};

/// Triangles of a cluster: few enough that it looks into one direction.
pub const MOST_TRIANGLES: usize = 64;

#[derive(Clone, Debug, Default)]
pub struct Clusters {
    pub clusters: Vec<Cluster>,
    outlines: Vec<Outlines>,
    /// The largest coordinate of all, of a centre with the radius.
    reach: f64,
    /// Seen from the centres of their clusters.
    eights: Vec<Eight>,
}

/// Triangles that follow each other in the mesh.
#[derive(Clone, Debug)]
pub struct Cluster {
    eights: Range<usize>,
    /// Their numbers in the mesh.
    pub triangles: Range<usize>,
    /// A ball that holds them.
    pub centre: Vector,
    pub radius: f64,
}

/// Where four clusters are and where they look, a lane for each.
#[derive(Clone, Debug, Default)]
struct Outlines {
    centre: [f32x4; 3],
    radius: f32x4,
    /// The direction in which they look, and the sine of the widest angle to it; more than 1 where they look everywhere.
    axis: [f32x4; 3],
    spread: f32x4,
}

/// What a camera sees of a mesh, in the mesh's frame: all that is on the inner side of some planes and looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Frustum {
    pub camera: Vector,
    /// Of each, what a point is multiplied with, of length 1 at most, and what is added; the sum is above 0 on the inner side,
    /// and no more than the distance.
    pub planes: [(Vector, f64); 5],
}

impl Clusters {
    /// Of triangles by their corners, in groups by the first of each, which are neighbours. Those with two sides look everywhere.
    pub fn new<'c>(
        count: usize,
        corners: impl Fn(usize) -> [&'c Vector; 3],
        groups: impl Iterator<Item = usize> + Clone,
        is_two_sided: impl Fn(usize) -> bool,
    ) -> Self {
        let mut all = Self::default();
        let ends = groups.clone().skip(1).chain([count]);
        for (start, end) in groups.zip(ends) {
            let triangles: Vec<[Vector; 3]> = (start..end).map(|triangle| corners(triangle).map(|c| *c)).collect();
            all.add(start..end, &triangles, (start..end).any(&is_two_sided));
        }
        all
    }

    /// Of faces in any order.
    pub fn of_faces<'c>(count: usize, corners: impl Fn(usize) -> [&'c Vector; 3]) -> Self {
        Self::new(count, corners, (0..count).step_by(MOST_TRIANGLES), |_| false)
    }

    fn add(&mut self, numbers: Range<usize>, triangles: &[[Vector; 3]], is_two_sided: bool) {
        let centre = Bounds::around(triangles.as_flattened()).centre();
        let radius = triangles.iter().flatten().map(|corner| (corner - centre).norm()).fold(0.0, f64::max);
        let normals: Vec<Vector> = triangles.iter().map(|[a, b, c]| (b - a).cross(&(c - a)).normalize()).collect();
        let axis = normals.iter().sum::<Vector>();
        let axis = if axis.norm() > 0.0 { axis.normalize() } else { axis };
        let narrowest = normals.iter().map(|normal| normal.dot(&axis)).fold(1.0, f64::min);
        let is_cone = narrowest > 0.1 && !is_two_sided;
        let spread = if is_cone { sqrt(1.0 - narrowest * narrowest) } else { 2.0 };
        let lane = self.clusters.len() % LANES;
        if lane == 0 {
            self.outlines.push(Outlines::default());
        }
        if let Some(outlines) = self.outlines.last_mut() {
            outlines.put(lane, [&centre, &axis], [radius, spread]);
        }
        self.reach = self.reach.max(centre.amax() + radius);
        let first = self.eights.len();
        self.eights.extend(triangles.chunks(EIGHT).map(|some| Eight::new(some, &centre)));
        self.clusters.push(Cluster { eights: first..self.eights.len(), triangles: numbers, centre, radius });
    }

    /// Calls `meet` with the number of each cluster of which a camera may see something.
    pub fn visit(&self, frustum: &Frustum, mut meet: impl FnMut(usize)) {
        let Frustum { camera, planes } = frustum;
        let planes = planes.map(|(inward, offset)| (point(&inward), splat(offset), self.pad(offset.abs())));
        let (camera, pad) = (point(camera), self.pad(camera.amax()));
        for (outlines, start) in self.outlines.iter().zip((0..).step_by(LANES)) {
            let mut is_hidden = outlines.look_away(&camera, pad);
            for (inward, offset, pad) in &planes {
                is_hidden |= (dot(inward, &outlines.centre) + *offset + outlines.radius).simd_lt(-*pad);
            }
            let there = first(LANES.min(self.clusters.len() - start));
            lanes(!is_hidden.to_bitmask() & there).for_each(|lane| meet(start + lane));
        }
    }

    /// More than all rounding of places from somewhere so far from the origin.
    fn pad(&self, distance: f64) -> f32x4 {
        splat(pad(ROUNDING, self.reach + distance))
    }

    /// Its triangles eight by eight, seen from its centre.
    pub fn eights(&self, cluster: &Cluster) -> &[Eight] {
        &self.eights[cluster.eights.clone()]
    }

    /// Roughly, in memory.
    pub fn bytes(&self) -> usize {
        self.eights.len() * size_of::<Eight>()
            + self.clusters.len() * size_of::<Cluster>()
            + self.outlines.len() * size_of::<Outlines>()
    }
}

/// Of f32 coordinates, unit vectors and their products, with room to spare.
const ROUNDING: f64 = 1e-5;

impl Outlines {
    fn put(&mut self, lane: usize, [centre, axis]: [&Vector; 2], [radius, spread]: [f64; 2]) {
        let numbers = self.centre.iter_mut().zip(centre).chain(self.axis.iter_mut().zip(axis));
        for (lanes, number) in numbers.chain([(&mut self.radius, &radius), (&mut self.spread, &spread)]) {
            lanes.as_mut_array()[lane] = *number as f32;
        }
    }

    /// Whether all of their triangles show their backs to a point.
    #[inline(always)]
    fn look_away(&self, from: &[f32x4; 3], pad: f32x4) -> f32x4 {
        let away = [0, 1, 2].map(|axis| self.centre[axis] - from[axis]);
        let distance = dot(&away, &away).sqrt();
        dot(&away, &self.axis).simd_ge(self.spread * (distance + self.radius) + self.radius + pad)
    }
}
