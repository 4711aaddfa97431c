//! A sensor's images: planar depth, semantic ids and colours, a ray through each pixel's centre.

use wide::{bytemuck, i16x8, i32x4, u8x16};

use super::band::{Work, go_on};
use super::camera::Camera;
use super::clip::ClipPlanes;
use super::draw::Painter;
use super::object_view::ObjectView;
use super::shading::{Color, Shader};
use super::visible::{Grid, Rectangle, Seen, Visible};
use crate::math::{Pose, Vector};
use crate::protocol::{Abandoned, KeepGoing, Modalities, Modality};
use crate::world::{Agent, SensorSpec, World};

/// One sensor's look at the world.
#[derive(Debug)]
pub struct View<'w> {
    pub world: &'w World,
    pub sensor: &'w SensorSpec,
    grid: Grid,
    /// Through which colours are seen, if not through the pixels' centres.
    samples: Vec<Grid>,
    /// From a pixel's ray to those of its right and its lower neighbour.
    steps: [Vector; 2],
    objects: Vec<ObjectView<'w>>,
    world_from_camera: Pose,
    planes: ClipPlanes,
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

/// What one pixel sees.
#[derive(Clone, Copy, Debug)]
pub struct Centre {
    pub depth_m: f32,
    pub semantic: u32,
    pub rgba: [u8; 4],
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

/// Where the rays of a smoothed pixel pass, from its centre, in pixels right and down: the usual pattern of four samples, no
/// two of them in one row or column, as it lies in the reference's images.
const SAMPLES: [[f64; 2]; 4] = [[-0.125, 0.375], [0.375, 0.125], [-0.375, -0.125], [0.125, -0.375]];

impl<'w> View<'w> {
    pub fn new(world: &'w World, agent: &Agent, sensor: &'w SensorSpec, planes: &ClipPlanes) -> Self {
        let world_from_camera = agent.world_from_camera(sensor, world.compat());
        let objects = world.objects().iter().enumerate();
        let objects = objects.map(|(index, object)| ObjectView::new(object, index, &world_from_camera)).collect();
        let camera = Camera::new(sensor);
        let (grid, steps) = (Grid::new(&camera), camera.steps());
        let samples = SAMPLES.map(|sample| grid.shifted(sample)).to_vec();
        let samples = if sensor.antialiasing { samples } else { Vec::new() };
        Self { world, sensor, grid, samples, steps, objects, world_from_camera, planes: *planes }
    }

    /// The images that the chosen modalities need: a modality's value never depends on what else was asked for.
    pub fn render(&self, chosen: Modalities, keep_going: &mut KeepGoing) -> Result<Images, Abandoned> {
        if self.is_all_at_centre(chosen) && !chosen.meets(Modalities::RAW) {
            return Ok(Images::default());
        }
        let (with_semantic, with_rgba) = (self.sensor.semantic, chosen.contains(Modality::Rgba));
        let (width, height) = (self.sensor.width, self.sensor.height);
        let mut images = Images::for_pixels((width * height) as usize, with_semantic, with_rgba);
        let mut visible = Visible::default();
        for rows in self.grid.bands() {
            let band = Rectangle { columns: [0, width as i32 - 1], rows: [rows.start as i32, rows.end as i32 - 1] };
            self.see(&self.grid, band, &mut visible, keep_going)?;
            let pixels = 0..band.pixels();
            images.depth_m.extend(pixels.clone().map(|pixel| self.depth_m(visible.at(pixel))));
            if with_semantic {
                images.semantic.extend(pixels.map(|pixel| self.semantic(visible.at(pixel))));
            }
            if with_rgba {
                self.push_colors(&mut images.rgba, &visible, keep_going)?;
            }
            go_on(keep_going)?;
        }
        Ok(images)
    }

    /// Of the pixels of a band, which sees through their centres.
    fn push_colors(
        &self,
        rgba: &mut Vec<[u8; 4]>,
        visible: &Visible,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        let mut shader = self.shader();
        if self.samples.is_empty() {
            shader.color(&self.grid, visible, |row| push_bytes(rgba, row));
            return Ok(());
        }
        let mut sums = vec![Color::ZERO; visible.band.pixels()];
        let mut seen = Visible::default();
        for grid in &self.samples {
            self.see(grid, visible.band, &mut seen, keep_going)?;
            let mut places = sums.iter_mut();
            shader.color(grid, &seen, |row| row.iter().zip(&mut places).for_each(|(color, sum)| *sum += *color));
            go_on(keep_going)?;
        }
        let share = Color::splat(1.0 / SAMPLES.len() as f32);
        sums.iter_mut().for_each(|sum| *sum *= share);
        push_bytes(rgba, &sums);
        Ok(())
    }

    fn shader(&self) -> Shader<'_> {
        let towards_light = self.world_from_camera.rotation.inverse() * Vector::z();
        Shader::new(&self.objects, self.world.compat().lighting, towards_light, self.steps)
    }

    /// What some of the pixels see.
    pub fn look(&self, pixels: Rectangle, keep_going: &mut KeepGoing) -> Result<Visible, Abandoned> {
        let mut visible = Visible::default();
        self.see(&self.grid, pixels, &mut visible, keep_going)?;
        Ok(visible)
    }

    /// Draws all objects into some of the pixels.
    fn see(
        &self,
        grid: &Grid,
        band: Rectangle,
        visible: &mut Visible,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        let mut painter = Painter { grid, near_m: self.planes.near_m, corners: Vec::new(), clusters: Vec::new() };
        let mut work = Work::new(keep_going);
        visible.begin(band);
        self.objects.iter().try_for_each(|object| painter.draw(object, visible, &mut work))
    }

    /// Whether what is derived needs no pixel but the centre's. A location is a pixel's own affair unless a transform mixes
    /// pixels or draws a number for each; noise of other features depends on whether the patch can be read.
    pub fn is_all_at_centre(&self, chosen: Modalities) -> bool {
        let is_centre_free = self.sensor.pipeline.is_pointwise() && self.sensor.percept.noise.is_empty();
        is_centre_free && !chosen.contains_any_but(Modalities::OF_CENTRE.with(Modalities::RAW))
    }

    /// What the centre pixel [H//2, W//2] sees: depth, id and colour.
    pub fn centre(&self, keep_going: &mut KeepGoing) -> Result<Centre, Abandoned> {
        let (row, column) = (self.sensor.height / 2, self.sensor.width / 2);
        let pixel = Rectangle { columns: [column as i32; 2], rows: [row as i32; 2] };
        let visible = self.look(pixel, keep_going)?;
        let mut rgba = Vec::with_capacity(1);
        self.push_colors(&mut rgba, &visible, keep_going)?;
        let seen = visible.at(0);
        Ok(Centre { depth_m: self.depth_m(seen), semantic: self.semantic(seen), rgba: rgba[0] })
    }

    fn depth_m(&self, seen: Option<(Seen, f64)>) -> f32 {
        seen.map_or(self.planes.miss_depth, |(_, depth_m)| depth_m as f32)
    }

    fn semantic(&self, seen: Option<(Seen, f64)>) -> u32 {
        seen.map_or(0, |(seen, _)| self.objects[seen.object].object.semantic_id.0)
    }
}

/// Puts colours as bytes, four by four.
fn push_bytes(rgba: &mut Vec<[u8; 4]>, colors: &[Color]) {
    let (fours, rest) = colors.as_chunks::<4>();
    fours.iter().for_each(|four| rgba.extend_from_slice(&bytes(*four)));
    let four = std::array::from_fn(|at| rest.get(at).copied().unwrap_or_default());
    rgba.extend_from_slice(&bytes(four)[..rest.len()]);
}

/// Rounded to the nearest: the sum with so large a number ends in the whole part, which is faster than a cast.
#[inline(always)]
fn bytes(colors: [Color; 4]) -> [[u8; 4]; 4] {
    const WHOLE: Color = Color::splat((1 << 23) as f32);
    const OPAQUE: i32x4 = i32x4::new([0, 0, 0, 255]);
    let whole = |color: Color| {
        let bits: i32x4 = bytemuck::cast(color * Color::splat(255.0) + WHOLE);
        (bits & i32x4::splat(255)) | OPAQUE
    };
    let halves =
        |first: Color, second: Color| i16x8::from_i32x8_saturate(bytemuck::cast([whole(first), whole(second)]));
    let [a, b, c, d] = colors;
    bytemuck::cast(u8x16::narrow_i16x8(halves(a, b), halves(c, d)))
}
