//! No waste in the loop: what a step allocates, and what is drawn again of a scene that is the same.

use allocation_counter::measure;
use saccade::connection::Connection;
use saccade::protocol::{Answer, Command, Reset, Step};
use saccade::session::Session;
use serde_json::{Value, json};

use crate::client::{AGENT, Client, connection, frame, handle, session};
use crate::requests::{act, default_world, look};

const CHOICES: [&str; 5] = [
    r#""modalities":["percept"]"#,
    r#""encoding":"base64""#,
    r#""encoding":"binary""#,
    r#""encoding":"nested""#,
    r#""modalities":["location","semantic_3d","sensor_frame_data","cam_to_world"],"extras":["tick"]"#,
];

/// Actions of every shape that Monty's agents send, each undone so that a world stands still.
const DISTANT: [&str; 6] = [
    r#""action":"turn_left","rotation_degrees":1.5"#,
    r#""action":"turn_right","rotation_degrees":1.5"#,
    r#""action":"look_up","rotation_degrees":1.5,"constraint_degrees":90"#,
    r#""action":"look_down","rotation_degrees":1.5,"constraint_degrees":null"#,
    r#""action":"set_agent_pose","location":[0,1.5,0.21],"rotation_quat":[1,0,0,0]"#,
    r#""action":"set_sensor_rotation","rotation_quat":[1,0.01,0,0]"#,
];
const SURFACE: [&str; 4] = [
    r#""action":"move_forward","distance":0.001"#,
    r#""action":"move_tangentially","distance":0.001,"direction":[0.6,0.8,0]"#,
    r#""action":"orient_horizontal","rotation_degrees":2,"left_distance":0.001,"forward_distance":0.0001"#,
    r#""action":"orient_vertical","rotation_degrees":2,"down_distance":0.001,"forward_distance":0.0001"#,
];

fn shipped(name: &str) -> &'static str {
    saccade::world::shipped_world(name).expect("it is shipped").text
}

fn ask(connection: &mut Connection, request: &[u8]) {
    connection.receive(request);
    let reply = connection.poll_transmit(&mut || true).expect("a reply");
    assert!(!reply.windows(8).any(|bytes| bytes == b"\"error\":"), "{}", String::from_utf8_lossy(reply));
}

/// Of 100 steps with these requests in turn, after two rounds of them.
fn allocations(connection: &mut Connection, requests: &[Vec<u8>]) -> u64 {
    for request in requests.iter().chain(requests) {
        ask(connection, request);
    }
    measure(|| requests.iter().cycle().take(100).for_each(|request| ask(connection, request))).count_total
}

/// In a world after a reset with each of `CHOICES`.
fn assert_no_allocations(world: &str, reset: &str, actions: &[&str]) {
    let mut requests = vec![frame(look("7"))];
    requests.extend(actions.iter().map(|parameters| frame(act(parameters))));
    for choice in CHOICES {
        let mut connection = connection(world);
        ask(&mut connection, &frame(format!(r#"{{"id":0,"command":"reset",{choice}{reset}}}"#)));
        assert_eq!(allocations(&mut connection, &requests), 0, "{choice}");
    }
}

#[test]
fn steps_in_the_default_world_allocate_nothing() {
    assert_no_allocations(default_world(), "", &DISTANT);
}

#[test]
fn steps_before_a_textured_mesh_allocate_nothing() {
    assert_no_allocations(default_world(), r#","episode":5"#, &DISTANT);
}

#[test]
fn steps_of_a_surface_agent_allocate_nothing() {
    assert_no_allocations(shipped("surface"), "", &SURFACE);
}

#[test]
fn steps_of_two_agents_and_of_five_sensors_allocate_nothing() {
    assert_no_allocations(shipped("two_agents"), "", &[]);
    assert_no_allocations(shipped("five_patches"), "", &DISTANT[..2]);
}

#[test]
fn steps_with_smoothed_noisy_and_filtered_sensors_allocate_nothing() {
    let sensor = "antialiasing = true\npercept = { noise = { location = 0.001, hsv = 0.1, pose_vectors = 1 }, \
                  feature_change = { distance_m = 0.001, hsv = [0.1, 0.1, 0.1] } }\n\
                  pipeline = [{ transform = \"MissingToMaxDepth\" }, \
                  { transform = \"AddNoiseToRawDepthImage\", sigma = 0.001 }, { transform = \"GaussianSmoothing\" }, \
                  { transform = \"DepthTo3DLocations\" }]\n";
    let world = default_world().replace("zoom = 10\n", &format!("zoom = 10\n{sensor}"));
    assert_no_allocations(&world, "", &DISTANT);
}

/// The observations of a step.
fn seen(client: &mut Client, actions: Value) -> Value {
    client.step(actions)["observations"].take()
}

fn pose(z: f64) -> Value {
    json!([{"action": "set_agent_pose", "agent_id": AGENT, "location": [0, 1.5, z], "rotation_quat": [1, 0, 0, 0]}])
}

#[test]
fn a_look_at_the_same_answers_what_would_be_drawn() {
    for choice in [json!(["percept"]), json!(["depth", "rgba", "semantic", "percept"]), json!(["center_rgba"])] {
        let mut client = Client::waiting_on(default_world());
        client.done(json!({"command": "reset", "episode": 5, "modalities": choice}));
        let drawn = seen(&mut client, pose(0.18));
        let kept = seen(&mut client, json!([]));
        seen(&mut client, pose(0.2));
        assert_eq!(drawn, kept);
        assert_eq!(kept, seen(&mut client, pose(0.18)));
    }
}

fn answered(session: &mut Session, command: Command) -> Answer {
    let reply = handle(session, command, &mut || true).expect("nobody says no");
    let answer = reply.outcome.clone().expect("it works");
    session.reuse(reply);
    answer
}

/// As the wire has it.
fn command(request: Value) -> Command {
    saccade::wire::read_request(request.to_string().as_bytes()).command.expect("a request")
}

fn step(actions: Value) -> Command {
    command(json!({"id": 1, "command": "step", "actions": actions}))
}

fn turn_of_sensor(x: f64) -> Value {
    json!([{"action": "set_sensor_rotation", "agent_id": AGENT, "rotation_quat": [1, x, 0, 0]}])
}

fn added() -> Command {
    command(json!({"id": 1, "command": "add_object", "name": "sphere", "position": [0, 1.5, 0.1], "scale": 0.1}))
}

#[test]
fn only_what_changes_the_sight_is_drawn_anew() {
    let sensors = 2;
    let mut session = session(default_world());
    answered(&mut session, Command::Reset(Reset::default()));
    let mut draws = session.draws();
    assert_eq!(draws, sensors);
    let mut drawn_by = |session: &mut Session, command: Command| {
        answered(session, command);
        session.draws() - std::mem::replace(&mut draws, session.draws())
    };
    assert_eq!(drawn_by(&mut session, Command::Step(Step::default())), 0);
    assert_eq!(drawn_by(&mut session, step(pose(0.2))), 0, "where it stands already");
    assert_eq!(drawn_by(&mut session, step(pose(0.21))), sensors);
    assert_eq!(drawn_by(&mut session, step(turn_of_sensor(0.1))), sensors);
    assert_eq!(drawn_by(&mut session, step(json!([]))), 0);
    assert_eq!(drawn_by(&mut session, added()), 0, "nobody looks");
    assert_eq!(drawn_by(&mut session, step(json!([]))), sensors);
    assert_eq!(drawn_by(&mut session, step(json!([]))), 0);
    drawn_by(&mut session, Command::RemoveAllObjects);
    assert_eq!(drawn_by(&mut session, step(json!([]))), sensors);
    for reset in [Reset::default(), Reset { episode: Some(2), ..Reset::default() }] {
        answered(&mut session, Command::Reset(reset));
        assert_eq!(session.draws(), sensors, "a new world, seen for the first time");
    }
}

#[test]
fn an_abandoned_look_leaves_no_half_drawn_frame() {
    let text = default_world();
    let undisturbed = {
        let mut session = session(text);
        answered(&mut session, Command::Reset(Reset::default()));
        answered(&mut session, added());
        answered(&mut session, Command::Step(Step::default()))
    };
    for patience in 0.. {
        let mut disturbed = session(text);
        answered(&mut disturbed, Command::Reset(Reset::default()));
        answered(&mut disturbed, added());
        let mut asked = 0;
        let mut keep_going = || {
            asked += 1;
            asked <= patience
        };
        let is_answered = handle(&mut disturbed, Command::Step(Step::default()), &mut keep_going).is_ok();
        disturbed.take_back();
        assert_eq!(answered(&mut disturbed, Command::Step(Step::default())), undisturbed, "after {patience} pieces");
        if is_answered {
            assert!(patience > 4, "a look of two sensors asks more often");
            break;
        }
    }
}

#[test]
fn a_reset_that_is_taken_back_leaves_the_sight_of_the_old_world() {
    let mut session = session(default_world());
    answered(&mut session, Command::Reset(Reset::default()));
    let before = answered(&mut session, Command::Step(Step::default()));
    let other = Reset { episode: Some(3), ..Reset::default() };
    handle(&mut session, Command::Reset(other), &mut || true).expect("nobody says no");
    session.take_back();
    assert_eq!(answered(&mut session, Command::Step(Step::default())), before);
}

#[test]
fn an_answer_that_somebody_keeps_is_not_drawn_over() {
    let mut session = session(default_world());
    answered(&mut session, Command::Reset(Reset::default()));
    let kept = answered(&mut session, step(pose(0.21)));
    let copy = format!("{kept:?}");
    answered(&mut session, step(pose(0.3)));
    assert_eq!(format!("{kept:?}"), copy);
}

#[test]
fn images_of_more_than_a_million_pixels_are_not_kept() {
    let world = default_world().replacen("resolution = [64, 64]", "resolution = [1100, 1000]", 1);
    let mut session = session(&world);
    let used = measure(|| {
        for command in [Command::Reset(Reset::default()), Command::Step(Step::default())] {
            let reply = handle(&mut session, command, &mut || true).expect("nobody says no");
            session.reuse(reply);
        }
    });
    assert!(used.bytes_max > 12 * 1_100_000, "{used:?}");
    assert!(used.bytes_current < 4 << 20, "{used:?}");
}
