//! Motions of an agent: every one that Monty may ask for, at random, and what tests compare of their outcomes.

use proptest::prelude::*;
use saccade::math::{Rotation, UnitQuaternion, sqrt};
use saccade::protocol::{AgentState, Motion};

use crate::client::Simulation;
use crate::fixture::one_agent;

pub const SACCADE: &str = "\"saccade\"";
pub const MUJOCO: &str = "\"mujoco\"";
pub const HABITAT: &str = "\"habitat\"";
pub const PITCH_ONLY: &str = "{ sensor_rotation_mode = \"pitch_only\" }";

/// What one composition of f64 rotations or positions may lose.
pub const ROUNDING: f64 = 1e-12;

/// The state after one step of an agent that starts at the origin.
pub fn after(kind: &str, compat: &str, motions: &[Motion]) -> AgentState {
    Simulation::on(&one_agent(kind, compat)).done(motions)
}

pub fn sensor_rotation(state: &AgentState) -> [f64; 4] {
    state.sensors[0].rotation_wxyz
}

pub fn wxyz(rotation: UnitQuaternion) -> [f64; 4] {
    Rotation::from(rotation).wxyz()
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Of two quaternions, whichever of the two signs they have.
pub fn turn_between(a: [f64; 4], b: [f64; 4]) -> f64 {
    distance(&a, &b).min(distance(&a, &b.map(|c| -c)))
}

pub fn norm(values: &[f64]) -> f64 {
    sqrt(values.iter().map(|v| v * v).sum())
}

pub const ORIGIN: [f64; 3] = [0.0; 3];

pub fn angle() -> impl Strategy<Value = f64> + Clone {
    -720.0..720.0f64
}

pub fn half_turn() -> impl Strategy<Value = f64> {
    -180.0..=180.0f64
}

pub fn metres() -> impl Strategy<Value = f64> + Clone {
    -1e3..1e3f64
}

pub fn place() -> impl Strategy<Value = [f64; 3]> + Clone {
    prop::array::uniform3(-1e3..1e3f64)
}

/// Of any length but nearly 0.
pub fn quaternion() -> impl Strategy<Value = [f64; 4]> + Clone {
    prop::array::uniform4(-2.0..2.0f64).prop_filter("a length that is not 0", |q| norm(q) > 1e-3)
}

/// From three angles, as Monty's tests make them.
pub fn unit_quaternion() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform3(0.0..360.0f64).prop_map(|angles| Rotation::from_extrinsic_xyz_deg(angles).wxyz())
}

pub fn constraint() -> impl Strategy<Value = Option<f64>> {
    prop::option::of(0.0..175.0f64)
}

pub fn motion() -> impl Strategy<Value = Motion> {
    prop_oneof![
        undoable(),
        look(),
        orient(),
        (place(), quaternion()).prop_map(|(p, q)| Motion::SetAgentPose { position_m: p, rotation_wxyz: q }),
        sensor_setting(),
        angle().prop_map(|a| Motion::SetAgentPitch { angle_deg: a }),
        angle().prop_map(|a| Motion::SetYaw { angle_deg: a }),
    ]
}

/// The motions whose negation leads back.
pub fn undoable() -> impl Strategy<Value = Motion> {
    prop_oneof![
        metres().prop_map(|d| Motion::MoveForward { distance_m: d }),
        (metres(), prop::array::uniform3(-2.0..2.0f64))
            .prop_map(|(d, u)| Motion::MoveTangentially { distance_m: d, direction: u }),
        angle().prop_map(|a| Motion::TurnLeft { angle_deg: a }),
        angle().prop_map(|a| Motion::TurnRight { angle_deg: a }),
        angle().prop_map(|a| Motion::LookUp { angle_deg: a, constraint_deg: None }),
        angle().prop_map(|a| Motion::LookDown { angle_deg: a, constraint_deg: None }),
    ]
}

pub fn look() -> impl Strategy<Value = Motion> {
    (angle(), constraint(), any::<bool>()).prop_map(|(angle_deg, constraint_deg, is_up)| match is_up {
        true => Motion::LookUp { angle_deg, constraint_deg },
        false => Motion::LookDown { angle_deg, constraint_deg },
    })
}

pub fn orient() -> impl Strategy<Value = Motion> {
    (angle(), metres(), metres(), any::<bool>()).prop_map(|(angle_deg, aside, forward_m, is_flat)| match is_flat {
        true => Motion::OrientHorizontal { angle_deg, left_m: aside, forward_m },
        false => Motion::OrientVertical { angle_deg, down_m: aside, forward_m },
    })
}

pub fn sensor_setting() -> impl Strategy<Value = Motion> {
    prop_oneof![
        quaternion().prop_map(|q| Motion::SetSensorRotation { rotation_wxyz: q }),
        (place(), quaternion()).prop_map(|(p, q)| Motion::SetSensorPose { position_m: p, rotation_wxyz: q }),
        angle().prop_map(|a| Motion::SetSensorPitch { angle_deg: a }),
    ]
}

pub fn motions(most: usize) -> impl Strategy<Value = Vec<Motion>> {
    prop::collection::vec(motion(), 0..most)
}

pub fn negated(motion: &Motion) -> Motion {
    match motion.clone() {
        Motion::MoveForward { distance_m } => Motion::MoveForward { distance_m: -distance_m },
        Motion::MoveTangentially { distance_m, direction } => {
            Motion::MoveTangentially { distance_m: -distance_m, direction }
        }
        Motion::TurnLeft { angle_deg } => Motion::TurnLeft { angle_deg: -angle_deg },
        Motion::TurnRight { angle_deg } => Motion::TurnRight { angle_deg: -angle_deg },
        Motion::LookUp { angle_deg, constraint_deg } => Motion::LookUp { angle_deg: -angle_deg, constraint_deg },
        Motion::LookDown { angle_deg, constraint_deg } => Motion::LookDown { angle_deg: -angle_deg, constraint_deg },
        other => unreachable!("{other:?} has no negation that leads back"),
    }
}
