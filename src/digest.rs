//! Fingerprints of state: 64-bit FNV-1a over a fixed order of fields.
//!
//! Not a defence against forgery: it is for comparing runs. Numbers go in by their bits (with -0.0 as 0.0), texts with their
//! length, so that no two different states feed the same bytes by accident of where one field ends.

/// Collects fields and yields their fingerprint.
#[derive(Clone, Debug)]
pub struct Digest(u64);

impl Digest {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;

    pub fn new() -> Self {
        Self(Self::OFFSET_BASIS)
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(Self::PRIME);
        }
    }

    pub fn integer(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    pub fn number(&mut self, value: f64) {
        let canonical = if value == 0.0 { 0.0 } else { value };
        self.integer(canonical.to_bits());
    }

    pub fn numbers(&mut self, values: &[f64]) {
        for value in values {
            self.number(*value);
        }
    }

    pub fn text(&mut self, text: &str) {
        self.integer(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    pub fn finish(&self) -> u64 {
        self.0
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let mut digest = Digest::new();
        digest.bytes(b"foobar");
        assert_eq!(digest.finish(), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn negative_zero_is_zero_and_the_border_between_texts_counts() {
        let of = |feed: &dyn Fn(&mut Digest)| {
            let mut digest = Digest::new();
            feed(&mut digest);
            digest.finish()
        };
        assert_eq!(of(&|d| d.number(-0.0)), of(&|d| d.number(0.0)));
        assert_ne!(
            of(&|d| {
                d.text("ab");
                d.text("c");
            }),
            of(&|d| {
                d.text("a");
                d.text("bc");
            })
        );
    }
}
