//! One sensor's percept: its patch as points, what Monty derives from these, noise and filter, and the answer of it all.

use std::sync::Arc;

use super::camera::Camera;
use super::change_filter;
use super::colour::hsv;
use super::features::Features;
use super::frame::{Centre, Frame, Images, is_all_at_centre};
use super::mask::clipped;
use super::noise::PerceptNoise;
use super::patch::{Patch, Unreadable};
use super::points::{Coverage, PointCloud};
use super::room::{MOST_KEPT_PIXELS, emptied};
use super::sight::Points;
use crate::protocol::{Abandoned, Image, KeepGoing, Modalities, Modality, Numbers, Value};
use crate::world::{Agent, LastPercept, SensorSpec, World};

/// Whose look it is.
#[derive(Clone, Copy, Debug)]
pub struct Look<'w> {
    pub world: &'w World,
    pub agent: &'w Agent,
    pub sensor: &'w SensorSpec,
}

impl<'w> Look<'w> {
    pub fn new(world: &'w World, agent: &'w Agent, sensor: usize) -> Self {
        Self { world, agent, sensor: &agent.sensors()[sensor] }
    }
}

/// A sensor's look with what the centre pixel saw.
pub struct Percept<'w> {
    look: Look<'w>,
    /// The pixel [H//2, W//2], raw.
    centre: Centre,
    location_m: [f64; 3],
    is_centre_on_object: bool,
    /// Of the whole patch, if anything of it is needed, and then with its coverage.
    cloud: PointCloud,
    coverage: Option<Coverage>,
    features: Option<Features>,
    noise: PerceptNoise<'w>,
}

/// The values that exist, and what the filter remembers.
pub type Answered = (Vec<(Modality, Value)>, Option<LastPercept>);

impl<'w> Percept<'w> {
    /// In the memory of the cloud of another one.
    pub fn new(
        look: Look<'w>,
        frame: &Frame,
        chosen: Modalities,
        cloud: PointCloud,
        keep_going: &mut KeepGoing,
    ) -> Result<Self, Abandoned> {
        let mut percept = Self {
            look,
            centre: frame.centre,
            location_m: [0.0; 3],
            is_centre_on_object: false,
            cloud,
            coverage: None,
            features: None,
            noise: PerceptNoise::new(look.world, look.agent, look.sensor),
        };
        if is_all_at_centre(chosen, look.sensor) {
            percept.locate_centre(keep_going)?;
        } else {
            percept.read_patch(&frame.images, chosen, keep_going)?;
        }
        Ok(percept)
    }

    /// That of its cloud, unless it is too much to be kept.
    pub fn into_memory(self) -> PointCloud {
        if self.cloud.labels.len() > MOST_KEPT_PIXELS { PointCloud::default() } else { self.cloud }
    }

    /// From the centre's depth alone, where no transform looks at other pixels.
    fn locate_centre(&mut self, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
        let Look { world, agent, sensor } = self.look;
        let depth = &mut self.cloud.depth;
        depth.fill(1, 1, &[self.centre.depth_m]);
        depth.transform(&sensor.pipeline.transforms, || self.noise.depth_seed(), keep_going)?;
        let depth_m = clipped(depth.metres[0], depth.precision, &sensor.pipeline.points);
        let camera = Camera::of_pipeline(sensor);
        let x = camera.monty_x(sensor.width / 2) * depth_m;
        let y = camera.monty_y(sensor.height / 2) * depth_m;
        let point = nalgebra::Point3::new(x, y, -depth_m);
        let pose = agent.world_from_reported_sensor(sensor, world.compat());
        self.location_m = if sensor.pipeline.points.world_coord { pose * point } else { point }.coords.into();
        Ok(())
    }

    fn read_patch(&mut self, images: &Images, chosen: Modalities, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
        let sensor = self.look.sensor;
        fill_cloud(&mut self.cloud, &self.look, images, keep_going)?;
        let cloud = &self.cloud;
        let centre = cloud.centre();
        self.location_m = cloud.point(centre).into();
        self.is_centre_on_object = cloud.labels[centre] > 0;
        let is_asked_for = chosen.meets(Modalities::OF_POSE) || !sensor.percept.noise.is_empty();
        if is_asked_for && self.is_centre_on_object && sensor.width == sensor.height {
            self.features = readable(Features::of(&Patch::new(cloud), &sensor.percept, keep_going))?;
        }
        self.coverage = Some(cloud.coverage(keep_going)?);
        Ok(())
    }

    /// The chosen modalities that exist here, and what the filter remembers; images are shared, points and the list itself go
    /// into the memory of earlier ones.
    pub fn answer(
        &self,
        chosen: Modalities,
        images: &Images,
        (points, mut values): (&mut Points, Vec<(Modality, Value)>),
        last: Option<&LastPercept>,
        keep_going: &mut KeepGoing,
    ) -> Result<Answered, Abandoned> {
        let (is_new, remembered) = self.filter(chosen, last);
        values.clear();
        for modality in chosen.iter() {
            let value = match modality {
                Modality::Depth => Some(Value::Depth(self.image(&images.depth_m))),
                Modality::Rgba => Some(Value::Rgba(self.image(&images.rgba))),
                Modality::Semantic if self.look.sensor.semantic => Some(Value::Semantic(self.image(&images.semantic))),
                Modality::Semantic3d | Modality::SensorFrameData => self.points(modality, points, keep_going)?,
                Modality::CamToWorld => self.coverage.and_then(|_| self.cloud.cam_to_world()).map(Value::Matrix),
                Modality::ProcessFeaturesInLm => is_new.map(Value::Flag),
                derived => self.derived(derived),
            };
            values.extend(value.map(|value| (modality, value)));
        }
        Ok((values, remembered))
    }

    fn image<T>(&self, pixels: &Arc<Vec<T>>) -> Image<T> {
        Image { width: self.look.sensor.width, height: self.look.sensor.height, pixels: Arc::clone(pixels) }
    }

    fn points(
        &self,
        modality: Modality,
        [in_world, in_camera]: &mut Points,
        keep_going: &mut KeepGoing,
    ) -> Result<Option<Value>, Abandoned> {
        if self.coverage.is_none() {
            return Ok(None);
        }
        if modality == Modality::Semantic3d {
            self.cloud.semantic_3d(emptied(in_world), keep_going)?;
            return Ok(Some(Value::Points(Arc::clone(in_world))));
        }
        let exists = self.cloud.sensor_frame_data(emptied(in_camera), keep_going)?;
        Ok(exists.then(|| Value::Points(Arc::clone(in_camera))))
    }

    /// Whether Monty's learning modules would read the features, before its filter.
    fn is_processed(&self) -> bool {
        self.features.as_ref().is_some_and(Features::are_valid)
    }

    /// With the noise of the world file, which reaches a location always and features only where they are processed.
    fn derived(&self, modality: Modality) -> Option<Value> {
        let value = self.plain(modality)?;
        let is_noisy = modality == Modality::Location || self.is_processed();
        Some(if is_noisy { self.noise.added(modality, value) } else { value })
    }

    fn plain(&self, modality: Modality) -> Option<Value> {
        match modality {
            Modality::Location => Some(Value::Numbers(self.location_m.into())),
            Modality::CenterRgba => self.centre.rgba.map(Value::Colour),
            Modality::Hsv => self.centre.rgba.map(|rgba| Value::Numbers(hsv(rgba).into())),
            Modality::SemanticId => self.look.sensor.semantic.then_some(Value::Integer(self.centre.semantic)),
            of_patch => self.of_patch(of_patch, self.coverage.as_ref()?),
        }
    }

    fn of_patch(&self, modality: Modality, coverage: &Coverage) -> Option<Value> {
        match modality {
            Modality::OnObject => Some(Value::Flag(self.is_centre_on_object)),
            Modality::ObjectCoverage => Some(Value::Number(coverage.object_coverage)),
            Modality::MinDepth => coverage.min_depth_m.map(Value::Number),
            Modality::MeanDepth => coverage.mean_depth_m.map(Value::Number),
            Modality::PoseVectors => Some(Value::Vectors(self.features.as_ref()?.pose_vectors())),
            Modality::PoseFullyDefined => {
                Some(Value::Flag(self.features.as_ref().is_some_and(Features::is_whole_pose)))
            }
            curvature => self.features.as_ref()?.curvatures(curvature),
        }
    }

    /// Whether the percept passes the filter of the world file, if it has one and anybody asks.
    fn filter(&self, chosen: Modalities, last: Option<&LastPercept>) -> (Option<bool>, Option<LastPercept>) {
        let change = self.look.sensor.percept.feature_change.as_ref();
        let Some(change) = change.filter(|_| chosen.contains(Modality::ProcessFeaturesInLm)) else {
            return (None, last.cloned());
        };
        if !self.is_processed() {
            return (Some(false), last.cloned());
        }
        let numbers = |modality| self.derived(modality).map_or_else(Numbers::new, |value| value.numbers().into());
        let now = LastPercept {
            location_m: first_three(self.derived(Modality::Location).as_ref()),
            normal: first_three(self.derived(Modality::PoseVectors).as_ref()),
            features: change.features.iter().map(|(feature, _)| numbers(*feature)).collect(),
            steps_ago: 0,
        };
        let (is_new, remembered) = change_filter::judge(change, last, now);
        (Some(is_new), Some(remembered))
    }
}

fn first_three(value: Option<&Value>) -> [f64; 3] {
    let numbers = value.map_or(&[][..], Value::numbers);
    numbers.first_chunk().copied().expect("a processed percept has a location and pose vectors")
}

/// With the images after the sensor's own pipeline.
pub fn fill_cloud(
    cloud: &mut PointCloud,
    look: &Look,
    images: &Images,
    keep_going: &mut KeepGoing,
) -> Result<(), Abandoned> {
    let Look { world, agent, sensor } = *look;
    let noise = PerceptNoise::new(world, agent, sensor);
    cloud.depth.fill(sensor.width, sensor.height, &images.depth_m);
    cloud.depth.transform(&sensor.pipeline.transforms, || noise.depth_seed(), keep_going)?;
    let pose = agent.world_from_reported_sensor(sensor, world.compat());
    let semantic = sensor.semantic.then_some(&**images.semantic);
    let camera = Camera::of_pipeline(sensor);
    cloud.read(semantic, &camera, Some(pose), &sensor.pipeline.points, keep_going)
}

/// Where Monty's extraction would end with an error, there are no features.
fn readable(features: Result<Features, Unreadable>) -> Result<Option<Features>, Abandoned> {
    match features {
        Ok(features) => Ok(Some(features)),
        Err(Unreadable::Abandoned) => Err(Abandoned),
        Err(Unreadable::NotSquare { .. } | Unreadable::Coincident { .. }) => Ok(None),
    }
}
