//! What a client may choose to be told: modalities, their encoding, and extras of a step.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)+
        }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant,)+];

            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($name::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// One kind of sensor data, in the order in which a reply holds them.
    Modality {
        /// Metres, world: the point of the centre pixel.
        Location = "location",
        OnObject = "on_object",
        ObjectCoverage = "object_coverage",
        MinDepth = "min_depth",
        MeanDepth = "mean_depth",
        PoseVectors = "pose_vectors",
        PoseFullyDefined = "pose_fully_defined",
        PrincipalCurvatures = "principal_curvatures",
        PrincipalCurvaturesLog = "principal_curvatures_log",
        GaussianCurvature = "gaussian_curvature",
        MeanCurvature = "mean_curvature",
        GaussianCurvatureSc = "gaussian_curvature_sc",
        MeanCurvatureSc = "mean_curvature_sc",
        Hsv = "hsv",
        CenterRgba = "center_rgba",
        SemanticId = "semantic_id",
        /// Whether the percept passes the sensor's filter, if the world file gives it one.
        ProcessFeaturesInLm = "process_features_in_lm",
        /// H×W, metres, planar z.
        Depth = "depth",
        /// H×W×4, 0 to 255.
        Rgba = "rgba",
        /// H×W, 0 is background.
        Semantic = "semantic",
        Semantic3d = "semantic_3d",
        SensorFrameData = "sensor_frame_data",
        CamToWorld = "cam_to_world",
    }
}

words! {
    /// How arrays are written; single numbers are JSON in each.
    Encoding {
        Nested = "nested",
        Base64 = "base64",
        Binary = "binary",
    }
}

words! {
    /// What a step's answer may hold beside its two parts.
    Extra {
        /// Ticks since the reset.
        Tick = "tick",
        /// The pairs of object ids that touch or overlap.
        Contacts = "contacts",
    }
}

impl Modality {
    /// The name for all that Monty's sensor module derives from one patch.
    pub const PERCEPT: &str = "percept";

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of modalities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modalities(u32);

impl Modalities {
    pub const NONE: Modalities = Modalities(0);

    /// The percept: everything before the images in the order of `Modality`.
    pub const PERCEPT: Modalities = Modalities((1 << Modality::Depth as u32) - 1);

    /// What needs the centre's pixel alone, unless a sensor's pipeline or noise looks at others.
    pub const OF_CENTRE: Modalities =
        Modalities::of(&[Modality::Location, Modality::Hsv, Modality::CenterRgba, Modality::SemanticId]);

    /// The images themselves.
    pub const RAW: Modalities = Modalities::of(&[Modality::Depth, Modality::Rgba, Modality::Semantic]);

    /// Each pixel's point and label.
    pub const POINTS: Modalities = Modalities::of(&[Modality::Semantic3d]);

    /// What needs the surface normal or the curvatures.
    pub const OF_POSE: Modalities = Modalities::of(&[
        Modality::PoseVectors,
        Modality::PoseFullyDefined,
        Modality::PrincipalCurvatures,
        Modality::PrincipalCurvaturesLog,
        Modality::GaussianCurvature,
        Modality::MeanCurvature,
        Modality::GaussianCurvatureSc,
        Modality::MeanCurvatureSc,
        Modality::ProcessFeaturesInLm,
    ]);

    /// What may need the centre's colour.
    pub const OF_COLOR: Modalities =
        Modalities::of(&[Modality::Hsv, Modality::CenterRgba, Modality::ProcessFeaturesInLm]);

    /// What a sensor answers by itself; `semantic` only if it is a semantic one.
    pub fn default_of(is_semantic: bool) -> Self {
        let images = Self::of(&[Modality::Depth, Modality::Rgba]).with(Self::PERCEPT);
        if is_semantic { images.with(Self::of(&[Modality::Semantic])) } else { images }
    }

    const fn of(members: &[Modality]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < members.len() {
            bits |= members[index].bit();
            index += 1;
        }
        Self(bits)
    }

    /// Every word that may stand in a list of modalities.
    pub fn words() -> impl Iterator<Item = &'static str> + Clone {
        std::iter::once(Modality::PERCEPT).chain(Modality::ALL.iter().map(|m| m.word()))
    }

    /// A single modality, or `percept` for all of its members.
    pub fn from_word(word: &str) -> Option<Self> {
        if word == Modality::PERCEPT {
            return Some(Self::PERCEPT);
        }
        Modality::from_word(word).map(|m| Self(m.bit()))
    }

    pub fn with(self, other: Modalities) -> Self {
        Self(self.0 | other.0)
    }

    pub fn and(self, other: Modalities) -> Self {
        Self(self.0 & other.0)
    }

    pub fn meets(self, other: Modalities) -> bool {
        self.and(other) != Self::NONE
    }

    pub fn contains_any_but(self, other: Modalities) -> bool {
        self.0 & !other.0 != 0
    }

    pub fn contains(self, modality: Modality) -> bool {
        self.0 & modality.bit() != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Modality> {
        Modality::ALL.iter().copied().filter(move |m| self.contains(*m))
    }
}

/// A set of extras.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    pub tick: bool,
    pub contacts: bool,
}

impl Extras {
    pub fn with(mut self, extra: Extra) -> Self {
        match extra {
            Extra::Tick => self.tick = true,
            Extra::Contacts => self.contacts = true,
        }
        self
    }

    pub fn iter(self) -> impl Iterator<Item = Extra> {
        let tick = self.tick.then_some(Extra::Tick);
        let contacts = self.contacts.then_some(Extra::Contacts);
        tick.into_iter().chain(contacts)
    }
}
