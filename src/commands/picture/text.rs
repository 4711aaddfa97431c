//! Titles: letters of 8 by 8 pixels, enlarged.

use font8x8::legacy::{BASIC_LEGACY, LATIN_LEGACY};

use super::{Canvas, Rgb};

/// How many pixels across and down each pixel of a letter is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    across: usize,
    down: usize,
}

/// Narrow letters, so that a title fits over its picture.
pub const NARROW: Size = Size { across: 1, down: 2 };
/// For the top of a page.
pub const WIDE: Size = Size { across: 2, down: 2 };

const LETTER: usize = 8;
/// In place of a letter that the font has not.
const UNKNOWN: [u8; LETTER] = [0x7E, 0x42, 0x42, 0x42, 0x42, 0x42, 0x7E, 0x00];
const FIRST_LATIN: usize = 0xA0;

impl Size {
    pub const fn height(self) -> usize {
        LETTER * self.down
    }

    pub fn width_of(self, text: &str) -> usize {
        LETTER * self.across * text.chars().count()
    }
}

/// Writes with the upper left corner here; what would lie outside the canvas is left out.
pub fn write(canvas: &mut Canvas, x: usize, y: usize, text: &str, size: Size, color: Rgb) {
    for (index, letter) in text.chars().enumerate() {
        write_letter(canvas, x + index * LETTER * size.across, y, letter, size, color);
    }
}

fn write_letter(canvas: &mut Canvas, x: usize, y: usize, letter: char, size: Size, color: Rgb) {
    for (row, bits) in bitmap(letter).into_iter().enumerate() {
        for column in (0..LETTER).filter(|column| bits >> column & 1 == 1) {
            canvas.fill(x + column * size.across, y + row * size.down, [size.across, size.down], color);
        }
    }
}

/// A byte a row, the lowest bit on the left.
fn bitmap(letter: char) -> [u8; LETTER] {
    match letter as usize {
        code @ 0x20..0x7F => BASIC_LEGACY[code],
        code => code.checked_sub(FIRST_LATIN).and_then(|i| LATIN_LEGACY.get(i)).copied().unwrap_or(UNKNOWN),
    }
}

/// The text if it fits, else as much of its beginning as does, and dots.
pub fn cut(text: &str, width: usize, size: Size) -> String {
    const DOTS: &str = "...";
    if size.width_of(text) <= width {
        return text.to_owned();
    }
    let letters = width / size.width_of("n");
    let kept = text.chars().take(letters.saturating_sub(DOTS.len()));
    kept.chain(DOTS.chars()).take(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_title_is_cut_to_its_place() {
        assert_eq!(cut("view_finder", 88, NARROW), "view_finder");
        assert_eq!(cut("view_finder", 87, NARROW), "view_fi...");
        assert_eq!(cut("view_finder", 88, WIDE), "vi...");
        assert_eq!(cut("view_finder", 17, NARROW), "..");
    }

    #[test]
    fn letters_stand_upright() {
        let mut canvas = Canvas::new(8, 8, [0; 3]);
        write(&mut canvas, 0, 0, "L", Size { across: 1, down: 1 }, [1; 3]);
        let rows: Vec<String> = canvas
            .pixels
            .chunks(8)
            .map(|row| row.iter().map(|p| if p[0] == 1 { '#' } else { ' ' }).collect())
            .collect();
        assert_eq!(
            rows,
            ["####    ", " ##     ", " ##     ", " ##     ", " ##   # ", " ##  ## ", "####### ", "        "]
        );
    }

    #[test]
    fn letters_beyond_the_font_are_boxes() {
        assert_eq!(bitmap('目'), UNKNOWN);
        assert_eq!(bitmap('\n'), UNKNOWN);
        assert_ne!(bitmap('°'), UNKNOWN);
        assert_ne!(bitmap('~'), UNKNOWN);
    }
}
