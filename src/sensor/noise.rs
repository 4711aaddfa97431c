//! Noise of one sensor at one tick: a stream of its own for its depth and for each feature, whatever else is drawn.

use crate::math::Rotation;
use crate::protocol::{AgentId, Modality, Value};
use crate::rng::{RandomState, labelled_seed};
use crate::world::{Agent, FeatureNoise, SensorSpec, World};

/// Monty's DefaultMessageNoise, and the seed of AddNoiseToRawDepthImage.
pub struct PerceptNoise<'w> {
    amounts: &'w [FeatureNoise],
    /// Seed, episode, tick, agent and sensor: what makes the streams those of this look alone.
    label: Label<'w>,
}

struct Label<'w> {
    world: &'w World,
    agent: &'w AgentId,
    sensor: &'w SensorSpec,
}

impl<'w> PerceptNoise<'w> {
    pub fn new(world: &'w World, agent: &'w Agent, sensor: &'w SensorSpec) -> Self {
        let label = Label { world, agent: agent.id(), sensor };
        Self { amounts: &sensor.percept.noise, label }
    }

    pub fn depth_seed(&self) -> u32 {
        self.label.seed("depth")
    }

    /// The value with the noise that the world file gives its feature.
    pub fn added(&self, feature: Modality, value: Value) -> Value {
        let Some(noise) = self.amounts.iter().find(|noise| noise.feature == feature) else { return value };
        let mut chance = RandomState::new(self.label.seed(feature.word()));
        match value {
            Value::Flag(flag) => Value::Flag(flag != (chance.unit() < noise.amount)),
            Value::Number(number) => Value::Number(number + chance.normal(noise.amount)),
            Value::Numbers(mut numbers) => {
                numbers.iter_mut().for_each(|number| *number += chance.normal(noise.amount));
                if feature == Modality::Hsv {
                    numbers[0] = numbers[0].clamp(0.0, 1.0);
                }
                Value::Numbers(numbers)
            }
            Value::Vectors(vectors) => Value::Vectors(turned(vectors, noise.amount, &mut chance)),
            other => other,
        }
    }
}

/// All vectors by one rotation, whose angles about the fixed axes x, y, z are random.
fn turned(vectors: [[f64; 3]; 3], sigma_deg: f64, chance: &mut RandomState) -> [[f64; 3]; 3] {
    let rotation = Rotation::from_extrinsic_xyz_deg([(); 3].map(|()| chance.normal(sigma_deg)));
    vectors.map(|vector| rotation.rotate(vector.into()).into())
}

impl Label<'_> {
    fn seed(&self, purpose: &str) -> u32 {
        let (seed, episode, tick) = (self.world.seed(), self.world.episode(), self.world.ticks());
        // Ids in quotes, so that no two sensors share a label.
        labelled_seed(format_args!(
            "{seed}/{episode}/{tick}/{:?}/{:?}/{purpose}",
            self.agent.as_str(),
            self.sensor.id.as_str()
        ))
    }
}
