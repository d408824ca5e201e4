//! One thread after the other, each for some steps: what a simple scheduler would do, and no chance in it.
//!
//! A thread's turn ends after its quantum, when it cannot go on, or when it yields. Where a thread has
//! several alternatives, the first choice of the run takes the first, the next choice the second, and so on,
//! as far as there are so many.
//!
//! Promise: one run; a thread that can always go on waits for at most one turn of each other thread.

use super::thread_scheduler;
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Round robin.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    quantum: u64,
    /// Whose turn it is.
    thread: ThreadId,
    /// How many steps are left of the turn.
    left: u64,
    /// How often there were alternatives.
    choices: usize,
}

impl Default for RoundRobin {
    fn default() -> Self {
        RoundRobin::new()
    }
}

impl RoundRobin {
    /// One step each.
    pub fn new() -> RoundRobin {
        RoundRobin { quantum: 1, thread: ThreadId::MAIN, left: 1, choices: 0 }
    }

    /// So many steps each, at least one.
    #[must_use]
    pub fn quantum(mut self, steps: u64) -> RoundRobin {
        self.quantum = steps.max(1);
        self
    }

    /// Where the events begin of the thread that goes next.
    fn turn<C: Candidate>(&self, enabled: &[C]) -> usize {
        let mine = |event: &C| match self.left {
            0 => event.thread() > self.thread,
            _ => event.thread() >= self.thread,
        };
        enabled.iter().position(mine).unwrap_or(0)
    }

    fn pick_any(&mut self, enabled: &[impl Candidate]) -> Option<usize> {
        let start = self.turn(enabled);
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
