//! Monty's light in MuJoCo: a headlight's ambient part, and one directional light from above world z, without shadows.

use crate::math::Vector;

const AMBIENT: f64 = 0.5;
const DIFFUSE: f64 = 0.6;
/// The light's specular part times that of MuJoCo's default material.
const SPECULAR: f64 = 0.1 * 0.5;

/// A colour as it is seen on a surface with a unit normal, both world; each part from 0 to 1.
pub fn shade(albedo: [f64; 3], normal: Vector, towards_eye: Vector) -> [f64; 3] {
    let towards_light = Vector::z();
    let diffuse = AMBIENT + DIFFUSE * normal.dot(&towards_light).max(0.0);
    let specular = SPECULAR * gloss(normal, towards_light, towards_eye);
    albedo.map(|part| part * diffuse + specular)
}

/// A colour out of a picture or of vertices, times how white is lit: up to 1.15, which the reference's images show.
pub fn shade_painted(paint: [f64; 3], normal: Vector, towards_eye: Vector) -> [f64; 3] {
    let lit = shade([1.0; 3], normal, towards_eye);
    [0, 1, 2].map(|part| lit[part] * paint[part])
}

/// Blinn's highlight with the exponent 64: MuJoCo's default shininess of 0.5 of OpenGL's 128.
fn gloss(normal: Vector, towards_light: Vector, towards_eye: Vector) -> f64 {
    let half = towards_light + towards_eye;
    let length = half.norm();
    if normal.dot(&towards_light) <= 0.0 || length == 0.0 {
        return 0.0;
    }
    let mut power = normal.dot(&half).max(0.0) / length;
    for _ in 0..6 {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grey_cube_has_the_shades_that_monty_sees() {
        let grey = |normal: Vector, eye: Vector| (shade([0.5; 3], normal, eye)[0] * 255.0).round();
        let away = Vector::new(0.9, 0.0, 0.4).normalize();
        assert_eq!(grey(Vector::z(), Vector::z()), 153.0);
        assert!((grey(Vector::z(), away) - 141.0).abs() <= 1.0);
        assert_eq!(grey(Vector::y(), away), 64.0);
        let tilted = Vector::new(0.0, 0.5, 0.75_f64.sqrt());
        assert_eq!(grey(tilted, away), 130.0);
    }
}
