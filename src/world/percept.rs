//! How a sensor derives its percept from a patch: the method of the normal, the noise, the filter.

use smallvec::SmallVec;

use super::compat::Word;
use crate::protocol::{Modality, Numbers};

/// What a world file says of one sensor's percept.
#[derive(Clone, Debug, PartialEq)]
pub struct PerceptSpec {
    pub surface_normal: SurfaceNormalMethod,
    /// Whether pixels near the centre count more in the fit of the curvatures.
    pub weight_curvature: bool,
    /// 1/m: a pose is fully defined where the principal curvatures differ by this or more.
    pub pc1_is_pc2_threshold: f64,
    pub noise: Vec<FeatureNoise>,
    pub feature_change: Option<FeatureChange>,
}

impl Default for PerceptSpec {
    fn default() -> Self {
        Self {
            surface_normal: SurfaceNormalMethod::Tls,
            weight_curvature: true,
            pc1_is_pc2_threshold: 10.0,
            noise: Vec::new(),
            feature_change: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceNormalMethod {
    /// Total least squares, as Monty computes it.
    Tls,
    /// Ordinary least squares along the view.
    Ols,
    /// From the four pixels around the centre.
    Naive,
}

impl Word for SurfaceNormalMethod {
    const ALL: &'static [Self] = &[SurfaceNormalMethod::Tls, SurfaceNormalMethod::Ols, SurfaceNormalMethod::Naive];

    fn word(self) -> &'static str {
        match self {
            SurfaceNormalMethod::Tls => "TLS",
            SurfaceNormalMethod::Ols => "OLS",
            SurfaceNormalMethod::Naive => "naive",
        }
    }
}

/// How much noise one feature of the percept gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureNoise {
    /// One of `NOISY_FEATURES`.
    pub feature: Modality,
    /// Degrees for the pose vectors, the probability of a flip for the flag, the feature's own unit for the others.
    pub amount: f64,
}

/// What noise can be added to.
pub const NOISY_FEATURES: &[Modality] = &[
    Modality::Location,
    Modality::ObjectCoverage,
    Modality::MinDepth,
    Modality::MeanDepth,
    Modality::PoseVectors,
    Modality::PoseFullyDefined,
    Modality::PrincipalCurvatures,
    Modality::PrincipalCurvaturesLog,
    Modality::GaussianCurvature,
    Modality::MeanCurvature,
    Modality::GaussianCurvatureSc,
    Modality::MeanCurvatureSc,
    Modality::Hsv,
];

/// When a percept counts as a new one: Monty's FeatureChangeFilter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureChange {
    /// Percepts that were held back since the last one that passed.
    pub n_steps: Option<u64>,
    pub distance_m: Option<f64>,
    /// Between the surface normals, degrees.
    pub normal_deg: Option<f64>,
    /// By how much each number of a feature may differ from the last one that passed.
    pub features: Vec<(Modality, Vec<f64>)>,
}

/// What the filter can compare, and how many numbers each has.
pub const FILTERED_FEATURES: &[(Modality, usize)] = &[
    (Modality::PrincipalCurvatures, 2),
    (Modality::PrincipalCurvaturesLog, 2),
    (Modality::GaussianCurvature, 1),
    (Modality::MeanCurvature, 1),
    (Modality::GaussianCurvatureSc, 1),
    (Modality::MeanCurvatureSc, 1),
    (Modality::Hsv, 3),
];

/// What the filter remembers of the last percept that passed.
#[derive(Clone, Debug, PartialEq)]
pub struct LastPercept {
    pub location_m: [f64; 3],
    pub normal: [f64; 3],
    /// In the order of the filter's features.
    pub features: SmallVec<[Numbers; FILTERED_FEATURES.len()]>,
    /// Percepts held back since.
    pub steps_ago: u64,
}
