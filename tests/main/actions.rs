//! What each of Monty's actions does: Monty's property tests (A1 to A10), its Habitat suite (H8 to H13), the vector V14,
//! who has which action (S15, S16), and lists that are all or nothing.

use proptest::prelude::*;
use saccade::math::{PI, Rotation, about_x, about_y, atan2, cos, radians, sin, sqrt};
use saccade::protocol::{ActionName, AgentState, Code, Level, Motion};
use saccade::world::{AgentKind, Word as _};
use serde_json::json;

use crate::client::{AGENT, Client, Simulation};
use crate::fixture::{one_agent, properties};
use crate::motions::{
    HABITAT, MUJOCO, ORIGIN, PITCH_ONLY, ROUNDING, SACCADE, after, distance, half_turn, negated, norm, sensor_rotation,
    turn_between, unit_quaternion, wxyz,
};

/// The kinds of agents that have an action: each is tested, the others skip it.
fn kinds_with(action: ActionName) -> impl Iterator<Item = &'static str> {
    AgentKind::ALL.iter().filter(move |kind| kind.action_space().contains(&action)).map(|kind| kind.word())
}

/// The state after a motion, for every kind of agent that has it.
fn states_after(motion: Motion) -> impl Iterator<Item = AgentState> {
    kinds_with(motion.name()).map(move |kind| after(kind, SACCADE, std::slice::from_ref(&motion)))
}

/// A rotation vector in degrees, as a quaternion.
fn rotvec(degrees: [f64; 3]) -> [f64; 4] {
    let [x, y, z] = degrees.map(radians);
    let angle = sqrt(x * x + y * y + z * z);
    let s = sin(angle / 2.0) / angle;
    [cos(angle / 2.0), x * s, y * s, z * s]
}

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn a1_set_agent_pose_is_reported_as_it_was_given(
        position_m in prop::array::uniform3(-10.0..10.0f64), rotation_wxyz in unit_quaternion(),
    ) {
        for state in states_after(Motion::SetAgentPose { position_m, rotation_wxyz }) {
            prop_assert_eq!(state.position_m, position_m);
            prop_assert_eq!(state.rotation_wxyz, rotation_wxyz);
        }
    }

    #[test]
    fn a2_set_sensor_rotation_turns_about_x_and_leaves_the_sensor_in_place(angle_rad in 0.0..2.0 * PI) {
        let rotation_wxyz = wxyz(about_x(angle_rad));
        for compat in [SACCADE, MUJOCO] {
            for kind in kinds_with(ActionName::SetSensorRotation) {
                let state = after(kind, compat, &[Motion::SetSensorRotation { rotation_wxyz }]);
                prop_assert_eq!(state.sensors[0].position_m, ORIGIN);
                prop_assert!(turn_between(sensor_rotation(&state), rotation_wxyz) <= ROUNDING);
            }
        }
    }

    #[test]
    fn a3_move_forward_goes_along_minus_z_exactly(distance_m in 0.0..=10.0f64) {
        for state in states_after(Motion::MoveForward { distance_m }) {
            prop_assert_eq!(state.position_m, [0.0, 0.0, -distance_m]);
        }
    }

    #[test]
    fn a4_turns_are_about_the_agents_y(angle_deg in half_turn()) {
        for state in states_after(Motion::TurnLeft { angle_deg }) {
            prop_assert!(turn_between(state.rotation_wxyz, wxyz(about_y(radians(angle_deg)))) <= ROUNDING);
        }
        for state in states_after(Motion::TurnRight { angle_deg }) {
            prop_assert!(turn_between(state.rotation_wxyz, wxyz(about_y(-radians(angle_deg)))) <= ROUNDING);
        }
    }

    #[test]
    fn a5_looks_within_the_constraint_pitch_the_sensor((most, part) in (0.0..=180.0f64, -1.0..=1.0f64)) {
        let (angle_deg, constraint_deg) = (most * part, Some(most));
        for state in states_after(Motion::LookUp { angle_deg, constraint_deg }) {
            prop_assert!(turn_between(sensor_rotation(&state), wxyz(about_x(radians(angle_deg)))) <= ROUNDING);
        }
        for state in states_after(Motion::LookDown { angle_deg, constraint_deg }) {
            prop_assert!(turn_between(sensor_rotation(&state), wxyz(about_x(-radians(angle_deg)))) <= ROUNDING);
        }
    }

    #[test]
    fn a6_two_looks_never_pass_their_constraint(first in half_turn(), second in half_turn(), most in 0.0..=180.0f64) {
        let looks = [first, second].map(|angle_deg| Motion::LookUp { angle_deg, constraint_deg: Some(most) });
        for compat in [SACCADE, PITCH_ONLY] {
            let [w, x, ..] = sensor_rotation(&after("distant", compat, &looks));
            let pitch = 2.0 * atan2(x, w);
            let wrapped = if pitch.abs() > PI { pitch - (2.0 * PI).copysign(pitch) } else { pitch };
            prop_assert!(wrapped.abs() <= radians(most + 1e-6), "{wrapped}");
        }
    }

    #[test]
    fn a7_orient_horizontal_goes_around_a_point_ahead_in_the_level(
        angle_deg in half_turn(), left_m in 0.0..=10.0f64, forward_m in 0.0..=10.0f64,
    ) {
        let angle = radians(angle_deg);
        for state in states_after(Motion::OrientHorizontal { angle_deg, left_m, forward_m }) {
            let [x, y, z] = state.position_m;
            let expected = [-left_m + forward_m * sin(angle), 0.0, -forward_m * cos(angle)];
            prop_assert!(distance(&[x, y, z], &expected) <= 10.0 * ROUNDING);
            prop_assert_eq!(y, 0.0);
            prop_assert!(turn_between(state.rotation_wxyz, wxyz(about_y(-angle))) <= ROUNDING);
            prop_assert!(obeys_law_of_cosines(state.position_m, left_m, forward_m, angle_deg));
        }
    }

    #[test]
    fn a8_orient_vertical_goes_around_a_point_ahead_upright(
        angle_deg in half_turn(), down_m in 0.0..=10.0f64, forward_m in 0.0..=10.0f64,
    ) {
        let angle = radians(angle_deg);
        for state in states_after(Motion::OrientVertical { angle_deg, down_m, forward_m }) {
            let [x, y, z] = state.position_m;
            let expected = [0.0, -down_m + forward_m * sin(angle), -forward_m * cos(angle)];
            prop_assert!(distance(&[x, y, z], &expected) <= 10.0 * ROUNDING);
            prop_assert_eq!(x, 0.0);
            prop_assert!(turn_between(state.rotation_wxyz, wxyz(about_x(angle))) <= ROUNDING);
            prop_assert!(obeys_law_of_cosines(state.position_m, down_m, forward_m, angle_deg));
        }
    }

    #[test]
    fn a9_move_tangentially_goes_along_its_direction(distance_m in 0.0..=10.0f64, angle in -PI..=PI) {
        let direction = [cos(angle - PI / 2.0), sin(angle + PI / 2.0), 0.0];
        for state in states_after(Motion::MoveTangentially { distance_m, direction }) {
            prop_assert_eq!(state.position_m, direction.map(|u| u * distance_m));
            prop_assert_eq!(state.rotation_wxyz, Rotation::IDENTITY_WXYZ);
        }
    }

    #[test]
    fn a10_the_inverse_of_a_tangential_move_leads_back_to_zero_exactly(distance_m in 0.0..=10.0f64, angle in -PI..=PI) {
        let direction = [cos(angle - PI / 2.0), sin(angle + PI / 2.0), 0.0];
        let there = Motion::MoveTangentially { distance_m, direction };
        let opposite = Motion::MoveTangentially { distance_m, direction: direction.map(|u| -u) };
        for kind in kinds_with(ActionName::MoveTangentially) {
            for back in [negated(&there), opposite.clone()] {
                prop_assert_eq!(after(kind, SACCADE, &[there.clone(), back]).position_m, ORIGIN);
            }
        }
    }
}

/// ‖position‖² of an orient motion, whose two legs and angle make a triangle.
fn obeys_law_of_cosines(position: [f64; 3], aside: f64, forward: f64, angle_deg: f64) -> bool {
    let squared = norm(&position) * norm(&position);
    let legs = aside * aside + forward * forward;
    let expected = legs - 2.0 * aside * forward * cos(radians(90.0 - angle_deg));
    (squared - expected).abs() <= ROUNDING * (1.0 + legs)
}

#[test]
fn each_kind_has_the_actions_that_monty_gives_it_and_free_has_all() {
    let words = |kind: AgentKind| -> Vec<&str> { kind.action_space().iter().map(|action| action.word()).collect() };
    let common = ["move_forward", "set_agent_pose", "set_sensor_rotation"];
    let sorted = |own: &[&'static str]| {
        let mut all = [own, &common].concat();
        all.sort_unstable();
        all
    };
    for (kind, own) in [
        (AgentKind::Distant, &["turn_left", "turn_right", "look_up", "look_down"][..]),
        (AgentKind::Surface, &["move_tangentially", "orient_horizontal", "orient_vertical"]),
    ] {
        let mut found = words(kind);
        found.sort_unstable();
        assert_eq!(found, sorted(own));
    }
    assert!(words(AgentKind::Noop).is_empty());
    assert_eq!(words(AgentKind::Free).len(), 14);
}

#[test]
fn s15_an_action_outside_the_space_is_an_error_or_skipped_with_a_warning() {
    let look = Motion::LookUp { angle_deg: 5.0, constraint_deg: None };
    let forward = Motion::MoveForward { distance_m: 1.0 };
    let list = [forward.clone(), look, forward];

    let mut strict = Simulation::on(&one_agent("surface", SACCADE));
    let fault = strict.act(&list).expect_err("a surface agent cannot look");
    assert_eq!(fault.code, Code::ActionNotAvailable);
    assert!(fault.message.contains("look_up"), "{fault:?}");
    assert_eq!(strict.state().position_m, ORIGIN);

    let mut lenient = Simulation::on(&one_agent("surface", "{ unknown_action = \"skip\" }"));
    let state = lenient.done(&list);
    assert_eq!((state.position_m, sensor_rotation(&state)), ([0.0, 0.0, -2.0], Rotation::IDENTITY_WXYZ));
    let notes = lenient.session.take_notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].level == Level::Warning && notes[0].text.contains("look_up"), "{notes:?}");
}

#[test]
fn s16_what_is_wrong_in_itself_stays_an_error_where_missing_actions_are_skipped() {
    let mut client = Client::on(&one_agent("noop", "{ unknown_action = \"skip\" }"));
    let digest = client.digest();
    for (action, code) in [
        (json!({"action": "fly", "agent_id": AGENT}), "unknown_action"),
        (json!({"action": "set_yaw", "agent_id": "nobody", "rotation_degrees": 1.0}), "unknown_agent"),
        (json!({"action": "set_yaw", "agent_id": AGENT, "rotation_degrees": "much"}), "bad_request"),
        (json!({"action": "set_yaw", "agent_id": AGENT}), "bad_request"),
        (
            json!({"action": "look_up", "agent_id": AGENT, "rotation_degrees": 1, "constraint_degrees": -1}),
            "bad_request",
        ),
    ] {
        client.refused(json!({"command": "step", "actions": [action]}), code);
    }
    assert_eq!(client.digest(), digest);
}

#[test]
fn v14_a_tangential_direction_is_in_the_world_or_in_the_agents_frame() {
    let list = [
        Motion::SetAgentPose { position_m: ORIGIN, rotation_wxyz: wxyz(about_y(PI / 2.0)) },
        Motion::MoveTangentially { distance_m: 1.0, direction: [1.0, 0.0, 0.0] },
    ];
    for (compat, expected) in [
        (SACCADE, [1.0, 0.0, 0.0]),
        (HABITAT, [1.0, 0.0, 0.0]),
        (MUJOCO, [0.0, 0.0, -1.0]),
        ("{ tangential_frame = \"agent\" }", [0.0, 0.0, -1.0]),
    ] {
        let state = after("surface", compat, &list);
        assert!(distance(&state.position_m, &expected) <= 1e-15, "{compat}: {state:?}");
    }
}

#[test]
fn h10_h11_yaw_and_pitch_are_about_y_and_x_or_about_the_legacy_axes() {
    let yaw = Motion::SetYaw { angle_deg: 45.0 };
    let pitch = Motion::SetAgentPitch { angle_deg: 45.0 };
    let sensor_pitch = Motion::SetSensorPitch { angle_deg: 45.0 };
    for (compat, yaw_axis, pitch_axis) in [
        (SACCADE, [0.0, 45.0, 0.0], [45.0, 0.0, 0.0]),
        (HABITAT, [0.0, 0.0, 45.0], [0.0, 45.0, 0.0]),
        ("{ set_axis_legacy = true }", [0.0, 0.0, 45.0], [0.0, 45.0, 0.0]),
    ] {
        let five_times = |motion: &Motion| after("free", compat, &vec![motion.clone(); 5]);
        assert!(distance(&five_times(&yaw).rotation_wxyz, &rotvec(yaw_axis)) <= 1e-15, "{compat}");
        assert!(distance(&five_times(&pitch).rotation_wxyz, &rotvec(pitch_axis)) <= 1e-15, "{compat}");
        assert!(distance(&sensor_rotation(&five_times(&sensor_pitch)), &rotvec(pitch_axis)) <= 1e-15, "{compat}");
    }
}

#[test]
fn h12_h13_set_poses_are_absolute_and_may_be_repeated() {
    let cases = [
        (ORIGIN, rotvec([-45.0, 45.0, 355.0])),
        ([0.75, 1.25, -0.75], Rotation::IDENTITY_WXYZ),
        ([2.5, -2.5, 2.5], rotvec([180.0, -180.0, 360.0])),
    ];
    for (position_m, rotation_wxyz) in cases {
        for compat in [SACCADE, HABITAT] {
            let five_times = |motion: Motion| after("free", compat, &vec![motion; 5]);
            let agent = five_times(Motion::SetAgentPose { position_m, rotation_wxyz });
            assert_eq!((agent.position_m, agent.rotation_wxyz), (position_m, rotation_wxyz));
            let posed = five_times(Motion::SetSensorPose { position_m, rotation_wxyz }).sensors.remove(0);
            assert_eq!((posed.position_m, posed.rotation_wxyz), (position_m, rotation_wxyz));
            let turned = five_times(Motion::SetSensorRotation { rotation_wxyz }).sensors.remove(0);
            assert_eq!((turned.position_m, turned.rotation_wxyz), (ORIGIN, rotation_wxyz));
        }
    }
}

#[test]
fn h8_an_agent_that_looks_up_turns_and_moves_in_its_own_frame() {
    let position_m = [2.125, 1.5, -5.278];
    let upright = rotvec([90.0, 0.0, 0.0]);
    let start = Motion::SetAgentPose { position_m, rotation_wxyz: upright };
    let then = |motion: Motion| after("distant", HABITAT, &[start.clone(), motion]);

    let turned = then(Motion::TurnLeft { angle_deg: 10.0 });
    assert_eq!((turned.position_m, sensor_rotation(&turned)), (position_m, Rotation::IDENTITY_WXYZ));
    let expected = wxyz(about_x(PI / 2.0) * about_y(radians(10.0)));
    assert!(distance(&turned.rotation_wxyz, &expected) <= 1e-15, "{turned:?}");

    let looking = then(Motion::LookUp { angle_deg: 10.0, constraint_deg: Some(90.0) });
    assert_eq!((looking.position_m, looking.rotation_wxyz), (position_m, upright));
    assert!(distance(&sensor_rotation(&looking), &rotvec([10.0, 0.0, 0.0])) <= 1e-15, "{looking:?}");

    let moved = then(Motion::MoveForward { distance_m: 0.25 });
    assert!(distance(&moved.position_m, &[2.125, 1.75, -5.278]) <= 1e-15, "{moved:?}");
}

#[test]
fn a_step_applies_its_actions_in_order() {
    let turn = Motion::TurnLeft { angle_deg: 90.0 };
    let forward = Motion::MoveForward { distance_m: 1.0 };
    let first_turn = after("distant", SACCADE, &[turn.clone(), forward.clone()]);
    let first_move = after("distant", SACCADE, &[forward, turn]);
    assert!(distance(&first_turn.position_m, &[-1.0, 0.0, 0.0]) <= 1e-15, "{first_turn:?}");
    assert_eq!(first_move.position_m, [0.0, 0.0, -1.0]);
}

#[test]
fn a_list_whose_last_action_fails_changes_nothing() {
    let good = json!({"action": "move_forward", "agent_id": AGENT, "distance": 0.5});
    for (bad, code) in [
        (json!({"action": "jump", "agent_id": AGENT}), "unknown_action"),
        (json!({"agent_id": AGENT}), "unknown_action"),
        (json!({"action": "set_yaw", "agent_id": AGENT, "rotation_degrees": 1.0}), "action_not_available"),
        (json!({"action": "move_forward", "agent_id": "agent_id_1", "distance": 1.0}), "unknown_agent"),
        (json!({"action": "move_forward", "agent_id": AGENT}), "bad_request"),
        (json!({"action": "move_forward", "agent_id": AGENT, "distance": "far"}), "bad_request"),
        (json!({"action": "move_forward", "distance": 1.0}), "bad_request"),
        (json!({"action": "move_forward", "agent_id": AGENT, "distance": 2e6}), "out_of_range"),
        (
            json!({"action": "set_agent_pose", "agent_id": AGENT, "location": [0, 0], "rotation_quat": [1, 0, 0, 0]}),
            "bad_request",
        ),
        (json!({"action": "set_sensor_rotation", "agent_id": AGENT, "rotation_quat": [0, 0, 0, 0]}), "bad_request"),
        (json!("move_forward"), "bad_request"),
        (json!([]), "bad_request"),
        (json!(null), "bad_request"),
    ] {
        let mut client = Client::on(&one_agent("distant", SACCADE));
        let digest = client.digest();
        let why = client.refused(json!({"command": "step", "actions": [good, good, bad]}), code);
        assert!(why.contains("action 2"), "{why}");
        assert_eq!(client.digest(), digest, "{bad}");
        assert_eq!(client.step(json!([]))["proprioceptive_state"][AGENT]["position"], json!(ORIGIN), "{bad}");
    }
}

#[test]
fn an_outcome_beyond_1e6_metres_or_not_finite_is_out_of_range() {
    let forward = |distance_m| Motion::MoveForward { distance_m };
    let tangential = |distance_m, x| Motion::MoveTangentially { distance_m, direction: [x, 0.0, 0.0] };
    let agent_at = |x| Motion::SetAgentPose { position_m: [x, 0.0, 0.0], rotation_wxyz: Rotation::IDENTITY_WXYZ };
    let sensor_at = |x| Motion::SetSensorPose { position_m: [0.0, x, 0.0], rotation_wxyz: Rotation::IDENTITY_WXYZ };
    let orient = |forward_m| Motion::OrientVertical { angle_deg: 0.0, down_m: 0.0, forward_m };
    for motion in [
        forward(1_000_001.0),
        forward(f64::MAX),
        forward(-f64::MAX),
        tangential(1e200, 1e200),
        agent_at(1_000_000.5),
        agent_at(-1e9),
        sensor_at(1e7),
        orient(f64::MAX),
    ] {
        let mut simulation = Simulation::on(&one_agent("free", SACCADE));
        let fault = simulation.act(std::slice::from_ref(&motion)).expect_err("too far");
        assert_eq!(fault.code, Code::OutOfRange, "{motion:?}");
        assert_eq!(simulation.state().position_m, ORIGIN, "{motion:?}");
    }
    assert_eq!(after("free", SACCADE, &[agent_at(-1e6)]).position_m, [-1e6, 0.0, 0.0]);
    assert_eq!(after("free", SACCADE, &[forward(1e6)]).position_m, [0.0, 0.0, -1e6]);
}

#[test]
fn a_pitch_that_would_not_be_finite_is_out_of_range() {
    let up = Motion::LookUp { angle_deg: f64::MAX, constraint_deg: None };
    let pitch = Motion::SetSensorPitch { angle_deg: f64::MAX };
    let list: Vec<Motion> = [pitch].into_iter().chain(vec![up; 100]).collect();
    let mut simulation = Simulation::on(&one_agent("free", PITCH_ONLY));
    assert_eq!(simulation.act(&list).expect_err("not finite").code, Code::OutOfRange);
    assert_eq!(sensor_rotation(&simulation.state()), Rotation::IDENTITY_WXYZ);
    // A body with a whole rotation turns by any finite angle.
    let huge = after("free", SACCADE, &list);
    assert!((norm(&sensor_rotation(&huge)) - 1.0).abs() <= 1e-12, "{huge:?}");
}

#[test]
fn a_step_takes_100_000_actions_and_no_more() {
    let action = json!({"action": "move_forward", "agent_id": AGENT, "distance": 1}).to_string();
    let request =
        |count: usize| format!(r#"{{"id":1,"command":"step","actions":[{}]}}"#, vec![&*action; count].join(","));
    let mut client = Client::on(&one_agent("distant", SACCADE));
    let digest = client.digest();
    let refused = client.send(request(100_001));
    assert_eq!((&refused["id"], &refused["code"]), (&json!(1), &json!("too_large")));
    assert!(refused["error"].as_str().is_some_and(|why| why.contains("100000")), "{refused}");
    assert_eq!(client.digest(), digest);
    let taken = client.send(request(100_000));
    assert_eq!(taken["proprioceptive_state"][AGENT]["position"], json!([0.0, 0.0, -100_000.0]));
}
