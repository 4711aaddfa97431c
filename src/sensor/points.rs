//! Depth into points and masks, as Monty's transforms do it: MissingToMaxDepth, then DepthTo3DLocations.

use crate::protocol::{Abandoned, KeepGoing};
use crate::world::{Agent, AgentKind, SensorSpec};

/// The transforms that Monty applies to a sensor's depth by default: MissingToMaxDepth(1), then DepthTo3DLocations, which on
/// a surface agent clips its first sensor at 5 cm.
#[derive(Clone, Copy, Debug)]
pub struct DefaultChain {
    clip_m: Option<f32>,
}

/// What MissingToMaxDepth puts where nothing was hit; also where Monty's sight ends without a semantic sensor.
const MAX_DEPTH_M: f32 = 1.0;

const SURFACE_CLIP_M: f32 = 0.05;

impl DefaultChain {
    pub fn of(agent: &Agent, sensor: &SensorSpec) -> Self {
        let is_first = agent.sensors().first().is_some_and(|first| first.id == sensor.id);
        let is_clipped = agent.kind() == AgentKind::Surface && is_first;
        Self { clip_m: is_clipped.then_some(SURFACE_CLIP_M) }
    }

    /// A depth after both transforms.
    pub fn apply(&self, depth_m: f32) -> f32 {
        let depth_m = filled(depth_m);
        self.clip_m.map_or(depth_m, |clip| depth_m.min(clip))
    }

    /// Whether a depth may be on an object at all, by the clip; judged before it is clipped.
    fn is_in_reach(&self, depth_m: f32) -> bool {
        self.clip_m.is_none_or(|clip| filled(depth_m) < clip)
    }

    /// Beyond which nothing is on the object, if the patch holds no gap.
    fn farthest_m(&self) -> f32 {
        const NO_CLIP_M: f32 = 1000.0;
        self.clip_m.unwrap_or(NO_CLIP_M)
    }
}

fn filled(depth_m: f32) -> f32 {
    if depth_m <= 0.0 { MAX_DEPTH_M } else { depth_m }
}

/// Which pixels of a patch are on the object that the centre shows, and how far they are.
#[derive(Debug)]
pub struct Patch {
    pixels: usize,
    on_object: usize,
    pub is_centre_on_object: bool,
    least_m: f32,
    sum_m: f64,
}

impl Patch {
    /// Of raw depth, metres, and semantic ids (empty if the sensor has none).
    pub fn new(
        chain: &DefaultChain,
        sensor: &SensorSpec,
        depth_m: &[f32],
        semantic: &[u32],
        keep_going: &mut KeepGoing,
    ) -> Result<Self, Abandoned> {
        let centre = (sensor.height / 2 * sensor.width + sensor.width / 2) as usize;
        let mask = SurfaceMask::new(chain, depth_m, semantic, centre, keep_going)?;
        let mut patch = Self {
            pixels: depth_m.len(),
            on_object: 0,
            is_centre_on_object: false,
            least_m: f32::INFINITY,
            sum_m: 0.0,
        };
        for_each_pixel(depth_m.len(), keep_going, |index| {
            if mask.is_on_object(index) {
                let depth_m = chain.apply(depth_m[index]);
                patch.on_object += 1;
                patch.is_centre_on_object |= index == centre;
                patch.least_m = patch.least_m.min(depth_m);
                patch.sum_m += f64::from(depth_m);
            }
        })?;
        Ok(patch)
    }

    pub fn object_coverage(&self) -> f64 {
        self.on_object as f64 / self.pixels as f64
    }

    pub fn min_depth_m(&self) -> Option<f64> {
        (self.on_object > 0).then(|| self.least_m.into())
    }

    pub fn mean_depth_m(&self) -> Option<f64> {
        (self.on_object > 0).then(|| self.sum_m / self.on_object as f64)
    }
}

/// Pixels between two questions whether to go on: a few milliseconds.
const PIXELS_PER_BAND: usize = 1 << 20;

fn for_each_pixel(count: usize, keep_going: &mut KeepGoing, mut look: impl FnMut(usize)) -> Result<(), Abandoned> {
    for start in (0..count).step_by(PIXELS_PER_BAND) {
        (start..count.min(start + PIXELS_PER_BAND)).for_each(&mut look);
        if !keep_going() {
            return Err(Abandoned);
        }
    }
    Ok(())
}

/// DepthTo3DLocations' estimate of the surface at the centre: on this side of a gap in depth.
struct SurfaceMask<'p> {
    chain: &'p DefaultChain,
    depth_m: &'p [f32],
    semantic: &'p [u32],
    /// `None`: all is too far, nothing is on an object.
    split: Option<Split>,
}

/// On the object is what is nearer than `at_m`, or farther where the centre is beyond a gap.
#[derive(Clone, Copy, Debug)]
struct Split {
    at_m: f32,
    keeps_far: bool,
}

impl<'p> SurfaceMask<'p> {
    fn new(
        chain: &'p DefaultChain,
        depth_m: &'p [f32],
        semantic: &'p [u32],
        centre: usize,
        keep_going: &mut KeepGoing,
    ) -> Result<Self, Abandoned> {
        let mut mask = Self { chain, depth_m, semantic, split: None };
        mask.split = mask.find_split(centre, keep_going)?;
        Ok(mask)
    }

    fn is_on_object(&self, index: usize) -> bool {
        self.split.is_some_and(|split| self.is_object(index) && self.is_kept(index, split))
    }

    fn is_kept(&self, index: usize, Split { at_m, keeps_far }: Split) -> bool {
        let depth_m = self.capped(index);
        if keeps_far { depth_m > at_m } else { depth_m < at_m }
    }

    /// By the semantic image, or else by depth alone.
    fn is_object(&self, index: usize) -> bool {
        let is_labelled = match self.semantic.get(index) {
            Some(id) => *id != 0,
            None => filled(self.depth_m[index]) < MAX_DEPTH_M,
        };
        is_labelled && self.chain.is_in_reach(self.depth_m[index])
    }

    fn capped(&self, index: usize) -> f32 {
        self.chain.apply(self.depth_m[index]).min(MAX_DEPTH_M)
    }

    fn find_split(&self, centre: usize, keep_going: &mut KeepGoing) -> Result<Option<Split>, Abandoned> {
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        for_each_pixel(self.depth_m.len(), keep_going, |index| {
            let depth_m = self.capped(index);
            least = least.min(depth_m);
            most = most.max(depth_m);
        })?;
        if least >= MAX_DEPTH_M {
            return Ok(None);
        }
        /// Depths within this are one surface.
        const FLAT_M: f32 = 0.01;
        let gap = if most - least > FLAT_M { self.middle_gap(least, most, keep_going)? } else { None };
        let at_m = gap.unwrap_or(self.chain.farthest_m());
        let keeps_far = gap.is_some() && self.capped(centre) > at_m && self.is_object(centre);
        Ok(Some(Split { at_m, keeps_far }))
    }

    /// The left edge of the middle one of the empty bins of numpy's histogram, all in f32 as numpy has it.
    fn middle_gap(&self, least: f32, most: f32, keep_going: &mut KeepGoing) -> Result<Option<f32>, Abandoned> {
        const BINS: usize = 8;
        let step = (most - least) / BINS as f32;
        let edges: [f32; BINS] = std::array::from_fn(|index| index as f32 * step + least);
        let mut is_filled = [false; BINS];
        for_each_pixel(self.depth_m.len(), keep_going, |index| {
            let depth_m = self.capped(index);
            is_filled[edges[1..].iter().filter(|edge| depth_m >= **edge).count()] = true;
        })?;
        let empty: Vec<f32> =
            edges.into_iter().zip(is_filled).filter(|(_, filled)| !filled).map(|(edge, _)| edge).collect();
        Ok(empty.get(empty.len() / 2).copied())
    }
}
