//! Pictures on meshes: PNG and JPEG into texels.

use std::io::Cursor;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::error::{AssetError, Place};
use super::limits;
use super::texture::Image;

const PNG_START: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG_START: &[u8] = b"\xff\xd8\xff";
const KTX2_START: &[u8] = b"\xabKTX 20\xbb\r\n\x1a\n";

/// A picture in one of the two formats, by its first bytes.
pub fn decode(file: &str, bytes: &[u8]) -> Result<Image, AssetError> {
    if bytes.starts_with(PNG_START) {
        decode_png(file, bytes)
    } else if bytes.starts_with(JPEG_START) {
        decode_jpeg(file, bytes)
    } else {
        let is_ktx2 = bytes.starts_with(KTX2_START);
        let found = if is_ktx2 { "a KTX2 texture (KHR_texture_basisu)" } else { "bytes that are neither PNG nor JPEG" };
        Err(AssetError::new(file, Place::Byte(0), found, "a PNG or JPEG picture; convert it, as with `ktx extract`"))
    }
}

fn check_size(file: &str, width: u64, height: u64) -> Result<(), AssetError> {
    let (most, longest) = (limits::MAX_TEXTURE_PIXELS, limits::MAX_TEXTURE_SIDE);
    if width.min(height) > 0 && width.max(height) <= longest && width * height <= most {
        return Ok(());
    }
    let expected =
        format!("at least one and at most {most} pixels, no more than {longest} along a side; make it smaller");
    Err(AssetError::new(file, Place::File, format!("a picture of {width} x {height} pixels"), expected))
}

fn decode_png(file: &str, bytes: &[u8]) -> Result<Image, AssetError> {
    let wrong = |error: png::DecodingError| {
        AssetError::new(file, Place::File, format!("a PNG with an error: {error}"), "a whole PNG; export it again")
    };
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // 4 channels of 2 bytes for each pixel, and what stands beside them.
    decoder.set_limits(png::Limits { bytes: 8 * limits::MAX_TEXTURE_PIXELS as usize + (64 << 20) });
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let header = decoder.read_header_info().map_err(wrong)?;
    let (width, height) = (header.width, header.height);
    check_size(file, width.into(), height.into())?;
    let mut reader = decoder.read_info().map_err(wrong)?;
    let channels = reader.output_color_type().0.samples();
    let mut texels = Vec::with_capacity(width as usize * height as usize);
    if reader.info().interlaced {
        let size = reader.output_buffer_size().expect("the picture's size was checked");
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).map_err(wrong)?;
        push_texels(&mut texels, &pixels[..info.buffer_size()], channels);
    } else {
        // Row by row, so that the picture is not held twice.
        while let Some(row) = reader.next_row().map_err(wrong)? {
            push_texels(&mut texels, row.data(), channels);
        }
    }
    if texels.len() != width as usize * height as usize {
        let found = format!("{} of {width} x {height} pixels", texels.len());
        return Err(AssetError::new(file, Place::File, found, "a whole PNG; it is truncated"));
    }
    Ok(Image { width, height, texels })
}

/// Of 1 (grey), 2 (grey, alpha), 3 (red, green, blue) or 4 channels.
fn push_texels(texels: &mut Vec<[u8; 4]>, pixels: &[u8], channels: usize) {
    match channels {
        1 => texels.extend(pixels.iter().map(|grey| [*grey, *grey, *grey, 255])),
        2 => texels.extend(pixels.as_chunks().0.iter().map(|[grey, alpha]| [*grey, *grey, *grey, *alpha])),
        3 => {
            let (fours, rest) = pixels.as_chunks();
            texels.extend(fours.iter().flat_map(four_opaque));
            texels.extend(rest.as_chunks().0.iter().map(|[red, green, blue]| [*red, *green, *blue, 255]));
        }
        _ => texels.extend(pixels.as_chunks::<4>().0),
    }
}

/// Four pixels of red, green and blue, a word at a time.
fn four_opaque(pixels: &[u8; 12]) -> [[u8; 4]; 4] {
    const OPAQUE: u32 = 0xff00_0000;
    let [a, b, c] =
        [0, 4, 8].map(|at| u32::from_le_bytes([pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]]));
    [a, a >> 24 | b << 8, b >> 16 | c << 16, c >> 8].map(|pixel| (pixel | OPAQUE).to_le_bytes())
}

fn decode_jpeg(file: &str, bytes: &[u8]) -> Result<Image, AssetError> {
    let wrong = |error: String| {
        AssetError::new(file, Place::File, format!("a JPEG with an error: {error}"), "a whole JPEG; export it again")
    };
    let options = DecoderOptions::default().set_strict_mode(true).jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|e| wrong(e.to_string()))?;
    let (width, height) = decoder.dimensions().ok_or_else(|| wrong("it has no size".to_owned()))?;
    check_size(file, width as u64, height as u64)?;
    let pixels = decoder.decode().map_err(|e| wrong(e.to_string()))?;
    if pixels.len() != width * height * 3 {
        return Err(wrong(format!("{} bytes for {width} x {height} pixels", pixels.len())));
    }
    let mut texels = Vec::with_capacity(width * height);
    push_texels(&mut texels, &pixels, 3);
    Ok(Image { width: width as u32, height: height as u32, texels })
}

#[cfg(test)]
mod tests {
    use super::super::limits::MAX_TEXTURE_SIDE;
    use super::super::texture::Texture;
    use super::*;

    #[test]
    fn the_longest_picture_is_seen_up_to_its_end_and_a_longer_one_is_refused() {
        assert!(check_size("strip.png", MAX_TEXTURE_SIDE, 1).is_ok());
        assert!(check_size("strip.png", 1, MAX_TEXTURE_SIDE + 1).is_err());
        let width = MAX_TEXTURE_SIDE as u32;
        let texels = (0..width).map(|column| [(column / 129) as u8, 0, 0, 255]).collect();
        let strip = Texture::repeated(Image { width, height: 1, texels });
        for column in [0, 1, 129, width / 2, width - 2, width - 1] {
            let red = strip.sample([(f64::from(column) + 0.5) / f64::from(width), 0.5])[0] * 255.0;
            assert!((red - (column / 129) as f32).abs() < 0.01, "{column}: {red}");
        }
    }
}
