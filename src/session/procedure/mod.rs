//! Monty's positioning inside the peer: look, decide, tick, until a procedure has done its work.
//!
//! What a procedure decides follows from what it saw, where its agent was, its parameters and what it remembers: functions of
//! these alone, one file for each procedure. Here they get eyes, and their decisions become ticks. No look of its own is taken
//! at the start: a procedure sees the present state.

mod gaze;
mod good_view;
mod jump;
mod touch;
mod walk;

pub use gaze::{focus, look_at};
pub use good_view::{Choice, GoodView, MOVE_M, Sighting};
pub use jump::{is_something_near, jump_to};
pub use touch::TouchSearch;
pub use walk::{Course, Surface, SurfacePolicy};

use super::{Before, Outcome, Session};
use crate::math::{Rotation, UnitQuaternion, Vector};
use crate::protocol::{
    Abandoned, Action, ActionName, AgentId, AgentState, Answer, Code, Fault, KeepGoing, Motion, Procedure,
    ProcedureAnswer, RunProcedure, StepAnswer, limits, listed, shown, suggestion,
};
use crate::sensor::{self, ClipPlanes, PointCloud};
use crate::world::{Agent, Checkpoint, DepthClip, World};
use good_view::GoodViewSeeker;
use jump::Jumper;
use touch::Toucher;

/// Where an agent and its sensor are, by what is reported of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// World.
    pub agent_position: Vector,
    pub agent_rotation: UnitQuaternion,
    /// On the agent.
    pub sensor_position: Vector,
    pub sensor_rotation: UnitQuaternion,
}

impl Stance {
    pub fn new(agent: &AgentState, sensor: usize) -> Self {
        let unit = |wxyz| Rotation::as_given(wxyz).expect("a reported rotation is not zero").unit();
        let sensor = &agent.sensors[sensor];
        Self {
            agent_position: agent.position_m.into(),
            agent_rotation: unit(agent.rotation_wxyz),
            sensor_position: sensor.position_m.into(),
            sensor_rotation: unit(sensor.rotation_wxyz),
        }
    }
}

/// What a procedure wants after a look.
enum Decision {
    /// One tick with these.
    Act(Vec<Motion>),
    End(Ending),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Success,
    /// It gives up, and its moves stand.
    Truncated,
    /// What it was to look at is not in view: it is as if nothing had been done.
    Lost,
}

/// Why a procedure has no answer.
enum Stopped {
    Refused(Fault),
    Abandoned,
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Stopped::Refused(fault)
    }
}

impl From<Abandoned> for Stopped {
    fn from(Abandoned: Abandoned) -> Self {
        Stopped::Abandoned
    }
}

/// The sight of one agent's sensors.
struct Eyes<'w> {
    world: &'w World,
    agent: &'w Agent,
    /// The one that the request names.
    sensor: usize,
}

impl Eyes<'_> {
    fn look(&self, keep_going: &mut KeepGoing) -> Result<PointCloud, Abandoned> {
        self.look_through(self.sensor, keep_going)
    }

    fn look_through(&self, sensor: usize, keep_going: &mut KeepGoing) -> Result<PointCloud, Abandoned> {
        sensor::look(self.world, self.agent, sensor, &ClipPlanes::of(self.world), keep_going)
    }

    fn stance(&self) -> Stance {
        Stance::new(&self.agent.state(self.world.compat()), self.sensor)
    }
}

/// A procedure on its way.
enum Positioning {
    GoodView(GoodViewSeeker),
    Touch(Toucher),
    Jump(Jumper),
}

/// A procedure with the agent and the sensor that it runs on.
struct Run {
    agent: usize,
    sensor: usize,
    positioning: Positioning,
}

impl Run {
    fn new(request: &RunProcedure, world: &World) -> Result<Self, Fault> {
        let agent = world.agent_index(&request.agent_id)?;
        let sensor = sensor_index(&world.agents()[agent], request)?;
        check_actions(&world.agents()[agent], &request.procedure, world)?;
        let seed = request.rng_seed.unwrap_or_else(|| world.episode_seed());
        let positioning = match &request.procedure {
            Procedure::GetGoodView(parameters) => Positioning::GoodView(GoodViewSeeker::new(parameters)),
            Procedure::Touch(parameters) => Positioning::Touch(Toucher::new(parameters, seed)),
            Procedure::Jump(goal) => Positioning::Jump(Jumper::new(goal)),
        };
        Ok(Self { agent, sensor, positioning })
    }

    fn decide(&mut self, world: &World, keep_going: &mut KeepGoing) -> Result<Decision, Abandoned> {
        let eyes = Eyes { world, agent: &world.agents()[self.agent], sensor: self.sensor };
        match &mut self.positioning {
            Positioning::GoodView(seeker) => seeker.decide(&eyes, keep_going),
            Positioning::Touch(toucher) => toucher.decide(&eyes, keep_going),
            Positioning::Jump(jumper) => jumper.decide(&eyes, keep_going),
        }
    }
}

fn sensor_index(agent: &Agent, request: &RunProcedure) -> Result<usize, Fault> {
    let id = &request.sensor_id;
    let index = agent.sensors().iter().position(|sensor| sensor.id == *id).ok_or_else(|| {
        let known = || agent.sensors().iter().map(|sensor| sensor.id.as_str());
        let hint = suggestion(id.as_str(), known());
        let id = shown(id.as_str());
        let message = format!("the sensor id is not known: {id}; {} has {}{hint}", agent.id(), listed(known()));
        Fault::new(Code::UnknownSensor, message)
    })?;
    match request.procedure {
        Procedure::GetGoodView(_) => Ok(index),
        Procedure::Touch(_) | Procedure::Jump(_) => check_sees_far(agent, index).map(|()| index),
    }
}

/// A clipped sensor reads its clip where nothing is near, which looks like a surface.
fn check_sees_far(agent: &Agent, index: usize) -> Result<(), Fault> {
    let sensor = &agent.sensors()[index];
    let points = &sensor.pipeline.points;
    if points.depth_clip != DepthClip::This || points.clip_value_m >= jump::SIGHT_M {
        return Ok(());
    }
    let message = format!(
        "the sensor {} is clipped at {} m and reads that where nothing is; name one that is not, such as a view finder",
        sensor.id, points.clip_value_m
    );
    Err(Fault::new(Code::BadRequest, message))
}

/// Before anything moves: whether the agent has all that the procedure may do.
fn check_actions(agent: &Agent, procedure: &Procedure, world: &World) -> Result<(), Fault> {
    use ActionName::*;
    let needed: &[ActionName] = match procedure {
        Procedure::GetGoodView(parameters) if !parameters.allow_translation => &[LookDown, TurnLeft],
        Procedure::GetGoodView(_) => &[MoveForward, LookDown, TurnLeft],
        Procedure::Touch(_) => &[MoveForward, OrientHorizontal, OrientVertical],
        Procedure::Jump(_) => &[SetAgentPose, SetSensorRotation],
    };
    for action in needed {
        agent.skipped(*action, world.compat()).map_err(|fault| fault.at(action.word()))?;
    }
    Ok(())
}

impl Session {
    pub(super) fn run_procedure(&mut self, request: &RunProcedure, keep_going: &mut KeepGoing) -> Outcome {
        let before = self.world().checkpoint();
        let positioned = self.position(request, &before, keep_going);
        match &positioned {
            Ok(answer) if !answer.actions.is_empty() => self.before = Before::Tick(before),
            _ => self.world_mut().return_to(before),
        }
        let place = format!("run_procedure: {}", request.procedure.name().word());
        match positioned {
            Ok(answer) => Ok(Ok(Answer::Procedure(answer))),
            Err(Stopped::Refused(fault)) => Ok(Err(fault.at(place))),
            Err(Stopped::Abandoned) => Err(Abandoned),
        }
    }

    fn position(
        &mut self,
        request: &RunProcedure,
        before: &Checkpoint,
        keep_going: &mut KeepGoing,
    ) -> Result<ProcedureAnswer, Stopped> {
        let mut run = Run::new(request, self.world())?;
        let (mut actions, mut seen) = (Vec::new(), None);
        let ending = loop {
            match run.decide(self.world(), keep_going)? {
                Decision::End(ending) => break ending,
                Decision::Act(_) if actions.len() == limits::MAX_PROCEDURE_TICKS => break Ending::Truncated,
                Decision::Act(motions) => {
                    let of_tick = actions_of(&request.agent_id, motions);
                    let tick = actions.len();
                    let stepped = self.tick_of_procedure(&of_tick, keep_going);
                    seen = stepped.map_err(|stopped| at_tick(stopped, tick))?;
                    actions.push(of_tick);
                }
            }
        };
        if ending == Ending::Lost {
            self.world_mut().return_to(before.clone());
            (actions, seen) = (Vec::new(), None);
        }
        let answer = seen.map_or_else(|| self.look(keep_going), Ok)?;
        let (is_success, is_truncated) = (ending == Ending::Success, ending == Ending::Truncated);
        Ok(ProcedureAnswer { answer, actions, is_success, is_truncated })
    }

    /// As a step of these actions leaves the state. Only filters make the looks of such a step part of the state; then the
    /// answer is already there.
    fn tick_of_procedure(
        &mut self,
        actions: &[Action],
        keep_going: &mut KeepGoing,
    ) -> Result<Option<StepAnswer>, Stopped> {
        let mut notes = Vec::new();
        self.world_mut().tick(actions, &mut notes)?;
        for note in notes {
            // A procedure repeats itself; one note of a kind tells enough.
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        let is_looked_at = self.world().file().has_filter();
        Ok(is_looked_at.then(|| self.look(keep_going)).transpose()?)
    }
}

fn actions_of(agent_id: &AgentId, motions: Vec<Motion>) -> Vec<Action> {
    motions.into_iter().map(|motion| Action { agent_id: agent_id.clone(), motion }).collect()
}

fn at_tick(stopped: Stopped, tick: usize) -> Stopped {
    match stopped {
        Stopped::Refused(fault) => Stopped::Refused(fault.at(format_args!("tick {tick}"))),
        Stopped::Abandoned => Stopped::Abandoned,
    }
}
