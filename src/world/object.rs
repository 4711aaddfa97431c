//! Objects: what stands in the world under which number, and the primitives that can be had by name.

use std::sync::Arc;

use super::compat::{Compat, Cone, Curves, SemanticIds};
use super::file::{ObjectSpec, WorldFile};
use super::physics::Solid;
use super::shape::{Shape, Triangle};
use super::stock::Stock;
use super::tessellation::{Triangles, cuboid, icosphere, mujoco_facets, uv_sphere};
use crate::assets::Clusters;
use crate::digest::Digest;
use crate::math::{Pose, Vector};
use crate::protocol::{Code, Fault, Note, ObjectId, SemanticId, limits, shown};

/// An object in the world. Its pose does not change: every body is fixed.
#[derive(Clone, Debug)]
pub struct Object {
    pub id: ObjectId,
    pub spec: ObjectSpec,
    pub semantic_id: SemanticId,
    /// In the object's own frame.
    pub shape: Shape,
    /// What cameras see in place of the shape, where that is made of triangles.
    pub facets: Option<Arc<[Triangle]>>,
    /// Those facets, or the faces of a cuboid, as they are drawn.
    drawn: Option<Arc<Drawn>>,
    pub(super) solid: Solid,
}

#[derive(Debug)]
struct Drawn {
    faces: Triangles,
    clusters: Clusters,
}

impl Object {
    /// Shares what it is made of with a `twin`, an object of the same name, file and scale.
    pub fn new(
        id: ObjectId,
        spec: &ObjectSpec,
        twin: Option<&Object>,
        compat: &Compat,
        stock: &mut Stock,
    ) -> Result<Self, Fault> {
        check_size(spec)?;
        let primitive = primitive(&spec.name).filter(|_| spec.file.is_none());
        let own_id = || primitive.map_or_else(|| mesh_semantic_id(compat), |p| p.semantic_id(compat));
        let semantic_id = spec.semantic_id.unwrap_or_else(own_id);
        let spec = spec.clone();
        if let Some(twin) = twin {
            return Ok(Self { id, spec, semantic_id, ..twin.clone() });
        }
        let Some(primitive) = primitive else {
            let (mesh, solid) = stock.mesh(&spec)?;
            return Ok(Self { id, spec, semantic_id, shape: Shape::Mesh(mesh), facets: None, drawn: None, solid });
        };
        let shape = primitive.shape(spec.scale, compat);
        let facets = match (&shape, compat.curves) {
            (Shape::Hull(triangles), _) => Some(Arc::clone(triangles)),
            (_, Curves::Ideal) => None,
            (_, Curves::Tessellated) => mujoco_facets(&shape),
        };
        let faces = match &shape {
            Shape::Cuboid { half } => Some(cuboid(*half)),
            _ => facets.clone(),
        };
        let drawn = faces.map(|faces| {
            let clusters = Clusters::of_faces(faces.len(), |number| faces[number].0.each_ref());
            Arc::new(Drawn { faces, clusters })
        });
        let solid = Solid::new(&shape).ok_or_else(|| too_thin(&spec))?;
        Ok(Self { id, spec, semantic_id, shape, facets, drawn, solid })
    }

    /// The triangles that cameras see; `None` for a surface that has a closed form and no flat face.
    pub fn clusters(&self) -> Option<&Clusters> {
        match &self.shape {
            Shape::Mesh(mesh) => Some(&mesh.mesh.clusters),
            _ => self.drawn.as_ref().map(|drawn| &drawn.clusters),
        }
    }

    /// Of one of those triangles, in the object's own frame; of a mesh, before its scale.
    #[inline(always)]
    pub fn corners(&self, triangle: usize) -> [&Vector; 3] {
        match (&self.shape, &self.drawn) {
            (Shape::Mesh(shape), _) => shape.mesh.corners(triangle),
            (_, Some(drawn)) => drawn.faces[triangle].0.each_ref(),
            _ => unreachable!("a surface that has a closed form has no triangles"),
        }
    }

    /// Warns of what some sensors of a world take for background, of which few think who leave the id out.
    pub fn background_note(&self, file: &WorldFile) -> Option<Note> {
        let mut sensors = file.agents.iter().flat_map(|agent| &agent.sensors);
        let is_background = self.semantic_id == SemanticId(0) && sensors.any(|sensor| sensor.semantic);
        is_background.then(|| {
            let name = shown(&self.spec.name);
            Note::warning(format!(
                "the object {name} has the semantic id 0, which sensors with semantic = true take for background; give it a \
                 semantic_id"
            ))
        })
    }

    pub fn is_twin_of(&self, spec: &ObjectSpec) -> bool {
        self.spec.name == spec.name && self.spec.file == spec.file && self.spec.scale == spec.scale
    }

    pub fn world_from_object(&self) -> Pose {
        Pose::from_parts(self.spec.position.into(), self.spec.rotation.unit())
    }

    pub fn digest(&self, digest: &mut Digest) {
        digest.integer(self.id.0.into());
        digest.text(&self.spec.name);
        digest.numbers(self.spec.position.as_slice());
        digest.numbers(&self.spec.rotation.wxyz());
        digest.numbers(self.spec.scale.as_slice());
        digest.integer(self.semantic_id.0.into());
        digest.numbers(&self.spec.color);
        if let Shape::Mesh(mesh) = &self.shape {
            digest.text(self.spec.file.as_deref().unwrap_or_default());
            digest.integer(mesh.fingerprint);
        }
    }
}

/// The names of the primitives.
pub fn known_objects() -> impl Iterator<Item = &'static str> + Clone {
    PRIMITIVES.iter().map(|p| p.name)
}

pub fn is_primitive(name: &str) -> bool {
    primitive(name).is_some()
}

fn check_size(spec: &ObjectSpec) -> Result<(), Fault> {
    let farthest = limits::MAX_COORDINATE_M;
    if spec.position.iter().any(|c| c.abs() > farthest) {
        let message = format!("the position of {} must be within ±{farthest} m of the origin", spec.name);
        return Err(Fault::new(Code::OutOfRange, message));
    }
    let sizes = limits::MIN_SCALE..=limits::MAX_SCALE;
    if !spec.scale.iter().all(|factor| sizes.contains(factor)) {
        let message = format!("the scale of {} must be from {} to {}", spec.name, sizes.start(), sizes.end());
        return Err(Fault::new(Code::OutOfRange, message));
    }
    Ok(())
}

pub fn too_thin(spec: &ObjectSpec) -> Fault {
    let [x, y, z] = spec.scale.into();
    let message = format!("the scale [{x}, {y}, {z}] makes {} too thin for a solid; use a rounder one", spec.name);
    Fault::new(Code::OutOfRange, message)
}

/// Under MuJoCo its number for the type of geom.
fn mesh_semantic_id(compat: &Compat) -> SemanticId {
    SemanticId(match compat.semantic_ids {
        SemanticIds::Habitat => 0,
        SemanticIds::Mujoco => 7,
    })
}

/// A shape that can be had by name. Sizes are those at scale 1; the long axis of each is y.
struct Primitive {
    name: &'static str,
    form: Form,
    /// Metres for a factor of 1.
    unit_m: f64,
    semantic_id: u32,
}

#[derive(Clone, Copy)]
enum Form {
    Box,
    Sphere,
    Ellipsoid,
    Capsule,
    Cylinder,
    Cone,
    Icosphere,
    UvSphere,
}

/// Habitat's names, 0.1 m a factor, then MuJoCo's, 1 m a factor.
const PRIMITIVES: &[Primitive] = &[
    Primitive { name: "capsule3DSolid", form: Form::Capsule, unit_m: 0.1, semantic_id: 101 },
    Primitive { name: "coneSolid", form: Form::Cone, unit_m: 0.1, semantic_id: 102 },
    Primitive { name: "cubeSolid", form: Form::Box, unit_m: 0.1, semantic_id: 103 },
    Primitive { name: "cylinderSolid", form: Form::Cylinder, unit_m: 0.1, semantic_id: 104 },
    Primitive { name: "icosphereSolid", form: Form::Icosphere, unit_m: 0.1, semantic_id: 105 },
    Primitive { name: "uvSphereSolid", form: Form::UvSphere, unit_m: 0.1, semantic_id: 106 },
    Primitive { name: "sphere", form: Form::Sphere, unit_m: 1.0, semantic_id: 2 },
    Primitive { name: "capsule", form: Form::Capsule, unit_m: 1.0, semantic_id: 3 },
    Primitive { name: "ellipsoid", form: Form::Ellipsoid, unit_m: 1.0, semantic_id: 4 },
    Primitive { name: "cylinder", form: Form::Cylinder, unit_m: 1.0, semantic_id: 5 },
    Primitive { name: "box", form: Form::Box, unit_m: 1.0, semantic_id: 6 },
];

/// A capsule's half-length and a cone's half-height, in radii at equal factors.
const CAPSULE_HALF_LENGTH: f64 = 0.75;
const CONE_HALF_HEIGHT: f64 = 1.25;

fn primitive(name: &str) -> Option<&'static Primitive> {
    PRIMITIVES.iter().find(|p| p.name == name)
}

impl Primitive {
    /// A sphere takes the x factor alone; capsule, cylinder and cone their radius from x and their height from y.
    fn shape(&self, scale: Vector, compat: &Compat) -> Shape {
        let size = scale * self.unit_m;
        let swapped = if compat.box_axis_swap { Vector::new(size.x, size.z, size.y) } else { size };
        match self.form {
            Form::Box => Shape::Cuboid { half: swapped },
            Form::Sphere => Shape::Sphere { radius: size.x },
            Form::Ellipsoid => Shape::Ellipsoid { radii: swapped },
            Form::Capsule => Shape::Capsule { radius: size.x, half_length: CAPSULE_HALF_LENGTH * size.y },
            Form::Cylinder => Shape::Cylinder { radius: size.x, half_height: size.y },
            Form::Cone if compat.cone == Cone::Sphere => Shape::Sphere { radius: size.x },
            Form::Cone => Shape::Cone { radius: size.x, half_height: CONE_HALF_HEIGHT * size.y },
            Form::Icosphere => Shape::Hull(icosphere(size)),
            Form::UvSphere => Shape::Hull(uv_sphere(size)),
        }
    }

    fn semantic_id(&self, compat: &Compat) -> SemanticId {
        let of_geom_type = match self.form {
            Form::Sphere | Form::Cone => 2,
            Form::Capsule => 3,
            Form::Ellipsoid => 4,
            Form::Cylinder => 5,
            Form::Box => 6,
            Form::Icosphere | Form::UvSphere => self.semantic_id,
        };
        SemanticId(match compat.semantic_ids {
            SemanticIds::Habitat => self.semantic_id,
            SemanticIds::Mujoco => of_geom_type,
        })
    }
}
