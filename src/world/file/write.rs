//! A world file written back: every key spelled out, in one order, so that equal worlds have equal texts.

use super::super::agent::SensorSpec;
use super::super::compat::Word as _;
use super::episodes::write_episodes;
use super::percept::percept_text;
use super::pipeline::pipeline_text;
use super::switches::compat_text;
use super::{AgentSpec, ObjectSpec, WorldFile};
use crate::assets::DataFolder;
use crate::math::{Rotation, Vector};
use crate::protocol::{Extra, Modalities, Modality};

pub fn to_text(world: &WorldFile) -> String {
    let mut out = String::new();
    line(&mut out, "name", text(&world.name));
    line(&mut out, "seed", world.seed.to_string());
    line(&mut out, "tick_s", number(world.tick_s));
    line(&mut out, "compat", compat_text(&world.compat));
    modalities(&mut out, world.modalities);
    line(&mut out, "encoding", text(world.encoding.word()));
    line(&mut out, "extras", words(world.extras.iter().map(Extra::word)));
    if let Some(folder) = &world.data {
        line(&mut out, "data", data_text(folder));
    }
    for agent in &world.agents {
        write_agent(&mut out, agent);
    }
    for object in &world.objects {
        write_object(&mut out, object);
    }
    if let Some(episodes) = &world.episodes {
        write_episodes(&mut out, episodes);
    }
    out
}

fn data_text(folder: &DataFolder) -> String {
    let layout = folder.layout.map(|layout| format!("layout = {}, ", text(layout.word())));
    format!("{{ {}root = {} }}", layout.unwrap_or_default(), text(&folder.root))
}

fn write_agent(out: &mut String, agent: &AgentSpec) {
    out.push_str("\n[[agents]]\n");
    line(out, "id", text(agent.id.as_str()));
    line(out, "kind", text(agent.kind.word()));
    pose(out, &agent.position, &agent.rotation);
    for sensor in &agent.sensors {
        write_sensor(out, sensor);
    }
}

fn write_sensor(out: &mut String, sensor: &SensorSpec) {
    out.push_str("\n[[agents.sensors]]\n");
    line(out, "id", text(sensor.id.as_str()));
    pose(out, &sensor.position, &sensor.rotation);
    line(out, "resolution", format!("[{}, {}]", sensor.width, sensor.height));
    line(out, "zoom", number(sensor.zoom));
    line(out, "hfov_deg", number(sensor.hfov_deg));
    line(out, "semantic", sensor.semantic.to_string());
    line(out, "antialiasing", sensor.antialiasing.to_string());
    modalities(out, sensor.modalities);
    line(out, "pipeline", pipeline_text(&sensor.pipeline));
    line(out, "percept", percept_text(&sensor.percept));
}

fn write_object(out: &mut String, object: &ObjectSpec) {
    out.push_str("\n[[objects]]\n");
    line(out, "name", text(&object.name));
    if let Some(file) = &object.file {
        line(out, "file", text(file));
    }
    pose(out, &object.position, &object.rotation);
    line(out, "scale", numbers(object.scale.as_slice()));
    if let Some(id) = object.semantic_id {
        line(out, "semantic_id", id.0.to_string());
    }
    line(out, "color", numbers(&object.color));
}

fn pose(out: &mut String, position: &Vector, rotation: &Rotation) {
    line(out, "position", numbers(position.as_slice()));
    line(out, "rotation_wxyz", numbers(&rotation.wxyz()));
}

pub fn line(out: &mut String, key: &str, value: String) {
    out.push_str(key);
    out.push_str(" = ");
    out.push_str(&value);
    out.push('\n');
}

pub fn text(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// The shortest digits that read back to the number, and a point or an exponent, so that it stays a float.
pub fn number(value: f64) -> String {
    format!("{:?}", if value == 0.0 { 0.0 } else { value })
}

pub fn numbers(values: &[f64]) -> String {
    list(values.iter().map(|value| number(*value)))
}

pub fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(", "))
}

fn modalities(out: &mut String, chosen: Option<Modalities>) {
    if let Some(chosen) = chosen {
        line(out, "modalities", words(chosen.iter().map(Modality::word)));
    }
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    list(words.map(text))
}
