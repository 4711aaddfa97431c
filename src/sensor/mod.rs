//! What the world looks like to a sensor: camera, oracle, points. Reads the world and changes nothing.

mod camera;
mod clip;
mod oracle;
mod points;

pub use clip::ClipPlanes;

use crate::protocol::{Modalities, Modality, SensorObservation, Value};
use crate::world::{Agent, SensorSpec, World};
use camera::Camera;

/// One sensor's answer: a value for each of `modalities`, in their order.
pub fn observe(
    world: &World,
    agent: &Agent,
    sensor: &SensorSpec,
    chosen: Modalities,
    planes: &ClipPlanes,
) -> SensorObservation {
    let values = chosen.iter().filter_map(|modality| match modality {
        Modality::Location => Some((modality, Value::Numbers(location(world, agent, sensor, planes).to_vec()))),
        _ => None,
    });
    SensorObservation { sensor_id: sensor.id.clone(), values: values.collect() }
}

/// The point of the centre pixel [H//2, W//2], world, metres, also off the object.
fn location(world: &World, agent: &Agent, sensor: &SensorSpec, planes: &ClipPlanes) -> [f64; 3] {
    let camera = Camera::new(sensor);
    let (row, column) = (sensor.height / 2, sensor.width / 2);
    let world_from_camera = agent.world_from_camera(sensor, world.compat());
    let hit = oracle::cast(world.objects(), &world_from_camera, camera.ray(row, column), planes.near_m);
    let depth_m = hit.map_or(planes.miss_depth, |hit| hit.depth_m as f32);
    let chain = points::DefaultChain::of(agent, sensor);
    let point = camera.monty_point(row, column, chain.apply(depth_m));
    (agent.world_from_reported_sensor(sensor, world.compat()) * point).coords.into()
}
