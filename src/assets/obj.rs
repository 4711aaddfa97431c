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
        let end = memchr::memchr(b'\n', rest);
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
    let begins = |at: &usize| *at == 0 || line[at - 1].is_ascii_whitespace();
    let end = memchr::memchr_iter(b'#', line).find(begins);
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
        let mut text = rest;
        while !text.is_empty() {
            let (corner, behind) = self.corner(text).ok_or_else(|| self.wrong_corner(place, text))?;
            self.corners.push(corner);
            text = behind.trim_ascii_start();
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

    /// v, v/t, v//n or v/t/n at the beginning of a text, and what is behind it.
    fn corner<'t>(&self, text: &'t [u8]) -> Option<([Option<u32>; 3], &'t [u8])> {
        let (v, mut rest) = index(text, self.builder.positions.len())?;
        let mut indices = [Some(v), None, None];
        for (index_of, count) in indices[1..].iter_mut().zip([self.uvs.len(), self.normals.len()]) {
            let [b'/', behind @ ..] = rest else { break };
            rest = behind;
            if !ends_word(rest) && rest[0] != b'/' {
                let (index, behind) = index(rest, count)?;
                (*index_of, rest) = (Some(index), behind);
            }
        }
        ends_word(rest).then_some((indices, rest))
    }

    fn wrong_corner(&self, place: Place, text: &[u8]) -> AssetError {
        let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
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
        self.builder.reserve(self.corners.len() - 2 * self.faces.len());
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

fn ends_word(rest: &[u8]) -> bool {
    rest.first().is_none_or(u8::is_ascii_whitespace)
}

/// From 0, for one written from 1 or, below 0, back from the latest of `count`. And what is behind its digits.
fn index(text: &[u8], count: usize) -> Option<(u32, &[u8])> {
    let (is_back, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let mut number = 0i64;
    while let [digit @ b'0'..=b'9', behind @ ..] = rest {
        number = number.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
        rest = behind;
    }
    // Without a digit it is 0 as well, which counts from neither end.
    let index = if is_back { count as i64 - number } else { number - 1 };
    let index = u32::try_from(index).ok().filter(|_| number > 0)?;
    Some((index, rest))
}

/// A number of few digits and without an exponent, as nearly all are. A whole number and a power of ten, both exact as f64,
/// have the nearest f64 as their quotient; the standard library finds the same one in many more steps.
fn short_decimal(word: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (sign, digits) = match word {
        [b'-', digits @ ..] => (-1.0, digits),
        digits => (1.0, digits),
    };
    if digits.len() > POWERS.len() {
        return None;
    }
    let (mut whole, mut count, mut point) = (0, 0, None);
    for byte in digits {
        match byte {
            b'0'..=b'9' => (whole, count) = (10 * whole + u64::from(byte - b'0'), count + 1),
            b'.' if point.is_none() => point = Some(count),
            _ => return None,
        }
    }
    let power = POWERS[count - point.unwrap_or(count)];
    (1..POWERS.len()).contains(&count).then_some(sign * (whole as f64 / power))
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
        let number = short_decimal(word).or_else(|| std::str::from_utf8(word).ok()?.parse::<f64>().ok());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_decimal_is_what_the_standard_library_reads() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (digits, length, point) = (state >> 11, (state >> 3) % 15 + 1, (state >> 7) % 16);
            let digits = format!("{digits:015}")[..length as usize].to_owned();
            let (whole, part) = digits.split_at(digits.len().min(point as usize));
            for text in [digits.clone(), format!("{whole}.{part}"), format!("-{whole}.{part}")] {
                let read = short_decimal(text.as_bytes()).map(f64::to_bits);
                assert_eq!(read, Some(text.parse::<f64>().expect("a number").to_bits()), "{text}");
            }
        }
        for text in
            ["", "-", ".", "-.", "1.2.3", "--1", "+1", "1e3", "nan", "1,5", "1234567890123456", "0.123456789012345678"]
        {
            assert_eq!(short_decimal(text.as_bytes()), None, "{text}");
        }
        assert_eq!(short_decimal(b"-0").map(f64::to_bits), Some((-0.0f64).to_bits()));
    }

    #[test]
    fn an_index_is_a_whole_number_and_counts_from_either_end() {
        let of = |text: &str| index(text.as_bytes(), 10).map(|(index, rest)| (index, rest.len()));
        assert_eq!(
            ["1", "+2/", "-1", "-10", "-11", "12 "].map(of),
            [Some((0, 0)), Some((1, 1)), Some((9, 0)), Some((0, 0)), None, Some((11, 1))]
        );
        assert_eq!(["", "-", "0", "-0", "x", "99999999999999999999"].map(of), [None; 6]);
    }
}
