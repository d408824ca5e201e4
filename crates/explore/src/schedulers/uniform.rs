//! Uniform random scheduling: at every step each enabled thread is equally likely.
//!
//! Controlled random scheduling (Walker's thesis, §6.1). The alternatives of a thread share its probability.
//!
//! Promise: a run depends on the seed and its number alone.

use super::{Runs, numbered, thread_scheduler};
use crate::light::Candidate;
use crate::random::Random;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Uniform random scheduling.
#[derive(Clone, Debug)]
pub struct Uniform {
    seed: u64,
    runs: Runs,
    random: Random,
}

impl Uniform {
    /// A number of runs with this seed.
    pub fn new(seed: u64, runs: u64) -> Uniform {
        Uniform { seed, runs: Runs::new(runs), random: Random(seed) }
    }

    /// Begins a run that another scheduler numbers.
    pub(super) fn begin_run(&mut self, run: u64) {
        self.runs.at = run;
        self.begin();
    }

    /// A random thread, then a random alternative of it.
    #[inline]
    pub(super) fn pick_any(&mut self, enabled: &[impl Candidate]) -> Option<usize> {
        if enabled.len() == 1 {
            return Some(0);
        }
        let is_first = |index: usize| index == 0 || enabled[index - 1].thread() != enabled[index].thread();
        let starts = (0..enabled.len()).filter(|index| is_first(*index));
        let threads = starts.clone().count();
        let chosen = self.random.below(threads)?;
        if threads == enabled.len() {
            return Some(chosen);
        }
        let start = { starts }.nth(chosen)?;
        let same = |event: &&_| Candidate::thread(*event) == enabled[start].thread();
        Some(start + self.random.below(enabled[start..].iter().take_while(same).count())?)
    }

    /// The executed event does not matter.
    fn done_any(&mut self, _event: &impl Candidate) {}
}

impl Scheduler for Uniform {
    fn begin(&mut self) {
        self.random = Random::of_run(self.seed, self.runs.at);
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        self.runs.next()
    }

    numbered!();
    thread_scheduler!();
}

thread_scheduler!(light: Uniform);
