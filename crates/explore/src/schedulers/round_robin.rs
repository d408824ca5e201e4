//! Round robin: threads take turns of a fixed number of steps, without randomness.
//!
//! A thread's turn ends after its quantum, when it is not enabled, or when it yields. Of several
//! alternatives of a thread, the first such choice of the run takes the first, the next choice the second,
//! and so on, modulo their number.
//!
//! Promise: one run; a thread that is always enabled waits for at most one turn of each other thread.

use super::thread_scheduler;
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Round robin.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    quantum: u64,
    /// The thread of the current turn.
    thread: ThreadId,
    /// The number of steps left in the turn.
    left: u64,
    /// The number of choices between alternatives so far.
    choices: usize,
}

impl Default for RoundRobin {
    fn default() -> Self {
        RoundRobin::new()
    }
}

impl RoundRobin {
    /// Turns of one step.
    pub fn new() -> RoundRobin {
        RoundRobin { quantum: 1, thread: ThreadId::MAIN, left: 1, choices: 0 }
    }

    /// Turns of so many steps, at least one.
    #[must_use]
    pub fn quantum(mut self, steps: u64) -> RoundRobin {
        self.quantum = steps.max(1);
        self
    }

    /// The index of the first event of the thread that runs next.
    fn first_of_next<C: Candidate>(&self, enabled: &[C]) -> usize {
        let is_next = |event: &C| match self.left {
            0 => event.thread() > self.thread,
            _ => event.thread() >= self.thread,
        };
        let next = (0..enabled.len()).filter(|index| is_next(&enabled[*index]));
        next.min_by_key(|index| enabled[*index].thread()).unwrap_or(0)
    }

    fn pick_any(&mut self, enabled: &[impl Candidate]) -> Option<usize> {
        let start = self.first_of_next(enabled);
        let thread = enabled.get(start)?.thread();
        if thread != self.thread || self.left == 0 {
            self.thread = thread;
            self.left = self.quantum;
        }
        let alternatives = enabled[start..].iter().take_while(|event| event.thread() == thread).count();
        let chosen = self.choices % alternatives;
        self.choices += usize::from(alternatives > 1);
        Some(start + chosen)
    }

    fn done_any(&mut self, event: &impl Candidate) {
        self.left = if event.counts_as_yield() { 0 } else { self.left - 1 };
    }
}

impl Scheduler for RoundRobin {
    fn begin(&mut self) {
        *self = RoundRobin::new().quantum(self.quantum);
        self.left = self.quantum;
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        Next::Done
    }

    thread_scheduler!();
}

thread_scheduler!(light: RoundRobin);
