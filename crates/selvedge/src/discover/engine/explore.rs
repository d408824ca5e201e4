//! The ground terms of new schemas are explored, by several workers.
//!
//! Each worker takes a few ground terms at a time and explores them for all seeds under all interferences. Rows
//! are put into the tables in the order of the terms, so that numbers do not depend on the speed of the workers.

use super::{Engine, GroundId, NO_ROW};
use crate::discover::behaviour::{Experiment, Explored, Seen, World, explore, explorer};
use crate::discover::limits::Limits;
use crate::discover::progress::Progress;
use crate::discover::signature::{Datum, Vocabulary};
use crate::discover::term::ground::{CodeReader, Program, world_of};
use crate::explorer::TestName;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A worker takes so many ground terms at a time.
const SHARE: usize = 4;

/// So many ground terms are explored before their rows are put into the tables: what a limit of memory is
/// checked against.
const BATCH: usize = 512;

/// What all workers share.
struct Explorations<'e> {
    vocabulary: &'e Arc<Vocabulary>,
    seeds: &'e [Datum],
    limits: &'e Limits,
    name: &'e TestName,
    started: Instant,
}

/// A ground term to explore.
struct Task {
    ground: GroundId,
    world: Arc<dyn World>,
    program: Arc<Program>,
}

impl Explorations<'_> {
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
                cells.push(explore(&*task.world, &experiment, explorer(&self.limits, &self.name)));
            }
        }
        cells
    }
}

impl Engine {
    /// Explores what is not known yet of the schemas from this number on.
    pub(super) fn explore_schemas(&mut self, first_new: usize, progress: &Progress, laws: usize) {
        let mut grounds: Vec<GroundId> = Vec::new();
        for schema in &self.schemas[first_new..] {
            let wants_whole = self.wants_whole(schema.world, schema.size);
            let is_missing = |ground: &GroundId| {
                let known = if wants_whole { &self.whole } else { &self.observed };
                known[*ground as usize] == NO_ROW
            };
            grounds.extend(schema.grid.iter().copied().filter(is_missing));
        }
        grounds.sort_unstable();
        grounds.dedup();
        let wants_whole = self.schemas[first_new..].first().map(|schema| schema.size);
        let wants_whole = wants_whole
            .map(|size| (0..self.worlds.len()).map(|world| self.wants_whole(world, size)).collect());
        let wants_whole: Vec<bool> = wants_whole.unwrap_or_default();
        for batch in grounds.chunks(BATCH) {
            if self.is_over() || !self.explore_batch(batch, &wants_whole) {
                self.is_cut_short = true;
                return;
            }
            progress.show(&self.figures_so_far(), laws, self.elapsed());
        }
    }

    fn figures_so_far(&self) -> crate::discover::law::Figures {
        crate::discover::law::Figures { schemas: self.schemas.len(), ..self.figures }
    }

    /// Whether schemas of this size may be part of larger ones, and it can be seen whether others do the same:
    /// the smallest compound adds an operation, the state and an operator.
    pub(super) fn wants_whole(&self, world: usize, size: usize) -> bool {
        let pruning = self.limits.pruning;
        (pruning.neutral || pruning.congruent)
            && size + 3 <= self.limits.size
            && self.worlds[world].sees_state()
    }

    /// Explores some ground terms. Returns whether all of them were explored.
    fn explore_batch(&mut self, batch: &[GroundId], wants_whole: &[bool]) -> bool {
        let task = |ground: &GroundId| {
            let code = self.grounds.get(*ground);
            let world = self.worlds[world_of(code, &self.vocabulary)].clone();
            let mut reader = CodeReader { code, values: &self.values, vocabulary: &self.vocabulary };
            Task { ground: *ground, world, program: Arc::new(reader.program()) }
        };
        let tasks: Vec<Task> = batch.iter().map(task).collect();
        let wants: Vec<bool> = batch
            .iter()
            .map(|ground| wants_whole[world_of(self.grounds.get(*ground), &self.vocabulary)])
            .collect();
        let results: Vec<Mutex<Option<Vec<Explored>>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let shared = Explorations {
            vocabulary: &self.vocabulary,
            seeds: &self.seeds,
            limits: &self.limits,
            name: &self.name,
            started: self.started,
        };
        let work = || {
            while !is_over.load(Ordering::Relaxed) {
                let first = next.fetch_add(SHARE, Ordering::Relaxed);
                if first >= tasks.len() {
                    return;
                }
                for place in first..tasks.len().min(first + SHARE) {
                    let cells = shared.explore_cells(&tasks[place], wants[place]);
                    *results[place].lock().unwrap_or_else(PoisonError::into_inner) = Some(cells);
                }
                if shared.limits.max_time.is_some_and(|time| shared.started.elapsed() >= time) {
                    is_over.store(true, Ordering::Relaxed);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.limits.workers.min(tasks.len().div_ceil(SHARE)) {
                let builder = std::thread::Builder::new().name("selvedge discover".to_owned());
                builder.spawn_scoped(scope, work).expect("the operating system has a thread for each worker");
            }
            work();
        });
        for ((task, result), wants_whole) in tasks.iter().zip(results).zip(wants) {
            let cells = result.into_inner().unwrap_or_else(PoisonError::into_inner);
            let Some(cells) = cells else { return false };
            self.enter(task.ground, &cells, wants_whole);
        }
        true
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
