//! Every maximum of the protocol, each with its reason; `describe` lists them.

/// Longest frame taken, in bytes, unless `--max-frame` says otherwise: 64 MiB is some 600,000 actions, far beyond any real
/// request, and a length read from stray text (`hell` is 1.75 GB) is refused.
pub const MAX_FRAME_BYTES: u32 = 64 << 20;

/// Deepest nesting of brackets in a request: no command needs more than 4, and 128 is what JSON readers commonly take.
pub const MAX_NESTING: usize = 128;

/// Most pixels along a sensor's side: 4096² is beyond what any of Monty's configurations asks for, by 8 times a side.
pub const MAX_RESOLUTION: u32 = 4096;

/// Longest reply, in bytes of its longest text: frames of the BEAM and arrays of Python hold 1 GiB without harm.
pub const MAX_REPLY_BYTES: u64 = 1 << 30;

/// Most actions in one step: Monty sends at most 3; 100,000 of the longest fit into a frame.
pub const MAX_ACTIONS: usize = 100_000;

/// Most ticks of one procedure: the longest of Monty's episodes has 6,000 steps, and its touch search has no end of its own.
pub const MAX_PROCEDURE_TICKS: usize = 6000;

/// Most objects in a world: the largest of Monty's scenes has 12.
pub const MAX_OBJECTS: usize = 10_000;

/// Most sensors of one agent: the largest of Monty's agents has 17.
pub const MAX_SENSORS_PER_AGENT: usize = 64;

/// Longest name of an agent, sensor or object, in bytes of UTF-8: as long as a file's name may be.
pub const MAX_NAME_BYTES: usize = 255;

/// Longest path of a file, in bytes of UTF-8: what Linux takes.
pub const MAX_PATH_BYTES: usize = 4096;

/// Farthest that anything may be from the origin, in metres along each axis: beyond it f32 colliders err by over 6 cm.
pub const MAX_COORDINATE_M: f64 = 1e6;

/// Smallest and largest factor of an object's scale: what f32 colliders hold without overflow of their volumes.
pub const MIN_SCALE: f64 = 1e-6;
pub const MAX_SCALE: f64 = 1e6;

/// Shortest and longest tick, seconds: f32 physics neither stands still nor leaps.
pub const MIN_TICK_S: f64 = 1e-6;
pub const MAX_TICK_S: f64 = 1.0;

/// Largest seed: what TOML's integers hold, so that a world written back reads to the same seed.
pub const MAX_SEED: u64 = i64::MAX as u64;

/// Longest world file, in bytes: 10,000 objects written out take 2 MiB.
pub const MAX_WORLD_FILE_BYTES: usize = 4 << 20;

/// Smallest and largest zoom: beyond them a pixel's size at any depth within the coordinates leaves what f64 tells apart.
pub const MIN_ZOOM: f64 = 1e-6;
pub const MAX_ZOOM: f64 = 1e6;

/// Narrowest and widest horizontal field of view at zoom 1, degrees: at 180 the tangent is infinite.
pub const MIN_HFOV_DEG: f64 = 0.001;
pub const MAX_HFOV_DEG: f64 = 179.9;
