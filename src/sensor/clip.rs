//! Where sight begins and what a miss reads: constants, or MuJoCo's planes, which depend on the scene.

use crate::math::Vector;
use crate::world::{MissDepth, Shape, World, WorldFile};

/// Near plane and depth of a miss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipPlanes {
    /// A surface nearer than this is not seen, metres.
    pub near_m: f64,
    /// What a pixel reads that sees nothing, metres.
    pub miss_depth: f32,
}

impl ClipPlanes {
    pub fn of(world: &World) -> Self {
        match world.compat().miss_depth {
            MissDepth::Constant(depth) => Self { near_m: 0.0, miss_depth: depth as f32 },
            MissDepth::Far => Self::mujoco(extent(world)),
        }
    }

    /// The planes at 0.005 and 500 extents, and the depth that MuJoCo's float32 formula gives for z-buffer 0.
    fn mujoco(extent: f64) -> Self {
        // MuJoCo keeps the two factors as float32 and the extent as double.
        let (near, far) = ((f64::from(0.005_f32) * extent) as f32, (500.0 * extent) as f32);
        let c = -(far + near) / (far - near);
        let d = -2.0 * far * near / (far - near);
        let (c, d) = (-c / 2.0 - 0.5, -d / 2.0);
        Self { near_m: near.into(), miss_depth: d / c }
    }
}

/// MuJoCo's size of a scene, at the agents' start: 2 until an object was added, else the longest side of the box around each
/// agent's body and its centre of mass and each object's bounding sphere, at least twice the mean distance of the bodies.
fn extent(world: &World) -> f64 {
    if !world.was_populated() {
        return EXTENT_OF_NEW_SCENE;
    }
    let (objects, file) = (world.objects(), world.file());
    let mut bounds = Bounds::nothing();
    for agent in &file.agents {
        bounds.include(agent.position, 0.0);
        // MuJoCo takes the body's inertial frame, unset, to be at the agent's own position in the agent's own frame.
        bounds.include(agent.position + agent.rotation.rotate(agent.position), 0.0);
    }
    for object in objects {
        match &object.shape {
            Shape::Mesh(mesh) => {
                bounds.include(object.spec.position + object.spec.rotation.rotate(mesh.centre), mesh.radius)
            }
            shape => bounds.include(object.spec.position, shape.bounding_radius()),
        }
    }
    bounds.longest_side().max(2.0 * mean_distance(file))
}

const EXTENT_OF_NEW_SCENE: f64 = 2.0;

/// Each agent is two bodies, of which the sensor body counts with this distance.
const SENSOR_BODY_DISTANCE: f64 = 1e-5;

fn mean_distance(file: &WorldFile) -> f64 {
    let distances = file.agents.iter().map(|a| a.position.norm() + SENSOR_BODY_DISTANCE);
    match file.agents.len() {
        0 => 0.0,
        agents => distances.sum::<f64>() / (2 * agents) as f64,
    }
}

struct Bounds {
    least: Vector,
    most: Vector,
}

impl Bounds {
    fn nothing() -> Self {
        Self { least: Vector::repeat(f64::INFINITY), most: Vector::repeat(f64::NEG_INFINITY) }
    }

    fn include(&mut self, centre: Vector, radius: f64) {
        self.least = self.least.inf(&(centre - Vector::repeat(radius)));
        self.most = self.most.sup(&(centre + Vector::repeat(radius)));
    }

    fn longest_side(&self) -> f64 {
        (self.most - self.least).max()
    }
}
