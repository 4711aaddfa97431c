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
    out.extend_from_slice(
        format!("{{\"dtype\":\"{dtype}\",\"shape\":[{height},{width}{channels}],\"data\":\"").as_bytes(),
    );
    for pixels in pixels.chunks(PIXELS_AT_ONCE) {
        let raw: Vec<u8> = pixels.iter().flat_map(&bytes).collect();
        let start = out.len();
        out.resize(start + base64_bytes(raw.len() as u64) as usize, 0);
        STANDARD.encode_slice(&raw, &mut out[start..]).expect("base64 takes four bytes for each three, rounded up");
        pace.check(out)?;
    }
    out.extend_from_slice(b"\"}");
    Ok(())
}

/// Divisible by 3, so that only the last piece is padded.
const PIXELS_AT_ONCE: usize = 3 << 16;

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
            _ => 9 * NUMBER_BYTES,
        }
}
