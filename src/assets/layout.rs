//! Folders of objects, in three layouts: Monty's for MuJoCo, Habitat's, and plain files. A name is looked for as it is, and
//! then as YCB's sets write it, with a number before it (`mug` is `025_mug`); never as a part of a name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::{AssetError, Place};
use super::image::decode;
use super::limits;
use super::mesh::{Loaded, Material, Mesh};
use super::obj::Libraries;
use super::path::{extension_of, folder_of, join};
use super::shipped::ShippedMesh;
use super::source::{Files, Source};
use super::texture::Texture;
use super::{gltf, obj, ply, stl};
use crate::math::{Matrix, Rotation, Vector};

/// How a folder holds its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `<name>/textured.obj`, `<name>/texture_map.png`, and perhaps `<name>/metadata.json`.
    Mujoco,
    /// `<name>.object_config.json` in `configs/`, in `objects/` or in the folder itself, and what that names.
    Habitat,
    /// `<name>.glb`, `.gltf`, `.obj`, `.ply` or `.stl`.
    Plain,
}

impl Layout {
    pub const ALL: [Layout; 3] = [Layout::Mujoco, Layout::Habitat, Layout::Plain];

    pub fn word(self) -> &'static str {
        match self {
            Layout::Mujoco => "mujoco",
            Layout::Habitat => "habitat",
            Layout::Plain => "plain",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.word() == word)
    }
}

/// A folder of objects; without a layout, its content tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder {
    pub layout: Option<Layout>,
    pub root: String,
}

/// An object's files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Located {
    /// A folder in MuJoCo's layout.
    Folder(String),
    /// A configuration of Habitat's.
    Config(String),
    File(String),
    /// Part of the binary.
    Shipped(&'static ShippedMesh),
}

const MODEL: &str = "textured.obj";
const TEXTURE: &str = "texture_map.png";
const METADATA: &str = "metadata.json";
const CONFIG: &str = ".object_config.json";
const EXTENSIONS: [&str; 5] = ["glb", "gltf", "obj", "ply", "stl"];

impl DataFolder {
    /// Whether there is such a folder.
    pub fn is_there(&self, source: &dyn Source) -> bool {
        source.list(&self.root).is_some()
    }

    /// Its objects by name.
    pub fn objects(&self, source: &dyn Source) -> BTreeMap<String, Located> {
        match self.layout {
            Some(Layout::Mujoco) => self.folders(source),
            Some(Layout::Habitat) => self.configs(source),
            Some(Layout::Plain) => self.files(source),
            None => [Self::configs, Self::folders, Self::files]
                .iter()
                .map(|objects| objects(self, source))
                .find(|objects| !objects.is_empty())
                .unwrap_or_default(),
        }
    }

    pub fn locate(&self, name: &str, source: &dyn Source) -> Option<Located> {
        let objects = self.objects(source);
        let aliased = || objects.iter().find(|(known, _)| without_number(known) == Some(name)).map(|(_, found)| found);
        objects.get(name).or_else(aliased).cloned()
    }

    fn folders(&self, source: &dyn Source) -> BTreeMap<String, Located> {
        let names = source.list(&self.root).unwrap_or_default();
        let folders = names.iter().filter_map(|name| name.strip_suffix('/'));
        folders.map(|name| (name.to_owned(), Located::Folder(join(&self.root, name)))).collect()
    }

    fn configs(&self, source: &dyn Source) -> BTreeMap<String, Located> {
        let mut found = BTreeMap::new();
        collect_configs(&self.root, 0, source, &mut found);
        for folder in ["configs", "objects"] {
            collect_configs(&join(&self.root, folder), limits::MAX_FOLDER_DEPTH, source, &mut found);
        }
        found
    }

    fn files(&self, source: &dyn Source) -> BTreeMap<String, Located> {
        let mut found = BTreeMap::new();
        for file in source.list(&self.root).unwrap_or_default() {
            if let Some((name, _)) = file.rsplit_once('.').filter(|_| EXTENSIONS.contains(&&*extension_of(&file))) {
                found.entry(name.to_owned()).or_insert_with(|| Located::File(join(&self.root, &file)));
            }
        }
        found
    }
}

/// The part behind the number of a set, as in `025_mug` and `072-a_toy_airplane`.
fn without_number(name: &str) -> Option<&str> {
    let (number, rest) = name.split_once('_')?;
    let digits = number.split('-').next().unwrap_or(number);
    (digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit())).then_some(rest)
}

fn collect_configs(folder: &str, levels: usize, source: &dyn Source, found: &mut BTreeMap<String, Located>) {
    for entry in source.list(folder).unwrap_or_default() {
        if let Some(inner) = entry.strip_suffix('/') {
            if levels > 0 {
                collect_configs(&join(folder, inner), levels - 1, source, found);
            }
        } else if let Some(name) = entry.strip_suffix(CONFIG) {
            found.entry(name.to_owned()).or_insert_with(|| Located::Config(join(folder, &entry)));
        }
    }
}

impl Located {
    /// Reads the object with all that belongs to it.
    pub fn load(&self, source: &dyn Source) -> Result<Loaded, AssetError> {
        let mut files = Files::new(source);
        let mesh = match self {
            Located::Folder(folder) => load_folder(folder, &mut files),
            Located::Config(config) => load_config(config, &mut files),
            Located::File(file) => load_file(file, "`file`, from the world file's folder on,", &mut files),
            Located::Shipped(shipped) => gltf::read(shipped.name, shipped.bytes, &mut files),
        }?;
        Ok(Loaded { mesh: Arc::new(mesh), warnings: files.warnings })
    }

    pub fn path(&self) -> &str {
        match self {
            Located::Folder(path) | Located::Config(path) | Located::File(path) => path,
            Located::Shipped(shipped) => shipped.name,
        }
    }
}

fn load_file(file: &str, named_by: &str, files: &mut Files) -> Result<Mesh, AssetError> {
    let extension = extension_of(file);
    if !EXTENSIONS.contains(&&*extension) {
        let found = format!("a file that ends in {extension:?}");
        let expected = format!("one of .{}; convert it, as with Blender", EXTENSIONS.join(", ."));
        return Err(AssetError::new(file, Place::File, found, expected));
    }
    let bytes = files.read(file, named_by)?;
    match &*extension {
        "obj" => obj::read(file, &bytes, Libraries::Read, files),
        "ply" => ply::read(file, &bytes),
        "stl" => stl::read(file, &bytes),
        _ => gltf::read(file, &bytes, files),
    }
}

/// As Monty's simulator reads it: the texture is that one file, whatever a library says, and alpha is no part of it.
fn load_folder(folder: &str, files: &mut Files) -> Result<Mesh, AssetError> {
    let [model, texture, metadata] = [MODEL, TEXTURE, METADATA].map(|name| join(folder, name));
    let picture = files.read(&texture, "the layout of MuJoCo's objects")?;
    let bytes = files.read(&model, "the layout of MuJoCo's objects")?;
    let image = decode(&texture, &picture)?;
    let mut mesh = obj::read(&model, &bytes, Libraries::PassOver, files)?;
    mesh.materials = vec![Material { texture: Some(Texture::repeated(image)), ..Material::PLAIN }];
    if let Some(bytes) = files.read_if_there(&metadata)? {
        let Metadata { position, rotation } = Metadata::read(&metadata, &bytes)?;
        let turn = rotation.unit().inverse().to_rotation_matrix().into_inner();
        mesh.transform(&turn, &-(turn * position));
    }
    Ok(mesh)
}

/// The frame in which an object's own is given.
struct Metadata {
    position: Vector,
    rotation: Rotation,
}

impl Metadata {
    fn read(file: &str, bytes: &[u8]) -> Result<Self, AssetError> {
        let object = read_object(file, bytes)?;
        if let Some(found) = Self::wrong_keys(&object) {
            let expected = "exactly the keys refpos (three numbers) and refquat (four)";
            return Err(AssetError::new(file, Place::File, found, expected));
        }
        let position = numbers::<3>(file, &object, "refpos")?.unwrap_or_default();
        let wxyz = numbers::<4>(file, &object, "refquat")?.unwrap_or_default();
        let rotation = Rotation::as_given(wxyz).ok_or_else(|| {
            let expected = "a quaternion [w, x, y, z] of a length other than zero; no turn is [1, 0, 0, 0]";
            AssetError::new(file, Place::File, format!("the refquat {wxyz:?}"), expected)
        })?;
        Ok(Self { position: position.into(), rotation })
    }

    /// What is missing and what is more, as Monty tells it.
    fn wrong_keys(object: &Map<String, Value>) -> Option<String> {
        const KEYS: [&str; 2] = ["refpos", "refquat"];
        let missing = KEYS.into_iter().filter(|key| !object.contains_key(*key));
        let unknown = object.keys().map(String::as_str).filter(|key| !KEYS.contains(key));
        let told = |what: &str, keys: Vec<&str>| (!keys.is_empty()).then(|| format!("{what} {}", keys.join(", ")));
        let parts = [told("no", missing.collect()), told("the unknown", unknown.collect())];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")).filter(|found| !found.is_empty())
    }
}

fn read_object(file: &str, bytes: &[u8]) -> Result<Map<String, Value>, AssetError> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(AssetError::new(file, Place::File, "JSON of another kind", "a JSON object")),
        Err(error) => {
            let found = format!("JSON with an error ({error})");
            Err(AssetError::new(file, Place::Line(error.line()), found, "a JSON object"))
        }
    }
}

/// A list of N finite numbers; `None` where the key is absent.
fn numbers<const N: usize>(file: &str, object: &Map<String, Value>, key: &str) -> Result<Option<[f64; N]>, AssetError> {
    let Some(value) = object.get(key) else { return Ok(None) };
    let numbers = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
    match numbers.and_then(|numbers| <[f64; N]>::try_from(numbers).ok()) {
        Some(numbers) if numbers.iter().all(|n| n.abs() <= limits::MAX_COORDINATE) => Ok(Some(numbers)),
        _ => Err(AssetError::new(file, Place::File, format!("{key} = {value}"), format!("{N} numbers within ±1e9"))),
    }
}

fn load_config(config: &str, files: &mut Files) -> Result<Mesh, AssetError> {
    let bytes = files.read(config, "the data folder")?;
    let object = read_object(config, &bytes)?;
    let asset =
        object.get("render_asset").and_then(Value::as_str).filter(|asset| !asset.is_empty()).ok_or_else(|| {
            AssetError::new(config, Place::File, "no render_asset", "the path of a mesh, relative to this file")
        })?;
    let path = join(folder_of(config), asset);
    let mut mesh = load_file(&path, config, files)?;
    let turn = upright(config, &object)?;
    let scale = factors(config, &object, "scale")?.component_mul(&factors(config, &object, "units_to_meters")?);
    mesh.transform(&(Matrix::from_diagonal(&scale) * turn), &Vector::zeros());
    Ok(mesh)
}

/// What takes the asset's up to +y and its front to -z.
fn upright(config: &str, object: &Map<String, Value>) -> Result<Matrix, AssetError> {
    let axis = |key: &str, default: Vector| -> Result<Vector, AssetError> {
        Ok(numbers::<3>(config, object, key)?.map_or(default, Vector::from))
    };
    let (up, front) = (axis("up", Vector::y())?, axis("front", -Vector::z())?);
    let right = front.cross(&up);
    let is_square = up.dot(&front).abs() <= 1e-3 * up.norm() * front.norm();
    if !is_square || right.norm() == 0.0 {
        let found = format!("up {:?} and front {:?}", <[f64; 3]>::from(up), <[f64; 3]>::from(front));
        return Err(AssetError::new(config, Place::File, found, "two axes at right angles, neither of length zero"));
    }
    let (right, up) = (right.normalize(), up.normalize());
    Ok(Matrix::from_rows(&[right.transpose(), up.transpose(), right.cross(&up).transpose()]))
}

/// A factor or one for each axis, none of them 0; 1 where the key is absent.
fn factors(config: &str, object: &Map<String, Value>, key: &str) -> Result<Vector, AssetError> {
    let factors = match object.get(key).and_then(Value::as_f64) {
        Some(factor) => Vector::repeat(factor),
        None => numbers::<3>(config, object, key)?.map_or(Vector::repeat(1.0), Vector::from),
    };
    match factors.iter().all(|factor| (1e-9..=1e9).contains(factor)) {
        true => Ok(factors),
        false => Err(AssetError::new(config, Place::File, format!("{key} = {}", object[key]), "positive factors")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::InMemory;
    use super::*;

    #[test]
    fn a_number_before_a_name_may_be_left_out_and_nothing_else() {
        assert_eq!(without_number("025_mug"), Some("mug"));
        assert_eq!(without_number("072-a_toy_airplane"), Some("toy_airplane"));
        assert_eq!(["mug", "my_mug", "25_mug", "0250_mug"].map(without_number), [None; 4]);
    }

    #[test]
    fn the_layout_of_a_folder_is_seen_and_exact_names_come_first() {
        let source = |paths: &[&str]| InMemory(paths.iter().map(|p| ((*p).to_owned(), Vec::new())).collect());
        let folder = DataFolder { layout: None, root: "data".into() };
        let habitat = source(&["data/configs/a.object_config.json", "data/meshes/a.glb"]);
        assert_eq!(folder.locate("a", &habitat), Some(Located::Config("data/configs/a.object_config.json".into())));
        let mujoco = source(&["data/025_mug/textured.obj", "data/mug/textured.obj", "data/056_cup/x"]);
        assert_eq!(folder.locate("mug", &mujoco), Some(Located::Folder("data/mug".into())));
        assert_eq!(folder.locate("cup", &mujoco), Some(Located::Folder("data/056_cup".into())));
        assert_eq!(folder.locate("ug", &mujoco), None);
        let plain = source(&["data/a.STL", "data/a.txt"]);
        assert_eq!(folder.locate("a", &plain), Some(Located::File("data/a.STL".into())));
        assert_eq!(folder.locate("../a", &plain), None);
    }
}
