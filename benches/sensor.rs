//! One sensor's work, stage by stage: which surface each pixel sees, the images without and with colours (what they differ by
//! is the shading), and the percept alone.

mod scenes;

use std::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime};
use saccade::protocol::Modalities;
use saccade::sensor::{ClipPlanes, Rectangle, Sight, View};
use saccade::world::{Agent, Object, Stock, World, place, place_episode};
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

fn modalities(words: &[&str]) -> Modalities {
    let each = words.iter().map(|word| Modalities::from_word(word).expect("it is a modality"));
    each.fold(Modalities::NONE, Modalities::with)
}

fn sensors(c: &mut Criterion) {
    for scene in scenes::scenes() {
        let world = world_of(&scene);
        let mut group = c.benchmark_group(format!("sensor of {}", scene.name));
        let agent = &world.agents()[0];
        for index in [0, agent.sensors().len() - 1] {
            stages(&mut group, &world, agent, index);
        }
        group.finish();
    }
}

fn stages(group: &mut BenchmarkGroup<WallTime>, world: &World, agent: &Agent, index: usize) {
    let (sensor, planes) = (&agent.sensors()[index], ClipPlanes::of(world));
    let name = |stage: &str| format!("{}, {stage}", sensor.id.as_str());
    let all = Rectangle { columns: [0, sensor.width as i32 - 1], rows: [0, sensor.height as i32 - 1] };
    let view = || View::new(world, agent, sensor, &planes);
    group.bench_function(name("visibility"), |b| b.iter(|| black_box(view().look(all, &mut || true))));
    for (stage, words) in [("depth and ids", &["depth"][..]), ("depth, ids and colours", &["depth", "rgba"])] {
        let chosen = modalities(words);
        group.bench_function(name(stage), |b| b.iter(|| black_box(view().render(chosen, &mut || true))));
    }
    group.bench_function(name("percept alone"), |b| {
        b.iter(|| {
            // One that has seen nothing yet.
            let mut sight = Sight::new(world.file());
            let mut scenery = sight.scenery();
            black_box(sight.observe(world, [0, index], Modalities::PERCEPT, &mut scenery, Vec::new(), &mut || true))
        });
    });
}

criterion_group!(benches, sensors);
criterion_main!(benches);
