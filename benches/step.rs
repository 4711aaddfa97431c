//! One step and one reset of the default world, bytes in to bytes out, with what the reply holds beside each other.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use saccade::assets::Nowhere;
use saccade::connection::Connection;
use saccade::protocol::limits::MAX_FRAME_BYTES;
use saccade::session::{Overrides, Session};
use saccade::world::{file, shipped_world};

/// What a client asks for at the reset, and its name in the table.
const REPLIES: [(&str, &str); 4] = [
    ("percept", r#""modalities":["percept"]"#),
    ("location alone", r#""modalities":["location"]"#),
    ("images as base64", r#""encoding":"base64""#),
    ("images as nested lists", r#""encoding":"nested""#),
];

fn frame(body: &str) -> Vec<u8> {
    [&(body.len() as u32).to_be_bytes(), body.as_bytes()].concat()
}

fn open(world: &str, choice: &str) -> Connection {
    let world = shipped_world(world).expect("a shipped world");
    let file = Arc::new(file::parse(world.text, &Nowhere).expect("shipped worlds are right"));
    let session = Session::new(file, Arc::new(Nowhere), Overrides::default(), MAX_FRAME_BYTES);
    let mut connection = Connection::new(session.expect("shipped worlds open"), MAX_FRAME_BYTES);
    connection.receive(&reset_request(choice));
    connection.poll_transmit(&mut || true).expect("a reset is answered");
    connection
}

fn reset_request(choice: &str) -> Vec<u8> {
    frame(&format!(r#"{{"id":0,"command":"reset","sensor_ids":["patch","view_finder"],{choice}}}"#))
}

fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("step of the default world");
    let turn = |word: &str| {
        frame(&format!(
            r#"{{"id":1,"command":"step","actions":[{{"action":"{word}","agent_id":"agent_id_0","rotation_degrees":5.0}}]}}"#
        ))
    };
    let requests = [turn("turn_left"), turn("turn_right")];
    for (name, choice) in REPLIES {
        group.bench_function(name, |b| {
            let mut connection = open("default", choice);
            let mut count = 0;
            b.iter(|| {
                connection.receive(&requests[count % 2]);
                count += 1;
                black_box(connection.poll_transmit(&mut || true))
            });
        });
    }
    group.finish();
}

fn reset(c: &mut Criterion) {
    let choice = r#""modalities":["percept"]"#;
    let mut connection = open("default", choice);
    let request = reset_request(choice);
    c.bench_function("reset of the default world/percept", |b| {
        b.iter(|| {
            connection.receive(&request);
            black_box(connection.poll_transmit(&mut || true))
        });
    });
}

criterion_group!(benches, step, reset);
criterion_main!(benches);
