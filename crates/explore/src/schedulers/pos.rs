//! Partial-order sampling: runs that differ only in the order of independent events share less of the chance.
//!
//! Yuan, Yang and Gu, Partial Order Aware Concurrency Sampling, CAV 2018, Algorithm 2. Every event that can happen has a random
//! priority, and the highest goes first. An event that raced with the one that was done draws a new one, so that a
//! priority that was good for one race says nothing about the next; events that did not race keep theirs. An event
//! that was disabled for a while draws again too: whatever disabled it raced with it. Alternatives of a thread share one priority,
//! and the thread's chance.
//!
//! Promise: a run in which every two events race is chosen as [`Uniform`](super::Uniform) chooses it; where none does, the order
//! of events is that of independent random numbers.

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
    /// The number of the present choice, from 1.
    now: u64,
    last: Option<Event>,
}

/// What a thread would do next.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    priority: u64,
    /// The number of the last choice in which it was possible.
    seen: u64,
}

impl Pos {
    /// So many runs by this seed.
    pub fn new(seed: u64, runs: u64) -> Pos {
        let random = Random(seed);
        Pos { seed, runs: Runs::new(runs), random, pending: PerThread::default(), now: 0, last: None }
    }

    /// The thread can do this; does it keep its priority?
    #[inline]
    fn look_at(&mut self, event: &Event) {
        let pending = self.pending.of(event.thread());
        let is_new = pending.seen + 1 < self.now || pending.seen == 0;
        pending.seen = self.now;
        // The thread's own last event is dependent on its next one.
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
            self.look_at(event);
        }
        let mut best = (0, ThreadId::MAIN);
        for event in enabled {
            let priority = self.pending.of(event.thread()).priority;
            if priority >= best.0 {
                best = (priority, event.thread());
            }
        }
        let start = enabled.iter().position(|event| event.thread() == best.1)?;
        alternative_at(start, enabled, &mut self.random).map(|place| enabled[place].id)
    }

    fn done(&mut self, event: &Event) {
        self.last = Some(*event);
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        self.runs.next()
    }

    numbered!();
}
