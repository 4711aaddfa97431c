//! Lists of answers that were written: their memory serves the next answer.

use crate::protocol::{
    AgentObservations, AgentState, Answer, Modality, Reply, SensorObservation, SensorState, StepAnswer, Value,
};
use crate::world::LastPercept;

/// One list of each kind for every one that an answer of this session's world holds.
#[derive(Debug, Default)]
pub(super) struct Spare {
    pub(super) observations: Pool<AgentObservations>,
    pub(super) sensors: Pool<SensorObservation>,
    pub(super) values: Pool<(Modality, Value)>,
    pub(super) states: Pool<AgentState>,
    pub(super) poses: Pool<SensorState>,
    /// What filters remember, until the whole answer is there.
    pub(super) memories: Pool<([usize; 2], Option<LastPercept>)>,
}

/// Empty lists.
#[derive(Debug)]
pub(super) struct Pool<T>(Vec<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Pool<T> {
    pub(super) fn take(&mut self) -> Vec<T> {
        self.0.pop().unwrap_or_default()
    }

    pub(super) fn give(&mut self, mut list: Vec<T>) {
        list.clear();
        self.0.push(list);
    }
}

impl Spare {
    pub(super) fn reuse(&mut self, reply: Reply) {
        match reply.outcome {
            Ok(Answer::Reset(answer, _) | Answer::Step(answer)) => self.take_apart(answer),
            Ok(Answer::Procedure(procedure)) => self.take_apart(procedure.answer),
            _ => {}
        }
    }

    fn take_apart(&mut self, mut answer: StepAnswer) {
        for mut agent in answer.observations.drain(..) {
            agent.sensors.drain(..).for_each(|sensor| self.values.give(sensor.values));
            self.sensors.give(agent.sensors);
        }
        self.observations.give(answer.observations);
        answer.proprioceptive_state.drain(..).for_each(|agent| self.poses.give(agent.sensors));
        self.states.give(answer.proprioceptive_state);
    }
}
