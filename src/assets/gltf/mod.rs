//! glTF 2.0, binary (`.glb`) or as JSON with its buffers beside it: the default scene's triangles, where its nodes put them.
//!
//! The crate `gltf` knows the JSON; container, ranges, accessors and pictures are read here, since it takes them unchecked.

mod accessor;
mod container;
mod material;

use ::gltf as format;

use super::error::{AssetError, Place};
use super::limits;
use super::mesh::{Corner, Mesh, MeshBuilder};
use super::source::Files;
use crate::math::{Matrix, UnitQuaternion, Vector};
use accessor::Buffers;
use container::Container;
use material::{Materials, display};

/// What a required extension may change without harm: the look beyond the base colour, and what is no mesh.
const HARMLESS: &[&str] = &[
    "KHR_lights_punctual",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_specular",
    "KHR_materials_unlit",
    "KHR_texture_transform",
];

pub fn read(file: &str, bytes: &[u8], files: &mut Files) -> Result<Mesh, AssetError> {
    let container = Container::read(file, bytes)?;
    let document = document(file, container.json)?;
    let buffers = Buffers::read(file, &document, container.binary, files)?;
    let mut builder = MeshBuilder::default();
    let materials = Materials::read(file, &document, &buffers, &mut builder, files)?;
    let mut walk = Walk { file, buffers, materials, builder, visited: 0, others: 0 };
    let scene = document.default_scene().or_else(|| document.scenes().next());
    match scene {
        Some(scene) => scene.nodes().try_for_each(|node| walk.node(&node, &Place3d::ORIGIN, 0))?,
        None => document.nodes().try_for_each(|node| walk.node(&node, &Place3d::ORIGIN, limits::MAX_NODE_DEPTH))?,
    }
    if walk.others > 0 {
        files.warn(format!("{file}: {} primitives of points or lines are left out", walk.others));
    }
    walk.builder.finish(file)
}

/// The JSON, valid by the crate's rules and without extensions that cannot be passed over.
fn document(file: &str, json: &[u8]) -> Result<format::Document, AssetError> {
    let wrong = |found: String| AssetError::new(file, Place::File, found, "valid glTF 2.0; export the object again");
    let mut root = format::json::Root::from_slice(json).map_err(|e| wrong(format!("JSON with an error: {e}")))?;
    if let Some(refused) = root.extensions_required.iter().find(|name| !HARMLESS.contains(&name.as_str())) {
        let expected = format!("a file that does not require it; {}", remedy(refused));
        return Err(AssetError::new(file, Place::File, format!("the required extension {refused}"), expected));
    }
    root.extensions_required.clear();
    // All of these the crate takes for granted.
    if let Some(accessor) = positions_beyond_accessors(&root) {
        return Err(wrong(format!("POSITION in accessor {accessor} of {}", root.accessors.len())));
    }
    for (index, image) in root.images.iter_mut().enumerate() {
        if image.buffer_view.is_none() && image.uri.is_none() {
            return Err(wrong(format!("image {index} without a buffer view or a URI")));
        }
        image.mime_type.get_or_insert_with(|| format::json::image::MimeType(String::new()));
    }
    let without_picture = root.textures.iter().position(|texture| texture.source.value() == u32::MAX as usize);
    if let (Some(index), Some(name)) =
        (without_picture, root.extensions_used.iter().find(|name| name.contains("texture")))
    {
        let found = format!("texture {index}, which only the extension {name} describes");
        return Err(AssetError::new(file, Place::File, found, format!("a PNG or JPEG; {}", remedy(name))));
    }
    format::Document::from_json(root).map_err(|e| wrong(format!("a fault in its JSON: {e}")))
}

/// Of the first primitive that has such.
fn positions_beyond_accessors(root: &format::json::Root) -> Option<usize> {
    let positions = format::json::validation::Checked::Valid(format::Semantic::Positions);
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mut accessors = primitives.filter_map(|primitive| Some(primitive.attributes.get(&positions)?.value()));
    accessors.find(|index| *index >= root.accessors.len())
}

fn remedy(extension: &str) -> &'static str {
    match extension {
        "KHR_draco_mesh_compression" | "EXT_meshopt_compression" => {
            "write it without compression, as with `gltf-transform copy in.glb out.glb` or Blender's export"
        }
        "KHR_texture_basisu" | "EXT_texture_webp" => {
            "convert its textures to PNG, as with `gltf-transform png in.glb out.glb`"
        }
        "KHR_mesh_quantization" => "write it with float positions, as with `gltf-transform dequantize in.glb out.glb`",
        _ => "export it again without this extension",
    }
}

/// Where a node stands in the scene: x becomes `linear` x + `offset`.
#[derive(Clone, Copy)]
struct Place3d {
    linear: Matrix,
    offset: Vector,
}

impl Place3d {
    const ORIGIN: Place3d = Place3d {
        linear: Matrix::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        offset: Vector::new(0.0, 0.0, 0.0),
    };

    fn of(transform: format::scene::Transform) -> Self {
        let vector = |v: [f32; 3]| Vector::from(v.map(f64::from));
        match transform {
            format::scene::Transform::Matrix { matrix } => {
                let column = |i: usize| vector([matrix[i][0], matrix[i][1], matrix[i][2]]);
                Self { linear: Matrix::from_columns(&[column(0), column(1), column(2)]), offset: column(3) }
            }
            format::scene::Transform::Decomposed { translation, rotation, scale } => {
                let [x, y, z, w] = rotation.map(f64::from);
                let length = crate::math::norm([w, x, y, z]);
                let turn = match length > 0.0 {
                    true => UnitQuaternion::from_quaternion([x, y, z, w].into()),
                    false => UnitQuaternion::identity(),
                };
                let linear = turn.to_rotation_matrix().into_inner() * Matrix::from_diagonal(&vector(scale));
                Self { linear, offset: vector(translation) }
            }
        }
    }

    fn then(&self, inner: &Place3d) -> Self {
        Self { linear: self.linear * inner.linear, offset: self.linear * inner.offset + self.offset }
    }
}

struct Walk<'f> {
    file: &'f str,
    buffers: Buffers<'f>,
    materials: Materials,
    builder: MeshBuilder,
    visited: usize,
    /// Primitives that are no triangles.
    others: usize,
}

impl Walk<'_> {
    fn node(&mut self, node: &format::Node, parent: &Place3d, depth: usize) -> Result<(), AssetError> {
        self.visited += 1;
        if self.visited > limits::MAX_NODES {
            let found = format!("more than {} nodes, each counted as often as it is reached", limits::MAX_NODES);
            return Err(AssetError::new(self.file, Place::File, found, "fewer nodes, each with one parent"));
        }
        let place = parent.then(&Place3d::of(node.transform()));
        if let Some(mesh) = node.mesh() {
            mesh.primitives().try_for_each(|primitive| self.primitive(&mesh, &primitive, &place))?;
        }
        // Without any scene each node is seen by itself.
        if node.children().len() > 0 && depth >= limits::MAX_NODE_DEPTH {
            let found = format!("node {} below {} others or in a circle", node.index(), limits::MAX_NODE_DEPTH);
            return Err(AssetError::new(self.file, Place::File, found, "a scene with fewer levels of nodes"));
        }
        node.children().try_for_each(|child| self.node(&child, &place, depth + 1))
    }

    fn primitive(
        &mut self,
        mesh: &format::Mesh,
        primitive: &format::Primitive,
        place: &Place3d,
    ) -> Result<(), AssetError> {
        use format::mesh::Mode;
        let in_mesh = format!("mesh {} primitive {}", mesh.index(), primitive.index());
        if matches!(primitive.mode(), Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip) {
            self.others += 1;
            return Ok(());
        }
        let first = self.builder.positions.len() as u32;
        let corners = self.corners(primitive, place, &in_mesh)?;
        let indices = self.indices(primitive, corners.len() as u32, &in_mesh)?;
        let material = self.materials.of(&primitive.material(), &mut self.builder);
        let is_mirrored = place.linear.determinant() < 0.0;
        for triangle in triangles(primitive.mode(), &indices) {
            let [a, b, c] = triangle.map(|i| Corner { position: first + i, ..corners[i as usize] });
            let triangle = if is_mirrored { [a, c, b] } else { [a, b, c] };
            self.builder.add_face(self.file, Place::File, &triangle, material)?;
        }
        Ok(())
    }

    /// The vertices, whose positions go to the builder.
    fn corners(
        &mut self,
        primitive: &format::Primitive,
        place: &Place3d,
        what: &str,
    ) -> Result<Vec<Corner>, AssetError> {
        use format::Semantic;
        let missing = || AssetError::new(self.file, Place::File, format!("{what} without POSITION"), "positions");
        let accessor = primitive.get(&Semantic::Positions).ok_or_else(missing)?;
        let positions: Vec<[f64; 3]> = self.buffers.numbers(&accessor, what)?;
        let (set, transform) = self.materials.uv_of(&primitive.material());
        let uvs: Option<Vec<[f64; 2]>> = self.attribute(primitive, &Semantic::TexCoords(set), what)?;
        let normals: Option<Vec<[f64; 3]>> = self.attribute(primitive, &Semantic::Normals, what)?;
        let colors: Option<Vec<[f64; 3]>> = self.attribute(primitive, &Semantic::Colors(0), what)?;
        let turned_normals = place.linear.try_inverse().map(|inverse| inverse.transpose());
        let mut corners = Vec::with_capacity(positions.len());
        for (i, position) in positions.iter().enumerate() {
            let position = place.linear * Vector::from(*position) + place.offset;
            self.builder.add_position(self.file, Place::File, position)?;
            let normal = normals.as_ref().and_then(|n| Some(turned_normals? * Vector::from(*n.get(i)?)));
            corners.push(Corner {
                position: 0,
                uv: uvs.as_ref().and_then(|uvs| uvs.get(i)).map(|uv| transform.apply(*uv)),
                normal: normal.map(|n| <[f64; 3]>::from(n).map(|part| part as f32)),
                color: colors.as_ref().and_then(|c| c.get(i)).map(|c| c.map(|part| display(part) as f32)),
            });
        }
        Ok(corners)
    }

    fn attribute<const N: usize>(
        &self,
        primitive: &format::Primitive,
        semantic: &format::Semantic,
        what: &str,
    ) -> Result<Option<Vec<[f64; N]>>, AssetError> {
        primitive.get(semantic).map(|accessor| self.buffers.numbers(&accessor, what)).transpose()
    }

    fn indices(&self, primitive: &format::Primitive, count: u32, what: &str) -> Result<Vec<u32>, AssetError> {
        let Some(accessor) = primitive.indices() else { return Ok((0..count).collect()) };
        let indices = self.buffers.indices(&accessor, what)?;
        match indices.iter().find(|index| **index >= count) {
            None => Ok(indices),
            Some(index) => {
                let found = format!("{what}: the index {index} of a vertex");
                Err(AssetError::new(self.file, Place::File, found, format!("one of its {count} vertices, from 0")))
            }
        }
    }
}

/// Every second triangle of a strip is turned, so that all face the same way.
fn triangles(mode: format::mesh::Mode, indices: &[u32]) -> Vec<[u32; 3]> {
    match mode {
        format::mesh::Mode::TriangleStrip => {
            indices
                .windows(3)
                .enumerate()
                .map(|(i, corners)| {
                    if i % 2 == 0 { [corners[0], corners[1], corners[2]] } else { [corners[1], corners[0], corners[2]] }
                })
                .collect()
        }
        format::mesh::Mode::TriangleFan => match indices {
            [first, rest @ ..] => rest.windows(2).map(|pair| [*first, pair[0], pair[1]]).collect(),
            [] => Vec::new(),
        },
        _ => indices.chunks_exact(3).map(|corners| [corners[0], corners[1], corners[2]]).collect(),
    }
}
