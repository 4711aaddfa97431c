//! Arrays as bytes, little-endian, under numpy's words for type and shape: as base64 inside the JSON, or behind it.
//!
//! Behind it: after the JSON a zero byte, then the arrays in the order of the JSON, each at the next multiple of 8 from the
//! body's first byte, with zeros between them. A reply without arrays is the JSON alone. Where an array begins is known only
//! when the JSON has ended; until then its `offset` is left blank, in zero bytes, which stand nowhere else in JSON.

use super::digits::{self, MOST_OF_INTEGER};
use super::json;
use super::pace::Pace;
use crate::protocol::{Abandoned, Image, Value};

/// What numpy says of an array. Its shape is rows, columns and, where there are any, channels.
pub struct Form {
    dtype: &'static str,
    rows: u64,
    columns: u64,
    channels: Option<u64>,
    bytes: u64,
}

impl Form {
    /// `None` of a value that is no array.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Depth(image) => Some(Self::of_image("<f4", None, image)),
            Value::Rgba(image) => Some(Self::of_image("|u1", Some(4), image)),
            Value::Semantic(image) => Some(Self::of_image("<i4", None, image)),
            Value::Points(points) => Some(Self::of_points(points)),
            _ => None,
        }
    }

    fn of_image<T>(dtype: &'static str, channels: Option<u64>, image: &Image<T>) -> Self {
        let bytes = size_of_val(image.pixels.as_slice()) as u64;
        Self { dtype, rows: image.height.into(), columns: image.width.into(), channels, bytes }
    }

    fn of_points(points: &[[f64; 4]]) -> Self {
        let bytes = size_of_val(points) as u64;
        Self { dtype: "<f8", rows: points.len() as u64, columns: 4, channels: None, bytes }
    }

    fn write_type_and_shape(&self, out: &mut Vec<u8>) {
        let Self { dtype, rows, columns, channels, .. } = *self;
        json::key(out, "dtype");
        json::string(out, dtype);
        json::key(out, "shape");
        match channels {
            None => json::integers(out, &[rows, columns]),
            Some(channels) => json::integers(out, &[rows, columns, channels]),
        }
    }
}

/// The array as text.
pub fn write_base64(form: &Form, value: &Value, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    out.push(b'{');
    form.write_type_and_shape(out);
    json::key(out, "data");
    out.push(b'"');
    // At once, since each piece would make room for itself alone.
    out.reserve(base64_bytes(form.bytes) as usize);
    each_piece(value, |piece| {
        base64_simd::STANDARD.encode_append(piece, out);
        pace.check(out)
    })?;
    out.extend_from_slice(b"\"}");
    Ok(())
}

pub fn base64_bytes(raw: u64) -> u64 {
    raw.div_ceil(3) * 4
}

/// Place for the digits of any offset: a reply takes at most `MAX_REPLY_BYTES`.
const BLANK_OFFSET: [u8; 10] = [0; 10];

/// Where an array begins is a multiple of this, counted from the body's first byte.
pub const ALIGNMENT: usize = 8;

/// What stands in the JSON for an array behind it.
pub fn write_reference(form: &Form, out: &mut Vec<u8>) {
    out.push(b'{');
    form.write_type_and_shape(out);
    json::key(out, "offset");
    out.extend_from_slice(&BLANK_OFFSET);
    json::key(out, "bytes");
    json::integer(out, form.bytes);
    out.push(b'}');
}

/// Appends the arrays among the values of a reply whose JSON begins at `body` and ends where `out` does, and fills in their
/// offsets.
pub fn append<'v>(
    values: impl Iterator<Item = &'v Value>,
    body: usize,
    out: &mut Vec<u8>,
    pace: &mut Pace,
) -> Result<(), Abandoned> {
    let mut json = body..out.len();
    for value in values.filter(|value| Form::of(value).is_some()) {
        let is_first = out.len() == json.end;
        let least = out.len() - body + usize::from(is_first);
        let offset = least.next_multiple_of(ALIGNMENT);
        out.resize(body + offset, 0);
        json.start = fill_offset(&mut out[..json.end], json.start, offset);
        each_piece(value, |piece| {
            out.extend_from_slice(piece);
            pace.check(out)
        })?;
    }
    Ok(())
}

/// Writes an offset into the next blank, with spaces behind it; where to look for the one after.
fn fill_offset(json: &mut [u8], from: usize, offset: usize) -> usize {
    let blank = json[from..].iter().position(|byte| *byte == 0).expect("each array left its offset blank");
    let place = &mut json[from + blank..][..BLANK_OFFSET.len()];
    let mut digits = [b' '; MOST_OF_INTEGER];
    let length = digits::integer(&mut digits, offset as u64);
    digits[length..].fill(b' ');
    place.copy_from_slice(&digits[..BLANK_OFFSET.len()]);
    from + blank + BLANK_OFFSET.len()
}

/// Calls `take` with the bytes of an array, a piece at a time; with none of what is no array.
fn each_piece(value: &Value, take: impl FnMut(&[u8]) -> Result<(), Abandoned>) -> Result<(), Abandoned> {
    match value {
        Value::Depth(image) => each_piece_of(&image.pixels, |depth| (depth + 0.0).to_le_bytes(), take),
        Value::Rgba(image) => each_piece_of(&image.pixels, |rgba| *rgba, take),
        Value::Semantic(image) => each_piece_of(&image.pixels, |id| id.to_le_bytes(), take),
        Value::Points(points) => each_piece_of(points, point_bytes, take),
        _ => Ok(()),
    }
}

/// Bytes of a piece: divisible by 3, so that only the last one's base64 is padded, and by the bytes of each item.
const PIECE_BYTES: usize = 3 << 10;

fn each_piece_of<T, const N: usize>(
    items: &[T],
    bytes: impl Fn(&T) -> [u8; N],
    mut take: impl FnMut(&[u8]) -> Result<(), Abandoned>,
) -> Result<(), Abandoned> {
    let mut piece = [0; PIECE_BYTES];
    items.chunks(PIECE_BYTES / N).try_for_each(|items| {
        for (place, item) in piece.as_chunks_mut().0.iter_mut().zip(items) {
            *place = bytes(item);
        }
        take(&piece[..items.len() * N])
    })
}

/// -0.0 leaves as 0.0 here too.
fn point_bytes(point: &[f64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(point) {
        *bytes = (number + 0.0).to_le_bytes();
    }
    bytes
}
