//! The rapier3d world: the one place that names rapier. Takes f64, hands out f64, computes in f32.
//!
//! Objects are fixed bodies with colliders, agents are kinematic bodies without: they sense and touch nothing.

mod contacts;

use std::fmt;

use rapier3d::parry::transformation::try_convex_hull;
use rapier3d::prelude as rapier;

use super::convex::{Convex, Pair};
use super::{Agent, MeshShape, Object, Shape};
use crate::math::{UnitQuaternion, Vector};

pub use contacts::contacts;

/// The pinned version, whose results are part of a run's identity.
pub const PHYSICS_VERSION: &str = "0.36.1";

pub struct Physics {
    world: rapier::PhysicsWorld,
    agents: Vec<rapier::RigidBodyHandle>,
}

/// A collider's shape, made once for each object.
#[derive(Clone)]
pub struct Solid(rapier::SharedShape);

impl Physics {
    pub fn new(tick_s: f64, agents: &[Agent], objects: &[Object]) -> Self {
        let mut world = rapier::PhysicsWorld { gravity: rapier::Vector::ZERO, ..Default::default() };
        world.integration_parameters.dt = tick_s as f32;
        let body = |agent| rapier::RigidBodyBuilder::kinematic_position_based().pose(pose_of(agent));
        let agents = agents.iter().map(|agent| world.insert_body(body(agent))).collect();
        let mut physics = Self { world, agents };
        objects.iter().for_each(|object| physics.insert(object));
        physics
    }

    pub fn insert(&mut self, object: &Object) {
        let spec = &object.spec;
        let body = rapier::RigidBodyBuilder::fixed().pose(pose(spec.position, spec.rotation.unit()));
        // What never moves needs no mass, which rapier would sum up over all triangles.
        let collider = rapier::ColliderBuilder::new(object.solid.0.clone()).density(0.0);
        self.world.insert(body, collider);
    }

    /// One tick: the agents go where they were moved, and the world advances, if anything in it can.
    pub fn tick(&mut self, agents: &[Agent]) {
        if !self.has_free_bodies() {
            return self.place(agents);
        }
        for (handle, agent) in self.agents.iter().zip(agents) {
            self.world.bodies[*handle].set_next_kinematic_position(pose_of(agent));
        }
        self.world.step();
    }

    /// Among bodies that go nowhere by themselves rapier's step would change nothing.
    fn has_free_bodies(&self) -> bool {
        self.world.bodies.iter().any(|(_, body)| body.is_dynamic())
    }

    /// Puts the agents where they are, without a tick.
    pub fn place(&mut self, agents: &[Agent]) {
        for (handle, agent) in self.agents.iter().zip(agents) {
            self.world.bodies[*handle].set_position(pose_of(agent), true);
        }
    }
}

impl Solid {
    /// `None` for a hull that is too flat to have an inside.
    pub fn new(shape: &Shape) -> Option<Self> {
        let shape = match shape {
            Shape::Sphere { radius } => rapier::SharedShape::ball(*radius as f32),
            Shape::Cuboid { half } => rapier::SharedShape::cuboid(half.x as f32, half.y as f32, half.z as f32),
            Shape::Cylinder { radius, half_height } => {
                rapier::SharedShape::cylinder(*half_height as f32, *radius as f32)
            }
            Shape::Capsule { radius, half_length } => {
                rapier::SharedShape::capsule_y(*half_length as f32, *radius as f32)
            }
            Shape::Cone { radius, half_height } => rapier::SharedShape::cone(*half_height as f32, *radius as f32),
            Shape::Ellipsoid { .. } => hull(&super::tessellation::mujoco_facets(shape)?)?,
            Shape::Hull(triangles) => hull(triangles)?,
            Shape::Mesh(mesh) => rapier::SharedShape::trimesh(corners(mesh), mesh.mesh.triangles.clone()).ok()?,
        };
        Some(Self(shape))
    }
}

/// The corners of the convex body around a mesh; of one that has no inside all that it has.
pub fn hull_of_mesh(mesh: &MeshShape) -> Vec<Vector> {
    let hull = try_convex_hull(&corners(mesh)).map(|(hull, _)| hull);
    let of_hull =
        |hull: Vec<rapier::Vector>| hull.iter().map(|v| Vector::new(v.x.into(), v.y.into(), v.z.into())).collect();
    hull.map_or_else(|_| mesh.mesh.positions.iter().map(|p| p.component_mul(&mesh.scale)).collect(), of_hull)
}

fn corners(mesh: &MeshShape) -> Vec<rapier::Vector> {
    mesh.mesh.positions.iter().map(|position| vector(position.component_mul(&mesh.scale))).collect()
}

fn hull(triangles: &[super::Triangle]) -> Option<rapier::SharedShape> {
    let points: Vec<rapier::Vector> = triangles.iter().flat_map(|t| t.0).map(vector).collect();
    rapier::SharedShape::convex_hull(&points)
}

fn pose_of(agent: &Agent) -> rapier::Pose {
    pose(agent.position(), agent.rotation().unit())
}

fn pose(position: Vector, rotation: UnitQuaternion) -> rapier::Pose {
    let [x, y, z, w] = [rotation.i, rotation.j, rotation.k, rotation.w].map(|c| c as f32);
    rapier::Pose::from_parts(vector(position), rapier::Rotation::from_xyzw(x, y, z, w).normalize())
}

fn vector(v: Vector) -> rapier::Vector {
    rapier::Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

impl fmt::Debug for Physics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Physics").field("agents", &self.agents.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Solid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Solid({:?})", self.0.shape_type())
    }
}
