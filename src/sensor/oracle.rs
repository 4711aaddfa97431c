//! The oracle: which object a ray meets first and where, in f64, by closed forms and by trying every triangle.
//!
//! Back faces are culled, so only the point where a ray enters a body counts: from inside, the body is not seen. A ray's
//! parameter is the planar depth, since its direction has z = -1 in the camera's frame.

use crate::assets::Mesh;
use crate::math::{Matrix, Pose, Vector, sqrt};
use crate::world::{Object, Shape, Triangle};

/// The objects as one camera's rays meet them.
#[derive(Debug)]
pub struct Scene<'w> {
    objects: &'w [Object],
    seen: Vec<SeenFrom>,
    /// A surface nearer than this is not seen, metres.
    near_m: f64,
}

/// An object's own frame, from the camera.
#[derive(Clone, Copy, Debug)]
struct SeenFrom {
    camera: Vector,
    object_from_camera: Matrix,
    /// Of a sphere that holds the object.
    radius: f64,
}

/// The steps from a pixel's ray to those of its right and its lower neighbour, in the camera's frame.
#[derive(Clone, Copy, Debug)]
pub struct Spread(pub [Vector; 2]);

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Planar, metres.
    pub depth_m: f64,
    /// Index into the objects.
    pub object: usize,
    /// Index into the object's triangles, where it has some.
    triangle: usize,
}

impl<'w> Scene<'w> {
    pub fn new(objects: &'w [Object], world_from_camera: &Pose, near_m: f64) -> Self {
        let seen = objects.iter().map(|object| SeenFrom::new(object, world_from_camera)).collect();
        Self { objects, seen, near_m }
    }

    /// The nearest entry point; of equals the one of the object that was added first.
    pub fn cast(&self, ray_in_camera: Vector) -> Option<Hit> {
        let mut nearest: Option<Hit> = None;
        for (index, object) in self.objects.iter().enumerate() {
            let limit = nearest.map_or(f64::INFINITY, |hit| hit.depth_m);
            let ray = self.ray(index, ray_in_camera);
            if object.facets.is_some() && !ray.passes_within(self.seen[index].radius) {
                continue;
            }
            let entry = ray.enters(object, self.near_m);
            if let Some((depth_m, triangle)) = entry.filter(|(depth_m, _)| *depth_m < limit) {
                nearest = Some(Hit { depth_m, object: index, triangle });
            }
        }
        nearest
    }

    /// The outward unit normal where a ray hit, world.
    pub fn normal(&self, ray_in_camera: Vector, hit: &Hit) -> Vector {
        let object = &self.objects[hit.object];
        let point = self.ray(hit.object, ray_in_camera).at(hit.depth_m);
        let normal = match &object.shape {
            Shape::Hull(triangles) => triangles[hit.triangle].normal(),
            Shape::Mesh(shape) => {
                let ray = self.ray(hit.object, ray_in_camera).scaled(&shape.scale);
                normal_of_mesh(&shape.mesh, hit.triangle, &ray).component_div(&shape.scale)
            }
            shape => normal_of(shape, point),
        };
        object.spec.rotation.rotate(normal.normalize())
    }

    /// What a mesh's own materials say of the colour where a ray hit; `None` if it is not a mesh or they say nothing.
    pub fn paint(&self, ray_in_camera: Vector, hit: &Hit, spread: Option<&Spread>) -> Option<[f64; 3]> {
        match &self.objects[hit.object].shape {
            Shape::Mesh(shape) => {
                let ray = |direction: Vector| self.ray(hit.object, direction).scaled(&shape.scale);
                let neighbours = spread.map(|spread| spread.0.map(|step| ray(ray_in_camera + step)));
                color_of(&shape.mesh, hit.triangle, &ray(ray_in_camera), neighbours.as_ref())
            }
            _ => None,
        }
    }

    /// How long one ray takes, in rays against one closed form.
    pub fn cost_of_ray(&self) -> usize {
        const TRIANGLES_OF_THE_SAME_COST: usize = 4;
        const COST_OF_TREE: usize = 16;
        let cost = |object: &Object| match (&object.shape, &object.facets) {
            (Shape::Mesh(_), _) => COST_OF_TREE,
            (_, Some(facets)) => 1 + facets.len() / TRIANGLES_OF_THE_SAME_COST,
            (_, None) => 1,
        };
        1 + self.objects.iter().map(cost).sum::<usize>()
    }

    fn ray(&self, object: usize, ray_in_camera: Vector) -> Ray {
        let seen = &self.seen[object];
        Ray { origin: seen.camera, direction: seen.object_from_camera * ray_in_camera }
    }
}

impl SeenFrom {
    fn new(object: &Object, world_from_camera: &Pose) -> Self {
        let object_from_world = object.spec.rotation.unit().inverse();
        let camera = object_from_world * (world_from_camera.translation.vector - object.spec.position);
        let turn = object_from_world * world_from_camera.rotation;
        // A little more, so that no surface point is outside by rounding.
        let radius = object.shape.bounding_radius() * (1.0 + 1e-9);
        Self { camera, object_from_camera: turn.to_rotation_matrix().into_inner(), radius }
    }
}

/// The outward normal of a shape at a point of its surface, own frame, of any length.
fn normal_of(shape: &Shape, p: Vector) -> Vector {
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

/// A ray in an object's own frame.
#[derive(Clone, Copy, Debug)]
struct Ray {
    origin: Vector,
    direction: Vector,
}

impl Ray {
    fn at(&self, t: f64) -> Vector {
        self.origin + self.direction * t
    }

    /// Whether the line of the ray comes so near to the origin.
    fn passes_within(&self, radius: f64) -> bool {
        let nearest = -self.origin.dot(&self.direction) / self.direction.norm_squared();
        self.at(nearest).norm_squared() <= radius * radius
    }

    /// The parameter at which the ray enters the object's surface, beyond `near`, and through which of its triangles.
    fn enters(&self, object: &Object, near: f64) -> Option<(f64, usize)> {
        if let Some(facets) = &object.facets {
            return self.enters_triangles(facets, near);
        }
        let t = match &object.shape {
            Shape::Sphere { radius } => self.enters_ball(Vector::zeros(), *radius),
            Shape::Ellipsoid { radii } => self.scaled(radii).enters_ball(Vector::zeros(), 1.0),
            Shape::Cuboid { half } => self.enters_cuboid(half),
            Shape::Cylinder { radius, half_height } => self.enters_cylinder(*radius, *half_height),
            Shape::Capsule { radius, half_length } => self.enters_capsule(*radius, *half_length),
            Shape::Cone { radius, half_height } => self.enters_cone(*radius, *half_height),
            Shape::Hull(triangles) => return self.enters_triangles(triangles, near),
            Shape::Mesh(shape) => return self.scaled(&shape.scale).enters_mesh(&shape.mesh, near),
        };
        t.filter(|t| *t > near).map(|t| (t, 0))
    }

    /// The same ray in a frame whose axes are divided by `size`.
    fn scaled(&self, size: &Vector) -> Ray {
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

    /// The nearest; of equals the first.
    fn enters_triangles(&self, triangles: &[Triangle], near: f64) -> Option<(f64, usize)> {
        let entries = triangles
            .iter()
            .enumerate()
            .filter_map(|(i, Triangle(corners))| Some((self.enters_triangle(corners.each_ref())?.t, i)));
        entries.filter(|(t, _)| *t > near).reduce(|nearest, next| if next.0 < nearest.0 { next } else { nearest })
    }

    /// Möller and Trumbore's test, from the front alone; edges belong to both of their triangles.
    fn enters_triangle(&self, [a, b, c]: [&Vector; 3]) -> Option<Crossing> {
        let (ab, ac) = (b - a, c - a);
        let p = self.direction.cross(&ac);
        let determinant = ab.dot(&p);
        if determinant <= 0.0 {
            return None;
        }
        let from_a = self.origin - a;
        let u = from_a.dot(&p);
        let q = from_a.cross(&ab);
        let v = self.direction.dot(&q);
        let is_inside = u >= 0.0 && v >= 0.0 && u + v <= determinant;
        is_inside.then(|| Crossing { t: ac.dot(&q) / determinant, weights: [u / determinant, v / determinant] })
    }

    fn enters_mesh(&self, mesh: &Mesh, near: f64) -> Option<(f64, usize)> {
        mesh.bvh.nearest(&self.origin, &self.direction, near, |triangle| Some(self.crosses(mesh, triangle)?.t))
    }

    /// From the front, or from either side where the material has two; not through a hole of its texture.
    fn crosses(&self, mesh: &Mesh, triangle: usize) -> Option<Crossing> {
        let [a, b, c] = mesh.corners(triangle);
        let material = mesh.material(triangle);
        let from_behind = || {
            let Crossing { t, weights: [u, v] } = self.enters_triangle([a, c, b])?;
            Some(Crossing { t, weights: [v, u] })
        };
        let front = self.enters_triangle([a, b, c]);
        let crossing = if material.is_double_sided { front.or_else(from_behind) } else { front }?;
        let is_hole = |cutoff: f64| match (texel(mesh, triangle, &crossing), &material.texture) {
            (Some(texel), _) => texel[3] < cutoff,
            (None, _) => cutoff > 1.0,
        };
        (!material.alpha_cutoff.is_some_and(is_hole)).then_some(crossing)
    }
}

/// Where a ray crosses a triangle.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    t: f64,
    /// Of the second and the third corner.
    weights: [f64; 2],
}

impl Crossing {
    /// Of the triangle's plane, also outside of the triangle.
    fn of_plane(mesh: &Mesh, triangle: usize, ray: &Ray) -> Self {
        let [a, b, c] = mesh.corners(triangle);
        let (ab, ac) = (b - a, c - a);
        let p = ray.direction.cross(&ac);
        let determinant = ab.dot(&p);
        let from_a = ray.origin - a;
        let q = from_a.cross(&ab);
        let weights = [from_a.dot(&p) / determinant, ray.direction.dot(&q) / determinant];
        Self { t: ac.dot(&q) / determinant, weights }
    }

    fn between<const N: usize>(&self, [a, b, c]: [[f32; N]; 3]) -> [f64; N] {
        let [u, v] = self.weights;
        std::array::from_fn(|i| {
            let [a, b, c] = [a[i], b[i], c[i]].map(f64::from);
            a + u * (b - a) + v * (c - a)
        })
    }
}

fn texel(mesh: &Mesh, triangle: usize, crossing: &Crossing) -> Option<[f64; 4]> {
    let texture = mesh.material(triangle).texture.as_ref()?;
    let uv = mesh.surfaces[triangle].uv?;
    Some(texture.sample(crossing.between(uv)))
}

/// Towards the eye, in the object's own frame; between those of the corners where the file has some.
fn normal_of_mesh(mesh: &Mesh, triangle: usize, ray: &Ray) -> Vector {
    let [a, b, c] = mesh.corners(triangle);
    let flat = (b - a).cross(&(c - a));
    let crossing = Crossing::of_plane(mesh, triangle, ray);
    let smooth = mesh.surfaces[triangle].normals.map(|normals| Vector::from(crossing.between(normals)));
    let normal = smooth.filter(|normal| normal.norm_squared() > 0.0).unwrap_or(flat);
    if flat.dot(&ray.direction) > 0.0 { -normal } else { normal }
}

/// The product of what the material, its picture and the corners have; `None` where they have nothing.
fn color_of(mesh: &Mesh, triangle: usize, ray: &Ray, neighbours: Option<&[Ray; 2]>) -> Option<[f64; 3]> {
    let crossing = Crossing::of_plane(mesh, triangle, ray);
    let (material, surface) = (mesh.material(triangle), &mesh.surfaces[triangle]);
    let texel = surface.uv.zip(material.texture.as_ref()).map(|(corners, texture)| {
        let uv = crossing.between(corners);
        let step = |neighbour: &Ray| {
            let [u, v] = Crossing::of_plane(mesh, triangle, neighbour).between(corners);
            [u - uv[0], v - uv[1]]
        };
        let [red, green, blue, _] = match neighbours {
            Some(rays) => texture.sample_over(uv, rays.each_ref().map(step)),
            None => texture.sample(uv),
        };
        [red, green, blue]
    });
    let of_corners = surface.colors.map(|colors| crossing.between(colors));
    let product = |a: [f64; 3], b: [f64; 3]| [a[0] * b[0], a[1] * b[1], a[2] * b[2]];
    [material.color, texel, of_corners].into_iter().flatten().reduce(product)
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
