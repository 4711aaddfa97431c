//! Monty's surface policy: after its search has touched something, a cycle of forward, two orientations and a step aside.
//!
//! `touch` runs the search alone. The rest is here because it decides when a search begins again, and for those who drive
//! a surface agent through the library.

use super::Stance;
use super::touch::{TouchSearch, orient};
use crate::math::{PI, Vector, atan, cos, degrees, sin};
use crate::protocol::Motion;
use crate::rng::RandomState;

/// With less of the patch on an object, steps aside are shorter.
const SMALL_COVERAGE: f64 = 0.2;
const GOOD_COVERAGE: f64 = 0.75;
const SHORTENED: f64 = 4.0;

/// What the policy does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// The next step of the search.
    Touch,
    Forward,
    OrientHorizontally,
    OrientVertically,
    StepAside,
}

impl Course {
    /// Whether Monty's learning modules are passed over after it.
    pub fn is_motor_only(self) -> bool {
        self != Course::OrientVertically
    }
}

/// What the patch tells of the surface under it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    pub object_coverage: f64,
    /// Metres, over the pixels on the object.
    pub min_depth_m: f64,
    pub mean_depth_m: f64,
    /// World.
    pub normal: Vector,
}

/// The policy's parameters and memory.
#[derive(Clone, Debug)]
pub struct SurfacePolicy {
    pub search: TouchSearch,
    desired_object_distance_m: f64,
    translation_distance_m: f64,
    /// How much of a new direction each step aside takes.
    alpha: f64,
    /// Of the steps aside, radians.
    pub tangential_angle: f64,
    /// Of the cycle; a search is not remembered.
    last: Option<Course>,
}

impl SurfacePolicy {
    pub fn new(desired_object_distance_m: f64, translation_distance_m: f64, alpha: f64) -> Self {
        Self {
            search: TouchSearch::new(desired_object_distance_m),
            desired_object_distance_m,
            translation_distance_m,
            alpha,
            tangential_angle: 0.0,
            last: None,
        }
    }

    pub fn choose(&mut self, object_coverage: f64, is_on_object: bool) -> Course {
        if !self.search.is_over(object_coverage) {
            return Course::Touch;
        }
        self.search.turned_deg = 0.0;
        let next = match self.last {
            Some(Course::OrientHorizontally) => Course::OrientVertically,
            Some(Course::OrientVertically) => Course::StepAside,
            Some(Course::StepAside) if is_on_object => Course::Forward,
            _ => Course::OrientHorizontally,
        };
        self.last = Some(next);
        next
    }

    /// After a jump that held it goes on as after a step aside.
    pub fn note_jump(&mut self) {
        self.last = Some(Course::StepAside);
    }

    /// A step of the cycle; `None` for one of the search.
    pub fn walk(
        &mut self,
        course: Course,
        surface: &Surface,
        stance: &Stance,
        chance: &mut RandomState,
    ) -> Option<Motion> {
        let normal = stance.agent_rotation.inverse() * surface.normal;
        Some(match course {
            Course::Touch => return None,
            Course::Forward => Motion::MoveForward { distance_m: surface.min_depth_m - self.desired_object_distance_m },
            Course::OrientHorizontally => orient(false, tilt_deg(normal.x, normal.z), surface.mean_depth_m),
            Course::OrientVertically => orient(true, tilt_deg(normal.y, normal.z), surface.mean_depth_m),
            Course::StepAside => Motion::MoveTangentially {
                distance_m: self.step_m(surface.object_coverage),
                direction: (stance.agent_rotation * self.new_direction(chance)).into(),
            },
        })
    }

    fn step_m(&self, coverage: f64) -> f64 {
        match coverage {
            small if small < SMALL_COVERAGE => self.translation_distance_m / (SHORTENED / small),
            fair if fair < GOOD_COVERAGE => self.translation_distance_m / SHORTENED,
            _ => self.translation_distance_m,
        }
    }

    /// In the agent's frame: mostly the last one.
    fn new_direction(&mut self, chance: &mut RandomState) -> Vector {
        let drawn = (chance.unit() - 0.5) * 2.0 * PI;
        self.tangential_angle = self.tangential_angle * (1.0 - self.alpha) + drawn * self.alpha;
        Vector::new(cos(self.tangential_angle - PI / 2.0), sin(self.tangential_angle + PI / 2.0), 0.0)
    }
}

/// How far a normal is turned away from the agent, degrees.
fn tilt_deg(aside: f64, towards: f64) -> f64 {
    match (aside == 0.0, towards == 0.0) {
        (_, false) => -degrees(atan(aside / towards)),
        (true, true) => 0.0,
        (false, true) => -(90.0_f64.copysign(aside)),
    }
}
