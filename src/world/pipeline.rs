//! What becomes of a sensor's depth before its points are taken: Monty's transforms and their arguments.

use super::kind::AgentKind;

/// Any number of transforms, then the one that makes points and masks.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    pub transforms: Vec<Transform>,
    pub points: DepthTo3DLocations,
}

/// One of Monty's transforms of a depth image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transform {
    /// Depths up to the threshold become `max_depth_m`.
    MissingToMaxDepth { max_depth_m: f64, threshold_m: f64 },
    /// Adds normal noise of this standard deviation to each pixel, one draw of the sensor's own stream each, row by row.
    AddNoiseToRawDepthImage { sigma_m: f64 },
    /// Convolves with a normalised Gaussian kernel over edges that are repeated; what follows is f64.
    GaussianSmoothing { sigma: f64, kernel_width: u32 },
}

/// The arguments of DepthTo3DLocations for one sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthTo3DLocations {
    /// `None`: the sensor's own.
    pub zoom: Option<f64>,
    /// Degrees at zoom 1; `None`: the sensor's own.
    pub hfov_deg: Option<f64>,
    pub depth_clip: DepthClip,
    pub clip_value_m: f64,
    /// Whether points are in the world, or else in the camera's frame.
    pub world_coord: bool,
    /// Whether points off the object are told too, and those of the camera's frame.
    pub get_all_points: bool,
    /// With a clipped sensor on the agent: the mask is the semantic image alone.
    pub use_semantic_sensor: bool,
}

/// Which sensors Monty's list `depth_clip_sensors` holds, as seen from one sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthClip {
    None,
    This,
    /// Others of the agent and not this one, which matters only with `use_semantic_sensor`.
    Other,
}

impl super::compat::Word for DepthClip {
    const ALL: &'static [Self] = &[DepthClip::None, DepthClip::This, DepthClip::Other];

    fn word(self) -> &'static str {
        match self {
            DepthClip::None => "none",
            DepthClip::This => "this",
            DepthClip::Other => "other",
        }
    }
}

impl Default for DepthTo3DLocations {
    fn default() -> Self {
        Self {
            zoom: None,
            hfov_deg: None,
            depth_clip: DepthClip::None,
            clip_value_m: 0.05,
            world_coord: true,
            get_all_points: true,
            use_semantic_sensor: false,
        }
    }
}

impl DepthTo3DLocations {
    /// Whether nothing but the semantic image says what is on the object.
    pub fn mask_is_semantic(&self) -> bool {
        self.use_semantic_sensor && self.depth_clip != DepthClip::None
    }
}

impl Transform {
    /// What Monty's own chains begin with.
    pub const MISSING_TO_1_M: Transform = Transform::MissingToMaxDepth { max_depth_m: 1.0, threshold_m: 0.0 };
}

impl Pipeline {
    /// Monty's chain: a surface agent clips its first sensor at 5 cm.
    pub fn default_of(kind: AgentKind, sensor_index: usize) -> Self {
        let depth_clip = match (kind, sensor_index) {
            (AgentKind::Surface, 0) => DepthClip::This,
            (AgentKind::Surface, _) => DepthClip::Other,
            _ => DepthClip::None,
        };
        let points = DepthTo3DLocations { depth_clip, ..DepthTo3DLocations::default() };
        Self { transforms: vec![Transform::MISSING_TO_1_M], points }
    }

    pub fn has_noise(&self) -> bool {
        self.transforms.iter().any(|transform| matches!(transform, Transform::AddNoiseToRawDepthImage { .. }))
    }

    /// Whether a pixel's depth after the transforms follows from that pixel alone.
    pub fn is_pointwise(&self) -> bool {
        self.transforms.iter().all(|transform| matches!(transform, Transform::MissingToMaxDepth { .. }))
    }
}
