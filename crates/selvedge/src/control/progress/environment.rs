//! What a program observes of the machine: the virtual clock, and how many threads run in parallel.
//!
//! Time passes when a thread sleeps or a wait times out, by that duration, and at no other step. So the
//! order of two sleeps does not matter, and the clock depends only on the sleeps that came before.

use std::num::NonZero;
use std::time::Duration;

/// The default of `available_parallelism`.
const PARALLELISM: NonZero<usize> = NonZero::new(2).expect("not zero");

/// The machine of a run.
#[derive(Debug)]
pub(crate) struct Environment {
    /// Nanoseconds since the run began.
    now: u64,
    /// The answer to `available_parallelism`.
    pub(crate) parallelism: NonZero<usize>,
}

impl Environment {
    /// At the beginning of a run.
    pub(in crate::control) fn new() -> Environment {
        Environment { now: 0, parallelism: PARALLELISM }
    }

    /// The time since the run began.
    pub(crate) fn now(&self) -> Duration {
        Duration::from_nanos(self.now)
    }

    /// Time passes.
    pub(in crate::control) fn pass_time(&mut self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.now = self.now.saturating_add(nanos);
    }
}
