//! What a sensor saw last, and of what: while that is the same nothing is drawn again.

use std::sync::Arc;

use super::clip::ClipPlanes;
use super::room::emptied;
use crate::math::Pose;
use crate::protocol::{Modalities, Modality};
use crate::world::SensorSpec;

/// Shared with the answers that show them; what nobody asked for is empty.
#[derive(Debug, Default)]
pub struct Images {
    /// Metres, planar.
    pub depth_m: Arc<Vec<f32>>,
    /// 0 is background.
    pub semantic: Arc<Vec<u32>>,
    pub rgba: Arc<Vec<[u8; 4]>>,
}

/// What the pixel [H//2, W//2] sees.
#[derive(Clone, Copy, Debug, Default)]
pub struct Centre {
    pub depth_m: f32,
    pub semantic: u32,
    /// If somebody asked for it.
    pub rgba: Option<[u8; 4]>,
}

#[derive(Debug, Default)]
pub struct Frame {
    pub images: Images,
    pub centre: Centre,
    /// What it shows, and how much of that; `None` until it is drawn to its end.
    shows: Option<(Subject, Needs)>,
    /// How often it was drawn.
    pub draws: u64,
}

/// All that the pixels of a sensor depend on, to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    revision: u64,
    pose: [u64; 7],
    planes: [u64; 2],
}

/// What the chosen modalities need: a modality's value never depends on what else was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Depth, and ids if the sensor reads them.
    pub images: bool,
    pub rgba: bool,
    pub center_rgba: bool,
}

impl Images {
    /// To be drawn anew.
    pub fn emptied(&mut self) -> (&mut Vec<f32>, &mut Vec<u32>, &mut Vec<[u8; 4]>) {
        (emptied(&mut self.depth_m), emptied(&mut self.semantic), emptied(&mut self.rgba))
    }
}

impl Frame {
    pub fn shows(&self, subject: &Subject, needs: Needs) -> bool {
        self.shows.as_ref().is_some_and(|(shown, drawn)| shown == subject && drawn.cover(needs))
    }

    /// From here until its end it shows nothing.
    pub fn begin(&mut self) {
        self.shows = None;
        self.draws += 1;
    }

    pub fn forget(&mut self) {
        *self = Self { draws: self.draws, ..Self::default() };
    }

    pub fn end(&mut self, subject: Subject, needs: Needs) {
        self.shows = Some((subject, needs));
    }
}

impl Subject {
    pub fn new(revision: u64, world_from_camera: &Pose, planes: &ClipPlanes) -> Self {
        let planes = [planes.near_m.to_bits(), planes.miss_depth.to_bits().into()];
        Self { revision, pose: bits_of(world_from_camera), planes }
    }
}

/// Equal for poses that are the same number by number, signs of zeros too.
pub fn bits_of(pose: &Pose) -> [u64; 7] {
    let (position, rotation) = (pose.translation.vector, pose.rotation);
    [position.x, position.y, position.z, rotation.i, rotation.j, rotation.k, rotation.w].map(f64::to_bits)
}

impl Needs {
    pub fn of(chosen: Modalities, sensor: &SensorSpec) -> Self {
        Self {
            images: chosen.meets(Modalities::RAW) || !is_all_at_centre(chosen, sensor),
            rgba: chosen.contains(Modality::Rgba),
            center_rgba: chosen.meets(Modalities::OF_COLOR),
        }
    }

    fn cover(&self, other: Needs) -> bool {
        let has_center_rgba = self.center_rgba || self.rgba;
        (self.images || !other.images) && (self.rgba || !other.rgba) && (has_center_rgba || !other.center_rgba)
    }
}

/// Whether what is derived needs no pixel but the centre's. A location is a pixel's own affair unless a transform mixes
/// pixels or draws a number for each; noise of other features depends on whether the patch can be read.
pub fn is_all_at_centre(chosen: Modalities, sensor: &SensorSpec) -> bool {
    let is_centre_free = sensor.pipeline.is_pointwise() && sensor.percept.noise.is_empty();
    is_centre_free && !chosen.contains_any_but(Modalities::OF_CENTRE.with(Modalities::RAW))
}
