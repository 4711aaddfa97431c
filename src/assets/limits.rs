//! Every maximum of files with objects, each with its reason.

/// Longest file, in bytes: a scan of 5 million triangles as OBJ is some 400 MB.
pub const MAX_FILE_BYTES: u64 = 512 << 20;

/// Most vertices and triangles of one object: the finest of YCB's scans have 0.5 million triangles; 8 million with their tree
/// take 2 GB.
pub const MAX_VERTICES: usize = 8 << 20;
pub const MAX_TRIANGLES: usize = 8 << 20;

/// Most corners of one face: cutting a concave one takes the cube of it at worst.
pub const MAX_CORNERS: usize = 512;

/// Most pixels of a texture: 8192², 256 MiB as texels, four times what Monty's objects have.
pub const MAX_TEXTURE_PIXELS: u64 = 1 << 26;

/// Most texels of a texture along one side: places on it are whole numbers of 23 bits, in parts of 256 of a texel.
pub const MAX_TEXTURE_SIDE: u64 = (1 << 15) - 1;

/// Largest coordinate in a file, in its own unit: beyond it the square of a face's area is no f32.
pub const MAX_COORDINATE: f64 = 1e9;

/// Deepest nesting of a glTF scene's nodes, and most visits of nodes: a node in a circle would be walked for ever.
pub const MAX_NODE_DEPTH: usize = 256;
pub const MAX_NODES: usize = 100_000;

/// Deepest folder below a data folder in which configurations of objects are looked for.
pub const MAX_FOLDER_DEPTH: usize = 3;
