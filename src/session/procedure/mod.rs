//! Monty's positioning inside the peer: look, decide, tick, until a procedure has done its work.
//!
//! What a procedure decides follows from what it saw, where its agent was, its parameters and what it remembers: functions of
//! these alone, one file for each procedure. Here they get eyes, and their decisions become ticks. No look of its own is taken
//! at the start: a procedure sees the present state.

mod gaze;
mod good_view;
mod jump;
mod run;
mod touch;
mod walk;

pub use gaze::{focus, look_at};
pub use good_view::{Choice, GoodView, MOVE_M, Sighting};
pub use jump::{is_something_near, jump_to};
pub use touch::TouchSearch;
pub use walk::{Course, Surface, SurfacePolicy};

use super::{ADMITTED, Before, Outcome, Session, State};
use crate::math::{Rotation, UnitQuaternion, Vector};
use crate::protocol::{
    Action, AgentId, AgentState, Answer, KeepGoing, Motion, ProcedureAnswer, RunProcedure, StepAnswer, Stopped, limits,
};
use crate::world::Checkpoint;
use run::Run;

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
            Err(stopped) => Ok(Err(stopped.fault()?.at(place))),
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
            let State { world, sight, .. } = &mut self.state;
            match run.decide(world.as_ref().expect(ADMITTED), sight, keep_going)? {
                Decision::End(ending) => break ending,
                Decision::Act(_) if actions.len() == limits::MAX_PROCEDURE_TICKS => break Ending::Truncated,
                Decision::Act(motions) => {
                    let of_tick = actions_of(&request.agent_id, motions);
                    let tick = actions.len();
                    let stepped = self.tick_of_procedure(&of_tick, keep_going);
                    seen = stepped.map_err(|stopped| stopped.at(format_args!("tick {tick}")))?;
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
        let before = self.world_mut().tick(actions, &mut notes)?;
        self.world_mut().reuse(before);
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
