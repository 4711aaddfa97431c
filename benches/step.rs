//! One step of the default world, bytes in to bytes out.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use saccade::connection::Connection;
use saccade::protocol::limits::MAX_FRAME_BYTES;
use saccade::session::{Overrides, Session};
use saccade::world::{file, shipped_world};

fn frame(body: &str) -> Vec<u8> {
    [&(body.len() as u32).to_be_bytes(), body.as_bytes()].concat()
}

fn open(world: &str) -> Connection {
    let world = shipped_world(world).expect("a shipped world");
    let file = Arc::new(file::parse(world.text).expect("shipped worlds are right"));
    let session = Session::new(file, Overrides::default(), MAX_FRAME_BYTES).expect("shipped worlds open");
    let mut connection = Connection::new(session, MAX_FRAME_BYTES);
    connection.receive(&frame(r#"{"id":0,"command":"reset","sensor_ids":["patch","view_finder"]}"#));
    connection.poll_transmit(&mut || true).expect("a reset is answered");
    connection
}

fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("step, bytes to bytes");
    let turn = |word: &str| {
        frame(&format!(
            r#"{{"id":1,"command":"step","actions":[{{"action":"{word}","agent_id":"agent_id_0","rotation_degrees":5.0}}]}}"#
        ))
    };
    let requests = [turn("turn_left"), turn("turn_right")];
    group.bench_function("default world", |b| {
        let mut connection = open("default");
        let mut count = 0;
        b.iter(|| {
            connection.receive(&requests[count % 2]);
            count += 1;
            black_box(connection.poll_transmit(&mut || true))
        });
    });
    group.finish();
}

fn reset(c: &mut Criterion) {
    let mut connection = open("default");
    let request = frame(r#"{"id":0,"command":"reset","sensor_ids":["patch"]}"#);
    c.bench_function("reset, bytes to bytes/default world", |b| {
        b.iter(|| {
            connection.receive(&request);
            black_box(connection.poll_transmit(&mut || true))
        });
    });
}

criterion_group!(benches, step, reset);
criterion_main!(benches);
