//! Where a distractor goes, by Habitat's rule in Monty: aside of the primary target, the least way that is clear.
//!
//! Monty tries up to 20,000 places by a physics step each. What is in the way of a convex body is so on one stretch of a line,
//! so here the end of each stretch is found by bisection, on the same places and with the same answer.

use super::convex::{Convex, Pair};
use super::object::Object;
use super::stock::Stock;
use crate::math::{Vector, radians, sin};
use crate::protocol::{Abandoned, Code, Fault, KeepGoing, Stopped, limits, shown};
use crate::rng::{RandomState, labelled_seed};

/// Between two places on the way, metres.
const STEP_M: f64 = 0.000_05;

/// Places on the way: those below 1 m.
const PLACES: u32 = 20_000;

/// Part of the target's width that a distractor may cover.
const MOST_COVERED: f64 = 0.75;

/// From the x axis: not straight before the target, nor behind it.
const ANGLES_DEG: [[f64; 2]; 4] = [[0.0, 30.0], [150.0, 180.0], [180.0, 210.0], [330.0, 360.0]];

/// The chance of one distractor's direction: the same world, seed, episode and number give the same.
pub fn chance_of(object: &Object, seed: u64, episode: u64) -> RandomState {
    RandomState::new(labelled_seed(format_args!("{seed}/{episode}/{}/distractor", object.id.0)))
}

/// Moves an object from where it is asked to be to the first place on its way that is clear of all others and of the view
/// of the target. A fault where there is none.
pub fn move_clear(
    object: &mut Object,
    target: &Object,
    others: &[Object],
    chance: &mut RandomState,
    stock: &mut Stock,
    keep_going: &mut KeepGoing,
) -> Result<(), Stopped> {
    let way = Way { start: object.spec.position, direction: direction(chance) };
    let body = stock.convex(object);
    let bodies = others.iter().filter(|other| way.passes(object, other));
    let bodies = bodies.map(|other| Obstacle::body(object, &body, other, stock));
    let obstacles = bodies.chain([Obstacle::view(object, target)]).collect();
    let place = first_clear(&way, obstacles, keep_going)?.ok_or_else(|| no_room(object, &way))?;
    object.spec.position = way.at(place);
    check_reach(object)
}

/// As Monty draws it: a range, an angle in it, a side. z is the angle's sine, and x a whole 1, so that the way leads mostly
/// aside.
fn direction(chance: &mut RandomState) -> Vector {
    let [low, high] = ANGLES_DEG[(chance.unit() * ANGLES_DEG.len() as f64) as usize];
    let z = sin(radians(chance.uniform(low, high)));
    let x = if chance.unit() < 0.5 { -1.0 } else { 1.0 };
    Vector::new(x, 0.0, z).normalize()
}

/// A line of places.
struct Way {
    start: Vector,
    /// Of length 1.
    direction: Vector,
}

impl Way {
    fn at(&self, place: u32) -> Vector {
        self.start + self.direction * (f64::from(place) * STEP_M)
    }

    /// Whether the bounding spheres meet anywhere on it.
    fn passes(&self, object: &Object, other: &Object) -> bool {
        let offset = other.spec.position - self.start;
        let nearest = self.direction * offset.dot(&self.direction).clamp(0.0, f64::from(PLACES) * STEP_M);
        (offset - nearest).norm() <= object.shape.bounding_radius() + other.shape.bounding_radius()
    }
}

/// What blocks one stretch of the way, or nothing of it.
enum Obstacle {
    /// Two convex bodies.
    Body(Box<Pair>),
    /// The interval of x that the target takes up, and that of the distractor about its own position.
    View { target: [f64; 2], distractor: [f64; 2] },
}

impl Obstacle {
    fn body(object: &Object, body: &Convex, other: &Object, stock: &mut Stock) -> Self {
        Self::Body(Box::new(Pair::new((other, stock.convex(other)), (object, body.clone()))))
    }

    fn view(object: &Object, target: &Object) -> Self {
        let position = target.spec.position.x;
        Self::View { target: x_interval(target).map(|x| x + position), distractor: x_interval(object) }
    }

    fn blocks(&self, position: Vector) -> bool {
        match self {
            Obstacle::Body(pair) => pair.touch_at(position),
            Obstacle::View { target, distractor } => hides(target, &distractor.map(|x| x + position.x)),
        }
    }

    /// The first place behind a blocked one that it leaves free.
    fn end(&self, way: &Way, blocked: u32) -> Option<u32> {
        let (mut blocked, mut free) = (blocked, PLACES - 1);
        if self.blocks(way.at(free)) {
            return None;
        }
        while free - blocked > 1 {
            let middle = blocked + (free - blocked) / 2;
            match self.blocks(way.at(middle)) {
                true => blocked = middle,
                false => free = middle,
            }
        }
        Some(free)
    }
}

/// Of the turned geometry about the object's own position. Monty turns the two extreme corners of the box around the unturned
/// object instead, which is another width unless the turn is a multiple of 180°.
fn x_interval(object: &Object) -> [f64; 2] {
    let to_object = object.spec.rotation.unit().inverse();
    let end = |x: f64| {
        let direction = to_object * Vector::new(x, 0.0, 0.0);
        x * object.shape.farthest(direction).dot(&direction)
    };
    [end(-1.0), end(1.0)]
}

fn hides(target: &[f64; 2], distractor: &[f64; 2]) -> bool {
    let overlap = target[1].min(distractor[1]) - target[0].max(distractor[0]);
    overlap > 0.0 && overlap / (target[1] - target[0]) > MOST_COVERED
}

/// What blocks a place does so up to its own end and never again: each obstacle is passed once.
fn first_clear(way: &Way, mut obstacles: Vec<Obstacle>, keep_going: &mut KeepGoing) -> Result<Option<u32>, Abandoned> {
    let mut place = 0;
    loop {
        let mut ahead = Vec::with_capacity(obstacles.len());
        let mut next = place;
        for obstacle in obstacles {
            if !keep_going() {
                return Err(Abandoned);
            }
            if !obstacle.blocks(way.at(place)) {
                ahead.push(obstacle);
                continue;
            }
            match obstacle.end(way, place) {
                Some(end) => next = next.max(end),
                None => return Ok(None),
            }
        }
        if next == place {
            return Ok(Some(place));
        }
        (place, obstacles) = (next, ahead);
    }
}

fn no_room(object: &Object, way: &Way) -> Fault {
    let (name, [x, y, z], [aside, _, along]) = (shown(&object.spec.name), way.start.into(), way.direction.into());
    let message = format!(
        "the distractor {name} has no place: from [{x}, {y}, {z}] along [{aside}, 0, {along}] it touches another object or \
         hides the primary target everywhere within 1 m; make it smaller, start it elsewhere, or set the compat switch \
         distractors = \"none\""
    );
    Fault::new(Code::NoRoom, message)
}

/// The way may lead over the edge of the world.
fn check_reach(object: &Object) -> Result<(), Stopped> {
    let farthest = limits::MAX_COORDINATE_M;
    if object.spec.position.amax() <= farthest {
        return Ok(());
    }
    let message = format!("the distractor {} is clear only beyond ±{farthest} m", shown(&object.spec.name));
    Err(Fault::new(Code::OutOfRange, message).into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    use super::*;
    use crate::assets::InMemory;
    use crate::math::Rotation;
    use crate::protocol::ObjectId;
    use crate::world::{Compat, ObjectSpec, Preset, known_objects};

    /// Not convex: two walls of a corner, 20 cm high.
    const CORNER: &str = "v 0 -0.1 0\nv 0.2 -0.1 0\nv 0.2 0.1 0\nv 0 0.1 0\nv 0 -0.1 0.2\nv 0 0.1 0.2\n\
                          f 1 2 3 4\nf 1 4 6 5\n";
    /// Without an inside.
    const FLAT: &str = "v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0.1 0.1 0\nf 1 2 3\n";

    fn stock() -> Stock {
        let files = [("corner.obj", CORNER), ("flat.obj", FLAT)];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        Stock::new(Arc::new(InMemory(BTreeMap::from(files))), None)
    }

    fn spec() -> impl Strategy<Value = ObjectSpec> {
        let names: Vec<&str> = known_objects().chain(["corner.obj", "corner.obj", "flat.obj"]).collect();
        let place = prop::array::uniform3(-0.25..0.25f64);
        let angles = prop::array::uniform3(0.0..360.0f64);
        let size = (-2.0..0.6f64, prop::array::uniform3(0.4..1.0f64));
        (prop::sample::select(names), place, angles, size).prop_map(|(name, position, angles, (power, aspect))| {
            let is_metre = known_objects().any(|known| known == name) && !name.ends_with("Solid");
            let scale = aspect.map(|part| part * crate::math::pow(10.0, power) * if is_metre { 0.2 } else { 2.0 });
            ObjectSpec {
                name: name.to_owned(),
                file: name.ends_with(".obj").then(|| name.to_owned()),
                position: position.into(),
                rotation: Rotation::from_extrinsic_xyz_deg(angles),
                scale: scale.into(),
                semantic_id: None,
                color: [0.5; 3],
            }
        })
    }

    fn objects(specs: &[ObjectSpec], stock: &mut Stock) -> Vec<Object> {
        let compat = Compat::preset(Preset::Habitat);
        let object = |(id, spec)| Object::new(ObjectId(id), spec, None, &compat, stock).expect("it is solid");
        (0..).zip(specs).map(object).collect()
    }

    /// Monty's own loop over the same places.
    fn tried_one_by_one(way: &Way, obstacles: &[Obstacle]) -> Option<u32> {
        (0..PLACES).find(|place| obstacles.iter().all(|obstacle| !obstacle.blocks(way.at(*place))))
    }

    proptest! {
        #![proptest_config(Config { cases: 256, failure_persistence: None, rng_seed: RngSeed::Fixed(0x5ac_cade), ..Config::default() })]

        #[test]
        fn the_interval_of_x_ends_where_a_wall_begins_to_touch(spec in spec()) {
            let wall = ObjectSpec {
                name: "box".to_owned(), file: None, rotation: Rotation::identity(), scale: Vector::repeat(5.0), ..spec.clone()
            };
            let mut stock = stock();
            let objects = objects(&[spec, wall], &mut stock);
            let [object, wall] = &objects[..] else { unreachable!("two were made") };
            let pair = Pair::new((object, stock.convex(object)), (wall, stock.convex(wall)));
            // The corners of a hull are f32.
            let tolerance = 1e-6;
            for (side, end) in [-1.0, 1.0].into_iter().zip(x_interval(object)) {
                let touches = |gap: f64| {
                    pair.touch_at(object.spec.position + Vector::new(end + side * (5.0 + gap), 0.0, 0.0))
                };
                prop_assert!(touches(-tolerance) && !touches(tolerance), "{:?} on the side {}", object.spec, side);
            }
        }

        #[test]
        fn bisection_finds_the_place_that_trying_all_finds(
            specs in prop::collection::vec(spec(), 2..7), inside in any::<bool>(), seed in any::<u32>(),
        ) {
            let mut stock = stock();
            let mut standing = objects(&specs, &mut stock);
            let mut object = standing.pop().expect("two at least");
            if inside {
                object.spec.position = standing[0].spec.position;
            }
            let way = Way { start: object.spec.position, direction: direction(&mut RandomState::new(seed)) };
            let body = stock.convex(&object);
            let obstacles = |stock: &mut Stock| -> Vec<Obstacle> {
                let bodies = standing.iter().map(|other| Obstacle::body(&object, &body, other, stock));
                bodies.chain([Obstacle::view(&object, &standing[0])]).collect()
            };
            let expected = tried_one_by_one(&way, &obstacles(&mut stock));
            let found = first_clear(&way, obstacles(&mut stock), &mut || true).expect("somebody waits");
            prop_assert_eq!(found, expected);
            let mut moved = object.clone();
            let mut chance = RandomState::new(seed);
            let outcome = move_clear(&mut moved, &standing[0], &standing, &mut chance, &mut stock, &mut || true);
            prop_assert_eq!(outcome.is_ok().then_some(moved.spec.position), expected.map(|place| way.at(place)));
        }
    }
}
