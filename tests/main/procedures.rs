//! `run_procedure` in whole worlds: where Monty's positioning leads, and that its actions as steps lead to the same bytes.

use saccade::rng::episode_seed;
use serde_json::{Value, json};

use crate::client::{AGENT, Client};
use crate::percept::{list, numbers};
use crate::prober::is_near;

const SURFACE: &str = "surface";
const DISTANT: &str = "distant";

/// Monty's standard agent with its patch and its view finder, at a height of 1.5 m; `sensor` adds keys to both.
pub fn standard(kind: &str, z: f64, sensor: &str) -> String {
    let behind = if kind == SURFACE { "position = [0, 0, 0.03]\n" } else { "" };
    format!(
        "[[agents]]\nid = \"{AGENT}\"\nkind = \"{kind}\"\nposition = [0, 1.5, {z}]\n\
         [[agents.sensors]]\nid = \"patch\"\nresolution = [64, 64]\nzoom = 10\n{sensor}\
         [[agents.sensors]]\nid = \"view_finder\"\nresolution = [64, 64]\n{behind}{sensor}"
    )
}

pub fn object(name: &str, position: [f64; 3], keys: &str) -> String {
    format!("[[objects]]\nname = \"{name}\"\nposition = {position:?}\n{keys}\n")
}

pub const AHEAD: [f64; 3] = [0.0, 1.5, 0.0];

pub fn cube() -> String {
    object("cubeSolid", AHEAD, "")
}

fn ball(position: [f64; 3]) -> String {
    object("sphere", position, "scale = 0.1")
}

/// A request for the view finder, with more keys.
pub fn procedure(name: &str, keys: Value) -> Value {
    let mut request = json!({"command": "run_procedure", "procedure": name, "agent_id": AGENT});
    for (key, value) in keys.as_object().expect("keys") {
        request[key] = value.clone();
    }
    request
}

pub fn good_view() -> Value {
    procedure("get_good_view", json!({}))
}

pub fn touch() -> Value {
    procedure("touch", json!({}))
}

pub fn jump(location: [f64; 3], direction: [f64; 3]) -> Value {
    procedure("jump", json!({"location": location, "direction": direction}))
}

pub fn count(reply: &Value) -> usize {
    list(&reply["actions"]).count()
}

fn is_success(reply: &Value) -> bool {
    assert_eq!(reply["truncated"], false);
    reply["success"] == true
}

fn position(reply: &Value) -> Vec<f64> {
    numbers(&reply["proprioceptive_state"][AGENT]["position"])
}

#[test]
fn a_good_view_takes_as_many_moves_as_in_monty() {
    for (compat, z, objects, moves, end) in [
        ("mujoco", 0.5, cube(), 26, 0.24),
        ("saccade", 0.5, cube(), 26, 0.24),
        ("habitat", 0.5, cube(), 26, 0.24),
        ("mujoco", 0.2, cube(), 0, 0.2),
        ("mujoco", 0.5, ball(AHEAD), 35, 0.15),
        ("saccade", 0.5, ball(AHEAD), 34, 0.16),
    ] {
        let mut client = Client::on(&format!("compat = \"{compat}\"\n{}{objects}", standard(DISTANT, z, "")));
        let reply = client.done(good_view());
        assert!(is_success(&reply), "{compat}: {objects}");
        let forward = json!([{"action": "move_forward", "agent_id": AGENT, "distance": 0.01}]);
        assert_eq!(reply["actions"], json!(vec![forward; moves]), "{compat}: {objects}");
        assert!(is_near(&position(&reply), &[0.0, 1.5, end], 1e-12), "{compat}: {objects}");
    }
}

#[test]
fn an_object_aside_is_turned_to_at_the_end_of_the_moves() {
    let aside = ball([0.1, 1.6, 0.0]);
    let mut client = Client::on(&format!("compat = \"mujoco\"\n{}{aside}", standard(DISTANT, 0.5, "")));
    let reply = client.done(good_view());
    assert!(is_success(&reply) && count(&reply) == 48);
    assert!(is_near(&position(&reply), &[0.0, 1.5, 0.03], 1e-12));
    let turns = &reply["actions"][47];
    assert_eq!((&turns[0]["action"], &turns[0]["constraint_degrees"]), (&json!("look_down"), &json!(90.0)));
    assert_eq!(turns[1]["action"], "turn_left");
    let angles = [&turns[0], &turns[1]].map(|turn| numbers(&turn["rotation_degrees"])[0]);
    assert!(is_near(&angles, &[-30.167, -35.538], 1e-3), "{angles:?}");
}

#[test]
fn one_of_several_objects_is_looked_at_by_its_id() {
    let objects = object("cubeSolid", [0.2, 1.5, -0.2], "semantic_id = 1")
        + &object("capsule3DSolid", [-0.1, 1.5, -0.1], "semantic_id = 2");
    let world = standard(DISTANT, 0.5, "semantic = true\n") + &objects;
    for id in [1, 2] {
        let mut client = Client::on(&world);
        let keys = json!({"multiple_objects_present": true, "target_semantic_id": id});
        let reply = client.done(procedure("get_good_view", keys));
        assert!(is_success(&reply), "{id}");
        assert_eq!(reply["actions"][0][0]["action"], "look_down", "it turns first");
        let view = &reply["observations"][AGENT]["view_finder"];
        assert_eq!(view["semantic_id"], id);
        let on_target = numbers(&view["semantic"]).iter().filter(|label| **label == f64::from(id)).count();
        // P3: half of the view is the target's, and nothing is nearer than 5 mm.
        assert!(on_target >= 2048 && numbers(&view["min_depth"])[0] > 0.005, "{id}: {on_target} pixels");
    }
    // Where one object is alone every id is the target's, whichever is named.
    let single = |keys: Value| Client::on(&world).done(procedure("get_good_view", keys))["actions"].clone();
    assert_eq!(single(json!({"target_semantic_id": 7})), single(json!({})));
}

#[test]
fn a_surface_agent_touches_what_is_ahead_beside_and_above_it() {
    for (place, searches) in [
        ([0.0, 1.5, -0.1], &[][..]),
        ([0.5, 1.5, 0.05], &["orient_horizontal"]),
        ([0.0, 1.95, 0.05], &["orient_horizontal", "orient_vertical"]),
    ] {
        let mut client = Client::on(&(standard(SURFACE, 0.15, "") + &object("cubeSolid", place, "")));
        let reply = client.done(touch());
        assert!(is_success(&reply), "{place:?}");
        let mut words: Vec<&str> = list(&reply["actions"]).filter_map(|tick| tick[0]["action"].as_str()).collect();
        words.dedup();
        assert_eq!(words, [searches, &["move_forward"]].concat(), "{place:?}");
        let coverage = &reply["observations"][AGENT]["patch"]["object_coverage"];
        assert!(numbers(coverage)[0] >= 0.1, "{place:?}: {coverage}");
    }
}

#[test]
fn p4_an_agent_that_starts_on_a_face_steps_back_to_the_desired_distance() {
    for (keys, distance) in [(json!({}), 0.025), (json!({"desired_object_distance": 0.04}), 0.04)] {
        let mut client = Client::on(&(standard(SURFACE, 0.1, "") + &cube()));
        let reply = client.done(procedure("touch", keys));
        assert!(is_success(&reply) && count(&reply) == 1);
        assert!(is_near(&position(&reply), &[0.0, 1.5, 0.1 + distance], 1e-8));
    }
}

#[test]
fn a_search_that_finds_nothing_is_truncated_at_its_limit_and_its_moves_stand() {
    let mut client = Client::on(&standard(SURFACE, 0.15, ""));
    let before = client.digest();
    let reply = client.done(touch());
    assert_eq!((&reply["success"], &reply["truncated"], count(&reply)), (&json!(false), &json!(true), 6000));
    assert_ne!(client.digest(), before);
}

#[test]
fn the_search_draws_from_the_seed_of_the_request_or_of_the_episode() {
    let actions = |world: &str, keys: Value| Client::on(world).done(procedure("touch", keys))["actions"][30].clone();
    let seeded = |seed: u64| format!("seed = {seed}\n{}", standard(SURFACE, 0.15, ""));
    let default = actions(&seeded(5), json!({}));
    assert_eq!(default, actions(&seeded(5), json!({"rng_seed": episode_seed(5, "eval", 0)})));
    assert_ne!(default, actions(&seeded(6), json!({})));
    let far = "[episodes]\ntargets = [\"cubeSolid\"]\npositions = [[0, 99, 0]]\nmode = \"train\"\n";
    let mut client = Client::waiting_on(&(seeded(5) + far));
    for episode in [1, 4] {
        client.done(json!({"command": "reset", "episode": episode}));
        let reply = client.done(touch());
        let seed = episode_seed(5, "train", episode);
        assert_eq!(reply["actions"][30], actions(&seeded(5), json!({"rng_seed": seed})), "{episode}");
    }
}

#[test]
fn a_jump_holds_where_something_is_in_sight_and_looks_along_its_direction() {
    let mut client = Client::on(&(standard(DISTANT, 0.5, "") + &cube()));
    client.step(json!([{"action": "look_up", "agent_id": AGENT, "rotation_degrees": 20}]));
    let reply = client.done(jump([0.3, 1.5, 0.0], [-2.0, 0.0, 0.0]));
    assert!(is_success(&reply));
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let state = &reply["proprioceptive_state"][AGENT];
    assert_eq!(numbers(&state["position"]), [0.3, 1.5, 0.0]);
    assert!(is_near(&numbers(&state["rotation"]), &[half, 0.0, half, 0.0], 1e-15));
    assert_eq!(numbers(&state["sensors"]["view_finder"]["rotation"]), [1.0, 0.0, 0.0, 0.0]);
    let words: Vec<&Value> = list(&reply["actions"][0]).map(|action| &action["action"]).collect();
    assert_eq!((count(&reply), words), (1, vec![&json!("set_agent_pose"), &json!("set_sensor_rotation")]));
}

/// Worlds in which a look is remembered, noisy, or neither; each with a request and a look before it.
fn scenes() -> Vec<(String, Value)> {
    let noisy = "semantic = true\npipeline = [{ transform = \"MissingToMaxDepth\", max_depth = 1.0 }, \
                 { transform = \"AddNoiseToRawDepthImage\", sigma = 0.001 }, { transform = \"DepthTo3DLocations\" }]\n";
    let filtered = "percept = { noise = { location = 0.002 }, feature_change = { n_steps = 3, distance_m = 0.01 } }\n\
                    modalities = [\"percept\", \"process_features_in_lm\"]\n";
    let aside = ball([0.1, 1.6, 0.0]);
    let mut scenes = Vec::new();
    for compat in ["saccade", "mujoco", "habitat"] {
        for sensor in ["", noisy, filtered] {
            let world =
                |kind, z| format!("compat = \"{compat}\"\nextras = [\"tick\"]\n{}{aside}", standard(kind, z, sensor));
            scenes.push((world(DISTANT, 0.5), good_view()));
            scenes.push((world(DISTANT, 0.5), jump([-0.1, 1.7, 0.2], [0.5, -0.3, -0.6])));
            if sensor != noisy {
                scenes.push((world(SURFACE, 0.1), touch()));
            }
        }
    }
    scenes
}

#[test]
fn the_actions_as_steps_lead_to_the_same_bytes_and_the_same_state() {
    for (world, request) in scenes() {
        let mut run = Client::on(&world);
        let mut request = request;
        request["id"] = 7.into();
        let text = run.text(request.to_string());
        let reply: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(reply["success"], true, "{request} in {world}");
        let mut stepped = Client::on(&world);
        let mut last = String::new();
        for actions in list(&reply["actions"]) {
            last = stepped.text(json!({"id": 7, "command": "step", "actions": actions}).to_string());
        }
        assert!(text.starts_with(last.trim_end_matches('}')) && !last.is_empty(), "{request} in {world}");
        assert_eq!(run.digest(), stepped.digest(), "{request} in {world}");
    }
}

#[test]
fn what_is_observed_does_not_change_what_a_procedure_does() {
    for (world, request) in scenes() {
        let acts = |reset: Value| {
            let mut client = Client::waiting_on(&world);
            client.done(reset);
            client.done(request.clone())["actions"].clone()
        };
        let all = acts(json!({"command": "reset"}));
        assert_eq!(all, acts(json!({"command": "reset", "sensor_ids": []})), "{request} in {world}");
        let one = json!({"command": "reset", "sensor_ids": ["patch"], "modalities": ["rgba"]});
        assert_eq!(all, acts(one), "{request} in {world}");
    }
}
