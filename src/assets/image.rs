//! Pictures on meshes: PNG and JPEG into texels, and the look-up.

use std::io::Cursor;
use std::sync::Arc;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::error::{AssetError, Place};
use super::limits;
use crate::math::{floor, log2};

/// A picture as bytes; the first row is the top one.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    /// Red, green, blue, alpha; alpha is not multiplied in.
    pub texels: Vec<[u8; 4]>,
}

impl Image {
    /// Each texel the mean of four; an odd last row or column is left out.
    fn halved(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut texels = Vec::with_capacity(width as usize * height as usize);
        let rows =
            |y: u32| &self.texels[y.min(self.height - 1) as usize * self.width as usize..][..self.width as usize];
        for y in 0..height {
            let (upper, lower) = (rows(2 * y), rows(2 * y + 1));
            // A single column is its own neighbour.
            let pairs = upper.chunks(2).zip(lower.chunks(2)).take(width as usize);
            texels.extend(pairs.map(|(a, b)| mean([a[0], a[a.len() - 1], b[0], b[b.len() - 1]])));
        }
        Self { width, height, texels }
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({} x {})", self.width, self.height)
    }
}

/// Of four texels, each part rounded: two parts at a time, side by side in one word.
fn mean(texels: [[u8; 4]; 4]) -> [u8; 4] {
    const EVEN: u32 = 0x00ff_00ff;
    let words = texels.map(u32::from_le_bytes);
    let sum = |shift: u32| words.iter().map(|word| (word >> shift) & EVEN).sum::<u32>();
    let mean = |shift: u32| ((sum(shift) + 0x0002_0002) >> 2) & EVEN;
    (mean(0) | mean(8) << 8).to_le_bytes()
}

/// An image as a material takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    pub image: Arc<Image>,
    /// The image at a half, a quarter and so on, for what is seen from far.
    halves: Arc<[Image]>,
    /// Beyond 0 to 1, for u and v.
    pub wrap: [Wrap; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    Repeat,
    Mirror,
    Clamp,
}

impl Texture {
    pub fn new(image: Image, wrap: [Wrap; 2]) -> Self {
        let halve = |image: &Image| (image.width > 1 || image.height > 1).then(|| image.halved());
        let halves = std::iter::successors(halve(&image), halve).collect();
        Self { image: Arc::new(image), halves, wrap }
    }

    pub fn repeated(image: Image) -> Self {
        Self::new(image, [Wrap::Repeat; 2])
    }

    /// Red, green, blue, alpha, each from 0 to 1, weighted between the four nearest texels; v = 0 is the top edge.
    pub fn sample(&self, uv: [f64; 2]) -> [f64; 4] {
        self.sample_of(&self.image, uv)
    }

    /// The same for a pixel that spans `steps` of u and v to its right and to its lower neighbour: between the two images whose
    /// texels are as large as the pixel, as OpenGL's trilinear filter has it.
    pub fn sample_over(&self, uv: [f64; 2], steps: [[f64; 2]; 2]) -> [f64; 4] {
        let size = [self.image.width, self.image.height].map(f64::from);
        let texels = steps.map(|step| (step[0] * size[0]).abs().max((step[1] * size[1]).abs()));
        // The longest side, not the diagonal: of the two the reference's images are nearer to this one.
        // `max` also takes the nan of a ray along the surface away.
        let level = log2(texels[0].max(texels[1])).max(0.0).min(self.halves.len() as f64);
        let low = floor(level);
        let image = |level: usize| if level == 0 { &*self.image } else { &self.halves[level - 1] };
        let first = self.sample_of(image(low as usize), uv);
        if level == low {
            return first;
        }
        let second = self.sample_of(image(low as usize + 1), uv);
        [0, 1, 2, 3].map(|i| first[i] + (second[i] - first[i]) * (level - low))
    }

    fn sample_of(&self, image: &Image, [u, v]: [f64; 2]) -> [f64; 4] {
        let Image { width, height, texels } = image;
        let (x0, x1, fx) = between(u, *width, self.wrap[0]);
        let (y0, y1, fy) = between(v, *height, self.wrap[1]);
        let texel = |x: u32, y: u32| texels[y as usize * *width as usize + x as usize].map(f64::from);
        let [a, b, c, d] = [texel(x0, y0), texel(x1, y0), texel(x0, y1), texel(x1, y1)];
        [0, 1, 2, 3].map(|i| {
            let (top, bottom) = (a[i] + (b[i] - a[i]) * fx, c[i] + (d[i] - c[i]) * fx);
            (top + (bottom - top) * fy) / 255.0
        })
    }
}

/// The two texels whose centres a coordinate is between, and how far it is from the first to the second.
fn between(coordinate: f64, size: u32, wrap: Wrap) -> (u32, u32, f64) {
    let place = coordinate * f64::from(size) - 0.5;
    let low = floor(place);
    let index = |place: f64| wrapped(place, f64::from(size), wrap) as u32;
    (index(low), index(low + 1.0), place - low)
}

/// A texel's number, whole but of any size, as one that the image has.
fn wrapped(place: f64, size: f64, wrap: Wrap) -> f64 {
    match wrap {
        Wrap::Repeat => place.rem_euclid(size),
        Wrap::Clamp => place.clamp(0.0, size - 1.0),
        Wrap::Mirror => {
            let within = place.rem_euclid(2.0 * size);
            if within < size { within } else { 2.0 * size - 1.0 - within }
        }
    }
}

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
    if width * height <= limits::MAX_TEXTURE_PIXELS && width * height > 0 {
        return Ok(());
    }
    let expected = format!("at least one and at most {} pixels; make it smaller", limits::MAX_TEXTURE_PIXELS);
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
    let pixels = pixels.chunks_exact(channels);
    match channels {
        1 => texels.extend(pixels.map(|p| [p[0], p[0], p[0], 255])),
        2 => texels.extend(pixels.map(|p| [p[0], p[0], p[0], p[1]])),
        3 => texels.extend(pixels.map(|p| [p[0], p[1], p[2], 255])),
        _ => texels.extend(pixels.map(|p| [p[0], p[1], p[2], p[3]])),
    }
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
    use super::*;

    #[test]
    fn beyond_the_edge_an_image_repeats_mirrors_or_ends() {
        let of = |wrap| [-3.0, -1.0, 0.0, 2.0, 3.0, 4.0, 7.0].map(|place| wrapped(place, 3.0, wrap));
        assert_eq!(of(Wrap::Repeat), [0.0, 2.0, 0.0, 2.0, 0.0, 1.0, 1.0]);
        assert_eq!(of(Wrap::Mirror), [2.0, 0.0, 0.0, 2.0, 2.0, 1.0, 1.0]);
        assert_eq!(of(Wrap::Clamp), [0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0]);
    }

    #[test]
    fn half_an_image_has_the_means_of_four_and_ends_at_one_texel() {
        let grey = |shade: u8| [shade, 255, 0, shade];
        let texels = [0, 1, 9, 2, 4, 9, 8, 8, 8].map(grey).to_vec();
        let image = Image { width: 3, height: 3, texels };
        assert_eq!(image.halved().texels, [grey(2)]);
        let column = Image { width: 1, height: 2, texels: vec![grey(10), grey(20)] };
        assert_eq!(column.halved().texels, [grey(15)]);
        assert_eq!(Texture::repeated(image).halves.len(), 1);
    }

    #[test]
    fn a_texels_centre_is_its_colour() {
        let texels = vec![[0, 0, 0, 255], [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 0]];
        let texture = Texture::repeated(Image { width: 2, height: 2, texels });
        assert_eq!(texture.sample([0.25, 0.25]), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(texture.sample([0.75, 0.25]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(texture.sample([0.25, 1.75]), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(texture.sample([0.5, 0.5]), [0.25, 0.25, 0.25, 0.75]);
    }
}
