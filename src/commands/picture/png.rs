//! A canvas as the bytes of a PNG file.

use png::{BitDepth, ColorType, Encoder, EncodingError};

use super::Canvas;

pub fn to_png(canvas: &Canvas) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(canvas, &mut bytes).expect("a picture that has pixels can be written to memory");
    bytes
}

fn write(canvas: &Canvas, bytes: &mut Vec<u8>) -> Result<(), EncodingError> {
    let mut encoder = Encoder::new(bytes, canvas.width as u32, canvas.height as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(canvas.pixels.as_flattened())?;
    writer.finish()
}
