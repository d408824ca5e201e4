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
        if !self.edges.iter().any(|edge| edge.2) {
            return None;
        }
        let component = self.components();
        let is_on_cycle = |edge: &&(usize, usize, bool)| edge.2 && component[edge.0] == component[edge.1];
        self.edges.iter().find(is_on_cycle)?;
        Some(self.places.first().copied().unwrap_or(0))
    }

    /// The strongly connected component of each branch (Kosaraju's algorithm).
    fn components(&self) -> Vec<usize> {
        let count = self.numbers.len();
        let (mut after, mut before) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (from, to, _) in &self.edges {
            after[*from].push(*to);
            before[*to].push(*from);
        }
        let mut seen = vec![false; count];
        let mut finished = Vec::with_capacity(count);
        for root in 0..count {
            visit(root, &after, &mut seen, &mut |node| finished.push(node));
        }
        let mut component = vec![0; count];
        seen.fill(false);
        for root in finished.into_iter().rev() {
            visit(root, &before, &mut seen, &mut |node| component[node] = root);
        }
        component
    }
}

/// A depth-first search; nodes are told when all nodes that they lead to have been.
fn visit(root: usize, next: &[Vec<usize>], seen: &mut [bool], finish: &mut dyn FnMut(usize)) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut path = vec![(root, 0)];
    while let Some((node, position)) = path.last_mut() {
        match next[*node].get(*position) {
            None => {
                finish(*node);
                path.pop();
            }
            Some(target) => {
                *position += 1;
                if !std::mem::replace(&mut seen[*target], true) {
                    path.push((*target, 0));
                }
            }
        }
    }
}
