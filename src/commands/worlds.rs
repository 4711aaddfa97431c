//! `saccade worlds`: the shipped worlds, listed or printed.

use super::{Done, EXIT_USAGE, fail};
use saccade::door::Results;
use saccade::protocol::{listed, suggestion};
use saccade::world::{SHIPPED_WORLDS, shipped_world};

pub fn worlds(name: Option<&str>) -> Done {
    let mut results = Results::open();
    match name {
        None => {
            for world in SHIPPED_WORLDS {
                results.line(&format!("{:<16} {}", world.name, world.summary()))?;
            }
        }
        Some(name) => {
            let world = shipped_world(name).ok_or_else(|| fail(EXIT_USAGE, [unknown(name)]))?;
            results.bytes(world.text.as_bytes())?;
        }
    }
    Ok(results.finish()?)
}

fn unknown(name: &str) -> String {
    let known = || SHIPPED_WORLDS.iter().map(|world| world.name);
    let hint = suggestion(name, known());
    format!("no shipped world is called {name}; they are {}{hint}", listed(known()))
}
