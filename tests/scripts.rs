//! Tests whose cases are data: one trial per case or script, run against the real binary over real pipes.
//!
//! With `harness = false` an ordinary `#[test]` here would silently never run: everything goes through `main`.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "these tests are the peer's outside: they own processes, pipes, threads and a wall clock"
)]

#[path = "scripts/beam.rs"]
mod beam;
#[path = "scripts/case.rs"]
mod case;
#[path = "scripts/check.rs"]
mod check;
#[path = "scripts/client.rs"]
mod client;
#[path = "scripts/counts.rs"]
mod counts;
#[path = "scripts/group.rs"]
mod group;
#[path = "scripts/made.rs"]
mod made;
#[path = "scripts/peer.rs"]
mod peer;
#[path = "scripts/port.rs"]
mod port;
#[path = "scripts/readme.rs"]
mod readme;

use libtest_mimic::Arguments;

fn main() {
    let arguments = Arguments::from_args();
    let groups = [port::trials(), beam::trials(), readme::trials(), made::trials(), counts::trials()];
    let trials = groups.into_iter().flatten().collect();
    libtest_mimic::run(&arguments, trials).exit();
}
