//! How large objects are and where they stand, measured by looking at them (S5 and S6 of Monty's reference).

use saccade::math::{PI, Rotation, UnitQuaternion, Vector, about_y, cos, hypot, sqrt};
use saccade::world::known_objects;
use serde_json::json;

use crate::prober::{DEPTH_ROUNDING, MUJOCO, SACCADE, add, add_scaled, extents, is_near, prober, seen_from};

/// Extents at scale 1 along +x, −x, +y, −y, +z, −z, through the origin.
pub fn extents_of(name: &str) -> [f64; 6] {
    let [x, up, down] = match name {
        "cubeSolid" | "cylinderSolid" | "icosphereSolid" | "uvSphereSolid" => [0.1; 3],
        "capsule3DSolid" => [0.1, 0.175, 0.175],
        // Half as wide as its base at half its height.
        "coneSolid" => [0.05, 0.125, 0.125],
        "capsule" => [1.0, 1.75, 1.75],
        _ => [1.0; 3],
    };
    [x, x, up, down, x, x]
}

#[test]
fn every_primitive_has_its_size_at_scale_1() {
    for name in known_objects() {
        let mut client = prober(SACCADE);
        add(&mut client, name);
        let found = extents(&mut client, 0.0);
        assert!(is_near(&found, &extents_of(name), DEPTH_ROUNDING), "{name}: {found:?}");
    }
}

#[test]
fn s6_a_scale_of_3_makes_a_box_and_a_sphere_of_half_size_3() {
    for name in ["box", "sphere"] {
        for compat in [SACCADE, MUJOCO] {
            let mut client = prober(compat);
            add_scaled(&mut client, name, json!(3));
            let found = extents(&mut client, 0.0);
            assert!(is_near(&found, &[3.0; 6], DEPTH_ROUNDING), "{name}, {compat}: {found:?}");
        }
    }
}

#[test]
fn scales_act_along_the_shapes_own_axes() {
    // Of x, y, z: a sphere takes x alone; capsule, cylinder and cone their width from x and their height from y.
    for (name, expected) in [
        ("cubeSolid", [0.2, 0.3, 0.4]),
        ("box", [2.0, 3.0, 4.0]),
        ("ellipsoid", [2.0, 3.0, 4.0]),
        ("sphere", [2.0, 2.0, 2.0]),
        ("cylinder", [2.0, 3.0, 2.0]),
        ("cylinderSolid", [0.2, 0.3, 0.2]),
        ("capsule", [2.0, 4.25, 2.0]),
        ("capsule3DSolid", [0.2, 0.425, 0.2]),
        ("coneSolid", [0.1, 0.375, 0.1]),
        ("icosphereSolid", [0.2, 0.3, 0.4]),
        ("uvSphereSolid", [0.2, 0.3, 0.4]),
    ] {
        let mut client = prober(SACCADE);
        add_scaled(&mut client, name, json!([2, 3, 4]));
        let [x, y, z] = expected;
        let found = extents(&mut client, 0.0);
        assert!(is_near(&found, &[x, x, y, y, z, z], DEPTH_ROUNDING), "{name}: {found:?}");
    }
}

#[test]
fn with_box_axis_swap_y_and_z_of_box_and_ellipsoid_change_places() {
    for compat in [MUJOCO, "{ box_axis_swap = true }"] {
        for (name, [x, y, z]) in [
            ("box", [2.0, 4.0, 3.0]),
            ("cubeSolid", [0.2, 0.4, 0.3]),
            ("ellipsoid", [2.0, 4.0, 3.0]),
            ("cylinder", [2.0, 3.0, 2.0]),
        ] {
            let mut client = prober(compat);
            add_scaled(&mut client, name, json!([2, 3, 4]));
            let found = extents(&mut client, 0.0);
            assert!(is_near(&found, &[x, x, y, y, z, z], DEPTH_ROUNDING), "{compat}, {name}: {found:?}");
        }
    }
}

#[test]
fn a_cone_narrows_from_its_base_below_to_its_tip_above_and_is_a_sphere_under_mujoco() {
    let mut client = prober(SACCADE);
    add(&mut client, "coneSolid");
    for (height, radius) in [(-0.1, 0.09), (0.0, 0.05), (0.1, 0.01)] {
        let [x, ..] = seen_from(&mut client, [1.0, height, 0.0], about_y(PI / 2.0));
        assert!((x - radius).abs() <= DEPTH_ROUNDING, "{x} at {height}");
    }
    let past_the_tip = seen_from(&mut client, [1.0, 0.126, 0.0], about_y(PI / 2.0));
    assert!(is_near(&past_the_tip, &[0.0, 0.126, 0.0], DEPTH_ROUNDING), "a miss is 1 m: {past_the_tip:?}");
    for compat in [MUJOCO, "{ cone = \"sphere\" }"] {
        let mut client = prober(compat);
        add(&mut client, "coneSolid");
        let found = extents(&mut client, 0.0);
        assert!(is_near(&found, &[0.1; 6], DEPTH_ROUNDING), "{compat}: {found:?}");
    }
}

#[test]
fn faceted_spheres_lie_within_their_radius_and_ideal_ones_on_it() {
    let off_axis = 0.03;
    let ideal = sqrt(0.01 - 2.0 * off_axis * off_axis);
    for (name, scale, least) in
        [("sphere", 0.1, ideal - DEPTH_ROUNDING), ("icosphereSolid", 1.0, 0.07), ("uvSphereSolid", 1.0, 0.08)]
    {
        let mut client = prober(SACCADE);
        add_scaled(&mut client, name, json!(scale));
        for extent in extents(&mut client, off_axis) {
            assert!((least..=ideal + DEPTH_ROUNDING).contains(&extent), "{name}: {extent}, ideal {ideal}");
        }
    }
}

#[test]
fn with_curves_tessellated_a_sphere_has_mujocos_facets() {
    for (compat, is_faceted) in [(SACCADE, false), (MUJOCO, true), ("{ curves = \"tessellated\" }", true)] {
        let mut client = prober(compat);
        add(&mut client, "sphere");
        // Between two of the 28 slices a chord is cos(π/28) of the radius.
        let between = about_y(PI / 28.0);
        let place = between * Vector::new(0.0, 0.0, 5.0);
        let [x, _, z] = seen_from(&mut client, place.into(), between);
        let found = hypot(x, z);
        let expected = if is_faceted { cos(PI / 28.0) } else { 1.0 };
        assert!((found - expected).abs() <= DEPTH_ROUNDING, "{compat}: {found}");
    }
}

#[test]
fn s5_an_object_stands_where_and_how_it_was_put() {
    let mut client = prober(SACCADE);
    let turned = Rotation::from_extrinsic_xyz_deg([0.0, 0.0, 90.0]).wxyz();
    let scale = [0.1, 0.2, 0.3];
    client.done(json!({
        "command": "add_object", "name": "box", "position": [1, 1, 2], "rotation": turned, "scale": scale,
    }));
    let front = seen_from(&mut client, [1.0, 1.0, 4.0], UnitQuaternion::identity());
    assert!(is_near(&front, &[1.0, 1.0, 2.3], DEPTH_ROUNDING), "{front:?}");
    let right = seen_from(&mut client, [3.0, 1.0, 2.0], about_y(PI / 2.0));
    assert!(is_near(&right, &[1.2, 1.0, 2.0], DEPTH_ROUNDING), "{right:?}");
}

#[test]
fn from_inside_an_object_is_not_seen() {
    for name in known_objects() {
        let mut client = prober(SACCADE);
        add_scaled(&mut client, name, json!(2));
        let ahead = seen_from(&mut client, [0.0; 3], UnitQuaternion::identity());
        assert!(is_near(&ahead, &[0.0, 0.0, -1.0], 0.0), "{name}: a miss is 1 m, found {ahead:?}");
    }
}

#[test]
fn the_nearer_of_two_objects_is_seen() {
    let mut client = prober(SACCADE);
    for z in [-3.0, -2.0, -4.0] {
        client.done(json!({"command": "add_object", "name": "cubeSolid", "position": [0, 0, z]}));
    }
    let seen = seen_from(&mut client, [0.0; 3], UnitQuaternion::identity());
    assert!(is_near(&seen, &[0.0, 0.0, -1.9], DEPTH_ROUNDING), "{seen:?}");
}
