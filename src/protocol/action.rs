//! Monty's 14 actions: what an agent is asked to do, as Monty's own `dict(action)` says it.

use super::AgentId;

/// One action of a step's list.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub agent_id: AgentId,
    pub motion: Motion,
}

/// What is to be done. Distances in metres, angles in degrees; each may be negative, which is the reverse motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Along the agent's -z.
    MoveForward {
        distance_m: f64,
    },
    /// Along `direction`, which is not normalised; its frame is the switch `tangential_frame`.
    MoveTangentially {
        distance_m: f64,
        direction: [f64; 3],
    },
    /// About the agent's own +y.
    TurnLeft {
        angle_deg: f64,
    },
    /// About the agent's own -y.
    TurnRight {
        angle_deg: f64,
    },
    /// Pitches the sensor body; the outcome is clamped to ±`constraint_deg` (none: not clamped).
    LookUp {
        angle_deg: f64,
        constraint_deg: Option<f64>,
    },
    LookDown {
        angle_deg: f64,
        constraint_deg: Option<f64>,
    },
    /// Left, then a turn to the right, then forward: around a point ahead.
    OrientHorizontal {
        angle_deg: f64,
        left_m: f64,
        forward_m: f64,
    },
    /// Down, then a pitch up of the agent, then forward.
    OrientVertical {
        angle_deg: f64,
        down_m: f64,
        forward_m: f64,
    },
    /// Agent in world; the rotation is wxyz, of any length but 0.
    SetAgentPose {
        position_m: [f64; 3],
        rotation_wxyz: [f64; 4],
    },
    /// Sensor body in agent.
    SetSensorRotation {
        rotation_wxyz: [f64; 4],
    },
    SetSensorPose {
        position_m: [f64; 3],
        rotation_wxyz: [f64; 4],
    },
    /// Absolute, about +x (about +y under `set_axis_legacy`).
    SetAgentPitch {
        angle_deg: f64,
    },
    SetSensorPitch {
        angle_deg: f64,
    },
    /// Absolute, about +y (about +z under `set_axis_legacy`).
    SetYaw {
        angle_deg: f64,
    },
}

macro_rules! action_names {
    ($($variant:ident = $word:literal,)+) => {
        /// An action's word on the wire.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ActionName {
            $($variant,)+
        }

        impl ActionName {
            pub const ALL: &[ActionName] = &[$(ActionName::$variant,)+];

            pub fn word(self) -> &'static str {
                match self {
                    $(ActionName::$variant => $word,)+
                }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(ActionName::$variant),)+
                    _ => None,
                }
            }
        }

        impl Motion {
            pub fn name(&self) -> ActionName {
                match self {
                    $(Motion::$variant { .. } => ActionName::$variant,)+
                }
            }
        }
    };
}

action_names! {
    MoveForward = "move_forward",
    MoveTangentially = "move_tangentially",
    TurnLeft = "turn_left",
    TurnRight = "turn_right",
    LookUp = "look_up",
    LookDown = "look_down",
    OrientHorizontal = "orient_horizontal",
    OrientVertical = "orient_vertical",
    SetAgentPose = "set_agent_pose",
    SetSensorRotation = "set_sensor_rotation",
    SetSensorPose = "set_sensor_pose",
    SetAgentPitch = "set_agent_pitch",
    SetSensorPitch = "set_sensor_pitch",
    SetYaw = "set_yaw",
}
