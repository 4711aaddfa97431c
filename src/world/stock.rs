//! Objects from files, each read once: the mesh by its files, its collider for each scale.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::convex::Convex;
use super::file::ObjectSpec;
use super::mesh::MeshShape;
use super::object::{Object, is_primitive, known_objects, too_thin};
use super::physics::{Solid, hull_of_mesh};
use super::shape::Shape;
use crate::assets::{DataFolder, Located, Mesh, Nowhere, SHIPPED_MESHES, Source, join, shipped_mesh};
use crate::protocol::{Code, Fault, Note, limits, listed, shown, suggestion};

/// Most memory that meshes take which may be needed again, in bytes: Monty's ten objects with 4096² textures fit.
const MAX_KEPT_BYTES: usize = 1 << 30;

/// Most scales of one mesh whose colliders are kept.
const MAX_KEPT_SCALES: usize = 8;

/// What objects there are.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'s> {
    pub source: &'s dyn Source,
    pub folder: Option<&'s DataFolder>,
}

impl Objects<'_> {
    /// Whether an object of this name can be had: a fault says what is near and where was looked.
    pub fn check(&self, name: &str) -> Result<(), Fault> {
        if is_primitive(name) { Ok(()) } else { self.locate(name).map(drop) }
    }

    /// The data folder's own goes before a shipped one of the same name.
    fn locate(&self, name: &str) -> Result<Located, Fault> {
        let in_folder = self.folder.and_then(|folder| folder.locate(name, self.source));
        let found = in_folder.or_else(|| shipped_mesh(name).map(Located::Shipped));
        found.ok_or_else(|| self.unknown(name))
    }

    /// The shipped meshes' and the data folder's, sorted.
    fn names(&self) -> BTreeSet<String> {
        let in_folder = self.folder.map_or_else(BTreeMap::new, |folder| folder.objects(self.source));
        let shipped = SHIPPED_MESHES.iter().map(|mesh| mesh.name.to_owned());
        in_folder.into_keys().chain(shipped).collect()
    }

    fn unknown(&self, name: &str) -> Fault {
        let names = self.names();
        let mut known: Vec<&str> = known_objects().collect();
        known.extend(names.iter().map(String::as_str));
        let (hint, all) = (suggestion(name, known.iter().copied()), listed(known.iter().copied()));
        let place = match self.folder {
            Some(folder) => format!("the folder {}", folder.root),
            None => "no data folder (give one with --data, SACCADE_DATA or the world key data)".to_owned(),
        };
        let name = shown(name);
        let message = format!(
            "the object is not known: {name}; looked among the primitives, the shipped meshes and in {place}; there are \
             {all}{hint}"
        );
        Fault::new(Code::UnknownObject, message)
    }
}

/// The objects of a source, those that were asked for with what was made of them.
#[derive(Debug)]
pub struct Stock {
    source: Arc<dyn Source>,
    folder: Option<DataFolder>,
    /// The latest last.
    kept: Vec<Kept>,
    notes: Vec<Note>,
}

#[derive(Debug)]
struct Kept {
    located: Located,
    mesh: Arc<Mesh>,
    scaled: Vec<Scaled>,
}

#[derive(Debug)]
struct Scaled {
    shape: MeshShape,
    collider: Solid,
    /// The convex body around it, once it was asked for.
    hull: Option<Convex>,
}

impl Stock {
    /// `folder` is the one that the world file names; the source may have another.
    pub fn new(source: Arc<dyn Source>, folder: Option<&DataFolder>) -> Self {
        let folder = source.data_folder(folder);
        Self { source, folder, kept: Vec::new(), notes: Vec::new() }
    }

    /// Of what comes with the binary alone.
    pub fn empty() -> Self {
        Self::new(Arc::new(Nowhere), None)
    }

    fn objects(&self) -> Objects<'_> {
        Objects { source: &*self.source, folder: self.folder.as_ref() }
    }

    /// What there is beside the primitives, sorted.
    pub fn names(&self) -> BTreeSet<String> {
        self.objects().names()
    }

    /// What people should hear of files that were taken all the same.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// The mesh that an object is, at its scale, and its collider.
    pub fn mesh(&mut self, spec: &ObjectSpec) -> Result<(MeshShape, Solid), Fault> {
        let located = match &spec.file {
            Some(file) => Located::File(join("", file)),
            None => self.objects().locate(&spec.name)?,
        };
        let mut kept = match self.kept.iter().position(|kept| kept.located == located) {
            Some(index) => self.kept.remove(index),
            None => self.load(spec, located)?,
        };
        let made = kept.at_scale(spec);
        self.kept.push(kept);
        self.drop_oldest();
        made
    }

    /// The convex body that an object is taken for where it is moved about: of a mesh the hull.
    pub fn convex(&mut self, object: &Object) -> Convex {
        let Shape::Mesh(mesh) = &object.shape else { return Convex::Shape(object.shape.clone()) };
        let around = || Convex::Corners(hull_of_mesh(mesh).into());
        let mut kept = self.kept.iter_mut().flat_map(|kept| &mut kept.scaled);
        match kept.find(|scaled| scaled.shape == *mesh) {
            Some(scaled) => scaled.hull.get_or_insert_with(around).clone(),
            None => around(),
        }
    }

    fn load(&mut self, spec: &ObjectSpec, located: Located) -> Result<Kept, Fault> {
        let loaded = located.load(&*self.source).map_err(|error| {
            Fault::new(Code::Asset, format!("the object {} cannot be loaded: {error}", shown(&spec.name)))
        })?;
        self.notes.extend(loaded.warnings.into_iter().map(Note::warning));
        Ok(Kept { located, mesh: loaded.mesh, scaled: Vec::new() })
    }

    /// A world keeps what it holds; here only what may be asked for again goes.
    fn drop_oldest(&mut self) {
        let mut bytes: usize = self.kept.iter().map(|kept| kept.mesh.bytes()).sum();
        while bytes > MAX_KEPT_BYTES && self.kept.len() > 1 {
            bytes -= self.kept.remove(0).mesh.bytes();
        }
    }
}

impl Kept {
    fn at_scale(&mut self, spec: &ObjectSpec) -> Result<(MeshShape, Solid), Fault> {
        if let Some(made) = self.scaled.iter().find(|scaled| scaled.shape.scale == spec.scale) {
            return Ok((made.shape.clone(), made.collider.clone()));
        }
        let shape = MeshShape::new(&self.mesh, spec.scale);
        check_reach(&shape, spec)?;
        let solid = Solid::new(&Shape::Mesh(shape.clone())).ok_or_else(|| too_thin(spec))?;
        if self.scaled.len() == MAX_KEPT_SCALES {
            self.scaled.remove(0);
        }
        self.scaled.push(Scaled { shape: shape.clone(), collider: solid.clone(), hull: None });
        Ok((shape, solid))
    }
}

fn check_reach(shape: &MeshShape, spec: &ObjectSpec) -> Result<(), Fault> {
    let (reach, most) = (shape.reach(), limits::MAX_COORDINATE_M);
    if reach <= most {
        return Ok(());
    }
    let [x, y, z]: [f64; 3] = spec.scale.into();
    let message = format!(
        "the object {} reaches {reach} m from its own origin at the scale [{x}, {y}, {z}], and at most {most} m are \
         allowed; give it a smaller scale",
        shown(&spec.name)
    );
    Err(Fault::new(Code::OutOfRange, message))
}
