//! STL, binary and text. The right-hand rule decides what is front; the stored normals are redundant.

use super::error::{AssetError, Place};
use super::mesh::{Corner, Mesh, MeshBuilder};
use crate::math::Vector;

/// The header, and the count of triangles behind it.
const HEADER_BYTES: usize = 84;
const TRIANGLE_BYTES: usize = 50;

/// Binary if and only if the length is the one that its count demands: a binary file may well begin with `solid`.
pub fn read(file: &str, bytes: &[u8]) -> Result<Mesh, AssetError> {
    let announced =
        bytes.get(80..HEADER_BYTES).map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    let expected = announced.map(|count| HEADER_BYTES as u64 + TRIANGLE_BYTES as u64 * u64::from(count));
    if expected == Some(bytes.len() as u64) {
        return read_binary(file, bytes);
    }
    let looks_like_text = bytes.trim_ascii_start().starts_with(b"solid") && !bytes.contains(&0);
    match (looks_like_text, announced) {
        (true, _) => read_text(file, bytes),
        (false, None) if bytes.is_empty() => {
            Err(AssetError::new(file, Place::File, "an empty file", "an STL file with triangles"))
        }
        (false, None) => {
            let found = format!("{} bytes", bytes.len());
            Err(AssetError::new(
                file,
                Place::File,
                found,
                "an STL file: text from `solid` on, or a binary of 84 bytes or more",
            ))
        }
        (false, Some(announced)) => {
            let there = (bytes.len() - HEADER_BYTES) / TRIANGLE_BYTES;
            let found = format!("{announced} announced triangles and {} bytes, which hold {there}", bytes.len());
            Err(AssetError::new(
                file,
                Place::Byte(80),
                found,
                "84 bytes and 50 for each triangle; export the file again",
            ))
        }
    }
}

fn read_binary(file: &str, bytes: &[u8]) -> Result<Mesh, AssetError> {
    let mut builder = MeshBuilder::default();
    for (index, triangle) in bytes[HEADER_BYTES..].chunks_exact(TRIANGLE_BYTES).enumerate() {
        let place = Place::Byte(HEADER_BYTES + index * TRIANGLE_BYTES);
        let number = |at: usize| f64::from(f32::from_le_bytes([0, 1, 2, 3].map(|i| triangle[12 + 4 * at + i])));
        let corners = [0, 3, 6].map(|at| Vector::new(number(at), number(at + 1), number(at + 2)));
        add_triangle(&mut builder, file, place, corners)?;
    }
    builder.finish(file)
}

fn add_triangle(builder: &mut MeshBuilder, file: &str, place: Place, corners: [Vector; 3]) -> Result<(), AssetError> {
    let first = builder.positions.len() as u32;
    for corner in corners {
        builder.add_position(file, place, corner)?;
    }
    let corners = [0, 1, 2].map(|i| Corner { position: first + i, ..Corner::default() });
    builder.add_face(file, place, &corners, 0)
}

fn read_text(file: &str, bytes: &[u8]) -> Result<Mesh, AssetError> {
    let mut builder = MeshBuilder::default();
    let mut corners: Vec<Vector> = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|b| *b == b'\n')) {
        let place = Place::Line(number);
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("vertex") => corners.push(read_vertex(file, place, words)?),
            Some("endloop") => {
                let found = format!("a loop of {} vertices", corners.len());
                let triangle = <[Vector; 3]>::try_from(std::mem::take(&mut corners));
                let triangle = triangle.map_err(|_| AssetError::new(file, place, found, "three vertices a loop"))?;
                add_triangle(&mut builder, file, place, triangle)?;
            }
            Some("solid" | "facet" | "outer" | "endfacet" | "endsolid") | None => {}
            Some(other) => {
                let found: String = other.chars().take(40).collect();
                return Err(AssetError::new(file, place, found, "a word of STL, as facet, vertex or endloop"));
            }
        }
    }
    if !corners.is_empty() {
        return Err(AssetError::new(file, Place::File, "its end inside a loop", "endloop; the file is incomplete"));
    }
    builder.finish(file)
}

fn read_vertex<'w>(file: &str, place: Place, words: impl Iterator<Item = &'w str>) -> Result<Vector, AssetError> {
    let numbers: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
    match numbers.as_deref() {
        Some([x, y, z]) => Ok(Vector::new(*x, *y, *z)),
        _ => Err(AssetError::new(file, place, "a vertex without three numbers", "vertex x y z, with decimal points")),
    }
}
