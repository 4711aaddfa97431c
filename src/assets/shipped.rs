//! The meshes that come with the binary.

use std::fmt;

/// A glTF file that is part of the binary and needs no other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShippedMesh {
    pub name: &'static str,
    pub bytes: &'static [u8],
}

impl fmt::Debug for ShippedMesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShippedMesh").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Each is written by `worlds/make_<name>.py`.
pub const SHIPPED_MESHES: &[ShippedMesh] = &[ShippedMesh {
    name: "demo_mug",
    bytes: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/worlds/objects/demo_mug.glb")),
}];

pub fn shipped_mesh(name: &str) -> Option<&'static ShippedMesh> {
    SHIPPED_MESHES.iter().find(|mesh| mesh.name == name)
}
