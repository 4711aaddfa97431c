//! A textured mesh from the bytes of its files to an object that stands in a world: the mesh, its tree, its collider.

mod scenes;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use saccade::assets::InMemory;
use saccade::math::{Rotation, Vector};
use saccade::world::{Compat, ObjectSpec, Preset, Stock, place};

fn stand(source: &Arc<InMemory>) {
    let mut stock = Stock::new(Arc::clone(source) as _, Some(&scenes::folder()));
    let spec = ObjectSpec {
        name: "ball".into(),
        file: None,
        position: Vector::zeros(),
        rotation: Rotation::identity(),
        scale: Vector::repeat(1.0),
        semantic_id: None,
        color: [0.5; 3],
    };
    let placed = place([&spec], &Compat::preset(Preset::Saccade), &mut stock);
    black_box(placed.expect("the ball can be read"));
}

fn load(c: &mut Criterion) {
    let mut group = c.benchmark_group("load of an OBJ");
    group.sample_size(10);
    for (name, slices, stacks, texels) in [
        ("16 k triangles, no texture to speak of", 128, 64, 1),
        ("16 k triangles, texture of 2048²", 128, 64, 2048),
        ("250 k triangles, texture of 2048²", 512, 245, 2048),
    ] {
        let source = Arc::new(scenes::ball(slices, stacks, texels));
        group.bench_function(name, |b| b.iter(|| stand(&source)));
    }
    group.finish();
}

criterion_group!(benches, load);
criterion_main!(benches);
