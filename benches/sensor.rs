//! One sensor's work, stage by stage: which surface each pixel sees, the images without and with colours (what they differ by
//! is the shading), and the percept alone. Before each the agent turns, which takes a microsecond or two; and what was seen
//! leaves its memory to the next, as from step to step.

mod scenes;

use std::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime};
use saccade::protocol::{Action, Command, Modalities};
use saccade::sensor::{ClipPlanes, Rectangle, Sight, View};
use saccade::wire::read_request;
use saccade::world::{Object, Stock, World, place, place_episode};
use scenes::Scene;

/// As a reset builds it: the first episode, if the world has any.
fn world_of(scene: &Scene) -> World {
    let file = &scene.file;
    let mut stock = Stock::new(scene.source.clone(), file.data.as_ref());
    let objects: Vec<Object> = match &file.episodes {
        None => place(&file.objects, &file.compat, &mut stock).expect("the benchmark's objects can be read"),
        Some(episodes) => {
            let (cast, _) = episodes.play(0, file.seed);
            place_episode(&cast, &file.objects, &file.compat, &mut stock, &mut || true).expect("they are shipped")
        }
    };
    World::new(file.clone(), file.seed, 0, objects, false)
}

fn word_of(word: &str) -> Modalities {
    Modalities::from_word(word).expect("it is a modality")
}

fn sensors(c: &mut Criterion) {
    for scene in scenes::scenes() {
        let mut world = world_of(&scene);
        let mut group = c.benchmark_group(format!("sensor of {}", scene.name));
        for index in [0, world.agents()[0].sensors().len() - 1] {
            stages(&mut group, &mut world, index);
        }
        group.finish();
    }
}

fn turns() -> Vec<Vec<Action>> {
    let actions = |body: String| match read_request(body.as_bytes()).command {
        Ok(Command::Step(step)) => step.actions.into_vec(),
        other => unreachable!("the request is a step, not {other:?}"),
    };
    scenes::turns().into_iter().map(actions).collect()
}

fn stages(group: &mut BenchmarkGroup<WallTime>, world: &mut World, index: usize) {
    let (turns, mut count) = (turns(), 0);
    let mut turn = |world: &mut World| {
        world.tick(&turns[count % turns.len()], &mut Vec::new()).expect("a turn is always possible");
        count += 1;
    };
    let sensor = &world.agents()[0].sensors()[index];
    let id = sensor.id.to_string();
    let name = |stage: &str| format!("{id}, {stage}");
    let all = Rectangle { columns: [0, sensor.width as i32 - 1], rows: [0, sensor.height as i32 - 1] };
    group.bench_function(name("visibility"), |b| {
        b.iter(|| {
            turn(world);
            let (agent, planes) = (&world.agents()[0], ClipPlanes::of(world));
            black_box(View::new(world, agent, &agent.sensors()[index], &planes).look(all, &mut || true))
        });
    });
    let images = |words: &[&str]| words.iter().map(|word| word_of(word)).fold(Modalities::NONE, Modalities::with);
    for (stage, chosen) in [
        ("depth and ids", images(&["depth"])),
        ("depth, ids and colours", images(&["depth", "rgba"])),
        ("percept alone", Modalities::PERCEPT),
    ] {
        group.bench_function(name(stage), |b| {
            let mut sight = Sight::new(world.file());
            b.iter(|| {
                turn(world);
                let mut scenery = sight.scenery();
                let seen = sight.observe(world, [0, index], chosen, &mut scenery, Vec::new(), &mut || true);
                black_box(seen.expect("nobody says no"));
                sight.reuse(scenery);
            });
        });
    }
}

criterion_group!(benches, sensors);
criterion_main!(benches);
