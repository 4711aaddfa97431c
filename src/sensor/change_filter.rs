//! Monty's FeatureChangeFilter: of percepts that hardly differ from the last one that passed, none passes.

use crate::math::{PI, Vector, acos};
use crate::protocol::{Modality, Numbers};
use crate::world::{FeatureChange, LastPercept};

/// Whether a percept passes, and what is remembered after it.
pub fn judge(change: &FeatureChange, last: Option<&LastPercept>, now: LastPercept) -> (bool, LastPercept) {
    match last {
        Some(last) if !is_change(change, last, &now) => {
            (false, LastPercept { steps_ago: last.steps_ago.saturating_add(1), ..last.clone() })
        }
        _ => (true, now),
    }
}

fn is_change(change: &FeatureChange, last: &LastPercept, now: &LastPercept) -> bool {
    let distance_m = (Vector::from(now.location_m) - Vector::from(last.location_m)).norm();
    let cosine = Vector::from(now.normal).dot(&Vector::from(last.normal)).clamp(-1.0, 1.0);
    let angle_deg = acos(cosine) * (180.0 / PI);
    let mut features = change.features.iter().zip(last.features.iter().zip(&now.features));
    change.n_steps.is_some_and(|steps| last.steps_ago >= steps)
        || change.distance_m.is_some_and(|most| distance_m > most)
        || change.normal_deg.is_some_and(|most| angle_deg >= most)
        || features.any(|((feature, most), (last, now))| differs(*feature, most, last, now))
}

fn differs(feature: Modality, most: &[f64], last: &[f64], now: &[f64]) -> bool {
    let mut deltas: Numbers = last.iter().zip(now).map(|(last, now)| (now - last).abs()).collect();
    if feature == Modality::Hsv {
        // Hues lie on a circle.
        deltas[0] = deltas[0].min(1.0 - deltas[0]);
    }
    deltas.iter().zip(most).any(|(delta, most)| delta > most)
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    fn percept(x: f64, hue: f64) -> LastPercept {
        LastPercept {
            location_m: [x, 0.0, 0.0],
            normal: [0.0, 0.0, 1.0],
            features: smallvec![smallvec![hue, 0.5, 0.5]],
            steps_ago: 0,
        }
    }

    #[test]
    fn a_percept_passes_if_it_is_the_first_far_away_another_colour_or_late() {
        let change = FeatureChange {
            n_steps: Some(2),
            distance_m: Some(0.01),
            normal_deg: Some(45.0),
            features: vec![(Modality::Hsv, vec![0.1, 1.0, 1.0])],
        };
        let mut last = None;
        let mut passes = |now| {
            let (is_new, remembered) = judge(&change, last.as_ref(), now);
            last = Some(remembered);
            is_new
        };
        assert!(passes(percept(0.0, 0.95)));
        assert!(!passes(percept(0.01, 0.04)), "hue is circular");
        assert!(passes(percept(0.011, 0.95)));
        assert!(passes(percept(0.011, 0.2)));
        assert!(!passes(percept(0.011, 0.2)));
        assert!(!passes(percept(0.011, 0.2)));
        assert!(passes(percept(0.011, 0.2)), "two were held back");
    }
}
