//! What sensors saw, as pictures at the sensors' own resolution.

use std::fmt;

use super::palette::color_of;
use super::{Canvas, Rgb};
use saccade::protocol::{AgentId, Image, Modality, SensorId, SensorObservation, StepAnswer, Value};
use saccade::world::MissDepth;

/// One sensor's pictures of a step: rgba, depth, semantic, as far as it has them.
#[derive(Debug)]
pub struct SensorPictures {
    pub agent_id: AgentId,
    pub sensor_id: SensorId,
    pub pictures: Vec<Picture>,
}

#[derive(Debug)]
pub struct Picture {
    pub modality: Modality,
    pub canvas: Canvas,
    pub legend: Legend,
}

/// What a picture's tones mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Legend {
    /// The colours are those that were seen.
    Plain,
    /// The nearest is white, the farthest dark grey.
    Depth(DepthRange),
    /// The ids in the picture with their colours, the background left out.
    SemanticIds(Vec<(u32, Rgb)>),
}

/// The nearest and the farthest that was seen, in metres; `None` if there was nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthRange(Option<[f32; 2]>);

const NEAREST: f32 = 255.0;
const FARTHEST: f32 = 70.0;
/// Of a pixel that saw nothing: dark, and no grey.
const MISS: Rgb = [24, 16, 56];
/// The colour that a sensor gives a pixel that saw nothing.
const BACKGROUND: [u8; 4] = [0, 0, 0, 255];

impl SensorPictures {
    /// Every sensor of a step, in the order of the world file.
    pub fn of_step(answer: &StepAnswer, miss_depth: MissDepth) -> Vec<Self> {
        let sensors = answer.observations.iter().flat_map(|agent| agent.sensors.iter().map(move |s| (agent, s)));
        sensors
            .map(|(agent, sensor)| Self {
                agent_id: agent.agent_id.clone(),
                sensor_id: sensor.sensor_id.clone(),
                pictures: pictures(sensor, miss_depth),
            })
            .collect()
    }

    pub fn picture(&self, modality: Modality) -> Option<&Picture> {
        self.pictures.iter().find(|picture| picture.modality == modality)
    }
}

fn pictures(sensor: &SensorObservation, miss_depth: MissDepth) -> Vec<Picture> {
    let rgba = sensor.values.iter().find_map(|(_, value)| match value {
        Value::Rgba(image) => Some(image),
        _ => None,
    });
    let drawn = |value: &Value| match value {
        Value::Rgba(image) => Some((canvas_of(image, |[r, g, b, _]| [r, g, b]), Legend::Plain)),
        Value::Depth(image) => Some(depth_picture(image, &is_miss(image, rgba, miss_depth))),
        Value::Semantic(image) => Some((canvas_of(image, color_of), Legend::SemanticIds(ids_in(image)))),
        _ => None,
    };
    let picture = |(modality, value): &(Modality, Value)| {
        drawn(value).map(|(canvas, legend)| Picture { modality: *modality, canvas, legend })
    };
    let mut pictures: Vec<Picture> = sensor.values.iter().filter_map(picture).collect();
    pictures.sort_by_key(|picture| picture.modality != Modality::Rgba);
    pictures
}

fn canvas_of<T: Copy>(image: &Image<T>, color: impl Fn(T) -> Rgb) -> Canvas {
    let pixels = image.pixels.iter().map(|pixel| color(*pixel)).collect();
    Canvas::from_pixels(image.width as usize, image.height as usize, pixels)
}

/// Which pixels saw nothing. A far plane depends on the scene: there it is the background at the largest depth.
fn is_miss(depth: &Image<f32>, rgba: Option<&Image<[u8; 4]>>, miss_depth: MissDepth) -> Vec<bool> {
    match miss_depth {
        MissDepth::Constant(miss) => depth.pixels.iter().map(|pixel| *pixel == miss as f32).collect(),
        MissDepth::Far => {
            let farthest = depth.pixels.iter().copied().fold(0.0, f32::max);
            let is_background = |index: usize| rgba.is_none_or(|image| image.pixels[index] == BACKGROUND);
            (0..).zip(&*depth.pixels).map(|(index, pixel)| *pixel == farthest && is_background(index)).collect()
        }
    }
}

fn depth_picture(image: &Image<f32>, is_miss: &[bool]) -> (Canvas, Legend) {
    let seen = image.pixels.iter().zip(is_miss).filter(|(_, is_miss)| !**is_miss).map(|(pixel, _)| *pixel);
    let range = DepthRange::of(seen);
    let colors =
        image.pixels.iter().zip(is_miss).map(|(pixel, is_miss)| if *is_miss { MISS } else { range.grey(*pixel) });
    let canvas = Canvas::from_pixels(image.width as usize, image.height as usize, colors.collect());
    (canvas, Legend::Depth(range))
}

impl DepthRange {
    fn of(depths_m: impl Iterator<Item = f32>) -> Self {
        Self(depths_m.fold(None, |range, depth| match range {
            None => Some([depth; 2]),
            Some([nearest, farthest]) => Some([depth.min(nearest), depth.max(farthest)]),
        }))
    }

    fn grey(self, depth_m: f32) -> Rgb {
        let [nearest, farthest] = self.0.unwrap_or([depth_m; 2]);
        let share = if farthest > nearest { (depth_m - nearest) / (farthest - nearest) } else { 0.0 };
        [(NEAREST + (FARTHEST - NEAREST) * share).round() as u8; 3]
    }
}

impl fmt::Display for DepthRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => write!(f, "nothing seen"),
            Some([nearest, farthest]) => write!(f, "{nearest:.4} to {farthest:.4} m"),
        }
    }
}

fn ids_in(image: &Image<u32>) -> Vec<(u32, Rgb)> {
    let mut ids = image.pixels.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().filter(|id| *id != 0).map(|id| (id, color_of(id))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image<T>(pixels: Vec<T>) -> Image<T> {
        Image { width: pixels.len() as u32, height: 1, pixels: pixels.into() }
    }

    fn depth_of(depths: &[f32], colors: &[[u8; 4]], miss_depth: MissDepth) -> Picture {
        let values = vec![
            (Modality::Depth, Value::Depth(image(depths.to_vec()))),
            (Modality::Rgba, Value::Rgba(image(colors.to_vec()))),
        ];
        let sensor = SensorObservation { sensor_id: "patch".into(), values };
        let [_, depth] = <[Picture; 2]>::try_from(pictures(&sensor, miss_depth)).unwrap();
        depth
    }

    const GREY: [u8; 4] = [90, 90, 90, 255];

    #[test]
    fn misses_are_outside_the_range_and_darker_than_what_was_seen() {
        let depth = depth_of(&[0.0, 0.5, 2.0], &[BACKGROUND, GREY, GREY], MissDepth::Constant(0.0));
        assert_eq!(depth.legend, Legend::Depth(DepthRange(Some([0.5, 2.0]))));
        assert_eq!(depth.canvas, Canvas::from_pixels(3, 1, vec![MISS, [255; 3], [70; 3]]));
    }

    #[test]
    fn a_far_plane_is_outside_the_range_and_a_far_wall_is_not() {
        let far = depth_of(&[0.5, 900.0, 900.0], &[GREY, BACKGROUND, BACKGROUND], MissDepth::Far);
        assert_eq!(far.legend, Legend::Depth(DepthRange(Some([0.5, 0.5]))));
        let wall = depth_of(&[0.5, 900.0], &[GREY, GREY], MissDepth::Far);
        assert_eq!(wall.legend, Legend::Depth(DepthRange(Some([0.5, 900.0]))));
    }

    #[test]
    fn an_empty_view_has_no_range() {
        let depth = depth_of(&[0.0; 2], &[BACKGROUND; 2], MissDepth::Constant(0.0));
        assert_eq!(depth.legend, Legend::Depth(DepthRange(None)));
        assert_eq!(DepthRange(None).to_string(), "nothing seen");
        assert_eq!(DepthRange(Some([0.1, 0.25])).to_string(), "0.1000 to 0.2500 m");
    }

    #[test]
    fn the_legend_names_every_id_once() {
        let ids: Vec<u32> = ids_in(&image(vec![0, 7, 3, 7, 0])).into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, [3, 7]);
    }
}
