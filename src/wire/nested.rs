//! Images as nested lists: room is made for many numbers at once, and what they did not take is given back.

use super::digits::{self, MOST_OF_F32, MOST_OF_F64, MOST_OF_INTEGER, MOST_OF_SMALL};
use super::json;
use super::pace::Pace;
use crate::protocol::{Abandoned, Image};

/// A bracket, and four parts, each with a comma or bracket behind it.
const MOST_OF_COLOUR: usize = 1 + 4 * (MOST_OF_SMALL + 1);
const MOST_OF_POINT: usize = 1 + 4 * (MOST_OF_F64 + 1);

pub fn write_depth(image: &Image<f32>, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    write_rows(image, out, pace, |place: &mut [u8; MOST_OF_F32], depth| digits::number_f32(place, *depth))
}

pub fn write_rgba(image: &Image<[u8; 4]>, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    write_rows(image, out, pace, colour)
}

pub fn write_semantic(image: &Image<u32>, out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    write_rows(image, out, pace, |place: &mut [u8; MOST_OF_INTEGER], id| digits::integer(place, (*id).into()))
}

pub fn write_colour(rgba: &[u8; 4], out: &mut Vec<u8>) {
    let mut place = [0; MOST_OF_COLOUR];
    let length = colour(&mut place, rgba);
    out.extend_from_slice(&place[..length]);
}

/// One list of all points.
pub fn write_points(points: &[[f64; 4]], out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), Abandoned> {
    /// Points for which room is made at once.
    const AT_ONCE: usize = 64;
    out.push(b'[');
    for points in points.chunks(AT_ONCE) {
        write_items(points, out, point);
        pace.check(out)?;
    }
    close(out);
    Ok(())
}

pub fn write_matrix<const N: usize>(rows: &[[f64; N]], out: &mut Vec<u8>) {
    out.push(b'[');
    for row in rows {
        json::comma(out);
        json::numbers(out, row);
    }
    out.push(b']');
}

fn write_rows<T, const MOST: usize>(
    image: &Image<T>,
    out: &mut Vec<u8>,
    pace: &mut Pace,
    write: impl Fn(&mut [u8; MOST], &T) -> usize,
) -> Result<(), Abandoned> {
    out.push(b'[');
    for row in image.rows() {
        out.push(b'[');
        write_items(row, out, &write);
        close(out);
        out.push(b',');
        pace.check(out)?;
    }
    close(out);
    Ok(())
}

/// Each item with a comma behind it; none takes more than `MOST` bytes.
fn write_items<T, const MOST: usize>(items: &[T], out: &mut Vec<u8>, write: impl Fn(&mut [u8; MOST], &T) -> usize) {
    let mut end = out.len();
    out.resize(end + items.len() * (MOST + 1), 0);
    for item in items {
        let place = out[end..].first_chunk_mut().expect("room was made for each item's longest text");
        end += write(place, item);
        out[end] = b',';
        end += 1;
    }
    out.truncate(end);
}

/// The bracket takes the place of the last comma.
fn close(out: &mut Vec<u8>) {
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.push(b']');
}

fn colour(place: &mut [u8; MOST_OF_COLOUR], rgba: &[u8; 4]) -> usize {
    list(place, rgba, |place, part| digits::small(place, *part))
}

fn point(place: &mut [u8; MOST_OF_POINT], point: &[f64; 4]) -> usize {
    list(place, point, |place, number| {
        digits::number(place.first_chunk_mut().expect("a point's place holds four numbers"), *number)
    })
}

fn list<T>(place: &mut [u8], parts: &[T; 4], write: impl Fn(&mut [u8], &T) -> usize) -> usize {
    place[0] = b'[';
    let mut end = 1;
    for part in parts {
        end += write(&mut place[end..], part);
        place[end] = b',';
        end += 1;
    }
    place[end - 1] = b']';
    end
}
