//! Monty's own tests of what a simulator observes: O1 to O6 and S17 of its MuJoCo suite, H5 to H7 of its Habitat suite.

use saccade::math::{Rotation, radians};
use saccade::protocol::{Answer, Command, Modality, Step, StepAnswer, Value};
use serde_json::json;

use crate::client::{AGENT, Client, Simulation};
use crate::images::{depth, rgba, semantic};
use crate::prober::is_near;

/// Sensors at the origin: id, width and height, zoom; all of them semantic.
fn sensors(sensors: &[(&str, [u32; 2], f64)]) -> String {
    let sensor = |(id, resolution, zoom): &(&str, [u32; 2], f64)| {
        format!("[[agents.sensors]]\nid = \"{id}\"\nresolution = {resolution:?}\nzoom = {zoom}\nsemantic = true\n")
    };
    sensors.iter().map(sensor).collect()
}

/// A world as the reference's tests build it, with compat `mujoco`.
fn mujoco(pose: &str, of_sensors: &str, objects: &[(&str, [f64; 3], Option<u32>)]) -> String {
    let object = |(name, position, semantic_id): &(&str, [f64; 3], Option<u32>)| {
        let id = semantic_id.map_or_else(String::new, |id| format!("semantic_id = {id}\n"));
        format!("[[objects]]\nname = \"{name}\"\nposition = {position:?}\n{id}")
    };
    let objects: String = objects.iter().map(object).collect();
    format!("compat = \"mujoco\"\n[[agents]]\nid = \"{AGENT}\"\nkind = \"noop\"\n{pose}{of_sensors}{objects}")
}

const PATCH_64: [(&str, [u32; 2], f64); 1] = [("patch", [64, 64], 1.0)];

/// The ids in an image, each once.
fn ids_in(client: &mut Client) -> Vec<u32> {
    let reply = client.step(json!([]));
    let mut ids = semantic(&reply["observations"][AGENT]["patch"]).pixels;
    ids.sort_unstable();
    ids.dedup();
    ids
}

#[test]
fn o1_an_agents_pose_is_reported_back() {
    let rotation = Rotation::from_extrinsic_xyz_deg([90.0, 0.0, 0.0]).wxyz();
    let pose = format!("position = [0, 1.5, -1]\nrotation_wxyz = {rotation:?}\n");
    let reply = Client::on(&mujoco(&pose, "", &[])).step(json!([]));
    let state = &reply["proprioceptive_state"][AGENT];
    assert_eq!((&state["position"], &state["rotation"]), (&json!([0.0, 1.5, -1.0]), &json!(rotation)));
}

#[test]
fn o2_a_box_of_2_metres_is_4_metres_away_and_between_black_and_white() {
    let mut client = Client::on(&mujoco("", &sensors(&PATCH_64), &[("box", [0.0, 0.0, -5.0], None)]));
    let reply = client.step(json!([]));
    let sensor = &reply["observations"][AGENT]["patch"];
    let depth_m = depth(sensor);
    assert_eq!(depth_m.size(), [64, 64]);
    let least = depth_m.pixels.iter().copied().fold(f32::INFINITY, f32::min);
    assert!((f64::from(least) - 4.0).abs() <= 4e-5, "{least}");
    assert!(depth_m.pixels.iter().any(|depth| *depth >= 5.0));
    let rgba = rgba(sensor);
    assert_eq!(rgba.size(), [64, 64]);
    let parts = || rgba.pixels.iter().flatten();
    assert_eq!((parts().min(), parts().max()), (Some(&0), Some(&255)));
}

#[test]
fn o3_o4_two_objects_have_their_default_ids_or_their_own() {
    for (given, expected) in [([None, None], [0, 2, 6]), ([Some(100), Some(101)], [0, 100, 101])] {
        let objects = [("box", [-2.5, 0.0, -5.0], given[0]), ("sphere", [2.5, 0.0, -5.0], given[1])];
        let mut client = Client::on(&mujoco("", &sensors(&PATCH_64), &objects));
        assert_eq!(ids_in(&mut client), expected);
    }
}

#[test]
fn o5_s17_each_sensor_has_its_own_size_and_equal_ones_see_the_same() {
    let three = [("small", [64, 64], 1.0), ("twin", [64, 64], 1.0), ("large", [256, 256], 1.0), ("flat", [7, 3], 1.0)];
    let mut client = Client::on(&mujoco("", &sensors(&three), &[("sphere", [0.2, 0.1, -3.0], None)]));
    let reply = client.step(json!([]));
    let seen = &reply["observations"][AGENT];
    for (id, [width, height], _) in three {
        let [width, height] = [width, height].map(|side| usize::try_from(side).expect("small"));
        let sizes = [depth(&seen[id]).size(), semantic(&seen[id]).size(), rgba(&seen[id]).size()];
        assert_eq!(sizes, [[width, height]; 3], "{id}");
    }
    assert!(seen["small"] == seen["twin"]);
    // Every fourth pixel of the large one lies between four of the small one: the object is where it was.
    let covered = |id: &str| {
        let ids = semantic(&seen[id]).pixels;
        ids.iter().filter(|id| **id == 2).count() as f64 / ids.len() as f64
    };
    assert!((covered("small") - covered("large")).abs() < 0.01 && covered("small") > 0.05);
}

#[test]
fn o6_a_face_covers_as_many_pixels_as_zoom_and_distance_say() {
    let zooms: Vec<(String, f64)> = (1..=10).map(|zoom| (format!("zoom_{zoom}"), f64::from(zoom))).collect();
    let cameras: Vec<_> = zooms.iter().map(|(id, zoom)| (id.as_str(), [2048, 2048], *zoom)).collect();
    let text = mujoco("", &sensors(&cameras), &[("box", [0.0, 0.0, -10.0], Some(1))]);
    let mut simulation = Simulation::on(&format!("modalities = [\"semantic\"]\n{text}"));
    let answer = simulation.answer(Command::Step(Step::default())).expect("a step works");
    let Answer::Step(StepAnswer { observations, .. }) = answer else { panic!("a step answers like one") };
    for (sensor, (_, zoom)) in observations[0].sensors.iter().zip(&zooms) {
        let [(Modality::Semantic, Value::Semantic(image))] = &sensor.values[..] else { panic!("a semantic image") };
        let covered = image.pixels.iter().filter(|id| **id == 1).count() as f64 / image.pixels.len() as f64;
        // The near face is 2 m wide and 9 m away: 228² of 2048² pixels at zoom 1.
        let expected = (51_984.0 * zoom * zoom / (2048.0 * 2048.0)).min(1.0);
        assert!((covered - expected).abs() <= 1e-2, "zoom {zoom}: {covered}, expected {expected}");
    }
}

/// The default agent of Habitat's tests: 1.5 m above the origin.
fn habitat(resolution: u32, zoom: f64, objects: &str) -> String {
    let of_sensors = sensors(&[("patch", [resolution, resolution], zoom)]);
    format!(
        "compat = \"habitat\"\n[[agents]]\nid = \"{AGENT}\"\nkind = \"distant\"\nposition = [0, 1.5, 0]\n\
         {of_sensors}{objects}"
    )
}

#[test]
fn h5_a_turn_by_10_degrees_loses_one_of_two_objects_and_a_reset_finds_it_again() {
    let objects = "[[objects]]\nname = \"cylinderSolid\"\nposition = [-0.2, 1.5, -0.2]\n\
                   [[objects]]\nname = \"cubeSolid\"\nposition = [0.6, 1.5, -0.6]\n";
    let mut client = Client::on(&habitat(64, 1.0, objects));
    assert_eq!(ids_in(&mut client), [0, 103, 104]);
    client.step(json!([{"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 10}]));
    assert_eq!(ids_in(&mut client), [0, 104]);
    client.done(json!({"command": "reset"}));
    assert_eq!(ids_in(&mut client), [0, 103, 104]);
}

#[test]
fn h6_h7_a_cube_covers_a_square_in_the_middle_by_zoom_and_scale() {
    for (zoom, scale, expected) in [(1.0, 1.0, 6..=9), (2.0, 1.0, 4..=11), (1.0, 2.0, 3..=12)] {
        let cube = format!("[[objects]]\nname = \"cubeSolid\"\nposition = [0, 1.5, -0.5]\nscale = {scale}\n");
        let mut client = Client::on(&habitat(16, zoom, &format!("{cube}semantic_id = 1\n")));
        for _ in 0..2 {
            let reply = client.step(json!([]));
            let image = semantic(&reply["observations"][AGENT]["patch"]);
            for (index, id) in image.pixels.iter().enumerate() {
                let is_inside = expected.contains(&(index / 16)) && expected.contains(&(index % 16));
                assert_eq!(*id, u32::from(is_inside), "zoom {zoom}, scale {scale}, pixel {index}");
            }
            client.done(json!({"command": "reset"}));
        }
    }
}

#[test]
fn h4_every_solid_has_habitats_id_in_the_image_and_in_the_answer() {
    let ids = [
        ("capsule3DSolid", 101),
        ("coneSolid", 102),
        ("cubeSolid", 103),
        ("cylinderSolid", 104),
        ("icosphereSolid", 105),
        ("uvSphereSolid", 106),
    ];
    for (name, id) in ids {
        let mut client = Client::on(&habitat(16, 1.0, ""));
        let added = client.done(json!({"command": "add_object", "name": name, "position": [0, 1.5, -0.2]}));
        assert_eq!(added["semantic_id"], id);
        assert!(ids_in(&mut client).contains(&id), "{name}");
    }
}

#[test]
fn a_wider_field_of_view_sees_more_and_zoom_divides_its_tangent() {
    // A face of 2 m at 1 m fills the view of 90°.
    let covered = |camera: &str| {
        let text = format!(
            "[[agents]]\nid = \"{AGENT}\"\nkind = \"noop\"\n[[agents.sensors]]\nid = \"patch\"\n\
             resolution = [200, 100]\nsemantic = true\n{camera}\n\
             [[objects]]\nname = \"box\"\nposition = [0, 0, -2]\nsemantic_id = 1\n"
        );
        let reply = Client::on(&text).step(json!([]));
        let image = semantic(&reply["observations"][AGENT]["patch"]);
        let row = (0..image.width).filter(|column| image.at(50, *column) == 1).count();
        let column = (0..image.height).filter(|row| image.at(*row, 100) == 1).count();
        [row as f64 / 200.0, column as f64 / 100.0]
    };
    let half_of_120 = 1.0 / radians(60.0).tan();
    for (camera, expected) in [
        ("zoom = 1", [1.0, 1.0]),
        ("zoom = 0.5", [0.5, 1.0]),
        ("zoom = 0.25", [0.25, 0.5]),
        ("hfov_deg = 120", [half_of_120, 1.0]),
        ("hfov_deg = 120\nzoom = 0.5", [half_of_120 / 2.0, half_of_120]),
    ] {
        let found = covered(camera);
        assert!(is_near(&found, &expected, 0.011), "{camera}: {found:?}, expected {expected:?}");
    }
}
