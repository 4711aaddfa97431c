//! Numbers that are the same on every machine: vectors, rotations, and the functions that platforms disagree on.
//!
//! Frames are right-handed, metres, radians inside and degrees only in names that end in `_deg`. Quaternions are
//! scalar-first, `[w, x, y, z]`, wherever they are an array. sin, cos, tan and atan2 come from the `libm` crate, since the
//! platform's own differ in their last bits.

use nalgebra as na;

pub type Vector = na::Vector3<f64>;
pub type Matrix = na::Matrix3<f64>;
pub type UnitQuaternion = na::UnitQuaternion<f64>;
/// A change of frame: `world_from_camera * point_in_camera` is the point in the world.
pub type Pose = na::Isometry3<f64>;

pub use libm::{acos, asin, atan, atan2, ceil, cos, exp, floor, hypot, log, log2, pow, sin, tan};

pub const PI: f64 = std::f64::consts::PI;

/// The box along the axes around some points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub least: Vector,
    pub most: Vector,
}

impl Bounds {
    pub const NOTHING: Bounds = Bounds {
        least: Vector::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        most: Vector::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    pub fn around<'v>(points: impl IntoIterator<Item = &'v Vector>) -> Self {
        points.into_iter().fold(Self::NOTHING, |all, point| all.with(&Self { least: *point, most: *point }))
    }

    pub fn of_ball(centre: Vector, radius: f64) -> Self {
        let radius = Vector::repeat(radius);
        Self { least: centre - radius, most: centre + radius }
    }

    /// Around both.
    pub fn with(&self, other: &Self) -> Self {
        // Comparisons that are one instruction each: nalgebra's inf and sup are several, for numbers that are none.
        Self {
            least: self.least.zip_map(&other.least, |a, b| if b < a { b } else { a }),
            most: self.most.zip_map(&other.most, |a, b| if b > a { b } else { a }),
        }
    }

    pub fn centre(&self) -> Vector {
        (self.least + self.most) / 2.0
    }

    pub fn size(&self) -> Vector {
        self.most - self.least
    }
}

/// How far a quaternion may be from unit length and still be reported exactly as it was given.
const UNIT_TOLERANCE: f64 = 1e-9;

/// Exact to the last bit on every machine, and one instruction.
pub fn sqrt(number: f64) -> f64 {
    number.sqrt()
}

pub fn radians(degrees: f64) -> f64 {
    degrees * (PI / 180.0)
}

pub fn degrees(radians: f64) -> f64 {
    radians * (180.0 / PI)
}

/// A rotation as it is reported and as it is used; the two differ where a quaternion came in with another length than 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    reported: [f64; 4],
    unit: UnitQuaternion,
}

impl Rotation {
    pub const IDENTITY_WXYZ: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

    pub fn identity() -> Self {
        Self::from(UnitQuaternion::identity())
    }

    /// Used normalised; reported as given if within 1e-9 of unit length, else normalised. `None` for a zero quaternion.
    pub fn normalised(wxyz: [f64; 4]) -> Option<Self> {
        let given = Self::as_given(wxyz)?;
        let is_unit = (norm(wxyz) - 1.0).abs() <= UNIT_TOLERANCE;
        Some(if is_unit { given } else { Self::from(given.unit) })
    }

    /// Used normalised, reported exactly as given. `None` for a zero quaternion.
    pub fn as_given(wxyz: [f64; 4]) -> Option<Self> {
        let largest = wxyz.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return None;
        }
        // Scaled first, so that the squares of very long and very short quaternions neither overflow nor vanish. A power
        // of two loses no bit, and a subnormal one is too small to invert.
        let scale = if (1e-100..=1e100).contains(&largest) { 1.0 } else { largest };
        let [w, x, y, z] = wxyz.map(|c| c / scale);
        let unit = UnitQuaternion::from_quaternion(na::Quaternion::new(w, x, y, z));
        Some(Self { reported: wxyz, unit })
    }

    /// About the fixed axes x, then y, then z: R = Rz·Ry·Rx.
    pub fn from_extrinsic_xyz_deg([x, y, z]: [f64; 3]) -> Self {
        Self::from(about_z(radians(z)) * about_y(radians(y)) * about_x(radians(x)))
    }

    pub fn wxyz(&self) -> [f64; 4] {
        self.reported
    }

    pub fn unit(&self) -> UnitQuaternion {
        self.unit
    }

    /// This rotation followed by `turn` about its own axes, normalised again.
    pub fn turned(&self, turn: UnitQuaternion) -> Self {
        Self::from(renormalised(self.unit * turn))
    }

    pub fn rotate(&self, vector: Vector) -> Vector {
        self.unit * vector
    }
}

impl From<UnitQuaternion> for Rotation {
    /// What is used is always computed from what is reported, so that a reported rotation that comes back is the same one.
    fn from(unit: UnitQuaternion) -> Self {
        Self { reported: [unit.w, unit.i, unit.j, unit.k], unit: renormalised(unit) }
    }
}

/// The length of a quaternion.
pub fn norm(wxyz: [f64; 4]) -> f64 {
    sqrt(wxyz.iter().map(|c| c * c).sum())
}

fn renormalised(q: UnitQuaternion) -> UnitQuaternion {
    UnitQuaternion::from_quaternion(q.into_inner())
}

pub fn about_x(angle: f64) -> UnitQuaternion {
    let (s, c) = half_angle(angle);
    UnitQuaternion::new_unchecked(na::Quaternion::new(c, s, 0.0, 0.0))
}

pub fn about_y(angle: f64) -> UnitQuaternion {
    let (s, c) = half_angle(angle);
    UnitQuaternion::new_unchecked(na::Quaternion::new(c, 0.0, s, 0.0))
}

pub fn about_z(angle: f64) -> UnitQuaternion {
    let (s, c) = half_angle(angle);
    UnitQuaternion::new_unchecked(na::Quaternion::new(c, 0.0, 0.0, s))
}

fn half_angle(angle: f64) -> (f64, f64) {
    (sin(angle * 0.5), cos(angle * 0.5))
}

/// The first angle of the extrinsic xyz Euler decomposition, in (-π, π]; where x and z turn about one axis, z is 0.
pub fn pitch_of(q: UnitQuaternion) -> f64 {
    // After Bernardes and Viollet (2022), "Quaternion to Euler angles conversion: a direct, general and computationally
    // efficient method"; the degenerate cases as SciPy decides them.
    const DEGENERATE: f64 = 1e-7;
    let (w, x, y, z) = (q.w, q.i, q.j, q.k);
    let (a, b, c, d) = (w - y, x + z, y + w, z - x);
    let middle = 2.0 * atan2(hypot(c, d), hypot(a, b));
    let half_sum = atan2(b, a);
    let half_difference = atan2(d, c);
    let pitch = if middle.abs() <= DEGENERATE {
        2.0 * half_sum
    } else if (middle - PI).abs() <= DEGENERATE {
        -2.0 * half_difference
    } else {
        half_sum - half_difference
    };
    wrapped(pitch)
}

fn wrapped(angle: f64) -> f64 {
    if angle > PI {
        angle - 2.0 * PI
    } else if angle < -PI {
        angle + 2.0 * PI
    } else {
        angle
    }
}

/// The angle of the forward axis above the horizontal, in (-π, π]: atan2(v_y, -v_z) of v = q·(0, 0, -1).
pub fn elevation_of(q: UnitQuaternion) -> f64 {
    let forward = q * Vector::new(0.0, 0.0, -1.0);
    atan2(forward.y, -forward.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_axis_angles_equal_nalgebras_to_the_bit() {
        for step in -720..=720 {
            let angle = radians(f64::from(step) * 0.7);
            for (ours, axis) in [
                (about_x(angle), Vector::x_axis()),
                (about_y(angle), Vector::y_axis()),
                (about_z(angle), Vector::z_axis()),
            ] {
                assert_eq!(ours, UnitQuaternion::from_axis_angle(&axis, angle), "{step}");
            }
        }
    }

    #[test]
    fn the_extrinsic_order_is_x_then_y_then_z() {
        let q = Rotation::from_extrinsic_xyz_deg([35.0, 45.0, 0.0]).wxyz();
        let expected = [0.88111957, 0.27781593, 0.36497168, -0.11507513];
        for (a, b) in q.iter().zip(expected) {
            assert!((a - b).abs() < 1e-8, "{q:?}");
        }
    }

    #[test]
    fn a_quaternion_of_any_length_but_zero_is_a_rotation() {
        for length in [f64::MIN_POSITIVE, 5e-324, 1e-200, 0.5, 2.0, 1e200, f64::MAX] {
            let r = Rotation::normalised([0.0, length, 0.0, 0.0]).expect("not zero");
            assert_eq!(r.wxyz(), [0.0, 1.0, 0.0, 0.0]);
        }
        assert_eq!(Rotation::normalised([0.0, -0.0, 0.0, 0.0]), None);
    }

    #[test]
    fn a_reported_rotation_given_again_is_the_same_to_the_bit() {
        let mut rotation = Rotation::normalised([3.0, -1.0, 0.25, 7.0]).expect("not zero");
        for step in 0..1000 {
            assert_eq!(Rotation::normalised(rotation.wxyz()), Some(rotation), "{step}");
            assert_eq!(Rotation::as_given(rotation.wxyz()), Some(rotation), "{step}");
            rotation = rotation.turned(about_y(0.7)).turned(about_x(-1.3));
        }
    }

    #[test]
    fn the_pitch_is_the_first_extrinsic_angle() {
        for [x, y, z] in [[30.0, 45.0, -10.0], [0.0, 45.0, 0.0], [170.0, 20.0, 0.0], [-120.0, 5.0, 60.0]] {
            let q = Rotation::from_extrinsic_xyz_deg([x, y, z]).unit();
            assert!((pitch_of(q) - radians(x)).abs() < 1e-12);
        }
    }
}
