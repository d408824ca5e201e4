//! The branches of one local evaluation, and whether one can be taken for ever.
//!
//! Where the domain leaves a choice open, evaluation branches; the activations at which it does so are
//! nodes of a graph. A cycle of this graph is an evaluation that may never end. If all functions that the
//! cycle enters make an argument smaller at each call to themselves, no concrete evaluation follows it
//! for ever: an infinite evaluation has an infinite chain of calls, which would stay inside one of these
//! functions.

use super::Activation;
use crate::erlang::code::NodeId;
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(super) struct Branches {
    /// The branches to evaluate, each with its number.
    pub(super) pending: Vec<(Activation, usize)>,
    numbers: FxHashMap<Activation, usize>,
    /// From branch to branch, and whether a function was entered that may call itself for ever.
    edges: Vec<(usize, usize, bool)>,
    /// Where evaluation branched, for messages.
    pub(super) places: Vec<NodeId>,
}

impl Branches {
    /// Adds the branches to which one leads. A branch that was taken before leads to nothing new.
    pub(super) fn add(&mut self, from: Option<usize>, next: Vec<Activation>, is_endless: bool) {
        for branch in next.into_iter().rev() {
            let count = self.numbers.len();
            let number = *self.numbers.entry(branch.clone()).or_insert(count);
            self.edges.extend(from.map(|from| (from, number, is_endless)));
            if number == count {
                self.pending.push((branch, number));
            }
        }
    }

    /// A place at which evaluation may go on for ever.
    pub(super) fn endless(&self) -> Option<NodeId> {
        let is_on_cycle = |edge: &&(usize, usize, bool)| edge.2 && self.reaches(edge.1, edge.0);
        self.edges.iter().find(is_on_cycle)?;
        Some(self.places.first().copied().unwrap_or(0))
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.numbers.len()];
        let mut pending = vec![from];
        while let Some(node) = pending.pop() {
            if node == to {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                pending.extend(self.edges.iter().filter(|edge| edge.0 == node).map(|edge| edge.1));
            }
        }
        false
    }
}
