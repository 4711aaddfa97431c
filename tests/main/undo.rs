//! Ways back: a reported pose set again, a motion negated, and rotations that stay rotations.

use proptest::prelude::*;
use saccade::math::Rotation;
use saccade::protocol::{AgentState, Motion};

use crate::client::Simulation;
use crate::fixture::{agent, one_agent, properties};
use crate::motions::{
    HABITAT, MUJOCO, ORIGIN, PITCH_ONLY, SACCADE, after, distance, motions, negated, norm, sensor_rotation, undoable,
};

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn a_reported_pose_set_again_is_equal_to_the_bit(before in motions(6), between in motions(6)) {
        for compat in [SACCADE, MUJOCO, HABITAT] {
            let mut simulation = Simulation::on(&one_agent("free", compat));
            let reported = simulation.done(&before);
            simulation.done(&between);
            let back = simulation.done(&[undo_of(&reported)]);
            prop_assert_eq!(back.position_m, reported.position_m);
            prop_assert_eq!(back.rotation_wxyz, reported.rotation_wxyz);
        }
    }

    #[test]
    fn a_reported_sensor_pose_set_again_is_equal_to_the_bit(before in motions(6), between in motions(6)) {
        let mut simulation = Simulation::on(&one_agent("free", SACCADE));
        let reported = simulation.done(&before);
        simulation.done(&between);
        let sensor = reported.sensors[0].clone();
        let undo = Motion::SetSensorPose { position_m: sensor.position_m, rotation_wxyz: sensor.rotation_wxyz };
        prop_assert_eq!(simulation.done(&[undo, undo_of(&reported)]), reported);
    }

    #[test]
    fn a_jump_and_its_undo_leave_no_trace_in_what_follows(
        before in motions(6), between in motions(3), later in motions(6),
    ) {
        let mut undisturbed = Simulation::on(&one_agent("free", SACCADE));
        let reported = undisturbed.done(&before);
        let mut disturbed = Simulation::on(&one_agent("free", SACCADE));
        disturbed.done(&before);
        let jump: Vec<Motion> = between.into_iter().filter(moves_the_agent_alone).chain([undo_of(&reported)]).collect();
        disturbed.done(&jump);
        prop_assert_eq!(disturbed.digest(), { undisturbed.state(); undisturbed.digest() });
        prop_assert_eq!(disturbed.done(&later), undisturbed.done(&later));
    }

    #[test]
    fn a_negated_motion_leads_back_within_1e_12(before in motions(6), motion in undoable()) {
        for compat in [SACCADE, PITCH_ONLY, MUJOCO] {
            let mut simulation = Simulation::on(&one_agent("free", compat));
            let start = simulation.done(&before);
            let there = simulation.done(std::slice::from_ref(&motion));
            let back = simulation.done(&[negated(&motion)]);
            let tolerance = 1e-12 * largest(&start).max(largest(&there)).max(length_of(&motion)).max(1.0);
            prop_assert!(distance(&back.position_m, &start.position_m) <= tolerance, "{:?}, {:?}", start, back);
            // As given under compat mujoco, until a turn: then the unit quaternion is the one to compare with.
            let started = Rotation::normalised(start.rotation_wxyz).expect("not zero").wxyz();
            let returned = Rotation::normalised(back.rotation_wxyz).expect("not zero").wxyz();
            prop_assert!(distance(&returned, &started) <= 1e-12, "{:?}, {:?}", start, back);
            let sensor_turned = distance(&sensor_rotation(&back), &sensor_rotation(&start));
            prop_assert!(sensor_turned <= 1e-12, "{:?}, {:?}", start, back);
            prop_assert!(distance(&back.sensors[0].position_m, &start.sensors[0].position_m) <= tolerance);
        }
    }

    #[test]
    fn rotations_are_of_unit_length_after_any_list(motions in motions(40)) {
        let tilted = agent("free", "position = [0.01, 0.02, -0.03]\nrotation_deg = [10, -20, 30]");
        for compat in [SACCADE, HABITAT, PITCH_ONLY] {
            let state = Simulation::on(&format!("compat = {compat}\n{tilted}")).done(&motions);
            for rotation in [state.rotation_wxyz, sensor_rotation(&state)] {
                prop_assert!((norm(&rotation) - 1.0).abs() <= 1e-9, "{:?}", rotation);
            }
        }
    }
}

fn undo_of(reported: &AgentState) -> Motion {
    Motion::SetAgentPose { position_m: reported.position_m, rotation_wxyz: reported.rotation_wxyz }
}

fn moves_the_agent_alone(motion: &Motion) -> bool {
    let word = motion.name().word();
    !word.starts_with("look_") && !word.contains("sensor")
}

fn largest(state: &AgentState) -> f64 {
    state.position_m.iter().fold(0.0, |most, c| most.max(c.abs()))
}

fn length_of(motion: &Motion) -> f64 {
    match motion {
        Motion::MoveForward { distance_m } => distance_m.abs(),
        Motion::MoveTangentially { distance_m, direction } => distance_m.abs() * norm(direction),
        _ => 0.0,
    }
}

#[test]
fn quaternions_of_any_length_are_taken_and_reported_of_unit_length() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for length in [1e-300, 0.5, 2.0, 1e300] {
        let rotation_wxyz = [half * length, 0.0, half * length, 0.0];
        let state = after("free", SACCADE, &[Motion::SetAgentPose { position_m: ORIGIN, rotation_wxyz }]);
        assert!(distance(&state.rotation_wxyz, &[half, 0.0, half, 0.0]) <= 1e-15, "{state:?}");
    }
}

#[test]
fn a_quaternion_within_1e_9_of_unit_length_is_reported_as_given() {
    for w in [1.0, 1.0 + 0.9e-9, 1.0 - 0.9e-9] {
        let given = [w, 0.0, 0.0, 0.0];
        let state = after("free", SACCADE, &[Motion::SetAgentPose { position_m: ORIGIN, rotation_wxyz: given }]);
        assert_eq!(state.rotation_wxyz, given);
    }
    let given = [1.0 + 2e-9, 0.0, 0.0, 0.0];
    let state = after("free", SACCADE, &[Motion::SetAgentPose { position_m: ORIGIN, rotation_wxyz: given }]);
    assert_eq!(state.rotation_wxyz, Rotation::IDENTITY_WXYZ);
}

#[test]
fn under_mujoco_a_quaternion_is_reported_as_given_until_the_agent_turns() {
    let mut simulation = Simulation::on(&one_agent("distant", MUJOCO));
    let set = Motion::SetAgentPose { position_m: ORIGIN, rotation_wxyz: [2.0, 0.0, 0.0, 0.0] };
    assert_eq!(simulation.done(&[set]).rotation_wxyz, [2.0, 0.0, 0.0, 0.0]);
    let moved = simulation.done(&[Motion::MoveForward { distance_m: 1.0 }]);
    assert_eq!((moved.position_m, moved.rotation_wxyz), ([0.0, 0.0, -1.0], [2.0, 0.0, 0.0, 0.0]));
    let turned = simulation.done(&[Motion::TurnLeft { angle_deg: 0.0 }]);
    assert_eq!(turned.rotation_wxyz, Rotation::IDENTITY_WXYZ);
}
