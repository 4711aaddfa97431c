//! A sensor's images: planar depth, semantic ids and colours, a ray through each pixel's centre.

use super::band::go_on;
use super::camera::Camera;
use super::clip::ClipPlanes;
use super::light::{shade, shade_painted};
use super::oracle::{Hit, Scene, Spread};
use crate::math::{Pose, Vector};
use crate::protocol::{Abandoned, KeepGoing, Modalities, Modality};
use crate::world::{Agent, Lighting, SensorSpec, World};

/// One sensor's look at the world.
#[derive(Debug)]
pub struct View<'w> {
    pub world: &'w World,
    pub sensor: &'w SensorSpec,
    pub camera: Camera,
    scene: Scene<'w>,
    world_from_camera: Pose,
    miss_depth: f32,
}

/// What was drawn; what nobody asked for is empty.
#[derive(Debug, Default)]
pub struct Images {
    /// Metres, planar.
    pub depth_m: Vec<f32>,
    /// 0 is background.
    pub semantic: Vec<u32>,
    pub rgba: Vec<[u8; 4]>,
}

impl Images {
    fn for_pixels(pixels: usize, with_semantic: bool, with_rgba: bool) -> Self {
        let room_if = |needed: bool| if needed { pixels } else { 0 };
        Self {
            depth_m: Vec::with_capacity(pixels),
            semantic: Vec::with_capacity(room_if(with_semantic)),
            rgba: Vec::with_capacity(room_if(with_rgba)),
        }
    }
}

/// Black, as Monty's simulators leave it.
const BACKGROUND: [f64; 3] = [0.0; 3];

/// Rays against one closed form between two questions whether to go on: under 50 ms on a slow machine.
const BAND_COST: usize = 1 << 17;

/// Where the rays of a smoothed pixel pass, from its centre, in pixels right and down: the usual pattern of four samples, no
/// two of them in one row or column, as it lies in the reference's images.
const SAMPLES: [[f64; 2]; 4] = [[-0.125, 0.375], [0.375, 0.125], [-0.375, -0.125], [0.125, -0.375]];

impl<'w> View<'w> {
    pub fn new(world: &'w World, agent: &Agent, sensor: &'w SensorSpec, planes: &ClipPlanes) -> Self {
        let world_from_camera = agent.world_from_camera(sensor, world.compat());
        let scene = Scene::new(world.objects(), &world_from_camera, planes.near_m);
        let camera = Camera::new(sensor);
        Self { world, sensor, camera, scene, world_from_camera, miss_depth: planes.miss_depth }
    }

    /// The images that the chosen modalities need: a modality's value never depends on what else was asked for.
    pub fn render(&self, chosen: Modalities, keep_going: &mut KeepGoing) -> Result<Images, Abandoned> {
        if self.is_all_at_centre(chosen) && !chosen.meets(Modalities::RAW) {
            return Ok(Images::default());
        }
        let (with_semantic, with_rgba) = (self.sensor.semantic, chosen.contains(Modality::Rgba));
        let (width, height) = (self.sensor.width, self.sensor.height);
        let mut images = Images::for_pixels((width * height) as usize, with_semantic, with_rgba);
        let pixels_per_band = (BAND_COST / self.cost_of_pixel(with_rgba)).max(1);
        let mut pixels = 0;
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
            if pixels == pixels_per_band {
                pixels = 0;
                go_on(keep_going)?;
            }
            pixels += 1;
            let ray = self.camera.ray(row, column);
            let hit = self.scene.cast(ray);
            images.depth_m.push(self.depth_m(hit.as_ref()));
            if with_semantic {
                images.semantic.push(self.semantic(hit.as_ref()));
            }
            if with_rgba {
                images.rgba.push(self.rgba(ray, hit.as_ref()));
            }
        }
        go_on(keep_going)?;
        Ok(images)
    }

    /// In rays against one closed form.
    fn cost_of_pixel(&self, with_rgba: bool) -> usize {
        let rays = if with_rgba && self.sensor.antialiasing { 1 + SAMPLES.len() } else { 1 };
        rays * self.scene.cost_of_ray()
    }

    /// Whether what is derived needs no pixel but the centre's. A location is a pixel's own affair unless a transform mixes
    /// pixels or draws a number for each; noise of other features depends on whether the patch can be read.
    pub fn is_all_at_centre(&self, chosen: Modalities) -> bool {
        let is_centre_free = self.sensor.pipeline.is_pointwise() && self.sensor.percept.noise.is_empty();
        is_centre_free && !chosen.contains_any_but(Modalities::OF_CENTRE.with(Modalities::RAW))
    }

    /// What the centre pixel [H//2, W//2] met, and its ray.
    pub fn centre(&self) -> (Vector, Option<Hit>) {
        let ray = self.camera.ray(self.sensor.height / 2, self.sensor.width / 2);
        (ray, self.scene.cast(ray))
    }

    pub fn depth_m(&self, hit: Option<&Hit>) -> f32 {
        hit.map_or(self.miss_depth, |hit| hit.depth_m as f32)
    }

    pub fn semantic(&self, hit: Option<&Hit>) -> u32 {
        hit.map_or(0, |hit| self.world.objects()[hit.object].semantic_id.0)
    }

    /// Of the pixel whose centre's ray met `hit`.
    pub fn rgba(&self, ray: Vector, hit: Option<&Hit>) -> [u8; 4] {
        if !self.sensor.antialiasing {
            return bytes(self.color(ray, hit));
        }
        let [right, down] = self.camera.steps();
        let colors = SAMPLES.map(|[x, y]| {
            let ray = ray + right * x + down * y;
            self.color(ray, self.scene.cast(ray).as_ref())
        });
        let mean = |part: usize| colors.iter().map(|color| color[part]).sum::<f64>() / SAMPLES.len() as f64;
        bytes([0, 1, 2].map(mean))
    }

    /// What is seen along a ray, each part from 0 to 1.
    fn color(&self, ray: Vector, hit: Option<&Hit>) -> [f64; 3] {
        let Some(hit) = hit else { return BACKGROUND };
        let is_lit = self.world.compat().lighting == Lighting::Mujoco;
        // The albedo is a texel's own; lit pictures are those of MuJoCo, which smooths what is seen from far.
        let spread = Spread(self.camera.steps());
        let paint = self.scene.paint(ray, hit, is_lit.then_some(&spread));
        let albedo = self.world.objects()[hit.object].spec.color;
        let color = if is_lit { self.lit(albedo, paint, ray, hit) } else { paint.unwrap_or(albedo) };
        color.map(|part| part.clamp(0.0, 1.0))
    }

    fn lit(&self, albedo: [f64; 3], paint: Option<[f64; 3]>, ray: Vector, hit: &Hit) -> [f64; 3] {
        let normal = self.scene.normal(ray, hit);
        let towards_eye = -(self.world_from_camera.rotation * ray).normalize();
        match paint {
            None => shade(albedo, normal, towards_eye),
            Some(paint) => shade_painted(paint, normal, towards_eye),
        }
    }
}

fn bytes(color: [f64; 3]) -> [u8; 4] {
    let [red, green, blue] = color.map(|part| (part * 255.0 + 0.5) as u8);
    [red, green, blue, 255]
}
