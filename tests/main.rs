//! Ordinary tests of the library and of the real binary, in modules: a test's name is a claim.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests are the peer's outside: they read fixtures and the environment, and own the binary's files"
)]

#[path = "main/actions.rs"]
mod actions;
#[path = "main/antialiasing.rs"]
mod antialiasing;
#[path = "main/appendix.rs"]
mod appendix;
#[path = "main/appendix_a.rs"]
mod appendix_a;
#[path = "main/architecture.rs"]
mod architecture;
#[path = "main/assets.rs"]
mod assets;
#[path = "../benches/scenes/ball.rs"]
mod ball;
#[path = "main/bench.rs"]
mod bench;
#[path = "main/binary.rs"]
mod binary;
#[path = "main/canonical.rs"]
mod canonical;
#[path = "main/client.rs"]
mod client;
#[path = "main/command_line.rs"]
mod command_line;
#[path = "main/compat.rs"]
mod compat;
#[path = "main/conformance/mod.rs"]
mod conformance;
#[path = "main/data.rs"]
mod data;
#[path = "main/demo_mug.rs"]
mod demo_mug;
#[path = "main/determinism.rs"]
mod determinism;
#[path = "main/distractors.rs"]
mod distractors;
#[path = "main/encodings.rs"]
mod encodings;
#[path = "main/envelope.rs"]
mod envelope;
#[path = "main/episode_keys.rs"]
mod episode_keys;
#[path = "main/episodes.rs"]
mod episodes;
#[path = "main/failures.rs"]
mod failures;
#[path = "main/fixture.rs"]
mod fixture;
#[path = "main/frames.rs"]
mod frames;
#[path = "main/goldens.rs"]
mod goldens;
#[path = "main/images.rs"]
mod images;
#[path = "main/locations.rs"]
mod locations;
#[path = "main/looks.rs"]
mod looks;
#[path = "main/memory.rs"]
mod memory;
#[path = "main/meshes.rs"]
mod meshes;
#[path = "main/modalities.rs"]
mod modalities;
#[path = "main/motions.rs"]
mod motions;
#[path = "main/objects.rs"]
mod objects;
#[path = "main/observation.rs"]
mod observation;
#[path = "main/oracle.rs"]
mod oracle;
#[path = "main/percept.rs"]
mod percept;
#[path = "main/percept_end_to_end.rs"]
mod percept_end_to_end;
#[path = "main/percept_messages.rs"]
mod percept_messages;
#[path = "main/pictures.rs"]
mod pictures;
#[path = "main/pipelines.rs"]
mod pipelines;
#[path = "main/points.rs"]
mod points;
#[path = "main/positioning/mod.rs"]
mod positioning;
#[path = "main/prober.rs"]
mod prober;
#[path = "main/procedure_faults.rs"]
mod procedure_faults;
#[path = "main/procedures.rs"]
mod procedures;
#[path = "main/program.rs"]
mod program;
#[path = "main/reference.rs"]
mod reference;
#[path = "main/reference_objects.rs"]
mod reference_objects;
#[path = "main/renderer.rs"]
mod renderer;
#[path = "main/requests.rs"]
mod requests;
#[path = "main/reset_matrix.rs"]
mod reset_matrix;
#[path = "main/robustness.rs"]
mod robustness;
#[path = "main/scenes.rs"]
mod scenes;
#[path = "main/shades.rs"]
mod shades;
#[path = "main/sizes.rs"]
mod sizes;
#[path = "main/source.rs"]
mod source;
#[path = "main/strict_json.rs"]
mod strict_json;
#[path = "main/undo.rs"]
mod undo;
#[path = "main/waste.rs"]
mod waste;
#[path = "main/worlds.rs"]
mod worlds;
#[path = "main/ycb.rs"]
mod ycb;
