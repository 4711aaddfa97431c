//! What Monty's sensor module derives from one patch.

use super::points::{DefaultChain, Patch};
use super::render::{Images, View};
use crate::math::floor;
use crate::protocol::{Abandoned, Image, KeepGoing, Modalities, Modality, Value};
use crate::world::Agent;

/// A patch with what the centre pixel saw.
pub struct Percept<'v, 'w> {
    view: &'v View<'w>,
    agent: &'v Agent,
    centre: Centre,
    patch: Option<Patch>,
}

/// The centre pixel [H//2, W//2], raw.
struct Centre {
    depth_m: f32,
    semantic: u32,
    rgba: [u8; 4],
}

impl<'v, 'w> Percept<'v, 'w> {
    pub fn new(
        view: &'v View<'w>,
        agent: &'v Agent,
        images: &Images,
        keep_going: &mut KeepGoing,
    ) -> Result<Self, Abandoned> {
        let (ray, hit) = view.centre();
        let centre = Centre {
            depth_m: view.depth_m(hit.as_ref()),
            semantic: view.semantic(hit.as_ref()),
            rgba: view.rgba(ray, hit.as_ref()),
        };
        let chain = DefaultChain::of(agent, view.sensor);
        let patch = match images.depth_m.is_empty() {
            true => None,
            false => Some(Patch::new(&chain, view.sensor, &images.depth_m, &images.semantic, keep_going)?),
        };
        Ok(Self { view, agent, centre, patch })
    }

    /// The chosen modalities that exist here; the images are moved, not copied.
    pub fn values(&self, chosen: Modalities, images: Images) -> Vec<(Modality, Value)> {
        let (width, height) = (self.view.sensor.width, self.view.sensor.height);
        let Images { depth_m, semantic, rgba } = images;
        let (mut depth_m, mut semantic, mut rgba) = (Some(depth_m), Some(semantic), Some(rgba));
        let mut value = |modality| match modality {
            Modality::Depth => depth_m.take().map(|pixels| Value::Depth(Image { width, height, pixels })),
            Modality::Rgba => rgba.take().map(|pixels| Value::Rgba(Image { width, height, pixels })),
            Modality::Semantic if self.view.sensor.semantic => {
                semantic.take().map(|pixels| Value::Semantic(Image { width, height, pixels }))
            }
            derived => self.derived(derived),
        };
        chosen.iter().filter_map(|modality| Some((modality, value(modality)?))).collect()
    }

    fn derived(&self, modality: Modality) -> Option<Value> {
        match modality {
            Modality::Location => Some(Value::Numbers(self.location().to_vec())),
            Modality::CenterRgba => Some(Value::Colour(self.centre.rgba)),
            Modality::Hsv => Some(Value::Numbers(hsv(self.centre.rgba).to_vec())),
            Modality::SemanticId => self.view.sensor.semantic.then_some(Value::Integer(self.centre.semantic)),
            of_patch => of_patch_value(of_patch, self.patch.as_ref()?),
        }
    }

    /// The point of the centre pixel, world, metres, also off the object.
    fn location(&self) -> [f64; 3] {
        let sensor = self.view.sensor;
        let depth_m = DefaultChain::of(self.agent, sensor).apply(self.centre.depth_m);
        let point = self.view.camera.monty_point(sensor.height / 2, sensor.width / 2, depth_m);
        (self.agent.world_from_reported_sensor(sensor, self.view.world.compat()) * point).coords.into()
    }
}

fn of_patch_value(modality: Modality, patch: &Patch) -> Option<Value> {
    match modality {
        Modality::OnObject => Some(Value::Flag(patch.is_centre_on_object)),
        Modality::ObjectCoverage => Some(Value::Number(patch.object_coverage())),
        Modality::MinDepth => patch.min_depth_m().map(Value::Number),
        Modality::MeanDepth => patch.mean_depth_m().map(Value::Number),
        _ => None,
    }
}

/// Hue, saturation and value of a colour, each from 0 to 1, as skimage's `rgb2hsv` gives them.
fn hsv([red, green, blue, _]: [u8; 4]) -> [f64; 3] {
    let [r, g, b] = [red, green, blue].map(|part| f64::from(part) / 255.0);
    let value = r.max(g).max(b);
    let range = value - r.min(g).min(b);
    if range == 0.0 {
        return [0.0, 0.0, value];
    }
    // The order of skimage's assignments: of equal largest parts the later one decides.
    let sixths = if b == value {
        4.0 + (r - g) / range
    } else if g == value {
        2.0 + (b - r) / range
    } else {
        (g - b) / range
    };
    let hue = sixths / 6.0;
    [hue - floor(hue), range / value, value]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_their_hues() {
        for (rgb, expected) in [
            ([255, 0, 0], [0.0, 1.0, 1.0]),
            ([0, 255, 0], [1.0 / 3.0, 1.0, 1.0]),
            ([0, 0, 255], [2.0 / 3.0, 1.0, 1.0]),
            ([255, 0, 255], [5.0 / 6.0, 1.0, 1.0]),
            ([128, 128, 128], [0.0, 0.0, 128.0 / 255.0]),
            ([0, 0, 0], [0.0, 0.0, 0.0]),
        ] {
            let [r, g, b] = rgb;
            for (found, expected) in hsv([r, g, b, 255]).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-15, "{rgb:?}");
            }
        }
    }
}
