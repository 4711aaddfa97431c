//! Where to look for a target: the middle of its largest part, and the turns that bring it into the centre.

use super::Stance;
use crate::math::{Vector, atan2, degrees, exp, hypot};
use crate::protocol::{Abandoned, KeepGoing, Motion, Target};
use crate::sensor::{PointCloud, go_on};

/// Standard deviations of the smoothing in an image's height.
const SIGMAS_IN_HEIGHT: usize = 16;

/// Standard deviations after which the smoothing is cut.
const CUT: usize = 4;

/// What a look is clamped to, as Monty's are.
const CONSTRAINT_DEG: f64 = 90.0;

/// The pixel of the target with most of the target around it; the first of several, and the first of all where there is no
/// target.
pub fn focus(cloud: &PointCloud, target: Target, keep_going: &mut KeepGoing) -> Result<usize, Abandoned> {
    let mask: Vec<f64> = cloud.labels.iter().map(|label| f64::from(u8::from(target.includes(*label)))).collect();
    let (width, height) = (cloud.x_at.len(), cloud.y_at.len());
    let weights = half_gaussian(height / SIGMAS_IN_HEIGHT);
    let smoothed = smooth_along_columns(&mask, width, &weights, keep_going)?;
    let smoothed = smooth_along_rows(&smoothed, width, &weights, keep_going)?;
    let mut best = 0;
    for (index, on_target) in mask.iter().enumerate() {
        if smoothed[index] * on_target > smoothed[best] * mask[best] {
            best = index;
        }
    }
    Ok(best)
}

/// The centre's weight, then that of each distance from it; of sum 1 over both sides.
fn half_gaussian(sigma: usize) -> Vec<f64> {
    let scale = -0.5 / (sigma * sigma) as f64;
    let weight = |distance: usize| if distance == 0 { 1.0 } else { exp(scale * (distance * distance) as f64) };
    let weights: Vec<f64> = (0..=CUT * sigma).map(weight).collect();
    let sum: f64 = weights[1..].iter().rev().chain(&weights).sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// With zero outside of the image, summed in SciPy's order: the centre, then from both ends inwards.
fn smooth_along_columns(
    image: &[f64],
    width: usize,
    weights: &[f64],
    keep_going: &mut KeepGoing,
) -> Result<Vec<f64>, Abandoned> {
    let height = image.len() / width;
    let row = |index: usize| &image[index * width..][..width];
    let mut smoothed = Vec::with_capacity(image.len());
    for index in 0..height {
        let mut sums: Vec<f64> = row(index).iter().map(|pixel| pixel * weights[0]).collect();
        for (distance, weight) in weights.iter().enumerate().skip(1).rev() {
            let above = index.checked_sub(distance).map(row);
            let below = Some(index + distance).filter(|index| *index < height).map(row);
            for (column, sum) in sums.iter_mut().enumerate() {
                let at = |row: Option<&[f64]>| row.map_or(0.0, |row| row[column]);
                *sum += (at(above) + at(below)) * weight;
            }
        }
        smoothed.append(&mut sums);
        go_on(keep_going)?;
    }
    Ok(smoothed)
}

fn smooth_along_rows(
    image: &[f64],
    width: usize,
    weights: &[f64],
    keep_going: &mut KeepGoing,
) -> Result<Vec<f64>, Abandoned> {
    let reach = weights.len() - 1;
    let mut padded = vec![0.0; width + 2 * reach];
    let mut smoothed = Vec::with_capacity(image.len());
    for row in image.chunks(width) {
        padded[reach..reach + width].copy_from_slice(row);
        smoothed.extend((reach..reach + width).map(|centre| {
            let pairs = weights.iter().enumerate().skip(1).rev();
            pairs.fold(padded[centre] * weights[0], |sum, (distance, weight)| {
                sum + (padded[centre - distance] + padded[centre + distance]) * weight
            })
        }));
        go_on(keep_going)?;
    }
    Ok(smoothed)
}

/// Turns towards a point of the world. As in Monty, the sensor's offset is added without the agent's rotation.
pub fn look_at(point: Vector, stance: &Stance) -> [Motion; 2] {
    let world_from_sensor = stance.agent_rotation * stance.sensor_rotation;
    let relative = world_from_sensor.inverse() * (point - (stance.sensor_position + stance.agent_position));
    let left = -degrees(atan2(relative.x, -relative.z));
    let down = -degrees(atan2(relative.y, hypot(relative.x, relative.z)));
    [
        Motion::LookDown { angle_deg: down + 0.0, constraint_deg: Some(CONSTRAINT_DEG) },
        Motion::TurnLeft { angle_deg: left + 0.0 },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_of_the_weights_sum_to_1_and_without_a_sigma_a_pixel_stays_alone() {
        let weights = half_gaussian(4);
        assert_eq!(weights.len(), 17);
        let sum: f64 = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
        assert!((sum - 1.0).abs() < 1e-15);
        assert_eq!(half_gaussian(0), [1.0]);
    }

    #[test]
    fn smoothing_spreads_a_pixel_evenly_and_loses_what_leaves_the_image() {
        let weights = half_gaussian(1);
        let mut image = vec![0.0; 9 * 5];
        image[2 * 9 + 4] = 1.0;
        let smoothed = smooth_along_columns(&image, 9, &weights, &mut || true).expect("nobody says no");
        let smoothed = smooth_along_rows(&smoothed, 9, &weights, &mut || true).expect("nobody says no");
        for (row, column) in [(0, 4), (2, 0), (1, 3), (4, 8)] {
            let (down, aside) = (row as usize, column as usize);
            let expected = weights[down.abs_diff(2)] * weights[aside.abs_diff(4)];
            assert!((smoothed[down * 9 + aside] - expected).abs() < 1e-16, "{row}, {column}");
        }
        assert!(smoothed.iter().sum::<f64>() < 1.0);
    }
}
