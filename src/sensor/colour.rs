//! Colours as Monty's features have them.

use crate::math::floor;

/// Hue, saturation and value of a colour, each from 0 to 1, as skimage's `rgb2hsv` gives them.
pub fn hsv([red, green, blue, _]: [u8; 4]) -> [f64; 3] {
    let [r, g, b] = [red, green, blue].map(|part| f64::from(part) / 255.0);
    let value = r.max(g).max(b);
    let range = value - r.min(g).min(b);
    if range == 0.0 {
        return [0.0, 0.0, value];
    }
    // The order of skimage's assignments: of equal largest parts the later one decides.
    let sixths = if b == value {
        4.0 + (r - g) / range
    } else if g == value {
        2.0 + (b - r) / range
    } else {
        (g - b) / range
    };
    let hue = sixths / 6.0;
    [hue - floor(hue), range / value, value]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_their_hues() {
        for (rgb, expected) in [
            ([255, 0, 0], [0.0, 1.0, 1.0]),
            ([0, 255, 0], [1.0 / 3.0, 1.0, 1.0]),
            ([0, 0, 255], [2.0 / 3.0, 1.0, 1.0]),
            ([255, 0, 255], [5.0 / 6.0, 1.0, 1.0]),
            ([128, 128, 128], [0.0, 0.0, 128.0 / 255.0]),
            ([0, 0, 0], [0.0, 0.0, 0.0]),
        ] {
            let [r, g, b] = rgb;
            for (found, expected) in hsv([r, g, b, 255]).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-15, "{rgb:?}");
            }
        }
    }
}
