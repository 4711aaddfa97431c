//! A sensor's values: arrays as nested lists, base64 or bytes behind the JSON, the rest as JSON in each encoding.

use super::array::{self, ALIGNMENT, Form, base64_bytes};
use super::digits::{MOST_OF_F32, MOST_OF_F64};
use super::json;
use super::nested;
use super::pace::Pace;
use crate::protocol::{Abandoned, Encoding, Modality, SensorDescription, Value};

pub fn write(value: &Value, encoding: Encoding, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    match (encoding, Form::of(value)) {
        (Encoding::Base64, Some(form)) => array::write_base64(&form, value, out, pace)?,
        (Encoding::Binary, Some(form)) => array::write_reference(&form, out),
        _ => write_json(value, out, pace)?,
    }
    pace.check(out)
}

fn write_json(value: &Value, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    match value {
        Value::Flag(flag) => json::boolean(out, *flag),
        Value::Integer(integer) => json::integer(out, (*integer).into()),
        Value::Number(number) => json::number(out, *number),
        Value::Numbers(numbers) => json::numbers(out, numbers),
        Value::Colour(rgba) => nested::write_colour(rgba, out),
        Value::Vectors(rows) => nested::write_matrix(rows, out),
        Value::Matrix(rows) => nested::write_matrix(rows, out),
        Value::Depth(image) => nested::write_depth(image, out, pace)?,
        Value::Rgba(image) => nested::write_rgba(image, out, pace)?,
        Value::Semantic(image) => nested::write_semantic(image, out, pace)?,
        Value::Points(points) => nested::write_points(points, out, pace)?,
    }
    Ok(())
}

/// The longest f64 with its comma and a space to spare.
pub const NUMBER_BYTES: u64 = MOST_OF_F64 as u64 + 2;

/// An upper bound of a value's bytes with its key.
pub fn longest_bytes(modality: Modality, sensor: &SensorDescription, encoding: Encoding) -> u64 {
    /// Longest texts of a pixel: an f32 with its comma, `[255,255,255,255],` and `2147483647,`.
    const DEPTH_BYTES: u64 = MOST_OF_F32 as u64 + 1;
    const RGBA_BYTES: u64 = 18;
    const SEMANTIC_BYTES: u64 = 11;
    /// Key, brackets, dtype, shape, offset and length.
    const AROUND_BYTES: u64 = 128;
    let (width, height) = (u64::from(sensor.width), u64::from(sensor.height));
    let array = |nested: u64, raw: u64| match encoding {
        Encoding::Nested => nested,
        Encoding::Base64 => base64_bytes(raw),
        Encoding::Binary => raw + ALIGNMENT as u64,
    };
    // Each row has its brackets.
    let image = |pixel_bytes: u64| array(width * height * pixel_bytes + 3 * height, 4 * width * height);
    AROUND_BYTES
        + match modality {
            Modality::Depth => image(DEPTH_BYTES),
            Modality::Rgba => image(RGBA_BYTES),
            Modality::Semantic => image(SEMANTIC_BYTES),
            Modality::Semantic3d | Modality::SensorFrameData => {
                array(width * height * (4 * NUMBER_BYTES + 3), 32 * width * height)
            }
            Modality::CamToWorld => 16 * NUMBER_BYTES,
            _ => 9 * NUMBER_BYTES,
        }
}
