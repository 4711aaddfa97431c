//! A textured mesh from the bytes of its files to an object that stands in a world: the mesh, its tree, its collider. And
//! once it was read: an object more of it, and the reset to an episode with another one.

#[path = "scenes/ball.rs"]
mod ball;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use saccade::assets::InMemory;
use saccade::connection::Connection;
use saccade::math::{Rotation, Vector};
use saccade::protocol::limits::MAX_FRAME_BYTES;
use saccade::session::{Overrides, Session};
use saccade::world::{Compat, ObjectSpec, Preset, Stock, file, place, shipped_world};

fn stand(source: &Arc<InMemory>) {
    let mut stock = Stock::new(Arc::clone(source) as _, Some(&ball::folder()));
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
    // At 2048², a texture of YCB's scans is a PNG of 1.1 to 1.4 MB; one of which a fifth is painted is one of 1.6, all of it of 6.5.
    for (name, slices, stacks, texels, painted) in [
        ("16 k triangles, no texture to speak of", 128, 64, 1, 5),
        ("16 k triangles, texture of 2048², a fifth painted", 128, 64, 2048, 1),
        ("16 k triangles, texture of 2048², all painted", 128, 64, 2048, 5),
        ("250 k triangles, texture of 2048², all painted", 512, 245, 2048, 5),
    ] {
        let source = Arc::new(ball::painted_ball(slices, stacks, texels, painted));
        group.bench_function(name, |b| b.iter(|| stand(&source)));
    }
    group.finish();
}

/// The default world's agent with one episode for each of two meshes, before its first reset.
fn open() -> Connection {
    let agent = shipped_world("default").expect("it is shipped").text.split("[episodes]").next().expect("a beginning");
    let root = ball::folder().root;
    let text = format!(
        "data = {{ layout = \"mujoco\", root = \"{root}\" }}\n{agent}\n[episodes]\ntargets = [\"ball\", \"demo_mug\"]\nrotations_deg = \
         [[0, 0, 0]]\npositions = [[0, 1.5, 0]]\n"
    );
    let source = Arc::new(ball::ball(128, 64, 2048));
    let file = file::parse(&text, &*source).expect("the benchmark's world is right");
    let session = Session::new(Arc::new(file), source, Overrides::default(), MAX_FRAME_BYTES);
    Connection::new(session.expect("the benchmark's world opens"), MAX_FRAME_BYTES)
}

fn ask(connection: &mut Connection, body: &str) -> Vec<u8> {
    connection.receive(&(body.len() as u32).to_be_bytes());
    connection.receive(body.as_bytes());
    let reply = connection.poll_transmit(&mut || true).expect("a request is answered");
    assert!(!reply.windows(7).take(40).any(|bytes| bytes == b"\"error\""), "{body} is not refused");
    reply.to_vec()
}

/// Both meshes are read before; an object that comes is gone again before the next one.
fn cached(c: &mut Criterion) {
    let mut connection = open();
    const RESET: &str = r#"{"id":0,"command":"reset","sensor_ids":[]}"#;
    const RESET_AND_LOOK: &str = r#"{"id":0,"command":"reset","modalities":["percept"]}"#;
    for _ in 0..2 {
        ask(&mut connection, RESET);
    }
    let mut group = c.benchmark_group("cached meshes");
    for (name, request) in [("next episode", RESET), ("next episode and its percept", RESET_AND_LOOK)] {
        group.bench_function(name, |b| b.iter(|| black_box(ask(&mut connection, request))));
    }
    for name in ["ball", "demo_mug"] {
        let request = format!(r#"{{"id":0,"command":"add_object","name":"{name}"}}"#);
        group.bench_function(format!("remove_all_objects, and add_object of {name}"), |b| {
            b.iter(|| {
                black_box(ask(&mut connection, r#"{"id":0,"command":"remove_all_objects"}"#));
                black_box(ask(&mut connection, &request))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, load, cached);
criterion_main!(benches);
