//! What the world looks like to a sensor: camera, oracle, light, points, percept. Reads the world and changes nothing.

mod camera;
mod clip;
mod light;
mod oracle;
mod percept;
mod points;
mod render;

pub use camera::Camera;
pub use clip::ClipPlanes;
pub use oracle::{Hit, Scene};

use crate::protocol::{Abandoned, KeepGoing, Modalities, SensorObservation};
use crate::world::{Agent, SensorSpec, World};
use percept::Percept;
use render::View;

/// One sensor's answer: a value for each of `chosen` that exists, in the order of `Modality`.
pub fn observe(
    world: &World,
    agent: &Agent,
    sensor: &SensorSpec,
    chosen: Modalities,
    planes: &ClipPlanes,
    keep_going: &mut KeepGoing,
) -> Result<SensorObservation, Abandoned> {
    let view = View::new(world, agent, sensor, planes);
    let images = view.render(chosen, keep_going)?;
    let values = Percept::new(&view, agent, &images, keep_going)?.values(chosen, images);
    Ok(SensorObservation { sensor_id: sensor.id.clone(), values })
}
