//! Swarm scheduling: a random scheduler that chooses threads in proportion to random weights.
//!
//! Walker's thesis, §6.2. Uniform choice keeps all threads at about the same pace; unequal weights reach
//! interleavings in which some threads are far ahead, and other weights reach others. A thread draws its
//! weight when it appears. A group of runs shares its weights; the runs of a group differ all the same. At a
//! change point the thread of the last step draws a new weight for the rest of the run.
//!
//! Promise: at each step an enabled thread is chosen with the probability of its weight over the sum of the
//! weights of all enabled threads. A weight depends on the seed, the number of the group of runs, and the
//! path of the thread: the number of a thread depends on the runs before.

use super::change_points::ChangePoints;
use super::per_thread::PerThread;
use super::{Runs, alternative_at, thread_scheduler};
use crate::checkpoint::Reader;
use crate::event::Kind;
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::random::Random;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// The range of weights in the thesis's experiments.
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
    /// By thread; 0 before the thread appears.
    weights: PerThread<u32>,
    paths: PerThread<PathCode>,
}

/// A number that depends on the path of a thread alone; `None` for main and for processes of models, whose
/// numbers do.
#[derive(Clone, Debug, Default)]
struct PathCode {
    code: Option<u64>,
    /// The number of the thread's spawns of new threads.
    children: u64,
}

impl Swarm {
    /// A number of runs with this seed: weights from 1 to 50, new weights for each run, no change points.
    pub fn new(seed: u64, runs: u64) -> Swarm {
        Swarm {
            seed,
            runs: Runs::new(runs),
            random: Random(seed),
            changes: ChangePoints::new(0),
            reuse: 1,
            range: WEIGHTS,
            weights: PerThread::default(),
            paths: PerThread::default(),
        }
    }

    /// Uses the same weights for so many runs, at least one.
    #[must_use]
    pub fn reuse(mut self, runs: u64) -> Swarm {
        self.reuse = runs.max(1);
        self
    }

    /// Sets the number of change points in each run.
    #[must_use]
    pub fn change_points(mut self, count: usize) -> Swarm {
        self.changes.set_count(count);
        self
    }

    /// Whether there are change points.
    pub fn has_change_points(&self) -> bool {
        self.changes.count() > 0
    }

    /// Sets the range of weights. A weight is at least 1; with weight 0 a thread would starve.
    #[must_use]
    pub fn weights(mut self, min: u32, max: u32) -> Swarm {
        let min = min.max(1);
        self.range = (min, max.max(min));
        self
    }

    /// Sets the greatest length of a run, instead of an estimate. Only change points depend on it.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Swarm {
        self.changes.set_steps(steps);
        self
    }

    #[inline]
    fn weight(&mut self, thread: ThreadId) -> u64 {
        if *self.weights.of(thread) == 0 {
            // A generator of the thread's own: in another run of the group the thread may appear earlier or
            // later.
            let group = Random::of_run(self.seed, self.runs.at / self.reuse).word();
            let code = self.path_code(thread);
            *self.weights.of(thread) = draw(&mut Random::of_run(!group, code), self.range);
        }
        u64::from(*self.weights.of(thread))
    }

    /// A number that depends on the path of the thread, or of a phantom's owner and on its buffer.
    fn path_code(&mut self, thread: ThreadId) -> u64 {
        let owner = thread.owner();
        let code = self.paths.of(owner).code.unwrap_or(u64::from(owner.0));
        u64::from(thread.0 - owner.0) ^ code
    }

    fn record_spawn(&mut self, parent: ThreadId, child: ThreadId) {
        // A parent uses the number of a joined child again.
        if self.paths.of(child).code.is_some() {
            return;
        }
        let parent_code = self.path_code(parent);
        let children = &mut self.paths.of(parent).children;
        *children += 1;
        let index = *children;
        let code = if parent == ThreadId::MAIN { index } else { Random::of_run(parent_code, index).word() };
        self.paths.of(child).code = Some(code);
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
        if event.kind() == Kind::Spawn
            && let Some(child) = event.light().target
        {
            self.record_spawn(event.thread(), child);
        }
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
        self.paths.clear();
        self.changes.begin(&mut self.random);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.changes.finish(run);
        self.runs.next()
    }

    fn run_number(&self) -> Option<u64> {
        self.runs.number()
    }

    /// With change points, a run depends on the lengths of the runs before.
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
