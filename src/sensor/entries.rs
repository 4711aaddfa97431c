//! Where rays of one row enter a shape, several side by side: the closed forms of the oracle without a branch, so that the
//! compiler computes them in vectors.
//!
//! What is not entered is entered at infinity.

use super::object_view::ObjectView;
use crate::world::Shape;

/// Rays side by side.
pub const RAYS: usize = 4;

type Numbers = [f64; RAYS];

const NEVER: f64 = f64::INFINITY;

/// Rays of one row from one origin, in an object's frame.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    origin: [f64; 3],
    /// A ray's direction is `slope` x + `start`.
    slope: [f64; 3],
    start: [f64; 3],
}

impl Row {
    pub fn new(view: &ObjectView, y: f64) -> Self {
        let [slope, start] = view.row(y);
        Self { origin: view.camera.into(), slope, start }
    }

    /// For each x, the parameter at which its ray enters the shape.
    pub fn enters(&self, shape: &Shape, x: &Numbers) -> Numbers {
        let direction = [0, 1, 2].map(|axis| each(|ray| self.slope[axis] * x[ray] + self.start[axis]));
        let rays = Rays { origin: self.origin, direction };
        match *shape {
            Shape::Sphere { radius } => rays.enter_ball(radius),
            Shape::Ellipsoid { radii } => rays.scaled(radii.into()).enter_ball(1.0),
            Shape::Cylinder { radius, half_height } => rays.enter_cylinder(radius, half_height),
            Shape::Capsule { radius, half_length } => rays.enter_capsule(radius, half_length),
            Shape::Cone { radius, half_height } => rays.enter_cone(radius, half_height),
            Shape::Cuboid { .. } | Shape::Hull(_) | Shape::Mesh(_) => {
                unreachable!("what is flat is drawn by triangles")
            }
        }
    }
}

fn each(number: impl Fn(usize) -> f64) -> Numbers {
    std::array::from_fn(number)
}

fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

fn select(condition: bool, yes: f64, no: f64) -> f64 {
    if condition { yes } else { no }
}

struct Rays {
    origin: [f64; 3],
    direction: [Numbers; 3],
}

/// From an entry to an exit; where the second is not behind the first, nothing.
struct Stretch {
    from: Numbers,
    to: Numbers,
}

impl Stretch {
    fn entries(&self) -> Numbers {
        each(|ray| select(self.from[ray] < self.to[ray], self.from[ray], NEVER))
    }

    fn meet(&self, other: &Self) -> Self {
        Self {
            from: each(|ray| larger(self.from[ray], other.from[ray])),
            to: each(|ray| smaller(self.to[ray], other.to[ray])),
        }
    }
}

impl Rays {
    /// In a frame whose axes are divided by `size`.
    fn scaled(&self, size: [f64; 3]) -> Self {
        let origin = [0, 1, 2].map(|axis| self.origin[axis] / size[axis]);
        Self { origin, direction: [0, 1, 2].map(|axis| each(|ray| self.direction[axis][ray] / size[axis])) }
    }

    /// From a point so far up.
    fn raised(&self, up: f64) -> Self {
        let [x, y, z] = self.origin;
        Self { origin: [x, y + up, z], direction: self.direction }
    }

    fn enter_ball(&self, radius: f64) -> Numbers {
        let ([x, y, z], [u, v, w]) = (self.origin, &self.direction);
        each(|ray| {
            let (u, v, w) = (u[ray], v[ray], w[ray]);
            let squared = u * u + v * v + w * w;
            let nearest = -(x * u + y * v + z * w) / squared;
            let miss = [x + u * nearest, y + v * nearest, z + w * nearest];
            let inside = radius * radius - (miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2]);
            select(inside > 0.0, nearest - (larger(inside, 0.0) / squared).sqrt(), NEVER)
        })
    }

    fn enter_cylinder(&self, radius: f64, half_height: f64) -> Numbers {
        self.tube(radius).meet(&self.slab(half_height)).entries()
    }

    fn enter_capsule(&self, radius: f64, half_length: f64) -> Numbers {
        let tube = self.enter_cylinder(radius, half_length);
        let [low, high] = [half_length, -half_length].map(|up| self.raised(up).enter_ball(radius));
        each(|ray| smaller(smaller(low[ray], high[ray]), tube[ray]))
    }

    /// Through the base from below, else through the side.
    fn enter_cone(&self, radius: f64, half_height: f64) -> Numbers {
        let ([x, y, z], [u, v, w]) = (self.origin, &self.direction);
        let side = self.enter_side_of_cone(radius, half_height);
        each(|ray| {
            let t = (-half_height - y) / v[ray];
            let (a, b) = (x + u[ray] * t, z + w[ray] * t);
            let is_base = (v[ray] > 0.0) & (a * a + b * b <= radius * radius);
            select(is_base, t, side[ray])
        })
    }

    /// With the quadratic form of the double cone, a t² + 2 b t + c, which is below 0 inside.
    fn enter_side_of_cone(&self, radius: f64, half_height: f64) -> Numbers {
        let ([x, y, z], [u, v, w]) = (self.origin, &self.direction);
        let slope = radius / (2.0 * half_height);
        let squared = slope * slope;
        let below_tip = half_height - y;
        let c = x * x + z * z - squared * below_tip * below_tip;
        let above_tip = half_height * (1.0 + 1e-12);
        each(|ray| {
            let (u, v, w) = (u[ray], v[ray], w[ray]);
            let a = u * u + w * w - squared * v * v;
            let b = x * u + z * w + squared * below_tip * v;
            let discriminant = b * b - a * c;
            let q = -(b + larger(discriminant, 0.0).sqrt().copysign(b));
            let (first, second) = (q / a, select(q == 0.0, 0.0, c / q));
            // Steeper than the side: it always leaves one of the two cones and enters the other, downwards ours.
            let steep = select(v < 0.0, larger(first, second), NEVER);
            let along = select(b < 0.0, -c / (2.0 * b), NEVER);
            let flat = select(discriminant > 0.0, smaller(first, second), NEVER);
            let t = select(a < 0.0, steep, select(a == 0.0, along, flat));
            let height = y + v * t;
            select((height >= -half_height) & (height <= above_tip), t, NEVER)
        })
    }

    /// Where the rays are between the planes at ±half of y.
    fn slab(&self, half: f64) -> Stretch {
        let (y, v) = (self.origin[1], &self.direction[1]);
        let is_level = |ray: usize| v[ray] == 0.0;
        let is_within = y.abs() <= half;
        let low = each(|ray| (-half - y) / v[ray]);
        let high = each(|ray| (half - y) / v[ray]);
        let always = select(is_within, f64::NEG_INFINITY, NEVER);
        Stretch {
            from: each(|ray| select(is_level(ray), always, smaller(low[ray], high[ray]))),
            to: each(|ray| select(is_level(ray), -always, larger(low[ray], high[ray]))),
        }
    }

    /// Where the rays are within `radius` of the y axis.
    fn tube(&self, radius: f64) -> Stretch {
        let ([x, _, z], [u, _, w]) = (self.origin, &self.direction);
        let always = select(x * x + z * z <= radius * radius, f64::NEG_INFINITY, NEVER);
        let squared = each(|ray| u[ray] * u[ray] + w[ray] * w[ray]);
        let nearest = each(|ray| -(x * u[ray] + z * w[ray]) / squared[ray]);
        let half = each(|ray| {
            let (a, b) = (x + u[ray] * nearest[ray], z + w[ray] * nearest[ray]);
            let inside = radius * radius - (a * a + b * b);
            // A ray that passes by has a stretch of less than nothing.
            select(inside > 0.0, (larger(inside, 0.0) / squared[ray]).sqrt(), f64::NEG_INFINITY)
        });
        let is_upright = |ray: usize| squared[ray] == 0.0;
        Stretch {
            from: each(|ray| select(is_upright(ray), always, nearest[ray] - half[ray])),
            to: each(|ray| select(is_upright(ray), -always, nearest[ray] + half[ray])),
        }
    }
}
