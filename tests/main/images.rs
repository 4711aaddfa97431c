//! The images in a reply, as numbers.

use serde_json::Value;

/// An image, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Image<T> {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<T>,
}

impl<T: Copy> Image<T> {
    /// From nested lists; every row must be as long as the first.
    pub fn nested(value: &Value, read: impl Fn(&Value) -> T) -> Self {
        let rows = value.as_array().expect("a list of rows");
        let width = rows.first().and_then(Value::as_array).map_or(0, Vec::len);
        let row = |row: &Value| {
            let row = row.as_array().expect("a row is a list");
            assert_eq!(row.len(), width, "a row has another length than the first");
            row.iter().map(&read).collect::<Vec<T>>()
        };
        Self { width, height: rows.len(), pixels: rows.iter().flat_map(row).collect() }
    }

    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    pub fn at(&self, row: usize, column: usize) -> T {
        self.pixels[row * self.width + column]
    }

    /// The pixels of the 3×3 around a pixel, itself among them, with their steps down and right.
    pub fn around(&self, index: usize) -> impl Iterator<Item = ([isize; 2], T)> {
        let (row, column) = (index / self.width, index % self.width);
        let is_within = |at: Option<usize>, most: usize| at.filter(|at| *at < most);
        let steps = (-1..=1).flat_map(|down| (-1..=1).map(move |right| [down, right]));
        steps.filter_map(move |[down, right]| {
            let row = is_within(row.checked_add_signed(down), self.height)?;
            let column = is_within(column.checked_add_signed(right), self.width)?;
            Some(([down, right], self.at(row, column)))
        })
    }
}

pub fn depth_of(pixel: &Value) -> f32 {
    pixel.as_f64().expect("a depth is a number") as f32
}

pub fn id_of(pixel: &Value) -> u32 {
    pixel.as_u64().and_then(|id| u32::try_from(id).ok()).expect("a semantic id is an integer")
}

pub fn rgba_of(pixel: &Value) -> [u8; 4] {
    let parts = pixel.as_array().expect("a colour is a list");
    assert_eq!(parts.len(), 4, "a colour has four parts");
    [0, 1, 2, 3].map(|part| parts[part].as_u64().and_then(|part| u8::try_from(part).ok()).expect("0 to 255"))
}

/// Of one sensor's observation with nested lists.
pub fn depth(sensor: &Value) -> Image<f32> {
    Image::nested(&sensor["depth"], depth_of)
}

pub fn semantic(sensor: &Value) -> Image<u32> {
    Image::nested(&sensor["semantic"], id_of)
}

pub fn rgba(sensor: &Value) -> Image<[u8; 4]> {
    Image::nested(&sensor["rgba"], rgba_of)
}
