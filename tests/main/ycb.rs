//! The worlds of YCB's objects: Monty's lists, and our mug under the names of ten of them.

use std::fs;
use std::sync::Arc;

use saccade::assets::{Source, shipped_mesh};
use saccade::door::data_source;
use saccade::world::{AgentKind, ShippedWorld, WorldFile, file, shipped_world};
use serde_json::json;

use crate::client::Client;
use crate::program::{Scratch, finish, saccade};

/// Monty's ten distinct objects, in its order.
const NAMES: [&str; 10] = [
    "mug",
    "bowl",
    "potted_meat_can",
    "spoon",
    "strawberry",
    "mustard_bottle",
    "dice",
    "golf_ball",
    "c_lego_duplo",
    "banana",
];

/// A folder in which each of them is our mug.
pub struct TenObjects(Scratch);

impl TenObjects {
    pub fn new() -> Self {
        let scratch = Scratch::new();
        let mug = shipped_mesh("demo_mug").expect("it is shipped");
        for name in NAMES {
            scratch.file(&format!("{name}.glb"), mug.bytes);
        }
        Self(scratch)
    }

    pub fn folder(&self) -> String {
        self.0.path("").to_str().expect("cargo's folder has a name in UTF-8").to_owned()
    }

    pub fn source(&self) -> Arc<dyn Source> {
        data_source(Some(&self.0.path("")), "default").expect("the folder is there")
    }

    pub fn world(&self, shipped: &ShippedWorld) -> WorldFile {
        let source = self.source();
        file::parse(shipped.text, &*source).unwrap_or_else(|problems| panic!("{}: {problems:?}", shipped.name))
    }
}

const WORLDS: [&str; 2] = ["ycb_distant", "ycb_surface"];

#[test]
fn the_ycb_worlds_are_montys_agents_before_its_ten_objects_in_its_14_rotations() {
    let objects = TenObjects::new();
    let worlds = WORLDS.map(|name| objects.world(shipped_world(name).expect("it is shipped")));
    let expected = [(AgentKind::Distant, 0.2, 0.0), (AgentKind::Surface, 0.1, 0.03)];
    for (world, (kind, agent_z, finder_z)) in worlds.iter().zip(expected) {
        let agent = &world.agents[0];
        assert_eq!((agent.kind, <[f64; 3]>::from(agent.position)), (kind, [0.0, 1.5, agent_z]));
        let sensors: Vec<_> =
            agent.sensors.iter().map(|s| (s.id.as_str(), s.width, s.zoom, s.semantic, s.position.z)).collect();
        assert_eq!(sensors, [("patch", 64, 10.0, false, 0.0), ("view_finder", 64, 1.0, false, finder_z)]);
        let episodes = world.episodes.as_ref().expect("it has episodes");
        assert_eq!((&episodes.targets[..], episodes.count()), (&NAMES.map(str::to_owned)[..], 140));
        let [x, y, z] = episodes.play(95, world.seed).1.primary_target.euler_rotation_deg;
        assert_eq!([x, y, z], [325.0, 315.0, 0.0]);
    }
}

#[test]
fn the_ycb_worlds_pass_over_an_action_that_the_agent_lacks() {
    let objects = TenObjects::new();
    let action = |word: &str| json!({"action": word, "agent_id": "agent_id_0", "rotation_degrees": 3});
    for (name, lacked) in [("ycb_distant", "set_yaw"), ("ycb_surface", "turn_left")] {
        let mut client = Client::with_source(shipped_world(name).expect("it is shipped").text, objects.source());
        let reply = client.done(json!({"command": "reset", "episode": 9}));
        assert_eq!(reply["primary_target"]["object"], "banana");
        client.step(json!([action(lacked)]));
    }
}

#[test]
fn without_its_objects_a_ycb_world_is_refused_and_says_how_to_give_them() {
    for name in WORLDS {
        for args in [&["port", "--world", name][..], &["check", name], &["render", name]] {
            let ran = finish(saccade(args).env_remove("SACCADE_DATA"));
            assert_eq!((ran.code, ran.stdout.len(), ran.stderr.lines().count()), (Some(2), 0, 1), "{}", ran.stderr);
            assert!([name, "--data", "SACCADE_DATA"].iter().all(|word| ran.stderr.contains(word)), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_folder_that_lacks_one_of_the_objects_is_told_which() {
    let objects = TenObjects::new();
    fs::remove_file(objects.0.path("dice.glb")).expect("it was there");
    let ran = finish(&mut saccade(&["check", "ycb_distant", "--data", &objects.folder()]));
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(2), 1), "{}", ran.stderr);
    assert!(ran.stderr.contains("not known: dice") && ran.stderr.contains(&objects.folder()), "{}", ran.stderr);
}
