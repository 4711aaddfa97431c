//! One step and one reset, bytes in to bytes out, with what the reply holds beside each other.

mod scenes;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use saccade::connection::Connection;
use saccade::protocol::limits::MAX_FRAME_BYTES;
use saccade::session::{Overrides, Session};
use scenes::Scene;

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

/// After its reset.
fn open(scene: &Scene, choice: &str) -> Connection {
    let session = Session::new(Arc::clone(&scene.file), scene.source.clone(), Overrides::default(), MAX_FRAME_BYTES);
    let mut connection = Connection::new(session.expect("the benchmark's world opens"), MAX_FRAME_BYTES);
    connection.receive(&reset_request(choice));
    connection.poll_transmit(&mut || true).expect("a reset is answered");
    connection
}

fn reset_request(choice: &str) -> Vec<u8> {
    frame(&format!(r#"{{"id":0,"command":"reset",{choice}}}"#))
}

fn step(c: &mut Criterion) {
    let requests: Vec<Vec<u8>> = scenes::turns().iter().map(|body| frame(body)).collect();
    for scene in scenes::scenes() {
        let mut group = c.benchmark_group(format!("step of {}", scene.name));
        for (name, choice) in REPLIES {
            group.bench_function(name, |b| {
                let mut connection = open(&scene, choice);
                let mut count = 0;
                b.iter(|| {
                    connection.receive(&requests[count % requests.len()]);
                    count += 1;
                    black_box(connection.poll_transmit(&mut || true)).map(<[u8]>::len)
                });
            });
        }
        group.finish();
    }
}

/// A step in which nothing moves: what was drawn is answered again.
fn look(c: &mut Criterion) {
    let [scene, ..] = scenes::scenes();
    let mut group = c.benchmark_group(format!("look again at {}", scene.name));
    let request = frame(r#"{"id":1,"command":"step","actions":[]}"#);
    for (name, choice) in REPLIES {
        let mut connection = open(&scene, choice);
        group.bench_function(name, |b| {
            b.iter(|| {
                connection.receive(&request);
                black_box(connection.poll_transmit(&mut || true)).map(<[u8]>::len)
            });
        });
    }
    group.finish();
}

fn reset(c: &mut Criterion) {
    let choice = r#""modalities":["percept"]"#;
    let [scene, ..] = scenes::scenes();
    let mut connection = open(&scene, choice);
    let request = reset_request(choice);
    c.bench_function(&format!("reset of {}/percept", scene.name), |b| {
        b.iter(|| {
            connection.receive(&request);
            black_box(connection.poll_transmit(&mut || true)).map(<[u8]>::len)
        });
    });
}

criterion_group!(benches, step, look, reset);
criterion_main!(benches);
