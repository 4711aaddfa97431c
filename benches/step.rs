//! One step and one reset, bytes in to bytes out, with what the reply holds beside each other: of the default world, and of
//! the same two sensors before a textured mesh.

mod scenes;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use saccade::assets::{Nowhere, Source};
use saccade::connection::Connection;
use saccade::protocol::limits::MAX_FRAME_BYTES;
use saccade::session::{Overrides, Session};
use saccade::world::{file, shipped_world};

/// What a client asks for at the reset, and its name in the table.
const REPLIES: [(&str, &str); 5] = [
    ("percept", r#""modalities":["percept"]"#),
    ("location alone", r#""modalities":["location"]"#),
    ("images as binary", r#""encoding":"binary""#),
    ("images as base64", r#""encoding":"base64""#),
    ("images as nested lists", r#""encoding":"nested""#),
];

fn frame(body: &str) -> Vec<u8> {
    [&(body.len() as u32).to_be_bytes(), body.as_bytes()].concat()
}

fn open(world: &str, source: Arc<dyn Source>, choice: &str) -> Connection {
    let file = Arc::new(file::parse(world, &*source).expect("the benchmark's world is right"));
    let session = Session::new(file, source, Overrides::default(), MAX_FRAME_BYTES);
    let mut connection = Connection::new(session.expect("the benchmark's world opens"), MAX_FRAME_BYTES);
    connection.receive(&reset_request(choice));
    connection.poll_transmit(&mut || true).expect("a reset is answered");
    connection
}

fn default_world() -> &'static str {
    shipped_world("default").expect("it is shipped").text
}

/// The default world's agent before the ball.
fn world_of_ball() -> String {
    let agent = default_world().split("[episodes]").next().expect("a text has a beginning");
    format!(
        "data = {{ layout = \"mujoco\", root = \"{}\" }}\n{agent}\n[[objects]]\nname = \"ball\"\nposition = [0, 1.5, 0]\n",
        scenes::folder().root
    )
}

fn reset_request(choice: &str) -> Vec<u8> {
    frame(&format!(r#"{{"id":0,"command":"reset","sensor_ids":["patch","view_finder"],{choice}}}"#))
}

fn step(c: &mut Criterion) {
    steps_of(c, "the default world", default_world(), &(Arc::new(Nowhere) as _));
    for (name, slices, stacks) in [("a mesh of 16 k triangles", 128, 64), ("a mesh of 250 k triangles", 512, 245)] {
        let ball = Arc::new(scenes::ball(slices, stacks, 2048)) as _;
        steps_of(c, name, &world_of_ball(), &ball);
    }
}

fn steps_of(c: &mut Criterion, name: &str, world: &str, source: &Arc<dyn Source>) {
    let mut group = c.benchmark_group(format!("step of {name}"));
    let turn = |word: &str| {
        frame(&format!(
            r#"{{"id":1,"command":"step","actions":[{{"action":"{word}","agent_id":"agent_id_0","rotation_degrees":2.0}}]}}"#
        ))
    };
    let requests = [turn("turn_left"), turn("turn_right")];
    for (name, choice) in REPLIES {
        group.bench_function(name, |b| {
            let mut connection = open(world, Arc::clone(source), choice);
            let mut count = 0;
            b.iter(|| {
                connection.receive(&requests[count % 2]);
                count += 1;
                black_box(connection.poll_transmit(&mut || true)).map(<[u8]>::len)
            });
        });
    }
    group.finish();
}

fn reset(c: &mut Criterion) {
    let choice = r#""modalities":["percept"]"#;
    let mut connection = open(default_world(), Arc::new(Nowhere), choice);
    let request = reset_request(choice);
    c.bench_function("reset of the default world/percept", |b| {
        b.iter(|| {
            connection.receive(&request);
            black_box(connection.poll_transmit(&mut || true)).map(<[u8]>::len)
        });
    });
}

criterion_group!(benches, step, reset);
criterion_main!(benches);
