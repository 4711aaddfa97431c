//! What the world looks like to a sensor: camera, oracle, light, points, percept. Reads the world and changes nothing.

mod band;
mod camera;
mod change_filter;
mod clip;
mod closed_form;
mod colour;
mod crossing;
mod curvature;
mod draw;
mod entries;
mod facet;
mod features;
mod lanes;
mod light;
mod linear;
mod mask;
mod moments;
mod noise;
mod normal;
mod object_view;
mod oracle;
mod patch;
mod percept;
mod pipeline;
mod points;
mod render;
mod shading;
mod triangle;
mod visible;

pub(crate) use band::{for_each_band, go_on};
pub use camera::Camera;
pub use clip::ClipPlanes;
pub use colour::hsv;
pub use curvature::Curvature;
pub use features::Features;
pub use normal::SurfaceNormal;
pub use oracle::{Hit, Scene};
pub use patch::{Patch, Unreadable};
pub use pipeline::{DepthImage, Precision};
pub use points::{Coverage, PointCloud, Run};
pub use render::View;
pub use visible::{Grid, Rectangle, Seen, Visible};

use crate::protocol::{Abandoned, KeepGoing, Modalities, SensorObservation};
use crate::world::{Agent, LastPercept, World};
use percept::{Percept, points_seen};

/// One sensor's answer: a value for each of `chosen` that exists, in the order of `Modality`; and what its filter remembers
/// from now on.
pub fn observe(
    world: &World,
    agent: &Agent,
    sensor: usize,
    chosen: Modalities,
    planes: &ClipPlanes,
    keep_going: &mut KeepGoing,
) -> Result<(SensorObservation, Option<LastPercept>), Abandoned> {
    let spec = &agent.sensors()[sensor];
    let view = View::new(world, agent, spec, planes);
    let images = view.render(chosen, keep_going)?;
    let percept = Percept::new(&view, agent, &images, chosen, keep_going)?;
    let (values, remembered) = percept.answer(chosen, images, agent.last_percept(sensor), keep_going)?;
    Ok((SensorObservation { sensor_id: spec.id.clone(), values }, remembered))
}

/// What one sensor sees as points after its own pipeline, whatever was asked for.
pub fn look(
    world: &World,
    agent: &Agent,
    sensor: usize,
    planes: &ClipPlanes,
    keep_going: &mut KeepGoing,
) -> Result<PointCloud, Abandoned> {
    points_seen(&View::new(world, agent, &agent.sensors()[sensor], planes), agent, keep_going)
}
