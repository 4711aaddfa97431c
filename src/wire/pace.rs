//! The one question of a long reply: does anybody still want it?

use crate::protocol::{Abandoned, KeepGoing};

/// Asks `keep_going` once for each MiB that was written.
pub struct Pace<'a, 'k> {
    next_at: usize,
    keep_going: &'a mut KeepGoing<'k>,
}

const MEBIBYTE: usize = 1 << 20;

impl<'a, 'k> Pace<'a, 'k> {
    pub fn new(out: &[u8], keep_going: &'a mut KeepGoing<'k>) -> Self {
        Self { next_at: out.len() + MEBIBYTE, keep_going }
    }

    pub fn check(&mut self, out: &[u8]) -> Result<(), Abandoned> {
        if out.len() < self.next_at {
            return Ok(());
        }
        self.next_at = out.len() + MEBIBYTE;
        if (self.keep_going)() { Ok(()) } else { Err(Abandoned) }
    }
}
