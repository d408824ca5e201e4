//! The ground terms of new schemas are explored, by several workers.
//!
//! Each worker takes a few ground terms at a time and explores them for all seeds under all interferences,
//! on the thread where the worker itself runs: an exploration takes about as long as a handover would.
//! Rows are put into the tables in the order of the terms, so that numbers do not depend on the speed of
//! the workers.

use super::{Engine, GroundId, Instance, NO_ROW, at, odometer};
use crate::discover::behaviour::{Experiment, Explored, Seen, World, explore, explorer};
use crate::discover::limits::Limits;
use crate::discover::signature::{Datum, Vocabulary};
use crate::discover::term::ground::{Program, world_of};
use crate::discover::term::partition::{Partition, partitions};
use crate::explorer::{TestName, host};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A worker takes so many ground terms at a time.
const SHARE: usize = 4;

/// So many ground terms are explored before their rows are put into the tables: what a limit of memory is
/// checked against.
const BATCH: usize = 512;

/// A ground term to explore.
struct Task {
    ground: GroundId,
    world: usize,
    program: Arc<Program>,
}

impl Engine {
    /// Explores what is not known yet of the schemas from this number on, which are all of one size.
    pub(super) fn explore_schemas(&mut self, first_new: usize, show: &dyn Fn(&Engine)) {
        let Some(size) = self.schemas.get(first_new).map(|schema| schema.size) else { return };
        let wants_whole: Vec<bool> =
            (0..self.worlds.len()).map(|world| self.wants_whole(world, size)).collect();
        let mut grounds: Vec<GroundId> = Vec::new();
        for schema in first_new..self.schemas.len() {
            let known = if wants_whole[self.schemas[schema].world] { &self.whole } else { &self.observed };
            let is_missing = |ground: &GroundId| known[*ground as usize] == NO_ROW;
            match self.limits.pruning.cached {
                true => grounds.extend(self.schemas[schema].grid.iter().copied().filter(is_missing)),
                false => grounds.extend(self.uncached(schema)),
            }
        }
        if self.limits.pruning.cached {
            grounds.sort_unstable();
            grounds.dedup();
        }
        for batch in grounds.chunks(BATCH) {
            if self.is_over() || !self.explore_batch(batch, &wants_whole) {
                self.is_cut_short = true;
                return;
            }
            show(self);
        }
    }

    /// The ground terms of a schema that is explored for itself: of its most general term, or of all its
    /// terms.
    fn uncached(&self, schema: usize) -> Vec<GroundId> {
        let of_term = |partition: Partition| {
            let instance = Instance::new(self, schema, partition);
            let sizes: Vec<usize> = instance.types.iter().map(|of| self.domain_size(*of)).collect();
            let mut grounds = Vec::new();
            odometer(&sizes, |places| grounds.push(self.schemas[schema].grid[at(places, &instance.strides)]));
            grounds.sort_unstable();
            grounds.dedup();
            grounds
        };
        let terms = partitions(&self.schemas[schema].holed.holes);
        let explored = if self.limits.pruning.most_general { 1 } else { terms.len() };
        terms.into_iter().take(explored).flat_map(of_term).collect()
    }

    /// Whether schemas of this size may be part of larger ones, and it can be seen whether others do the
    /// same: the smallest compound adds an operation, the state and an operator.
    pub(super) fn wants_whole(&self, world: usize, size: usize) -> bool {
        let pruning = self.limits.pruning;
        (pruning.neutral || pruning.congruent)
            && size + 3 <= self.limits.size
            && self.worlds[world].sees_state()
    }

    /// Explores some ground terms. Returns whether all of them were explored.
    fn explore_batch(&mut self, batch: &[GroundId], wants_whole: &[bool]) -> bool {
        let task = |ground: &GroundId| {
            let world = world_of(self.grounds.get(*ground), &self.vocabulary);
            Task { ground: *ground, world, program: Arc::new(self.program(*ground)) }
        };
        let tasks: Vec<Task> = batch.iter().map(task).collect();
        let shared = self.explorations();
        let explored = shared.in_parallel(&tasks, |task| shared.explore_cells(task, wants_whole[task.world]));
        for (task, cells) in tasks.iter().zip(explored) {
            let Some(cells) = cells else { return false };
            self.enter(task.ground, &cells, wants_whole[task.world]);
        }
        true
    }

    /// Explores experiments of these signatures.
    pub(crate) fn explore_all(&self, experiments: &[(&Experiment, usize)]) -> Vec<Explored> {
        let shared = Explorations { deadline: None, ..self.explorations() };
        let explored = shared.in_parallel(experiments, |(experiment, world)| {
            explore(&*shared.worlds[*world], experiment, explorer(shared.limits, shared.name))
        });
        explored.into_iter().flatten().collect()
    }

    fn explorations(&self) -> Explorations<'_> {
        Explorations {
            vocabulary: &self.vocabulary,
            worlds: &self.worlds,
            seeds: &self.seeds,
            limits: &self.limits,
            name: &self.name,
            deadline: self.limits.max_time.map(|time| self.started + time),
        }
    }

    /// Puts the behaviours of a ground term into the tables.
    fn enter(&mut self, ground: GroundId, cells: &[Explored], wants_whole: bool) {
        let keeps_result = self.limits.compares_results;
        let observed = |seen: &Seen| Seen {
            state: None,
            result: seen.result.clone().filter(|_| keeps_result),
            ..seen.clone()
        };
        self.observed[ground as usize] = self.table.row(cells, observed);
        if wants_whole {
            self.whole[ground as usize] = self.table.row(cells, Seen::clone);
        }
        let runs: usize = cells.iter().map(|cell| cell.runs).sum();
        let unobserved: usize = cells.iter().map(|cell| cell.unobserved).sum();
        self.runs[ground as usize] = (runs as u32, unobserved as u32);
        self.figures.ground_terms += 1;
        self.figures.explorations += cells.len();
        self.figures.runs += runs;
        self.figures.unobserved += unobserved;
    }
}

/// What all workers share.
struct Explorations<'e> {
    vocabulary: &'e Arc<Vocabulary>,
    worlds: &'e [Arc<dyn World>],
    seeds: &'e [Datum],
    limits: &'e Limits,
    name: &'e TestName,
    deadline: Option<Instant>,
}

impl Explorations<'_> {
    /// Does the work for each task. What is not done by the deadline is not done.
    fn in_parallel<T: Sync, R: Send>(&self, tasks: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<Option<R>> {
        let results: Vec<Mutex<Option<R>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let run = || {
            loop {
                let first = next.fetch_add(SHARE, Ordering::Relaxed);
                let is_over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
                if first >= tasks.len() || is_over {
                    return;
                }
                for place in first..tasks.len().min(first + SHARE) {
                    let result = work(&tasks[place]);
                    *results[place].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
                }
            }
        };
        let hosted = || host(run).unwrap_or_else(|payload| resume_unwind(payload));
        std::thread::scope(|scope| {
            for _ in 1..self.limits.workers.min(tasks.len().div_ceil(SHARE)) {
                let builder = std::thread::Builder::new().name("selvedge discover".to_owned());
                let spawned = builder.spawn_scoped(scope, hosted);
                spawned.expect("the operating system has a thread for each worker");
            }
            hosted();
        });
        let inner = |result: Mutex<Option<R>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().map(inner).collect()
    }

    /// Explores a ground term for each seed under each interference; without interference first.
    fn explore_cells(&self, task: &Task, wants_whole: bool) -> Vec<Explored> {
        let mut cells = Vec::with_capacity(self.seeds.len() * self.vocabulary.interferences.len());
        for interference in 0..self.vocabulary.interferences.len() {
            for seed in self.seeds {
                let experiment = Experiment {
                    vocabulary: self.vocabulary.clone(),
                    program: task.program.clone(),
                    seed: seed.clone(),
                    interference,
                    wants_result: wants_whole || self.limits.compares_results,
                    wants_state: wants_whole,
                };
                cells.push(explore(&*self.worlds[task.world], &experiment, explorer(self.limits, self.name)));
            }
        }
        cells
    }
}
