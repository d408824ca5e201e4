//! Every thread that can go on is as likely as every other, at every step.
//!
//! Controlled random scheduling (Walker's thesis, §6.1). Where a thread has several alternatives, they share its chance.

use super::{Runs, numbered};
use crate::event::Event;
use crate::ids::EventId;
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
    /// So many runs by this seed.
    pub fn new(seed: u64, runs: u64) -> Uniform {
        Uniform { seed, runs: Runs::new(runs), random: Random(seed) }
    }
}

impl Scheduler for Uniform {
    fn begin(&mut self) {
        self.random = Random::of_run(self.seed, self.runs.at);
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        pick(&mut self.random, enabled)
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        self.runs.next()
    }

    numbered!();
}

/// A thread by chance, then one of its alternatives by chance.
#[inline]
pub(crate) fn pick(random: &mut Random, enabled: &[Event]) -> Option<EventId> {
    if let [only] = enabled {
        return Some(only.id);
    }
    let is_first = |index: usize| index == 0 || enabled[index - 1].thread() != enabled[index].thread();
    let has_alternatives = enabled.windows(2).any(|pair| pair[0].thread() == pair[1].thread());
    if !has_alternatives {
        return random.below(enabled.len()).map(|chosen| enabled[chosen].id);
    }
    let starts = (0..enabled.len()).filter(|index| is_first(*index));
    let threads = starts.clone().count();
    let start = starts.clone().nth(random.below(threads)?)?;
    let alternatives = enabled[start..].iter().take_while(|event| event.thread() == enabled[start].thread());
    let chosen = start + random.below(alternatives.count())?;
    Some(enabled[chosen].id)
}
