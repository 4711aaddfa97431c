//! Memory that one look leaves to the next, so that a look like the last one allocates nothing.

use std::sync::Arc;

use super::cover::Covered;
use super::frame::bits_of;
use super::object_view::ObjectView;
use super::points::PointCloud;
use super::shading::{Color, Palette};
use super::visible::Visible;
use crate::math::Pose;
use crate::world::World;

/// Pixels of a sensor for which memory is kept from look to look, at most: larger ones get new memory each time.
pub const MOST_KEPT_PIXELS: usize = 1 << 20;

/// Whoever looks uses it; between two looks it holds nothing that matters.
#[derive(Debug, Default)]
pub struct Room {
    pub visible: Visible,
    pub brush: Brush,
    pub cloud: PointCloud,
}

/// What drawing and colouring a band needs.
#[derive(Debug, Default)]
pub struct Brush {
    pub clusters: Vec<u32>,
    pub covered: Vec<Covered>,
    /// What the samples of smoothed pixels see, and the sums of their colours.
    pub sampled: Visible,
    pub sums: Vec<Color>,
    /// Of one pixel that is drawn alone.
    pub colors: Vec<[u8; 4]>,
    pub palette: Palette<'static>,
}

/// The objects as they are to a camera in one place: cameras that stand together share it.
#[derive(Debug, Default)]
pub struct Scenery<'w> {
    place: Option<[u64; 7]>,
    pub objects: Vec<ObjectView<'w>>,
}

impl<'w> Scenery<'w> {
    /// In the memory of the scenery of another world.
    pub fn within(memory: Scenery<'_>) -> Self {
        Self { place: None, objects: recycled(memory.objects) }
    }

    /// As seen from a place in a world, which is always the same one.
    pub fn seen_from(mut self, world_from_camera: &Pose, world: &'w World) -> Self {
        let place = Some(bits_of(world_from_camera));
        if self.place != place {
            self.objects.clear();
            let objects = world.objects().iter().enumerate();
            self.objects.extend(objects.map(|(index, object)| ObjectView::new(object, index, world_from_camera)));
            self.place = place;
        }
        self
    }
}

/// The memory of a list for another one, of the same type up to its lifetimes: the standard library collects in place.
pub fn recycled<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    list.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

/// Shared memory, emptied: that of the last answer, unless somebody still holds it.
pub fn emptied<T>(shared: &mut Arc<Vec<T>>) -> &mut Vec<T> {
    if Arc::get_mut(shared).is_none() {
        *shared = Arc::default();
    }
    let own = Arc::get_mut(shared).expect("nobody else holds it");
    own.clear();
    own
}
