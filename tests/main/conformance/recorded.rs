//! What the reference's sensors saw, and which of their pixels are on an edge.

use serde_json::Value;

use super::golden::Golden;
use crate::images::Image;

/// What one sensor of the reference saw; semantic and colours where they were kept.
pub struct Recorded {
    pub depth: Image<f32>,
    pub semantic: Option<Image<u32>>,
    pub rgba: Option<Image<[u8; 4]>>,
    pub background_depth: f32,
}

impl Recorded {
    fn new(sensor: &Value, background_depth: f32) -> Self {
        let pixels = |key: &str| sensor.get(key).map(|image| (shape(image), &image["data"]));
        let [depth, semantic, rgba] = ["depth", "semantic", "rgba"].map(pixels);
        Self {
            depth: depth.map(|(shape, data)| flat(shape, data, 1, |p| as_f64(&p[0]) as f32)).expect("depth is kept"),
            semantic: semantic.map(|(shape, data)| flat(shape, data, 1, |p| as_f64(&p[0]) as u32)),
            rgba: rgba.map(|(shape, data)| flat(shape, data, 4, |p| [0, 1, 2, 3].map(|i| as_f64(&p[i]) as u8))),
            background_depth,
        }
    }

    pub fn is_miss(&self, depth_m: f32) -> bool {
        depth_m > 0.99 * self.background_depth
    }

    /// Two semantic ids, a miss and a hit, or a depth over 5 % from the plane through the pixel, in its 3×3.
    pub fn is_on_edge(&self, index: usize) -> bool {
        let differs = |mut values: Vec<u32>| {
            values.dedup();
            values.len() > 1
        };
        let ids = |image: &Image<u32>| image.around(index).map(|(_, id)| id).collect();
        let misses = self.depth.around(index).map(|(_, depth)| u32::from(self.is_miss(depth))).collect();
        self.semantic.as_ref().is_some_and(|image| differs(ids(image))) || differs(misses) || self.is_bent(index)
    }

    /// Of a plane, 1/depth is linear over the pixels.
    fn is_bent(&self, index: usize) -> bool {
        let inverse = |depth: f32| 1.0 / f64::from(depth);
        let here = inverse(self.depth.pixels[index]);
        let slope = |along: [isize; 2]| {
            let slopes = self.depth.around(index).filter_map(|(step, depth)| {
                let sign = if step == along { 1.0 } else { -1.0 };
                (step == along || step == along.map(|s| -s)).then(|| sign * (inverse(depth) - here))
            });
            // Of an edge beside it, the plane through the pixel is on the flat side.
            slopes.reduce(|a, b| if b.abs() < a.abs() { b } else { a }).unwrap_or(0.0)
        };
        let (down, right) = (slope([1, 0]), slope([0, 1]));
        self.depth.around(index).any(|([i, j], depth)| {
            let predicted = 1.0 / (here + down * i as f64 + right * j as f64);
            (f64::from(depth) - predicted).abs() > 0.05 * predicted.abs()
        })
    }
}

pub fn as_f64(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Width and height of an image whose shape is height, width, and maybe channels.
pub fn shape(image: &Value) -> [usize; 2] {
    let side = |index: usize| image["shape"][index].as_u64().and_then(|side| usize::try_from(side).ok());
    [1, 0].map(|index| side(index).expect("a shape"))
}

fn flat<T>([width, height]: [usize; 2], data: &Value, channels: usize, read: impl Fn(&[Value]) -> T) -> Image<T> {
    let pixels: Vec<T> = data.as_array().expect("data").chunks(channels).map(read).collect();
    assert_eq!(pixels.len(), width * height, "the reference's data have their shape");
    Image { width, height, pixels }
}

/// Each sensor that the reference observed after a step: agent, sensor, what was recorded, and the values here.
pub fn each_sensor(
    step: &Value,
    reply: &Value,
    background_depth: f32,
    mut check: impl FnMut(&str, &str, &Recorded, &Value) -> Result<(), String>,
) -> Result<(), String> {
    for (agent, sensors) in step["observations"].as_object().into_iter().flatten() {
        for (sensor, recorded) in sensors.as_object().into_iter().flatten() {
            let found = &reply["observations"][agent][sensor];
            check(agent, sensor, &Recorded::new(recorded, background_depth), found)
                .map_err(|why| format!("{agent}.{sensor}: {why}"))?;
        }
    }
    Ok(())
}

/// The depth of a miss: the world's, until a step tells another.
pub struct Background(f32);

impl Background {
    pub fn new(golden: &Golden) -> Self {
        let Some(depth) = Self::of(&golden.json["world"]) else { panic!("the world tells its background") };
        Self(depth)
    }

    fn of(place: &Value) -> Option<f32> {
        place["render"]["background_depth"].as_f64().map(|depth| depth as f32)
    }

    pub fn after(&mut self, step: &Value) -> f32 {
        self.0 = Self::of(step).unwrap_or(self.0);
        self.0
    }
}

#[test]
fn an_edge_is_a_change_of_id_a_miss_beside_a_hit_or_a_depth_off_the_plane() {
    let recorded = |depth: fn(usize, usize) -> f32, ids: fn(usize, usize) -> u32| {
        let all = || (0..5usize).flat_map(|row| (0..5usize).map(move |column| (row, column)));
        let depth = Image { width: 5, height: 5, pixels: all().map(|(row, column)| depth(row, column)).collect() };
        let semantic = Image { width: 5, height: 5, pixels: all().map(|(row, column)| ids(row, column)).collect() };
        Recorded { depth, semantic: Some(semantic), rgba: None, background_depth: 800.0 }
    };
    let edges = |image: Recorded| (0..25).filter(|index| image.is_on_edge(*index)).count();
    // A plane that recedes fast is no edge; each of the others runs between two columns.
    assert_eq!(edges(recorded(|row, column| 1.0 / (1.0 + 0.15 * column as f32 + 0.1 * row as f32), |_, _| 1)), 0);
    assert_eq!(edges(recorded(|_, _| 1.0, |_, column| u32::from(column > 2))), 10);
    assert_eq!(edges(recorded(|_, column| if column > 2 { 800.0 } else { 1.0 }, |_, _| 0)), 10);
    assert_eq!(edges(recorded(|_, column| if column > 2 { 1.06 } else { 1.0 }, |_, _| 1)), 10);
    assert_eq!(edges(recorded(|_, column| if column > 2 { 1.04 } else { 1.0 }, |_, _| 1)), 0);
}
