//! Numbers as digits, each written into a place that is long enough; how many bytes it took is returned.

/// The longest f64 and the longest f32: `-1.7976931348623157e+308`, `-0.00000123456789`.
pub const MOST_OF_F64: usize = 24;
pub const MOST_OF_F32: usize = 17;
/// The longest u64.
pub const MOST_OF_INTEGER: usize = 20;
/// What `small` writes, of which three bytes at most count.
pub const MOST_OF_SMALL: usize = 4;

/// A finite number with the shortest digits that read back to it, always with a decimal point; 0.0 for both zeros.
pub fn number(place: &mut [u8; MOST_OF_F64], value: f64) -> usize {
    assert!(value.is_finite(), "every number that leaves is finite, found {value}");
    // Labels and misses; also -0.0.
    let whole = value as u8;
    if f64::from(whole) == value {
        return small_with_point(place, whole);
    }
    with_point(place, zmij::Buffer::new().format_finite(value).as_bytes())
}

/// As `number`; the digits read back to the same f32.
pub fn number_f32(place: &mut [u8; MOST_OF_F32], value: f32) -> usize {
    assert!(value.is_finite(), "every number that leaves is finite, found {value}");
    let value = value + 0.0;
    with_point(place, zmij::Buffer::new().format_finite(value).as_bytes())
}

pub fn integer(place: &mut [u8; MOST_OF_INTEGER], value: u64) -> usize {
    if let Ok(value) = u8::try_from(value) {
        return small(place, value);
    }
    let length = value.ilog10() as usize + 1;
    let mut rest = value;
    for digit in place[..length].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    length
}

/// Writes `MOST_OF_SMALL` bytes, of which those behind the digits are to be overwritten.
pub fn small(place: &mut [u8], value: u8) -> usize {
    let entry = SMALL[usize::from(value)];
    place[..MOST_OF_SMALL].copy_from_slice(&entry);
    usize::from(entry[MOST_OF_SMALL - 1])
}

fn small_with_point(place: &mut [u8], value: u8) -> usize {
    let length = small(place, value);
    place[length..length + 2].copy_from_slice(b".0");
    length + 2
}

/// For each u8 its digits, and in the last byte how many they are.
static SMALL: [[u8; MOST_OF_SMALL]; 256] = {
    let mut table = [[0; MOST_OF_SMALL]; 256];
    let mut value = 0;
    while value < 256 {
        let [hundreds, tens, ones] = [value / 100, value / 10 % 10, value % 10];
        let [hundreds, tens, ones] = [b'0' + hundreds as u8, b'0' + tens as u8, b'0' + ones as u8];
        table[value] = match value {
            100.. => [hundreds, tens, ones, 3],
            10.. => [tens, ones, 0, 2],
            _ => [ones, 0, 0, 1],
        };
        value += 1;
    }
    table
};

/// A number's text: `1.0e-7` rather than `1e-7`. A mantissa without a point is a single digit.
fn with_point(place: &mut [u8], text: &[u8]) -> usize {
    let mantissa = 1 + usize::from(text[0] == b'-');
    if text[mantissa] != b'e' {
        place[..text.len()].copy_from_slice(text);
        return text.len();
    }
    let parts = [&text[..mantissa], b".0", &text[mantissa..]];
    let mut length = 0;
    for part in parts {
        place[length..length + part.len()].copy_from_slice(part);
        length += part.len();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<const MOST: usize>(write: impl Fn(&mut [u8; MOST]) -> usize) -> String {
        let mut place = [b'?'; MOST];
        let length = write(&mut place);
        String::from_utf8(place[..length].to_vec()).expect("ASCII")
    }

    #[test]
    fn numbers_have_a_point_and_read_back_to_their_bits() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "0.0"),
            (1.5, "1.5"),
            (7.0, "7.0"),
            (42.0, "42.0"),
            (255.0, "255.0"),
            (256.0, "256.0"),
            (-1.0, "-1.0"),
            (1e-7, "1.0e-7"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e300, "1.0e300"),
            (-5e-324, "-5.0e-324"),
            (f64::MIN, "-1.7976931348623157e308"),
            (-2.2250738585072014e-308, "-2.2250738585072014e-308"),
        ] {
            let text = text(|place| number(place, value));
            assert_eq!(serde_json::from_str::<f64>(&text).expect("JSON"), value, "{text}");
            assert_eq!(text.replace("e+", "e"), expected);
        }
    }

    #[test]
    fn an_f32_has_the_digits_that_read_back_to_the_same_f32() {
        for (value, expected) in [
            (-0.0, "0.0"),
            (0.1, "0.1"),
            (1e-7, "1.0e-7"),
            (f32::MIN_POSITIVE, "1.1754944e-38"),
            (-1.175_494_5e-38, "-1.1754945e-38"),
            (f32::MIN, "-3.4028235e38"),
            (-1.234_567_9e-6, "-0.0000012345679"),
            (-1.234_568e12, "-1234568000000.0"),
        ] {
            let text = text(|place| number_f32(place, value));
            assert_eq!(text.parse::<f32>().expect("a number"), value, "{text}");
            assert_eq!(text.replace("e+", "e"), expected);
        }
    }

    #[test]
    fn no_exponent_makes_a_number_longer_than_its_place() {
        let fractions = [0, 1, 0x0012_3456_789a_bcde, 0x000f_ffff_ffff_ffff];
        for fraction in fractions.map(|fraction| fraction & 0x000f_ffff_ffff_ffff) {
            for exponent in 0..0x7ff {
                let value = -f64::from_bits((exponent << 52) | fraction);
                assert_eq!(text(|place| number(place, value)).parse(), Ok(value));
            }
            for exponent in 0..0xff {
                let value = -f32::from_bits((exponent << 23) | (fraction >> 29) as u32);
                assert_eq!(text(|place| number_f32(place, value)).parse(), Ok(value));
            }
        }
    }

    #[test]
    fn integers_are_their_digits() {
        let around_powers = (0..20).flat_map(|power| [10u64.pow(power) - 1, 10u64.pow(power)]);
        for value in (0..1000).chain(around_powers).chain([u64::MAX]) {
            assert_eq!(text(|place| integer(place, value)), value.to_string());
        }
    }
}
