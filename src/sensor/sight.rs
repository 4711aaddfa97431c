//! The eyes of all sensors of one world: what each saw last, and memory for the next look.

use std::sync::Arc;

use super::clip::ClipPlanes;
use super::frame::{Frame, Needs, Subject};
use super::lens::Lens;
use super::percept::{Look, Percept, fill_cloud};
use super::points::PointCloud;
use super::render::View;
use super::room::{MOST_KEPT_PIXELS, Room, Scenery};
use crate::protocol::{Abandoned, KeepGoing, Modalities, Modality, SensorObservation, Value};
use crate::world::{LastPercept, SensorSpec, World, WorldFile};

/// It changes no answer: what it remembers of a world is what would be drawn again.
#[derive(Debug)]
pub struct Sight {
    /// Agent by agent and sensor by sensor, as in the world file.
    eyes: Vec<Vec<Eye>>,
    room: Room,
    scenery: Scenery<'static>,
    /// MuJoCo's take a walk over all objects; of the revision that they were found in.
    planes: Option<(u64, ClipPlanes)>,
}

#[derive(Debug)]
struct Eye {
    lens: Arc<Lens>,
    frame: Frame,
    points: Points,
}

/// Of `semantic_3d` and of `sensor_frame_data`, shared with the last answer.
pub type Points = [Arc<Vec<[f64; 4]>>; 2];

impl Eye {
    fn new(sensor: &SensorSpec) -> Self {
        Self { lens: Arc::new(Lens::new(sensor)), frame: Frame::default(), points: Points::default() }
    }

    /// Draws what the chosen modalities need, unless it is there.
    fn see<'w>(
        &mut self,
        look: &Look<'w>,
        chosen: Modalities,
        planes: &ClipPlanes,
        (scenery, room): (&mut Scenery<'w>, &mut Room),
        keep_going: &mut KeepGoing,
    ) -> Result<(), Abandoned> {
        let needs = Needs::of(chosen, look.sensor);
        let world_from_camera = look.agent.world_from_camera(look.sensor, look.world.compat());
        let subject = Subject::new(look.world.revision(), &world_from_camera, planes);
        if self.frame.shows(&subject, needs) {
            return Ok(());
        }
        self.frame.begin();
        let view = View::through(Arc::clone(&self.lens), look, std::mem::take(scenery), planes);
        view.draw(needs, &mut self.frame, room, keep_going)?;
        *scenery = view.into_scenery();
        self.frame.end(subject, needs);
        Ok(())
    }

    /// Images of many pixels are not kept.
    fn forget_large(&mut self, sensor: &SensorSpec) {
        if (sensor.width * sensor.height) as usize > MOST_KEPT_PIXELS {
            self.frame.forget();
            self.points = Points::default();
        }
    }
}

impl Sight {
    /// Of a world that nobody looked at yet.
    pub fn new(file: &WorldFile) -> Self {
        let of_agent = |sensors: &Vec<SensorSpec>| sensors.iter().map(Eye::new).collect();
        let eyes = file.agents.iter().map(|agent| of_agent(&agent.sensors)).collect();
        Self { eyes, room: Room::default(), scenery: Scenery::default(), planes: None }
    }

    /// How often images or centres were drawn: looks at the same from the same place share what was drawn.
    pub fn draws(&self) -> u64 {
        self.eyes.iter().flatten().map(|eye| eye.frame.draws).sum()
    }

    /// The memory for one round of looks at a world.
    pub fn scenery<'w>(&mut self) -> Scenery<'w> {
        Scenery::within(std::mem::take(&mut self.scenery))
    }

    pub fn reuse(&mut self, scenery: Scenery) {
        self.scenery = Scenery::within(scenery);
    }

    fn planes(&mut self, world: &World) -> ClipPlanes {
        let revision = world.revision();
        match self.planes {
            Some((known, planes)) if known == revision => planes,
            _ => self.planes.insert((revision, ClipPlanes::of(world))).1,
        }
    }

    /// One sensor's answer: a value for each of `chosen` that exists, in the order of `Modality`, in the memory of `values`; and
    /// what its filter remembers from now on.
    pub fn observe<'w>(
        &mut self,
        world: &'w World,
        [agent, sensor]: [usize; 2],
        chosen: Modalities,
        scenery: &mut Scenery<'w>,
        values: Vec<(Modality, Value)>,
        keep_going: &mut KeepGoing,
    ) -> Result<(SensorObservation, Option<LastPercept>), Abandoned> {
        let planes = self.planes(world);
        let look = Look::new(world, &world.agents()[agent], sensor);
        let eye = &mut self.eyes[agent][sensor];
        eye.see(&look, chosen, &planes, (scenery, &mut self.room), keep_going)?;
        let cloud = std::mem::take(&mut self.room.cloud);
        let percept = Percept::new(look, &eye.frame, chosen, cloud, keep_going)?;
        let last = look.agent.last_percept(sensor);
        let (values, remembered) =
            percept.answer(chosen, &eye.frame.images, (&mut eye.points, values), last, keep_going)?;
        self.room.cloud = percept.into_memory();
        eye.forget_large(look.sensor);
        Ok((SensorObservation { sensor_id: look.sensor.id.clone(), values }, remembered))
    }

    /// What one sensor sees as points after its own pipeline, whatever was asked for.
    pub fn points(
        &mut self,
        world: &World,
        [agent, sensor]: [usize; 2],
        keep_going: &mut KeepGoing,
    ) -> Result<PointCloud, Abandoned> {
        let (planes, mut scenery) = (self.planes(world), self.scenery());
        let look = Look::new(world, &world.agents()[agent], sensor);
        let eye = &mut self.eyes[agent][sensor];
        eye.see(&look, Modalities::POINTS, &planes, (&mut scenery, &mut self.room), keep_going)?;
        let mut cloud = std::mem::take(&mut self.room.cloud);
        fill_cloud(&mut cloud, &look, &eye.frame.images, keep_going)?;
        eye.forget_large(look.sensor);
        self.reuse(scenery);
        Ok(cloud)
    }
}
