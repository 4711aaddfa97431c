//! Wavefront OBJ. The format's rules where tools disagree: comments may stand anywhere, a backslash at a line's end joins the
//! next line, negative indices count from the latest line before, and the winding decides what is front, never vn.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::{AssetError, Place};
use super::limits;
use super::mesh::{Corner, Material, Mesh, MeshBuilder, check_count};
use super::mtl::{read_library, text_name};
use super::source::Files;
use crate::math::Vector;

/// Whether the libraries of materials that a file names are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Libraries {
    Read,
    /// As MuJoCo does.
    PassOver,
}

pub fn read(file: &str, bytes: &[u8], libraries: Libraries, files: &mut Files) -> Result<Mesh, AssetError> {
    let mut reader = Reader::new(file, libraries);
    for (number, line) in Lines::of(bytes) {
        reader.line(number, &line, files)?;
    }
    reader.finish(files)
}

/// Logical lines without comments, each with the number of its first line.
struct Lines<'b> {
    rest: Option<&'b [u8]>,
    number: usize,
}

impl<'b> Lines<'b> {
    fn of(bytes: &'b [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self { rest: Some(bytes), number: 0 }
    }

    fn physical(&mut self) -> Option<&'b [u8]> {
        let rest = self.rest?;
        self.number += 1;
        let end = rest.iter().position(|b| *b == b'\n');
        self.rest = end.map(|end| &rest[end + 1..]);
        let line = &rest[..end.unwrap_or(rest.len())];
        Some(without_comment(line.strip_suffix(b"\r").unwrap_or(line)))
    }
}

impl<'b> Iterator for Lines<'b> {
    type Item = (usize, Cow<'b, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.physical()?;
        let first = self.number;
        let Some(start) = line.strip_suffix(b"\\") else { return Some((first, Cow::Borrowed(line))) };
        let mut joined = start.to_vec();
        while let Some(next) = self.physical() {
            joined.push(b' ');
            joined.extend(next.strip_suffix(b"\\").unwrap_or(next));
            if !next.ends_with(b"\\") {
                break;
            }
        }
        Some((first, Cow::Owned(joined)))
    }
}

/// A comment begins at a line's start or behind a blank: names of files may hold the sign.
fn without_comment(line: &[u8]) -> &[u8] {
    let begins = |at: &usize| line[*at] == b'#' && (*at == 0 || line[at - 1].is_ascii_whitespace());
    let end = (0..line.len()).find(begins);
    &line[..end.unwrap_or(line.len())]
}

struct Reader<'f> {
    file: &'f str,
    libraries: Libraries,
    builder: MeshBuilder,
    colors: Vec<Option<[f32; 3]>>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    /// The corners of all faces, one behind the other, as indices from 0.
    corners: Vec<[Option<u32>; 3]>,
    faces: Vec<Face>,
    /// By name, as far as libraries were read.
    materials: BTreeMap<Vec<u8>, u32>,
    material: u32,
}

/// A face waits for the end of the file, since it may name vertices behind it.
#[derive(Clone, Copy)]
struct Face {
    line: u32,
    corners: u32,
    material: u32,
}

impl<'f> Reader<'f> {
    fn new(file: &'f str, libraries: Libraries) -> Self {
        let mut builder = MeshBuilder::default();
        builder.materials.push(Material::PLAIN);
        Self {
            file,
            libraries,
            builder,
            colors: Vec::new(),
            uvs: Vec::new(),
            normals: Vec::new(),
            corners: Vec::new(),
            faces: Vec::new(),
            materials: BTreeMap::new(),
            material: 0,
        }
    }

    fn line(&mut self, number: usize, line: &[u8], files: &mut Files) -> Result<(), AssetError> {
        let line = line.trim_ascii();
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let rest = line[end..].trim_ascii_start();
        let place = Place::Line(number);
        match &line[..end] {
            b"v" => self.vertex(place, rest),
            b"vt" => {
                let (vt, count) = numbers::<3>(self.file, place, "vt", rest, 1)?;
                let v = if count > 1 { vt[1] } else { 0.0 };
                self.uvs.push([vt[0] as f32, (1.0 - v) as f32]);
                Ok(())
            }
            b"vn" => {
                let (normal, _) = numbers::<3>(self.file, place, "vn", rest, 3)?;
                self.normals.push(normal.map(|n| n as f32));
                Ok(())
            }
            b"f" | b"fo" => self.face(number, rest),
            b"usemtl" => {
                self.use_material(rest, files);
                Ok(())
            }
            b"mtllib" if self.libraries == Libraries::Read => self.library(rest, files),
            _ => Ok(()),
        }
    }

    /// x y z, or x y z w with a weight that polygons do not use, or x y z and a colour, with an alpha at most.
    fn vertex(&mut self, place: Place, rest: &[u8]) -> Result<(), AssetError> {
        let (v, count) = numbers::<7>(self.file, place, "v", rest, 3)?;
        self.builder.add_position(self.file, place, Vector::new(v[0], v[1], v[2]))?;
        self.colors.push((count >= 6).then(|| [v[3], v[4], v[5]].map(|part| part.clamp(0.0, 1.0) as f32)));
        Ok(())
    }

    fn face(&mut self, line: usize, rest: &[u8]) -> Result<(), AssetError> {
        let place = Place::Line(line);
        let start = self.corners.len();
        for word in rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
            let corner = self.corner(place, word)?;
            self.corners.push(corner);
        }
        let corners = self.corners.len() - start;
        if corners < 3 {
            let found = format!("a face of {corners} corners");
            return Err(AssetError::new(
                self.file,
                place,
                found,
                "at least three; lines are written as l, points as p",
            ));
        }
        check_count(self.file, place, "corners of one face", corners, limits::MAX_CORNERS)?;
        check_count(self.file, place, "triangles", self.corners.len() / 3, limits::MAX_TRIANGLES)?;
        self.faces.push(Face { line: line as u32, corners: corners as u32, material: self.material });
        Ok(())
    }

    /// v, v/t, v//n or v/t/n.
    fn corner(&self, place: Place, word: &[u8]) -> Result<[Option<u32>; 3], AssetError> {
        let counts = [self.builder.positions.len(), self.uvs.len(), self.normals.len()];
        let mut indices = [None; 3];
        let mut parts = word.split(|b| *b == b'/');
        for (i, part) in parts.by_ref().take(3).enumerate() {
            if !part.is_empty() {
                indices[i] = Some(index(part, counts[i]).ok_or_else(|| self.wrong_corner(place, word))?);
            }
        }
        if indices[0].is_none() || parts.next().is_some() {
            return Err(self.wrong_corner(place, word));
        }
        Ok(indices)
    }

    fn wrong_corner(&self, place: Place, word: &[u8]) -> AssetError {
        let expected = "v, v/t, v//n or v/t/n, each an integer from 1, or from -1 backwards to the first line";
        AssetError::new(self.file, place, format!("the corner {}", shown(word)), expected)
    }

    fn use_material(&mut self, name: &[u8], files: &mut Files) {
        if self.libraries == Libraries::PassOver {
            return;
        }
        self.material = self.materials.get(name).copied().unwrap_or_else(|| {
            let known = self.materials.keys().map(|known| shown(known)).collect::<Vec<_>>().join(", ");
            // A missing library was told already.
            if !known.is_empty() {
                let name = shown(name);
                files.warn(format!(
                    "{}: usemtl {name}: no library has it (there are {known}); it stays grey",
                    self.file
                ));
            }
            0
        });
    }

    fn library(&mut self, names: &[u8], files: &mut Files) -> Result<(), AssetError> {
        for (name, material) in read_library(self.file, &text_name(names), files)? {
            let index = self.builder.materials.len() as u32;
            self.builder.materials.push(material);
            // The first of a name counts.
            self.materials.entry(name).or_insert(index);
        }
        Ok(())
    }

    fn finish(mut self, files: &mut Files) -> Result<Mesh, AssetError> {
        let (mut start, mut textured_without_uv) = (0, None);
        let mut face_corners = Vec::new();
        for face in &self.faces {
            let place = Place::Line(face.line as usize);
            face_corners.clear();
            for indices in &self.corners[start..][..face.corners as usize] {
                let corner = self.resolved(place, *indices)?;
                face_corners.push(corner);
            }
            start += face.corners as usize;
            let material = &self.builder.materials[face.material as usize];
            if material.texture.is_some() && face_corners.iter().any(|c| c.uv.is_none()) {
                textured_without_uv.get_or_insert(face.line);
            }
            self.builder.add_face(self.file, place, &face_corners, face.material)?;
        }
        if let Some(line) = textured_without_uv {
            files.warn(format!("{}: line {line}: a face has a texture and no vt; it stays grey", self.file));
        }
        self.builder.finish(self.file)
    }

    fn resolved(&self, place: Place, [v, t, n]: [Option<u32>; 3]) -> Result<Corner, AssetError> {
        let position = v.expect("every corner has its vertex");
        self.check_index(place, "vertex", position, self.builder.positions.len())?;
        t.map_or(Ok(()), |t| self.check_index(place, "vt", t, self.uvs.len()))?;
        n.map_or(Ok(()), |n| self.check_index(place, "vn", n, self.normals.len()))?;
        Ok(Corner {
            position,
            uv: t.map(|t| self.uvs[t as usize]),
            normal: n.map(|n| self.normals[n as usize]),
            color: self.colors[position as usize],
        })
    }

    fn check_index(&self, place: Place, what: &str, index: u32, count: usize) -> Result<(), AssetError> {
        if (index as usize) < count {
            return Ok(());
        }
        let found = format!("{what} {}", u64::from(index) + 1);
        Err(AssetError::new(self.file, place, found, format!("one of the {count} that the file has")))
    }
}

/// From 0, for one written from 1 or, below 0, back from the latest of `count`.
fn index(text: &[u8], count: usize) -> Option<u32> {
    let written: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    let index = if written < 0 { count as i64 + written } else { written - 1 };
    u32::try_from(index).ok()
}

/// As many finite numbers as there are, at least `least`; further ones than N are passed over. And how many.
pub fn numbers<const N: usize>(
    file: &str,
    place: Place,
    keyword: &str,
    rest: &[u8],
    least: usize,
) -> Result<([f64; N], usize), AssetError> {
    let mut numbers = [0.0; N];
    let mut count = 0;
    for word in rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(N) {
        let number = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
        numbers[count] = number.filter(|number| number.is_finite()).ok_or_else(|| {
            let expected = match word.contains(&b',') {
                true => "a number with a decimal point, not a comma",
                false => "a finite number",
            };
            AssetError::new(file, place, format!("{} behind {keyword}", shown(word)), expected)
        })?;
        count += 1;
    }
    match count >= least {
        true => Ok((numbers, count)),
        false => {
            Err(AssetError::new(file, place, format!("{count} numbers behind {keyword}"), format!("at least {least}")))
        }
    }
}

fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(word).chars().take(60).collect()
}
