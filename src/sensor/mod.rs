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
mod frame;
mod lanes;
mod lens;
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
mod room;
mod shading;
mod sight;
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
pub use sight::Sight;
pub use visible::{Grid, Rectangle, Seen, Visible};

use crate::protocol::{Abandoned, KeepGoing};
use crate::world::{Agent, World};
use percept::{Look, points_seen};

/// What one sensor sees as points after its own pipeline, whatever was asked for.
pub fn look(
    world: &World,
    agent: &Agent,
    sensor: usize,
    planes: &ClipPlanes,
    keep_going: &mut KeepGoing,
) -> Result<PointCloud, Abandoned> {
    points_seen(&Look::new(world, agent, sensor), planes, keep_going)
}
