//! Where Monty's simulators differ from each other: one switch each, and presets that set them all.
//!
//! A new switch is a field here, its value in each preset, and its name in `file/switches.rs`.

use crate::math::Rotation;

/// The switches of a world. The presets are `saccade` (each switch's recommended value), `mujoco` and `habitat`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compat {
    pub preset: Preset,
    /// The frame of `move_tangentially`'s direction.
    pub tangential_frame: TangentialFrame,
    /// `set_yaw` about z and the two pitches about y, as Habitat has them.
    pub set_axis_legacy: bool,
    /// Whether the sensor body has a whole rotation and an offset, or a pitch alone.
    pub sensor_rotation_mode: SensorRotationMode,
    /// Whether a sensor's reported rotation holds the one of the world file.
    pub report_sensor_rotation: bool,
    /// Whether a pitching sensor body swings its sensors on an arc, or each turns where it is.
    pub offset_pitch: OffsetPitch,
    /// What an action outside the agent's action space is.
    pub unknown_action: UnknownAction,
    /// Whether a quaternion of another length than 1 is reported normalised or as it was given.
    pub quaternions: Quaternions,
    /// Whether `remove_all_objects` returns the agents to their start.
    pub remove_all_resets_agents: bool,
    /// What a ray that hits nothing reads.
    pub miss_depth: MissDepth,
    /// What `coneSolid` is.
    pub cone: Cone,
    /// Whether a box's or an ellipsoid's y and z sizes are swapped.
    pub box_axis_swap: bool,
    /// Whether colours are lit as Monty's MuJoCo lights them, or are those of the object everywhere.
    pub lighting: Lighting,
    /// Whether curved primitives are ideal surfaces or MuJoCo's facets.
    pub curves: Curves,
    /// Which default semantic ids the primitives have.
    pub semantic_ids: SemanticIds,
    /// Whether an object with a `primary_target_object` is placed clear of it, or where it is asked to be.
    pub distractors: Distractors,
}

/// A switch's values and their words.
macro_rules! switch {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($variant,)+
        }

        impl Word for $name {
            const ALL: &'static [Self] = &[$($name::$variant,)+];

            fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }
    };
}

/// A closed set of words, as a switch's values are.
pub trait Word: Copy + PartialEq + 'static {
    const ALL: &'static [Self];

    fn word(self) -> &'static str;

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == word)
    }

    fn words() -> impl Iterator<Item = &'static str> + Clone {
        Self::ALL.iter().map(|value| value.word())
    }
}

switch!(
    /// A named set of all switches.
    Preset { Saccade = "saccade", Mujoco = "mujoco", Habitat = "habitat", }
);
switch!(TangentialFrame { World = "world", Agent = "agent", });
switch!(SensorRotationMode { Full = "full", PitchOnly = "pitch_only", });
switch!(OffsetPitch { Arc = "arc", Fixed = "fixed", });
switch!(UnknownAction { Error = "error", Skip = "skip", });
switch!(Quaternions { Normalised = "normalised", AsGiven = "as_given", });
switch!(Cone { Real = "real", Sphere = "sphere", });
switch!(Curves { Ideal = "ideal", Tessellated = "tessellated", });
switch!(Lighting { Mujoco = "mujoco", Flat = "flat", });
switch!(SemanticIds { Habitat = "habitat", Mujoco = "mujoco", });
switch!(Distractors { Habitat = "habitat", None = "none", });

impl Quaternions {
    /// A rotation as it will be reported; `None` for a zero quaternion.
    pub fn read(self, wxyz: [f64; 4]) -> Option<Rotation> {
        match self {
            Quaternions::Normalised => Rotation::normalised(wxyz),
            Quaternions::AsGiven => Rotation::as_given(wxyz),
        }
    }
}

/// What a ray that hits nothing reads, in metres of depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MissDepth {
    Constant(f64),
    /// MuJoCo's far plane, which depends on the size of the scene.
    Far,
}

impl Compat {
    pub const fn preset(preset: Preset) -> Self {
        match preset {
            Preset::Saccade => Self::SACCADE,
            Preset::Mujoco => Self::MUJOCO,
            Preset::Habitat => Self::HABITAT,
        }
    }

    const SACCADE: Compat = Compat {
        preset: Preset::Saccade,
        tangential_frame: TangentialFrame::World,
        set_axis_legacy: false,
        sensor_rotation_mode: SensorRotationMode::Full,
        report_sensor_rotation: true,
        offset_pitch: OffsetPitch::Arc,
        unknown_action: UnknownAction::Error,
        quaternions: Quaternions::Normalised,
        remove_all_resets_agents: false,
        miss_depth: MissDepth::Constant(0.0),
        cone: Cone::Real,
        box_axis_swap: false,
        lighting: Lighting::Mujoco,
        curves: Curves::Ideal,
        semantic_ids: SemanticIds::Habitat,
        distractors: Distractors::Habitat,
    };

    const MUJOCO: Compat = Compat {
        preset: Preset::Mujoco,
        tangential_frame: TangentialFrame::Agent,
        sensor_rotation_mode: SensorRotationMode::PitchOnly,
        report_sensor_rotation: false,
        quaternions: Quaternions::AsGiven,
        remove_all_resets_agents: true,
        miss_depth: MissDepth::Far,
        cone: Cone::Sphere,
        box_axis_swap: true,
        curves: Curves::Tessellated,
        semantic_ids: SemanticIds::Mujoco,
        distractors: Distractors::None,
        ..Self::SACCADE
    };

    const HABITAT: Compat = Compat {
        preset: Preset::Habitat,
        set_axis_legacy: true,
        offset_pitch: OffsetPitch::Fixed,
        lighting: Lighting::Flat,
        ..Self::SACCADE
    };
}
