//! What workers do with the nodes of a level: they explore the product, or eliminate nodes.

use super::super::batch::Batch;
use super::super::level_worker::LevelTask;
use super::super::quota::StateQuota;
use super::expander::{Expander, NodeStep};
use super::node_partition::NodePartition;
use crate::system::System;

/// Expands nodes, and stores their targets.
pub(super) struct ExploreNodes<'a, S: System> {
    pub(super) expander: Expander<'a, S>,
    pub(super) transitions: usize,
}

impl<S: System> LevelTask for ExploreNodes<'_, S> {
    type Partition = NodePartition;
    type Item = NodeStep;
    /// The number of steps of states that had not been counted.
    type Result = usize;
    const GOES_ON: bool = false;

    #[inline]
    fn expand(&mut self, partition: &mut NodePartition, place: u32, found: &mut [Batch<NodeStep>]) -> usize {
        let place = partition.place(place);
        match self.expander.expand(partition.states.get(place.state), place.automata, found) {
            Some(steps) if partition.counted.insert(place.state) => {
                self.transitions += steps;
                steps
            }
            _ => 0,
        }
    }

    fn store(
        &mut self,
        partition: &mut NodePartition,
        batch: &Batch<NodeStep>,
        quota: Option<&StateQuota>,
    ) -> bool {
        partition.insert(batch, quota)
    }

    fn finish(self) -> usize {
        self.transitions
    }
}

/// Removes the edges of nodes to which no edge leads.
pub(super) struct EliminateNodes<'a, S: System> {
    pub(super) expander: Expander<'a, S>,
}

impl<S: System> LevelTask for EliminateNodes<'_, S> {
    type Partition = NodePartition;
    type Item = NodeStep;
    type Result = ();
    const GOES_ON: bool = true;

    #[inline]
    fn expand(&mut self, partition: &mut NodePartition, place: u32, found: &mut [Batch<NodeStep>]) -> usize {
        let place = partition.place(place);
        partition.pass();
        let expanded = partition.expanded(place);
        self.expander.expand_inner(partition.states.get(place.state), expanded, found);
        0
    }

    fn store(
        &mut self,
        partition: &mut NodePartition,
        batch: &Batch<NodeStep>,
        _quota: Option<&StateQuota>,
    ) -> bool {
        partition.remove(batch);
        true
    }

    fn finish(self) {}
}
