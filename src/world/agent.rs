//! An agent: its pose in the world, the sensor body that pitches on it, and what each of Monty's actions does to them.
//!
//! Frames are right-handed, forward is -z, up is +y. R is the agent's rotation, p its position; the sensor body has, in the
//! agent's frame, the rotation Q and the offset t, and carries every sensor rigidly.

use std::sync::Arc;

use super::compat::{Compat, OffsetPitch, SensorRotationMode, TangentialFrame, UnknownAction, Word as _};
use super::file::AgentSpec;
use super::kind::AgentKind;
use super::percept::{LastPercept, PerceptSpec};
use super::pipeline::Pipeline;
use crate::digest::Digest;
use crate::math::{Pose, Rotation, UnitQuaternion, Vector, about_x, about_y, about_z, elevation_of, pitch_of, radians};
use crate::protocol::{
    ActionName, AgentId, AgentState, Code, Fault, Modalities, Motion, SensorId, SensorState, limits, listed,
};

/// One camera: where it sits on the sensor body, and what it sees.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorSpec {
    pub id: SensorId,
    /// On the sensor body, metres.
    pub position: Vector,
    /// On the sensor body.
    pub rotation: Rotation,
    /// Pixels.
    pub width: u32,
    pub height: u32,
    /// Narrows the field of view: its half-width tangent is divided by this.
    pub zoom: f64,
    /// Horizontal field of view at zoom 1, degrees.
    pub hfov_deg: f64,
    /// Whether it reads semantic ids.
    pub semantic: bool,
    /// Whether a pixel's colour is the mean of several rays; all else is of the one through its centre.
    pub antialiasing: bool,
    /// What it answers unless the command line or a reset says otherwise.
    pub modalities: Option<Modalities>,
    /// From depth to points.
    pub pipeline: Pipeline,
    /// From points to the percept.
    pub percept: PerceptSpec,
}

/// An agent as it stands now.
#[derive(Debug, PartialEq)]
pub struct Agent {
    spec: Arc<AgentSpec>,
    position: Vector,
    rotation: Rotation,
    body: SensorBody,
    /// What the filter of each sensor remembers.
    last_percepts: Vec<Option<LastPercept>>,
}

impl Clone for Agent {
    fn clone(&self) -> Self {
        Self { spec: Arc::clone(&self.spec), last_percepts: self.last_percepts.clone(), ..*self }
    }

    /// Into the memory of another state of an agent: a tick makes no new one.
    fn clone_from(&mut self, other: &Self) {
        let mut last_percepts = std::mem::take(&mut self.last_percepts);
        last_percepts.clone_from(&other.last_percepts);
        *self = Self { spec: Arc::clone(&other.spec), last_percepts, ..*other };
    }
}

/// The body that carries the sensors, in the agent's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SensorBody {
    turn: Turn,
    offset: Vector,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Turn {
    /// Radians up, unbounded: 405° is not 45°.
    Pitch(f64),
    Full(Rotation),
}

/// Why an action was passed over, where the switch `unknown_action` says so.
pub type Skipped = String;

impl Agent {
    pub fn at_start(spec: &Arc<AgentSpec>, compat: &Compat) -> Self {
        let turn = match compat.sensor_rotation_mode {
            SensorRotationMode::Full => Turn::Full(Rotation::identity()),
            SensorRotationMode::PitchOnly => Turn::Pitch(0.0),
        };
        let body = SensorBody { turn, offset: Vector::zeros() };
        let last_percepts = vec![None; spec.sensors.len()];
        Self { spec: Arc::clone(spec), position: spec.position, rotation: spec.rotation, body, last_percepts }
    }

    pub fn id(&self) -> &AgentId {
        &self.spec.id
    }

    pub fn kind(&self) -> AgentKind {
        self.spec.kind
    }

    pub fn sensors(&self) -> &[SensorSpec] {
        &self.spec.sensors
    }

    pub fn last_percept(&self, sensor: usize) -> Option<&LastPercept> {
        self.last_percepts[sensor].as_ref()
    }

    pub fn remember(&mut self, sensor: usize, last: Option<LastPercept>) {
        self.last_percepts[sensor] = last;
    }

    /// Agent in world, metres.
    pub fn position(&self) -> Vector {
        self.position
    }

    /// Agent in world.
    pub fn rotation(&self) -> &Rotation {
        &self.rotation
    }

    /// Where the sensor's camera really is and looks.
    pub fn world_from_camera(&self, sensor: &SensorSpec, compat: &Compat) -> Pose {
        let camera = self.body.rotation() * sensor.rotation.unit();
        self.world_from_agent() * pose(self.sensor_position(sensor, compat), camera)
    }

    /// Where the sensor is and looks by what is reported of it, which is what Monty computes with.
    pub fn world_from_reported_sensor(&self, sensor: &SensorSpec, compat: &Compat) -> Pose {
        self.world_from_agent()
            * pose(self.sensor_position(sensor, compat), self.sensor_rotation(sensor, compat).unit())
    }

    fn world_from_agent(&self) -> Pose {
        pose(self.position, self.rotation.unit())
    }

    fn sensor_position(&self, sensor: &SensorSpec, compat: &Compat) -> Vector {
        match compat.offset_pitch {
            OffsetPitch::Arc => self.body.offset + self.body.rotation() * sensor.position,
            OffsetPitch::Fixed => self.body.offset + sensor.position,
        }
    }

    fn sensor_rotation(&self, sensor: &SensorSpec, compat: &Compat) -> Rotation {
        let body = match self.body.turn {
            Turn::Pitch(angle) => Rotation::from(about_x(angle)),
            Turn::Full(rotation) => rotation,
        };
        let is_turned = sensor.rotation.unit() != UnitQuaternion::identity();
        if compat.report_sensor_rotation && is_turned { body.turned(sensor.rotation.unit()) } else { body }
    }

    pub fn state(&self, compat: &Compat) -> AgentState {
        self.state_in(Vec::new(), compat)
    }

    /// With the sensors' states in an empty list.
    pub fn state_in(&self, mut sensors: Vec<SensorState>, compat: &Compat) -> AgentState {
        let of_sensor = |sensor: &SensorSpec| SensorState {
            sensor_id: sensor.id.clone(),
            position_m: self.sensor_position(sensor, compat).into(),
            rotation_wxyz: self.sensor_rotation(sensor, compat).wxyz(),
        };
        sensors.extend(self.sensors().iter().map(of_sensor));
        AgentState {
            agent_id: self.id().clone(),
            position_m: self.position.into(),
            rotation_wxyz: self.rotation.wxyz(),
            sensors,
        }
    }

    pub fn digest(&self, digest: &mut Digest) {
        digest.text(self.id().as_str());
        digest.numbers(self.position.as_slice());
        digest.numbers(&self.rotation.wxyz());
        digest.numbers(self.body.offset.as_slice());
        match self.body.turn {
            Turn::Pitch(angle) => digest.number(angle),
            Turn::Full(rotation) => digest.numbers(&rotation.wxyz()),
        }
        for last in self.last_percepts.iter().flatten() {
            digest.numbers(&last.location_m);
            digest.numbers(&last.normal);
            last.features.iter().for_each(|feature| digest.numbers(feature));
            digest.integer(last.steps_ago);
        }
    }

    /// Does one motion; a fault leaves the agent half moved, so callers apply to a copy.
    pub fn apply(&mut self, motion: &Motion, compat: &Compat) -> Result<Option<Skipped>, Fault> {
        if let Some(why) = self.skipped(motion.name(), compat)? {
            return Ok(Some(why));
        }
        self.act(motion, compat);
        self.check_range().map(|()| None)
    }

    /// Whether an action would be passed over; it is a fault if it is neither in the action space nor skipped.
    pub fn skipped(&self, action: ActionName, compat: &Compat) -> Result<Option<Skipped>, Fault> {
        if self.kind().action_space().contains(&action) {
            return Ok(None);
        }
        let outside = self.outside_action_space();
        match compat.unknown_action {
            UnknownAction::Error => Err(Fault::new(Code::ActionNotAvailable, outside)),
            UnknownAction::Skip => Ok(Some(format!("skipped: {outside}"))),
        }
    }

    fn outside_action_space(&self) -> String {
        let known = self.kind().action_space().iter().map(|a| a.word());
        format!("the {} agent {} does not have this action; it has {}", self.kind().word(), self.id(), listed(known))
    }

    fn check_range(&self) -> Result<(), Fault> {
        let most = limits::MAX_COORDINATE_M;
        let numbers = self.position.iter().chain(self.body.offset.iter());
        let is_within = numbers.copied().all(|c| c.abs() <= most) && self.body.is_finite();
        match is_within {
            true => Ok(()),
            false => Err(Fault::new(
                Code::OutOfRange,
                format!("the agent {} would leave ±{most} m of the origin, or its pose would not be finite", self.id()),
            )),
        }
    }

    fn act(&mut self, motion: &Motion, compat: &Compat) {
        match *motion {
            Motion::MoveForward { distance_m } => self.move_along(-Vector::z(), distance_m),
            Motion::MoveTangentially { distance_m, direction } => {
                self.move_tangentially(direction.into(), distance_m, compat);
            }
            Motion::TurnLeft { angle_deg } => self.turn(about_y(radians(angle_deg))),
            Motion::TurnRight { angle_deg } => self.turn(about_y(-radians(angle_deg))),
            Motion::LookUp { angle_deg, constraint_deg } => self.body.look(angle_deg, constraint_deg),
            Motion::LookDown { angle_deg, constraint_deg } => self.body.look(-angle_deg, constraint_deg),
            Motion::OrientHorizontal { angle_deg, left_m, forward_m } => {
                self.move_along(Vector::x(), -left_m);
                self.turn(about_y(-radians(angle_deg)));
                self.move_along(-Vector::z(), forward_m);
            }
            Motion::OrientVertical { angle_deg, down_m, forward_m } => {
                self.move_along(Vector::y(), -down_m);
                self.turn(about_x(radians(angle_deg)));
                self.move_along(-Vector::z(), forward_m);
            }
            Motion::SetAgentPose { position_m, rotation_wxyz } => {
                self.position = position_m.into();
                self.rotation = given(rotation_wxyz, compat);
            }
            Motion::SetSensorRotation { rotation_wxyz } => self.body.set_rotation(given(rotation_wxyz, compat), compat),
            Motion::SetSensorPose { position_m, rotation_wxyz } => {
                self.body.offset = position_m.into();
                self.body.set_rotation(given(rotation_wxyz, compat), compat);
            }
            Motion::SetAgentPitch { angle_deg } => self.rotation = pitched(angle_deg, compat),
            Motion::SetSensorPitch { angle_deg } => self.body.set_pitch(angle_deg, compat),
            Motion::SetYaw { angle_deg } => {
                let about = if compat.set_axis_legacy { about_z } else { about_y };
                self.rotation = Rotation::from(about(radians(angle_deg)));
            }
        }
    }

    /// Along an axis of the agent's own frame.
    fn move_along(&mut self, axis: Vector, distance_m: f64) {
        self.position += self.rotation.rotate(axis) * distance_m;
    }

    fn move_tangentially(&mut self, direction: Vector, distance_m: f64, compat: &Compat) {
        if distance_m == 0.0 {
            return;
        }
        match compat.tangential_frame {
            TangentialFrame::World => self.position += direction * distance_m,
            TangentialFrame::Agent => self.move_along(direction, distance_m),
        }
    }

    fn turn(&mut self, turn: UnitQuaternion) {
        self.rotation = self.rotation.turned(turn);
    }
}

impl SensorBody {
    fn rotation(&self) -> UnitQuaternion {
        match self.turn {
            Turn::Pitch(angle) => about_x(angle),
            Turn::Full(rotation) => rotation.unit(),
        }
    }

    fn is_finite(&self) -> bool {
        match self.turn {
            Turn::Pitch(angle) => angle.is_finite(),
            Turn::Full(rotation) => rotation.wxyz().iter().all(|c| c.is_finite()),
        }
    }

    /// The clamp acts on the outcome, so a tighter constraint turns the body back.
    fn look(&mut self, up_deg: f64, constraint_deg: Option<f64>) {
        let up = radians(up_deg);
        let clamped = |from: f64| match constraint_deg.map(radians) {
            Some(most) if from + up > most => Some(most),
            Some(most) if from + up < -most => Some(-most),
            _ => None,
        };
        match &mut self.turn {
            Turn::Pitch(angle) => *angle = clamped(*angle).unwrap_or(*angle + up),
            Turn::Full(rotation) => {
                let from = elevation_of(rotation.unit());
                *rotation = rotation.turned(about_x(clamped(from).map_or(up, |to| to - from)));
            }
        }
    }

    fn set_rotation(&mut self, rotation: Rotation, compat: &Compat) {
        self.turn = match compat.sensor_rotation_mode {
            SensorRotationMode::Full => Turn::Full(rotation),
            SensorRotationMode::PitchOnly => Turn::Pitch(pitch_of(rotation.unit())),
        };
    }

    /// A body that has a pitch alone pitches, whatever the axis of a whole rotation would be.
    fn set_pitch(&mut self, angle_deg: f64, compat: &Compat) {
        self.turn = match compat.sensor_rotation_mode {
            SensorRotationMode::Full => Turn::Full(pitched(angle_deg, compat)),
            SensorRotationMode::PitchOnly => Turn::Pitch(radians(angle_deg)),
        };
    }
}

fn pitched(angle_deg: f64, compat: &Compat) -> Rotation {
    let about = if compat.set_axis_legacy { about_y } else { about_x };
    Rotation::from(about(radians(angle_deg)))
}

fn given(wxyz: [f64; 4], compat: &Compat) -> Rotation {
    compat.quaternions.read(wxyz).expect("the wire refuses a zero quaternion")
}

fn pose(position: Vector, rotation: UnitQuaternion) -> Pose {
    Pose::from_parts(position.into(), rotation)
}
