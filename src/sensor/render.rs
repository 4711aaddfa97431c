//! A sensor's images: planar depth, semantic ids and colours, a ray through each pixel's centre.

use std::iter::repeat_n;
use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use wide::{bytemuck, i16x8, u8x16, u32x4};

use super::band::{Work, go_on};
use super::clip::ClipPlanes;
use super::draw::Painter;
use super::frame::{Centre, Frame, Images, Needs};
use super::lens::Lens;
use super::percept::Look;
use super::room::{Brush, Room, Scenery};
use super::shading::{Color, Pixel, Shader};
use super::visible::{Grid, Rectangle, Seen, Visible};
use crate::math::{Pose, Vector};
use crate::protocol::{Abandoned, KeepGoing, Modalities};
use crate::world::{Agent, SensorSpec, World};

/// One sensor's look at the world.
#[derive(Debug)]
pub struct View<'w> {
    world: &'w World,
    sensor: &'w SensorSpec,
    lens: Arc<Lens>,
    scenery: Scenery<'w>,
    world_from_camera: Pose,
    planes: ClipPlanes,
}

impl<'w> View<'w> {
    pub fn new(world: &'w World, agent: &'w Agent, sensor: &'w SensorSpec, planes: &ClipPlanes) -> Self {
        Self::through(Arc::new(Lens::new(sensor)), &Look { world, agent, sensor }, Scenery::default(), planes)
    }

    pub fn through(lens: Arc<Lens>, look: &Look<'w>, scenery: Scenery<'w>, planes: &ClipPlanes) -> Self {
        let Look { world, agent, sensor } = *look;
        let world_from_camera = agent.world_from_camera(sensor, world.compat());
        let scenery = scenery.seen_from(&world_from_camera, world);
        Self { world, sensor, lens, scenery, world_from_camera, planes: *planes }
    }

    pub fn into_scenery(self) -> Scenery<'w> {
        self.scenery
    }

    /// The images that the chosen modalities need, in memory of their own.
    pub fn render(&self, chosen: Modalities, keep_going: &mut KeepGoing) -> Result<Images, Abandoned> {
        let mut frame = Frame::default();
        self.draw(Needs::of(chosen, self.sensor), &mut frame, &mut Room::default(), keep_going)?;
        Ok(frame.images)
    }

    /// What is needed, into a frame.
    pub fn draw(
        &self,
        needs: Needs,
        frame: &mut Frame,
        room: &mut Room,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        if needs.images {
            self.draw_images(needs.rgba, &mut frame.images, room, keep_going)?;
        }
        let is_among_images = needs.images && (needs.rgba || !needs.center_rgba);
        frame.centre = match is_among_images {
            true => self.centre_of(needs, &frame.images),
            false => self.draw_centre(needs.center_rgba, room, keep_going)?,
        };
        Ok(())
    }

    fn draw_images(
        &self,
        with_rgba: bool,
        images: &mut Images,
        room: &mut Room,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        let (width, height) = (self.sensor.width, self.sensor.height);
        let room_if = |needed: bool| if needed { (width * height) as usize } else { 0 };
        let (depth_m, semantic, rgba) = images.emptied();
        depth_m.reserve_exact(room_if(true));
        semantic.reserve_exact(room_if(self.sensor.semantic));
        rgba.reserve_exact(room_if(with_rgba));
        let Room { visible, brush, .. } = room;
        for band in self.bands() {
            self.see(&self.lens.grid, band, visible, brush, keep_going)?;
            for (places, nearness, _) in visible.rows() {
                add_row(depth_m, visible, &places, self.planes.miss_depth, |depth_m| {
                    depth_m.extend(nearness.iter().map(|nearness| self.depth_m(*nearness)));
                });
            }
            if self.sensor.semantic {
                self.add_semantic(visible, semantic);
            }
            if with_rgba {
                self.color(visible, brush, rgba, keep_going)?;
            }
            go_on(keep_going)?;
        }
        Ok(())
    }

    fn add_semantic(&self, visible: &Visible, semantic: &mut Vec<u32>) {
        for (places, _, seen) in visible.rows() {
            add_row(semantic, visible, &places, 0, |semantic| {
                // Neighbours mostly see the same object.
                for some in seen.chunks(NEIGHBOURS) {
                    let differ = some.iter().fold(0, |differ, seen| differ | (seen ^ some[0])) >> 32;
                    match differ {
                        0 => semantic.extend(repeat_n(self.semantic(some[0]), some.len())),
                        _ => semantic.extend(some.iter().map(|seen| self.semantic(*seen))),
                    }
                }
            });
        }
    }

    /// Adds the colours of a band, which sees through its pixels' centres.
    fn color(
        &self,
        visible: &Visible,
        brush: &mut Brush,
        rgba: &mut Vec<[u8; 4]>,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        if self.lens.samples.is_empty() {
            self.shade(&self.lens.grid, visible, brush, |places, pixels| {
                add_row(rgba, visible, &places, BLACK, |rgba| add_bytes(pixels, |pixel| pixel.color, rgba));
            });
            return Ok(());
        }
        let (mut sampled, mut sums) = (take(&mut brush.sampled), take(&mut brush.sums));
        sums.clear();
        sums.resize(visible.band.pixels(), Color::ZERO);
        for grid in &self.lens.samples {
            self.see(grid, visible.band, &mut sampled, brush, keep_going)?;
            let mut rows = sums.chunks_mut(visible.width());
            self.shade(grid, &sampled, brush, |places, pixels| {
                let sums = rows.next().into_iter().flat_map(|row| &mut row[places.clone()]);
                sums.zip(pixels).for_each(|(sum, pixel)| *sum += within(pixel.color));
            });
            go_on(keep_going)?;
        }
        let share = Color::splat(1.0 / self.lens.samples.len() as f32);
        sums.iter_mut().for_each(|sum| *sum *= share);
        add_bytes(&sums, |sum| *sum, rgba);
        (brush.sampled, brush.sums) = (sampled, sums);
        Ok(())
    }

    /// The colours of a band as it is seen through a grid, row by row.
    fn shade(&self, grid: &Grid, visible: &Visible, brush: &mut Brush, put: impl FnMut(Range<usize>, &[Pixel])) {
        let towards_light = self.world_from_camera.rotation.inverse() * Vector::z();
        let (lighting, palette) = (self.world.compat().lighting, take(&mut brush.palette).recycled());
        let mut shader = Shader::new(&self.scenery.objects, lighting, towards_light, self.lens.steps, palette);
        shader.color(grid, visible, put);
        brush.palette = shader.into_palette().recycled();
    }

    /// All pixels, some rows at a time: what a whole large image sees would not fit into a cache.
    pub fn bands(&self) -> impl Iterator<Item = Rectangle> + use<> {
        self.lens.grid.bands()
    }

    /// What some of the pixels see.
    pub fn look(&self, pixels: Rectangle, keep_going: &mut KeepGoing) -> Result<Visible, Abandoned> {
        let mut visible = Visible::default();
        self.see(&self.lens.grid, pixels, &mut visible, &mut Brush::default(), keep_going)?;
        Ok(visible)
    }

    /// Draws all objects into some of the pixels.
    fn see(
        &self,
        grid: &Grid,
        band: Rectangle,
        visible: &mut Visible,
        brush: &mut Brush,
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        let (clusters, covered) = (take(&mut brush.clusters), take(&mut brush.covered));
        let mut painter = Painter { grid, near_m: self.planes.near_m, clusters, covered };
        let mut work = Work::new(keep_going);
        visible.begin(band);
        self.scenery.objects.iter().try_for_each(|object| painter.draw(object, visible, &mut work))?;
        (brush.clusters, brush.covered) = (painter.clusters, painter.covered);
        Ok(())
    }

    fn centre(&self) -> [usize; 2] {
        [self.sensor.height / 2, self.sensor.width / 2].map(|half| half as usize)
    }

    /// Out of the images.
    fn centre_of(&self, needs: Needs, images: &Images) -> Centre {
        let [row, column] = self.centre();
        let pixel = row * self.sensor.width as usize + column;
        Centre {
            depth_m: images.depth_m[pixel],
            semantic: images.semantic.get(pixel).copied().unwrap_or_default(),
            rgba: needs.rgba.then(|| images.rgba[pixel]),
        }
    }

    /// The pixel alone, which sees the same as among the others.
    fn draw_centre(&self, with_rgba: bool, room: &mut Room, keep_going: &mut KeepGoing) -> Result<Centre, Abandoned> {
        let [row, column] = self.centre().map(|at| at as i32);
        let pixel = Rectangle { columns: [column; 2], rows: [row; 2] };
        let Room { visible, brush, .. } = room;
        self.see(&self.lens.grid, pixel, visible, brush, keep_going)?;
        let mut rgba = None;
        if with_rgba {
            let mut colors = take(&mut brush.colors);
            colors.clear();
            self.color(visible, brush, &mut colors, keep_going)?;
            rgba = colors.first().copied();
            brush.colors = colors;
        }
        Ok(Centre { depth_m: self.depth_m(visible.nearness[0]), semantic: self.semantic(visible.seen[0]), rgba })
    }

    /// Without a branch, so that the compiler divides in vectors.
    fn depth_m(&self, nearness: f64) -> f32 {
        let depth_m = (1.0 / nearness) as f32;
        if nearness > 0.0 { depth_m } else { self.planes.miss_depth }
    }

    /// What nothing is stands behind all objects.
    fn semantic(&self, seen: u64) -> u32 {
        let object = self.scenery.objects.get(Seen::unpacked(seen).object);
        object.map_or(0, |view| view.object.semantic_id.0)
    }
}

/// Adds a row of an image: what `add` adds for some of its places, and `nothing` before and behind.
#[inline(always)]
fn add_row<T: Clone>(
    image: &mut Vec<T>,
    visible: &Visible,
    places: &Range<usize>,
    nothing: T,
    add: impl FnOnce(&mut Vec<T>),
) {
    image.extend(repeat_n(nothing.clone(), places.start));
    add(image);
    image.extend(repeat_n(nothing, visible.width() - places.end));
}

const NEIGHBOURS: usize = 16;

/// The colour of nothing.
const BLACK: [u8; 4] = [0, 0, 0, 255];

/// Adds colours as bytes, four by four.
fn add_bytes<T>(pixels: &[T], color: impl Fn(&T) -> Color, rgba: &mut Vec<[u8; 4]>) {
    let (fours, rest) = pixels.as_chunks::<4>();
    rgba.extend(fours.iter().flat_map(|four| bytes(four.each_ref().map(&color))));
    let four = std::array::from_fn(|at| rest.get(at).map_or(Color::ZERO, &color));
    rgba.extend_from_slice(&bytes(four)[..rest.len()]);
}

/// No more than white; what is no number is black.
fn within(color: Color) -> Color {
    let color = color & color.simd_gt(Color::ZERO);
    color.fast_min(Color::ONE)
}

/// Rounded to the nearest; what is brighter than white is white, and what is no number black.
#[inline(always)]
fn bytes(colors: [Color; 4]) -> [[u8; 4]; 4] {
    const WHITE: Color = Color::splat(255.0);
    const OPAQUE: u32x4 = u32x4::splat(u32::from_ne_bytes(BLACK));
    // The least of a number and what is none is the latter, in this order.
    let [a, b, c, d] = colors.map(|color| WHITE.fast_min(color * WHITE).fast_round_int());
    let halves = |first, second| i16x8::from_i32x8_saturate(bytemuck::cast([first, second]));
    let bytes: u32x4 = bytemuck::cast(u8x16::narrow_i16x8(halves(a, b), halves(c, d)));
    bytemuck::cast(bytes | OPAQUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_rounded_to_bytes_that_end_at_black_and_white() {
        let colors = [[0.0, 1.0, 0.5, 9.0], [-0.0, -3.0, 1.7, 9.0], [f32::NAN, f32::INFINITY, -f32::INFINITY, 9.0]];
        let [a, b, c] = colors.map(Color::new);
        let ends = [[0, 255, 128, 255], [0, 0, 255, 255], [0, 255, 0, 255]];
        assert_eq!(bytes([a, b, c, Color::splat(1e30)]), [ends[0], ends[1], ends[2], [255; 4]]);
        for shade in 0..=255u8 {
            let byte = |off: f32| bytes([Color::splat((f32::from(shade) + off) / 255.0); 4])[0][0];
            assert_eq!([-0.49, 0.0, 0.49].map(byte), [shade; 3]);
        }
    }
}
