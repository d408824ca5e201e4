//! Probabilistic concurrency testing (PCT): threads have priorities, and the enabled thread with the highest
//! runs.
//!
//! Burckhardt, Kothari, Musuvathi and Nagarakatte, A Randomized Scheduler with Probabilistic Guarantees of
//! Finding Bugs, ASPLOS 2010. Initial priorities are random. Each of d - 1 change points lowers the priority
//! of the thread that is about to run: the i-th to i, below every initial priority. A thread that yields
//! falls below all others, so that a polling loop does not starve the thread that it waits for (Walker's
//! thesis, §6.3); a thread that times out does so with probability one half. The paper knows the number of
//! threads in advance; here each thread draws its priority when it appears, which gives the same
//! distribution of orders.
//!
//! The thesis (§6.1) lowers the priority after the step. Then no thread could be delayed before its first
//! step, and PCT would never find some bugs of depth 3: `x || y; z || u` with y before x before z before u.
//!
//! Promise: with n threads, at most k steps, no yields and no timeouts, a run finds a bug of depth d with a
//! probability of at least 1 / (n k^(d-1)). The estimate of k is the length of the longest run so far, or
//! the value of [`Pct::steps`].

use super::change_points::ChangePoints;
use super::per_thread::PerThread;
use super::{Runs, alternative_at, thread_scheduler};
use crate::checkpoint::Reader;
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::random::Random;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Initial priorities have this bit; the priorities of change points and yields do not.
const INITIAL: u64 = 1 << 63;

/// Change point number i lowers a priority to this plus i. A yield lowers it below this, each yield to a
/// lower value.
const CHANGED: u64 = 1 << 62;

/// Probabilistic concurrency testing.
#[derive(Clone, Debug)]
pub struct Pct {
    seed: u64,
    runs: Runs,
    random: Random,
    changes: ChangePoints,
    /// By thread; 0 before the thread appears.
    priorities: PerThread<u64>,
    /// The number of yields in the current run.
    yields: u64,
}

impl Pct {
    /// A number of runs with this seed, for bugs of this depth.
    pub fn new(depth: usize, seed: u64, runs: u64) -> Pct {
        Pct {
            seed,
            runs: Runs::new(runs),
            random: Random(seed),
            changes: ChangePoints::new(depth.saturating_sub(1)),
            priorities: PerThread::default(),
            yields: 0,
        }
    }

    /// Sets the greatest length of a run, instead of an estimate.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Pct {
        self.changes.set_steps(steps);
        self
    }

    /// Begins a run that another scheduler numbers.
    pub(super) fn begin_run(&mut self, run: u64) {
        self.runs.at = run;
        self.begin();
    }

    /// What it estimates from earlier runs.
    pub(super) fn changes(&mut self) -> &mut ChangePoints {
        &mut self.changes
    }

    /// The index of the first event of the thread with the highest priority.
    #[inline]
    fn highest(&mut self, enabled: &[impl Candidate]) -> usize {
        let mut best = (0, 0);
        for (index, event) in enabled.iter().enumerate() {
            let priority = self.priority(event.thread());
            if priority > best.0 {
                best = (priority, index);
            }
        }
        best.1
    }

    #[inline]
    fn priority(&mut self, thread: ThreadId) -> u64 {
        let priority = self.priorities.of(thread);
        if *priority == 0 {
            *priority = self.random.word() | INITIAL;
        }
        *priority
    }

    #[inline]
    pub(super) fn pick_any(&mut self, enabled: &[impl Candidate]) -> Option<usize> {
        let mut index = self.highest(enabled);
        while let Some(number) = self.changes.pass() {
            *self.priorities.of(enabled[index].thread()) = CHANGED + number as u64;
            index = self.highest(enabled);
        }
        alternative_at(index, enabled, &mut self.random)
    }

    #[inline]
    pub(super) fn done_any(&mut self, event: &impl Candidate) {
        self.changes.step();
        // A loop of waits with timeouts must not starve the thread that it waits for; but the thread that
        // times out must be able to continue at once.
        let counts_as_yield = if event.ends_wait_unprompted() {
            self.random.below(2) == Some(0)
        } else {
            event.counts_as_yield()
        };
        if counts_as_yield {
            self.yields += 1;
            *self.priorities.of(event.thread()) = CHANGED - self.yields;
        }
    }
}

impl Scheduler for Pct {
    fn begin(&mut self) {
        self.random = Random::of_run(self.seed, self.runs.at);
        self.priorities.clear();
        self.yields = 0;
        self.changes.begin(&mut self.random);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.changes.finish(run);
        self.runs.next()
    }

    fn run_number(&self) -> Option<u64> {
        self.runs.number()
    }

    fn save(&self) -> Option<String> {
        Some(self.runs.save() + &self.changes.save())
    }

    fn load(&mut self, saved: &str) -> Result<(), String> {
        let mut reader = Reader::new(saved);
        self.runs.load(&mut reader)?;
        self.changes.load(&mut reader)
    }

    thread_scheduler!();
}

thread_scheduler!(light: Pct);
