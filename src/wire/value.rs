//! A sensor's values as text: nested lists, or base64 of little-endian bytes with numpy's words for type and shape.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::json;
use super::pace::Pace;
use crate::protocol::{Abandoned, Encoding, Image, Modality, SensorDescription, Value};

pub fn write(value: &Value, encoding: Encoding, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    match value {
        Value::Flag(flag) => json::boolean(out, *flag),
        Value::Integer(integer) => json::integer(out, (*integer).into()),
        Value::Number(number) => json::number(out, *number),
        Value::Numbers(numbers) => json::numbers(out, numbers),
        Value::Colour(rgba) => write_colour(out, rgba),
        Value::Depth(image) => match encoding {
            Encoding::Nested => write_rows(image, out, pace, |out, depth| json::number_f32(out, *depth))?,
            _ => write_base64(image, "<f4", None, out, pace, |depth| depth.to_le_bytes())?,
        },
        Value::Rgba(image) => match encoding {
            Encoding::Nested => write_rows(image, out, pace, write_colour)?,
            _ => write_base64(image, "|u1", Some(4), out, pace, |rgba| *rgba)?,
        },
        Value::Semantic(image) => match encoding {
            Encoding::Nested => write_rows(image, out, pace, |out, id| json::integer(out, (*id).into()))?,
            _ => write_base64(image, "<i4", None, out, pace, |id| id.to_le_bytes())?,
        },
        Value::Points(points) => match encoding {
            Encoding::Nested => write_matrix(points, out, pace)?,
            _ => write_array(points, "<f8", &format!("{},4", points.len()), out, pace, point_bytes)?,
        },
        Value::Matrix(rows) => write_matrix(rows, out, pace)?,
    }
    pace.check(out)
}

fn write_colour(out: &mut Vec<u8>, rgba: &[u8; 4]) {
    out.push(b'[');
    for part in rgba {
        json::comma(out);
        json::integer(out, (*part).into());
    }
    out.push(b']');
}

fn write_matrix(rows: &[impl AsRef<[f64]>], out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    out.push(b'[');
    for row in rows {
        json::comma(out);
        json::numbers(out, row.as_ref());
        pace.check(out)?;
    }
    out.push(b']');
    Ok(())
}

/// -0.0 leaves as 0.0 here too.
fn point_bytes(point: &[f64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, number) in bytes.chunks_exact_mut(8).zip(point) {
        bytes.copy_from_slice(&(number + 0.0).to_le_bytes());
    }
    bytes
}

fn write_rows<T>(
    image: &Image<T>,
    out: &mut Vec<u8>,
    pace: &mut Pace,
    write: impl Fn(&mut Vec<u8>, &T),
) -> Result<(), Abandoned> {
    out.push(b'[');
    for row in image.rows() {
        json::comma(out);
        out.push(b'[');
        for pixel in row {
            json::comma(out);
            write(out, pixel);
        }
        out.push(b']');
        pace.check(out)?;
    }
    out.push(b']');
    Ok(())
}

/// Each pixel's little-endian bytes, row by row from the top.
fn write_base64<T>(
    image: &Image<T>,
    dtype: &str,
    channels: Option<u32>,
    out: &mut Vec<u8>,
    pace: &mut Pace,
    bytes: impl Fn(&T) -> [u8; 4],
) -> Result<(), Abandoned> {
    let Image { width, height, pixels } = image;
    let channels = channels.map_or(String::new(), |count| format!(",{count}"));
    write_array(pixels, dtype, &format!("{height},{width}{channels}"), out, pace, bytes)
}

fn write_array<T, const N: usize>(
    items: &[T],
    dtype: &str,
    shape: &str,
    out: &mut Vec<u8>,
    pace: &mut Pace,
    bytes: impl Fn(&T) -> [u8; N],
) -> Result<(), Abandoned> {
    out.extend_from_slice(format!("{{\"dtype\":\"{dtype}\",\"shape\":[{shape}],\"data\":\"").as_bytes());
    for items in items.chunks(ITEMS_AT_ONCE) {
        let raw: Vec<u8> = items.iter().flat_map(&bytes).collect();
        let start = out.len();
        out.resize(start + base64_bytes(raw.len() as u64) as usize, 0);
        STANDARD.encode_slice(&raw, &mut out[start..]).expect("base64 takes four bytes for each three, rounded up");
        pace.check(out)?;
    }
    out.extend_from_slice(b"\"}");
    Ok(())
}

/// Divisible by 3, so that only the last piece is padded.
const ITEMS_AT_ONCE: usize = 3 << 16;

fn base64_bytes(raw: u64) -> u64 {
    raw.div_ceil(3) * 4
}

/// The longest f64 with sign, digits, point, exponent and a comma: `-1.7976931348623157e+308,`.
pub const NUMBER_BYTES: u64 = 26;

/// An upper bound of a value's text with its key.
pub fn longest_bytes(modality: Modality, sensor: &SensorDescription, encoding: Encoding) -> u64 {
    /// Longest texts of a pixel: `-1.1754944e-38,`, `[255,255,255,255],` and `2147483647,`.
    const DEPTH_BYTES: u64 = 16;
    const RGBA_BYTES: u64 = 18;
    const SEMANTIC_BYTES: u64 = 11;
    /// Key, brackets, dtype and shape; and the brackets of each row.
    const AROUND_BYTES: u64 = 96;
    let (width, height) = (u64::from(sensor.width), u64::from(sensor.height));
    let image = |pixel_bytes: u64| match encoding {
        Encoding::Nested => width * height * pixel_bytes + 3 * height,
        _ => base64_bytes(4 * width * height),
    };
    AROUND_BYTES
        + match modality {
            Modality::Depth => image(DEPTH_BYTES),
            Modality::Rgba => image(RGBA_BYTES),
            Modality::Semantic => image(SEMANTIC_BYTES),
            Modality::Semantic3d | Modality::SensorFrameData => match encoding {
                Encoding::Nested => width * height * (4 * NUMBER_BYTES + 3),
                _ => base64_bytes(32 * width * height),
            },
            Modality::CamToWorld => 16 * NUMBER_BYTES,
            _ => 9 * NUMBER_BYTES,
        }
}
