//! The body that carries an agent's sensors: looks and their clamp, offsets, the two modes of its rotation (V12, V13,
//! H15).

use proptest::prelude::*;
use saccade::math::{PI, Rotation, UnitQuaternion, Vector, about_x, about_z, atan2, radians};
use saccade::protocol::Motion;
use serde_json::{Value, json};

use crate::client::{AGENT, Client, Simulation};
use crate::fixture::{agent, one_agent, properties};
use crate::motions::{
    HABITAT, MUJOCO, ROUNDING, SACCADE, after, distance, motions, sensor_rotation, turn_between, wxyz,
};

#[test]
fn a_constraint_is_90_if_absent_none_if_null_and_refused_if_negative() {
    let pitch_after = |look: Value| {
        let reply = Client::on(&one_agent("distant", SACCADE)).step(json!([look]));
        let rotation = reply["proprioceptive_state"][AGENT]["sensors"]["patch"]["rotation"].clone();
        2.0 * atan2(rotation[1].as_f64().expect("a number"), rotation[0].as_f64().expect("a number"))
    };
    let mut absent = look_with(Value::Null);
    absent.as_object_mut().expect("a map").remove("constraint_degrees");
    assert!((pitch_after(absent) - radians(90.0)).abs() <= ROUNDING);
    assert!((pitch_after(look_with(Value::Null)) - radians(100.0)).abs() <= ROUNDING);
    assert!((pitch_after(look_with(json!(45))) - radians(45.0)).abs() <= ROUNDING);
    assert_eq!(pitch_after(look_with(json!(0))), 0.0);
    let mut client = Client::on(&one_agent("distant", SACCADE));
    let why = client.refused(json!({"command": "step", "actions": [look_with(json!(-1e-9))]}), "bad_request");
    assert!(why.contains("constraint_degrees"), "{why}");
}

#[test]
fn v12_a_pitching_body_swings_an_offset_sensor_on_an_arc() {
    let offset = agent("distant", "position = [0, 0.01, 0]");
    let look = Motion::LookUp { angle_deg: 30.0, constraint_deg: Some(90.0) };
    for compat in [SACCADE, MUJOCO, "{ preset = \"habitat\", offset_pitch = \"arc\" }"] {
        let state = Simulation::on(&format!("compat = {compat}\n{offset}")).done(std::slice::from_ref(&look));
        assert!(distance(&state.sensors[0].position_m, &[0.0, 0.008_660_254_037_844_387, 0.005]) <= 1e-15, "{state:?}");
    }
}

#[test]
fn with_offset_pitch_fixed_an_offset_sensor_turns_where_it_is() {
    let offset = agent("distant", "position = [0, 0.01, 0]");
    let look = Motion::LookUp { angle_deg: 30.0, constraint_deg: Some(90.0) };
    for compat in [HABITAT, "{ offset_pitch = \"fixed\" }", "{ preset = \"mujoco\", offset_pitch = \"fixed\" }"] {
        let state = Simulation::on(&format!("compat = {compat}\n{offset}")).done(std::slice::from_ref(&look));
        assert_eq!(state.sensors[0].position_m, [0.0, 0.01, 0.0]);
        assert!(distance(&sensor_rotation(&state), &wxyz(about_x(radians(30.0)))) <= 1e-15, "{state:?}");
    }
}

#[test]
fn v13_a_tighter_constraint_turns_the_sensor_back() {
    let up = |angle_deg, most| Motion::LookUp { angle_deg, constraint_deg: Some(most) };
    for compat in [SACCADE, MUJOCO] {
        for (list, expected) in [
            ([up(90.0, 90.0), Motion::LookDown { angle_deg: 30.0, constraint_deg: Some(45.0) }], 45.0),
            ([up(80.0, 90.0), up(5.0, 45.0)], 45.0),
            ([up(-80.0, 90.0), up(5.0, 45.0)], -45.0),
        ] {
            let state = after("distant", compat, &list);
            assert!(distance(&sensor_rotation(&state), &wxyz(about_x(radians(expected)))) <= ROUNDING, "{state:?}");
        }
    }
}

#[test]
fn an_unclamped_pitch_is_not_wrapped_where_the_body_has_a_pitch_alone() {
    let up = |angle_deg, constraint_deg| Motion::LookUp { angle_deg, constraint_deg };
    let state = after("distant", MUJOCO, &[up(405.0, None), up(0.0, Some(400.0))]);
    assert!(distance(&sensor_rotation(&state), &wxyz(about_x(radians(400.0)))) <= ROUNDING, "{state:?}");
}

#[test]
fn h15_19_looks_up_end_at_90_and_19_down_at_minus_90() {
    let mut simulation = Simulation::on(&one_agent("distant", HABITAT));
    let look = |angle_deg| vec![Motion::LookUp { angle_deg, constraint_deg: Some(90.0) }; 19];
    let top = simulation.done(&look(10.0));
    assert!(distance(&sensor_rotation(&top), &wxyz(about_x(PI / 2.0))) <= ROUNDING, "{top:?}");
    let bottom = simulation.done(&look(-10.0));
    assert!(distance(&sensor_rotation(&bottom), &wxyz(about_x(-PI / 2.0))) <= ROUNDING, "{bottom:?}");
}

fn look_with(constraint: Value) -> Value {
    json!({"action": "look_up", "agent_id": AGENT, "rotation_degrees": 100.0, "constraint_degrees": constraint})
}

/// The issue's own words for `sensor_rotation_mode = "full"`, as a second implementation.
#[derive(Clone, Copy, Debug)]
struct Body {
    q: UnitQuaternion,
    t: Vector,
}

impl Body {
    fn do_as_said(&mut self, motion: &Motion) {
        let unit = |wxyz| Rotation::normalised(wxyz).expect("not zero").unit();
        match *motion {
            Motion::LookUp { angle_deg, constraint_deg } => self.look(radians(angle_deg), constraint_deg),
            Motion::LookDown { angle_deg, constraint_deg } => self.look(-radians(angle_deg), constraint_deg),
            Motion::SetSensorPitch { angle_deg } => self.q = about_x(radians(angle_deg)),
            Motion::SetSensorRotation { rotation_wxyz } => self.q = unit(rotation_wxyz),
            Motion::SetSensorPose { position_m, rotation_wxyz } => {
                *self = Body { q: unit(rotation_wxyz), t: position_m.into() };
            }
            _ => {}
        }
    }

    /// Q ← Q·Rx(±δ), the clamp acting on the elevation atan2(v_y, −v_z) of v = Q·(0, 0, −1).
    fn look(&mut self, delta: f64, constraint_deg: Option<f64>) {
        let v = self.q * Vector::new(0.0, 0.0, -1.0);
        let elevation = atan2(v.y, -v.z);
        let most = constraint_deg.map_or(f64::INFINITY, radians);
        let outcome = (elevation + delta).clamp(-most, most);
        self.q *= about_x(outcome - elevation);
    }
}

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn a_full_sensor_body_has_a_rotation_and_an_offset_that_carry_its_sensors(motions in motions(12)) {
        let position = Vector::new(0.01, 0.02, -0.03);
        let own = Rotation::from_extrinsic_xyz_deg([10.0, -20.0, 30.0]).unit();
        let tilted = agent("free", "position = [0.01, 0.02, -0.03]\nrotation_deg = [10, -20, 30]");
        let mut simulation = Simulation::on(&tilted);
        let mut body = Body { q: UnitQuaternion::identity(), t: Vector::zeros() };
        for motion in &motions {
            let sensor = simulation.done(std::slice::from_ref(motion)).sensors.remove(0);
            body.do_as_said(motion);
            let expected: [f64; 3] = (body.t + body.q * position).into();
            prop_assert!(distance(&sensor.position_m, &expected) <= 1e-11, "{motion:?}: {sensor:?}, {body:?}");
            let turned = turn_between(sensor.rotation_wxyz, wxyz(body.q * own));
            prop_assert!(turned <= 1e-11, "{motion:?}: {sensor:?}, {body:?}");
        }
    }
}

#[test]
fn pitch_only_keeps_the_first_extrinsic_angle_of_a_rotation() {
    for (angles, pitch) in [([30.0, 45.0, -10.0], 30.0), ([0.0, 45.0, 0.0], 0.0), ([170.0, 20.0, 0.0], 170.0)] {
        let rotation_wxyz = Rotation::from_extrinsic_xyz_deg(angles).wxyz();
        let state = after("distant", MUJOCO, &[Motion::SetSensorRotation { rotation_wxyz }]);
        assert!(turn_between(sensor_rotation(&state), wxyz(about_x(radians(pitch)))) <= ROUNDING, "{state:?}");
    }
}

#[test]
fn the_sensors_own_rotation_is_reported_unless_the_switch_says_no() {
    let tilted = agent("noop", "rotation_deg = [0, 0, 30]");
    let own = wxyz(about_z(radians(30.0)));
    for (compat, expected) in [
        (SACCADE, own),
        (HABITAT, own),
        (MUJOCO, Rotation::IDENTITY_WXYZ),
        ("{ report_sensor_rotation = false }", Rotation::IDENTITY_WXYZ),
    ] {
        let state = Simulation::on(&format!("compat = {compat}\n{tilted}")).state();
        assert!(distance(&sensor_rotation(&state), &expected) <= 1e-15, "{compat}: {state:?}");
    }
}
