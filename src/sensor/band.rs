//! Long work in bands, with the question between them whether to go on.

use crate::protocol::{Abandoned, KeepGoing};

/// Pixels between two questions: a few milliseconds.
pub const PIXELS_PER_BAND: usize = 1 << 20;

pub fn go_on(keep_going: &mut KeepGoing) -> Result<(), Abandoned> {
    if keep_going() { Ok(()) } else { Err(Abandoned) }
}

/// All indices below `count`, as ranges.
pub fn for_each_band(
    count: usize,
    keep_going: &mut KeepGoing,
    mut work: impl FnMut(std::ops::Range<usize>),
) -> Result<(), Abandoned> {
    for start in (0..count).step_by(PIXELS_PER_BAND) {
        work(start..count.min(start + PIXELS_PER_BAND));
        go_on(keep_going)?;
    }
    Ok(())
}

pub fn for_each<T>(items: &mut [T], keep_going: &mut KeepGoing, mut work: impl FnMut(&mut T)) -> Result<(), Abandoned> {
    for band in items.chunks_mut(PIXELS_PER_BAND) {
        band.iter_mut().for_each(&mut work);
        go_on(keep_going)?;
    }
    Ok(())
}

/// Counts what was done, and asks now and then whether to go on.
pub struct Work<'k, 'a> {
    keep_going: &'k mut KeepGoing<'a>,
    done: usize,
}

/// In pixels of a drawn triangle: some 10 ms.
const WORK_BETWEEN_QUESTIONS: usize = 1 << 22;

impl<'k, 'a> Work<'k, 'a> {
    pub fn new(keep_going: &'k mut KeepGoing<'a>) -> Self {
        Self { keep_going, done: 0 }
    }

    pub fn spend(&mut self, work: usize) -> Result<(), Abandoned> {
        self.done += work;
        if self.done < WORK_BETWEEN_QUESTIONS {
            return Ok(());
        }
        self.done = 0;
        go_on(self.keep_going)
    }
}
