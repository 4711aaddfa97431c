//! A mesh as every reader gives it: triangles with what is on them, checked and without the ones that cover nothing.

use std::sync::Arc;

use super::bvh::{Bvh, Order};
use super::clusters::{Clusters, MOST_TRIANGLES};
use super::error::{AssetError, Place};
use super::limits;
use super::polygon::triangulate;
use super::texture::Texture;
use crate::math::{Matrix, Vector};

/// Triangles in the object's own frame, metres, each corner counter-clockwise as seen from the front.
#[derive(Clone, Debug)]
pub struct Mesh {
    pub positions: Vec<Vector>,
    pub triangles: Vec<[u32; 3]>,
    /// What is on each triangle.
    pub surfaces: Vec<Surface>,
    pub materials: Vec<Material>,
    /// Finds the triangles that a ray may meet.
    pub bvh: Bvh,
    /// Finds the triangles that a view may show.
    pub clusters: Clusters,
}

/// What is on a triangle, by its corners.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surface {
    pub material: u32,
    /// v = 0 is the image's top row.
    pub uv: Option<[[f32; 2]; 3]>,
    /// Of length 1 or, where the file says nothing, 0.
    pub normals: Option<[[f32; 3]; 3]>,
    /// Red, green, blue, each from 0 to 1.
    pub colors: Option<[[f32; 3]; 3]>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Red, green, blue, each from 0 to 1, as screens take them; `None` leaves the colour to the world.
    pub color: Option<[f32; 3]>,
    pub texture: Option<Texture>,
    /// Whether its back is seen too.
    pub is_double_sided: bool,
    /// Where the texture's alpha is below this, there is a hole.
    pub alpha_cutoff: Option<f64>,
}

impl Material {
    /// What a file says nothing of.
    pub const PLAIN: Material = Material { color: None, texture: None, is_double_sided: false, alpha_cutoff: None };
}

/// A mesh, and what people should hear of its files.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub mesh: Arc<Mesh>,
    pub warnings: Vec<String>,
}

impl Mesh {
    /// Moves every vertex to `linear` x + `offset`, of which the determinant is above 0.
    pub fn transform(&mut self, linear: &Matrix, offset: &Vector) {
        if *linear == Matrix::identity() && *offset == Vector::zeros() {
            return;
        }
        for position in &mut self.positions {
            *position = linear * *position + offset;
        }
        let for_normals = linear.try_inverse().map_or(*linear, |inverse| inverse.transpose());
        for normal in self.surfaces.iter_mut().filter_map(|s| s.normals.as_mut()).flatten() {
            *normal = unit(for_normals * Vector::from(normal.map(f64::from)));
        }
        *self = Self::sorted(
            std::mem::take(&mut self.positions),
            std::mem::take(&mut self.triangles),
            std::mem::take(&mut self.surfaces),
            std::mem::take(&mut self.materials),
        );
    }

    /// With its triangles in the order of its tree, in which neighbours stand near each other.
    fn sorted(
        positions: Vec<Vector>,
        triangles: Vec<[u32; 3]>,
        surfaces: Vec<Surface>,
        materials: Vec<Material>,
    ) -> Self {
        let (bvh, Order { triangles: order, groups }) = Bvh::new(&positions, &triangles, MOST_TRIANGLES);
        let triangles: Vec<[u32; 3]> = order.iter().map(|i| triangles[*i as usize]).collect();
        let surfaces: Vec<Surface> = order.iter().map(|i| surfaces[*i as usize]).collect();
        let is_two_sided = |i: usize| materials[surfaces[i].material as usize].is_double_sided;
        let corners = |i: usize| triangles[i].map(|corner| &positions[corner as usize]);
        let clusters = Clusters::new(triangles.len(), corners, groups.iter().copied(), is_two_sided);
        Self { positions, triangles, surfaces, materials, bvh, clusters }
    }

    pub fn corners(&self, triangle: usize) -> [&Vector; 3] {
        self.triangles[triangle].map(|corner| &self.positions[corner as usize])
    }

    pub fn material(&self, triangle: usize) -> &Material {
        &self.materials[self.surfaces[triangle].material as usize]
    }

    /// Roughly, in memory.
    pub fn bytes(&self) -> usize {
        let images = self.materials.iter().filter_map(|m| m.texture.as_ref()).map(|t| 4 * t.image().texels.len());
        let of_triangle = size_of::<[u32; 3]>() + size_of::<Surface>();
        let geometry = self.positions.len() * size_of::<Vector>() + self.triangles.len() * of_triangle;
        geometry + self.bvh.bytes() + self.clusters.bytes() + images.sum::<usize>()
    }
}

/// A corner of a face.
#[derive(Clone, Copy, Debug, Default)]
pub struct Corner {
    /// Into the positions.
    pub position: u32,
    pub uv: Option<[f32; 2]>,
    pub normal: Option<[f32; 3]>,
    pub color: Option<[f32; 3]>,
}

impl Corner {
    /// What on it is no finite number, told.
    fn not_a_number(&self) -> Option<String> {
        let of = |what: &str, numbers: Option<&[f32]>| {
            let wrong = numbers.filter(|numbers| !numbers.iter().all(|number| number.is_finite()))?;
            Some(format!("the {what} {wrong:?} of a corner"))
        };
        of("texture coordinate", self.uv.as_ref().map(|uv| &uv[..]))
            .or_else(|| of("normal", self.normal.as_ref().map(|normal| &normal[..])))
            .or_else(|| of("colour", self.color.as_ref().map(|color| &color[..])))
    }
}

/// Collects a file's faces.
#[derive(Debug, Default)]
pub struct MeshBuilder {
    pub positions: Vec<Vector>,
    triangles: Vec<[u32; 3]>,
    surfaces: Vec<Surface>,
    pub materials: Vec<Material>,
}

impl MeshBuilder {
    /// Room for as many triangles as a file may have.
    pub fn reserve(&mut self, triangles: usize) {
        let triangles = triangles.min(limits::MAX_TRIANGLES);
        self.triangles.reserve_exact(triangles);
        self.surfaces.reserve_exact(triangles);
    }

    /// Checks a vertex: finite, and not so far that f32 loses it.
    pub fn add_position(&mut self, file: &str, place: Place, position: Vector) -> Result<(), AssetError> {
        let most = limits::MAX_COORDINATE;
        if !position.iter().all(|c| c.abs() <= most) {
            let found = format!("the vertex {:?}", [position.x, position.y, position.z]);
            return Err(AssetError::new(file, place, found, format!("three finite numbers within ±{most:e}")));
        }
        check_count(file, place, "vertices", self.positions.len() + 1, limits::MAX_VERTICES)?;
        self.positions.push(position);
        Ok(())
    }

    /// A face of at least three corners that index positions; one without area adds nothing.
    pub fn add_face(&mut self, file: &str, place: Place, corners: &[Corner], material: u32) -> Result<(), AssetError> {
        check_count(file, place, "corners of one face", corners.len(), limits::MAX_CORNERS)?;
        if let Some(wrong) = corners.iter().find_map(Corner::not_a_number) {
            return Err(AssetError::new(file, place, wrong, "finite numbers; export the object again"));
        }
        check_count(file, place, "triangles", self.triangles.len() + corners.len(), limits::MAX_TRIANGLES)?;
        if let [a, b, c] = corners {
            self.add_triangle([*a, *b, *c], material);
            return Ok(());
        }
        let outline: Vec<Vector> = corners.iter().map(|c| self.positions[c.position as usize]).collect();
        for triangle in triangulate(&outline) {
            self.add_triangle(triangle.map(|i| corners[i]), material);
        }
        Ok(())
    }

    fn add_triangle(&mut self, corners: [Corner; 3], material: u32) {
        let [a, b, c] = corners.map(|corner| self.positions[corner.position as usize]);
        if !has_area(a, b, c) {
            return;
        }
        self.triangles.push(corners.map(|corner| corner.position));
        self.surfaces.push(Surface {
            material,
            uv: all_of(corners.map(|c| c.uv)),
            normals: all_of(corners.map(|c| c.normal.map(|normal| unit(normal.map(f64::from).into())))),
            colors: all_of(corners.map(|c| c.color)),
        });
    }

    /// The mesh, with its tree and without the vertices that no triangle has; none without a triangle.
    pub fn finish(mut self, file: &str) -> Result<Mesh, AssetError> {
        if self.triangles.is_empty() {
            let found = format!("{} vertices and no face with an area", self.positions.len());
            return Err(AssetError::new(file, Place::File, found, "at least one triangle; export the object's faces"));
        }
        if self.materials.is_empty() {
            self.materials.push(Material::PLAIN);
        }
        let (positions, triangles) = compacted(&self.positions, self.triangles);
        Ok(Mesh::sorted(positions, triangles, self.surfaces, self.materials))
    }
}

/// A limit of this module's list, told as an error.
pub fn check_count(file: &str, place: Place, what: &str, count: usize, most: usize) -> Result<(), AssetError> {
    if count <= most {
        return Ok(());
    }
    let expected = format!("at most {most}; make the object coarser");
    Err(AssetError::new(file, place, format!("more than {most} {what}"), expected))
}

/// A normal of length 1, as all formats give them from here on; what has no length stays so.
fn unit(normal: Vector) -> [f32; 3] {
    let length = normal.norm();
    if length > 0.0 { (normal / length).map(|part| part as f32).into() } else { [0.0; 3] }
}

fn all_of<T: Copy>(corners: [Option<T>; 3]) -> Option<[T; 3]> {
    let [a, b, c] = corners;
    Some([a?, b?, c?])
}

/// Whether a triangle covers more than rounding would.
fn has_area(a: Vector, b: Vector, c: Vector) -> bool {
    const FLATTEST: f64 = 1e-13;
    let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    (b - a).cross(&(c - a)).norm() > FLATTEST * longest
}

/// The positions that triangles use, in their order.
fn compacted(positions: &[Vector], mut triangles: Vec<[u32; 3]>) -> (Vec<Vector>, Vec<[u32; 3]>) {
    let mut is_used = vec![false; positions.len()];
    triangles.iter().flatten().for_each(|corner| is_used[*corner as usize] = true);
    let mut kept = Vec::with_capacity(positions.len());
    let mut new_index = vec![0; positions.len()];
    for (old, position) in positions.iter().enumerate().filter(|(old, _)| is_used[*old]) {
        new_index[old] = kept.len() as u32;
        kept.push(*position);
    }
    triangles.iter_mut().flatten().for_each(|corner| *corner = new_index[*corner as usize]);
    (kept, triangles)
}
