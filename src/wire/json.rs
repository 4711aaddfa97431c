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
    assert!(value.is_finite(), "every number that leaves is finite, found {value}");
    let value = if value == 0.0 { 0.0 } else { value };
    with_point(out, zmij::Buffer::new().format_finite(value));
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
    const MOST_DIGITS: usize = 20;
    let mut digits = [0; MOST_DIGITS];
    let (mut rest, mut start) = (value, MOST_DIGITS);
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return out.extend_from_slice(&digits[start..]);
        }
    }
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

/// Writes a finite f32 with the shortest digits that read back to the same f32.
pub fn number_f32(out: &mut Vec<u8>, value: f32) {
    assert!(value.is_finite(), "every number that leaves is finite, found {value}");
    let value = if value == 0.0 { 0.0 } else { value };
    with_point(out, zmij::Buffer::new().format_finite(value));
}

/// A number's text: `0.0` for both zeros, `1.0e-7` rather than `1e-7`.
fn with_point(out: &mut Vec<u8>, text: &str) {
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => {
            out.extend_from_slice(mantissa.as_bytes());
            out.extend_from_slice(b".0e");
            out.extend_from_slice(exponent.as_bytes());
        }
        _ => out.extend_from_slice(text.as_bytes()),
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
            let mut out = Vec::new();
            number(&mut out, value);
            let text = String::from_utf8(out).expect("ASCII");
            assert!(text.contains('.'), "{text}");
            assert_eq!(serde_json::from_str::<f64>(&text).expect("JSON"), value, "{text}");
            assert_eq!(text.replace("e+", "e"), expected);
        }
    }
}
