//! A picture as a material takes it: the look-up of a colour, from near and from far.

use std::sync::Arc;

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

    /// Width and height in texels.
    pub fn size(&self) -> [f64; 2] {
        [self.image.width, self.image.height].map(f64::from)
    }

    /// Red, green, blue, alpha, each from 0 to 1, weighted between the four nearest texels; v = 0 is the top edge.
    pub fn sample(&self, uv: [f64; 2]) -> [f32; 4] {
        unit(self.image.sample(&self.within(uv)))
    }

    /// Which of the images a pixel sees that is so many texels long.
    pub fn level(&self, texels: f64) -> Level {
        // The nan of a ray along the surface is not above 1 either.
        if texels > 1.0 { log2(texels).at_most(self.halves.len()) } else { Level::NEAREST }
    }

    /// The same between the two images whose texels are as large as the pixel, as OpenGL's trilinear filter has it.
    #[inline(always)]
    pub fn sample_at(&self, uv: [f64; 2], level: Level) -> [f32; 4] {
        let place = self.within(uv);
        let image = |level: usize| if level == 0 { &*self.image } else { &self.halves[level - 1] };
        let near = unit(image(level.whole).sample(&place));
        if level.part == 0.0 {
            return near;
        }
        let far = unit(image(level.whole + 1).sample(&place));
        [0, 1, 2, 3].map(|i| near[i] + (far[i] - near[i]) * level.part)
    }

    #[inline(always)]
    fn within(&self, uv: [f64; 2]) -> [Spot; 2] {
        [0, 1].map(|axis| Spot::new(uv[axis], self.wrap[axis]))
    }
}

/// How often an image is halved, and how far it is from there to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    whole: usize,
    part: f32,
}

impl Level {
    pub const NEAREST: Level = Level { whole: 0, part: 0.0 };

    fn at_most(self, last: usize) -> Self {
        if self.whole < last { self } else { Self { whole: last, part: 0.0 } }
    }
}

/// Four numbers of 16 bits side by side in one word: a texel's parts, so that all are weighted at once.
type Parts = u64;

fn spread(texel: [u8; 4]) -> Parts {
    let word = u64::from(u32::from_le_bytes(texel));
    let halves = (word | word << 16) & 0x0000_ffff_0000_ffff;
    (halves | halves << 8) & 0x00ff_00ff_00ff_00ff
}

/// Of the sum of four texels whose weights are 256 together.
fn unit(parts: Parts) -> [f32; 4] {
    [0, 16, 32, 48].map(|shift| f32::from((parts >> shift) as u16) * (1.0 / (255.0 * 256.0)))
}

/// A coordinate within an image of any size.
#[derive(Clone, Copy, Debug)]
struct Spot {
    /// From 0 to 1.
    at: f64,
    /// Whether the first texel is beside the last.
    is_round: bool,
}

impl Spot {
    #[inline(always)]
    fn new(coordinate: f64, wrap: Wrap) -> Self {
        let at = match wrap {
            Wrap::Repeat => coordinate - whole(coordinate),
            Wrap::Clamp => coordinate.clamp(0.0, 1.0),
            Wrap::Mirror => {
                let twice = coordinate - 2.0 * whole(coordinate / 2.0);
                if twice > 1.0 { 2.0 - twice } else { twice }
            }
        };
        Self { at, is_round: wrap == Wrap::Repeat }
    }

    /// The two texels whose centres it is between, and how far it is from the first to the second, in parts of 256.
    #[inline(always)]
    fn between(&self, size: u32) -> (usize, usize, u64) {
        let last = size - 1;
        // From the centre of the texel before the first, in parts of 256 of a texel.
        let place = rounded(self.at * (256.0 * f64::from(size)) + 128.0);
        let (second, part) = (place >> 8, place & 255);
        let (before, behind) = if self.is_round { (last, 0) } else { (0, last) };
        let first = if second == 0 { before } else { (second - 1).min(last) };
        (first as usize, if second > last { behind } else { second } as usize, part.into())
    }
}

impl Image {
    #[inline(always)]
    fn sample(&self, [u, v]: &[Spot; 2]) -> Parts {
        let (x0, x1, right) = u.between(self.width);
        let (y0, y1, down) = v.between(self.height);
        let width = self.width as usize;
        let texel = |x: usize, y: usize| spread(self.texels[y * width + x]);
        let both = (right * down) >> 8;
        let (only_right, only_down) = (right - both, down - both);
        let neither = 256 - right - only_down;
        texel(x0, y0) * neither + texel(x1, y0) * only_right + texel(x0, y1) * only_down + texel(x1, y1) * both
    }
}

/// So large that adding it leaves no digit behind the point: the fastest way to a whole number.
const WHOLE: f64 = (3u64 << 51) as f64;

/// A number below 2³² to the nearest whole one; of others, anything.
#[inline(always)]
fn rounded(number: f64) -> u32 {
    (number + WHOLE).to_bits() as u32
}

/// The largest whole number that is not above, or for a whole one that or the next below; below 2⁵¹.
#[inline(always)]
fn whole(number: f64) -> f64 {
    (number - 0.5 + WHOLE) - WHOLE
}

/// Of a number above 1, right to 1e-4.
fn log2(number: f64) -> Level {
    let bits = number.to_bits();
    let whole = (bits >> 52) as usize - 1023;
    let mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | 1023 << 52) - 1.0;
    // Log2(1 + m) over m, fitted so that it ends at 1.
    let [c0, c1, c2, c3] = [1.441_747, -0.707_823, 0.412_483, -0.190_468];
    let curve = c0 + mantissa * (c1 + mantissa * (c2 + mantissa * (c3 + mantissa * (1.0 - c0 - c1 - c2 - c3))));
    Level { whole, part: (mantissa * curve) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_edge_an_image_repeats_mirrors_or_ends() {
        let texels = [10, 20, 30].map(|shade| [shade, 0, 0, 255]).to_vec();
        let of = |wrap| {
            let texture = Texture::new(Image { width: 3, height: 1, texels: texels.clone() }, [wrap; 2]);
            [-2.5, -0.5, 0.5, 2.5, 3.5, 4.5, 7.5].map(|texel| (texture.sample([texel / 3.0, 0.5])[0] * 255.0).round())
        };
        assert_eq!(of(Wrap::Repeat), [10.0, 30.0, 10.0, 30.0, 10.0, 20.0, 20.0]);
        assert_eq!(of(Wrap::Mirror), [30.0, 10.0, 10.0, 30.0, 30.0, 20.0, 20.0]);
        assert_eq!(of(Wrap::Clamp), [10.0, 10.0, 10.0, 30.0, 30.0, 30.0, 30.0]);
    }

    #[test]
    fn between_the_last_texel_and_the_first_a_repeated_image_goes_on() {
        let texels = [0, 0, 200].map(|shade| [shade, 0, 0, 255]).to_vec();
        let of =
            |wrap| Texture::new(Image { width: 3, height: 1, texels: texels.clone() }, [wrap; 2]).sample([1.0, 0.5])[0];
        assert_eq!([Wrap::Repeat, Wrap::Clamp].map(|wrap| (of(wrap) * 255.0).round()), [100.0, 200.0]);
    }

    #[test]
    fn the_logarithm_is_right_to_1e_4() {
        for step in 1..4000 {
            let number = 1.0 + f64::from(step) * 0.003;
            let Level { whole, part } = log2(number);
            assert!((whole as f64 + f64::from(part) - number.log2()).abs() < 1e-4, "{number}");
        }
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
        let of = |uv| texture.sample(uv).map(|part| (part * 255.0).round());
        assert_eq!(of([0.25, 0.25]), [0.0, 0.0, 0.0, 255.0]);
        assert_eq!(of([0.75, 0.25]), [255.0, 0.0, 0.0, 255.0]);
        assert_eq!(of([0.25, 1.75]), [0.0, 255.0, 0.0, 255.0]);
        assert!(texture.sample([0.5, 0.5]).iter().zip([0.25, 0.25, 0.25, 0.75]).all(|(a, b)| (a - b).abs() < 1e-3));
    }
}
