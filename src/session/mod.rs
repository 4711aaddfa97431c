//! Request to reply: phases, what is observed, and the state that a failed request leaves alone.

mod describe;
mod phase;
pub mod procedure;
mod settings;
mod spare;

use std::sync::Arc;

use crate::assets::Source;
use crate::digest::Digest;
use crate::protocol::{
    Abandoned, AddObject, AddedObject, AgentObservations, Answer, Code, Command, EpisodeAnswer, Fault, KeepGoing, Note,
    Reply, Request, Reset, SemanticId, Step, StepAnswer, Stopped, limits,
};
use crate::sensor::Sight;
use crate::world::file::DEFAULT_COLOR;
use crate::world::{self, Agent, Checkpoint, Object, ObjectSpec, Stock, World, WorldFile};
use phase::Phase;
pub use settings::Overrides;
use settings::Settings;
use spare::Spare;

/// One client's conversation with one world.
///
/// Inputs: `handle`, and `take_back` for a reply that never left. Outputs: replies, `take_notes`, `is_closed`.
#[derive(Debug)]
pub struct Session {
    file: Arc<WorldFile>,
    stock: Stock,
    overrides: Overrides,
    max_frame_bytes: u32,
    phase: Phase,
    state: State,
    before: Before,
    notes: Vec<Note>,
    spare: Spare,
}

/// What a request may change.
#[derive(Debug)]
struct State {
    /// `None` until the first reset; the objects wait in `standing`.
    world: Option<World>,
    /// Of this world.
    sight: Sight,
    /// The objects that the next reset places in a world that has none yet.
    standing: Vec<Object>,
    settings: Settings,
    /// What the next reset plays, in a world with episodes.
    next_episode: u64,
}

/// How to return to the state before the last request.
#[derive(Debug)]
enum Before {
    Same,
    Tick(Checkpoint),
    State(Box<State>, Phase),
}

/// What the core has to say when `keep_going` said no.
type Outcome = Result<Result<Answer, Fault>, Abandoned>;

impl Session {
    /// A session before its first reset. A world whose longest reply would pass the limit is refused.
    pub fn new(
        file: Arc<WorldFile>,
        source: Arc<dyn Source>,
        overrides: Overrides,
        max_frame_bytes: u32,
    ) -> Result<Self, Fault> {
        let settings = Settings::new(&file, &overrides, &Reset::default())?;
        let mut stock = Stock::new(source, file.data.as_ref());
        let standing = world::place(&file.objects, &file.compat, &mut stock)?;
        let mut notes = stock.take_notes();
        notes.extend(file.episodes.iter().flat_map(|episodes| episodes.shared_labels(&standing)));
        notes.extend(standing.iter().find_map(|object| object.background_note(&file)));
        let sight = Sight::new(&file);
        let state = State { world: None, sight, standing, settings, next_episode: 0 };
        let phase = Phase::Waiting;
        Ok(Self {
            file,
            stock,
            overrides,
            max_frame_bytes,
            phase,
            state,
            before: Before::Same,
            notes,
            spare: Spare::default(),
        })
    }

    /// Answers one request. A no from `keep_going` abandons it; a fault, too, leaves the state as it was.
    pub fn handle(&mut self, request: Request, keep_going: &mut KeepGoing) -> Result<Reply, Abandoned> {
        self.forget_before();
        let Request { id, command } = request;
        if let Err(fault) = self.phase.admit(command.name()) {
            return Ok(Reply { id: Some(id), outcome: Err(fault) });
        }
        let outcome = match command {
            Command::Reset(reset) => self.reset(&reset, keep_going),
            Command::Step(step) => self.step(&step, keep_going),
            Command::Describe { world } => Ok(Ok(self.describe(world))),
            Command::Digest => Ok(Ok(self.digest())),
            Command::AddObject(object) => self.add_object(&object, keep_going),
            Command::RemoveAllObjects => Ok(Ok(self.remove_all_objects())),
            Command::RunProcedure(procedure) => self.run_procedure(&procedure, keep_going),
            Command::Close => Ok(Ok(self.close())),
        };
        Ok(Reply { id: Some(id), outcome: outcome? })
    }

    /// Takes a reply that was written: its memory serves the next one.
    pub fn reuse(&mut self, reply: Reply) {
        self.spare.reuse(reply);
    }

    /// Nobody returns to the state before the last request any more.
    fn forget_before(&mut self) {
        let before = std::mem::replace(&mut self.before, Before::Same);
        if let (Before::Tick(checkpoint), Some(world)) = (before, &mut self.state.world) {
            world.reuse(checkpoint);
        }
    }

    /// Undoes the last request, whose reply did not reach anybody.
    pub fn take_back(&mut self) {
        match std::mem::replace(&mut self.before, Before::Same) {
            Before::Same => {}
            Before::Tick(checkpoint) => self.world_mut().return_to(checkpoint),
            Before::State(state, phase) => {
                self.state = *state;
                self.phase = phase;
            }
        }
    }

    /// After a broken assertion of ours: only a reset leads on.
    pub fn mark_broken(&mut self) {
        self.phase = Phase::Broken;
    }

    /// How often a sensor's images or centre were drawn since the last reset.
    pub fn draws(&self) -> u64 {
        self.state.sight.draws()
    }

    /// As the last request left it, after a reset.
    pub fn into_world(self) -> World {
        self.state.world.expect(ADMITTED)
    }

    pub fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// What people should hear of the last requests.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    fn reset(&mut self, reset: &Reset, keep_going: &mut KeepGoing) -> Outcome {
        let (mut next, episode) = match self.state_after_reset(reset, keep_going) {
            Ok(next) => next,
            Err(stopped) => return Ok(Err(stopped.fault()?)),
        };
        let world = next.world.as_mut().expect("a reset builds a world");
        let answer = observe(world, &mut next.sight, &next.settings, &mut self.spare, keep_going)?;
        let before = std::mem::replace(&mut self.state, next);
        self.before = Before::State(Box::new(before), self.phase);
        self.phase = Phase::Running;
        Ok(Ok(Answer::Reset(answer, episode)))
    }

    fn state_after_reset(
        &mut self,
        reset: &Reset,
        keep_going: &mut KeepGoing,
    ) -> Result<(State, Option<EpisodeAnswer>), Stopped> {
        let settings = Settings::new(&self.file, &self.overrides, reset)?;
        let (objects, episode) = match (&self.file.episodes, reset.episode) {
            (None, Some(_)) => {
                let message = "reset: this world has no episodes; leave the key episode out";
                return Err(Fault::new(Code::BadRequest, message).into());
            }
            (None, None) => (self.standing_objects().to_vec(), None),
            (Some(episodes), chosen) => {
                let index = chosen.unwrap_or(self.state.next_episode);
                let (cast, answer) = episodes.play(index, settings.seed);
                let file = &self.file;
                let placed = world::place_episode(&cast, &file.objects, &file.compat, &mut self.stock, keep_going);
                self.notes.append(&mut self.stock.take_notes());
                let placed = placed.map_err(|stopped| stopped.at(format!("episode {index}")))?;
                self.notes.extend(placed[1..=cast.distractors.len()].iter().map(placed_note));
                (placed, Some(answer))
            }
        };
        let index = episode.as_ref().map_or(0, |episode: &EpisodeAnswer| episode.index);
        let was_populated = self.state.world.as_ref().is_some_and(World::was_populated);
        let world = World::new(Arc::clone(&self.file), settings.seed, index, objects, was_populated);
        let next_episode = episode.as_ref().map_or(0, |episode| (episode.index + 1).min(limits::MAX_SEED));
        let sight = Sight::new(&self.file);
        Ok((State { world: Some(world), sight, standing: Vec::new(), settings, next_episode }, episode))
    }

    fn standing_objects(&self) -> &[Object] {
        self.state.world.as_ref().map_or(&*self.state.standing, World::objects)
    }

    fn step(&mut self, step: &Step, keep_going: &mut KeepGoing) -> Outcome {
        let world = self.state.world.as_mut().expect(ADMITTED);
        let mut notes = Vec::new();
        let checkpoint = match world.tick(&step.actions, &mut notes) {
            Ok(checkpoint) => checkpoint,
            Err(fault) => return Ok(Err(fault.at("step"))),
        };
        self.notes.append(&mut notes);
        match self.look(keep_going) {
            Ok(answer) => {
                self.before = Before::Tick(checkpoint);
                Ok(Ok(Answer::Step(answer)))
            }
            Err(abandoned) => {
                self.world_mut().return_to(checkpoint);
                Err(abandoned)
            }
        }
    }

    /// What is seen and felt now, with the extras that were asked for.
    fn look(&mut self, keep_going: &mut KeepGoing) -> Result<StepAnswer, Abandoned> {
        let State { world, sight, settings, .. } = &mut self.state;
        let world = world.as_mut().expect(ADMITTED);
        let mut answer = observe(world, sight, settings, &mut self.spare, keep_going)?;
        answer.tick = settings.extras.tick.then(|| world.ticks());
        if settings.extras.contacts {
            answer.contacts = Some(world.contacts(keep_going)?);
        }
        Ok(answer)
    }

    fn describe(&self, with_world: bool) -> Answer {
        Answer::Describe(Box::new(describe::describe(
            &self.file,
            &self.stock,
            &self.state.settings,
            self.max_frame_bytes,
            with_world,
        )))
    }

    fn digest(&self) -> Answer {
        let mut digest = Digest::new();
        self.world().digest(&mut digest);
        Answer::Digest(digest.finish())
    }

    fn add_object(&mut self, object: &AddObject, keep_going: &mut KeepGoing) -> Outcome {
        let (spec, target) = (self.object_spec(object), object.primary_target_object);
        let world = self.state.world.as_mut().expect(ADMITTED);
        let added = world.add_object(&spec, target, &mut self.stock, keep_going);
        self.notes.append(&mut self.stock.take_notes());
        match added {
            Ok(added) => {
                self.notes.extend(target.map(|_| placed_note(added)));
                self.notes.extend(added.background_note(&self.file));
                Ok(Ok(Answer::Added(AddedObject { object_id: added.id, semantic_id: added.semantic_id })))
            }
            Err(stopped) => Ok(Err(stopped.fault()?.at("add_object"))),
        }
    }

    fn object_spec(&self, object: &AddObject) -> ObjectSpec {
        let rotation = self.file.compat.quaternions.read(object.rotation_wxyz);
        ObjectSpec {
            name: object.name.clone(),
            file: object.file.clone(),
            position: object.position_m.into(),
            rotation: rotation.expect("the wire refuses a zero quaternion"),
            scale: object.scale.into(),
            semantic_id: object.semantic_id.map(|id| SemanticId(id as u32)),
            color: DEFAULT_COLOR,
        }
    }

    fn remove_all_objects(&mut self) -> Answer {
        self.world_mut().remove_all_objects();
        Answer::Done
    }

    fn close(&mut self) -> Answer {
        self.phase = Phase::Closed;
        Answer::Done
    }

    fn world(&self) -> &World {
        self.state.world.as_ref().expect(ADMITTED)
    }

    fn world_mut(&mut self) -> &mut World {
        self.state.world.as_mut().expect(ADMITTED)
    }
}

const ADMITTED: &str = "the phase admits this command only after a reset";

/// Where a distractor went: the reply has no word for it.
fn placed_note(object: &Object) -> Note {
    let [x, y, z]: [f64; 3] = object.spec.position.into();
    Note::detail(format!("object {} ({}) stands at [{x}, {y}, {z}]", object.id.0, object.spec.name))
}

/// What the observed sensors see and where all agents are. Their filters remember it.
fn observe(
    world: &mut World,
    sight: &mut Sight,
    settings: &Settings,
    spare: &mut Spare,
    keep_going: &mut KeepGoing,
) -> Result<StepAnswer, Abandoned> {
    let mut observations = spare.observations.take();
    let mut memories = spare.memories.take();
    let mut scenery = sight.scenery();
    for ((index, agent), modalities) in (0..).zip(world.agents()).zip(&settings.modalities) {
        if !keep_going() {
            return Err(Abandoned);
        }
        let mut sensors = spare.sensors.take();
        for (sensor, chosen) in modalities.iter().enumerate() {
            if let Some(chosen) = chosen {
                let place = [index, sensor];
                let values = spare.values.take();
                let (observation, remembered) =
                    sight.observe(world, place, *chosen, &mut scenery, values, keep_going)?;
                sensors.push(observation);
                memories.push((place, remembered));
            }
        }
        observations.push(AgentObservations { agent_id: agent.id().clone(), sensors });
    }
    sight.reuse(scenery);
    memories.drain(..).for_each(|([agent, sensor], last)| world.remember(agent, sensor, last));
    spare.memories.give(memories);
    let mut proprioceptive_state = spare.states.take();
    let state = |agent: &Agent| agent.state_in(spare.poses.take(), world.compat());
    proprioceptive_state.extend(world.agents().iter().map(state));
    let encoding = settings.encoding;
    Ok(StepAnswer { observations, proprioceptive_state, encoding, tick: None, contacts: None })
}
