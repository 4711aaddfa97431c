//! The key `percept` of a sensor: the method of the normal, the fit, the noise, the filter.

use super::super::compat::Word as _;
use super::super::percept::{
    FILTERED_FEATURES, FeatureChange, FeatureNoise, NOISY_FEATURES, PerceptSpec, SurfaceNormalMethod,
};
use super::reader::{Item, Report};
use super::write::{number, numbers, text};
use crate::protocol::Modality;

/// Thresholds and amounts of noise beyond this mean nothing.
const MOST: f64 = 1e6;

pub fn read_percept(item: &Item, r: &mut Report) -> Option<PerceptSpec> {
    let mut s = item.section(r, "a percept")?;
    let default = PerceptSpec::default();
    let method = s.optional("surface_normal");
    let method = method.and_then(|i| i.word(r, SurfaceNormalMethod::from_word, SurfaceNormalMethod::words()));
    let weight = s.optional("weight_curvature").and_then(|item| item.boolean(r));
    let threshold = s.optional("pc1_is_pc2_threshold").and_then(|item| read_amount(&item, "1/m", r));
    let noise = s.optional("noise").and_then(|item| read_noise(&item, r));
    let feature_change = s.optional("feature_change").and_then(|item| read_feature_change(&item, r));
    s.finish(r);
    Some(PerceptSpec {
        surface_normal: method.unwrap_or(default.surface_normal),
        weight_curvature: weight.unwrap_or(default.weight_curvature),
        pc1_is_pc2_threshold: threshold.unwrap_or(default.pc1_is_pc2_threshold),
        noise: noise.unwrap_or_default(),
        feature_change,
    })
}

fn read_amount(item: &Item, unit: &str, r: &mut Report) -> Option<f64> {
    item.number(r, &format!("{unit} from 0 to {MOST}"), |amount| (0.0..=MOST).contains(&amount))
}

fn read_noise(item: &Item, r: &mut Report) -> Option<Vec<FeatureNoise>> {
    let mut s = item.section(r, "noise: features and their standard deviations")?;
    let mut noise = Vec::new();
    for feature in NOISY_FEATURES {
        let amount = s.optional(feature.word()).and_then(|item| match feature {
            Modality::PoseFullyDefined => item.number(r, "a probability from 0 to 1", |p| (0.0..=1.0).contains(&p)),
            Modality::PoseVectors => read_amount(&item, "degrees", r),
            _ => read_amount(&item, "a standard deviation", r),
        });
        noise.extend(amount.map(|amount| FeatureNoise { feature: *feature, amount }));
    }
    s.finish(r);
    Some(noise)
}

fn read_feature_change(item: &Item, r: &mut Report) -> Option<FeatureChange> {
    let mut s = item.section(r, "feature_change: thresholds of change")?;
    let mut change = FeatureChange {
        n_steps: s.optional("n_steps").and_then(|item| item.integer(r, 0, i64::MAX as u64)),
        distance_m: s.optional("distance_m").and_then(|item| read_amount(&item, "metres", r)),
        normal_deg: s.optional("normal_deg").and_then(|item| read_amount(&item, "degrees", r)),
        features: Vec::new(),
    };
    for (feature, count) in FILTERED_FEATURES {
        let most = s.optional(feature.word()).and_then(|item| match count {
            1 => read_amount(&item, "a threshold", r).map(|threshold| vec![threshold]),
            2 => read_thresholds::<2>(&item, r),
            _ => read_thresholds::<3>(&item, r),
        });
        change.features.extend(most.map(|most| (*feature, most)));
    }
    s.finish(r);
    Some(change)
}

fn read_thresholds<const N: usize>(item: &Item, r: &mut Report) -> Option<Vec<f64>> {
    let expected = format!("a list of {N} thresholds, each from 0 to {MOST}");
    let thresholds = item.numbers::<N>(r, &expected)?;
    if thresholds.iter().all(|threshold| (0.0..=MOST).contains(threshold)) {
        return Some(thresholds.to_vec());
    }
    item.wrong(r, expected);
    None
}

pub fn percept_text(percept: &PerceptSpec) -> String {
    let mut entries = vec![
        format!("surface_normal = {}", text(percept.surface_normal.word())),
        format!("weight_curvature = {}", percept.weight_curvature),
        format!("pc1_is_pc2_threshold = {}", number(percept.pc1_is_pc2_threshold)),
    ];
    if !percept.noise.is_empty() {
        let noise = percept.noise.iter().map(|n| format!("{} = {}", n.feature.word(), number(n.amount)));
        entries.push(format!("noise = {}", table(noise.collect())));
    }
    if let Some(change) = &percept.feature_change {
        entries.push(format!("feature_change = {}", feature_change_text(change)));
    }
    table(entries)
}

fn feature_change_text(change: &FeatureChange) -> String {
    let n_steps = change.n_steps.map(|steps| format!("n_steps = {steps}"));
    let distance = change.distance_m.map(|most| format!("distance_m = {}", number(most)));
    let normal = change.normal_deg.map(|most| format!("normal_deg = {}", number(most)));
    let features = change.features.iter().map(|(feature, most)| match most[..] {
        [most] => format!("{} = {}", feature.word(), number(most)),
        _ => format!("{} = {}", feature.word(), numbers(most)),
    });
    table([n_steps, distance, normal].into_iter().flatten().chain(features).collect())
}

fn table(entries: Vec<String>) -> String {
    if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
}
