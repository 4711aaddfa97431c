//! World files written back: the same world, the same text, the same replies.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use saccade::assets::Nowhere;
use saccade::math::{Rotation, Vector};
use saccade::protocol::{Encoding, Extra, Extras, Modalities, SemanticId};
use saccade::world::{
    AgentKind, AgentSpec, Compat, DepthClip, DepthTo3DLocations, Episodes, FILTERED_FEATURES, FeatureChange,
    FeatureNoise, Mode, NOISY_FEATURES, ObjectSpec, PerceptSpec, Pipeline, SHIPPED_WORLDS, Sampler, SensorSpec,
    SurfaceNormalMethod, Transform, Word as _, WorldFile, file, known_objects,
};
use serde_json::json;

use crate::client::{AGENT, Client, world};
use crate::compat::{PRESETS, SWITCHES};
use crate::fixture::properties;
use crate::ycb::TenObjects;

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,12}",
        Just("ü \"q\" \\ 'x' \t\n\u{7f}😀".to_owned()),
        Just("'''".to_owned()),
        Just("true".to_owned()),
        Just("n".repeat(255)),
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-1e6..1e6f64, -1.0..1.0f64, Just(0.0), Just(-0.0), Just(1e-300), Just(-5e-324), Just(1e6)]
}

fn vector() -> impl Strategy<Value = Vector> {
    prop::array::uniform3(number()).prop_map(Vector::from)
}

fn rotation() -> impl Strategy<Value = Rotation> {
    let given = prop::array::uniform4(-1.0..1.0f64).prop_filter_map("not zero", Rotation::normalised);
    let turned = prop::array::uniform3(-360.0..360.0f64).prop_map(Rotation::from_extrinsic_xyz_deg);
    prop_oneof![given, turned]
}

fn compat() -> impl Strategy<Value = Compat> {
    let switches: Vec<_> = SWITCHES
        .iter()
        .map(|(switch, values)| {
            prop::option::of(prop::sample::select(*values))
                .prop_map(move |value| value.map_or_else(String::new, |value| format!(", {switch} = {value}")))
        })
        .collect();
    (prop::sample::select(&PRESETS[..]), switches).prop_map(|(preset, switches)| {
        world(&format!("compat = {{ preset = \"{preset}\"{} }}", switches.concat())).compat
    })
}

fn modalities() -> impl Strategy<Value = Option<Modalities>> {
    let words: Vec<&str> = Modalities::words().collect();
    let chosen = prop::collection::vec(prop::sample::select(words), 0..5);
    let set =
        |words: Vec<&str>| words.into_iter().filter_map(Modalities::from_word).fold(Modalities::NONE, Modalities::with);
    prop::option::of(chosen.prop_map(set))
}

fn pipeline() -> impl Strategy<Value = Pipeline> {
    let depth = || 0.0..=1e6f64;
    let transform = prop_oneof![
        (depth(), depth())
            .prop_map(|(max_depth_m, threshold_m)| Transform::MissingToMaxDepth { max_depth_m, threshold_m }),
        (0.0..=1000.0f64).prop_map(|sigma_m| Transform::AddNoiseToRawDepthImage { sigma_m }),
        (0.01..=1000.0f64, 0..=127u32)
            .prop_map(|(sigma, half)| Transform::GaussianSmoothing { sigma, kernel_width: 2 * half + 1 }),
    ];
    let lens = (prop::option::of(1e-6..1e6f64), prop::option::of(1.0..179.0f64));
    let clip = (prop::sample::select(DepthClip::ALL), depth());
    let points = (lens, clip, any::<[bool; 3]>()).prop_map(|((zoom, hfov_deg), (depth_clip, clip_value_m), flags)| {
        let [world_coord, get_all_points, use_semantic_sensor] = flags;
        DepthTo3DLocations {
            zoom,
            hfov_deg,
            depth_clip,
            clip_value_m,
            world_coord,
            get_all_points,
            use_semantic_sensor,
        }
    });
    (prop::collection::vec(transform, 0..4), points).prop_map(|(transforms, points)| Pipeline { transforms, points })
}

/// A mask that would be the semantic image needs one.
fn readable(mut pipeline: Pipeline, is_semantic: bool) -> Pipeline {
    pipeline.points.use_semantic_sensor &= is_semantic || pipeline.points.depth_clip == DepthClip::None;
    pipeline
}

fn percept() -> impl Strategy<Value = PerceptSpec> {
    let noise = prop::sample::subsequence(NOISY_FEATURES, 0..4).prop_flat_map(|features| {
        let count = features.len();
        prop::collection::vec(0.0..=1.0f64, count).prop_map(move |amounts| {
            features.iter().zip(amounts).map(|(feature, amount)| FeatureNoise { feature: *feature, amount }).collect()
        })
    });
    let head = (prop::sample::select(SurfaceNormalMethod::ALL), any::<bool>(), 0.0..=1e6f64);
    (head, noise, prop::option::of(feature_change())).prop_map(|(head, noise, feature_change)| {
        let (surface_normal, weight_curvature, pc1_is_pc2_threshold) = head;
        PerceptSpec { surface_normal, weight_curvature, pc1_is_pc2_threshold, noise, feature_change }
    })
}

fn feature_change() -> impl Strategy<Value = FeatureChange> {
    let most = || prop::option::of(0.0..=1e6f64);
    let features = prop::sample::subsequence(FILTERED_FEATURES, 0..4)
        .prop_map(|features| features.into_iter().map(|(feature, count)| (feature, vec![0.25; count])).collect());
    (prop::option::of(0..=i64::MAX as u64), most(), most(), features).prop_map(
        |(n_steps, distance_m, normal_deg, features)| FeatureChange { n_steps, distance_m, normal_deg, features },
    )
}

fn sensor() -> impl Strategy<Value = SensorSpec> {
    let place = (name(), vector(), rotation());
    let camera = (1..=4096u32, 1..=4096u32, 1e-6..1e6f64, 1.0..179.0f64, any::<bool>(), any::<bool>());
    let senses = (pipeline(), percept());
    (place, camera, modalities(), senses).prop_map(|((id, position, rotation), camera, modalities, senses)| {
        let (width, height, zoom, hfov_deg, semantic, antialiasing) = camera;
        let id = id.as_str().into();
        let (pipeline, percept) = senses;
        let pipeline = readable(pipeline, semantic);
        SensorSpec {
            id,
            position,
            rotation,
            width,
            height,
            zoom,
            hfov_deg,
            semantic,
            antialiasing,
            modalities,
            pipeline,
            percept,
        }
    })
}

fn an_agent() -> impl Strategy<Value = AgentSpec> {
    let kind = prop::sample::select(AgentKind::ALL);
    let sensors = prop::collection::vec(sensor(), 0..4).prop_map(|sensors| unique(sensors, |s| s.id.clone()));
    (name(), kind, vector(), rotation(), sensors).prop_map(|(id, kind, position, rotation, sensors)| AgentSpec {
        id: id.as_str().into(),
        kind,
        position,
        rotation,
        sensors,
    })
}

fn object() -> impl Strategy<Value = ObjectSpec> {
    let names: Vec<&str> = known_objects().collect();
    let semantic_id = prop::option::of((0..=SemanticId::MAX).prop_map(SemanticId));
    // Factors near each other, since the flattest are refused as solids.
    let scale = prop::array::uniform3(0.1..10.0f64).prop_map(Vector::from);
    let file = prop::option::of(name());
    (prop::sample::select(names), file, vector(), rotation(), scale, semantic_id, color()).prop_map(
        |(name, file, position, rotation, scale, semantic_id, color)| {
            let name = name.to_owned();
            ObjectSpec { name, file, position, rotation, scale, semantic_id, color }
        },
    )
}

fn color() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(0.0..=1.0f64)
}

fn sampler() -> impl Strategy<Value = Sampler> {
    let angles = prop::collection::vec(prop::array::uniform3(-720.0..720.0f64), 1..4);
    let positions = prop::collection::vec(prop::array::uniform3(-10.0..10.0f64), 1..4);
    let scales = prop::collection::vec(prop::array::uniform3(0.1..10.0f64), 1..4);
    let predefined = (angles, positions, scales, any::<bool>()).prop_map(
        |(rotations_deg, positions, scales, change_every_episode)| Sampler::Predefined {
            rotations_deg,
            positions,
            scales,
            change_every_episode,
        },
    );
    prop_oneof![predefined, Just(Sampler::RandomRotation), Just(Sampler::Default)]
}

fn episodes() -> impl Strategy<Value = Episodes> {
    let names: Vec<&str> = known_objects().collect();
    let targets = prop::collection::vec(prop::sample::select(names), 1..5);
    let mode = prop::sample::select(Mode::ALL);
    (targets, 0..100u32, sampler(), mode, 1..1000u64, color()).prop_map(
        |(targets, most, sampler, mode, epochs, color)| {
            let targets: Vec<String> = targets.into_iter().map(str::to_owned).collect();
            let source_objects = unique(targets.clone(), String::clone);
            let num_distractors = if source_objects.len() > 1 { most } else { 0 };
            Episodes { targets, source_objects, num_distractors, sampler, mode, epochs, color }
        },
    )
}

fn unique<T, K: Ord>(items: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.into_iter().filter(|item| seen.insert(key(item))).collect()
}

fn a_world() -> impl Strategy<Value = WorldFile> {
    let encoding = prop::sample::select(Encoding::ALL);
    let extras = prop::sample::subsequence(Extra::ALL, 0..=Extra::ALL.len());
    let head = (name(), 0..=i64::MAX as u64, 1e-6..=1.0f64, compat(), modalities(), encoding, extras);
    let agents = prop::collection::vec(an_agent(), 0..3).prop_map(|agents| unique(agents, |a| a.id.clone()));
    let objects = prop::collection::vec(object(), 0..4);
    (head, agents, objects, prop::option::of(episodes())).prop_map(|(head, agents, objects, episodes)| {
        let (name, seed, tick_s, compat, modalities, encoding, extras) = head;
        let extras = extras.into_iter().fold(Extras::default(), Extras::with);
        let agents = agents.into_iter().map(Arc::new).collect();
        let data = None;
        WorldFile { name, seed, tick_s, compat, modalities, encoding, extras, data, agents, objects, episodes }
    })
}

proptest! {
    #![proptest_config(properties())]

    #[test]
    fn a_world_written_and_read_is_the_same_world_and_the_same_text(original in a_world()) {
        let text = file::to_text(&original);
        let read = file::parse(&text, &Nowhere).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
        prop_assert_eq!(file::to_text(&read), text);
        prop_assert_eq!(read, original);
    }
}

#[test]
fn describe_tells_the_canonical_file_which_reads_to_the_same_world() {
    let objects = TenObjects::new();
    let world = |text: &str| file::parse(text, &*objects.source()).expect("a right world");
    for shipped in SHIPPED_WORLDS {
        let mut client = Client::with_source(shipped.text, objects.source());
        let reply = client.done(json!({"command": "describe", "world": true}));
        let text = reply["world"]["file"].as_str().expect("the file's text");
        assert_eq!(world(text), world(shipped.text));
        assert_eq!(file::to_text(&world(text)), text);
    }
}

#[test]
fn a_canonical_file_gives_the_same_reply_bytes_as_the_file_it_came_from() {
    let original = "[[agents]]\nid = \"agent_id_0\"\nkind = \"free\"\nposition = [0.1, 0.2, 3]\n\
                    rotation_deg = [10, 20, 30]\n\
                    [[agents.sensors]]\nid = \"patch\"\nrotation_deg = [1, 2, 3]\nposition = [0.01, 0, 0]\n\
                    [[objects]]\nname = \"ellipsoid\"\nscale = [0.3, 0.2, 0.1]\nrotation_deg = [-40, 50, 60]";
    let canonical = file::to_text(&world(original));
    let play = |text: &str| {
        let mut client = Client::waiting_on(text);
        let turn = json!({"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 7});
        let step = json!({"id": 1, "command": "step", "actions": [turn]}).to_string();
        let reset = client.text(r#"{"id":0,"command":"reset"}"#);
        [reset, client.text(step), client.text(r#"{"id":2,"command":"digest"}"#)]
    };
    assert_eq!(play(&canonical), play(original));
}
