//! What Monty extracts from a patch: the surface normal, the principal curvatures, and what is derived from these.

use super::curvature::Curvature;
use super::normal::SurfaceNormal;
use super::patch::{Patch, Unreadable};
use crate::math::{Vector, log, sqrt};
use crate::protocol::{KeepGoing, Modality, Value};
use crate::world::PerceptSpec;

/// Normal and curvatures of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features {
    pub normal: SurfaceNormal,
    pub curvature: Curvature,
    /// Whether the principal curvatures differ enough to give the pose its directions.
    pub is_pose_fully_defined: bool,
}

impl Features {
    pub fn of(patch: &Patch, spec: &PerceptSpec, keep_going: &mut KeepGoing) -> Result<Self, Unreadable> {
        let normal = SurfaceNormal::of(patch, spec.surface_normal, keep_going)?;
        let curvature = Curvature::of(patch, &normal.direction, spec.weight_curvature, keep_going)?;
        let is_round = (curvature.k1 - curvature.k2).abs() < spec.pc1_is_pc2_threshold;
        Ok(Self { normal, curvature, is_pose_fully_defined: !is_round })
    }

    /// Normal, first and second direction.
    pub fn pose_vectors(&self) -> [[f64; 3]; 3] {
        [self.normal.direction, self.curvature.direction1, self.curvature.direction2].map(Vector::into)
    }

    /// Whether all three of the pose vectors say something.
    pub fn is_whole_pose(&self) -> bool {
        self.normal.is_valid && self.is_pose_fully_defined
    }

    pub fn are_valid(&self) -> bool {
        self.normal.is_valid && self.curvature.is_valid
    }

    /// What is derived from k1 and k2; `None` where these are invalid, or for another modality.
    pub fn curvatures(&self, modality: Modality) -> Option<Value> {
        let Curvature { k1, k2, .. } = self.curvature;
        let derived = match modality {
            Modality::PrincipalCurvatures => Value::Numbers([k1, k2].into_iter().collect()),
            Modality::PrincipalCurvaturesLog => Value::Numbers([k1, k2].map(log_sign).into_iter().collect()),
            Modality::GaussianCurvature => Value::Number(k1 * k2),
            Modality::MeanCurvature => Value::Number((k1 + k2) / 2.0),
            Modality::GaussianCurvatureSc => Value::Number(scale_clip(k1 * k2, 4096.0)),
            Modality::MeanCurvatureSc => Value::Number(scale_clip((k1 + k2) / 2.0, 256.0)),
            _ => return None,
        };
        self.are_valid().then_some(derived)
    }
}

/// sign(x)·ln(|x| + 1)
fn log_sign(x: f64) -> f64 {
    log(x.abs() + 1.0).copysign(x)
}

/// sign(x)·√|x|, of x within ±most.
fn scale_clip(x: f64, most: f64) -> f64 {
    sqrt(x.clamp(-most, most).abs()).copysign(x)
}
