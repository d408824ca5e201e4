//! Probabilistic concurrency testing: threads have priorities, and the highest that can go on goes on.
//!
//! Burckhardt, Kothari, Musuvathi and Nagarakatte, A Randomized Scheduler with Probabilistic Guarantees of
//! Finding Bugs, ASPLOS 2010. Priorities are random; d - 1 change points each lower the priority of the
//! thread that is about to run: the i-th to i, below every priority that a thread began with. A thread that
//! yields falls below all others, so that waiting in a loop does not keep out the one that is waited for
//! (Walker's thesis, §6.3); one whose time is up does so with a chance of one half. The paper knows the
//! number of threads in advance; here each thread draws its priority as it appears, which orders them in the
//! same way.
//!
//! The thesis (§6.1) lowers the priority after the step. A thread could then not be held back before its
//! first step, and some bugs of depth 3 would never be found: `x || y; z || u` with y before x before z
//! before u.
//!
//! Promise: with n threads, at most k steps, no yields and no times that are up, a run finds a bug of depth
//! d with a probability of at least 1 / (n k^(d-1)). The estimate of k is the longest run so far, or what
//! [`Pct::steps`] says.

use super::change_points::ChangePoints;
use super::per_thread::PerThread;
use super::{Runs, alternative_at, thread_scheduler};
use crate::checkpoint::Reader;
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::random::Random;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// The priorities that threads begin with have this bit; those of change points and yields are below it.
const BEGINNING: u64 = 1 << 63;

/// Change point number i lowers a priority to this and i; yields go below it, each lower than the one
/// before.
const CHANGED: u64 = 1 << 62;

/// Probabilistic concurrency testing.
#[derive(Clone, Debug)]
pub struct Pct {
    seed: u64,
    runs: Runs,
    random: Random,
    changes: ChangePoints,
    /// By thread; 0 where the thread has not appeared yet.
    priorities: PerThread<u64>,
    /// How often a thread has yielded in the present run.
    yields: u64,
}

impl Pct {
    /// So many runs by this seed, for bugs of this depth.
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

    /// Runs have at most so many steps: nothing is estimated.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Pct {
        self.changes.set_steps(steps);
        self
    }

    /// Where the first event of the thread with the highest priority is.
    #[inline]
    fn highest(&mut self, enabled: &[impl Candidate]) -> usize {
        let mut best = (0, 0);
        for (place, event) in enabled.iter().enumerate() {
            let priority = self.priority(event.thread());
            if priority > best.0 {
                best = (priority, place);
            }
        }
        best.1
    }

    #[inline]
    fn priority(&mut self, thread: ThreadId) -> u64 {
        let priority = self.priorities.of(thread);
        if *priority == 0 {
            *priority = self.random.word() | BEGINNING;
        }
        *priority
    }

    #[inline]
    fn pick_any(&mut self, enabled: &[impl Candidate]) -> Option<usize> {
        let mut place = self.highest(enabled);
        while let Some(number) = self.changes.pass() {
            *self.priorities.of(enabled[place].thread()) = CHANGED + number as u64;
            place = self.highest(enabled);
        }
        alternative_at(place, enabled, &mut self.random)
    }

    #[inline]
    fn done_any(&mut self, event: &impl Candidate) {
        self.changes.step();
        // A loop that waits with a time, too, must not keep out the one that is waited for; but to go on at
        // once after that must be possible.
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
