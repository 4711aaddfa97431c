//! The keys of a world file: what each is, its default, and what it may hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use toml::de::DeTable;

use super::super::agent::SensorSpec;
use super::super::compat::{Compat, Preset, Quaternions, Word as _};
use super::super::kind::AgentKind;
use super::super::pipeline::Pipeline;
use super::super::stock::Objects;
use super::episodes::read_episodes;
use super::percept::read_percept;
use super::pipeline::read_pipeline;
use super::reader::{Item, Problem, Report, Section};
use super::switches::read_compat;
use super::{AgentSpec, DEFAULT_COLOR, ObjectSpec, WorldFile};
use crate::assets::{DataFolder, Layout, Source};
use crate::math::{Rotation, Vector, norm};
use crate::protocol::{AgentId, Encoding, Extra, Extras, Modalities, SemanticId, SensorId, limits};

const DEFAULT_TICK_S: f64 = 1.0 / 60.0;
const DEFAULT_RESOLUTION: u32 = 64;
const DEFAULT_HFOV_DEG: f64 = 90.0;

/// How far a rotation in a world file may be from unit length: more is Euler angles or another order of components.
const UNIT_TOLERANCE: f64 = 1e-6;

/// Reads a world file's text; on failure every problem, in the order of the file.
pub fn parse(text: &str, source: &dyn Source) -> Result<WorldFile, Vec<Problem>> {
    let mut report = Report::new(text);
    if text.len() > limits::MAX_WORLD_FILE_BYTES {
        let found = format!("{} bytes", text.len());
        report.add(0, "", found, format!("a world file of at most {} bytes", limits::MAX_WORLD_FILE_BYTES));
        return Err(report.into_problems());
    }
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(first) => {
            report_syntax(text, first, &mut report);
            return Err(report.into_problems());
        }
    };
    let world = read_world(Section::new(String::new(), table.get_ref(), 0), source, &mut report);
    if report.is_clean() { Ok(world) } else { Err(report.into_problems()) }
}

/// The longest text whose syntax errors are all told: the parser keeps each, and of garbage there are as many as bytes.
const MOST_BYTES_RECOVERED: usize = 64 << 10;

/// Every syntax error of a text that a person wrote, the first of a longer one.
fn report_syntax(text: &str, first: toml::de::Error, r: &mut Report) {
    let errors = match text.len() <= MOST_BYTES_RECOVERED {
        true => DeTable::parse_recoverable(text).1,
        false => vec![first],
    };
    let mut told = BTreeSet::new();
    for error in errors {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        if told.insert((at, error.message().to_owned())) {
            r.add(at, "", format!("text that is not TOML ({})", error.message()), "TOML");
        }
    }
}

fn read_world(mut s: Section, source: &dyn Source, r: &mut Report) -> WorldFile {
    let compat = s.optional("compat").and_then(|item| read_compat(&item, r));
    let compat = compat.unwrap_or(Compat::preset(Preset::Saccade));
    let data = s.optional("data").and_then(|item| read_data(&item, source, r));
    let folder = source.data_folder(data.as_ref());
    let objects_at = Objects { source, folder: folder.as_ref() };
    let objects = read_objects(&mut s, &compat, &objects_at, r);
    let world = WorldFile {
        name: s.optional("name").and_then(|item| read_name(&item, r)).unwrap_or_else(|| "unnamed".into()),
        seed: s.optional("seed").and_then(|item| item.integer(r, 0, limits::MAX_SEED)).unwrap_or(0),
        tick_s: s.optional("tick_s").and_then(|item| read_tick(&item, r)).unwrap_or(DEFAULT_TICK_S),
        compat,
        modalities: s.optional("modalities").and_then(|item| read_modalities(&item, r)),
        encoding: s
            .optional("encoding")
            .and_then(|item| item.word(r, Encoding::from_word, Encoding::ALL.iter().map(|e| e.word())))
            .unwrap_or(Encoding::Nested),
        extras: s.optional("extras").and_then(|item| read_extras(&item, r)).unwrap_or_default(),
        agents: read_agents(&mut s, &compat, r),
        episodes: s.optional("episodes").and_then(|item| read_episodes(&item, &objects_at, objects.len(), r)),
        objects,
        data,
    };
    s.finish(r);
    world
}

fn read_data(item: &Item, source: &dyn Source, r: &mut Report) -> Option<DataFolder> {
    let mut s = item.section(r, "data")?;
    let layout = s.optional("layout");
    let layout =
        layout.and_then(|item| item.word(r, Layout::from_word, Layout::ALL.iter().map(|layout| layout.word())));
    let root_item = s.required("root", r, "the path of a folder with objects in quotes");
    let root = root_item.as_ref().and_then(|item| read_path(item, "the path of a folder", r));
    s.finish(r);
    let folder = DataFolder { layout, root: root? };
    // Where another folder stands in its place, this one need not be there.
    let is_used = source.data_folder(Some(&folder)).as_ref() == Some(&folder);
    if is_used && !folder.is_there(source) {
        root_item?.wrong(r, "a folder that is there, relative to the folder of the world file");
    }
    Some(folder)
}

fn read_path(item: &Item, what: &str, r: &mut Report) -> Option<String> {
    let path = item.text(r, what)?;
    let most = limits::MAX_PATH_BYTES;
    if (1..=most).contains(&path.len()) && !path.contains('\0') {
        return Some(path);
    }
    item.wrong(r, format!("{what} of 1 to {most} bytes"));
    None
}

fn read_tick(item: &Item, r: &mut Report) -> Option<f64> {
    read_between(item, "seconds", limits::MIN_TICK_S, limits::MAX_TICK_S, r)
}

fn read_between(item: &Item, what: &str, least: f64, most: f64, r: &mut Report) -> Option<f64> {
    item.number(r, &format!("{what} from {least} to {most}"), |number| (least..=most).contains(&number))
}

fn read_agents(s: &mut Section, compat: &Compat, r: &mut Report) -> Vec<Arc<AgentSpec>> {
    let items = s.optional("agents").and_then(|item| item.items(r, "agents")).unwrap_or_default();
    let mut taken = BTreeSet::new();
    items.iter().filter_map(|item| read_agent(item, compat, &mut taken, r)).collect()
}

pub fn read_name(item: &Item, r: &mut Report) -> Option<String> {
    let name = item.text(r, "a name")?;
    let most = limits::MAX_NAME_BYTES;
    if (1..=most).contains(&name.len()) {
        return Some(name);
    }
    item.wrong(r, format!("a name of 1 to {most} bytes"));
    None
}

/// An id that is not among `taken` yet; the section is called by it.
fn read_id(s: &mut Section, what: &str, taken: &mut BTreeSet<String>, r: &mut Report) -> Option<String> {
    let item = s.required("id", r, &format!("the {what}'s id in quotes"))?;
    let id = read_name(&item, r)?;
    s.call(&id);
    if taken.insert(id.clone()) {
        return Some(id);
    }
    item.wrong(r, format!("an id that no other {what} has; this one is taken already"));
    None
}

fn read_agent(item: &Item, compat: &Compat, taken: &mut BTreeSet<String>, r: &mut Report) -> Option<Arc<AgentSpec>> {
    let mut s = item.section(r, "an agent")?;
    let id = read_id(&mut s, "agent", taken, r);
    let kind = s.required("kind", r, "the agent's kind in quotes");
    let kind = kind.and_then(|item| item.word(r, AgentKind::from_word, AgentKind::words()));
    let position = read_position(&mut s, r);
    let rotation = read_rotation(&mut s, compat, r);
    let sensors = read_sensors(&mut s, kind.unwrap_or(AgentKind::Noop), compat, r);
    s.finish(r);
    Some(Arc::new(AgentSpec { id: AgentId::from(&*id?), kind: kind?, position, rotation, sensors }))
}

fn read_sensors(s: &mut Section, kind: AgentKind, compat: &Compat, r: &mut Report) -> Vec<SensorSpec> {
    let Some(list) = s.optional("sensors") else { return Vec::new() };
    let items = list.items(r, "sensors").unwrap_or_default();
    let most = limits::MAX_SENSORS_PER_AGENT;
    if items.len() > most {
        let found = format!("{} sensors", items.len());
        list.wrong(r, format!("at most {most} sensors an agent, not the {found}"));
        return Vec::new();
    }
    let mut taken = BTreeSet::new();
    let pipeline = |index| Pipeline::default_of(kind, index);
    (0..).zip(&items).filter_map(|(index, item)| read_sensor(item, pipeline(index), compat, &mut taken, r)).collect()
}

fn read_sensor(
    item: &Item,
    default: Pipeline,
    compat: &Compat,
    taken: &mut BTreeSet<String>,
    r: &mut Report,
) -> Option<SensorSpec> {
    let mut s = item.section(r, "a sensor")?;
    let id = read_id(&mut s, "sensor", taken, r);
    let [width, height] =
        s.optional("resolution").and_then(|item| read_resolution(&item, r)).unwrap_or([DEFAULT_RESOLUTION; 2]);
    let zoom = s.optional("zoom").and_then(|item| read_zoom(&item, r));
    let hfov_deg = s.optional("hfov_deg").and_then(|item| read_hfov(&item, r));
    let semantic = s.optional("semantic").and_then(|item| item.boolean(r)).unwrap_or(false);
    let sensor = SensorSpec {
        id: SensorId::from(&*id.clone().unwrap_or_default()),
        position: read_position(&mut s, r),
        rotation: read_rotation(&mut s, compat, r),
        width,
        height,
        zoom: zoom.unwrap_or(1.0),
        hfov_deg: hfov_deg.unwrap_or(DEFAULT_HFOV_DEG),
        semantic,
        antialiasing: s.optional("antialiasing").and_then(|item| item.boolean(r)).unwrap_or(false),
        modalities: s.optional("modalities").and_then(|item| read_modalities(&item, r)),
        pipeline: s.optional("pipeline").and_then(|item| read_pipeline(&item, semantic, r)).unwrap_or(default),
        percept: s.optional("percept").and_then(|item| read_percept(&item, r)).unwrap_or_default(),
    };
    s.finish(r);
    id.map(|_| sensor)
}

pub fn read_zoom(item: &Item, r: &mut Report) -> Option<f64> {
    read_between(item, "a number", limits::MIN_ZOOM, limits::MAX_ZOOM, r)
}

pub fn read_hfov(item: &Item, r: &mut Report) -> Option<f64> {
    read_between(item, "degrees", limits::MIN_HFOV_DEG, limits::MAX_HFOV_DEG, r)
}

fn read_resolution(item: &Item, r: &mut Report) -> Option<[u32; 2]> {
    let most = limits::MAX_RESOLUTION;
    let expected = format!("[width, height], each an integer from 1 to {most}");
    let sizes = item.numbers::<2>(r, &expected)?;
    let is_right = |size: f64| size.fract() == 0.0 && (1.0..=f64::from(most)).contains(&size);
    if sizes.iter().all(|size| is_right(*size)) {
        return Some(sizes.map(|size| size as u32));
    }
    item.wrong(r, expected);
    None
}

fn read_objects(s: &mut Section, compat: &Compat, known: &Objects, r: &mut Report) -> Vec<ObjectSpec> {
    let Some(list) = s.optional("objects") else { return Vec::new() };
    let items = list.items(r, "objects").unwrap_or_default();
    let most = limits::MAX_OBJECTS;
    if items.len() > most {
        let found = items.len();
        list.wrong(r, format!("at most {most} objects, not {found}"));
        return Vec::new();
    }
    items.iter().filter_map(|item| read_object(item, compat, known, r)).collect()
}

fn read_object(item: &Item, compat: &Compat, known: &Objects, r: &mut Report) -> Option<ObjectSpec> {
    let mut s = item.section(r, "an object")?;
    let name_item = s.required("name", r, "the object's name in quotes");
    let name = name_item.as_ref().and_then(|item| read_name(item, r));
    if let Some(name) = &name {
        s.call(name);
    }
    let spec = ObjectSpec {
        name: name.clone().unwrap_or_default(),
        file: s.optional("file").and_then(|item| read_path(&item, "the path of a mesh file", r)),
        position: read_position(&mut s, r),
        rotation: read_rotation(&mut s, compat, r),
        scale: s.optional("scale").and_then(|item| read_scale(&item, r)).unwrap_or(Vector::repeat(1.0)),
        semantic_id: s.optional("semantic_id").and_then(|item| read_semantic_id(&item, r)),
        color: color_of(&mut s, r),
    };
    s.finish(r);
    name?;
    let name_item = name_item?;
    if spec.file.is_none()
        && let Err(fault) = known.check(&spec.name)
    {
        name_item.wrong(r, format!("a known object ({})", fault.message));
    }
    Some(spec)
}

fn read_semantic_id(item: &Item, r: &mut Report) -> Option<SemanticId> {
    let id = item.integer(r, 0, SemanticId::MAX.into())?;
    u32::try_from(id).ok().map(SemanticId)
}

pub fn color_of(s: &mut Section, r: &mut Report) -> [f64; 3] {
    let expected = "[red, green, blue], each from 0 to 1";
    let is_right = |part: f64| (0.0..=1.0).contains(&part);
    s.optional("color").and_then(|item| vector(&item, false, expected, &is_right, r)).unwrap_or(DEFAULT_COLOR)
}

fn read_scale(item: &Item, r: &mut Report) -> Option<Vector> {
    let (least, most) = (limits::MIN_SCALE, limits::MAX_SCALE);
    let expected = format!("a positive number or [x, y, z], each from {least} to {most}");
    vector(item, true, &expected, &|factor| (least..=most).contains(&factor), r).map(Vector::from)
}

/// Three numbers, or where `is_factor` says so one for all three.
pub fn vector(
    item: &Item,
    is_factor: bool,
    expected: &str,
    is_right: &impl Fn(f64) -> bool,
    r: &mut Report,
) -> Option<[f64; 3]> {
    let vector = match is_factor && !item.is_list() {
        true => [item.number(r, expected, |_| true)?; 3],
        false => item.numbers::<3>(r, expected)?,
    };
    if vector.iter().all(|part| is_right(*part)) {
        return Some(vector);
    }
    item.wrong(r, expected);
    None
}

fn read_position(s: &mut Section, r: &mut Report) -> Vector {
    let most = limits::MAX_COORDINATE_M;
    let expected = format!("[x, y, z], three finite numbers in metres, each within ±{most}");
    let position = s.optional("position").and_then(|item| vector(&item, false, &expected, &|c| c.abs() <= most, r));
    position.map_or(Vector::zeros(), Vector::from)
}

/// `rotation_wxyz`, a quaternion, or `rotation_deg`, angles about the fixed axes x, then y, then z.
fn read_rotation(s: &mut Section, compat: &Compat, r: &mut Report) -> Rotation {
    let quaternion = s.optional("rotation_wxyz");
    let angles = s.optional("rotation_deg");
    let rotation = match (quaternion, angles) {
        (Some(_), Some(angles)) => {
            angles.wrong(r, "no second rotation: rotation_wxyz is given already");
            None
        }
        (Some(item), None) => read_quaternion(&item, compat, r),
        (None, Some(item)) => item
            .numbers::<3>(r, "[x, y, z], three finite numbers in degrees, about the fixed axes x, then y, then z")
            .map(Rotation::from_extrinsic_xyz_deg),
        (None, None) => None,
    };
    rotation.unwrap_or_else(Rotation::identity)
}

fn read_quaternion(item: &Item, compat: &Compat, r: &mut Report) -> Option<Rotation> {
    let wxyz = item.numbers::<4>(r, "a unit quaternion [w, x, y, z] of four finite numbers")?;
    let length = norm(wxyz);
    let must_be_unit = compat.quaternions == Quaternions::Normalised;
    if must_be_unit && (length - 1.0).abs() > UNIT_TOLERANCE {
        item.wrong(r, format!("a unit quaternion [w, x, y, z]; the length of this one is {length}"));
        return None;
    }
    let rotation = compat.quaternions.read(wxyz);
    if rotation.is_none() {
        item.wrong(r, "a quaternion [w, x, y, z] of a length other than zero");
    }
    rotation
}

fn read_modalities(item: &Item, r: &mut Report) -> Option<Modalities> {
    let mut chosen = Modalities::NONE;
    for item in item.items(r, "modalities")? {
        if let Some(modality) = item.word(r, Modalities::from_word, Modalities::words()) {
            chosen = chosen.with(modality);
        }
    }
    Some(chosen)
}

fn read_extras(item: &Item, r: &mut Report) -> Option<Extras> {
    let mut chosen = Extras::default();
    for item in item.items(r, "extras")? {
        if let Some(extra) = item.word(r, Extra::from_word, Extra::ALL.iter().map(|e| e.word())) {
            chosen = chosen.with(extra);
        }
    }
    Some(chosen)
}
