//! One colour for each semantic id, the same in every picture.

use super::Rgb;

/// What belongs to no object.
const BACKGROUND: Rgb = [0, 0, 0];

/// Of the ids from 1: colours that people tell apart at a glance, none near black.
const FIRST: [Rgb; 16] = [
    [230, 75, 60],
    [60, 180, 75],
    [80, 130, 255],
    [255, 225, 25],
    [245, 130, 48],
    [170, 70, 220],
    [70, 240, 240],
    [240, 50, 230],
    [190, 245, 60],
    [255, 165, 190],
    [0, 140, 130],
    [170, 110, 40],
    [220, 190, 255],
    [255, 250, 200],
    [150, 30, 60],
    [130, 130, 0],
];

pub fn color_of(semantic_id: u32) -> Rgb {
    match semantic_id.checked_sub(1) {
        None => BACKGROUND,
        Some(index) => FIRST.get(index as usize).copied().unwrap_or_else(|| scattered(semantic_id)),
    }
}

/// Multiplying by an odd number scatters neighbours and keeps any 2²¹ ids in a row apart.
fn scattered(semantic_id: u32) -> Rgb {
    const GOLDEN: u32 = 0x9E37_79B1;
    const BITS: u32 = 21;
    let bits = semantic_id.wrapping_mul(GOLDEN) & ((1 << BITS) - 1);
    let bright = |part: u32| 128 | (part & 0x7F) as u8;
    [bright(bits >> 14), bright(bits >> 7), bright(bits)]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_id_of_a_large_scene_has_its_own_color() {
        let ids = 0..20_000;
        let colors: BTreeSet<Rgb> = ids.clone().map(color_of).collect();
        assert_eq!(colors.len(), ids.len());
    }

    #[test]
    fn the_first_ids_are_told_apart_at_a_glance() {
        let distance = |a: Rgb, b: Rgb| a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>();
        for a in 0..=16 {
            for b in 0..a {
                assert!(distance(color_of(a), color_of(b)) >= 75, "{a} and {b}");
            }
        }
    }
}
