//! The state that ticks: agents, objects, and the rapier world that they stand in. Knows no bytes.

mod agent;
mod compat;
mod episodes;
pub mod file;
mod kind;
mod library;
mod mesh;
mod object;
mod percept;
mod physics;
mod pipeline;
mod shape;
mod stock;
mod tessellation;

pub use agent::{Agent, SensorSpec};
pub use compat::{Compat, Distractors, Lighting, MissDepth, Preset, Word};
pub use episodes::{Episodes, Mode, Sampler};
pub use file::{AgentSpec, ObjectSpec, Problem, WorldFile};
pub use kind::AgentKind;
pub use library::{SHIPPED_WORLDS, ShippedWorld, shipped_world};
pub use mesh::MeshShape;
pub use object::{Object, known_objects};
pub use percept::{
    FILTERED_FEATURES, FeatureChange, FeatureNoise, LastPercept, NOISY_FEATURES, PerceptSpec, SurfaceNormalMethod,
};
pub use physics::PHYSICS_VERSION;
pub use pipeline::{DepthClip, DepthTo3DLocations, Pipeline, Transform};
pub use shape::{Shape, Triangle};
pub use stock::Stock;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest::Digest;
use crate::protocol::{
    Abandoned, Action, AgentId, Code, Fault, KeepGoing, Note, ObjectId, limits, listed, shown, suggestion,
};
use physics::Physics;

/// The world between two ticks.
///
/// Inputs: `tick`, `add_object`, `remove_all_objects`. Outputs: the getters. Undo: `checkpoint` and `return_to`.
#[derive(Debug)]
pub struct World {
    file: Arc<WorldFile>,
    seed: u64,
    episode: u64,
    tick: u64,
    agents: Vec<Agent>,
    agent_indices: BTreeMap<AgentId, usize>,
    objects: Vec<Object>,
    /// Number of the next object: how many were added since the world was last empty.
    next_object: u32,
    /// Whether it ever held an object: MuJoCo's far plane is another one until then.
    was_populated: bool,
    physics: Physics,
}

/// What a tick of a world changes in which no object moves by itself: enough to return to the state before it.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    tick: u64,
    agents: Vec<Agent>,
}

impl World {
    /// A new world with its agents at their start and the objects where they stand.
    pub fn new(file: Arc<WorldFile>, seed: u64, episode: u64, objects: Vec<Object>, was_populated: bool) -> Self {
        let agents = agents_at_start(&file);
        let agent_indices = agents.iter().zip(0..).map(|(agent, index)| (agent.id().clone(), index)).collect();
        let physics = Physics::new(file.tick_s, &agents, &objects);
        let next_object = objects.last().map_or(0, |o| o.id.0 + 1);
        let was_populated = was_populated || !objects.is_empty();
        Self { file, seed, episode, tick: 0, agents, agent_indices, objects, next_object, was_populated, physics }
    }

    /// The objects of these specs, numbered in their order.
    pub fn place<'s>(
        specs: impl IntoIterator<Item = &'s ObjectSpec>,
        compat: &Compat,
        stock: &mut Stock,
    ) -> Result<Vec<Object>, Fault> {
        let mut placed: Vec<Object> = Vec::new();
        for (spec, id) in specs.into_iter().zip(0..) {
            let twin = placed.iter().find(|object| object.is_twin_of(spec));
            placed.push(Object::new(ObjectId(id), spec, twin, compat, stock)?);
        }
        Ok(placed)
    }

    pub fn file(&self) -> &WorldFile {
        &self.file
    }

    pub fn compat(&self) -> &Compat {
        &self.file.compat
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Its index; 0 in a world without episodes.
    pub fn episode(&self) -> u64 {
        self.episode
    }

    pub fn ticks(&self) -> u64 {
        self.tick
    }

    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    pub fn was_populated(&self) -> bool {
        self.was_populated
    }

    /// Pairs of objects that touch or overlap, the lower id first, in order.
    pub fn contacts(&self, keep_going: &mut KeepGoing) -> Result<Vec<[ObjectId; 2]>, Abandoned> {
        physics::contacts(&self.objects, keep_going)
    }

    /// Applies the actions in order and advances by one tick. The whole list is tried on a copy of the agents first: a
    /// fault changes nothing.
    pub fn tick(&mut self, actions: &[Action], notes: &mut Vec<Note>) -> Result<(), Fault> {
        let agents = self.agents_after(actions, notes)?;
        self.agents = agents;
        self.tick += 1;
        self.physics.tick(&self.agents);
        Ok(())
    }

    fn agents_after(&self, actions: &[Action], notes: &mut Vec<Note>) -> Result<Vec<Agent>, Fault> {
        let mut agents = self.agents.clone();
        let mut skipped = 0;
        for (index, action) in actions.iter().enumerate() {
            let place = || format!("action {index}: {}", action.motion.name().word());
            let index = self.agent_indices.get(&action.agent_id);
            let index = *index.ok_or_else(|| self.unknown_agent(&action.agent_id).at(place()))?;
            let done = agents[index].apply(&action.motion, self.compat()).map_err(|f| f.at(place()))?;
            if let Some(why) = done {
                skipped += 1;
                if skipped <= MOST_SKIPPED_TOLD {
                    notes.push(Note::warning(format!("{}: {why}", place())));
                }
            }
        }
        if skipped > MOST_SKIPPED_TOLD {
            notes
                .push(Note::warning(format!("{} more actions of this step were skipped", skipped - MOST_SKIPPED_TOLD)));
        }
        Ok(agents)
    }

    fn unknown_agent(&self, id: &AgentId) -> Fault {
        let known = || self.agents.iter().map(|a| a.id().as_str());
        let hint = suggestion(id.as_str(), known());
        let message =
            format!("the agent id is not known: {}; the agents are {}{hint}", shown(id.as_str()), listed(known()));
        Fault::new(Code::UnknownAgent, message)
    }

    pub fn add_object(&mut self, spec: &ObjectSpec, stock: &mut Stock) -> Result<&Object, Fault> {
        if self.objects.len() >= limits::MAX_OBJECTS {
            let most = limits::MAX_OBJECTS;
            return Err(Fault::new(
                Code::TooLarge,
                format!("the world already holds {most} objects; remove them first"),
            ));
        }
        let twin = self.objects.iter().find(|object| object.is_twin_of(spec));
        let object = Object::new(ObjectId(self.next_object), spec, twin, &self.file.compat, stock)?;
        self.physics.insert(&object);
        self.next_object += 1;
        self.was_populated = true;
        self.objects.push(object);
        Ok(&self.objects[self.objects.len() - 1])
    }

    /// Leaves an empty world, whose next object is number 0; the agents stay or return to their start, by the switch
    /// `remove_all_resets_agents`.
    pub fn remove_all_objects(&mut self) {
        if self.compat().remove_all_resets_agents {
            self.agents = agents_at_start(&self.file);
        }
        self.objects.clear();
        self.next_object = 0;
        self.physics = Physics::new(self.file.tick_s, &self.agents, &[]);
    }

    /// Keeps what the filter of one sensor remembers.
    pub fn remember(&mut self, agent: usize, sensor: usize, last: Option<LastPercept>) {
        self.agents[agent].remember(sensor, last);
    }

    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { tick: self.tick, agents: self.agents.clone() }
    }

    /// Back to the state before a tick.
    pub fn return_to(&mut self, checkpoint: Checkpoint) {
        self.tick = checkpoint.tick;
        self.agents = checkpoint.agents;
        self.physics.place(&self.agents);
    }

    /// Feeds the whole state, in a fixed order.
    pub fn digest(&self, digest: &mut Digest) {
        digest.integer(self.seed);
        digest.integer(self.tick);
        if self.file.has_noise() {
            digest.integer(self.episode);
        }
        digest.integer(self.agents.len() as u64);
        for agent in &self.agents {
            agent.digest(digest);
        }
        digest.integer(self.next_object.into());
        digest.integer(self.was_populated.into());
        digest.integer(self.objects.len() as u64);
        for object in &self.objects {
            object.digest(digest);
        }
    }
}

/// Skipped actions of one step that are told one by one.
const MOST_SKIPPED_TOLD: usize = 10;

fn agents_at_start(file: &WorldFile) -> Vec<Agent> {
    file.agents.iter().map(|spec| Agent::at_start(spec, &file.compat)).collect()
}
