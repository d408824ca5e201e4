//! Swarm scheduling: every thread has a weight, and is chosen the more often the heavier it is.
//!
//! Walker's thesis, §6.2. Uniform choice never goes far off the middle; unequal weights do, and other
//! weights go elsewhere. A thread draws its weight as it appears; the same weights serve for some runs,
//! which go differently all the same. At a change point the thread that has just run draws a new weight for
//! the rest of the run.
//!
//! Promise: at each step a thread that can go on is chosen with its weight over the sum of the weights of
//! all that can. A weight depends on the seed, the number of the group of runs, and the thread.

use super::change_points::ChangePoints;
use super::per_thread::PerThread;
use super::{Runs, alternative_at, thread_scheduler};
use crate::checkpoint::Reader;
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::random::Random;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// The weights of the thesis's experiments.
const WEIGHTS: (u32, u32) = (1, 50);

/// Swarm scheduling.
#[derive(Clone, Debug)]
pub struct Swarm {
    seed: u64,
    runs: Runs,
    random: Random,
    changes: ChangePoints,
    reuse: u64,
    range: (u32, u32),
    /// By thread; 0 where the thread has not appeared yet.
    weights: PerThread<u32>,
}

impl Swarm {
    /// So many runs by this seed: weights from 1 to 50, new ones for each run, no change points.
    pub fn new(seed: u64, runs: u64) -> Swarm {
        Swarm {
            seed,
            runs: Runs::new(runs),
            random: Random(seed),
            changes: ChangePoints::new(0),
            reuse: 1,
            range: WEIGHTS,
            weights: PerThread::default(),
        }
    }

    /// The same weights serve for so many runs, at least one.
    #[must_use]
    pub fn reuse(mut self, runs: u64) -> Swarm {
        self.reuse = runs.max(1);
        self
    }

    /// So many change points in each run.
    #[must_use]
    pub fn change_points(mut self, count: usize) -> Swarm {
        self.changes.set_count(count);
        self
    }

    /// Weights are drawn from this range. They are at least 1, or a thread could starve.
    #[must_use]
    pub fn weights(mut self, min: u32, max: u32) -> Swarm {
        let min = min.max(1);
        self.range = (min, max.max(min));
        self
    }

    /// Runs have at most so many steps: nothing is estimated. Only change points depend on it.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Swarm {
        self.changes.set_steps(steps);
        self
    }

    #[inline]
    fn weight(&mut self, thread: ThreadId) -> u64 {
        let weight = self.weights.of(thread);
        if *weight == 0 {
            // The thread's own generator: in another run of the group it may appear earlier or later.
            let group = Random::of_run(self.seed, self.runs.at / self.reuse).word();
            *weight = draw(&mut Random::of_run(!group, u64::from(thread.0)), self.range);
        }
        u64::from(*weight)
    }

    fn pick_any(&mut self, enabled: &[impl Candidate]) -> Option<usize> {
        let is_first = |index: usize| index == 0 || enabled[index - 1].thread() != enabled[index].thread();
        let mut total = 0;
        for index in (0..enabled.len()).filter(|index| is_first(*index)) {
            total += self.weight(enabled[index].thread());
        }
        let mut drawn = self.random.below(total as usize)? as u64;
        for index in (0..enabled.len()).filter(|index| is_first(*index)) {
            let weight = self.weight(enabled[index].thread());
            if drawn < weight {
                return alternative_at(index, enabled, &mut self.random);
            }
            drawn -= weight;
        }
        None
    }

    fn done_any(&mut self, event: &impl Candidate) {
        if self.changes.step() {
            *self.weights.of(event.thread()) = draw(&mut self.random, self.range);
        }
    }
}

fn draw(random: &mut Random, (min, max): (u32, u32)) -> u32 {
    min + random.below((max - min) as usize + 1).unwrap_or(0) as u32
}

impl Scheduler for Swarm {
    fn begin(&mut self) {
        self.random = Random::of_run(self.seed, self.runs.at);
        self.weights.clear();
        self.changes.begin(&mut self.random);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.changes.finish(run);
        self.runs.next()
    }

    fn run_number(&self) -> Option<u64> {
        self.runs.number()
    }

    /// Where there are change points, runs depend on the length of those before.
    fn share(&self, worker: u64, workers: u64) -> Option<Box<dyn Scheduler + Send>> {
        let shared = || Swarm { runs: self.runs.share(worker, workers), ..self.clone() };
        (self.changes.count() == 0).then(|| Box::new(shared()) as Box<dyn Scheduler + Send>)
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

thread_scheduler!(light: Swarm);
