//! JSON text, written straight into a buffer.

/// Writes a text with its quotes and escapes.
pub fn string(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("writing to memory does not fail");
}

/// Writes an object's key and the colon, with a comma unless it is the first.
pub fn key(out: &mut Vec<u8>, name: &str) {
    comma(out);
    string(out, name);
    out.push(b':');
}

/// Writes a comma unless a bracket was just opened.
pub fn comma(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'{' | b'[')) {
        out.push(b',');
    }
}

/// Writes a finite number with the shortest digits that read back to it, always with a decimal point.
pub fn number(out: &mut Vec<u8>, value: f64) {
    out.extend_from_slice(number_text(value).as_bytes());
}

pub fn numbers(out: &mut Vec<u8>, values: &[f64]) {
    out.push(b'[');
    for value in values {
        comma(out);
        number(out, *value);
    }
    out.push(b']');
}

pub fn integer(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(value.to_string().as_bytes());
}

pub fn boolean(out: &mut Vec<u8>, value: bool) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Writes a list of texts.
pub fn strings<'a>(out: &mut Vec<u8>, texts: impl IntoIterator<Item = &'a str>) {
    out.push(b'[');
    for text in texts {
        comma(out);
        string(out, text);
    }
    out.push(b']');
}

/// A number's text as replies hold it: `0.0` for both zeros, `1.0e-7` rather than `1e-7`.
pub fn number_text(value: f64) -> String {
    assert!(value.is_finite(), "every number that leaves is finite, found {value}");
    let value = if value == 0.0 { 0.0 } else { value };
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_point_and_read_back_to_their_bits() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "0.0"),
            (1.5, "1.5"),
            (1e-7, "1.0e-7"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e300, "1.0e300"),
            (-5e-324, "-5.0e-324"),
        ] {
            let text = number_text(value);
            assert!(text.contains('.'), "{text}");
            assert_eq!(serde_json::from_str::<f64>(&text).expect("JSON"), value, "{text}");
            assert_eq!(text.replace("e+", "e"), expected);
        }
    }
}
