//! A picture as a material takes it: the look-up of a colour, from near and from far.

use std::sync::Arc;

use wide::{bytemuck, f32x4, i16x8, i32x4, u8x16};

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
            if let ([upper], [lower]) = (upper, lower) {
                // A single column is its own neighbour.
                texels.push(mean([*upper, *upper, *lower, *lower]));
            }
            let pairs = upper.as_chunks::<2>().0.iter().zip(lower.as_chunks::<2>().0);
            texels.extend(pairs.map(|([a, b], [c, d])| mean([*a, *b, *c, *d])));
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
    /// For each of them all, it and the next one; the last with itself.
    pairs: Arc<[Pair]>,
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
        let halves: Arc<[Image]> = std::iter::successors(halve(&image), halve).collect();
        let images = || std::iter::once(&image).chain(&*halves);
        let next = images().skip(1).chain(images().last());
        let pairs = images().zip(next).map(|(near, far)| Pair::new(near, far)).collect();
        Self { image: Arc::new(image), halves, pairs, wrap }
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
        let [u, v] = uv.map(|part| part as f32);
        self.sample_at(f32x4::new([u, v, u, v]), &self.nearest()).to_array()
    }

    /// The image itself, from however far.
    pub fn nearest(&self) -> Level<'_> {
        self.level(0.0)
    }

    /// Which of the images a pixel sees that is so many texels long.
    pub fn level(&self, texels: f32) -> Level<'_> {
        // The nan of a ray along the surface is not above 1 either.
        let (whole, share) = if texels > 1.0 { log2(texels) } else { (0, 0.0) };
        let last = self.halves.len();
        let (whole, share) = if whole < last { (whole, share) } else { (last, 0.0) };
        let image = |level: usize| if level == 0 { &*self.image } else { &self.halves[level - 1] };
        Level { near: image(whole), far: image(last.min(whole + 1)), pair: &self.pairs[whole], share }
    }

    /// The same at (u, v, u, v) between two images, as OpenGL's trilinear filter has it.
    pub fn sample_at(&self, uv: f32x4, level: &Level) -> f32x4 {
        self.sample_between(self.places(uv, level), level)
    }

    /// Where (u, v, u, v) is in both images: from the centre of the texel before the first, in parts of 256 of a texel.
    #[inline(always)]
    pub fn places(&self, uv: f32x4, level: &Level) -> i32x4 {
        let sums = (self.within(uv) * level.pair.sizes + f32x4::splat(128.0)) + f32x4::splat(WHOLE);
        bytemuck::cast::<f32x4, i32x4>(sums) & i32x4::splat(WHOLE_BITS as i32)
    }

    /// The colour between the images at such places.
    #[inline(always)]
    pub fn sample_between(&self, places: i32x4, level: &Level) -> f32x4 {
        let is_inside = (places.simd_gt(i32x4::splat(255)) & places.simd_lt(level.pair.ends)).all();
        if !is_inside {
            return self.sample_at_edge(places, level);
        }
        let ([upper, far_upper], [near, far]) = (level.pair.upper(places), parts(places));
        let color = near.of(level.near.four_from(upper));
        match level.share > 0.0 {
            true => level.unit(color, far.of(level.far.four_from(far_upper))),
            false => level.unit(color, color),
        }
    }

    /// The same where a texel beside an edge is seen.
    #[inline(never)]
    fn sample_at_edge(&self, places: i32x4, level: &Level) -> f32x4 {
        let is_round = self.wrap.map(|wrap| wrap == Wrap::Repeat);
        let ([x, y, far_x, far_y], [near, far]) = (texels(places), parts(places));
        level.unit(near.of(level.near.four([x, y], is_round)), far.of(level.far.four([far_x, far_y], is_round)))
    }

    /// Coordinates from 0 to 1.
    #[inline(always)]
    fn within(&self, uv: f32x4) -> f32x4 {
        let [of_u, of_v] = self.wrap;
        if of_u == of_v {
            return of_u.within(uv);
        }
        const IS_U: i32x4 = i32x4::new([-1, 0, -1, 0]);
        bytemuck::cast::<i32x4, f32x4>(IS_U).bitselect(of_u.within(uv), of_v.within(uv))
    }
}

impl Wrap {
    #[inline(always)]
    fn within(self, coordinates: f32x4) -> f32x4 {
        match self {
            Wrap::Repeat => coordinates - whole(coordinates),
            // What is no number stays so, in this order.
            Wrap::Clamp => f32x4::ONE.fast_min(f32x4::ZERO.fast_max(coordinates)),
            Wrap::Mirror => {
                let two = f32x4::splat(2.0);
                let twice = coordinates - two * whole(coordinates / two);
                twice.simd_gt(f32x4::ONE).bitselect(two - twice, twice)
            }
        }
    }
}

/// Two images, each half as large as the one before, and how much of each is seen.
#[derive(Clone, Copy, Debug)]
pub struct Level<'t> {
    near: &'t Image,
    far: &'t Image,
    pair: &'t Pair,
    /// Of the far one, from 0 to 1.
    share: f32,
}

/// What the look-up in two images needs of both.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    /// Width and height of both, in parts of 256 of a texel.
    sizes: f32x4,
    ends: i32x4,
    /// What the second texels' columns and rows are multiplied with, and what is added, to number the first ones.
    strides: i16x8,
    starts: i32x4,
}

impl Pair {
    fn new(near: &Image, far: &Image) -> Self {
        let ends = i32x4::new([near.width, near.height, far.width, far.height].map(|side| side as i32)) << 8;
        let [stride, far_stride] = [near.width, far.width].map(|width| width as i16);
        Self {
            sizes: f32x4::from_i32x4(ends),
            ends,
            strides: i16x8::new([1, stride, 1, far_stride, 0, 0, 0, 0]),
            starts: -i32x4::new([near.width as i32 + 1, far.width as i32 + 1, 0, 0]),
        }
    }

    /// In both images, the number of the upper left of four texels that places are between.
    #[inline(always)]
    fn upper(&self, places: i32x4) -> [u32; 2] {
        // No side is longer than half a word counts.
        let seconds = i16x8::from_i32x8_saturate(bytemuck::cast([places >> 8, i32x4::ZERO]));
        let [near, far, ..]: [u32; 4] = bytemuck::cast(seconds.dot(self.strides) + self.starts);
        [near, far]
    }
}

impl Level<'_> {
    /// A colour from 0 to 1 out of those that were found in the two images.
    #[inline(always)]
    fn unit(&self, near: f32x4, far: f32x4) -> f32x4 {
        (near + (far - near) * f32x4::splat(self.share)) * f32x4::splat(1.0 / (255.0 * 256.0))
    }
}

/// Of places, the second of the two texels that each is between.
#[inline(always)]
fn texels(places: i32x4) -> [u32; 4] {
    bytemuck::cast(places >> 8)
}

/// How far a place is from the first to the second of two texels.
#[derive(Clone, Copy)]
struct Part {
    across: f32,
    /// The weights of the upper and of the lower row, together 256.
    down: i16x8,
}

/// Of the places in the near and in the far image.
#[inline(always)]
fn parts(places: i32x4) -> [Part; 2] {
    let part = places & i32x4::splat(255);
    let across = (f32x4::from_i32x4(part) * f32x4::splat(1.0 / 256.0)).to_array();
    // One weight in the lower and one in the upper half of a word.
    let [upper, lower]: [i32x4; 2] = [i32x4::splat(256) - part, part << 16];
    let down = (upper | lower).to_array();
    [0, 2].map(|x| Part { across: across[x], down: bytemuck::cast(i32x4::splat(down[x + 1])) })
}

impl Part {
    /// Between two rows of two texels, in parts of 256.
    #[inline(always)]
    fn of(&self, rows: [[[u8; 4]; 2]; 2]) -> f32x4 {
        let [upper, lower] = rows.map(|pair| {
            let [left, right] = pair.map(|texel| u64::from(u32::from_le_bytes(texel)));
            u8x16::new(u128::from(left | right << 32).to_le_bytes())
        });
        // Byte beside byte of the upper and the lower row, first the left texels'.
        let texels = u8x16::unpack_low(upper, lower);
        let [left, right] = [i16x8::from_u8x16_low(texels), i16x8::from_u8x16_high(texels)]
            .map(|texels| f32x4::from_i32x4(texels.dot(self.down)));
        left + (right - left) * f32x4::splat(self.across)
    }
}

/// The two texels that a place is between, by the second of them.
fn between(second: u32, size: u32, is_round: bool) -> [usize; 2] {
    let (second, last) = (second as usize, size as usize - 1);
    // In a round image the first texel is beside the last.
    let (before, behind) = if is_round { (last, 0) } else { (0, last) };
    let first = if second == 0 { before } else { (second - 1).min(last) };
    [first, if second > last { behind } else { second }]
}

impl Image {
    /// Two rows of two texels, by the second of both.
    fn four(&self, [x, y]: [u32; 2], is_round: [bool; 2]) -> [[[u8; 4]; 2]; 2] {
        let columns = between(x, self.width, is_round[0]);
        let rows = between(y, self.height, is_round[1]);
        rows.map(|row| columns.map(|column| self.texels[row * self.width as usize + column]))
    }

    /// The same by the number of the upper left one.
    #[inline(always)]
    fn four_from(&self, upper: u32) -> [[[u8; 4]; 2]; 2] {
        let (upper, width) = (upper as usize, self.width as usize);
        let rows = &self.texels[upper..upper + width + 2];
        [[rows[0], rows[1]], [rows[width], rows[width + 1]]]
    }
}

/// So large that adding it to a number from 0 to 2²³ leaves no digit behind the point: the fastest way to a whole number.
const WHOLE: f32 = (1 << 23) as f32;

/// Of a sum with `WHOLE`, the bits that hold the whole number.
const WHOLE_BITS: u32 = (1 << 23) - 1;

/// The largest whole number that is not above, or for a whole one that or the next below; below 2²².
#[inline(always)]
fn whole(number: f32x4) -> f32x4 {
    let large = f32x4::splat(1.5 * WHOLE);
    (number - f32x4::splat(0.5) + large) - large
}

/// Of a number above 1, right to 1e-4: the whole part and the rest.
fn log2(number: f32) -> (usize, f32) {
    let bits = number.to_bits();
    let whole = (bits >> 23) as usize - 127;
    let mantissa = f32::from_bits((bits & WHOLE_BITS) | 127 << 23) - 1.0;
    // Log2(1 + m) over m, fitted so that it ends at 1.
    let [c0, c1, c2, c3] = [1.441_747, -0.707_823, 0.412_483, -0.190_468];
    let curve = c0 + mantissa * (c1 + mantissa * (c2 + mantissa * (c3 + mantissa * (1.0 - c0 - c1 - c2 - c3))));
    (whole, mantissa * curve)
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
            let number = 1.0 + step as f32 * 0.003;
            let (whole, part) = log2(number);
            assert!((whole as f32 + part - number.log2()).abs() < 1e-4, "{number}");
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
