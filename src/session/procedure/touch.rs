//! The surface policy's search for something to touch: turns around a point ahead until something is in view, then up to it.

use super::jump::{centre_depth_m, is_something_near};
use super::run::Eyes;
use super::{Decision, Ending};
use crate::math::{cos, radians, tan};
use crate::protocol::{Abandoned, KeepGoing, Motion, Touch};
use crate::rng::RandomState;
use crate::sensor::Precision;

/// How far ahead the point is that the search turns around, metres.
const AROUND_M: f64 = 0.1;

/// One turn of the search, degrees.
const TURN_DEG: f64 = 30.0;

/// Degrees in all from which the search turns vertically, and from which at random.
const VERTICAL_FROM_DEG: f64 = 360.0;
const RANDOM_FROM_DEG: f64 = 720.0;

/// With less of the patch on an object, nothing is touched.
const LEAST_COVERAGE: f64 = 0.1;

/// The search's memory.
#[derive(Clone, Debug)]
pub struct TouchSearch {
    desired_object_distance_m: f64,
    /// Whether the last step found nothing.
    pub is_searching: bool,
    /// Of all turns since something was touched, degrees.
    pub turned_deg: f64,
}

impl TouchSearch {
    pub fn new(desired_object_distance_m: f64) -> Self {
        Self { desired_object_distance_m, is_searching: false, turned_deg: 0.0 }
    }

    /// Whether the search is over, by how much of the patch is on an object.
    pub fn is_over(&self, object_coverage: f64) -> bool {
        !self.is_searching && object_coverage >= LEAST_COVERAGE
    }

    /// By the depth in the centre of a sensor that is so far behind the agent.
    pub fn step(&mut self, depth_m: f64, precision: Precision, behind_m: f64, chance: &mut RandomState) -> Motion {
        self.is_searching = !is_something_near(depth_m);
        if self.is_searching {
            return self.turn(chance);
        }
        let distance_m = precision.round(depth_m - precision.round(self.desired_object_distance_m)) - behind_m;
        Motion::MoveForward { distance_m: distance_m + 0.0 }
    }

    fn turn(&mut self, chance: &mut RandomState) -> Motion {
        let (is_vertical, angle_deg) = if self.turned_deg >= RANDOM_FROM_DEG {
            (chance.unit() < 0.5, chance.uniform(-180.0, 180.0))
        } else {
            (self.turned_deg >= VERTICAL_FROM_DEG, TURN_DEG)
        };
        self.turned_deg += angle_deg;
        orient(is_vertical, angle_deg, AROUND_M)
    }
}

/// Around a point straight ahead, at this distance.
pub(super) fn orient(is_vertical: bool, angle_deg: f64, around_m: f64) -> Motion {
    let angle = radians(angle_deg);
    let aside_m = tan(angle) * around_m;
    let forward_m = around_m * (1.0 - cos(angle)) / cos(angle);
    match is_vertical {
        true => Motion::OrientVertical { angle_deg, down_m: aside_m, forward_m },
        false => Motion::OrientHorizontal { angle_deg, left_m: aside_m, forward_m },
    }
}

/// The procedure with eyes: it searches at least once, and until the agent's first sensor, which is the one that touches, has
/// enough of an object.
pub(super) struct Toucher {
    search: TouchSearch,
    chance: RandomState,
    has_searched: bool,
}

impl Toucher {
    pub(super) fn new(parameters: &Touch, seed: u32) -> Self {
        let search = TouchSearch::new(parameters.desired_object_distance_m);
        Self { search, chance: RandomState::new(seed), has_searched: false }
    }

    pub(super) fn decide(&mut self, eyes: &mut Eyes, keep_going: &mut KeepGoing) -> Result<Decision, Abandoned> {
        if std::mem::replace(&mut self.has_searched, true) && self.has_touched(eyes, keep_going)? {
            return Ok(Decision::End(Ending::Success));
        }
        let cloud = eyes.look(keep_going)?;
        let (depth_m, precision) = (centre_depth_m(&cloud), cloud.depth.precision);
        let behind_m = eyes.stance().sensor_position.z;
        Ok(Decision::Act(vec![self.search.step(depth_m, precision, behind_m, &mut self.chance)]))
    }

    fn has_touched(&self, eyes: &mut Eyes, keep_going: &mut KeepGoing) -> Result<bool, Abandoned> {
        const FIRST: usize = 0;
        if self.search.is_searching {
            return Ok(false);
        }
        let coverage = eyes.look_through(FIRST, keep_going)?.coverage(keep_going)?;
        Ok(self.search.is_over(coverage.object_coverage))
    }
}
