//! A mesh in clusters of neighbouring triangles: what can be left out of a view as a whole, and what shares its corners.

use std::collections::BTreeMap;
use std::ops::Range;

use wide::f32x4;

use super::four::{LANES, first, lanes, pad, point, splat};
use crate::math::{Bounds, Vector, sqrt};

/// Triangles of a cluster: enough to share most corners, few enough that a cluster looks into one direction.
pub const MOST_TRIANGLES: usize = 64;

#[derive(Clone, Debug, Default)]
pub struct Clusters {
    pub clusters: Vec<Cluster>,
    outlines: Vec<Outlines>,
    /// The largest coordinate of all, of a centre with the radius.
    reach: f64,
    corners: Vec<Vector>,
    triangles: Vec<[u8; 3]>,
}

/// Triangles that follow each other in the mesh.
#[derive(Clone, Debug)]
pub struct Cluster {
    corners: Range<usize>,
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
    /// Of groups of triangles by the first of each, which are neighbours. Those with two sides look everywhere.
    pub fn new(
        positions: &[Vector],
        triangles: &[[u32; 3]],
        groups: &[usize],
        is_two_sided: impl Fn(usize) -> bool,
    ) -> Self {
        let mut all = Self::default();
        let mut place = vec![NOWHERE; positions.len()];
        let ends = groups.iter().copied().skip(1).chain([triangles.len()]);
        for (start, end) in groups.iter().copied().zip(ends) {
            let first = all.corners.len();
            for triangle in &triangles[start..end] {
                let local = triangle.map(|corner| all.place_of(corner, positions, &mut place, first));
                all.triangles.push(local);
            }
            triangles[start..end].iter().flatten().for_each(|corner| place[*corner as usize] = NOWHERE);
            all.add(first, start..end, (start..end).any(&is_two_sided));
        }
        all
    }

    /// Of faces that share corners by having them at the same place.
    pub fn of_faces(faces: &[[Vector; 3]]) -> Self {
        let mut positions = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut number_of = |corner: &Vector| {
            let bits = [corner.x, corner.y, corner.z].map(f64::to_bits);
            *numbers.entry(bits).or_insert_with(|| {
                positions.push(*corner);
                positions.len() as u32 - 1
            })
        };
        let triangles: Vec<[u32; 3]> = faces.iter().map(|face| face.each_ref().map(&mut number_of)).collect();
        let groups: Vec<usize> = (0..triangles.len()).step_by(MOST_TRIANGLES).collect();
        Self::new(&positions, &triangles, &groups, |_| false)
    }

    fn place_of(&mut self, corner: u32, positions: &[Vector], place: &mut [u8], first: usize) -> u8 {
        let place = &mut place[corner as usize];
        if *place == NOWHERE {
            *place = (self.corners.len() - first) as u8;
            self.corners.push(positions[corner as usize]);
        }
        *place
    }

    fn add(&mut self, first: usize, triangles: Range<usize>, is_two_sided: bool) {
        let corners = &self.corners[first..];
        let centre = Bounds::around(corners).centre();
        let radius = corners.iter().map(|corner| (corner - centre).norm()).fold(0.0, f64::max);
        let normals: Vec<Vector> = self.triangles[triangles.clone()]
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|corner| corners[usize::from(corner)]);
                (b - a).cross(&(c - a)).normalize()
            })
            .collect();
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
        self.clusters.push(Cluster { corners: first..self.corners.len(), triangles, centre, radius });
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

    pub fn corners(&self, cluster: &Cluster) -> &[Vector] {
        &self.corners[cluster.corners.clone()]
    }

    /// By their corners among those of the cluster.
    pub fn triangles(&self, cluster: &Cluster) -> &[[u8; 3]] {
        &self.triangles[cluster.triangles.clone()]
    }

    /// The corners of a triangle, by its number in the mesh.
    pub fn triangle(&self, number: usize) -> [Vector; 3] {
        let cluster = self.clusters.partition_point(|cluster| cluster.triangles.end <= number);
        let corners = self.corners(&self.clusters[cluster]);
        self.triangles[number].map(|corner| corners[usize::from(corner)])
    }

    /// Roughly, in memory.
    pub fn bytes(&self) -> usize {
        self.corners.len() * size_of::<Vector>()
            + self.triangles.len() * 3
            + self.clusters.len() * size_of::<Cluster>()
            + self.outlines.len() * size_of::<Outlines>()
    }
}

/// No corner has this number: there are at most 192.
const NOWHERE: u8 = u8::MAX;

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

#[inline(always)]
fn dot(a: &[f32x4; 3], b: &[f32x4; 3]) -> f32x4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
