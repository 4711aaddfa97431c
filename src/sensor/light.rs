//! Monty's light in MuJoCo: a headlight's ambient part, and one directional light from above world z, without shadows. As there,
//! meshes are lit at their corners; ideal bodies at each pixel.

use fearless_simd::{Simd, f32x8, prelude::*};
use wide::{bytemuck, f32x4};

use super::shading::Pixel;
use crate::assets::{EIGHT, dot};
use crate::math::Vector;

const AMBIENT: f32 = 0.5;
const DIFFUSE: f32 = 0.6;
/// The light's specular part times that of MuJoCo's default material.
const SPECULAR: f32 = 0.1 * 0.5;

/// A light, in the camera's frame.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    towards: [f32; 3],
}

/// How eight places are lit.
#[derive(Clone, Copy, Debug)]
pub struct Lit<S: Simd> {
    /// What a colour is multiplied with.
    pub diffuse: f32x8<S>,
    /// What is added.
    pub gloss: f32x8<S>,
}

impl Light {
    pub fn new(towards: &Vector) -> Self {
        Self { towards: [towards.x, towards.y, towards.z].map(|part| part as f32) }
    }

    /// Lights the pixels of a row that have a normal, which they lose.
    #[inline(always)]
    pub fn shine<S: Simd>(&self, simd: S, y: f32, pixels: &mut [Pixel]) {
        let (eights, rest) = pixels.as_chunks_mut::<EIGHT>();
        for eight in eights {
            self.of_pixels(simd, y, |lane| &eight[lane]).on(eight);
        }
        if let Some(last) = rest.len().checked_sub(1) {
            self.of_pixels(simd, y, |lane| &rest[lane.min(last)]).on(rest);
        }
    }

    #[inline(always)]
    fn of_pixels<'p, S: Simd>(&self, simd: S, y: f32, pixel: impl Fn(usize) -> &'p Pixel) -> Lit<S> {
        let of_half = |half: usize| f32x4::transpose([0, 1, 2, 3].map(|lane| pixel(4 * half + lane).normal));
        let (near, far) = (of_half(0), of_half(1));
        let [a, b, c, is_lit] =
            [0, 1, 2, 3].map(|part| f32x8::simd_from(simd, bytemuck::cast::<_, [f32; EIGHT]>([near[part], far[part]])));
        let x = f32x8::simd_from(simd, std::array::from_fn(|lane| pixel(lane).x));
        let (one, zero) = (f32x8::splat(simd, 1.0), f32x8::splat(simd, 0.0));
        let Lit { diffuse, gloss } = self.at(&[a, b, c], &[x, f32x8::splat(simd, y), -one]);
        let is_lit = is_lit.simd_gt(0.0);
        Lit { diffuse: is_lit.select(diffuse, one), gloss: is_lit.select(gloss, zero) }
    }

    /// By normals of any length, and the rays that meet there.
    #[inline(always)]
    pub fn at<S: Simd>(&self, normals: &[f32x8<S>; 3], rays: &[f32x8<S>; 3]) -> Lit<S> {
        let simd = normals[0].simd;
        let (one, zero) = (f32x8::splat(simd, 1.0), f32x8::splat(simd, 0.0));
        // What is not above 0 as 1, so that it can be divided by.
        let or_one = |number: f32x8<S>| number.simd_gt(0.0).select(number, one);
        let towards = self.towards.map(|part| f32x8::splat(simd, part));
        let to_unit = one / or_one(dot(normals, normals).sqrt());
        let facing = dot(normals, &towards) * to_unit;
        let facing = facing.simd_gt(0.0).select(facing, zero);
        let to_eye = -one / or_one(dot(rays, rays).sqrt());
        let (eye_normal, eye_light) = (dot(normals, rays) * to_unit * to_eye, dot(&towards, rays) * to_eye);
        // Of the sum of the directions to the light and to the eye: how far it is along the normal, and its square.
        let (along, squared) = (facing + eye_normal, (one + eye_light) * 2.0);
        let is_glossy = facing.simd_gt(0.0) & along.simd_gt(0.0);
        let gloss = is_glossy.select(gloss(along * along / or_one(squared)) * SPECULAR, zero);
        Lit { diffuse: facing * DIFFUSE + AMBIENT, gloss }
    }
}

impl<S: Simd> Lit<S> {
    /// As the colour is.
    #[inline(always)]
    pub fn flat(simd: S) -> Self {
        Lit { diffuse: f32x8::splat(simd, 1.0), gloss: f32x8::splat(simd, 0.0) }
    }

    #[inline(always)]
    fn on(&self, pixels: &mut [Pixel]) {
        for (lane, pixel) in pixels.iter_mut().enumerate() {
            pixel.color = pixel.color * f32x4::splat(self.diffuse[lane]) + f32x4::splat(self.gloss[lane]);
            pixel.normal = f32x4::ZERO;
        }
    }
}

/// Blinn's highlight with the exponent 64, MuJoCo's default shininess of 0.5 of OpenGL's 128; of the cosine's square.
#[inline(always)]
fn gloss<S: Simd>(square: f32x8<S>) -> f32x8<S> {
    // What is dull shines no billionth; without it the powers would be so small that they are slow.
    let mut power = square.simd_gt(0.5).select(square, f32x8::splat(square.simd, 0.5));
    for _ in 0..5 {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    /// The shade of grey that an eye in a direction sees.
    fn grey(normal: Vector, eye: Vector) -> f32 {
        // So that the eye looks along (x, y, -1).
        let ray = -eye / eye.z;
        let normal = [normal.x, normal.y, normal.z, 1.0].map(|part| 3.0 * part as f32);
        let (x, y) = (ray.x as f32, ray.y as f32);
        let mut pixel = Pixel::new(x);
        (pixel.normal, pixel.color) = (f32x4::new(normal), f32x4::splat(0.5));
        let light = Light::new(&Vector::z());
        dispatch!(Level::new(), simd => light.shine(simd, y, std::slice::from_mut(&mut pixel)));
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
