//! Expands the states of a level, and stores those that are new with their parents.
//!
//! Promise: all states are noted that the visitor needs.

use super::batch::Batch;
use super::level_worker::{Divided, Figures, LevelTask};
use super::levels::ParallelVisitor;
use super::partition::{Parent, Partition, partition_of};
use super::quota::StateQuota;
use crate::store::{StateId, hash};
use crate::system::{Steps, System};
use std::ops::Range;

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

/// The expansion of states.
pub(super) struct ExpandStates<'a, S: System, V> {
    system: &'a S,
    visitor: &'a V,
    steps: Steps<S::Action>,
    result: LevelResult,
}

impl<'a, S: System, V: ParallelVisitor<S>> ExpandStates<'a, S, V> {
    pub(super) fn new(system: &'a S, visitor: &'a V) -> Self {
        let steps = Steps::new(system.words());
        ExpandStates { system, visitor, steps, result: LevelResult::default() }
    }
}

impl<S: System, V: ParallelVisitor<S>> LevelTask for ExpandStates<'_, S, V> {
    type Partition = Partition;
    type Item = Parent;
    type Result = LevelResult;
    const GOES_ON: bool = false;

    #[inline]
    fn expand(&mut self, partition: &mut Partition, local: u32, found: &mut [Batch<Parent>]) -> usize {
        let (id, state) = (partition.id(local), partition.states.get(StateId(local)));
        self.steps.clear();
        self.system.successors(state, &mut self.steps);
        self.result.transitions += self.steps.len();
        if self.visitor.needs_steps(self.system, state, &self.steps) {
            self.result.expanded.push(id);
        }
        let parent = Parent::new(id, hash(state));
        for (_, target) in self.steps.iter() {
            let hash = hash(target);
            found[partition_of(hash, found.len())].push(target, hash, parent);
        }
        self.steps.len()
    }

    fn store(
        &mut self,
        partition: &mut Partition,
        batch: &Batch<Parent>,
        quota: Option<&StateQuota>,
    ) -> bool {
        let (system, visitor, discovered) = (self.system, self.visitor, &mut self.result.discovered);
        partition.insert(batch, quota, |id, state| {
            if visitor.needs_state(system, state) {
                discovered.push(id);
            }
        })
    }

    fn finish(self) -> LevelResult {
        self.result
    }
}

impl Divided for Partition {
    fn level(&self) -> Range<u32> {
        self.level.clone()
    }

    fn figures(&self) -> (usize, Figures) {
        let states = self.states.len();
        (self.number(), Figures { states, nodes: states, bytes: self.memory() })
    }
}
