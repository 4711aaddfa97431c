//! What a client is answered.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{
    AgentId, Code, Encoding, Extras, Fault, Modalities, Modality, ObjectId, ProcedureAnswer, RequestId, SemanticId,
    SensorId,
};

/// The answer to one request, under its id (`None`: the request had none that could be read).
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub id: Option<RequestId>,
    pub outcome: Result<Answer, Fault>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A command with no result of its own.
    Done,
    /// With what the world says of the episode, if it has any.
    Reset(StepAnswer, Option<EpisodeAnswer>),
    Step(StepAnswer),
    Describe(Box<Description>),
    Digest(u64),
    Added(AddedObject),
    Procedure(ProcedureAnswer),
}

impl Answer {
    /// What was sensed, if anything was.
    pub fn sensed(&self) -> Option<&StepAnswer> {
        match self {
            Answer::Reset(answer, _) | Answer::Step(answer) => Some(answer),
            Answer::Procedure(procedure) => Some(&procedure.answer),
            Answer::Done | Answer::Describe(_) | Answer::Digest(_) | Answer::Added(_) => None,
        }
    }
}

/// What was sensed and where the agents are, every agent in the order of the world file.
#[derive(Clone, Debug, PartialEq)]
pub struct StepAnswer {
    pub observations: Vec<AgentObservations>,
    pub proprioceptive_state: Vec<AgentState>,
    /// How images are written.
    pub encoding: Encoding,
    /// Ticks since the reset, if asked for.
    pub tick: Option<u64>,
    /// Pairs of objects that touch or overlap, the lower id first, in order, if asked for.
    pub contacts: Option<Vec<[ObjectId; 2]>>,
}

impl StepAnswer {
    /// All that the sensors answer, in the order of a reply.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.observations
            .iter()
            .flat_map(|agent| &agent.sensors)
            .flat_map(|sensor| &sensor.values)
            .map(|(_, value)| value)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct AgentObservations {
    pub agent_id: AgentId,
    pub sensors: Vec<SensorObservation>,
}

/// One sensor's data: a value for each modality that was asked for and exists.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorObservation {
    pub sensor_id: SensorId,
    pub values: Vec<(Modality, Value)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Flag(bool),
    Integer(u32),
    Number(f64),
    Numbers(Numbers),
    /// Red, green, blue, alpha.
    Colour([u8; 4]),
    /// Metres, planar.
    Depth(Image<f32>),
    Rgba(Image<[u8; 4]>),
    Semantic(Image<u32>),
    /// x, y, z and label, metres.
    Points(Arc<Vec<[f64; 4]>>),
    Vectors([[f64; 3]; 3]),
    /// Row by row.
    Matrix([[f64; 4]; 4]),
}

/// As many as any single feature has.
pub type Numbers = SmallVec<[f64; 3]>;

impl Value {
    /// The numbers of a value that is one or several; none of an image.
    pub fn numbers(&self) -> &[f64] {
        match self {
            Value::Number(number) => std::slice::from_ref(number),
            Value::Numbers(numbers) => numbers,
            Value::Vectors(vectors) => vectors.as_flattened(),
            Value::Matrix(rows) => rows.as_flattened(),
            _ => &[],
        }
    }
}

/// Pixels, row by row from the top; a sensor that sees the same again answers them again.
#[derive(Clone, Debug, PartialEq)]
pub struct Image<T> {
    pub width: u32,
    pub height: u32,
    pub pixels: Arc<Vec<T>>,
}

impl<T> Image<T> {
    pub fn rows(&self) -> impl Iterator<Item = &[T]> {
        self.pixels.chunks(self.width as usize)
    }
}

/// An agent's pose in the world (metres, wxyz), and its sensors' poses in the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentState {
    pub agent_id: AgentId,
    pub position_m: [f64; 3],
    pub rotation_wxyz: [f64; 4],
    pub sensors: Vec<SensorState>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SensorState {
    pub sensor_id: SensorId,
    pub position_m: [f64; 3],
    pub rotation_wxyz: [f64; 4],
}

/// Which episode a reset started, and what is to be found in it.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodeAnswer {
    pub primary_target: PrimaryTarget,
    /// 0, the background, is not among them.
    pub semantic_id_to_label: Vec<(SemanticId, String)>,
    /// From 0, and goes on past the last of the file's.
    pub index: u64,
    /// How many episodes the file has before it wraps.
    pub count: u64,
    pub seed: u64,
}

/// The object of an episode, as it was placed.
#[derive(Clone, Debug, PartialEq)]
pub struct PrimaryTarget {
    pub object: String,
    /// Its place, from 1, in the list of all objects.
    pub semantic_id: SemanticId,
    /// Extrinsic xyz.
    pub euler_rotation_deg: [f64; 3],
    pub rotation_wxyz: [f64; 4],
    pub position_m: [f64; 3],
    pub scale: [f64; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedObject {
    pub object_id: ObjectId,
    pub semantic_id: SemanticId,
}

/// What `describe` tells: versions, the world, who can do what, and every limit, code and key.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    pub saccade_version: &'static str,
    pub physics_version: &'static str,
    pub protocol_version: u32,
    pub world_name: String,
    pub compat: &'static str,
    pub seed: u64,
    pub tick_s: f64,
    /// The canonical world file, if asked for.
    pub world_file: Option<String>,
    pub agents: Vec<AgentDescription>,
    pub objects: Vec<String>,
    pub episodes: u64,
    pub encoding: Encoding,
    pub extras: Extras,
    pub max_frame_bytes: u32,
    pub limits: Vec<Limit>,
    pub codes: &'static [Code],
}

/// One named maximum of the protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    pub name: &'static str,
    pub value: LimitValue,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitValue {
    /// The most of something that is counted.
    Most(u64),
    /// The least and the most of a quantity.
    Range([f64; 2]),
}

#[derive(Clone, Debug, PartialEq)]
pub struct AgentDescription {
    pub agent_id: AgentId,
    pub kind: &'static str,
    pub actions: Vec<&'static str>,
    pub sensors: Vec<SensorDescription>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SensorDescription {
    pub sensor_id: SensorId,
    pub width: u32,
    pub height: u32,
    pub zoom: f64,
    pub hfov_deg: f64,
    pub semantic: bool,
    pub modalities: Modalities,
}
