//! The parts of a step's work between reading and writing, each by itself: the tick, and for each sensor what its pixels see,
//! their colours, and the percept.

use std::sync::Arc;

use super::times::{Times, for_rounds, timed};
use saccade::assets::Source;
use saccade::protocol::{Action, Command, EpisodeAnswer, Fault, Modalities, Modality, Stopped};
use saccade::sensor::{ClipPlanes, Rectangle, Sight, View};
use saccade::wire::read_request;
use saccade::world::{Agent, SensorSpec, Stock, World, WorldFile, place, place_episode};

#[derive(Debug)]
pub struct SensingTimes {
    pub tick: Times,
    pub sensors: Vec<SensorTimes>,
}

#[derive(Debug)]
pub struct SensorTimes {
    /// Its agent, itself, its resolution.
    pub name: String,
    place: [usize; 2],
    sight: Sight,
    pub visibility: Times,
    pub shading: Times,
    pub percept: Times,
}

/// The world as a session builds it at a reset that answered so.
pub fn build(
    file: &Arc<WorldFile>,
    seed: u64,
    source: Arc<dyn Source>,
    played: Option<&EpisodeAnswer>,
) -> Result<World, Fault> {
    let mut stock = Stock::new(source, file.data.as_ref());
    let index = played.map_or(0, |played| played.index);
    let objects = match &file.episodes {
        None => place(&file.objects, &file.compat, &mut stock)?,
        Some(episodes) => {
            let (cast, _) = episodes.play(index, seed);
            place_episode(&cast, &file.objects, &file.compat, &mut stock, &mut || true).map_err(fault)?
        }
    };
    Ok(World::new(Arc::clone(file), seed, index, objects, false))
}

fn fault(stopped: Stopped) -> Fault {
    stopped.fault().expect("nobody says no")
}

pub fn time_sensing(world: &mut World, bodies: &[String; 2], seconds: f64) -> SensingTimes {
    let steps = bodies.each_ref().map(|body| actions(body));
    let mut times = SensingTimes { tick: Times::default(), sensors: sensors(world) };
    for_rounds(seconds, |number| {
        let (ticked, us) = timed(|| world.tick(&steps[number % 2], &mut Vec::new()));
        ticked.expect("a turn there and back is always possible");
        times.tick.add(us);
        times.sensors.iter_mut().for_each(|sensor| sensor.add_round(world));
    });
    times
}

fn actions(body: &str) -> Vec<Action> {
    match read_request(body.as_bytes()).command {
        Ok(Command::Step(step)) => step.actions.into_vec(),
        other => unreachable!("our own request is a step, not {other:?}"),
    }
}

fn sensors(world: &World) -> Vec<SensorTimes> {
    let agents = world.agents().iter().enumerate();
    let of_agent = |(index, agent): (usize, &Agent)| {
        let sensors = agent.sensors().iter().enumerate();
        sensors
            .map(|(sensor, spec)| SensorTimes::new([index, sensor], name(agent, spec), Sight::new(world.file())))
            .collect::<Vec<_>>()
    };
    agents.flat_map(of_agent).collect()
}

fn name(agent: &Agent, sensor: &SensorSpec) -> String {
    format!("{} {} {}×{}", agent.id(), sensor.id, sensor.width, sensor.height)
}

impl SensorTimes {
    fn new(place: [usize; 2], name: String, sight: Sight) -> Self {
        let [visibility, shading, percept] = Default::default();
        Self { name, place, sight, visibility, shading, percept }
    }

    /// Colours and percept need what the pixels see, whose time is taken off theirs.
    fn add_round(&mut self, world: &World) {
        let [agent, sensor] = self.place;
        let (agent, planes) = (&world.agents()[agent], ClipPlanes::of(world));
        let spec = &agent.sensors()[sensor];
        let view = || View::new(world, agent, spec, &planes);
        let colours = Modalities::from_word(Modality::Rgba.word()).expect("it is a modality");
        let ((), seen_us) = timed(|| look(&view(), spec));
        let (_, coloured_us) = timed(|| view().render(colours, &mut || true));
        let (_, derived_us) = timed(|| {
            let (place, mut scenery) = (self.place, self.sight.scenery());
            self.sight.observe(world, place, Modalities::PERCEPT, &mut scenery, Vec::new(), &mut || true)
        });
        self.visibility.add(seen_us);
        self.shading.add((coloured_us - seen_us).max(0.0));
        self.percept.add((derived_us - seen_us).max(0.0));
    }
}

/// All pixels, some rows at a time: what a whole large image sees would not fit into a cache.
fn look(view: &View, sensor: &SensorSpec) {
    const MOST_PIXELS: u32 = 1 << 16;
    let (width, height) = (sensor.width, sensor.height);
    let step = (MOST_PIXELS / width).max(1);
    for first in (0..height).step_by(step as usize) {
        let last = height.min(first + step) - 1;
        let rows = Rectangle { columns: [0, width as i32 - 1], rows: [first as i32, last as i32] };
        std::hint::black_box(view.look(rows, &mut || true).expect("nobody says no"));
    }
}
