//! Monty's light in MuJoCo: a headlight's ambient part, and one directional light from above world z, without shadows. As there,
//! meshes are lit at their corners; ideal bodies at each pixel.

use wide::f32x4;

use super::shading::Pixel;
use crate::assets::dot;
use crate::math::Vector;

const AMBIENT: f32x4 = f32x4::splat(0.5);
const DIFFUSE: f32x4 = f32x4::splat(0.6);
/// The light's specular part times that of MuJoCo's default material.
const SPECULAR: f32x4 = f32x4::splat(0.1 * 0.5);

/// A light, in the camera's frame.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    towards: [f32; 3],
}

/// How four places are lit.
#[derive(Clone, Copy, Debug)]
pub struct Lit {
    /// What a colour is multiplied with.
    pub diffuse: f32x4,
    /// What is added.
    pub gloss: f32x4,
}

impl Light {
    pub fn new(towards: &Vector) -> Self {
        Self { towards: [towards.x, towards.y, towards.z].map(|part| part as f32) }
    }

    /// Lights the pixels of a row that have a normal, which they lose.
    pub fn shine(&self, y: f32, pixels: &mut [Pixel]) {
        let (fours, rest) = pixels.as_chunks_mut::<4>();
        for four in fours {
            self.four(y, four.map(|pixel| pixel.x), four.map(|pixel| pixel.normal)).on(four);
        }
        for pixel in rest {
            self.four(y, [pixel.x; 4], [pixel.normal; 4]).on(std::slice::from_mut(pixel));
        }
    }

    #[inline(always)]
    fn four(&self, y: f32, x: [f32; 4], normals: [f32x4; 4]) -> Lit {
        let [a, b, c, is_lit] = f32x4::transpose(normals);
        let Lit { diffuse, gloss } = self.at(&[a, b, c], &[f32x4::new(x), f32x4::splat(y), -f32x4::ONE]);
        let is_lit = is_lit.simd_gt(f32x4::ZERO);
        Lit { diffuse: is_lit.bitselect(diffuse, f32x4::ONE), gloss: gloss & is_lit }
    }

    /// By normals of any length, and the rays that meet there.
    #[inline(always)]
    pub fn at(&self, normals: &[f32x4; 3], rays: &[f32x4; 3]) -> Lit {
        let towards = self.towards.map(f32x4::splat);
        let to_unit = f32x4::ONE / or_one(dot(normals, normals).sqrt());
        let facing = dot(normals, &towards) * to_unit;
        let facing = facing & facing.simd_gt(f32x4::ZERO);
        let to_eye = -f32x4::ONE / or_one(dot(rays, rays).sqrt());
        let (eye_normal, eye_light) = (dot(normals, rays) * to_unit * to_eye, dot(&towards, rays) * to_eye);
        // Of the sum of the directions to the light and to the eye: how far it is along the normal, and its square.
        let (along, squared) = (facing + eye_normal, f32x4::splat(2.0) * (f32x4::ONE + eye_light));
        let is_glossy = facing.simd_gt(f32x4::ZERO) & along.simd_gt(f32x4::ZERO);
        let gloss = (SPECULAR * gloss(along * along / or_one(squared))) & is_glossy;
        Lit { diffuse: AMBIENT + DIFFUSE * facing, gloss }
    }
}

impl Lit {
    /// As the colour is.
    pub const FLAT: Lit = Lit { diffuse: f32x4::ONE, gloss: f32x4::ZERO };

    #[inline(always)]
    fn on(&self, pixels: &mut [Pixel]) {
        let (diffuse, gloss) = (self.diffuse.to_array(), self.gloss.to_array());
        for (lane, pixel) in pixels.iter_mut().enumerate() {
            pixel.color = pixel.color * f32x4::splat(diffuse[lane]) + f32x4::splat(gloss[lane]);
            pixel.normal = f32x4::ZERO;
        }
    }
}

/// What is not above 0 as 1, so that it can be divided by.
#[inline(always)]
fn or_one(number: f32x4) -> f32x4 {
    number.simd_gt(f32x4::ZERO).bitselect(number, f32x4::ONE)
}

/// Blinn's highlight with the exponent 64, MuJoCo's default shininess of 0.5 of OpenGL's 128; of the cosine's square.
#[inline(always)]
fn gloss(square: f32x4) -> f32x4 {
    // What is dull shines no billionth; without it the powers would be so small that they are slow.
    let dull = f32x4::splat(0.5);
    let mut power = square.simd_gt(dull).bitselect(square, dull);
    for _ in 0..5 {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shade of grey that an eye in a direction sees.
    fn grey(normal: Vector, eye: Vector) -> f32 {
        // So that the eye looks along (x, y, -1).
        let ray = -eye / eye.z;
        let normal = [normal.x, normal.y, normal.z, 1.0].map(|part| 3.0 * part as f32);
        let (x, y) = (ray.x as f32, ray.y as f32);
        let mut pixel = Pixel::new(x);
        (pixel.normal, pixel.color) = (f32x4::new(normal), f32x4::splat(0.5));
        Light::new(&Vector::z()).shine(y, std::slice::from_mut(&mut pixel));
        (pixel.color.to_array()[0] * 255.0).round()
    }

    #[test]
    fn a_grey_cube_has_the_shades_that_monty_sees() {
        let away = Vector::new(0.9, 0.0, 0.4).normalize();
        assert_eq!(grey(Vector::z(), Vector::z()), 153.0);
        assert!((grey(Vector::z(), away) - 141.0).abs() <= 1.0);
        assert_eq!(grey(Vector::y(), away), 64.0);
        let tilted = Vector::new(0.0, 0.5, 0.75_f64.sqrt());
        assert_eq!(grey(tilted, away), 130.0);
    }

    #[test]
    fn what_has_no_normal_is_lit_by_the_headlight_alone() {
        assert_eq!(grey(Vector::zeros(), Vector::z()), 64.0);
    }
}
