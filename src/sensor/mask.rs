//! DepthTo3DLocations' mask: which pixels are on the surface that the centre shows.

use std::ops::Range;

use super::band::for_each_band;
use super::lanes;
use super::pipeline::{DepthImage, Precision};
use crate::protocol::{Abandoned, KeepGoing};
use crate::world::{DepthClip, DepthTo3DLocations};

/// Where Monty's sight ends.
const SIGHT_M: f64 = 1.0;

/// Writes labels of the pixels: semantic ids (or 1 without a semantic image) on the surface, 0 off it. Clips the depth where
/// the arguments say so.
pub fn label_surface(
    depth: &mut DepthImage,
    semantic: Option<&[u32]>,
    arguments: &DepthTo3DLocations,
    labels: &mut Vec<u32>,
    keep_going: &mut KeepGoing,
) -> Result<(), Abandoned> {
    labels.clear();
    match semantic {
        Some(ids) => labels.extend_from_slice(ids),
        None => labels.extend(depth.metres.iter().map(|depth| u32::from(*depth < SIGHT_M))),
    }
    let clip = clip_of(depth.precision, arguments);
    if let Some(clip) = clip {
        clip_to(clip, depth, labels, keep_going)?;
    }
    if !arguments.mask_is_semantic() {
        keep_surface(depth, labels, clip, keep_going)?;
    }
    Ok(())
}

fn clip_to(clip: f64, depth: &mut DepthImage, labels: &mut [u32], keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
    for_each_band(labels.len(), keep_going, |band| {
        for (depth, label) in depth.metres[band.clone()].iter_mut().zip(&mut labels[band]) {
            *label = if *depth >= clip { 0 } else { *label };
            *depth = clip_depth(*depth, clip);
        }
    })
}

fn clip_of(precision: Precision, arguments: &DepthTo3DLocations) -> Option<f64> {
    (arguments.depth_clip == DepthClip::This).then(|| precision.round(arguments.clip_value_m))
}

fn clip_depth(depth: f64, clip: f64) -> f64 {
    if depth > clip || depth == 0.0 { clip } else { depth }
}

/// One depth as the clip of the arguments leaves it.
pub fn clipped(depth: f64, precision: Precision, arguments: &DepthTo3DLocations) -> f64 {
    clip_of(precision, arguments).map_or(depth, |clip| clip_depth(depth, clip))
}

/// On the surface is what is nearer than `at_m`, or farther where the centre is beyond a gap.
struct Split {
    at_m: f64,
    keeps_far: bool,
}

/// Zeroes the labels of all that is not on the surface of the centre.
fn keep_surface(
    depth: &DepthImage,
    labels: &mut [u32],
    clip: Option<f64>,
    keep_going: &mut KeepGoing,
) -> Result<(), Abandoned> {
    let Some(Split { at_m, keeps_far }) = find_split(depth, labels, clip, keep_going)? else {
        labels.fill(0);
        return Ok(());
    };
    for_each_band(labels.len(), keep_going, |band| {
        for (depth, label) in depth.metres[band.clone()].iter().zip(&mut labels[band]) {
            let depth = capped(*depth);
            let is_kept = if keeps_far { depth > at_m } else { depth < at_m };
            *label = if is_kept { *label } else { 0 };
        }
    })
}

fn capped(depth: f64) -> f64 {
    if depth > SIGHT_M { SIGHT_M } else { depth }
}

/// `None`: all is too far.
fn find_split(
    depth: &DepthImage,
    labels: &[u32],
    clip: Option<f64>,
    keep_going: &mut KeepGoing,
) -> Result<Option<Split>, Abandoned> {
    /// Depths within this are one surface.
    const FLAT_M: f64 = 0.01;
    /// Where nothing is clipped and no gap found.
    const FARTHEST_M: f64 = 1000.0;
    let [least, most] = range_of(depth, keep_going)?;
    if least >= SIGHT_M {
        return Ok(None);
    }
    let is_flat = depth.precision.round(most - least) <= depth.precision.round(FLAT_M);
    let gap = if is_flat { None } else { middle_gap(depth, least, most, keep_going)? };
    let centre = (depth.height / 2 * depth.width + depth.width / 2) as usize;
    let is_beyond = |gap: f64| capped(depth.metres[centre]) > gap && labels[centre] > 0;
    Ok(Some(Split { at_m: gap.or(clip).unwrap_or(FARTHEST_M), keeps_far: gap.is_some_and(is_beyond) }))
}

fn range_of(depth: &DepthImage, keep_going: &mut KeepGoing) -> Result<[f64; 2], Abandoned> {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for_each_band(depth.metres.len(), keep_going, |band| {
        let [least, most] = lanes::range_of(&depth.metres[band]);
        range = [least.min(range[0]), most.max(range[1])];
    })?;
    Ok(range.map(capped))
}

/// The left edge of the middle one of the empty bins of numpy's histogram.
fn middle_gap(depth: &DepthImage, least: f64, most: f64, keep_going: &mut KeepGoing) -> Result<Option<f64>, Abandoned> {
    let edges = bin_edges(depth.precision, least, most);
    let mut is_filled = [false; BINS];
    for_each_band(depth.metres.len(), keep_going, |band| fill_bins(&depth.metres[band], &edges, &mut is_filled))?;
    let empty = || edges.into_iter().zip(is_filled).filter(|(_, is_filled)| !is_filled).map(|(edge, _)| edge);
    Ok(empty().nth(empty().count() / 2))
}

const BINS: usize = 8;

/// Neighbours mostly lie in one bin, so bins are looked up only where sixteen pixels leave that of the last one: 64×64 look-ups
/// took 20 µs.
fn fill_bins(depths: &[f64], edges: &[f64; BINS], is_filled: &mut [bool; BINS]) {
    let mut bin = f64::INFINITY..f64::INFINITY;
    for depths in depths.chunks(16) {
        if lanes::range_of(depths).iter().all(|depth| bin.contains(&capped(*depth))) {
            continue;
        }
        for depth in depths.iter().map(|depth| capped(*depth)) {
            if !bin.contains(&depth) {
                let index = index_of_bin(edges, depth);
                is_filled[index] = true;
                bin = range_of_bin(edges, index);
            }
        }
    }
}

/// The first bin reaches down and the last one up without end.
fn index_of_bin(edges: &[f64; BINS], depth: f64) -> usize {
    edges[1..].iter().map(|edge| u64::from(depth >= *edge)).sum::<u64>() as usize
}

fn range_of_bin(edges: &[f64; BINS], index: usize) -> Range<f64> {
    let start = if index == 0 { f64::NEG_INFINITY } else { edges[index] };
    start..edges.get(index + 1).copied().unwrap_or(f64::INFINITY)
}

/// The left edges of the bins, each operation rounded as numpy's linspace rounds it.
fn bin_edges(precision: Precision, least: f64, most: f64) -> [f64; BINS] {
    let step = precision.round(precision.round(most - least) / BINS as f64);
    std::array::from_fn(|index| precision.round(precision.round(index as f64 * step) + least))
}
