//! The objects of a recording as they stand before the light, and where its cameras are.

use std::sync::Arc;

use saccade::math::{Pose, Rotation, UnitQuaternion, Vector};
use saccade::sensor::Scene;
use saccade::world::{AgentSpec, Object, SensorSpec, Stock, WorldFile, place};
use serde_json::{Value, json};

use super::golden::{Golden, has_failed};
use super::recorded::as_f64;

/// The world whose objects stand before the light.
pub struct Stage {
    file: WorldFile,
    stock: Stock,
    objects: Vec<Object>,
    golden_objects: Vec<Value>,
}

impl Stage {
    pub fn new(golden: &Golden) -> Self {
        let objects = golden.json["world"]["objects"].as_array().cloned().unwrap_or_default();
        let stock = Stock::new(golden.source(), None);
        let mut stage = Self { file: golden.world(), stock, objects: Vec::new(), golden_objects: objects };
        stage.build(golden);
        stage
    }

    /// What a step adds or removes.
    pub fn follow(&mut self, golden: &Golden, step: &Value) {
        match step["op"].as_str() {
            Some("add_object") if !has_failed(step) => self.golden_objects.push(step["object"].clone()),
            Some("remove_all_objects") => self.golden_objects.clear(),
            _ => return,
        }
        self.build(golden);
    }

    fn build(&mut self, golden: &Golden) {
        let json = json!({"world": golden.json["world"], "mesh": golden.json["mesh"]});
        let mut with_objects = Golden { path: golden.path.clone(), json };
        with_objects.json["world"]["objects"] = self.golden_objects.clone().into();
        let file = with_objects.world();
        self.objects = place(&file.objects, &file.compat, &mut self.stock).expect("the reference had them");
    }

    pub fn sensor(&self, agent: &str, sensor: &str) -> &SensorSpec {
        let is_agent = |spec: &&Arc<AgentSpec>| spec.id.as_str() == agent;
        let agent = self.file.agents.iter().find(is_agent).expect("the reference's agent");
        agent.sensors.iter().find(|spec| spec.id.as_str() == sensor).expect("the reference's sensor")
    }

    /// Whether something stands between a point and the directional light, straight above in z.
    pub fn is_in_shadow(&self, point: Vector) -> bool {
        const OFF_THE_SURFACE_M: f64 = 1e-4;
        let above = point + Vector::z() * OFF_THE_SURFACE_M;
        let from_there = Pose::from_parts(above.into(), UnitQuaternion::identity());
        Scene::new(&self.objects, &from_there, 0.0).cast(Vector::z()).is_some()
    }
}

/// Where the camera of a recorded state is; the reference does not report a sensor's own rotation.
pub fn world_from_camera(agent: &Value, sensor: &SensorSpec) -> Pose {
    let pose = |value: &Value| {
        let number = |key: &str, index: usize| as_f64(&value[key][index]);
        let rotation = Rotation::normalised([0, 1, 2, 3].map(|i| number("rotation", i))).expect("not zero");
        Pose::from_parts(Vector::from([0, 1, 2].map(|i| number("position", i))).into(), rotation.unit())
    };
    let own = Pose::from_parts(Vector::zeros().into(), sensor.rotation.unit());
    pose(agent) * pose(&agent["sensors"][sensor.id.as_str()]) * own
}
