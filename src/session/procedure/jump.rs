//! Monty's jump: to a goal at once, and back again if nothing is to be seen from there.

use super::run::Eyes;
use super::{Decision, Ending};
use crate::math::{Rotation, Vector, about_x, about_y, asin, atan2};
use crate::protocol::{Abandoned, Jump, KeepGoing, Motion};
use crate::sensor::PointCloud;

/// Where Monty's sight ends: what the centre sees nearer than this is something.
pub const SIGHT_M: f64 = 1.0;

/// How far from unit length a direction may be and still be taken as it is.
const UNIT_TOLERANCE: f64 = 1e-9;

/// The agent to its goal, its sensors straight ahead. Without -0.0, which a client that sends it back could not tell.
pub fn jump_to(goal: &Jump) -> [Motion; 2] {
    [
        Motion::SetAgentPose {
            position_m: goal.location_m.map(|metres| metres + 0.0),
            rotation_wxyz: rotation_towards(goal.direction.into()).map(|part| part + 0.0),
        },
        Motion::SetSensorRotation { rotation_wxyz: Rotation::IDENTITY_WXYZ },
    ]
}

/// A yaw about y, then a pitch about the new x: no roll.
fn rotation_towards(direction: Vector) -> [f64; 4] {
    let direction = unit(direction);
    let yaw = atan2(-direction.x, -direction.z);
    let pitch = asin(direction.y.clamp(-1.0, 1.0));
    let turned = about_y(yaw) * about_x(pitch);
    [turned.w, turned.i, turned.j, turned.k]
}

fn unit(direction: Vector) -> Vector {
    if (direction.norm() - 1.0).abs() <= UNIT_TOLERANCE {
        return direction;
    }
    // Scaled first, so that no square overflows or vanishes.
    (direction / direction.amax()).normalize()
}

/// Whether the centre of a view sees something.
pub fn is_something_near(depth_m: f64) -> bool {
    depth_m < SIGHT_M
}

pub(super) fn centre_depth_m(cloud: &PointCloud) -> f64 {
    cloud.depth.metres[cloud.centre()]
}

/// The procedure with eyes.
pub(super) struct Jumper {
    goal: Jump,
    has_jumped: bool,
}

impl Jumper {
    pub(super) fn new(goal: &Jump) -> Self {
        Self { goal: goal.clone(), has_jumped: false }
    }

    pub(super) fn decide(&mut self, eyes: &mut Eyes, keep_going: &mut KeepGoing) -> Result<Decision, Abandoned> {
        if !std::mem::replace(&mut self.has_jumped, true) {
            return Ok(Decision::Act(jump_to(&self.goal).into()));
        }
        let holds = is_something_near(centre_depth_m(&eyes.look(keep_going)?));
        Ok(Decision::End(if holds { Ending::Success } else { Ending::Lost }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_looks_along_its_goals_direction_whatever_its_length() {
        for direction in [[0.0, 0.0, -1.0], [3.0, -4.0, 12.0], [0.0, 1e300, 0.0], [1e-300, 0.0, 1e-300]] {
            let expected = unit(direction.into());
            let rotation = Rotation::normalised(rotation_towards(direction.into())).expect("not zero");
            let forward = rotation.rotate(-Vector::z());
            assert!((forward - expected).norm() < 1e-15, "{direction:?}: {forward}");
        }
    }
}
