//! A bumpy textured ball of as many triangles as asked for, as files in memory.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use saccade::assets::{DataFolder, InMemory, Layout};
use saccade::math::{PI, cos, sin};

/// Radius of the ball, metres.
pub const RADIUS_M: f64 = 0.05;

/// A ball of `2 · slices · stacks` triangles or a few less, in Monty's MuJoCo layout, with smooth normals and
/// a texture of `texels`² pixels, as YCB's objects have them.
pub fn ball(slices: u32, stacks: u32, texels: u32) -> InMemory {
    painted_ball(slices, stacks, texels, 5)
}

/// The same with a texture of squares of which only so many of five are painted: much of a scan's texture is empty.
pub fn painted_ball(slices: u32, stacks: u32, texels: u32, painted: u32) -> InMemory {
    let texture = texture(texels, painted);
    let files = [("ball/textured.obj", obj(slices, stacks).into_bytes()), ("ball/texture_map.png", texture)];
    InMemory(BTreeMap::from(files.map(|(path, bytes)| (format!("{ROOT}/{path}"), bytes))))
}

const ROOT: &str = "data";

pub fn folder() -> DataFolder {
    DataFolder { layout: Some(Layout::Mujoco), root: ROOT.to_owned() }
}

/// Waves on a ball, 2 % of its radius high.
fn radius(azimuth: f64, elevation: f64) -> f64 {
    RADIUS_M * (1.0 + 0.02 * sin(9.0 * azimuth) * sin(11.0 * elevation))
}

fn obj(slices: u32, stacks: u32) -> String {
    let mut text = String::new();
    for (stack, slice) in (0..=stacks).flat_map(|stack| (0..=slices).map(move |slice| (stack, slice))) {
        let (u, v) = (f64::from(slice) / f64::from(slices), f64::from(stack) / f64::from(stacks));
        let (azimuth, elevation) = (2.0 * PI * u, PI * (v - 0.5));
        let (r, flat) = (radius(azimuth, elevation), cos(elevation));
        let [x, y, z] = [flat * cos(azimuth), sin(elevation), -flat * sin(azimuth)].map(|part| r * part);
        writeln!(text, "v {x:.6} {y:.6} {z:.6}\nvt {u:.6} {v:.6}\nvn {x:.6} {y:.6} {z:.6}")
            .expect("a string takes all");
    }
    for (stack, slice) in (0..stacks).flat_map(|stack| (0..slices).map(move |slice| (stack, slice))) {
        let corner = |stack: u32, slice: u32| stack * (slices + 1) + slice + 1;
        let [a, b] = [corner(stack, slice), corner(stack, slice + 1)];
        let [c, d] = [corner(stack + 1, slice + 1), corner(stack + 1, slice)];
        writeln!(text, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}\nf {a}/{a}/{a} {c}/{c}/{c} {d}/{d}/{d}")
            .expect("a string takes all");
    }
    text
}

/// Bands with a little grain, as a photograph has.
fn texture(side: u32, painted: u32) -> Vec<u8> {
    const SQUARE: u32 = 64;
    let mut state = 1u32;
    let mut grain = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 29) as u8
    };
    let pixel = |(row, column): (u32, u32)| {
        let wave = |n: u32| 120.0 + 100.0 * sin(f64::from(n) * 0.02);
        match (row / SQUARE + column / SQUARE) % 5 < painted {
            true => [wave(row) as u8 + grain(), wave(column) as u8 + grain(), wave(row + column) as u8 + grain()],
            false => [0; 3],
        }
    };
    let pixels = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
    let bytes: Vec<u8> = pixels.flat_map(pixel).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side, side);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("a vector takes all");
    writer.write_image_data(&bytes).expect("a vector takes all");
    writer.finish().expect("a vector takes all");
    file
}
