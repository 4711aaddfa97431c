//! Where sight begins and what a miss reads: constants, or MuJoCo's planes, which depend on the scene.

use crate::math::Bounds;
use crate::world::{AgentSpec, MissDepth, Object, Shape, World, WorldFile};

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
    let of_agents = world.file().agents.iter().map(|agent| bounds_of_agent(agent));
    let of_all = of_agents.chain(world.objects().iter().map(bounds_of_object));
    let bounds = of_all.fold(Bounds::NOTHING, |all, next| all.with(&next));
    bounds.size().max().max(2.0 * mean_distance(world.file()))
}

/// MuJoCo takes the body's inertial frame, unset, to be at the agent's own position in the agent's own frame.
fn bounds_of_agent(agent: &AgentSpec) -> Bounds {
    Bounds::around([&agent.position, &(agent.position + agent.rotation.rotate(agent.position))])
}

fn bounds_of_object(object: &Object) -> Bounds {
    let spec = &object.spec;
    match &object.shape {
        Shape::Mesh(mesh) => Bounds::of_ball(spec.position + spec.rotation.rotate(mesh.centre), mesh.radius),
        shape => Bounds::of_ball(spec.position, shape.bounding_radius()),
    }
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
