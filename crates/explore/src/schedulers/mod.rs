//! Ways to choose runs.
//!
//! A random scheduler is a seed and a number of runs; run number n depends on these two alone.

mod exhaustive;
mod replay;
mod uniform;

pub use exhaustive::Exhaustive;
pub use replay::{Difference, Replay};
pub use uniform::Uniform;

use crate::run::Next;

/// Counts the runs of a scheduler that makes so many.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    /// The number of the present run, from 0.
    pub(crate) at: u64,
    total: u64,
}

impl Runs {
    pub(crate) fn new(total: u64) -> Runs {
        Runs { at: 0, total }
    }

    /// The present run has ended.
    pub(crate) fn next(&mut self) -> Next {
        self.at += 1;
        if self.at < self.total { Next::Another } else { Next::Done }
    }
}
