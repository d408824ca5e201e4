//! A mixture of schedulers without parameters: each run goes by one of them.
//!
//! | share of runs | a run |
//! |---|---|
//! | 1/4 | a uniform random walk over the events at one group of places that threads share |
//! | 1/4 | the same, in which other events go by random priorities |
//! | 1/8 | a uniform random walk over all events |
//! | 1/4 | [`Pct`] for depth 3 |
//! | 1/8 | [`Uniform`] |
//!
//! Each of them finds some bugs hundreds of times faster than the others do, and none is best everywhere
//! (`bench/RESULTS-schedulers.md`); so a mixture needs a few times the runs of the best one, for every
//! program. Walks need the number of events of each thread, and PCT the length of a run, which they estimate
//! from earlier runs; so the first run is by [`Uniform`], and nothing has to be known of a program.
//!
//! Promise: a run depends on the seed, its number, and the runs before. Every interleaving is possible.

mod estimates;
#[cfg(test)]
mod tests;
mod walk;

use super::{Pct, Runs, Uniform, thread_scheduler};
use crate::checkpoint::Reader;
use crate::light::Candidate;
use crate::random::Random;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;
use estimates::Estimates;
use walk::Walk;

/// The depth of PCT: the one that is best on SCTBench.
const DEPTH: usize = 3;

/// All of the first runs are counted for estimates, and later one of so many.
const COUNTED_FIRST: u64 = 16;
const COUNTED_EACH: u64 = 64;

/// A mixture of schedulers.
#[derive(Clone, Debug)]
pub struct Mixed {
    seed: u64,
    runs: Runs,
    random: Random,
    mode: Mode,
    uniform: Uniform,
    pct: Pct,
    walk: Walk,
    estimates: Estimates,
}

/// How the current run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Uniform,
    Pct,
    Walk,
}

impl Mixed {
    /// A number of runs with this seed.
    pub fn new(seed: u64, runs: u64) -> Mixed {
        Mixed {
            seed,
            runs: Runs::new(runs),
            random: Random(seed),
            mode: Mode::Uniform,
            uniform: Uniform::new(seed, runs),
            pct: Pct::new(DEPTH, seed, runs),
            walk: Walk::default(),
            estimates: Estimates::default(),
        }
    }

    /// Decides how the run goes. Without estimates there is neither a walk nor PCT.
    fn draw_mode(&mut self) {
        let drawn = self.random.below(8).unwrap_or(0);
        let plans = self.estimates.plans();
        let groups = plans.len().saturating_sub(1);
        self.mode = match drawn {
            _ if plans.is_empty() => Mode::Uniform,
            0..2 => Mode::Pct,
            2 => Mode::Uniform,
            _ => Mode::Walk,
        };
        match self.mode {
            Mode::Walk => {
                let group = if drawn == 3 { None } else { self.random.below(groups) };
                self.walk.begin(&plans[group.map_or(0, |group| group + 1)], drawn < 6);
            }
            Mode::Pct => self.pct.begin_run(self.runs.at),
            Mode::Uniform => self.uniform.begin_run(self.runs.at),
        }
    }

    #[inline]
    fn pick_any(&mut self, enabled: &[impl Candidate]) -> Option<usize> {
        if enabled.len() == 1 && self.mode != Mode::Pct {
            return Some(0);
        }
        match self.mode {
            Mode::Pct => self.pct.pick_any(enabled),
            Mode::Walk => self.walk.pick(enabled, &mut self.random),
            Mode::Uniform => self.uniform.pick_any(enabled),
        }
    }

    #[inline]
    fn done_any(&mut self, event: &impl Candidate) {
        match self.mode {
            Mode::Pct => self.pct.done_any(event),
            Mode::Walk => self.walk.done(event, &mut self.random),
            Mode::Uniform => {}
        }
    }
}

impl Scheduler for Mixed {
    fn begin(&mut self) {
        self.random = Random::of_run(self.seed, self.runs.at);
        self.draw_mode();
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.pct.changes().finish(run);
        if self.runs.at < COUNTED_FIRST || self.runs.at.is_multiple_of(COUNTED_EACH) {
            self.estimates.count(run);
        }
        self.runs.next()
    }

    fn run_number(&self) -> Option<u64> {
        self.runs.number()
    }

    fn save(&self) -> Option<String> {
        Some(self.runs.save() + &self.pct.clone().changes().save() + &self.estimates.save())
    }

    fn load(&mut self, saved: &str) -> Result<(), String> {
        let mut reader = Reader::new(saved);
        self.runs.load(&mut reader)?;
        self.pct.changes().load(&mut reader)?;
        self.estimates = Estimates::load(&mut reader)?;
        Ok(())
    }

    thread_scheduler!();
}

thread_scheduler!(light: Mixed);
