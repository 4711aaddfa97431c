//! Pages of pictures: rows under headings, pictures under titles.

use super::text::{self, NARROW, Size, WIDE};
use super::{Canvas, Legend, Picture, Rgb, SensorPictures, Sides};

/// Pictures side by side.
#[derive(Debug)]
pub struct Row {
    pub heading: String,
    pub tiles: Vec<Tile>,
}

#[derive(Debug)]
pub struct Tile {
    pub title: Title,
    pub canvas: Canvas,
}

/// Words, each in its own colour.
#[derive(Debug)]
pub struct Title(Vec<(String, Rgb)>);

const PAPER: Rgb = [44, 46, 52];
const BRIGHT: Rgb = [240, 240, 240];
const INK: Rgb = [190, 194, 202];
/// Between pictures, and around the page.
const GAP: usize = 12;
/// Between a title and its picture.
const NEAR: usize = 4;
/// Of the pictures on a contact sheet.
const SHEET_SIDES: Sides = Sides { least: 256, most: 512 };

/// All sensors and modalities of a step: a row a sensor.
pub fn contact_sheet(title: &str, sensors: &[SensorPictures]) -> Canvas {
    let rows: Vec<Row> = sensors.iter().map(sheet_row).collect();
    page(title, &rows)
}

fn sheet_row(sensor: &SensorPictures) -> Row {
    let tile = |picture: &Picture| Tile { title: Title::of(picture), canvas: picture.canvas.fitted(SHEET_SIDES) };
    Row { heading: sensor.heading(), tiles: sensor.pictures.iter().map(tile).collect() }
}

impl SensorPictures {
    pub fn heading(&self) -> String {
        let size = self.pictures.first().map(|p| format!("  {} x {}", p.canvas.width(), p.canvas.height()));
        format!("{} of {}{}", self.sensor_id, self.agent_id, size.unwrap_or_default())
    }
}

impl Title {
    pub fn plain(text: impl Into<String>) -> Self {
        Self(vec![(text.into(), INK)])
    }

    fn of(picture: &Picture) -> Self {
        let word = picture.modality.word();
        match &picture.legend {
            Legend::Plain => Self::plain(word),
            Legend::Depth(range) => Self::plain(format!("{word} {range}")),
            Legend::SemanticIds(ids) => {
                let ids = ids.iter().map(|(id, color)| (format!(" {id}"), *color));
                Self(std::iter::once((word.to_owned(), INK)).chain(ids).collect())
            }
        }
    }
}

/// A page with its title on top. Every column is as wide as its widest picture.
pub fn page(title: &str, rows: &[Row]) -> Canvas {
    let columns = column_widths(rows);
    let of_pictures = columns.iter().map(|width| width + GAP).sum::<usize>();
    let width = GAP + of_pictures.max(width_of_lines(title, rows) + GAP);
    let top = GAP + WIDE.height() + 2 * GAP;
    let mut page = Canvas::new(width, top + rows.iter().map(row_height).sum::<usize>(), PAPER);
    let size = if WIDE.width_of(title) <= width - 2 * GAP { WIDE } else { NARROW };
    write(&mut page, GAP, GAP, title, size);
    let mut y = top;
    for row in rows {
        draw_row(&mut page, y, row, &columns);
        y += row_height(row);
    }
    page
}

/// How far a page with few pictures is widened for its title and headings.
const WIDEST_LINE: usize = 800;

fn width_of_lines(title: &str, rows: &[Row]) -> usize {
    let lines = rows.iter().map(|row| row.heading.as_str()).chain([title]);
    lines.map(|line| NARROW.width_of(line)).max().unwrap_or(0).min(WIDEST_LINE)
}

fn column_widths(rows: &[Row]) -> Vec<usize> {
    let columns = rows.iter().map(|row| row.tiles.len()).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.tiles.get(column)).map(|t| t.canvas.width()).max();
    (0..columns).filter_map(width).collect()
}

/// Heading, titles, pictures and the gap below.
fn row_height(row: &Row) -> usize {
    let tallest = row.tiles.iter().map(|tile| tile.canvas.height()).max().unwrap_or(0);
    2 * (NARROW.height() + NEAR) + tallest + GAP
}

fn draw_row(page: &mut Canvas, y: usize, row: &Row, columns: &[usize]) {
    write(page, GAP, y, &row.heading, NARROW);
    let titles = y + NARROW.height() + NEAR;
    let pictures = titles + NARROW.height() + NEAR;
    let mut x = GAP;
    for (tile, width) in row.tiles.iter().zip(columns) {
        write_title(page, x, titles, &tile.title, *width);
        page.place(x, pictures, &tile.canvas);
        x += width + GAP;
    }
}

fn write(page: &mut Canvas, x: usize, y: usize, line: &str, size: Size) {
    let line = text::cut(line, page.width() - x - GAP, size);
    text::write(page, x, y, &line, size, BRIGHT);
}

fn write_title(page: &mut Canvas, x: usize, y: usize, title: &Title, width: usize) {
    let (mut x, mut left) = (x, width);
    for (word, color) in &title.0 {
        let word = text::cut(word, left, NARROW);
        text::write(page, x, y, &word, NARROW, *color);
        x += NARROW.width_of(&word);
        left -= NARROW.width_of(&word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(heading: &str, sizes: &[[usize; 2]]) -> Row {
        let tile = |[width, height]: &[usize; 2]| Tile {
            title: Title::plain("rgba"),
            canvas: Canvas::new(*width, *height, BRIGHT),
        };
        Row { heading: heading.into(), tiles: sizes.iter().map(tile).collect() }
    }

    #[test]
    fn a_page_holds_all_of_its_pictures() {
        let rows = [row("patch", &[[256, 256], [256, 256]]), row("wide", &[[512, 64], [128, 300], [64, 64]])];
        let page = page("default", &rows);
        let (words, lines) = (2 * (16 + NEAR), 16 + 3 * GAP);
        assert_eq!(page.width(), 512 + 256 + 64 + 4 * GAP);
        assert_eq!(page.height(), lines + words + 256 + GAP + words + 300 + GAP);
        let bright = page.pixels.iter().filter(|pixel| **pixel == BRIGHT).count();
        assert!(bright > 2 * 256 * 256 + 512 * 64 + 128 * 300 + 64 * 64, "{bright}");
    }

    #[test]
    fn a_page_is_widened_for_its_title_to_a_limit() {
        let rows = [row("patch", &[[64, 64]])];
        assert_eq!(page("a title of 33 letters, as it were", &rows).width(), 33 * 8 + 2 * GAP);
        assert_eq!(page(&"long ".repeat(200), &rows).width(), WIDEST_LINE + 2 * GAP);
    }

    #[test]
    fn a_title_stays_over_its_picture() {
        let ids = (1..100).map(|id| (format!(" {id}"), INK)).collect();
        let mut canvas = Canvas::new(300, 20, PAPER);
        write_title(&mut canvas, 0, 0, &Title(ids), 128);
        let beyond = canvas.pixels.chunks(300).flat_map(|row| &row[128..]);
        assert!(beyond.copied().all(|pixel| pixel == PAPER));
    }
}
