//! PLY: text and binary of both byte orders, faces of any number of corners, colours of vertices. What is announced is never
//! believed: items are read one after the other until the file ends.

use super::error::{AssetError, Place};
use super::limits;
use super::mesh::{Corner, Mesh, MeshBuilder, check_count};
use crate::math::Vector;

pub fn read(file: &str, bytes: &[u8]) -> Result<Mesh, AssetError> {
    let header = Header::read(file, bytes)?;
    let mut body = Body { file, bytes, at: header.end, line: header.lines, form: header.form };
    let mut builder = MeshBuilder::default();
    let mut vertices = Vertices::default();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => vertices.read(element, &mut body, &mut builder)?,
            "face" => read_faces(element, &mut body, &vertices, &mut builder)?,
            _ if element.properties.is_empty() => {}
            _ => (0..element.count).try_for_each(|i| body.skip_item(element, i))?,
        }
    }
    builder.finish(file)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "char" | "int8" => Scalar::I8,
            "uchar" | "uint8" => Scalar::U8,
            "short" | "int16" => Scalar::I16,
            "ushort" | "uint16" => Scalar::U16,
            "int" | "int32" => Scalar::I32,
            "uint" | "uint32" => Scalar::U32,
            "float" | "float32" => Scalar::F32,
            "double" | "float64" => Scalar::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    fn is_integer(self) -> bool {
        !matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Of bytes in little-endian order.
    fn value(self, b: [u8; 8]) -> f64 {
        match self {
            Scalar::I8 => f64::from(b[0] as i8),
            Scalar::U8 => f64::from(b[0]),
            Scalar::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
            Scalar::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
            Scalar::I32 => f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Scalar::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Scalar::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Scalar::F64 => f64::from_le_bytes(b),
        }
    }
}

#[derive(Debug)]
struct Property {
    name: String,
    /// The type of the count, of a list.
    list: Option<Scalar>,
    scalar: Scalar,
}

#[derive(Debug)]
struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

#[derive(Debug)]
struct Header {
    form: Form,
    elements: Vec<Element>,
    /// Where the body begins.
    end: usize,
    lines: usize,
}

impl Header {
    fn read(file: &str, bytes: &[u8]) -> Result<Self, AssetError> {
        let mut header = Self { form: Form::Text, elements: Vec::new(), end: 0, lines: 0 };
        let mut has_format = false;
        loop {
            let rest = &bytes[header.end..];
            let place = Place::Line(header.lines + 1);
            let Some(length) = rest.iter().position(|b| *b == b'\n') else {
                let expected = "ply on the first line, and end_header; the file is no PLY or is incomplete";
                return Err(AssetError::new(file, place, "the end inside the header", expected));
            };
            let line = String::from_utf8_lossy(&rest[..length]);
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let wrong = |expected: &str| {
                let found: String = line.trim().chars().take(60).collect();
                Err(AssetError::new(file, place, found, expected))
            };
            header.end += length + 1;
            header.lines += 1;
            match words[..] {
                ["ply"] if header.lines == 1 => {}
                _ if header.lines == 1 => return wrong("ply, the first line of a PLY file"),
                ["format", form, _] => {
                    header.form = match form {
                        "ascii" => Form::Text,
                        "binary_little_endian" => Form::LittleEndian,
                        "binary_big_endian" => Form::BigEndian,
                        _ => return wrong("format ascii, binary_little_endian or binary_big_endian"),
                    };
                    has_format = true;
                }
                ["element", name, count] => match count.parse() {
                    Ok(count) => header.elements.push(Element { name: name.to_owned(), count, properties: Vec::new() }),
                    Err(_) => return wrong("element, a name and a count"),
                },
                ["property", ..] => match (property(&words), header.elements.last_mut()) {
                    (Some(property), Some(element)) => element.properties.push(property),
                    _ => return wrong("property, a type and a name, or property list, two types and a name"),
                },
                ["end_header"] if has_format => return Ok(header),
                ["end_header"] => return wrong("a line with the format before it"),
                ["comment" | "obj_info", ..] | [] => {}
                _ => return wrong("format, element, property, comment, obj_info or end_header"),
            }
        }
    }
}

fn property(words: &[&str]) -> Option<Property> {
    match *words {
        ["property", "list", count, scalar, name] => {
            let count = Scalar::from_word(count).filter(|count| count.is_integer())?;
            Some(Property { name: name.to_owned(), list: Some(count), scalar: Scalar::from_word(scalar)? })
        }
        ["property", scalar, name] => {
            Some(Property { name: name.to_owned(), list: None, scalar: Scalar::from_word(scalar)? })
        }
        _ => None,
    }
}

/// What stands behind the header, from the left to the right.
struct Body<'b> {
    file: &'b str,
    bytes: &'b [u8],
    at: usize,
    line: usize,
    form: Form,
}

impl Body<'_> {
    fn place(&self) -> Place {
        if self.form == Form::Text { Place::Line(self.line + 1) } else { Place::Byte(self.at) }
    }

    fn wrong(&self, found: impl Into<String>, expected: impl Into<String>) -> AssetError {
        AssetError::new(self.file, self.place(), found, expected)
    }

    fn next(&mut self, scalar: Scalar, element: &Element, index: u64) -> Result<f64, AssetError> {
        match self.form {
            Form::Text => self.next_word(element, index),
            form => {
                let size = scalar.size();
                let end = self.at + size;
                let Some(bytes) = self.bytes.get(self.at..end) else { return Err(self.ended(element, index)) };
                let mut ordered = [0; 8];
                ordered[..size].copy_from_slice(bytes);
                if form == Form::BigEndian {
                    ordered[..size].reverse();
                }
                self.at = end;
                Ok(scalar.value(ordered))
            }
        }
    }

    fn ended(&self, element: &Element, index: u64) -> AssetError {
        let Element { name, count, .. } = element;
        self.wrong(
            format!("the end of the file after {index} of the {count} announced items of {name}"),
            "all of them; the file is truncated",
        )
    }

    fn next_word(&mut self, element: &Element, index: u64) -> Result<f64, AssetError> {
        while let Some(byte) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.ended(element, index));
        }
        let word = std::str::from_utf8(&rest[..length]).ok();
        let number = word.and_then(|word| word.parse().ok()).ok_or_else(|| {
            let found: String = String::from_utf8_lossy(&rest[..length]).chars().take(40).collect();
            self.wrong(found, "a number with a decimal point")
        })?;
        self.at += length;
        Ok(number)
    }

    /// How many items a list has.
    fn count(&mut self, scalar: Scalar, element: &Element, index: u64) -> Result<u64, AssetError> {
        let count = self.next(scalar, element, index)?;
        match (0.0..=f64::from(u32::MAX)).contains(&count) && count.fract() == 0.0 {
            true => Ok(count as u64),
            false => Err(self.wrong(format!("a list of {count} items"), "a whole number from 0 on")),
        }
    }

    fn skip(&mut self, property: &Property, element: &Element, index: u64) -> Result<(), AssetError> {
        let count = property.list.map_or(Ok(1), |scalar| self.count(scalar, element, index))?;
        (0..count).try_for_each(|_| self.next(property.scalar, element, index).map(drop))
    }

    fn skip_item(&mut self, element: &Element, index: u64) -> Result<(), AssetError> {
        element.properties.iter().try_for_each(|property| self.skip(property, element, index))
    }
}

/// What vertices have beside their positions.
#[derive(Default)]
struct Vertices {
    colors: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
}

const POSITION: [&str; 3] = ["x", "y", "z"];
const COLOR: [&str; 3] = ["red", "green", "blue"];
const NORMAL: [&str; 3] = ["nx", "ny", "nz"];

impl Vertices {
    fn read(&mut self, element: &Element, body: &mut Body, builder: &mut MeshBuilder) -> Result<(), AssetError> {
        let find = |name: &str| element.properties.iter().position(|p| p.name == name && p.list.is_none());
        let three = |names: [&str; 3]| Some([find(names[0])?, find(names[1])?, find(names[2])?]);
        let Some(position) = three(POSITION) else {
            return Err(AssetError::new(body.file, Place::File, "vertices without x, y and z", "all three"));
        };
        let (color, normal) = (three(COLOR), three(NORMAL));
        let uv = [["s", "t"], ["u", "v"], ["texture_u", "texture_v"]]
            .into_iter()
            .find_map(|[u, v]| Some([find(u)?, find(v)?]));
        let mut values = vec![0.0; element.properties.len()];
        for index in 0..element.count {
            let place = body.place();
            for (value, property) in values.iter_mut().zip(&element.properties) {
                match property.list {
                    None => *value = body.next(property.scalar, element, index)?,
                    Some(_) => body.skip(property, element, index)?,
                }
            }
            builder.add_position(body.file, place, Vector::from(position.map(|i| values[i])))?;
            self.colors.extend(color.map(|of| of.map(|i| shade(element.properties[i].scalar, values[i]))));
            self.normals.extend(normal.map(|of| of.map(|i| values[i] as f32)));
            self.uvs.extend(uv.map(|[u, v]| [values[u] as f32, (1.0 - values[v]) as f32]));
        }
        Ok(())
    }

    fn corner(&self, position: u32) -> Corner {
        let index = position as usize;
        Corner {
            position,
            uv: self.uvs.get(index).copied(),
            normal: self.normals.get(index).copied(),
            color: self.colors.get(index).copied(),
        }
    }
}

/// A colour's part as a fraction: integers of the largest that they hold.
fn shade(scalar: Scalar, value: f64) -> f32 {
    let most = match scalar {
        Scalar::U8 | Scalar::I8 => 255.0,
        Scalar::U16 | Scalar::I16 => 65535.0,
        _ => 1.0,
    };
    (value / most).clamp(0.0, 1.0) as f32
}

fn read_faces(
    element: &Element,
    body: &mut Body,
    vertices: &Vertices,
    builder: &mut MeshBuilder,
) -> Result<(), AssetError> {
    let is_list = |p: &&Property| p.list.is_some() && (p.name == "vertex_indices" || p.name == "vertex_index");
    let Some(list) = element.properties.iter().find(is_list) else {
        let found = "faces without a list vertex_indices";
        return Err(AssetError::new(body.file, Place::File, found, "property list … vertex_indices"));
    };
    let vertices_there = builder.positions.len();
    let mut corners = Vec::new();
    for index in 0..element.count {
        let place = body.place();
        corners.clear();
        for property in &element.properties {
            let Some(scalar) = property.list.filter(|_| std::ptr::eq(property, list)) else {
                body.skip(property, element, index)?;
                continue;
            };
            let count = body.count(scalar, element, index)?;
            check_count(body.file, place, "corners of one face", count as usize, limits::MAX_CORNERS)?;
            for _ in 0..count {
                let vertex = body.next(property.scalar, element, index)?;
                if vertex.fract() != 0.0 || !(0.0..vertices_there as f64).contains(&vertex) {
                    let found = format!("face {index} with the vertex index {vertex}");
                    let expected = format!("one of the {vertices_there} vertices, from 0");
                    return Err(AssetError::new(body.file, place, found, expected));
                }
                corners.push(vertices.corner(vertex as u32));
            }
        }
        if corners.len() >= 3 {
            builder.add_face(body.file, place, &corners, 0)?;
        }
    }
    Ok(())
}
