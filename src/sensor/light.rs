//! Monty's light in MuJoCo: a headlight's ambient part, and one directional light from above world z, without shadows.

use crate::math::Vector;

const AMBIENT: f32 = 0.5;
const DIFFUSE: f32 = 0.6;
/// The light's specular part times that of MuJoCo's default material.
const SPECULAR: f32 = 0.1 * 0.5;

/// How the pixels of a row are lit: filled with their normals, and then lit all at once, several side by side.
#[derive(Debug, Default)]
pub struct LightRow {
    /// Normals in the camera's frame, of any length; of what is not lit, 0.
    pub normals: [Vec<f32>; 3],
    /// What paint is multiplied with.
    diffuse: Vec<f32>,
    /// What is added to the colour of what has no paint.
    specular: Vec<f32>,
}

impl LightRow {
    pub fn clear(&mut self) {
        self.normals.iter_mut().for_each(Vec::clear);
    }

    pub fn push(&mut self, normal: [f32; 3]) {
        self.normals.iter_mut().zip(normal).for_each(|(axis, part)| axis.push(part));
    }

    /// By a light in a direction, for the eye of a row's rays (x, y, -1).
    pub fn shine(&mut self, x_at: &[f64], y: f64, towards_light: &Vector) {
        let pixels = self.normals[0].len();
        self.diffuse.resize(pixels, 0.0);
        self.specular.resize(pixels, 0.0);
        let [lx, ly, lz] = [towards_light.x, towards_light.y, towards_light.z].map(|part| part as f32);
        let y = y as f32;
        let [nx, ny, nz] = self.normals.each_ref().map(|axis| &axis[..pixels]);
        let (diffuse, specular) = (&mut self.diffuse[..pixels], &mut self.specular[..pixels]);
        let x_at = &x_at[..pixels];
        for i in 0..pixels {
            let x = x_at[i] as f32;
            let [a, b, c] = [nx[i], ny[i], nz[i]];
            let length = (a * a + b * b + c * c).sqrt();
            let to_unit = 1.0 / if length > 0.0 { length } else { 1.0 };
            let facing = (a * lx + b * ly + c * lz) * to_unit;
            let facing = if facing > 0.0 { facing } else { 0.0 };
            let to_eye = -1.0 / (x * x + y * y + 1.0).sqrt();
            let (eye_normal, eye_light) = ((a * x + b * y - c) * to_unit * to_eye, (lx * x + ly * y - lz) * to_eye);
            // Of the sum of the directions to the light and to the eye: how far it is along the normal, and its square.
            let (along, squared) = (facing + eye_normal, 2.0 + 2.0 * eye_light);
            let is_glossy = (facing > 0.0) & (along > 0.0);
            let gloss = gloss(along * along / if squared > 0.0 { squared } else { 1.0 });
            diffuse[i] = AMBIENT + DIFFUSE * facing;
            specular[i] = if is_glossy { SPECULAR * gloss } else { 0.0 };
        }
    }

    /// A colour as it is seen at a pixel; each part from 0 to 1.
    pub fn shade(&self, pixel: usize, albedo: [f32; 3]) -> [f32; 3] {
        albedo.map(|part| part * self.diffuse[pixel] + self.specular[pixel])
    }

    /// A colour out of a picture or of vertices, times how white is lit: up to 1.15, which the reference's images show.
    pub fn shade_painted(&self, pixel: usize, paint: [f32; 3]) -> [f32; 3] {
        let white = self.diffuse[pixel] + self.specular[pixel];
        paint.map(|part| part * white)
    }
}

/// Blinn's highlight with the exponent 64, MuJoCo's default shininess of 0.5 of OpenGL's 128; of the cosine's square.
fn gloss(square: f32) -> f32 {
    // What is dull shines no billionth; without it the powers would be so small that they are slow.
    let mut power = if square > 0.5 { square } else { 0.5 };
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
        let mut row = LightRow::default();
        row.push([normal.x, normal.y, normal.z].map(|part| 3.0 * part as f32));
        row.shine(&[ray.x], ray.y, &Vector::z());
        (row.shade(0, [0.5; 3])[0] * 255.0).round()
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
