//! Failures: what they say, that they change nothing, our own faults, and requests that nobody waits for.

use saccade::protocol::{Code, Command, Motion, Reset, Step};
use serde_json::json;

use crate::client::{AGENT, Client, Simulation, bodies, brief, frame, handle};
use crate::fixture::{agent, in_repository, one_agent, read_text};
use crate::requests::{act, client, default_world, look, session_on};
use crate::strict_json;

/// A bad request and its code.
fn bad_requests() -> Vec<(String, &'static str)> {
    let of = |body: &str, code| (body.to_owned(), code);
    vec![
        of("[", "bad_json"),
        of(r#"{"command":"digest"}"#, "bad_id"),
        of(r#"{"id":"x.","command":"digest"}"#, "bad_id"),
        of(r#"{"id":7,"command":"rest"}"#, "unknown_command"),
        of(r#"{"id":7,"command":"."}"#, "unknown_command"),
        of(r#"{"id":7}"#, "unknown_command"),
        of(r#"{"id":7,"command":5}"#, "unknown_command"),
        of(r#"{"id":7,"command":"reset","sensor_ids":["Patch."]}"#, "unknown_sensor"),
        of(r#"{"id":7,"command":"reset","sensor_ids":[5]}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","sensor_ids":"patch"}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","modalities":["locaton"]}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","modalities":{"ptch":[]}}"#, "unknown_sensor"),
        of(r#"{"id":7,"command":"reset","modalities":5}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","encoding":"base46"}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","extras":["tok"]}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","seed":-1}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","seed":1.5}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","episode":-1}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","episode":0.5}"#, "bad_request"),
        of(r#"{"id":7,"command":"reset","episode":9223372036854775808}"#, "bad_request"),
        of(r#"{"id":7,"command":"describe","world":1}"#, "bad_request"),
        of(r#"{"id":7,"command":"add_object","name":"cub."}"#, "unknown_object"),
        of(r#"{"id":7,"command":"add_object","name":"box","scale":-1}"#, "bad_request"),
        of(r#"{"id":7,"command":"add_object","name":"box","position":[2e6,0,0]}"#, "out_of_range"),
        of(r#"{"id":7,"command":"add_object","name":"box","primary_target_object":99}"#, "unknown_object"),
        of(r#"{"id":7,"command":"step","actions":{}}"#, "bad_request"),
        of(r#"{"id":7,"command":"step","actions":[[]]}"#, "bad_request"),
        (act(r#""action":"fly""#), "unknown_action"),
        (act(r#""speed":1"#), "unknown_action"),
        (act(r#""action":"set_yaw","rotation_degrees":1"#), "action_not_available"),
        (act(r#""action":"move_forward","distance":"1.""#), "bad_request"),
        (act(r#""action":"move_forward","distance":1e9"#), "out_of_range"),
        (act(r#""action":"look_up","rotation_degrees":1,"constraint_degrees":-1"#), "bad_request"),
        (act(r#""action":"set_sensor_rotation","rotation_quat":[0,0,0,0]"#), "bad_request"),
        of(
            r#"{"id":7,"command":"step","actions":[{"action":"turn_left","agent_id":"agent.","rotation_degrees":1}]}"#,
            "unknown_agent",
        ),
    ]
}

#[test]
fn a_failure_is_an_id_a_sentence_and_a_code_and_changes_nothing() {
    let mut client = client();
    client.done(json!({"command": "reset", "extras": ["tick"]}));
    client.step(json!([{"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 1}]));
    let digest = client.digest();
    let settings = |client: &mut Client| {
        let mut description = client.done(json!({"command": "describe"}));
        description["id"].take();
        description
    };
    let described = settings(&mut client);
    for (body, code) in bad_requests() {
        let reply = client.send(&body);
        let keys: Vec<&String> = reply.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["code", "error", "id"], "{body}: {}", brief(&reply));
        assert_eq!(reply["code"], code, "{body}: {reply}");
        let why = reply["error"].as_str().expect("a sentence");
        assert!(why.starts_with(|c: char| c.is_lowercase()) && !why.ends_with('.'), "{body}: {why}");
        assert_eq!(client.digest(), digest, "{body}");
    }
    assert_eq!(settings(&mut client), described);
    assert_eq!(client.step(json!([]))["tick"], 2);
}

#[test]
fn an_error_names_the_offending_thing_and_what_would_be_right() {
    for (body, names) in [
        (r#"{"id":7,"command":"rest"}"#, &["rest", "did you mean reset?"][..]),
        (r#"{"id":7,"command":"reset","sensor_ids":["pach"]}"#, &["pach", "patch, view_finder"]),
        (r#"{"id":7,"command":"reset","modalities":["locaton"]}"#, &["locaton", "did you mean location?"]),
        (r#"{"id":7,"command":"reset","encoding":"base46"}"#, &["base46", "base64"]),
        (r#"{"id":7,"command":"step"}"#, &["step", "actions"]),
        (&act(r#""action":"move_foward","distance":1"#), &["action 0", "move_foward", "did you mean move_forward?"]),
        (&act(r#""action":"move_forward""#), &["action 0", "move_forward", "distance"]),
        (&act(r#""action":"set_yaw","rotation_degrees":1"#), &["set_yaw", "distant", "agent_id_0", "turn_left"]),
    ] {
        let reply = client().send(body);
        let why = reply["error"].as_str().expect("a sentence");
        assert!(names.iter().all(|name| why.contains(name)), "{names:?}: {why}");
    }
}

#[test]
fn a_long_text_of_the_client_is_cut_in_the_error_that_quotes_it() {
    let long = "x".repeat(1_000_000);
    for body in [
        format!(r#"{{"id":7,"command":"{long}"}}"#),
        format!(r#"{{"id":7,"command":"step","actions":"{long}"}}"#),
        format!(r#"{{"id":7,"command":"step","actions":["{long}"]}}"#),
        format!(r#"{{"id":7,"command":"reset","modalities":["{long}"]}}"#),
        act(&format!(r#""action":"{long}""#)),
    ] {
        let reply = client().text(&body);
        assert!(reply.len() < 2000, "{} bytes for {}…", reply.len(), &body[..40]);
    }
    for body in [
        format!(r#"{{"id":7,"command":"reset","sensor_ids":["{long}"]}}"#),
        format!(r#"{{"id":7,"command":"add_object","name":"{long}"}}"#),
        json!({"id": 7, "command": "step", "actions": [
            {"action": "turn_left", "agent_id": long, "rotation_degrees": 1}]})
        .to_string(),
    ] {
        let reply = client().text(&body);
        assert!(reply.len() < 2000, "{} bytes for {}…", reply.len(), &body[..40]);
    }
}

#[test]
fn before_the_first_reset_only_reset_describe_and_close_work() {
    let mut client = Client::waiting_on(default_world());
    for request in [
        json!({"command": "step", "actions": []}),
        json!({"command": "digest"}),
        json!({"command": "add_object", "name": "box"}),
        json!({"command": "remove_all_objects"}),
    ] {
        let why = client.refused(request, "reset_needed");
        assert!(why.contains("reset"), "{why}");
    }
    client.refused(json!({"command": "step", "actions": [5]}), "bad_request");
    client.done(json!({"command": "describe"}));
    client.refused(json!({"command": "reset", "sensor_ids": ["nobody"]}), "unknown_sensor");
    client.refused(json!({"command": "digest"}), "reset_needed");
    client.done(json!({"command": "reset"}));
    client.digest();
}

#[test]
fn close_is_answered_and_later_requests_are_not_read() {
    for is_reset in [false, true] {
        let mut client = Client::waiting_on(default_world());
        if is_reset {
            client.done(json!({"command": "reset"}));
        }
        assert_eq!(client.done(json!({"command": "close"})), json!({"id": 1 + u64::from(is_reset), "ok": true}));
        let connection = client.connection();
        assert!(connection.is_closed());
        connection.receive(&frame(r#"{"id":9,"command":"describe"}"#));
        assert_eq!(connection.poll_transmit(&mut || true), None);
    }
}

#[test]
fn the_readme_lists_every_code_and_no_other() {
    let readme = read_text(in_repository("README.md"));
    let (_, rest) = readme.split_once("<!-- codes -->").expect("the README marks its table of codes");
    let (table, _) = rest.split_once("<!-- /codes -->").expect("the mark is closed");
    let first_cell = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    let listed: Vec<String> = table.lines().filter_map(first_cell).collect();
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.word()).collect();
    assert_eq!(listed, codes);
}

#[test]
fn describe_lists_the_codes_the_limits_and_the_keys_of_each_command() {
    let reply = Client::waiting_on(default_world()).done(json!({"command": "describe"}));
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.word()).collect();
    assert_eq!(reply["codes"], json!(codes));
    let limits = &reply["limits"];
    for (name, most) in [
        ("frame_bytes", 64 << 20),
        ("nesting", 128),
        ("resolution", 4096),
        ("reply_bytes", 1 << 30),
        ("actions", 100_000),
        ("objects", 10_000),
        ("sensors_per_agent", 64),
        ("name_bytes", 255),
        ("semantic_id", 2_147_483_647u64),
    ] {
        assert_eq!(limits[name], most, "{name}");
    }
    for (name, [least, most]) in [("coordinate_m", [-1e6, 1e6]), ("tick_s", [1e-6, 1.0]), ("zoom", [1e-6, 1e6])] {
        assert_eq!(limits[name], json!([least, most]), "{name}");
    }
    let actions = reply["actions"].as_object().expect("a map");
    assert_eq!(actions.len(), 14);
    assert_eq!(actions["look_up"], json!(["rotation_degrees", "constraint_degrees"]));
    let own = reply["agents"][AGENT]["actions"].as_array().expect("the agent's actions");
    assert!(own.iter().all(|word| word.as_str().is_some_and(|word| actions.contains_key(word))), "{own:?}");
    let commands: Vec<&String> = reply["commands"].as_object().expect("a map").keys().collect();
    assert_eq!(
        commands,
        ["add_object", "close", "describe", "digest", "remove_all_objects", "reset", "run_procedure", "step"]
    );
    let keys = ["sensor_ids", "episode", "seed", "modalities", "encoding", "extras"];
    assert_eq!(reply["commands"]["reset"], json!(keys));
}

#[test]
fn after_a_fault_of_ours_the_code_is_internal_and_a_reset_leads_on() {
    let mut client = client();
    let reset = r#"{"id":1,"command":"reset","episode":0}"#;
    let undisturbed = client.text(reset);
    for request in [look("7"), r#"{"id":7,"command":"reset"}"#.to_owned()] {
        let connection = client.connection();
        connection.receive(&frame(request));
        let stream = connection.poll_transmit(&mut || panic!("the test breaks an assertion")).expect("it is answered");
        let reply = strict_json::read(std::str::from_utf8(bodies(stream)[0]).expect("UTF-8")).expect("strict JSON");
        assert_eq!((&reply["id"], &reply["code"]), (&json!(7), &json!("internal")));
        assert!(!client.connection().is_closed());
        for command in ["digest", "remove_all_objects"] {
            client.refused(json!({"command": command}), "reset_needed");
        }
        client.refused(json!({"command": "step", "actions": []}), "reset_needed");
        client.done(json!({"command": "describe"}));
        assert!(client.text(reset) == undisturbed);
    }
}

/// Says yes so many times.
fn yes_times(mut times: usize) -> impl FnMut() -> bool {
    move || {
        let is_yes = times > 0;
        times = times.saturating_sub(1);
        is_yes
    }
}

#[test]
fn a_session_abandons_a_request_with_its_state_unchanged() {
    let mut simulation = Simulation::on(default_world());
    simulation.done(&[Motion::TurnLeft { angle_deg: 10.0 }]);
    let before = (simulation.digest(), simulation.state());
    let digest = simulation.digest();
    let forward = Motion::MoveForward { distance_m: 0.1 };
    let action = saccade::protocol::Action { agent_id: AGENT.into(), motion: forward.clone() };
    let seeded = Reset { seed: Some(99), ..Reset::default() };
    for command in [Command::Step(Step { actions: [action].into_iter().collect() }), Command::Reset(seeded)] {
        handle(&mut simulation.session, command, &mut || false).expect_err("nobody waits");
        assert_eq!(simulation.digest(), digest);
    }
    assert_eq!(simulation.state(), before.1);
    let mut undisturbed = Simulation::on(default_world());
    undisturbed.done(&[Motion::TurnLeft { angle_deg: 10.0 }]);
    assert_eq!(undisturbed.digest(), before.0);
    assert_eq!(simulation.done(std::slice::from_ref(&forward)), undisturbed.done(&[forward]));
}

#[test]
fn an_abandoned_first_reset_leaves_the_session_waiting() {
    let mut session = session_on(default_world());
    handle(&mut session, Command::Reset(Reset::default()), &mut || false).expect_err("nobody waits");
    let reply = handle(&mut session, Command::Digest, &mut || true).expect("somebody waits");
    assert_eq!(reply.outcome.expect_err("no world yet").code, Code::ResetNeeded);
}

#[test]
fn a_no_between_two_agents_abandons_the_whole_request() {
    let second = one_agent("free", "\"saccade\"").replace("agent_id_0", "agent_id_1");
    let text = second + &agent("free", "");
    let mut simulation = Simulation::on(&text);
    let digest = simulation.digest();
    let step = || Command::Step(Step::default());
    handle(&mut simulation.session, step(), &mut yes_times(1)).expect_err("nobody waits for the second agent");
    assert_eq!(simulation.digest(), digest);
    handle(&mut simulation.session, step(), &mut || true).expect("somebody waits");
    assert_ne!(simulation.digest(), digest);
}

#[test]
fn while_images_are_drawn_it_is_asked_again_and_again_whether_anybody_waits() {
    let text = agent("noop", "semantic = true").replace("[3, 3]", "[1024, 512]");
    let mut simulation = Simulation::on(&format!("{text}[[objects]]\nname = \"sphere\"\nposition = [0, 0, -5]\n"));
    let digest = simulation.digest();
    // A step would find the frame of the first look.
    let reset = || Command::Reset(Reset::default());
    let mut questions = 0;
    let mut count = || {
        questions += 1;
        true
    };
    handle(&mut simulation.session, reset(), &mut count).expect("somebody waits");
    simulation.session.take_back();
    assert_eq!(simulation.digest(), digest);
    // A ray against one closed form takes well under 0.4 µs, so that 2^17 of them are less than 50 ms.
    assert!(questions >= 5, "{questions} questions for 2^19 pixels");
    for yes in 0..questions {
        handle(&mut simulation.session, reset(), &mut yes_times(yes)).expect_err("nobody waits for the rest");
        assert_eq!(simulation.digest(), digest, "after {yes} times yes");
    }
}

#[test]
fn a_connection_whose_request_is_abandoned_is_closed_without_a_reply() {
    let mut client = client();
    let connection = client.connection();
    connection.receive(&frame(look("7")));
    connection.receive(&frame(look("8")));
    assert_eq!(connection.poll_transmit(&mut || false), None);
    assert!(connection.is_closed());
    assert_eq!(connection.poll_transmit(&mut || true), None);
}

/// Agents with so many sensors that a reply takes over 1 MiB of text.
fn wide_world() -> String {
    let sensors: String = (0..64).map(|i| format!("[[agents.sensors]]\nid = \"sensor_{i:0>200}\"\n")).collect();
    let agents = (0..100).map(|i| format!("[[agents]]\nid = \"agent_{i}\"\nkind = \"free\"\n{sensors}"));
    format!("modalities = [\"location\"]\n{}", agents.collect::<String>())
}

#[test]
fn a_no_while_the_reply_is_written_abandons_the_request_too() {
    let text = wide_world();
    let mut client = Client::on(&text);
    assert!(client.text(look("7")).len() > 2 << 20, "the reply is long enough to be asked about while it is written");
    let connection = client.connection();
    connection.receive(&frame(look("8")));
    // One question before each agent is observed; the next ones come while the text is written.
    assert_eq!(connection.poll_transmit(&mut yes_times(100)), None);
    assert!(connection.is_closed());
}

#[test]
fn a_request_taken_back_leaves_no_trace() {
    let mut simulation = Simulation::on(default_world());
    simulation.done(&[Motion::TurnLeft { angle_deg: 10.0 }]);
    let digest = simulation.digest();
    simulation.done(&[Motion::MoveForward { distance_m: 0.1 }]);
    simulation.session.take_back();
    assert_eq!(simulation.digest(), digest);
    let settings = Reset { seed: Some(3), sensor_ids: Some(Vec::new()), ..Reset::default() };
    simulation.answer(Command::Reset(settings)).expect("a reset works");
    simulation.session.take_back();
    assert_eq!(simulation.digest(), digest);
    let mut undisturbed = Simulation::on(default_world());
    undisturbed.done(&[Motion::TurnLeft { angle_deg: 10.0 }]);
    let answer = |simulation: &mut Simulation| simulation.answer(Command::Step(Step::default())).expect("a step works");
    assert_eq!(answer(&mut simulation), answer(&mut undisturbed));
}
