//! Steps to states of one partition, on their way to the worker that stores these states.
//!
//! Promise: the steps come in the order in which they were pushed.

use crate::system::{States, Word};

/// Steps: the states that they lead to with their hashes, and what else the search needs of each.
#[derive(Debug)]
pub(super) struct Batch<I> {
    states: States,
    hashes: Vec<u64>,
    items: Vec<I>,
}

impl<I: Copy> Batch<I> {
    pub(super) fn new(width: usize) -> Batch<I> {
        Batch { states: States::new(width), hashes: Vec::new(), items: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    #[inline]
    pub(super) fn push(&mut self, state: &[Word], hash: u64, item: I) {
        self.states.push(state);
        self.hashes.push(hash);
        self.items.push(item);
    }

    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.hashes.clear();
        self.items.clear();
    }

    /// The hashes of the states.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.hashes.iter().copied()
    }

    /// The states, each with what else there is of its step.
    pub(super) fn steps(&self) -> impl Iterator<Item = (&[Word], &I)> {
        self.states.iter().zip(&self.items)
    }
}
