//! Objects as they come into a world: numbered in their order, alike ones sharing what they are made of.

use super::compat::{Compat, Distractors};
use super::distractor::{chance_of, move_clear};
use super::episodes::Cast;
use super::file::ObjectSpec;
use super::object::Object;
use super::stock::Stock;
use crate::protocol::{Fault, KeepGoing, ObjectId, Stopped};

/// The objects of these specs, where they ask to be.
pub fn place<'s>(
    specs: impl IntoIterator<Item = &'s ObjectSpec>,
    compat: &Compat,
    stock: &mut Stock,
) -> Result<Vec<Object>, Fault> {
    let mut placed: Vec<Object> = Vec::new();
    for (spec, id) in specs.into_iter().zip(0..) {
        placed.push(object(ObjectId(id), spec, &placed, compat, stock)?);
    }
    Ok(placed)
}

/// The target of an episode, its distractors, then what stands in every episode.
pub fn place_episode(
    cast: &Cast,
    standing: &[ObjectSpec],
    compat: &Compat,
    stock: &mut Stock,
    keep_going: &mut KeepGoing,
) -> Result<Vec<Object>, Stopped> {
    let mut placed = place([&cast.target].into_iter().chain(standing), compat, stock)?;
    // What stands comes last in the order of ids and yet is in the distractors' way.
    placed[1..].iter_mut().for_each(|object| object.id.0 += cast.distractors.len() as u32);
    for (spec, id) in cast.distractors.iter().zip(1..) {
        let mut distractor = object(ObjectId(id), spec, &placed, compat, stock)?;
        if compat.distractors == Distractors::Habitat {
            let mut chance = chance_of(&distractor, cast.seed, cast.index);
            move_clear(&mut distractor, &placed[0], &placed, &mut chance, stock, keep_going)?;
        }
        placed.insert(id as usize, distractor);
    }
    Ok(placed)
}

/// One object more beside those that are there.
pub fn object(
    id: ObjectId,
    spec: &ObjectSpec,
    others: &[Object],
    compat: &Compat,
    stock: &mut Stock,
) -> Result<Object, Fault> {
    let twin = others.iter().find(|object| object.is_twin_of(spec));
    Object::new(id, spec, twin, compat, stock)
}
