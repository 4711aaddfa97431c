//! The parts of a step's work between reading and writing, each by itself: the tick, and for each sensor what its pixels see,
//! their colours, and the percept.

use super::times::{Times, for_rounds, timed};
use saccade::protocol::{Action, Command, Modalities, Modality};
use saccade::sensor::{ClipPlanes, Sight, View};
use saccade::wire::read_request;
use saccade::world::{Agent, SensorSpec, World};

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
    /// One that sees colours and one that sees percepts, since none draws a view again that it has just seen.
    sights: [Sight; 2],
    pub visibility: Times,
    pub shading: Times,
    pub percept: Times,
}

pub fn time_sensing(mut world: World, bodies: &[String], seconds: f64) -> SensingTimes {
    let steps: Vec<Vec<Action>> = bodies.iter().map(|body| actions(body)).collect();
    let mut times = SensingTimes { tick: Times::default(), sensors: sensors(&world) };
    for_rounds(seconds, |number| {
        let (ticked, us) = timed(|| world.tick(&steps[number % steps.len()], &mut Vec::new()));
        ticked.expect("a turn to and fro is always possible");
        times.tick.add(us);
        times.sensors.iter_mut().for_each(|sensor| sensor.add_round(&world));
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
            .map(|(sensor, spec)| {
                let sights = [Sight::new(world.file()), Sight::new(world.file())];
                SensorTimes::new([index, sensor], name(agent, spec), sights)
            })
            .collect::<Vec<_>>()
    };
    agents.flat_map(of_agent).collect()
}

fn name(agent: &Agent, sensor: &SensorSpec) -> String {
    format!("{} {} {}×{}", agent.id(), sensor.id, sensor.width, sensor.height)
}

impl SensorTimes {
    fn new(place: [usize; 2], name: String, sights: [Sight; 2]) -> Self {
        let [visibility, shading, percept] = Default::default();
        Self { name, place, sights, visibility, shading, percept }
    }

    /// Colours and percept need what the pixels see, whose time is taken off theirs.
    fn add_round(&mut self, world: &World) {
        let [agent, sensor] = self.place;
        let (agent, planes) = (&world.agents()[agent], ClipPlanes::of(world));
        let spec = &agent.sensors()[sensor];
        let view = || View::new(world, agent, spec, &planes);
        let colours = Modalities::from_word(Modality::Rgba.word()).expect("it is a modality");
        let ((), seen_us) = timed(|| look(&view()));
        let place = self.place;
        let [coloured_us, derived_us] = [(0, colours), (1, Modalities::PERCEPT)].map(|(sight, chosen)| {
            let sight = &mut self.sights[sight];
            // As from step to step, in the memory of the last look.
            let ((), us) = timed(|| {
                let mut scenery = sight.scenery();
                let seen = sight.observe(world, place, chosen, &mut scenery, Vec::new(), &mut || true);
                std::hint::black_box(seen.expect("nobody says no"));
                sight.reuse(scenery);
            });
            us
        });
        self.visibility.add(seen_us);
        self.shading.add((coloured_us - seen_us).max(0.0));
        self.percept.add((derived_us - seen_us).max(0.0));
    }
}

fn look(view: &View) {
    for band in view.bands() {
        std::hint::black_box(view.look(band, &mut || true).expect("nobody says no"));
    }
}
