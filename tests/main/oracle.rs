//! The oracle against itself and others: closed forms against fine facets, against parry's ray cast, and against what any
//! right answer must satisfy, over random scenes.

use std::sync::Arc;

use proptest::prelude::*;
use rapier3d::parry;
use rapier3d::parry::query::RayCast;
use saccade::math::{Pose, Rotation, UnitQuaternion, Vector};
use saccade::protocol::ObjectId;
use saccade::sensor::{Hit, Scene};
use saccade::world::file::DEFAULT_COLOR;
use saccade::world::{Compat, Object, ObjectSpec, Preset, Shape, Stock, Triangle};

use crate::fixture::properties;

const NAMES: [&str; 9] =
    ["sphere", "ellipsoid", "box", "cylinder", "capsule", "coneSolid", "icosphereSolid", "uvSphereSolid", "cubeSolid"];

fn object(name: &str, position: Vector, rotation: Rotation, scale: Vector) -> Object {
    let spec = ObjectSpec {
        name: name.into(),
        file: None,
        position,
        rotation,
        scale,
        semantic_id: None,
        color: DEFAULT_COLOR,
    };
    Object::new(ObjectId(0), &spec, None, &Compat::preset(Preset::Saccade), &mut Stock::empty())
        .expect("a primitive of a usual size")
}

/// A camera at a place that looks at a point.
fn looking(from: Vector, at: Vector) -> Pose {
    let direction = at - from;
    let up = if direction.cross(&Vector::y()).norm() < 1e-6 * direction.norm() { Vector::x() } else { Vector::y() };
    // A face_towards frame looks along +z; cameras look along -z.
    Pose::from_parts(from.into(), UnitQuaternion::face_towards(&-direction, &up))
}

fn cast(object: &Object, world_from_camera: &Pose, ray: Vector) -> Option<(f64, Vector)> {
    let objects = std::slice::from_ref(object);
    let scene = Scene::new(objects, world_from_camera, 0.0);
    scene.cast(ray).map(|hit: Hit| (hit.depth_m, scene.normal(ray, &hit)))
}

/// Where a camera may stand and look, in sizes of the object: near, far, inside, grazing.
#[derive(Clone, Debug)]
struct View {
    name: &'static str,
    size: f64,
    aspect: [f64; 3],
    angles: [f64; 3],
    distance: f64,
    towards: [f64; 3],
    aim: [f64; 3],
    ray: [f64; 2],
}

fn views() -> impl Strategy<Value = View> {
    let unit = || prop::array::uniform3(-1.0..1.0f64);
    (
        prop::sample::select(&NAMES[..]),
        -3.0..1.0f64,
        prop::array::uniform3(0.4..1.6f64),
        prop::array::uniform3(0.0..360.0f64),
        0.05..8.0f64,
        unit().prop_filter("a direction", |v| Vector::from(*v).norm() > 0.1),
        unit(),
        prop::array::uniform2(-0.3..0.3f64),
    )
        .prop_map(|(name, power, aspect, angles, distance, towards, aim, ray)| View {
            name,
            // 1 mm to 10 m.
            size: 10f64.powf(power),
            aspect,
            angles,
            distance,
            towards,
            aim,
            ray,
        })
}

impl View {
    /// The largest of the object's sizes is about this.
    fn object(&self) -> Object {
        let unit = if self.name.ends_with("Solid") { 10.0 } else { 1.0 };
        let scale = Vector::from(self.aspect) * self.size * unit;
        let rotation = Rotation::from_extrinsic_xyz_deg(self.angles);
        object(self.name, Vector::new(0.1, 1.5, -0.2) * self.size, rotation, scale)
    }

    fn camera(&self, object: &Object) -> Pose {
        let from = object.spec.position + Vector::from(self.towards).normalize() * self.distance * self.size;
        looking(from, object.spec.position + Vector::from(self.aim) * self.size)
    }

    fn ray(&self) -> Vector {
        Vector::new(self.ray[0], self.ray[1], -1.0)
    }
}

/// How far outside a shape a point of its own frame is, in the shape's own measure: below 0 inside, 0 on the surface.
fn outside(shape: &Shape, p: Vector) -> f64 {
    let flat = p.x.hypot(p.z);
    match shape {
        Shape::Sphere { radius } => p.norm() - radius,
        Shape::Ellipsoid { radii } => (p.component_div(radii).norm() - 1.0) * radii.min(),
        Shape::Cuboid { half } => (p.abs() - half).max(),
        Shape::Cylinder { radius, half_height } => (flat - radius).max(p.y.abs() - half_height),
        Shape::Capsule { radius, half_length } => {
            (p - Vector::y() * p.y.clamp(-half_length, *half_length)).norm() - radius
        }
        Shape::Cone { radius, half_height } => {
            let slope = radius / (2.0 * half_height);
            let side = (flat - slope * (half_height - p.y)) / (1.0 + slope * slope).sqrt();
            side.max(-half_height - p.y)
        }
        Shape::Mesh(_) => unreachable!("primitives alone are asked for"),
        Shape::Hull(triangles) => {
            let plane = |t: &Triangle| t.normal().normalize().dot(&(p - t.0[0]));
            triangles.iter().map(plane).fold(f64::NEG_INFINITY, f64::max)
        }
    }
}

proptest! {
    #![proptest_config(properties())]

    /// A hit is on the surface, from outside, with the normal towards the camera; a miss passes everything by; from inside
    /// nothing is seen.
    #[test]
    fn a_ray_meets_the_surface_where_it_enters_and_nowhere_before(view in views()) {
        let object = view.object();
        let camera = view.camera(&object);
        let own = |point: Vector| {
            object.spec.rotation.unit().inverse() * (point - object.spec.position)
        };
        let at = |depth: f64| own(camera.translation.vector + camera.rotation * view.ray() * depth);
        let small = 1e-9 * view.size * (1.0 + view.distance);
        let starts_outside = outside(&object.shape, at(0.0));
        let hit = cast(&object, &camera, view.ray());
        if let Some((depth, normal)) = hit {
            prop_assert!(depth > 0.0 && depth.is_finite());
            prop_assert!(starts_outside > -small, "seen from inside");
            prop_assert!(outside(&object.shape, at(depth)).abs() <= small, "off the surface");
            prop_assert!((normal.norm() - 1.0).abs() < 1e-9);
            let facing = -normal.dot(&(camera.rotation * view.ray()));
            prop_assert!(facing > -1e-6, "a back face: {facing}");
        }
        // Nothing is met before the hit, or at all: the way there stays outside.
        if starts_outside > small {
            let far = hit.map_or(4.0 * view.size * (1.0 + view.distance), |(depth, _)| depth);
            for step in 0..=400 {
                let point = at(far * f64::from(step) / 400.0);
                prop_assert!(outside(&object.shape, point) >= -small, "passed through at {step} of 400");
            }
        }
    }

    /// The same picture by a thousand small triangles, as far as these can be right.
    #[test]
    fn closed_forms_agree_with_fine_facets(view in views()) {
        let ideal = view.object();
        let Some(facets) = fine_facets(&ideal.shape) else { return Ok(()) };
        let mut faceted = ideal.clone();
        faceted.facets = Some(facets);
        let camera = view.camera(&ideal);
        if let (Some((depth, normal)), Some((other, _))) = (cast(&ideal, &camera, view.ray()), cast(&faceted, &camera, view.ray())) {
            let direction = camera.rotation * view.ray();
            let facing = -normal.dot(&direction);
            // Facets lie inside the surface by at most this, along the normal.
            let sagitta = 4e-3 * ideal_size(&ideal.shape);
            if facing > 0.3 {
                prop_assert!((depth - other).abs() <= sagitta / facing + 1e-9 * depth, "{depth} and {other}");
            }
        }
    }

    /// A third opinion, in f32.
    #[test]
    fn parry_agrees(view in views()) {
        let object = view.object();
        let Some(shape) = parry_shape(&object.shape) else { return Ok(()) };
        let camera = view.camera(&object);
        let inverse = object.spec.rotation.unit().inverse();
        let origin = inverse * (camera.translation.vector - object.spec.position);
        let direction = inverse * (camera.rotation * view.ray());
        if outside(&object.shape, origin) < 1e-3 * view.size {
            return Ok(());
        }
        // In sizes of the object: parry's tolerances are absolute.
        let to_f32 = |v: Vector| parry::math::Vector::new(v.x as f32, v.y as f32, v.z as f32);
        let ray = parry::query::Ray::new(to_f32(origin / view.size), to_f32(direction));
        let theirs = shape(view.size).cast_local_ray(&ray, f32::MAX, true).map(|t| f64::from(t) * view.size);
        let ours = cast(&object, &camera, view.ray());
        if let (Some((depth, normal)), Some(theirs)) = (ours, theirs) {
            let facing = -normal.dot(&(camera.rotation * view.ray()));
            if facing > 0.2 {
                prop_assert!((depth - theirs).abs() <= 2e-3 * view.size.max(depth), "{depth} and {theirs}");
            }
        }
    }
}

fn ideal_size(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Ellipsoid { radii } => radii.max(),
        Shape::Cuboid { half } => half.max(),
        Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => radius.max(*half_height),
        Shape::Capsule { radius, half_length } => radius + half_length,
        Shape::Hull(_) | Shape::Mesh(_) => 0.0,
    }
}

type ParryShape = Box<dyn Fn(f64) -> Box<dyn RayCast>>;

/// The same shape in parry, divided by a size.
fn parry_shape(shape: &Shape) -> Option<ParryShape> {
    use parry::shape::{Ball, Capsule, Cone, Cuboid, Cylinder};
    let f = |length: f64, size: f64| (length / size) as f32;
    match *shape {
        Shape::Sphere { radius } => Some(Box::new(move |size| Box::new(Ball::new(f(radius, size))))),
        Shape::Cuboid { half } => Some(Box::new(move |size| {
            let half = parry::math::Vector::new(f(half.x, size), f(half.y, size), f(half.z, size));
            Box::new(Cuboid::new(half))
        })),
        Shape::Cylinder { radius, half_height } => {
            Some(Box::new(move |size| Box::new(Cylinder::new(f(half_height, size), f(radius, size)))))
        }
        Shape::Capsule { radius, half_length } => {
            Some(Box::new(move |size| Box::new(Capsule::new_y(f(half_length, size), f(radius, size)))))
        }
        Shape::Cone { radius, half_height } => {
            Some(Box::new(move |size| Box::new(Cone::new(f(half_height, size), f(radius, size)))))
        }
        Shape::Ellipsoid { .. } | Shape::Hull(_) | Shape::Mesh(_) => None,
    }
}

/// A shape by 60 × 60 quads or so.
fn fine_facets(shape: &Shape) -> Option<Arc<[Triangle]>> {
    const SLICES: usize = 60;
    let profile = profile(shape)?;
    let point = |ring: usize, slice: usize| {
        let angle = std::f64::consts::TAU * (slice % SLICES) as f64 / SLICES as f64;
        let (radius, y) = profile[ring];
        Vector::new(radius * angle.cos(), y, -radius * angle.sin())
    };
    let mut triangles = Vec::new();
    for ring in 0..profile.len() - 1 {
        for slice in 0..SLICES {
            let [a, b] = [point(ring, slice), point(ring, slice + 1)];
            let [c, d] = [point(ring + 1, slice + 1), point(ring + 1, slice)];
            triangles.extend([Triangle([a, b, c]), Triangle([a, c, d])]);
        }
    }
    let size = if let Shape::Ellipsoid { radii } = shape { *radii } else { Vector::repeat(1.0) };
    Some(triangles.into_iter().map(|Triangle(v)| Triangle(v.map(|v| v.component_mul(&size)))).collect())
}

/// Radius and height from the bottom up, for what is round about y; an ellipsoid's is that of the unit sphere.
fn profile(shape: &Shape) -> Option<Vec<(f64, f64)>> {
    const STACKS: usize = 60;
    let arc = |radius: f64, from: f64, to: f64, up: f64| {
        (0..=STACKS).map(move |k| {
            let elevation = from + (to - from) * k as f64 / STACKS as f64;
            (radius * elevation.cos().max(0.0), radius * elevation.sin() + up)
        })
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    Some(match *shape {
        Shape::Sphere { radius } => arc(radius, -quarter, quarter, 0.0).collect(),
        Shape::Ellipsoid { .. } => arc(1.0, -quarter, quarter, 0.0).collect(),
        Shape::Cylinder { radius, half_height: h } => vec![(0.0, -h), (radius, -h), (radius, h), (0.0, h)],
        Shape::Cone { radius, half_height: h } => vec![(0.0, -h), (radius, -h), (0.0, h)],
        Shape::Capsule { radius, half_length: h } => {
            arc(radius, -quarter, 0.0, -h).chain(arc(radius, 0.0, quarter, h)).collect()
        }
        Shape::Cuboid { .. } | Shape::Hull(_) | Shape::Mesh(_) => return None,
    })
}
