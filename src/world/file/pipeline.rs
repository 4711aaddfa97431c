//! The key `pipeline` of a sensor: Monty's transforms under their own names, the last of them DepthTo3DLocations.

use super::super::compat::Word as _;
use super::super::pipeline::{DepthClip, DepthTo3DLocations, Pipeline, Transform};
use super::reader::{Item, Report, Section};
use super::write::{list, number, text};
use crate::protocol::limits;

const NAMES: [&str; 4] = ["MissingToMaxDepth", "AddNoiseToRawDepthImage", "GaussianSmoothing", LAST];
const LAST: &str = "DepthTo3DLocations";

/// More would be a mistake of a program that writes world files.
const MOST_TRANSFORMS: usize = 16;

/// Wider kernels would reach over most of a patch.
const MOST_KERNEL_WIDTH: u32 = 255;

/// What one table of the list is.
enum Read {
    Transform(Transform),
    Points(DepthTo3DLocations),
}

pub fn read_pipeline(item: &Item, is_semantic: bool, r: &mut Report) -> Option<Pipeline> {
    let expected = format!("a list of 1 to {MOST_TRANSFORMS} transforms, of which the last, and only it, is {LAST}");
    let items = item.items(r, "transforms")?;
    if items.is_empty() || items.len() > MOST_TRANSFORMS {
        item.wrong(r, expected);
        return None;
    }
    let mut read: Vec<Read> = items.iter().filter_map(|item| read_transform(item, is_semantic, r)).collect();
    if read.len() < items.len() {
        return None;
    }
    let points = read.pop();
    let transforms = read.into_iter().map(|read| match read {
        Read::Transform(transform) => Some(transform),
        Read::Points(_) => None,
    });
    match (transforms.collect(), points) {
        (Some(transforms), Some(Read::Points(points))) => Some(Pipeline { transforms, points }),
        _ => {
            item.wrong(r, expected);
            None
        }
    }
}

fn read_transform(item: &Item, is_semantic: bool, r: &mut Report) -> Option<Read> {
    let mut s = item.section(r, "a transform")?;
    let name = s.required("transform", r, "the transform's name in quotes")?;
    let name = name.word(r, |word| NAMES.into_iter().find(|name| *name == word), NAMES.into_iter())?;
    s.call(name);
    let read = match name {
        "MissingToMaxDepth" => Read::Transform(Transform::MissingToMaxDepth {
            max_depth_m: depth(&mut s, "max_depth", 1.0, r),
            threshold_m: depth(&mut s, "threshold", 0.0, r),
        }),
        "AddNoiseToRawDepthImage" => {
            Read::Transform(Transform::AddNoiseToRawDepthImage { sigma_m: read_noise(&mut s, r) })
        }
        "GaussianSmoothing" => Read::Transform(read_smoothing(&mut s, r)),
        _ => Read::Points(read_points(&mut s, item, is_semantic, r)),
    };
    s.finish(r);
    Some(read)
}

/// Metres from 0 on.
fn depth(s: &mut Section, key: &'static str, default: f64, r: &mut Report) -> f64 {
    let most = limits::MAX_COORDINATE_M;
    let expected = format!("metres from 0 to {most}");
    s.optional(key).and_then(|item| item.number(r, &expected, |m| (0.0..=most).contains(&m))).unwrap_or(default)
}

fn read_noise(s: &mut Section, r: &mut Report) -> f64 {
    let sigma = s.required("sigma", r, "the noise's standard deviation in metres");
    sigma.and_then(|item| item.number(r, "metres from 0 to 1000", |m| (0.0..=1000.0).contains(&m))).unwrap_or(0.0)
}

fn read_smoothing(s: &mut Section, r: &mut Report) -> Transform {
    let sigma = s.optional("sigma");
    let sigma = sigma.and_then(|item| item.number(r, "pixels from 0.01 to 1000", |p| (0.01..=1000.0).contains(&p)));
    let expected = format!("an odd integer from 1 to {MOST_KERNEL_WIDTH}");
    let is_right = |width: f64| width.rem_euclid(2.0) == 1.0 && width <= f64::from(MOST_KERNEL_WIDTH);
    let width = s.optional("kernel_width").and_then(|item| item.number(r, &expected, |w| w >= 1.0 && is_right(w)));
    Transform::GaussianSmoothing { sigma: sigma.unwrap_or(2.0), kernel_width: width.unwrap_or(3.0) as u32 }
}

fn read_points(s: &mut Section, whole: &Item, is_semantic: bool, r: &mut Report) -> DepthTo3DLocations {
    let default = DepthTo3DLocations::default();
    let clip = s.optional("depth_clip").and_then(|item| item.word(r, DepthClip::from_word, DepthClip::words()));
    let mut flag = |key, default| s.optional(key).and_then(|item: Item| item.boolean(r)).unwrap_or(default);
    let world_coord = flag("world_coord", default.world_coord);
    let get_all_points = flag("get_all_points", default.get_all_points);
    let use_semantic_sensor = flag("use_semantic_sensor", default.use_semantic_sensor);
    let points = DepthTo3DLocations {
        zoom: s.optional("zoom").and_then(|item| super::parse::read_zoom(&item, r)),
        hfov_deg: s.optional("hfov_deg").and_then(|item| super::parse::read_hfov(&item, r)),
        depth_clip: clip.unwrap_or(default.depth_clip),
        clip_value_m: depth(s, "clip_value", default.clip_value_m, r),
        world_coord,
        get_all_points,
        use_semantic_sensor,
    };
    if points.mask_is_semantic() && !is_semantic {
        whole.wrong(r, "use_semantic_sensor = false, or a sensor with semantic = true: the mask would be its image");
    }
    points
}

pub fn pipeline_text(pipeline: &Pipeline) -> String {
    let transforms = pipeline.transforms.iter().map(transform_text);
    list(transforms.chain(std::iter::once(points_text(&pipeline.points))))
}

fn transform_text(transform: &Transform) -> String {
    match *transform {
        Transform::MissingToMaxDepth { max_depth_m, threshold_m } => {
            let (max_depth, threshold) = (number(max_depth_m), number(threshold_m));
            format!("{{ transform = \"MissingToMaxDepth\", max_depth = {max_depth}, threshold = {threshold} }}")
        }
        Transform::AddNoiseToRawDepthImage { sigma_m } => {
            format!("{{ transform = \"AddNoiseToRawDepthImage\", sigma = {} }}", number(sigma_m))
        }
        Transform::GaussianSmoothing { sigma, kernel_width } => {
            let sigma = number(sigma);
            format!("{{ transform = \"GaussianSmoothing\", sigma = {sigma}, kernel_width = {kernel_width} }}")
        }
    }
}

fn points_text(points: &DepthTo3DLocations) -> String {
    let optional = |key: &str, value: Option<f64>| value.map(|value| format!(", {key} = {}", number(value)));
    format!(
        "{{ transform = \"{LAST}\", depth_clip = {}, clip_value = {}, world_coord = {}, get_all_points = {}, \
         use_semantic_sensor = {}{}{} }}",
        text(points.depth_clip.word()),
        number(points.clip_value_m),
        points.world_coord,
        points.get_all_points,
        points.use_semantic_sensor,
        optional("zoom", points.zoom).unwrap_or_default(),
        optional("hfov_deg", points.hfov_deg).unwrap_or_default(),
    )
}
