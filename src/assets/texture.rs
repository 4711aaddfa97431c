//! A picture as a material takes it: the look-up of a colour, from near and from far.

use std::ops::{Add, BitAnd, BitOr, Mul, Shr, Sub};
use std::sync::Arc;

use fearless_simd::{Simd, f32x8, prelude::*};
use wide::{bytemuck, f32x4, i16x8, i32x4, u8x16, u16x8};

use super::four::{EIGHT, whole};

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
    /// The image, and behind it at a half, a quarter and so on for what is seen from far; the last twice.
    images: Arc<[Image]>,
    /// For each of them and the next one.
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
        let mut images = vec![image];
        images.extend(std::iter::successors(halve(&images[0]), halve));
        images.extend(images.last().cloned());
        let pairs = images.windows(2).map(|two| Pair::new(&two[0], &two[1])).collect();
        Self { images: images.into(), pairs, wrap }
    }

    pub fn repeated(image: Image) -> Self {
        Self::new(image, [Wrap::Repeat; 2])
    }

    /// Whether it goes on in the same way beyond 0 to 1, along u or along v.
    pub fn repeats(&self, axis: usize) -> bool {
        self.wrap[axis] == Wrap::Repeat
    }

    pub fn image(&self) -> &Image {
        &self.images[0]
    }

    /// Width and height in texels.
    pub fn size(&self) -> [f64; 2] {
        [self.image().width, self.image().height].map(f64::from)
    }

    /// Red, green, blue, alpha, each from 0 to 1, weighted between the four nearest texels; v = 0 is the top edge. Of equal texels
    /// it is theirs to the bit, so that what is as opaque as a cutoff says is seen.
    pub fn sample(&self, uv: [f64; 2]) -> [f32; 4] {
        let [u, v] = uv.map(|part| part as f32);
        let places = self.places(f32x4::new([u, v, u, v]), &self.level(Detail::default()));
        let [right, down, ..]: [u32; 4] = bytemuck::cast(places & i32x4::splat(255));
        let [x, y, ..] = texels(places);
        let [upper, lower] = self.image().four([x, y], self.wrap.map(|wrap| wrap == Wrap::Repeat));
        let between = |[a, b]: [u32; 2], part: u32| a * (256 - part) + b * part;
        [0, 1, 2, 3].map(|part| {
            let rows = [upper, lower].map(|row| between(row.map(|texel| u32::from(texel[part])), right));
            between(rows, down) as f32 / (255.0 * 65536.0)
        })
    }

    /// Which of the images a pixel sees that is so many texels long.
    #[inline(always)]
    pub fn detail(&self, texels: f32) -> Detail {
        self.detail_of(log2(texels))
    }

    /// The same of the logarithm.
    #[inline(always)]
    pub fn detail_of(&self, (whole, share): (u32, f32)) -> Detail {
        let last = self.pairs.len() as u32 - 1;
        let (whole, share) = if whole < last { (whole, share) } else { (last, 0.0) };
        Detail { image: whole as u16, share: (share * f32::from(u16::MAX)) as u16 }
    }

    #[inline(always)]
    pub fn level(&self, detail: Detail) -> Level<'_> {
        let (image, far) = (usize::from(detail.image), detail.share);
        let images = self.images[image..].first_chunk().expect("the last is there twice");
        let near = u16::MAX - far;
        let shares = u16x8::new([near, near, near, near, far, far, far, far]);
        Level { images, pair: &self.pairs[image], shares }
    }

    /// Where (u, v, u, v) is in both images: from the centre of the texel before the first, in parts of 256 of a texel.
    #[inline(always)]
    pub fn places(&self, uv: f32x4, level: &Level) -> i32x4 {
        or_zero(self.within(uv) * level.pair.sizes + HALF).fast_round_int()
    }

    /// The colour between the images at such places, as OpenGL's trilinear filter has it, in `UNIT`s.
    #[inline(always)]
    pub fn sample_between(&self, places: &i32x4, level: &Level) -> f32x4 {
        let is_inside = (places.simd_gt(i32x4::splat(255)) & places.simd_lt(level.pair.ends)).all();
        if is_inside {
            level.sample_inside(*places, level.upper_left(*places))
        } else {
            self.sample_at_edge(places, level)
        }
    }

    /// The same where a texel beside an edge is seen.
    #[inline(never)]
    fn sample_at_edge(&self, places: &i32x4, level: &Level) -> f32x4 {
        let is_round = self.wrap.map(|wrap| wrap == Wrap::Repeat);
        let ([x, y, far_x, far_y], weights) = (texels(*places), level.weights(*places));
        let [near, far] = level.images;
        weights.of(near.four([x, y], is_round), far.four([far_x, far_y], is_round))
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

/// How far a picture is seen from: the number of the image whose texels are just not longer than a pixel, and how much the next
/// one is seen, in parts of 2¹⁶.
/// By default, the image itself from however far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detail {
    image: u16,
    share: u16,
}

/// Two images, each half as large as the one before, and how much of each is seen.
#[derive(Clone, Copy, Debug)]
pub struct Level<'t> {
    images: &'t [Image; 2],
    pair: &'t Pair,
    /// Four times of the near one, and four times of the far one, in parts of 2¹⁶.
    shares: u16x8,
}

/// What the look-up in two images needs of both.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    /// Width and height of both, in parts of 256 of a texel.
    sizes: f32x4,
    ends: i32x4,
    /// The last place before those.
    lasts: f32x4,
    /// For each image, what the least (u, v) between texels times its sizes are not below, and with the sign turned the most.
    insides: [f32x4; 2],
    /// What a place in the near image is multiplied with, and what is added, to be (column, row) in both.
    ratios: f32x4,
    offsets: f32x4,
    /// What the second texels' columns and rows are multiplied with, and what is added, to number the first ones.
    strides: i16x8,
    starts: i32x4,
}

impl Pair {
    fn new(near: &Image, far: &Image) -> Self {
        let ends = i32x4::new([near.width, near.height, far.width, far.height].map(|side| side as i32)) << 8;
        let (sizes, lasts) = (f32x4::from_i32x4(ends), f32x4::from_i32x4(ends) - f32x4::ONE);
        let [width, height, far_width, far_height] = sizes.to_array();
        let ratios = f32x4::new([1.0, 1.0, far_width / width, far_height / height]);
        let inside = |column: f32, row: f32| f32x4::new([128.0, 128.0, 128.0 - column, 128.0 - row]);
        let [column, row, far_column, far_row] = lasts.to_array();
        let [stride, far_stride] = [near.width, far.width].map(|width| width as i16);
        Self {
            sizes,
            ends,
            lasts,
            insides: [inside(column, row), inside(far_column, far_row)],
            ratios,
            offsets: HALF * (f32x4::ONE - ratios),
            strides: i16x8::new([1, stride, 1, far_stride, 0, 0, 0, 0]),
            starts: -i32x4::new([near.width as i32 + 1, far.width as i32 + 1, 0, 0]),
        }
    }
}

impl Level<'_> {
    /// Of (u, v) and two numbers beside, a place's column and row in the near image but for half a texel, and the numbers.
    #[inline(always)]
    pub fn scaled(&self, uv: f32x4) -> f32x4 {
        let [width, height, ..] = self.pair.sizes.to_array();
        uv * f32x4::new([width, height, 1.0, 1.0])
    }

    /// The place itself.
    #[inline(always)]
    pub fn place(&self, uv: f32x4) -> f32x4 {
        self.scaled(uv) + f32x4::new([128.0, 128.0, 0.0, 0.0])
    }

    /// Whether all between the least (u, v) and the most, of which the sign is turned, is between texels of both images, and not
    /// between one and the edge.
    pub fn holds(&self, ends: f32x4) -> bool {
        let [width, height, far_width, far_height] = self.pair.sizes.to_array();
        let [near, far] = [[width, height], [far_width, far_height]].map(|[u, v]| ends * f32x4::new([u, v, u, v]));
        let [near_inside, far_inside] = self.pair.insides;
        (near.simd_ge(near_inside) & far.simd_ge(far_inside)).all()
    }

    /// The places in both images of one in the near one.
    #[inline(always)]
    pub fn places_inside(&self, place: f32x4) -> i32x4 {
        let [column, row, ..] = place.to_array();
        let places = f32x4::new([column, row, column, row]) * self.pair.ratios + self.pair.offsets;
        at_least(places, FIRST).fast_min(self.pair.lasts).fast_round_int()
    }

    /// In both images, the number of the upper left of the four texels that such a place is between.
    #[inline(always)]
    pub fn upper_left(&self, places: i32x4) -> [u32; 2] {
        // No side is longer than half a word counts.
        let seconds = i16x8::from_i32x8_saturate(bytemuck::cast([places >> 8, i32x4::ZERO]));
        let [near, far, ..]: [u32; 4] = bytemuck::cast(seconds.dot(self.pair.strides) + self.pair.starts);
        [near, far]
    }

    /// The colour there, in `UNIT`s.
    #[inline(always)]
    pub fn sample_inside(&self, places: i32x4, [upper, far_upper]: [u32; 2]) -> f32x4 {
        let [near, far] = self.images;
        self.weights(places).of(near.four_from(upper), far.four_from(far_upper))
    }

    #[inline(always)]
    fn weights(&self, places: i32x4) -> Weights {
        // How far it is from the first to the second texel, in parts of 2¹⁵; of both texels the weight in one word.
        let part = (places << 7) & i32x4::splat(0x7f80);
        let across: u16x8 = bytemuck::cast((part << 16) - part + i32x4::splat(1 << 15));
        let down = across.saturating_add(across);
        let [left, right, _, _, far_left, far_right, ..] = across.to_array();
        let [_, _, upper, lower, _, _, far_upper, far_lower] = down.to_array();
        let across = u16x8::new([left, left, right, right, far_left, far_left, far_right, far_right]);
        let down = u16x8::new([upper, lower, upper, lower, far_upper, far_lower, far_upper, far_lower]);
        Weights(across.mul_keep_high(down).mul_keep_high(self.shares))
    }
}

/// Of the upper left, the lower left, the upper right and the lower right texel of the near image, and of the far one; together
/// 2¹⁵ but for what is rounded off.
struct Weights(u16x8);

/// What a colour of weighted bytes is multiplied with to be from 0 to 1: between what is right for one texel alone, and for eight
/// of which some is rounded off.
pub const UNIT: f32 = 1.0 / (255.0 * (32768.0 - 2.6));

impl Weights {
    #[inline(always)]
    fn of(&self, near: [[[u8; 4]; 2]; 2], far: [[[u8; 4]; 2]; 2]) -> f32x4 {
        let weights: [i32; 4] = bytemuck::cast(self.0);
        let weighted = |texels: [i16x8; 2], at: usize| {
            let [left, right] = texels;
            let weight = |at: usize| bytemuck::cast::<i32x4, i16x8>(i32x4::splat(weights[at]));
            left.dot(weight(at)) + right.dot(weight(at + 1))
        };
        f32x4::from_i32x4(weighted(words(near), 0) + weighted(words(far), 2))
    }
}

/// Of two rows of two texels: part beside part of the upper and of the lower one, first of the left texels.
#[inline(always)]
fn words(rows: [[[u8; 4]; 2]; 2]) -> [i16x8; 2] {
    let [upper, lower] = rows.map(|pair| {
        let [left, right] = pair.map(|texel| u64::from(u32::from_le_bytes(texel)));
        u8x16::new(u128::from(left | right << 32).to_le_bytes())
    });
    let texels = u8x16::unpack_low(upper, lower);
    [i16x8::from_u8x16_low(texels), i16x8::from_u8x16_high(texels)]
}

/// Of places, the second of the two texels that each is between.
#[inline(always)]
fn texels(places: i32x4) -> [u32; 4] {
    bytemuck::cast(places >> 8)
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

/// Half a texel, and the first place between two texels.
const HALF: f32x4 = f32x4::splat(128.0);
const FIRST: f32x4 = f32x4::splat(256.0);

/// What is no number as the least.
#[inline(always)]
fn at_least(numbers: f32x4, least: f32x4) -> f32x4 {
    let (numbers, least) = (numbers.to_array(), least.to_array());
    f32x4::new(std::array::from_fn(|lane| if numbers[lane] > least[lane] { numbers[lane] } else { least[lane] }))
}

/// What is no number as 0, since processors make different things of it.
#[inline(always)]
fn or_zero(numbers: f32x4) -> f32x4 {
    numbers & numbers.simd_eq(numbers)
}

/// Of a number above 1, right to 1e-4: the whole part and the rest. Of others, and of what is no number, as of 1.
#[inline(always)]
fn log2(number: f32) -> (u32, f32) {
    let bits = number.to_bits();
    if number > 1.0 { (exponent(bits), rest(f32::from_bits(mantissa(bits)))) } else { (0, 0.0) }
}

/// The same of eight numbers.
#[derive(Clone, Copy, Debug)]
pub struct Octaves {
    whole: [u32; EIGHT],
    rest: [f32; EIGHT],
}

impl Octaves {
    #[inline(always)]
    pub fn of<S: Simd>(numbers: f32x8<S>) -> Self {
        let bits = numbers.simd_gt(1.0).select(numbers, f32x8::splat(numbers.simd, 1.0)).to_bits();
        Self { whole: exponent(bits).into(), rest: rest(f32x8::from_bits(mantissa(bits))).into() }
    }

    #[inline(always)]
    pub fn at(&self, lane: usize) -> (u32, f32) {
        (self.whole[lane], self.rest[lane])
    }
}

/// The bits of 1.
const ONE: u32 = 127 << 23;

/// Of a number from 1 on.
#[inline(always)]
fn exponent<B: Shr<u32, Output = B> + Sub<u32, Output = B>>(bits: B) -> B {
    (bits >> 23) - 127
}

/// A number's bits from 1 to 2.
#[inline(always)]
fn mantissa<B: BitAnd<u32, Output = B> + BitOr<u32, Output = B>>(bits: B) -> B {
    bits & ((1 << 23) - 1) | ONE
}

/// Log2 of a number from 1 to 2.
#[inline(always)]
fn rest<V>(number: V) -> V
where
    V: Copy + Add<f32, Output = V> + Sub<f32, Output = V> + Mul<f32, Output = V> + Mul<Output = V>,
{
    // Log2(1 + m) over m, fitted so that it ends at 1.
    let [c0, c1, c2, c3] = [1.441_747, -0.707_823, 0.412_483, -0.190_468];
    let m = number - 1.0;
    m * ((((m * (1.0 - c0 - c1 - c2 - c3) + c3) * m + c2) * m + c1) * m + c0)
}

#[cfg(test)]
mod tests {
    use fearless_simd::dispatch;

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
    fn of_eight_numbers_the_logarithms_are_those_of_each() {
        let numbers = [1.0, 1.5, 2.0, 700.3, f32::MAX, f32::INFINITY, f32::NAN, -3.0];
        let octaves = dispatch!(fearless_simd::Level::new(), simd => Octaves::of(f32x8::simd_from(simd, numbers)));
        for (lane, number) in numbers.iter().enumerate() {
            assert_eq!(octaves.at(lane), log2(*number), "{number}");
        }
        assert_eq!([6, 7].map(|lane| octaves.at(lane)), [(0, 0.0); 2]);
    }

    #[test]
    fn a_place_that_is_no_number_is_the_first() {
        let texture = Texture::repeated(Image { width: 8, height: 8, texels: vec![[0; 4]; 64] });
        let places = |column: f32| {
            let level = texture.level(Detail::default());
            level.places_inside(f32x4::new([column, f32::NAN, 0.0, 0.0])).to_array()
        };
        assert_eq!(places(f32::NAN), [256; 4]);
        assert_eq!(places(700.0), [700, 256, 414, 256]);
        assert_eq!(places(f32::INFINITY), [2047, 256, 1023, 256]);
    }

    #[test]
    fn half_an_image_has_the_means_of_four_and_ends_at_one_texel() {
        let grey = |shade: u8| [shade, 255, 0, shade];
        let texels = [0, 1, 9, 2, 4, 9, 8, 8, 8].map(grey).to_vec();
        let image = Image { width: 3, height: 3, texels };
        assert_eq!(image.halved().texels, [grey(2)]);
        let column = Image { width: 1, height: 2, texels: vec![grey(10), grey(20)] };
        assert_eq!(column.halved().texels, [grey(15)]);
        assert_eq!(Texture::repeated(image).images.len(), 3);
    }

    #[test]
    fn between_equal_texels_is_their_colour_to_the_bit() {
        for shade in 0..=255u8 {
            let texture = Texture::repeated(Image { width: 3, height: 2, texels: vec![[shade; 4]; 6] });
            for place in [0.0, 0.1, 0.37, 0.5, 0.99] {
                assert_eq!(texture.sample([place, 1.0 - 0.7 * place]), [f32::from(shade) / 255.0; 4], "{place}");
            }
        }
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
