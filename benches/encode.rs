//! Replies into bytes: one of 64×64 and one of 256×256 pixels, each kind of array by itself and in each encoding.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use saccade::math::Vector;
use saccade::protocol::{
    AgentObservations, Answer, Encoding, Image, Modality, Reply, SensorObservation, StepAnswer, Value,
};
use saccade::sensor::Camera;
use saccade::wire::write_frame;

/// Each pixel's ray, row by row.
fn rays(side: u32) -> impl Iterator<Item = Vector> {
    let camera = Camera::with([side; 2], 1.0, 90.0);
    (0..side * side).map(move |pixel| camera.ray(pixel / side, pixel % side))
}

/// How far a ball of 15 cm is along each ray, 20 cm away; it covers most of the image, and a miss is 0.
fn depth_of_a_ball(side: u32) -> Vec<f32> {
    let depth = |ray: Vector| {
        let (squared, along) = (ray.norm_squared(), -ray.z * 0.2);
        let inside = along * along - squared * (0.2 * 0.2 - 0.15 * 0.15);
        if inside < 0.0 { 0.0 } else { ((along - inside.sqrt()) / squared) as f32 }
    };
    rays(side).map(depth).collect()
}

/// What a sensor sees of the ball.
fn arrays(side: u32) -> [(Modality, Value); 4] {
    let depth_m = depth_of_a_ball(side);
    let of_pixels = || rays(side).zip(&depth_m).map(|(ray, depth)| (ray, f64::from(*depth)));
    let colour = |(ray, depth): (Vector, f64)| [ray.x, ray.y, depth].map(|part| (128.0 + 600.0 * part) as u8);
    let colours = of_pixels().map(colour).map(|[r, g, b]| [r, g, b, 255]).collect::<Vec<_>>().into();
    let ids = of_pixels().map(|(_, depth)| if depth > 0.0 { 104 } else { 0 }).collect::<Vec<_>>().into();
    let points = of_pixels()
        .map(|(ray, depth)| [ray.x * depth, 1.5 + ray.y * depth, 0.2 - depth, 104.0])
        .collect::<Vec<_>>()
        .into();
    let [width, height] = [side; 2];
    [
        (Modality::Depth, Value::Depth(Image { width, height, pixels: depth_m.clone().into() })),
        (Modality::Rgba, Value::Rgba(Image { width, height, pixels: colours })),
        (Modality::Semantic, Value::Semantic(Image { width, height, pixels: ids })),
        (Modality::Semantic3d, Value::Points(points)),
    ]
}

fn reply(encoding: Encoding, values: Vec<(Modality, Value)>) -> Reply {
    let sensors = vec![SensorObservation { sensor_id: "patch".into(), values }];
    let observations = vec![AgentObservations { agent_id: "agent_id_0".into(), sensors }];
    let answer = StepAnswer { observations, proprioceptive_state: Vec::new(), encoding, tick: None, contacts: None };
    Reply { id: None, outcome: Ok(Answer::Step(answer)) }
}

fn encode(c: &mut Criterion) {
    for side in [64, 256] {
        let mut group = c.benchmark_group(format!("encode {side}×{side}"));
        for (modality, value) in arrays(side) {
            for encoding in Encoding::ALL {
                let reply = reply(*encoding, vec![(modality, value.clone())]);
                let mut frame = Vec::new();
                group.bench_function(format!("{}, {}", modality.word(), encoding.word()), |b| {
                    b.iter(|| {
                        frame.clear();
                        write_frame(black_box(&reply), &mut frame, &mut || true).expect("nobody says no");
                        black_box(&frame).len()
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, encode);
criterion_main!(benches);
