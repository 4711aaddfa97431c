//! The worlds that come with the binary.

/// A world file that is part of the binary.
#[derive(Clone, Copy, Debug)]
pub struct ShippedWorld {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),+ $(,)?) => {
        &[$(ShippedWorld {
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/worlds/", $name, ".toml")),
        },)+]
    };
}

pub const SHIPPED_WORLDS: &[ShippedWorld] = shipped![
    "default",
    "surface",
    "five_patches",
    "two_objects",
    "two_agents",
    "ycb_distant",
    "ycb_surface",
    "distractors",
    "raw_noise",
    "mujoco_standard",
    "empty",
];

pub fn shipped_world(name: &str) -> Option<&'static ShippedWorld> {
    SHIPPED_WORLDS.iter().find(|world| world.name == name)
}

impl ShippedWorld {
    /// What it shows: the first line of its opening comment.
    pub fn summary(&self) -> &'static str {
        self.text.lines().next().map_or("", |line| line.trim_start_matches(['#', ' ']))
    }
}
