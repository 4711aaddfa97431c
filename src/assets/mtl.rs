//! Wavefront MTL: of each material its colour (Kd) or its picture (map_Kd), which stands in place of the colour.

use super::error::{AssetError, Place};
use super::image::decode;
use super::mesh::Material;
use super::obj::numbers;
use super::path::{folder_of, join};
use super::source::{Bytes, Files};
use super::texture::{Texture, Wrap};

/// The materials of the libraries that an OBJ file names in one line; one that is missing is told and passed over.
pub fn read_library(obj: &str, names: &str, files: &mut Files) -> Result<Vec<(Vec<u8>, Material)>, AssetError> {
    let mut materials = Vec::new();
    // The whole rest of the line is one name where such a file exists, a list of names else.
    let whole = find(obj, names, files)?;
    let found = match whole {
        Some(found) => vec![(names.to_owned(), Some(found))],
        None => {
            let words = names.split_ascii_whitespace();
            words.map(|name| Ok((name.to_owned(), find(obj, name, files)?))).collect::<Result<_, AssetError>>()?
        }
    };
    for (name, library) in found {
        match library {
            Some((path, bytes)) => materials.append(&mut read_materials(&path, &bytes, files)?),
            None => files.warn(format!("{obj}: mtllib {name}: there is no such file; its materials stay grey")),
        }
    }
    Ok(materials)
}

/// A file by the name that another one writes, relative to it; where no file has that literal name, `\` separates folders.
fn find<'s>(from: &str, name: &str, files: &Files<'s>) -> Result<Option<(String, Bytes<'s>)>, AssetError> {
    for name in [name.to_owned(), name.replace('\\', "/")] {
        let path = join(folder_of(from), &name);
        if let Some(bytes) = files.read_if_there(&path)? {
            return Ok(Some((path, bytes)));
        }
    }
    Ok(None)
}

fn read_materials(file: &str, bytes: &[u8], files: &mut Files) -> Result<Vec<(Vec<u8>, Material)>, AssetError> {
    let mut materials: Vec<(Vec<u8>, Material)> = Vec::new();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (number, line) in (1..).zip(bytes.split(|b| *b == b'\n')) {
        let line = line.trim_ascii();
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let rest = line[end..].trim_ascii_start();
        let place = Place::Line(number);
        match (&line[..end], materials.last_mut()) {
            (b"newmtl", _) => materials.push((rest.to_vec(), Material::PLAIN)),
            (b"Kd", Some((_, material))) if !rest.starts_with(b"spectral") && !rest.starts_with(b"xyz") => {
                let ([red, green, blue], count) = numbers::<3>(file, place, "Kd", rest, 1)?;
                let color = if count == 3 { [red, green, blue] } else { [red; 3] };
                material.color = Some(color.map(|part| part.clamp(0.0, 1.0) as f32));
            }
            (b"map_Kd", Some((_, material))) => material.texture = read_map(file, number, rest, files)?,
            _ => {}
        }
    }
    for (_, material) in materials.iter_mut().filter(|(_, m)| m.texture.is_some()) {
        material.color = None;
    }
    Ok(materials)
}

fn read_map(file: &str, line: usize, rest: &[u8], files: &mut Files) -> Result<Option<Texture>, AssetError> {
    let text = text_name(rest);
    let Options { name, is_clamped, is_moved } = Options::of(&text);
    if is_moved {
        files
            .warn(format!("{file}: line {line}: map_Kd with -o, -s or -t that move the picture; they are passed over"));
    }
    let Some((path, bytes)) = find(file, name, files)? else {
        files.warn(format!("{file}: line {line}: map_Kd {name}: there is no such file; its faces have no picture"));
        return Ok(None);
    };
    let mut texture = Texture::repeated(decode(&path, &bytes)?);
    if is_clamped {
        texture.wrap = [Wrap::Clamp; 2];
    }
    Ok(Some(texture))
}

/// What stands behind map_Kd.
struct Options<'t> {
    name: &'t str,
    is_clamped: bool,
    is_moved: bool,
}

impl<'t> Options<'t> {
    /// Options stand before the file's name, which may hold blanks.
    fn of(text: &'t str) -> Self {
        let mut options = Options { name: text.trim(), is_clamped: false, is_moved: false };
        while let Some((word, rest)) = options.name.split_once([' ', '\t']).filter(|(word, _)| word.starts_with('-')) {
            let (least, most) = match word {
                "-blendu" | "-blendv" | "-cc" | "-clamp" | "-bm" | "-boost" | "-texres" | "-imfchan" | "-type" => {
                    (1, 1)
                }
                "-mm" => (2, 2),
                "-o" | "-s" | "-t" => (1, 3),
                _ => return options,
            };
            let (values, rest) = values(rest.trim_start(), least, most);
            let numbers = || values.iter().filter_map(|value| value.parse::<f64>().ok());
            options.is_clamped |= word == "-clamp" && values == ["on"];
            options.is_moved |= (word == "-o" || word == "-t") && numbers().any(|n| n != 0.0);
            options.is_moved |= word == "-s" && numbers().any(|n| n != 1.0);
            options.name = rest;
        }
        options
    }
}

/// The first words, beyond `least` only as long as they are numbers; and what is behind them, at least one word.
fn values(mut text: &str, least: usize, most: usize) -> (Vec<&str>, &str) {
    let mut values = Vec::new();
    while values.len() < most {
        let Some((word, rest)) = text.split_once([' ', '\t']) else { break };
        if values.len() >= least && word.parse::<f64>().is_err() {
            break;
        }
        values.push(word);
        text = rest.trim_start();
    }
    (values, text)
}

/// A name as text; bytes that are not UTF-8 are taken as Latin-1, which old tools write.
pub fn text_name(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.trim().to_owned(),
        Err(_) => bytes.trim_ascii().iter().map(|b| char::from(*b)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_before_a_name_that_may_hold_blanks_and_digits() {
        for (text, name, is_clamped, is_moved) in [
            ("a.png", "a.png", false, false),
            ("-clamp on the map.png", "the map.png", true, false),
            ("-o 0 0 0 -s 1 1 1 -mm 0 1 2 maps.png", "2 maps.png", false, false),
            ("-s 2 a.png", "a.png", false, true),
            ("-bm 0.2 -blendu off\tb.png", "b.png", false, false),
            ("-strange.png", "-strange.png", false, false),
        ] {
            let options = Options::of(text);
            assert_eq!((options.name, options.is_clamped, options.is_moved), (name, is_clamped, is_moved), "{text}");
        }
    }
}
