//! Monty's GetGoodView: straight on until the target is large or near enough, then turns until its centre is in sight.

use super::gaze::{focus, look_at};
use super::run::Eyes;
use super::{Decision, Ending};
use crate::protocol::{Abandoned, GetGoodView, KeepGoing, Motion, SemanticId, Target};
use crate::sensor::{PointCloud, Precision, for_each_band};

/// One move, metres.
pub const MOVE_M: f64 = 0.01;

/// How much of a good view's distance nothing else may be nearer than.
const CLOSEST_PART: f64 = 4.0;

impl Target {
    pub fn includes(self, label: u32) -> bool {
        match self {
            Target::Any => label > 0,
            Target::Only(SemanticId(id)) => label == id,
        }
    }

    fn is_one_of_several(self) -> bool {
        self != Target::Any
    }
}

/// What one look tells of the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    pub pixels: usize,
    pub target_pixels: usize,
    /// `None` where nothing of it is seen. Metres, as exact as `precision` is.
    pub nearest_of_target_m: Option<f64>,
    /// Of all objects.
    pub nearest_m: Option<f64>,
    pub is_centre_on_target: bool,
    pub precision: Precision,
}

impl Sighting {
    pub fn of(cloud: &PointCloud, target: Target, keep_going: &mut KeepGoing) -> Result<Self, Abandoned> {
        let mut target_pixels = 0;
        let (mut of_target, mut of_all) = (f64::INFINITY, f64::INFINITY);
        for_each_band(cloud.labels.len(), keep_going, |band| {
            for (label, depth) in cloud.labels[band.clone()].iter().zip(&cloud.depth.metres[band]) {
                if *label > 0 {
                    of_all = of_all.min(*depth);
                }
                if target.includes(*label) {
                    target_pixels += 1;
                    of_target = of_target.min(*depth);
                }
            }
        })?;
        let seen = |nearest: f64| (nearest < f64::INFINITY).then_some(nearest);
        Ok(Self {
            pixels: cloud.labels.len(),
            target_pixels,
            nearest_of_target_m: seen(of_target),
            nearest_m: seen(of_all),
            is_centre_on_target: target.includes(cloud.labels[cloud.centre()]),
            precision: cloud.depth.precision,
        })
    }

    fn fraction(&self) -> f64 {
        self.target_pixels as f64 / self.pixels as f64
    }
}

/// What to do after one look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    MoveForward,
    /// Turn towards the target.
    Orient,
    Succeed,
    Truncate,
    /// The target is not in view.
    Lose,
}

/// The procedure's memory.
#[derive(Clone, Debug)]
pub struct GoodView {
    parameters: GetGoodView,
    is_first: bool,
    may_move: bool,
    attempts: u64,
}

impl GoodView {
    pub fn new(parameters: &GetGoodView) -> Self {
        Self { parameters: parameters.clone(), is_first: true, may_move: parameters.allow_translation, attempts: 0 }
    }

    pub fn choose(&mut self, seen: &Sighting) -> Choice {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if is_first && self.parameters.target.is_one_of_several() && !seen.is_centre_on_target {
            return Choice::Orient;
        }
        if self.may_move {
            if seen.target_pixels == 0 && !self.parameters.target.is_one_of_several() {
                return Choice::Lose;
            }
            if self.is_too_far(seen) {
                return Choice::MoveForward;
            }
        }
        self.may_move = false;
        self.turn_or_end(seen)
    }

    fn turn_or_end(&mut self, seen: &Sighting) -> Choice {
        if seen.is_centre_on_target {
            return Choice::Succeed;
        }
        if self.attempts == self.parameters.max_orientation_attempts {
            return Choice::Truncate;
        }
        self.attempts += 1;
        Choice::Orient
    }

    /// Depths are compared as numpy compares them: in their own precision.
    fn is_too_far(&self, seen: &Sighting) -> bool {
        let GetGoodView { target, good_view_percentage, good_view_distance_m, .. } = self.parameters;
        let is_beyond = |metres: f64| move |depth: f64| depth > seen.precision.round(metres);
        let closest_m = seen.precision.round(good_view_distance_m / CLOSEST_PART);
        let is_something_close = target.is_one_of_several() && seen.nearest_m.is_some_and(|depth| depth < closest_m);
        seen.fraction() < good_view_percentage
            && seen.nearest_of_target_m.is_some_and(is_beyond(good_view_distance_m))
            && !is_something_close
    }
}

/// The procedure with eyes.
pub(super) struct GoodViewSeeker {
    target: Target,
    view: GoodView,
}

impl GoodViewSeeker {
    pub(super) fn new(parameters: &GetGoodView) -> Self {
        Self { target: parameters.target, view: GoodView::new(parameters) }
    }

    pub(super) fn decide(&mut self, eyes: &mut Eyes, keep_going: &mut KeepGoing) -> Result<Decision, Abandoned> {
        let cloud = eyes.look(keep_going)?;
        let seen = Sighting::of(&cloud, self.target, keep_going)?;
        Ok(match self.view.choose(&seen) {
            Choice::MoveForward => Decision::Act(vec![Motion::MoveForward { distance_m: MOVE_M }]),
            Choice::Orient => {
                let pixel = focus(&cloud, self.target, keep_going)?;
                Decision::Act(look_at(cloud.point(pixel), &eyes.stance()).into())
            }
            Choice::Succeed => Decision::End(Ending::Success),
            Choice::Truncate => Decision::End(Ending::Truncated),
            Choice::Lose => Decision::End(Ending::Lost),
        })
    }
}
