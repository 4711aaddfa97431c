//! What each pixel of a band of rows sees first: the nearest of all that was drawn into it.

use std::ops::Range;

use super::camera::Camera;

/// Pixels of a band, at most and unless one row has more: few enough for a cache, and under 50 ms of drawing.
const MOST_PIXELS: i32 = 1 << 16;

/// Where the rays of an image go through the plane at depth 1, and which pixels they belong to.
#[derive(Clone, Debug)]
pub struct Grid {
    /// By column and by row.
    pub x_at: Vec<f64>,
    pub y_at: Vec<f64>,
    /// column = x · scale + offset, and row = y · scale + offset.
    pub column: [f64; 2],
    pub row: [f64; 2],
}

impl Grid {
    pub fn new(camera: &Camera) -> Self {
        let [width, height] = camera.size();
        let [x, y] = camera.steps().map(|step| step.x + step.y);
        let first = camera.ray(0, 0);
        Self {
            x_at: (0..width).map(|column| camera.ray(0, column).x).collect(),
            y_at: (0..height).map(|row| camera.ray(row, 0).y).collect(),
            column: [1.0 / x, -first.x / x],
            row: [1.0 / y, -first.y / y],
        }
    }

    /// Through other points of the same pixels, so many columns and rows from their centres.
    pub fn shifted(&self, [columns, rows]: [f64; 2]) -> Self {
        let (x, y) = (columns / self.column[0], rows / self.row[0]);
        Self {
            x_at: self.x_at.iter().map(|at| at + x).collect(),
            y_at: self.y_at.iter().map(|at| at + y).collect(),
            column: [self.column[0], self.column[1] - columns],
            row: [self.row[0], self.row[1] - rows],
        }
    }

    /// Where a point of the plane at depth 1 is, in columns and rows from the first pixel's centre.
    pub fn place_of(&self, x: f64, y: f64) -> [f64; 2] {
        [x * self.column[0] + self.column[1], y * self.row[0] + self.row[1]]
    }

    /// All pixels, some rows at a time from the top.
    pub fn bands(&self) -> impl Iterator<Item = Rectangle> + use<> {
        let (width, rows) = (self.x_at.len() as i32, self.y_at.len() as i32);
        let step = (MOST_PIXELS / width).max(1);
        let band = move |first| Rectangle { columns: [0, width - 1], rows: [first, rows.min(first + step) - 1] };
        (0..rows).step_by(step as usize).map(band)
    }
}

/// Pixels from the first to the last column and row, both among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    pub columns: [i32; 2],
    pub rows: [i32; 2],
}

impl Rectangle {
    pub fn meet(&self, other: &Rectangle) -> Rectangle {
        let meet = |[a, b]: [i32; 2], [c, d]: [i32; 2]| [a.max(c), b.min(d)];
        Rectangle { columns: meet(self.columns, other.columns), rows: meet(self.rows, other.rows) }
    }

    /// The smallest that holds both.
    pub fn with(&self, other: &Rectangle) -> Rectangle {
        let with = |[a, b]: [i32; 2], [c, d]: [i32; 2]| [a.min(c), b.max(d)];
        match (self.is_empty(), other.is_empty()) {
            (true, _) => *other,
            (_, true) => *self,
            _ => Rectangle { columns: with(self.columns, other.columns), rows: with(self.rows, other.rows) },
        }
    }

    pub fn is_empty(&self) -> bool {
        self.columns[0] > self.columns[1] || self.rows[0] > self.rows[1]
    }

    pub fn pixels(&self) -> usize {
        let side = |[first, last]: [i32; 2]| usize::try_from(last - first + 1).unwrap_or(0);
        if self.is_empty() { 0 } else { side(self.columns) * side(self.rows) }
    }
}

/// Added to a column or row, leaves the nearest whole number in the lower half of the bits. Where it is needed for each triangle
/// and row, rounding by functions took a third of the time of drawing.
pub const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;

/// A triangle of an object; of what has no triangles, the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub object: usize,
    pub triangle: usize,
}

/// What a pixel sees that nothing was drawn into: no object has that index.
pub const NOTHING: u64 = u64::MAX;

/// A band with the nearest surface of each pixel.
#[derive(Debug, Default)]
pub struct Visible {
    pub band: Rectangle,
    /// Where something may have been drawn.
    pub drawn: Rectangle,
    width: usize,
    /// 1 over the planar depth, 1/m; 0 where nothing was met.
    pub nearness: Vec<f64>,
    /// The object's index above the triangle's, or `NOTHING`.
    pub seen: Vec<u64>,
}

impl Default for Rectangle {
    fn default() -> Self {
        Rectangle { columns: [0, -1], rows: [0, -1] }
    }
}

impl Visible {
    /// An empty band of some pixels of an image.
    pub fn begin(&mut self, band: Rectangle) {
        self.width = (band.columns[1] - band.columns[0] + 1) as usize;
        (self.band, self.drawn) = (band, Rectangle::default());
        let pixels = band.pixels();
        self.nearness.resize(pixels, 0.0);
        self.nearness.fill(0.0);
        self.seen.resize(pixels, NOTHING);
        self.seen.fill(NOTHING);
    }

    /// The pixels of a row between two columns, both among them.
    pub fn span(&mut self, row: i32, [first, last]: [i32; 2]) -> (&mut [f64], &mut [u64]) {
        let start = (row - self.band.rows[0]) as usize * self.width;
        let [first, last] = [first, last].map(|column| start + (column - self.band.columns[0]) as usize);
        (&mut self.nearness[first..=last], &mut self.seen[first..=last])
    }

    /// Row by row what was drawn: the places in the row, and there how near its rays meet something, and what.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (Range<usize>, &[f64], &[u64])> + Clone {
        let [first, last] = self.drawn.columns.map(|column| column - self.band.columns[0]);
        let [top, bottom] = self.drawn.rows.map(|row| row - self.band.rows[0]);
        self.nearness.chunks(self.width).zip(self.seen.chunks(self.width)).enumerate().map(
            move |(row, (nearness, seen))| {
                let places =
                    if (top..=bottom).contains(&(row as i32)) { first as usize..last as usize + 1 } else { 0..0 };
                (places.clone(), &nearness[places.clone()], &seen[places])
            },
        )
    }

    /// How many pixels a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Each pixel's number in the band, and its row and column in the image.
    pub fn pixels(&self) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        let [first, last] = self.band.columns.map(|column| column as usize);
        let [top, bottom] = self.band.rows.map(|row| row as usize);
        let width = last + 1 - first;
        (top..bottom + 1).flat_map(move |row| (0..width).map(move |at| ((row - top) * width + at, row, first + at)))
    }

    /// By the pixel's number in the band: what it sees, and its depth in metres.
    pub fn at(&self, pixel: usize) -> Option<(Seen, f64)> {
        let nearness = self.nearness[pixel];
        (nearness > 0.0).then(|| (Seen::unpacked(self.seen[pixel]), 1.0 / nearness))
    }
}

impl Seen {
    pub fn packed(self) -> u64 {
        (self.object as u64) << 32 | self.triangle as u64
    }

    pub fn unpacked(packed: u64) -> Self {
        Self { object: (packed >> 32) as usize, triangle: packed as u32 as usize }
    }
}
