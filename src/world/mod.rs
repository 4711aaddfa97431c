//! The state that ticks: agents, objects, and the rapier world that they stand in. Knows no bytes.

mod agent;
mod compat;
mod convex;
mod distractor;
mod episodes;
pub mod file;
mod kind;
mod library;
mod mesh;
mod object;
mod percept;
mod physics;
mod pipeline;
mod placing;
mod shape;
mod stock;
mod tessellation;

pub use agent::{Agent, SensorSpec};
pub use compat::{Compat, Distractors, Lighting, MissDepth, Preset, Word};
pub use episodes::{Cast, Episodes, Mode, Sampler};
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
pub use placing::{place, place_episode};
pub use shape::{Shape, Triangle};
pub use stock::Stock;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest::Digest;
use crate::protocol::{
    Abandoned, Action, AgentId, Code, Fault, KeepGoing, Note, ObjectId, Stopped, limits, listed, shown, suggestion,
};
use crate::rng::episode_seed;
use distractor::{chance_of, move_clear};
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
    /// How often its objects changed. No part of the state: it says what a picture of the world was drawn of.
    revision: u64,
    /// Memory for the agents of the next tick.
    spare: Vec<Agent>,
}

/// What a tick of a world changes in which no object moves by itself: enough to return to the state before it.
#[derive(Clone, Debug, Default)]
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
        Self {
            file,
            seed,
            episode,
            tick: 0,
            agents,
            agent_indices,
            objects,
            next_object,
            was_populated,
            physics,
            revision: 0,
            spare: Vec::new(),
        }
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

    /// Monty's seed of the episode; of the episode 0 of its mode `eval` in a world without episodes.
    pub fn episode_seed(&self) -> u32 {
        let mode = self.file.episodes.as_ref().map_or(Mode::Eval, |episodes| episodes.mode);
        episode_seed(self.seed, mode.word(), self.episode)
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

    /// Another number after each change of its objects.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Pairs of objects that touch or overlap, the lower id first, in order.
    pub fn contacts(&self, keep_going: &mut KeepGoing) -> Result<Vec<[ObjectId; 2]>, Abandoned> {
        physics::contacts(&self.objects, keep_going)
    }

    /// Applies the actions in order and advances by one tick; answers the state before it. The whole list is tried on a copy
    /// of the agents first: a fault changes nothing.
    pub fn tick(&mut self, actions: &[Action], notes: &mut Vec<Note>) -> Result<Checkpoint, Fault> {
        let mut agents = std::mem::take(&mut self.spare);
        agents.clone_from(&self.agents);
        self.act(&mut agents, actions, notes)?;
        let before = Checkpoint { tick: self.tick, agents: std::mem::replace(&mut self.agents, agents) };
        self.tick += 1;
        self.physics.tick(&self.agents);
        Ok(before)
    }

    /// Takes the memory of a state that nobody will return to.
    pub fn reuse(&mut self, checkpoint: Checkpoint) {
        self.spare = checkpoint.agents;
    }

    fn act(&self, agents: &mut [Agent], actions: &[Action], notes: &mut Vec<Note>) -> Result<(), Fault> {
        let mut skipped = 0;
        for (index, action) in actions.iter().enumerate() {
            let place = || format!("action {index}: {}", action.motion.name().word());
            let index = self.agent_index(&action.agent_id).map_err(|f| f.at(place()))?;
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
        Ok(())
    }

    /// Where an agent stands among the world's.
    pub fn agent_index(&self, id: &AgentId) -> Result<usize, Fault> {
        self.agent_indices.get(id).copied().ok_or_else(|| self.unknown_agent(id))
    }

    fn unknown_agent(&self, id: &AgentId) -> Fault {
        let known = || self.agents.iter().map(|a| a.id().as_str());
        let hint = suggestion(id.as_str(), known());
        let message =
            format!("the agent id is not known: {}; the agents are {}{hint}", shown(id.as_str()), listed(known()));
        Fault::new(Code::UnknownAgent, message)
    }

    /// One with a primary target is a distractor, and goes where it is clear of it, by the switch `distractors`.
    pub fn add_object(
        &mut self,
        spec: &ObjectSpec,
        primary_target: Option<u64>,
        stock: &mut Stock,
        keep_going: &mut KeepGoing,
    ) -> Result<&Object, Stopped> {
        let target = primary_target.map(|id| self.object(id)).transpose()?;
        let mut object = self.new_object(spec, stock)?;
        if let (Some(target), Distractors::Habitat) = (target, self.compat().distractors) {
            let mut chance = chance_of(&object, self.seed, self.episode);
            move_clear(&mut object, target, &self.objects, &mut chance, stock, keep_going)?;
        }
        self.physics.insert(&object);
        self.revision += 1;
        self.next_object += 1;
        self.was_populated = true;
        self.objects.push(object);
        Ok(&self.objects[self.objects.len() - 1])
    }

    fn object(&self, id: u64) -> Result<&Object, Fault> {
        let message = || format!("no object has the id {id} that primary_target_object names");
        let found = self.objects.iter().find(|object| u64::from(object.id.0) == id);
        found.ok_or_else(|| Fault::new(Code::UnknownObject, message()))
    }

    fn new_object(&self, spec: &ObjectSpec, stock: &mut Stock) -> Result<Object, Fault> {
        if self.objects.len() >= limits::MAX_OBJECTS {
            let most = limits::MAX_OBJECTS;
            return Err(Fault::new(
                Code::TooLarge,
                format!("the world already holds {most} objects; remove them first"),
            ));
        }
        placing::object(ObjectId(self.next_object), spec, &self.objects, self.compat(), stock)
    }

    /// Leaves an empty world, whose next object is number 0; the agents stay or return to their start, by the switch
    /// `remove_all_resets_agents`.
    pub fn remove_all_objects(&mut self) {
        if self.compat().remove_all_resets_agents {
            self.agents = agents_at_start(&self.file);
        }
        self.revision += 1;
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
        self.spare = std::mem::replace(&mut self.agents, checkpoint.agents);
        self.physics.place(&self.agents);
    }

    /// Feeds the whole state, in a fixed order.
    pub fn digest(&self, digest: &mut Digest) {
        digest.integer(self.seed);
        digest.integer(self.tick);
        // Chance depends on it.
        if self.file.has_noise() || self.episode > 0 {
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
