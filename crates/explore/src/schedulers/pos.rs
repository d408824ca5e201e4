//! Partial-order sampling (POS): a random scheduler that samples partial orders more evenly than
//! interleavings.
//!
//! Yuan, Yang and Gu, Partial Order Aware Concurrency Sampling, CAV 2018, Algorithm 2. Every enabled event
//! has a random priority, and the highest is executed first. An event that races with the executed event
//! draws a new priority, so that its old priority, which lost one race, does not influence the next; the
//! other events keep theirs. An event that was disabled for a while draws again, too: the event that
//! disabled it raced with it. The alternatives of a thread share one priority, and the probability of the
//! thread.
//!
//! Promise: if every two events race, a run has the probability that [`Uniform`](super::Uniform) gives it;
//! if no two events race, the events are ordered by independent random numbers.

use super::per_thread::PerThread;
use super::{Runs, alternative_at, numbered};
use crate::dependency::dependent;
use crate::event::Event;
use crate::ids::{EventId, ThreadId};
use crate::random::Random;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Partial-order sampling.
#[derive(Clone, Debug)]
pub struct Pos {
    seed: u64,
    runs: Runs,
    random: Random,
    /// By thread.
    pending: PerThread<Pending>,
    /// The number of the current choice, from 1.
    now: u64,
    last: Option<Event>,
}

/// The pending event of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    priority: u64,
    /// The number of the last choice at which it was enabled.
    enabled_at: u64,
}

impl Pos {
    /// A number of runs with this seed.
    pub fn new(seed: u64, runs: u64) -> Pos {
        let random = Random(seed);
        Pos { seed, runs: Runs::new(runs), random, pending: PerThread::default(), now: 0, last: None }
    }

    /// Draws a priority for an enabled event, unless it keeps its old one.
    #[inline]
    fn update_priority(&mut self, event: &Event) {
        let pending = self.pending.of(event.thread());
        let is_new = pending.enabled_at + 1 < self.now || pending.enabled_at == 0;
        pending.enabled_at = self.now;
        // Events of one thread are dependent, so the thread of the last event draws again.
        if is_new || self.last.is_some_and(|last| dependent(&last, event)) {
            pending.priority = self.random.word();
        }
    }
}

impl Scheduler for Pos {
    fn begin(&mut self) {
        self.random = Random::of_run(self.seed, self.runs.at);
        self.pending.clear();
        self.now = 0;
        self.last = None;
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.now += 1;
        for event in enabled {
            self.update_priority(event);
        }
        let mut best = (0, ThreadId::MAIN);
        for event in enabled {
            let priority = self.pending.of(event.thread()).priority;
            if priority >= best.0 {
                best = (priority, event.thread());
            }
        }
        let start = enabled.iter().position(|event| event.thread() == best.1)?;
        alternative_at(start, enabled, &mut self.random).map(|index| enabled[index].id)
    }

    fn done(&mut self, event: &Event) {
        self.last = Some(*event);
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        self.runs.next()
    }

    numbered!();
}
