//! Episodes: which object stands where in the n-th, walked as Monty's object samplers walk them.

use std::collections::BTreeSet;

use super::compat::Word;
use super::file::ObjectSpec;
use super::object::Object;
use crate::math::Rotation;
use crate::protocol::{EpisodeAnswer, Note, PrimaryTarget, SemanticId};
use crate::rng::{RandomState, episode_seed, labelled_seed};

/// One target an episode, and how its place is found.
#[derive(Clone, Debug, PartialEq)]
pub struct Episodes {
    /// One after the other; a walk through all of them is an epoch.
    pub targets: Vec<String>,
    /// The names that labels count, from 1: each once, all targets among them.
    pub source_objects: Vec<String>,
    /// Objects beside the target in every episode, drawn from the source objects that are not it.
    pub num_distractors: u32,
    pub sampler: Sampler,
    /// Part of every episode's seed.
    pub mode: Mode,
    /// Walks through the targets before the file's episodes wrap.
    pub epochs: u64,
    /// Red, green, blue of every target, each from 0 to 1.
    pub color: [f64; 3],
}

/// Who plays in an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Cast {
    pub target: ObjectSpec,
    /// Where the target is, until they are moved clear of it.
    pub distractors: Vec<ObjectSpec>,
    /// Of the episode.
    pub index: u64,
    pub seed: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Sampler {
    /// Lists, each taken at the epoch's (or the episode's) number modulo its own length.
    Predefined {
        rotations_deg: Vec<[f64; 3]>,
        positions: Vec<[f64; 3]>,
        scales: Vec<[f64; 3]>,
        change_every_episode: bool,
    },
    /// Three Euler angles, uniform from 0 to 360°.
    RandomRotation,
    /// The same, then a position along x, uniform from -0.5 to 0.5 m.
    Default,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Train,
    Eval,
}

impl Word for Mode {
    const ALL: &'static [Self] = &[Mode::Train, Mode::Eval];

    fn word(self) -> &'static str {
        match self {
            Mode::Train => "train",
            Mode::Eval => "eval",
        }
    }
}

/// Where Monty's samplers put an object unless they say otherwise.
pub const DEFAULT_POSITION: [f64; 3] = [0.0, 1.5, 0.0];

impl Episodes {
    /// How many episodes the file has before they wrap.
    pub fn count(&self) -> u64 {
        self.targets.len() as u64 * self.epochs
    }

    /// The objects of an episode as they are asked for, and what the reset tells of it.
    pub fn play(&self, index: u64, seed: u64) -> (Cast, EpisodeAnswer) {
        let target = self.target(index, seed);
        let rotation = Rotation::from_extrinsic_xyz_deg(target.euler_rotation_deg);
        let spec = ObjectSpec {
            name: target.object.clone(),
            file: None,
            position: target.position_m.into(),
            rotation,
            scale: target.scale.into(),
            semantic_id: Some(target.semantic_id),
            color: self.color,
        };
        let distractors = self.draw_distractors(&spec, index, seed);
        let labels = (1..).map(SemanticId).zip(self.source_objects.iter().cloned()).collect();
        let answer =
            EpisodeAnswer { primary_target: target, semantic_id_to_label: labels, index, count: self.count(), seed };
        (Cast { target: spec, distractors, index, seed }, answer)
    }

    /// Warns of objects that stand in every episode under a default id which is some label too: images cannot tell them apart.
    pub fn shared_labels(&self, standing: &[Object]) -> Vec<Note> {
        let mut told = BTreeSet::new();
        let by_default = standing.iter().filter(|object| object.spec.semantic_id.is_none());
        let first_of_each = by_default.filter(|object| told.insert(&object.spec.name));
        first_of_each.filter_map(|object| self.shared_label(object)).collect()
    }

    fn shared_label(&self, object: &Object) -> Option<Note> {
        let (name, id) = (&object.spec.name, object.semantic_id.0);
        let label = self.source_objects.get((id as usize).checked_sub(1)?)?;
        Some(Note::warning(format!(
            "the object {name} has the semantic id {id} by default, which is also the label of {label} in episodes; give it a \
             semantic_id of its own"
        )))
    }

    /// With replacement, as Monty draws them; in pose and scale like the target.
    fn draw_distractors(&self, target: &ObjectSpec, index: u64, seed: u64) -> Vec<ObjectSpec> {
        let mode = self.mode.word();
        let mut chance = RandomState::new(labelled_seed(format_args!("{seed}-{mode}-{index}/distractors")));
        let labelled = (1..).map(SemanticId).zip(&self.source_objects);
        let others: Vec<_> = labelled.filter(|(_, name)| **name != target.name).collect();
        let mut draw = || {
            let (label, name) = others[(chance.unit() * others.len() as f64) as usize];
            ObjectSpec { name: name.clone(), semantic_id: Some(label), ..target.clone() }
        };
        (0..self.num_distractors).map(|_| draw()).collect()
    }

    fn target(&self, index: u64, seed: u64) -> PrimaryTarget {
        let object = at(&self.targets, index).clone();
        let position = self.source_objects.iter().position(|name| *name == object);
        let label = 1 + position.expect("every target is among the source objects") as u32;
        let [euler_rotation_deg, position_m, scale] = self.placement(index, seed);
        PrimaryTarget {
            object,
            semantic_id: SemanticId(label),
            euler_rotation_deg,
            rotation_wxyz: Rotation::from_extrinsic_xyz_deg(euler_rotation_deg).wxyz(),
            position_m,
            scale,
        }
    }

    /// Euler angles in degrees, position in metres, scale.
    fn placement(&self, index: u64, seed: u64) -> [[f64; 3]; 3] {
        match &self.sampler {
            Sampler::Predefined { rotations_deg, positions, scales, change_every_episode } => {
                let n = if *change_every_episode { index } else { index / self.targets.len() as u64 };
                [*at(rotations_deg, n), *at(positions, n), *at(scales, n)]
            }
            Sampler::RandomRotation => [self.random_angles(index, seed).0, DEFAULT_POSITION, [1.0; 3]],
            Sampler::Default => {
                let (angles, mut chance) = self.random_angles(index, seed);
                [angles, [chance.uniform(-0.5, 0.5), 0.0, 0.0], [1.0; 3]]
            }
        }
    }

    fn random_angles(&self, index: u64, seed: u64) -> ([f64; 3], RandomState) {
        let mut chance = RandomState::new(episode_seed(seed, self.mode.word(), index));
        let angles = [(); 3].map(|()| chance.uniform(0.0, 360.0));
        (angles, chance)
    }
}

/// The item at an index modulo the list's length.
fn at<T>(list: &[T], index: u64) -> &T {
    let index = index % list.len() as u64;
    &list[index as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(sampler: Sampler) -> Episodes {
        Episodes {
            targets: vec!["cubeSolid".into()],
            source_objects: vec!["cubeSolid".into()],
            num_distractors: 0,
            sampler,
            mode: Mode::Eval,
            epochs: 1,
            color: [0.5; 3],
        }
    }

    #[test]
    fn random_placements_are_montys() {
        let expected = [
            ([0.43410836, -0.66111201, 0.31566845, 0.52424638], -0.23584528),
            ([-0.72794005, -0.43889548, 0.07626526, 0.52120788], -0.08597730),
            ([0.52451009, -0.17679984, -0.73556236, -0.39061361], -0.09033966),
        ];
        for (index, (quaternion, x)) in (0..).zip(expected) {
            let (_, rotation) = random(Sampler::RandomRotation).play(index, 42);
            let (_, default) = random(Sampler::Default).play(index, 42);
            assert_eq!(rotation.primary_target.rotation_wxyz, default.primary_target.rotation_wxyz);
            for (found, expected) in rotation.primary_target.rotation_wxyz.iter().zip(quaternion) {
                assert!((found - expected).abs() < 1e-8, "episode {index}");
            }
            assert!((default.primary_target.position_m[0] - x).abs() < 1e-8, "episode {index}");
        }
    }

    #[test]
    fn predefined_lists_change_with_the_epoch_each_at_its_own_length() {
        let episodes = Episodes {
            targets: vec!["cubeSolid".into(), "sphere".into()],
            source_objects: vec!["sphere".into(), "box".into(), "cubeSolid".into()],
            sampler: Sampler::Predefined {
                rotations_deg: vec![[0.0; 3], [45.0, 0.0, 0.0], [90.0, 0.0, 0.0]],
                positions: vec![[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]],
                scales: vec![[1.0; 3]],
                change_every_episode: false,
            },
            ..random(Sampler::Default)
        };
        let seen: Vec<_> = (0..7)
            .map(|index| {
                let target = episodes.play(index, 0).1.primary_target;
                (target.semantic_id.0, target.euler_rotation_deg[0], target.position_m[1])
            })
            .collect();
        let expected = [
            (3, 0.0, 1.0),
            (1, 0.0, 1.0),
            (3, 45.0, 2.0),
            (1, 45.0, 2.0),
            (3, 90.0, 1.0),
            (1, 90.0, 1.0),
            (3, 0.0, 2.0),
        ];
        assert_eq!(seen, expected);
    }
}
