//! Sums and extremes of many numbers in eight lanes, each with an order of its own, so that they fill vector registers.

const LANES: usize = 8;

pub fn sum_of(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, number) in sums.iter_mut().zip(chunk) {
            *sum += number;
        }
    }
    sums.iter().chain(rest).sum()
}

/// The least and the greatest.
#[inline]
pub fn range_of(numbers: &[f64]) -> [f64; 2] {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let (mut least, mut most) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    for chunk in chunks {
        for ((least, most), number) in least.iter_mut().zip(&mut most).zip(chunk) {
            *least = lesser(*least, *number);
            *most = greater(*most, *number);
        }
    }
    let least = least.iter().chain(rest).fold(f64::INFINITY, |a, b| lesser(a, *b));
    [least, most.iter().chain(rest).fold(f64::NEG_INFINITY, |a, b| greater(a, *b))]
}

/// One instruction, where `f64::min` has to heed numbers that are none.
fn lesser(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_left_out_whatever_their_count() {
        for count in 0..40 {
            let numbers: Vec<f64> = (0..count).map(|index| f64::from(index * 7 % 40)).collect();
            let [least, most] = range_of(&numbers);
            assert_eq!(sum_of(&numbers), numbers.iter().sum::<f64>());
            assert_eq!(least, numbers.iter().copied().fold(f64::INFINITY, f64::min));
            assert_eq!(most, numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
    }
}
