//! A mesh in clusters of neighbouring triangles: what can be left out of a view as a whole, and what shares its corners.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::math::{Bounds, Vector, sqrt};

/// Triangles of a cluster: enough to share most corners, few enough that a cluster looks into one direction.
pub const MOST_TRIANGLES: usize = 64;

#[derive(Clone, Debug, Default)]
pub struct Clusters {
    pub clusters: Vec<Cluster>,
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
    /// The direction in which they look, and the sine of the widest angle to it; more than 1 where they look everywhere.
    axis: Vector,
    spread: f64,
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
            let cluster = all.cluster(first, start..end, (start..end).any(&is_two_sided));
            all.clusters.push(cluster);
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

    fn cluster(&self, first: usize, triangles: Range<usize>, is_two_sided: bool) -> Cluster {
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
        let spread = if is_cone { sqrt(1.0 - narrowest * narrowest) + ROUNDING } else { 2.0 };
        Cluster { corners: first..self.corners.len(), triangles, centre, radius, axis, spread }
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
        self.corners.len() * size_of::<Vector>() + self.triangles.len() * 3 + self.clusters.len() * size_of::<Cluster>()
    }
}

/// No corner has this number: there are at most 192.
const NOWHERE: u8 = u8::MAX;

/// Of unit vectors and their products.
const ROUNDING: f64 = 1e-9;

impl Cluster {
    /// Whether all of its triangles show their backs to a point.
    pub fn is_turned_away(&self, from: &Vector) -> bool {
        let away = self.centre - from;
        let radius = self.radius * (1.0 + ROUNDING);
        away.dot(&self.axis) >= self.spread * (away.norm() + radius) + radius
    }
}
