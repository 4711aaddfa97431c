//! Depth into points, as Monty's transforms do it.

use crate::world::{Agent, AgentKind, SensorSpec};

/// The transforms that Monty applies to a sensor's depth by default: MissingToMaxDepth(1), then DepthTo3DLocations, which on
/// a surface agent clips its first sensor at 5 cm.
pub struct DefaultChain {
    clip_m: Option<f32>,
}

/// What MissingToMaxDepth puts where nothing was hit.
const MAX_DEPTH_M: f32 = 1.0;

const SURFACE_CLIP_M: f32 = 0.05;

impl DefaultChain {
    pub fn of(agent: &Agent, sensor: &SensorSpec) -> Self {
        let is_first = agent.sensors().first().is_some_and(|first| first.id == sensor.id);
        let is_clipped = agent.kind() == AgentKind::Surface && is_first;
        Self { clip_m: is_clipped.then_some(SURFACE_CLIP_M) }
    }

    pub fn apply(&self, depth_m: f32) -> f32 {
        let depth_m = if depth_m <= 0.0 { MAX_DEPTH_M } else { depth_m };
        self.clip_m.map_or(depth_m, |clip| depth_m.min(clip))
    }
}
