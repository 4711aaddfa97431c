//! A deterministic simulator for Monty: the same world, seed and requests give the same reply bytes, every time.
//!
//! ```text
//! bytes --wire--> Frame --wire--> Request --session--> World.tick --sensor--> Observation --session--> Reply --wire--> bytes
//! ```
//!
//! ```
//! use std::sync::Arc;
//!
//! use saccade::assets::Nowhere;
//! use saccade::connection::Connection;
//! use saccade::protocol::limits::MAX_FRAME_BYTES;
//! use saccade::session::{Overrides, Session};
//! use saccade::world::{file, shipped_world};
//!
//! let world = file::parse(shipped_world("default").expect("it ships").text, &Nowhere).expect("it is right");
//! let session = Session::new(Arc::new(world), Arc::new(Nowhere), Overrides::default(), MAX_FRAME_BYTES).expect("its replies are short");
//! let mut connection = Connection::new(session, MAX_FRAME_BYTES);
//!
//! let body = br#"{"id": 1, "command": "reset", "sensor_ids": ["patch"]}"#;
//! connection.receive(&(body.len() as u32).to_be_bytes());
//! connection.receive(body);
//! let reply = connection.poll_transmit(&mut || true).expect("one reply for each request");
//! assert!(reply[4..].starts_with(br#"{"id":1,"ok":true,"observations":{"agent_id_0":{"patch":{"location":["#));
//! ```
//!
//! # Where things stand
//!
//! A module imports only what stands on a lower line, and `wire` and `world` never meet; `tests/main/architecture.rs` keeps
//! it so.
//!
//! ```text
//! main                  hands over
//! commands/             port, replay, demo, render, bench, check, worlds, describe: each a thin use of the library
//! cli                   what the user typed
//! door/                 the OS: stdin, stdout, files, poll, clock
//! connection            bytes in, bytes out: codec + session, sans I/O
//! session/              request -> reply: phases, settings, procedures, what a failed request leaves alone
//! sensor/               &World -> observation: camera, draw (and the oracle it is held against), shading, points, percept, sight (what is kept)
//! wire/  |  world/      bytes <-> words  |  the state that ticks
//! protocol/             the words: requests, replies, actions, ids, errors, limits
//! assets/, digest       objects' files: meshes and textures; fingerprints
//! rng                   numpy's chance, from a seed
//! math                  vectors, rotations, and libm in place of the platform's functions
//! ```
//!
//! A new action goes into `protocol/action.rs`, `wire/action.rs` and `world/agent.rs`; a new procedure into
//! `protocol/procedure.rs`, `wire/procedure.rs` and `session/procedure/`; a new modality into `protocol/selection.rs` and `sensor/`; a new world key into `world/file/parse.rs` and `write.rs`; a new door beside
//! `door/pump.rs`.
//!
//! # Invariants
//!
//! 1. Below `door/` there is no stdin, stdout, file, socket, thread, clock or environment. `commands/` writes results to
//!    stdout through one writer.
//! 2. The tick is the only clock, and one tick is always the same `tick_s`.
//! 3. Core state lives in `Vec` and `BTreeMap`; nothing hashed is ever iterated.
//! 4. Same world file, seed and requests: the same reply bytes, debug or release, through any door.
//! 5. Every reset builds a new world; a used one is never cleared and filled again.
//! 6. Reply text is written by `wire/` alone.
//! 7. stdout belongs to the protocol; people read stderr.
//! 8. A bad request changes nothing and ends nothing; a broken assertion of ours is never swallowed silently.
//! 9. Every number that leaves is finite, and -0.0 leaves as 0.0.
//!
//! Lints keep them (`.clippy.toml`), opened once, at the head of `door/mod.rs`.

#![forbid(unsafe_code)]
#![warn(clippy::unwrap_used, missing_debug_implementations)]

pub mod assets;
pub mod connection;
pub mod digest;
pub mod door;
pub mod math;
pub mod protocol;
pub mod rng;
pub mod sensor;
pub mod session;
pub mod wire;
pub mod world;
