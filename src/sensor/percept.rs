//! One sensor's percept: its patch as points, what Monty derives from these, noise and filter, and the answer of it all.

use super::camera::Camera;
use super::change_filter;
use super::colour::hsv;
use super::features::Features;
use super::mask::clipped;
use super::noise::PerceptNoise;
use super::patch::{Patch, Unreadable};
use super::pipeline::DepthImage;
use super::points::{Coverage, PointCloud};
use super::render::{Centre, Images, View};
use crate::protocol::{Abandoned, Image, KeepGoing, Modalities, Modality, Value};
use crate::world::{Agent, LastPercept};

/// A sensor's look with what the centre pixel saw.
pub struct Percept<'v, 'w> {
    view: &'v View<'w>,
    /// The pixel [H//2, W//2], raw.
    centre: Centre,
    location_m: [f64; 3],
    is_centre_on_object: bool,
    cloud: Option<(PointCloud, Coverage)>,
    features: Option<Features>,
    noise: PerceptNoise<'w>,
}

/// The values that exist, and what the filter remembers.
pub type Answered = (Vec<(Modality, Value)>, Option<LastPercept>);

impl<'v, 'w> Percept<'v, 'w> {
    pub fn new(
        view: &'v View<'w>,
        agent: &Agent,
        images: &Images,
        chosen: Modalities,
        keep_going: &mut KeepGoing,
    ) -> Result<Self, Abandoned> {
        let centre = view.centre(keep_going)?;
        let noise = PerceptNoise::new(view.world, agent, view.sensor);
        let mut percept =
            Self { view, centre, location_m: [0.0; 3], is_centre_on_object: false, cloud: None, features: None, noise };
        if view.is_all_at_centre(chosen) {
            percept.locate_centre(agent, centre.depth_m, keep_going)?;
        } else {
            percept.read_patch(agent, images, chosen, keep_going)?;
        }
        Ok(percept)
    }

    /// From the centre's depth alone, where no transform looks at other pixels.
    fn locate_centre(&mut self, agent: &Agent, depth_m: f32, keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
        let sensor = self.view.sensor;
        let mut depth = DepthImage::new(1, 1, &[depth_m]);
        depth.transform(&sensor.pipeline.transforms, || self.noise.depth_seed(), keep_going)?;
        let depth_m = clipped(depth.metres[0], depth.precision, &sensor.pipeline.points);
        let camera = Camera::of_pipeline(sensor);
        let x = camera.monty_x(sensor.width / 2) * depth_m;
        let y = camera.monty_y(sensor.height / 2) * depth_m;
        let point = nalgebra::Point3::new(x, y, -depth_m);
        let pose = agent.world_from_reported_sensor(sensor, self.view.world.compat());
        self.location_m = if sensor.pipeline.points.world_coord { pose * point } else { point }.coords.into();
        Ok(())
    }

    fn read_patch(
        &mut self,
        agent: &Agent,
        images: &Images,
        chosen: Modalities,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        let sensor = self.view.sensor;
        let cloud = cloud_of(self.view, agent, images, &self.noise, keep_going)?;
        let centre = cloud.centre();
        self.location_m = cloud.point(centre).into();
        self.is_centre_on_object = cloud.labels[centre] > 0;
        let is_asked_for = chosen.meets(Modalities::OF_POSE) || !sensor.percept.noise.is_empty();
        if is_asked_for && self.is_centre_on_object && sensor.width == sensor.height {
            self.features = readable(Features::of(&Patch::new(&cloud), &sensor.percept, keep_going))?;
        }
        let coverage = cloud.coverage(keep_going)?;
        self.cloud = Some((cloud, coverage));
        Ok(())
    }

    /// The chosen modalities that exist here, and what the filter remembers; the images are moved, not copied.
    pub fn answer(
        self,
        chosen: Modalities,
        images: Images,
        last: Option<&LastPercept>,
        keep_going: &mut KeepGoing,
    ) -> Result<Answered, Abandoned> {
        let (is_new, remembered) = self.filter(chosen, last);
        let (width, height) = (self.view.sensor.width, self.view.sensor.height);
        let Images { depth_m, semantic, rgba } = images;
        let (mut depth_m, mut semantic, mut rgba) = (Some(depth_m), Some(semantic), Some(rgba));
        let mut values = Vec::new();
        for modality in chosen.iter() {
            let value = match modality {
                Modality::Depth => depth_m.take().map(|pixels| Value::Depth(Image { width, height, pixels })),
                Modality::Rgba => rgba.take().map(|pixels| Value::Rgba(Image { width, height, pixels })),
                Modality::Semantic if self.view.sensor.semantic => {
                    semantic.take().map(|pixels| Value::Semantic(Image { width, height, pixels }))
                }
                Modality::Semantic3d | Modality::SensorFrameData => self.points(modality, keep_going)?,
                Modality::CamToWorld => self.cloud_matrix(),
                Modality::ProcessFeaturesInLm => is_new.map(Value::Flag),
                derived => self.derived(derived),
            };
            values.extend(value.map(|value| (modality, value)));
        }
        Ok((values, remembered))
    }

    fn points(&self, modality: Modality, keep_going: &mut KeepGoing) -> Result<Option<Value>, Abandoned> {
        let Some((cloud, _)) = &self.cloud else { return Ok(None) };
        let rows = match modality {
            Modality::Semantic3d => Some(cloud.semantic_3d(keep_going)?),
            _ => cloud.sensor_frame_data(keep_going)?,
        };
        Ok(rows.map(Value::Points))
    }

    fn cloud_matrix(&self) -> Option<Value> {
        self.cloud.as_ref()?.0.cam_to_world().map(|matrix| Value::Matrix(matrix.map(Vec::from).into()))
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
            Modality::Location => Some(Value::Numbers(self.location_m.to_vec())),
            Modality::CenterRgba => Some(Value::Colour(self.centre.rgba)),
            Modality::Hsv => Some(Value::Numbers(hsv(self.centre.rgba).to_vec())),
            Modality::SemanticId => self.view.sensor.semantic.then_some(Value::Integer(self.centre.semantic)),
            of_patch => self.of_patch(of_patch, &self.cloud.as_ref()?.1),
        }
    }

    fn of_patch(&self, modality: Modality, coverage: &Coverage) -> Option<Value> {
        match modality {
            Modality::OnObject => Some(Value::Flag(self.is_centre_on_object)),
            Modality::ObjectCoverage => Some(Value::Number(coverage.object_coverage)),
            Modality::MinDepth => coverage.min_depth_m.map(Value::Number),
            Modality::MeanDepth => coverage.mean_depth_m.map(Value::Number),
            Modality::PoseVectors => {
                let vectors = self.features.as_ref()?.pose_vectors();
                Some(Value::Matrix(vectors.map(Vec::from).into()))
            }
            Modality::PoseFullyDefined => {
                Some(Value::Flag(self.features.as_ref().is_some_and(Features::is_whole_pose)))
            }
            curvature => self.features.as_ref()?.curvatures(curvature),
        }
    }

    /// Whether the percept passes the filter of the world file, if it has one and anybody asks.
    fn filter(&self, chosen: Modalities, last: Option<&LastPercept>) -> (Option<bool>, Option<LastPercept>) {
        let change = self.view.sensor.percept.feature_change.as_ref();
        let Some(change) = change.filter(|_| chosen.contains(Modality::ProcessFeaturesInLm)) else {
            return (None, last.cloned());
        };
        if !self.is_processed() {
            return (Some(false), last.cloned());
        }
        let numbers = |modality| self.derived(modality).map_or_else(Vec::new, Value::into_numbers);
        let three = |modality| <[f64; 3]>::try_from(&numbers(modality)[..3]).expect("a slice of three");
        let now = LastPercept {
            location_m: three(Modality::Location),
            normal: three(Modality::PoseVectors),
            features: change.features.iter().map(|(feature, _)| numbers(*feature)).collect(),
            steps_ago: 0,
        };
        let (is_new, remembered) = change_filter::judge(change, last, now);
        (Some(is_new), Some(remembered))
    }
}

/// The images after the sensor's own pipeline.
fn cloud_of(
    view: &View,
    agent: &Agent,
    images: &Images,
    noise: &PerceptNoise,
    keep_going: &mut KeepGoing,
) -> Result<PointCloud, Abandoned> {
    let sensor = view.sensor;
    let mut depth = DepthImage::new(sensor.width, sensor.height, &images.depth_m);
    depth.transform(&sensor.pipeline.transforms, || noise.depth_seed(), keep_going)?;
    let pose = agent.world_from_reported_sensor(sensor, view.world.compat());
    let semantic = sensor.semantic.then_some(&*images.semantic);
    let camera = Camera::of_pipeline(sensor);
    PointCloud::new(depth, semantic, &camera, Some(pose), &sensor.pipeline.points, keep_going)
}

/// What one sensor sees, as points alone.
pub fn points_seen(view: &View, agent: &Agent, keep_going: &mut KeepGoing) -> Result<PointCloud, Abandoned> {
    let images = view.render(Modalities::POINTS, keep_going)?;
    cloud_of(view, agent, &images, &PerceptNoise::new(view.world, agent, view.sensor), keep_going)
}

/// Where Monty's extraction would end with an error, there are no features.
fn readable(features: Result<Features, Unreadable>) -> Result<Option<Features>, Abandoned> {
    match features {
        Ok(features) => Ok(Some(features)),
        Err(Unreadable::Abandoned) => Err(Abandoned),
        Err(Unreadable::NotSquare { .. } | Unreadable::Coincident { .. }) => Ok(None),
    }
}
