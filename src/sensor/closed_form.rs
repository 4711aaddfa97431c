//! Where a ray enters a shape, and which way the shape's surface looks there, by closed forms.

use crate::math::{Vector, sqrt};
use crate::world::Shape;

/// A ray in an object's own frame.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub origin: Vector,
    pub direction: Vector,
}

impl Ray {
    pub fn at(&self, t: f64) -> Vector {
        self.origin + self.direction * t
    }

    /// The parameter at which the ray enters a shape that has a closed form.
    pub fn enters(&self, shape: &Shape) -> Option<f64> {
        match shape {
            Shape::Sphere { radius } => self.enters_ball(Vector::zeros(), *radius),
            Shape::Ellipsoid { radii } => self.scaled(radii).enters_ball(Vector::zeros(), 1.0),
            Shape::Cuboid { half } => self.enters_cuboid(half),
            Shape::Cylinder { radius, half_height } => self.enters_cylinder(*radius, *half_height),
            Shape::Capsule { radius, half_length } => self.enters_capsule(*radius, *half_length),
            Shape::Cone { radius, half_height } => self.enters_cone(*radius, *half_height),
            Shape::Hull(_) | Shape::Mesh(_) => unreachable!("what has triangles has no closed form"),
        }
    }

    /// The same ray in a frame whose axes are divided by `size`.
    pub fn scaled(&self, size: &Vector) -> Ray {
        Ray { origin: self.origin.component_div(size), direction: self.direction.component_div(size) }
    }

    /// From the point nearest to the centre back to the surface, which keeps its digits however far the ball is.
    fn enters_ball(&self, centre: Vector, radius: f64) -> Option<f64> {
        let from_centre = self.origin - centre;
        let squared = self.direction.norm_squared();
        let nearest = -from_centre.dot(&self.direction) / squared;
        let miss = from_centre + self.direction * nearest;
        let inside = radius * radius - miss.norm_squared();
        (inside > 0.0).then(|| nearest - sqrt(inside / squared))
    }

    fn enters_cuboid(&self, half: &Vector) -> Option<f64> {
        let inside = self.slab(0, half.x)?.meet(self.slab(1, half.y)?)?.meet(self.slab(2, half.z)?)?;
        Some(inside.from)
    }

    fn enters_cylinder(&self, radius: f64, half_height: f64) -> Option<f64> {
        let inside = self.tube(radius)?.meet(self.slab(1, half_height)?)?;
        Some(inside.from)
    }

    /// The earliest entry into the tube between the half spheres or into one of these: where both are, the tube is inside.
    fn enters_capsule(&self, radius: f64, half_length: f64) -> Option<f64> {
        let tube = self.enters_cylinder(radius, half_length);
        let ends = [-half_length, half_length].map(|y| self.enters_ball(Vector::y() * y, radius));
        ends.into_iter().chain([tube]).flatten().reduce(f64::min)
    }

    /// Through the base from below, else through the side.
    fn enters_cone(&self, radius: f64, half_height: f64) -> Option<f64> {
        let base = (self.direction.y > 0.0).then(|| (-half_height - self.origin.y) / self.direction.y).filter(|t| {
            let p = self.at(*t);
            p.x * p.x + p.z * p.z <= radius * radius
        });
        base.or_else(|| self.enters_side_of_cone(radius, half_height))
    }

    /// With the quadratic form of the double cone, a t² + 2 b t + c, which is below 0 inside.
    fn enters_side_of_cone(&self, radius: f64, half_height: f64) -> Option<f64> {
        let slope = radius / (2.0 * half_height);
        let (o, d) = (self.origin, self.direction);
        let below_tip = half_height - o.y;
        let a = d.x * d.x + d.z * d.z - slope * slope * d.y * d.y;
        let b = o.x * d.x + o.z * d.z + slope * slope * below_tip * d.y;
        let c = o.x * o.x + o.z * o.z - slope * slope * below_tip * below_tip;
        let entry = if a < 0.0 {
            // Steeper than the side: it always leaves one of the two cones and enters the other, downwards ours.
            let [first, second] = roots(a, b, c, (b * b - a * c).max(0.0));
            (d.y < 0.0).then_some(first.max(second))
        } else if a == 0.0 {
            (b < 0.0).then(|| -c / (2.0 * b))
        } else {
            let discriminant = b * b - a * c;
            (discriminant > 0.0).then(|| {
                let [first, second] = roots(a, b, c, discriminant);
                first.min(second)
            })
        };
        let above_tip = half_height * (1.0 + 1e-12);
        entry.filter(|t| (-half_height..=above_tip).contains(&self.at(*t).y))
    }

    /// Where the ray is between the planes at ±half of an axis.
    fn slab(&self, axis: usize, half: f64) -> Option<Interval> {
        let (o, d) = (self.origin[axis], self.direction[axis]);
        if d == 0.0 {
            return (o.abs() <= half).then_some(Interval::ALL);
        }
        let (a, b) = ((-half - o) / d, (half - o) / d);
        Some(Interval { from: a.min(b), to: a.max(b) })
    }

    /// Where the ray is within `radius` of the y axis.
    fn tube(&self, radius: f64) -> Option<Interval> {
        let flat = |v: Vector| Vector::new(v.x, 0.0, v.z);
        let (o, d) = (flat(self.origin), flat(self.direction));
        let squared = d.norm_squared();
        if squared == 0.0 {
            return (o.norm_squared() <= radius * radius).then_some(Interval::ALL);
        }
        let nearest = -o.dot(&d) / squared;
        let inside = radius * radius - (o + d * nearest).norm_squared();
        let half = sqrt((inside > 0.0).then_some(inside / squared)?);
        Some(Interval { from: nearest - half, to: nearest + half })
    }
}

/// The outward normal of a shape at a point of its surface, own frame, of any length.
pub fn normal_of(shape: &Shape, p: Vector) -> Vector {
    let flat = Vector::new(p.x, 0.0, p.z);
    match *shape {
        Shape::Sphere { .. } => p,
        Shape::Ellipsoid { radii } => p.component_div(&radii).component_div(&radii),
        Shape::Cuboid { half } => {
            let axis = p.component_div(&half).iamax();
            Vector::ith(axis, p[axis])
        }
        Shape::Cylinder { radius, half_height } => {
            let is_cap = p.y.abs() - half_height > flat.norm() - radius;
            if is_cap { Vector::y() * p.y } else { flat }
        }
        Shape::Capsule { half_length, .. } => p - Vector::y() * p.y.clamp(-half_length, half_length),
        Shape::Cone { radius, half_height } => {
            let slope = radius / (2.0 * half_height);
            let out_of_side = (flat.norm() - slope * (half_height - p.y)) / sqrt(1.0 + slope * slope);
            let is_base = -half_height - p.y > out_of_side;
            if is_base { -Vector::y() } else { flat + Vector::y() * (slope * flat.norm()) }
        }
        Shape::Hull(_) | Shape::Mesh(_) => unreachable!("the normals of what has triangles are theirs"),
    }
}

/// A part of a ray.
#[derive(Clone, Copy, Debug)]
struct Interval {
    from: f64,
    to: f64,
}

impl Interval {
    const ALL: Interval = Interval { from: f64::NEG_INFINITY, to: f64::INFINITY };

    fn meet(self, other: Interval) -> Option<Interval> {
        let common = Interval { from: self.from.max(other.from), to: self.to.min(other.to) };
        (common.from < common.to).then_some(common)
    }
}

/// The roots of a t² + 2 b t + c for its discriminant b² - a c, without the cancellation of the school formula.
fn roots(a: f64, b: f64, c: f64, discriminant: f64) -> [f64; 2] {
    let q = -(b + sqrt(discriminant).copysign(b));
    [q / a, if q == 0.0 { 0.0 } else { c / q }]
}
