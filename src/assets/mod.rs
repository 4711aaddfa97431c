//! Objects from outside the binary: meshes with their textures, by name or by file, read with checks of our own.
//!
//! Files come through a [`Source`]: a door has folders, tests have a map. A reader takes bytes and gives a [`Mesh`], or an
//! [`AssetError`] that names the file, the line or byte, what stands there and what is expected.

mod bvh;
mod clusters;
mod error;
mod four;
mod gltf;
mod image;
mod layout;
pub mod limits;
mod mesh;
mod mtl;
mod obj;
mod path;
mod ply;
mod polygon;
mod shipped;
mod source;
mod stl;
mod texture;

pub use bvh::{Bvh, Caster};
pub use clusters::{Cluster, Clusters, Frustum};
pub use error::AssetError;
pub use four::Eight;
pub(crate) use four::{EIGHT, WHOLE, dot, first, lanes, sides, whole};
pub use layout::{DataFolder, Layout, Located};
pub use mesh::{Loaded, Material, Mesh, Surface};
pub use path::join;
pub use shipped::{SHIPPED_MESHES, ShippedMesh, shipped_mesh};
pub use source::{Bytes, InMemory, Nowhere, Source, Unread};
pub use texture::{Detail, Image, Level, Octaves, Texture, UNIT, Wrap};
