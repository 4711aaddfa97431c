//! World files: the broken ones are refused with every problem named, the shipped ones are right.

use saccade::assets::Nowhere;
use saccade::math::Rotation;
use saccade::world::{AgentKind, SHIPPED_WORLDS, ShippedWorld, file};
use serde_json::{Value, json};

use crate::client::{Client, world};
use crate::fixture::{in_repository, one_agent, read_json, world_text};
use crate::program::{Scratch, run};
use crate::ycb::TenObjects;

#[test]
fn the_broken_worlds_are_refused_before_the_protocol_starts() {
    let cases = read_json(in_repository("tests/worlds/worlds.json"));
    let cases = cases["worlds"].as_array().expect("a list of worlds");
    assert_eq!(cases.len(), 15);
    let failures: Vec<String> = cases.iter().flat_map(failures_of).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn failures_of(case: &Value) -> Vec<String> {
    let scratch = Scratch::new();
    let path = scratch.file("broken.toml", world_text(&case["world"]));
    let commands = [["port", "--world", &path].to_vec(), ["check", &path].to_vec()];
    let wrong = commands.iter().filter_map(|args| failure_of(case, args));
    wrong.map(|why| format!("{}: {why}", case["case"])).collect()
}

fn failure_of(case: &Value, args: &[&str]) -> Option<String> {
    let ran = run(args);
    let told = ran.stderr.to_lowercase();
    let is_told = |words: &Value| {
        let words = words.as_array().into_iter().flatten().filter_map(Value::as_str);
        words.map(str::to_lowercase).any(|word| told.contains(&word))
    };
    let missing = case["error"]["mentions"].as_array().into_iter().flatten().find(|words| !is_told(words));
    match (ran.code, missing) {
        (Some(2), None) if ran.stdout.is_empty() => None,
        _ => Some(format!("{args:?}: exit code {:?}, not mentioned {missing:?}, stderr {}", ran.code, ran.stderr)),
    }
}

#[test]
fn a_file_with_many_faults_tells_all_at_once_each_with_file_line_and_key() {
    let text = r#"name = ""
seed = -1
tick_s = 0
compat = { preset = "mujoco", cone = "reel" }
gravity = [0, -9.81, 0]
encoding = "base46"
extras = ["tik"]

[[agents]]
id = "eye"
kind = "distnt"
rotation_wxyz = [1, 0, 0]

[[agents.sensors]]
id = "patch"
resolution = [64, 0]
zoom = -1
semantic = "yes"
modalities = ["locaton"]

[[objects]]
name = "cubeSolld"
scale = [1, -1, 1]
semantic_id = 2147483648
"#;
    let scratch = Scratch::new();
    let path = scratch.file("faults.toml", text);
    let ran = run(&["check", &path]);
    assert_eq!(ran.code, Some(2));
    let lines: Vec<&str> = ran.stderr.lines().collect();
    for (line, key, word) in [
        (1, "name", "1 to 255 bytes"),
        (2, "seed", "-1"),
        (3, "tick_s", "0"),
        (4, "compat.cone", "real"),
        (5, "gravity", "unknown key"),
        (6, "encoding", "base64"),
        (7, "extras[0]", "tick"),
        (11, "agents[0] (eye).kind", "distant"),
        (12, "agents[0] (eye).rotation_wxyz", "four"),
        (16, "agents[0] (eye).sensors[0] (patch).resolution", "4096"),
        (17, "agents[0] (eye).sensors[0] (patch).zoom", "-1"),
        (18, "agents[0] (eye).sensors[0] (patch).semantic", "true or false"),
        (19, "agents[0] (eye).sensors[0] (patch).modalities[0]", "location"),
        (22, "objects[0].name", "cubeSolid"),
        (23, "objects[0] (cubeSolld).scale", "positive"),
        (24, "objects[0] (cubeSolld).semantic_id", "2147483647"),
    ] {
        let start = format!("{path}: line {line}: {key}: found ");
        let is_told = lines.iter().any(|l| l.contains(&start) && l.contains(word) && l.contains(", expected "));
        assert!(is_told, "{start}… {word}\n{}", ran.stderr);
    }
    assert_eq!(lines.len(), 16, "{}", ran.stderr);
}

#[test]
fn unknown_keys_are_problems_in_every_table_with_the_nearest_name() {
    for (text, key, nearest) in [
        ("tik_s = 0.1", "tik_s", "tick_s"),
        ("compat = { cones = \"real\" }", "compat.cones", "cone"),
        ("[[agents]]\nid = \"a\"\nkind = \"noop\"\nrotation_wxzy = [1, 0, 0, 0]", "rotation_wxzy", "rotation_wxyz"),
        ("[[agents]]\nid = \"a\"\nkind = \"noop\"\n[[agents.sensors]]\nid = \"s\"\nzomm = 1", "zomm", "zoom"),
        ("[[objects]]\nname = \"box\"\nscales = 1", "scales", "scale"),
    ] {
        let problems = file::parse(text, &Nowhere).expect_err("an unknown key");
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        assert!(problem.key.ends_with(key), "{problem}");
        assert!(problem.expected.ends_with(&format!("did you mean {nearest}?")), "{problem}");
    }
}

#[test]
fn text_that_is_not_toml_is_told_with_its_line() {
    let scratch = Scratch::new();
    for (text, line) in [("name = \n", 1), ("seed = 1\nseed = 2\n", 2), ("\n\n[[agents]\n", 3)] {
        let path = scratch.file("broken.toml", text);
        let ran = run(&["check", &path]);
        assert_eq!(ran.code, Some(2), "{text}");
        assert!(ran.stderr.contains(&format!("{path}: line {line}: ")), "{text}: {}", ran.stderr);
    }
    let path = scratch.file("latin.toml", b"name = \"caf\xe9\"");
    let ran = run(&["check", &path]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("not UTF-8"), "{}", ran.stderr);
}

#[test]
fn values_at_their_limits_are_taken_and_beyond_them_refused() {
    let sensor = |keys: &str| one_agent("noop", "\"saccade\"") + keys;
    let object = |keys: &str| format!("[[objects]]\nname = \"box\"\n{keys}");
    for text in [
        "tick_s = 1".to_owned(),
        "seed = 9223372036854775807".to_owned(),
        format!("name = \"{}\"", "n".repeat(255)),
        sensor("zoom = 1e6\nhfov_deg = 179.0"),
        object("semantic_id = 0"),
        object("semantic_id = 2147483647\nscale = 1e6"),
        object("position = [1e6, -1e6, 0]"),
        object("rotation_wxyz = [1.0000009, 0, 0, 0]"),
    ] {
        file::parse(&text, &Nowhere).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    }
    for text in [
        "tick_s = 1.1".to_owned(),
        "seed = 9223372036854775808".to_owned(),
        "seed = 1.0".to_owned(),
        format!("name = \"{}\"", "n".repeat(256)),
        sensor("zoom = inf"),
        sensor("hfov_deg = 180"),
        sensor("hfov_deg = 0"),
        object("semantic_id = 2147483648"),
        object("semantic_id = 1.0"),
        object("position = [1000001, 0, 0]"),
        object("rotation_wxyz = [1.000002, 0, 0, 0]"),
        object("rotation_wxyz = [1, 0, 0, 0]\nrotation_deg = [0, 0, 0]"),
        object("rotation_deg = [nan, 0, 0]"),
        object("scale = 0"),
        "episodes = []".to_owned(),
        "episodes = [{}]".to_owned(),
    ] {
        assert!(file::parse(&text, &Nowhere).is_err(), "{text}");
    }
}

#[test]
fn under_mujoco_only_a_zero_rotation_is_refused() {
    let turned = |wxyz: &str| format!("compat = \"mujoco\"\n[[objects]]\nname = \"box\"\nrotation_wxyz = {wxyz}");
    let taken = world(&turned("[3, 0, 0, 4]"));
    assert_eq!(taken.objects[0].rotation.wxyz(), [3.0, 0.0, 0.0, 4.0]);
    assert!(file::parse(&turned("[0, 0, 0, 0]"), &Nowhere).is_err());
}

#[test]
fn the_shipped_worlds_are_right_by_name_and_by_path() {
    assert!(SHIPPED_WORLDS.iter().any(|shipped| shipped.name == "default"));
    let objects = TenObjects::new();
    for shipped in SHIPPED_WORLDS {
        assert_eq!(objects.world(shipped).name, shipped.name);
        assert!(shipped.summary().len() > 10, "{} says what it is", shipped.name);
        let path = in_repository(&format!("worlds/{}.toml", shipped.name));
        let path = path.to_str().expect("a name in UTF-8");
        let ran = run(&["check", shipped.name, path, "--data", &objects.folder()]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!((ran.stdout_text().lines().count(), ran.stderr.as_str()), (2, ""));
    }
}

#[test]
fn each_shipped_world_opens_with_what_it_shows_its_units_and_who_would_use_it() {
    for ShippedWorld { name, text } in SHIPPED_WORLDS {
        let comment: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
        let (shows, rest) = comment.split_first().unwrap_or_else(|| panic!("{name} opens with a comment"));
        assert!(shows.ends_with('.') || shows.len() > 60, "{name}: {shows}");
        let rest = rest.join(" ");
        for words in ["Metres", "+y is up", " For "] {
            assert!(rest.contains(words), "{name}: {words} in {rest}");
        }
        assert!(comment.iter().all(|line| line.chars().count() <= 130), "{name}");
    }
}

#[test]
fn the_default_world_is_the_standard_distant_agent_before_one_turned_object_an_episode() {
    let default = world(saccade::world::shipped_world("default").expect("it is shipped").text);
    let agent = &default.agents[0];
    assert_eq!(
        (agent.id.as_str(), agent.kind, agent.position.into()),
        ("agent_id_0", AgentKind::Distant, [0.0, 1.5, 0.2])
    );
    let sensors: Vec<_> =
        agent.sensors.iter().map(|s| (s.id.as_str(), [s.width, s.height], s.zoom, s.semantic)).collect();
    assert_eq!(sensors, [("patch", [64, 64], 10.0, true), ("view_finder", [64, 64], 1.0, true)]);
    assert!(default.objects.is_empty());
    let episodes = default.episodes.as_ref().expect("it has episodes");
    let targets = ["cubeSolid", "coneSolid", "cylinderSolid", "capsule3DSolid", "uvSphereSolid", "demo_mug"];
    assert_eq!((&episodes.targets[..], episodes.count()), (&targets.map(str::to_owned)[..], 6));
    for (index, name) in (0..).zip(targets) {
        let object = episodes.play(index, default.seed).0.target;
        assert_eq!((object.name.as_str(), object.position.into()), (name, [0.0, 1.5, 0.0]));
        assert_ne!(object.rotation.wxyz(), Rotation::IDENTITY_WXYZ);
    }
    assert_eq!(default.tick_s, 1.0 / 60.0);
}

#[test]
fn an_integer_is_a_number_and_resolution_is_width_then_height() {
    let read = |text: &str| world(text);
    let integers = read(
        "tick_s = 1\n[[agents]]\nid = \"a\"\nkind = \"free\"\nposition = [0, 1, -2]\nrotation_wxyz = [1, 0, 0, 0]\n\
         [[agents.sensors]]\nid = \"s\"\nresolution = [64, 32]\nzoom = 2\nhfov_deg = 60\n\
         [[objects]]\nname = \"box\"\nscale = 3\nrotation_deg = [90, 0, 0]",
    );
    let floats = read(
        "tick_s = 1.0\n[[agents]]\nid = \"a\"\nkind = \"free\"\nposition = [0.0, 1.0, -2.0]\n\
         rotation_deg = [0.0, 0.0, 0.0]\n\
         [[agents.sensors]]\nid = \"s\"\nresolution = [64, 32]\nzoom = 2.0\nhfov_deg = 60.0\n\
         [[objects]]\nname = \"box\"\nscale = [3.0, 3.0, 3.0]\nrotation_deg = [90.0, 0.0, 0.0]",
    );
    assert_eq!(integers, floats);
    let sensor = &integers.agents[0].sensors[0];
    assert_eq!((sensor.width, sensor.height), (64, 32));
}

#[test]
fn s1_a_world_without_agents_and_objects_works() {
    let mut client = Client::on("");
    let reply = client.step(json!([]));
    assert_eq!((&reply["observations"], &reply["proprioceptive_state"]), (&json!({}), &json!({})));
    client.refused(
        json!({"command": "step", "actions": [
        {"action": "move_forward", "agent_id": "a", "distance": 1}]}),
        "unknown_agent",
    );
    assert_eq!(client.done(json!({"command": "add_object", "name": "box"}))["object_id"], 0);
}

#[test]
fn agents_may_share_a_sensor_id_and_nothing_else() {
    let agent = |id: &str, sensors: &[&str]| {
        let sensors: String = sensors.iter().map(|s| format!("[[agents.sensors]]\nid = \"{s}\"\n")).collect();
        format!("[[agents]]\nid = \"{id}\"\nkind = \"noop\"\n{sensors}")
    };
    assert!(file::parse(&(agent("a", &["patch"]) + &agent("b", &["patch"])), &Nowhere).is_ok());
    assert!(file::parse(&(agent("a", &[]) + &agent("a", &[])), &Nowhere).is_err());
    assert!(file::parse(&agent("a", &["patch", "patch"]), &Nowhere).is_err());
}

#[test]
fn an_agent_has_at_most_64_sensors() {
    let with = |count: usize| {
        let sensors: String = (0..count).map(|i| format!("[[agents.sensors]]\nid = \"s{i}\"\n")).collect();
        file::parse(&format!("[[agents]]\nid = \"a\"\nkind = \"noop\"\n{sensors}"), &Nowhere)
    };
    assert!(with(64).is_ok());
    let problems = with(65).expect_err("one too many");
    assert!(problems[0].to_string().contains("64"), "{problems:?}");
}
