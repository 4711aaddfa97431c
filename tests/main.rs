//! Ordinary tests of the library and of the real binary, in modules: a test's name is a claim.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests are the peer's outside: they read fixtures and the environment, and own the binary's files"
)]

#[path = "main/actions.rs"]
mod actions;
#[path = "main/architecture.rs"]
mod architecture;
#[path = "main/canonical.rs"]
mod canonical;
#[path = "main/client.rs"]
mod client;
#[path = "main/command_line.rs"]
mod command_line;
#[path = "main/compat.rs"]
mod compat;
#[path = "main/conformance.rs"]
mod conformance;
#[path = "main/determinism.rs"]
mod determinism;
#[path = "main/envelope.rs"]
mod envelope;
#[path = "main/failures.rs"]
mod failures;
#[path = "main/fixture.rs"]
mod fixture;
#[path = "main/frames.rs"]
mod frames;
#[path = "main/locations.rs"]
mod locations;
#[path = "main/looks.rs"]
mod looks;
#[path = "main/motions.rs"]
mod motions;
#[path = "main/objects.rs"]
mod objects;
#[path = "main/observation.rs"]
mod observation;
#[path = "main/prober.rs"]
mod prober;
#[path = "main/program.rs"]
mod program;
#[path = "main/requests.rs"]
mod requests;
#[path = "main/sizes.rs"]
mod sizes;
#[path = "main/source.rs"]
mod source;
#[path = "main/strict_json.rs"]
mod strict_json;
#[path = "main/undo.rs"]
mod undo;
#[path = "main/worlds.rs"]
mod worlds;
