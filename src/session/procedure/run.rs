//! A procedure on its way: what is checked before anything moves, its eyes, and its next decision.

use super::good_view::GoodViewSeeker;
use super::jump::{self, Jumper};
use super::touch::Toucher;
use super::{Decision, Stance};
use crate::protocol::{
    Abandoned, ActionName, Code, Fault, KeepGoing, Procedure, RunProcedure, listed, shown, suggestion,
};
use crate::sensor::{PointCloud, Sight};
use crate::world::{Agent, DepthClip, World};

/// The sight of one agent's sensors.
pub(super) struct Eyes<'w> {
    world: &'w World,
    sight: &'w mut Sight,
    agent: usize,
    /// The one that the request names.
    sensor: usize,
}

impl Eyes<'_> {
    pub(super) fn look(&mut self, keep_going: &mut KeepGoing) -> Result<PointCloud, Abandoned> {
        self.look_through(self.sensor, keep_going)
    }

    pub(super) fn look_through(&mut self, sensor: usize, keep_going: &mut KeepGoing) -> Result<PointCloud, Abandoned> {
        self.sight.points(self.world, [self.agent, sensor], keep_going)
    }

    pub(super) fn stance(&self) -> Stance {
        Stance::new(&self.world.agents()[self.agent].state(self.world.compat()), self.sensor)
    }
}

/// A procedure on its way.
enum Positioning {
    GoodView(GoodViewSeeker),
    Touch(Box<Toucher>),
    Jump(Jumper),
}

/// A procedure with the agent and the sensor that it runs on.
pub(super) struct Run {
    agent: usize,
    sensor: usize,
    positioning: Positioning,
}

impl Run {
    pub(super) fn new(request: &RunProcedure, world: &World) -> Result<Self, Fault> {
        let agent = world.agent_index(&request.agent_id)?;
        let sensor = sensor_index(&world.agents()[agent], request)?;
        check_actions(&world.agents()[agent], &request.procedure, world)?;
        let seed = request.rng_seed.unwrap_or_else(|| world.episode_seed());
        let positioning = match &request.procedure {
            Procedure::GetGoodView(parameters) => Positioning::GoodView(GoodViewSeeker::new(parameters)),
            Procedure::Touch(parameters) => Positioning::Touch(Box::new(Toucher::new(parameters, seed))),
            Procedure::Jump(goal) => Positioning::Jump(Jumper::new(goal)),
        };
        Ok(Self { agent, sensor, positioning })
    }

    pub(super) fn decide(
        &mut self,
        world: &World,
        sight: &mut Sight,
        keep_going: &mut KeepGoing,
    ) -> Result<Decision, Abandoned> {
        let mut eyes = Eyes { world, sight, agent: self.agent, sensor: self.sensor };
        match &mut self.positioning {
            Positioning::GoodView(seeker) => seeker.decide(&mut eyes, keep_going),
            Positioning::Touch(toucher) => toucher.decide(&mut eyes, keep_going),
            Positioning::Jump(jumper) => jumper.decide(&mut eyes, keep_going),
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
