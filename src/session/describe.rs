//! What `describe` tells of a session.

use super::settings::Settings;
use crate::protocol::{
    AgentDescription, Code, Description, Limit, LimitValue, Modalities, SemanticId, SensorDescription, limits,
};
use crate::world::{
    AgentSpec, Episodes, PHYSICS_VERSION, SensorSpec, Stock, Word as _, WorldFile, file, known_objects,
};

/// Of the contract that this peer speaks.
const PROTOCOL_VERSION: u32 = 1;

pub fn describe(
    world: &WorldFile,
    stock: &Stock,
    settings: &Settings,
    max_frame_bytes: u32,
    with_world: bool,
) -> Description {
    Description {
        saccade_version: env!("CARGO_PKG_VERSION"),
        physics_version: PHYSICS_VERSION,
        protocol_version: PROTOCOL_VERSION,
        world_name: world.name.clone(),
        compat: world.compat.preset.word(),
        seed: settings.seed,
        tick_s: world.tick_s,
        world_file: with_world.then(|| file::to_text(world)),
        agents: describe_agents(world, settings),
        objects: known_objects().map(str::to_owned).chain(stock.names()).collect(),
        episodes: world.episodes.as_ref().map_or(0, Episodes::count),
        encoding: settings.encoding,
        extras: settings.extras,
        max_frame_bytes,
        limits: every_limit(),
        codes: Code::ALL,
    }
}

/// The agents with what their sensors answer under these settings.
pub fn describe_agents(world: &WorldFile, settings: &Settings) -> Vec<AgentDescription> {
    world.agents.iter().zip(&settings.modalities).map(|(agent, chosen)| describe_agent(agent, chosen)).collect()
}

fn describe_agent(agent: &AgentSpec, chosen: &[Option<Modalities>]) -> AgentDescription {
    AgentDescription {
        agent_id: agent.id.clone(),
        kind: agent.kind.word(),
        actions: agent.kind.action_space().iter().map(|a| a.word()).collect(),
        sensors: agent.sensors.iter().zip(chosen).map(|(sensor, chosen)| describe_sensor(sensor, *chosen)).collect(),
    }
}

fn describe_sensor(sensor: &SensorSpec, chosen: Option<Modalities>) -> SensorDescription {
    SensorDescription {
        sensor_id: sensor.id.clone(),
        width: sensor.width,
        height: sensor.height,
        zoom: sensor.zoom,
        hfov_deg: sensor.hfov_deg,
        semantic: sensor.semantic,
        modalities: chosen.unwrap_or(Modalities::NONE),
    }
}

fn every_limit() -> Vec<Limit> {
    let most = |name, value| Limit { name, value: LimitValue::Most(value) };
    let range = |name, least, most| Limit { name, value: LimitValue::Range([least, most]) };
    vec![
        most("nesting", limits::MAX_NESTING as u64),
        most("resolution", limits::MAX_RESOLUTION.into()),
        most("reply_bytes", limits::MAX_REPLY_BYTES),
        most("actions", limits::MAX_ACTIONS as u64),
        most("procedure_ticks", limits::MAX_PROCEDURE_TICKS as u64),
        most("objects", limits::MAX_OBJECTS as u64),
        most("sensors_per_agent", limits::MAX_SENSORS_PER_AGENT as u64),
        most("name_bytes", limits::MAX_NAME_BYTES as u64),
        most("semantic_id", SemanticId::MAX.into()),
        most("seed", limits::MAX_SEED),
        most("world_file_bytes", limits::MAX_WORLD_FILE_BYTES as u64),
        range("coordinate_m", -limits::MAX_COORDINATE_M, limits::MAX_COORDINATE_M),
        range("scale", limits::MIN_SCALE, limits::MAX_SCALE),
        range("zoom", limits::MIN_ZOOM, limits::MAX_ZOOM),
        range("hfov_deg", limits::MIN_HFOV_DEG, limits::MAX_HFOV_DEG),
        range("tick_s", limits::MIN_TICK_S, limits::MAX_TICK_S),
    ]
}
