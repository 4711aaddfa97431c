//! Pictures for people: a small canvas, and what is drawn on it.

mod names;
mod palette;
mod png;
mod seen;
mod sheet;
mod text;

pub use names::file_stems;
pub use png::to_png;
pub use seen::{Legend, Picture, SensorPictures};
pub use sheet::{Row, Tile, Title, contact_sheet, page};

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// Pixels, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

/// How long the longer side of a picture should be among others.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    /// A smaller picture is enlarged, by a whole factor, as far as it stays within.
    pub least: usize,
    /// A larger one is shrunk.
    pub most: usize,
}

impl Canvas {
    pub fn new(width: usize, height: usize, color: Rgb) -> Self {
        Self { width, height, pixels: vec![color; width * height] }
    }

    pub fn from_pixels(width: usize, height: usize, pixels: Vec<Rgb>) -> Self {
        assert_eq!(pixels.len(), width * height, "a canvas has a colour for each pixel");
        Self { width, height, pixels }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn height(&self) -> usize {
        self.height
    }

    /// A box of one colour; what would lie outside is left out.
    pub fn fill(&mut self, x: usize, y: usize, [width, height]: [usize; 2], color: Rgb) {
        for row in y..(y + height).min(self.height) {
            let (from, to) = (x.min(self.width), (x + width).min(self.width));
            self.pixels[row * self.width..][from..to].fill(color);
        }
    }

    /// Another picture with its upper left corner here; what would lie outside is left out.
    pub fn place(&mut self, x: usize, y: usize, picture: &Canvas) {
        let width = picture.width.min(self.width.saturating_sub(x));
        for (row, pixels) in picture.pixels.chunks_exact(picture.width).enumerate() {
            if width > 0 && y + row < self.height {
                self.pixels[(y + row) * self.width + x..][..width].copy_from_slice(&pixels[..width]);
            }
        }
    }

    /// The same picture at a size that suits its neighbours, pixel by pixel: nothing is smoothed.
    pub fn fitted(&self, sides: Sides) -> Canvas {
        let longer = self.width.max(self.height);
        let (factor, stride) = ((sides.least / longer).max(1), longer.div_ceil(sides.most));
        let (width, height) = (self.width.div_ceil(stride) * factor, self.height.div_ceil(stride) * factor);
        let source = |x: usize, y: usize| self.pixels[y / factor * stride * self.width + x / factor * stride];
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| source(x, y))).collect();
        Canvas { width, height, pixels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: Sides = Sides { least: 256, most: 512 };

    fn size_once_fitted(width: usize, height: usize) -> [usize; 2] {
        let fitted = Canvas::new(width, height, [0; 3]).fitted(SIDES);
        [fitted.width(), fitted.height()]
    }

    #[test]
    fn small_pictures_are_enlarged_and_large_ones_shrunk() {
        assert_eq!(size_once_fitted(64, 64), [256, 256]);
        assert_eq!(size_once_fitted(1, 1), [256, 256]);
        assert_eq!(size_once_fitted(100, 50), [200, 100]);
        assert_eq!(size_once_fitted(300, 512), [300, 512]);
        assert_eq!(size_once_fitted(4096, 1), [512, 1]);
        assert_eq!(size_once_fitted(513, 7), [257, 4]);
    }

    #[test]
    fn enlarging_repeats_pixels() {
        let (black, white) = ([0; 3], [255; 3]);
        let pair = Canvas::from_pixels(2, 1, vec![black, white]).fitted(Sides { least: 4, most: 4 });
        assert_eq!(pair, Canvas::from_pixels(4, 2, vec![black, black, white, white, black, black, white, white]));
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        let mut canvas = Canvas::new(2, 2, [0; 3]);
        canvas.place(1, 1, &Canvas::new(5, 5, [9; 3]));
        canvas.place(7, 7, &Canvas::new(5, 5, [9; 3]));
        canvas.fill(1, 0, [7, 1], [5; 3]);
        canvas.fill(7, 7, [7, 7], [5; 3]);
        assert_eq!(canvas.pixels, [[0; 3], [5; 3], [0; 3], [9; 3]]);
    }
}
