//! What every image must be, over random scenes: no NaN, nothing behind the camera, a miss that is one in all images alike.

use proptest::prelude::*;
use saccade::protocol::{Answer, Command, Modality, Step, StepAnswer, Value};
use saccade::world::known_objects;

use crate::client::Simulation;
use crate::fixture::properties;

/// One object's table.
fn object() -> impl Strategy<Value = String> {
    let names: Vec<&str> = known_objects().collect();
    let place = prop::array::uniform3(-1.0..1.0f64);
    let angles = prop::array::uniform3(0.0..360.0f64);
    // 1 mm to 2 m, of any proportions that are solid.
    let size = (-3.0..0.3f64, prop::array::uniform3(0.4..1.0f64));
    let color = prop::array::uniform3(0.0..=1.0f64);
    (prop::sample::select(names), place, angles, size, 1..1000u32, color).prop_map(
        |(name, position, rotation, (power, aspect), id, color)| {
            let unit = if name.ends_with("Solid") { 10.0 } else { 1.0 };
            let scale = aspect.map(|part| part * unit * 10f64.powf(power));
            format!(
                "[[objects]]\nname = \"{name}\"\nposition = {position:?}\nrotation_deg = {rotation:?}\n\
                 scale = {scale:?}\nsemantic_id = {id}\ncolor = {color:?}\n"
            )
        },
    )
}

/// A world of some objects and one sensor, anywhere among them; `compat` stands at its head.
fn scene() -> impl Strategy<Value = String> {
    let pose = (prop::array::uniform3(-1.5..1.5f64), prop::array::uniform3(0.0..360.0f64));
    let camera = (1..24u32, 1..24u32, -1.0..1.5f64, 1.0..170.0f64);
    let objects = prop::collection::vec(object(), 0..6);
    (pose, camera, objects).prop_map(|((position, rotation), (width, height, zoom, hfov_deg), objects)| {
        format!(
            "[[agents]]\nid = \"agent_id_0\"\nkind = \"free\"\nposition = {position:?}\nrotation_deg = {rotation:?}\n\
             [[agents.sensors]]\nid = \"patch\"\nresolution = [{width}, {height}]\nzoom = {}\nhfov_deg = {hfov_deg}\n\
             semantic = true\n{}",
            10f64.powf(zoom),
            objects.concat()
        )
    })
}

fn seen(text: &str) -> StepAnswer {
    match Simulation::on(text).answer(Command::Step(Step::default())) {
        Ok(Answer::Step(answer)) => answer,
        other => panic!("a step answers like a step: {other:?}"),
    }
}

/// What the only sensor says of each pixel: depth, id and colour.
fn pixels(answer: &StepAnswer) -> impl Iterator<Item = (f32, u32, [u8; 4])> {
    let values = &answer.observations[0].sensors[0].values;
    let value = |wanted: Modality| values.iter().find(|(modality, _)| *modality == wanted).map(|(_, value)| value);
    let (Some(Value::Depth(depth)), Some(Value::Semantic(ids)), Some(Value::Rgba(rgba))) =
        (value(Modality::Depth), value(Modality::Semantic), value(Modality::Rgba))
    else {
        panic!("a semantic sensor answers three images");
    };
    let sizes = [(depth.width, depth.height), (ids.width, ids.height), (rgba.width, rgba.height)];
    assert!(sizes.iter().all(|size| *size == sizes[0]));
    let count = usize::try_from(depth.width * depth.height).expect("small");
    assert!([depth.pixels.len(), ids.pixels.len(), rgba.pixels.len()] == [count; 3]);
    let (depth, ids, rgba) = (depth.pixels.to_vec(), ids.pixels.to_vec(), rgba.pixels.to_vec());
    depth.into_iter().zip(ids).zip(rgba).map(|((depth, id), rgba)| (depth, id, rgba))
}

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn a_hit_has_a_positive_depth_and_an_id_and_a_miss_reads_0_in_all_images(text in scene()) {
        for (depth_m, id, rgba) in pixels(&seen(&text)) {
            prop_assert!(depth_m.is_finite() && depth_m.is_sign_positive(), "{}", depth_m);
            prop_assert_eq!(depth_m == 0.0, id == 0);
            prop_assert_eq!(rgba[3], 255);
            prop_assert!(id != 0 || rgba == [0, 0, 0, 255], "{:?}", rgba);
        }
    }

    #[test]
    fn under_mujoco_a_miss_reads_one_far_value_and_a_hit_less(text in scene()) {
        let answer = seen(&format!("compat = \"mujoco\"\n{text}"));
        let mut far: Vec<f32> = pixels(&answer).filter(|(_, id, _)| *id == 0).map(|(depth_m, ..)| depth_m).collect();
        far.dedup();
        prop_assert!(far.len() <= 1, "{:?}", far);
        for (depth_m, id, _) in pixels(&answer).filter(|(_, id, _)| *id != 0) {
            prop_assert!(depth_m > 0.0 && far.iter().all(|far| depth_m < far / 10.0), "{} m of {}", depth_m, id);
        }
        prop_assert!(far.iter().all(|far| (100.0..1e5).contains(far)), "{:?}", far);
    }

    #[test]
    fn the_same_scene_gives_the_same_answer(text in scene()) {
        prop_assert_eq!(seen(&text), seen(&text));
    }

    #[test]
    fn the_order_of_objects_that_are_apart_changes_no_image(text in scene()) {
        let (head, objects) = text.split_once("[[objects]]").unwrap_or((&text, ""));
        let mut reversed: Vec<&str> = objects.split("[[objects]]").collect();
        reversed.reverse();
        let objects: String = reversed.iter().filter(|o| !o.is_empty()).map(|o| format!("[[objects]]{o}")).collect();
        let other = seen(&format!("{head}{objects}"));
        let is_same = pixels(&seen(&text)).zip(pixels(&other)).all(|(a, b)| a == b);
        prop_assert!(is_same, "no two random surfaces are equally far from a pixel");
    }

    #[test]
    fn the_percept_counts_what_the_images_show(text in scene()) {
        let answer = seen(&text);
        let values = &answer.observations[0].sensors[0].values;
        let number = |wanted: Modality| values.iter().find_map(|(modality, value)| match value {
            Value::Number(number) if *modality == wanted => Some(*number),
            _ => None,
        });
        let hits: Vec<f32> = pixels(&answer).filter(|(_, id, _)| *id != 0).map(|(depth_m, ..)| depth_m).collect();
        let total = pixels(&answer).count();
        let coverage = number(Modality::ObjectCoverage).expect("a patch has a coverage");
        prop_assert!(coverage <= hits.len() as f64 / total as f64, "nothing but hits is on an object");
        prop_assert_eq!(coverage > 0.0, number(Modality::MinDepth).is_some());
        if let (Some(least), Some(mean)) = (number(Modality::MinDepth), number(Modality::MeanDepth)) {
            prop_assert!(hits.iter().any(|depth_m| f64::from(*depth_m) == least), "{}", least);
            prop_assert!(least <= mean * (1.0 + 1e-12));
        }
    }
}
