//! A worker of a search by levels: it expands batches of states of a level.

use super::StopSignal;
use super::level_table::{LevelTable, Parent};
use super::levels::ParallelVisitor;
use super::shared_table::Session;
use crate::search::Limit;
use crate::store::{Probe, StateId};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::system::{States, Steps, System, Word};
use std::ops::Range;

/// The number of states that a worker takes from a level at once.
pub(super) const BATCH: usize = 64;

/// The sizes of the ranges in which a worker takes numbers for new states. What is left at the end of a
/// level are gaps, so a small level has small ranges.
const RANGES: Range<usize> = 16..256;

/// The data that all workers share.
pub(super) struct Store {
    pub(super) table: LevelTable,
    pub(super) signal: StopSignal,
}

/// The states at one distance from the initial ones.
#[derive(Clone, Default)]
pub(super) struct Level {
    /// Their numbers, with gaps.
    pub(super) numbers: Range<u32>,
    pub(super) depth: u32,
}

/// A worker's result of a level.
#[derive(Default)]
pub(super) struct LevelResult {
    pub(super) transitions: usize,
    /// The states of this level whose steps the visitor needs, and the states of the next level that it
    /// needs.
    pub(super) expanded: Vec<StateId>,
    pub(super) discovered: Vec<StateId>,
}

impl LevelResult {
    pub(super) fn with(mut self, other: LevelResult) -> LevelResult {
        self.transitions += other.transitions;
        self.expanded.extend(other.expanded);
        self.discovered.extend(other.discovered);
        self
    }
}

/// A worker's buffers, and its result so far.
pub(super) struct Worker<'a, S: System> {
    system: &'a S,
    store: &'a Store,
    level: &'a Level,
    session: Session<'a>,
    ids: Vec<StateId>,
    batch: States,
    steps: Steps<S::Action>,
    probes: Vec<Probe>,
    result: LevelResult,
}

impl<'a, S: System> Worker<'a, S> {
    pub(super) fn new(system: &'a S, store: &'a Store, level: &'a Level) -> Self {
        let words = system.words();
        let range = (level.numbers.len() / BATCH).clamp(RANGES.start, RANGES.end);
        Worker {
            system,
            store,
            level,
            session: store.table.states.session_with_range(range),
            ids: Vec::new(),
            batch: States::new(words),
            steps: Steps::new(words),
            probes: Vec::new(),
            result: LevelResult::default(),
        }
    }

    /// Takes batches until the level is done; calls `on_batch` after each with the numbers of its states and
    /// steps.
    pub(super) fn work(
        mut self,
        cursor: &AtomicUsize,
        visitor: &impl ParallelVisitor<S>,
        on_batch: &mut dyn FnMut(usize, usize),
    ) -> LevelResult {
        let Range { start, end } = self.level.numbers;
        while !self.store.signal.is_stopped() {
            let first = start as usize + cursor.fetch_add(BATCH, Ordering::Relaxed);
            if first >= end as usize {
                break;
            }
            let before = self.result.transitions;
            let numbers = first as u32..end.min((first + BATCH) as u32);
            self.store.table.read(numbers, &mut self.ids, &mut self.batch);
            let batch = std::mem::take(&mut self.batch);
            for (state, index) in batch.iter().zip(0..) {
                self.expand(self.ids[index], state, visitor);
            }
            self.batch = batch;
            on_batch(self.ids.len(), self.result.transitions - before);
        }
        self.session.give_back();
        self.result
    }

    /// Expands a state, and stores its successors.
    fn expand(&mut self, id: StateId, state: &[Word], visitor: &impl ParallelVisitor<S>) {
        self.steps.clear();
        self.system.successors(state, &mut self.steps);
        self.result.transitions += self.steps.len();
        if visitor.needs_steps(self.system, state, &self.steps) {
            self.result.expanded.push(id);
        }
        let parent = Parent::new(id, state);
        self.session.reserve(self.steps.len());
        self.session.probe_all(self.steps.iter().map(|(_, target)| target), &mut self.probes);
        for ((_, target), probe) in self.steps.iter().zip(&self.probes) {
            let Some((target_id, is_new)) = self.session.insert_noted(target, *probe, Some(parent.0)) else {
                return self.store.signal.stop_by(Limit::States);
            };
            if !is_new {
                // The states of the next level have the numbers behind this level.
                if target_id.0 >= self.level.numbers.end {
                    self.store.table.choose_parent(target_id, parent);
                }
            } else if visitor.needs_state(self.system, target) {
                self.result.discovered.push(target_id);
            }
        }
    }
}
