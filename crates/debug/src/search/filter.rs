//! Which alternatives are new: the options "same end state" and "same sequence of states".
//!
//! States are compared by their classes: the process that moved last makes no difference. The sequences so
//! far are a tree, the tree T of Gunter and Peled, §5.

use crate::snapshot::SearchOptions;
use crate::target::{StateId, Target};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Filter {
    /// May an end occur again?
    same_end: bool,
    same_sequence: bool,
    ends: FxHashSet<StateId>,
    /// From a node of the tree, by the class of the next state.
    tree: FxHashMap<(u32, StateId), u32>,
    /// The nodes of the tree where sequences end.
    sequences: FxHashSet<u32>,
}

impl Filter {
    pub(super) fn new(options: &SearchOptions) -> Filter {
        Filter {
            same_end: options.same_end,
            same_sequence: options.same_sequence,
            ends: FxHashSet::default(),
            tree: FxHashMap::default(),
            sequences: FxHashSet::default(),
        }
    }

    /// May several moves to the same state be told apart?
    pub(super) fn tells_moves_apart(&self) -> bool {
        self.same_sequence
    }

    /// Can a step to this state be new?
    pub(super) fn is_new_end(&self, target: &mut dyn Target, end: StateId) -> bool {
        self.same_end || !self.ends.contains(&target.class(end))
    }

    /// Remembers a sequence of states; false if it is not new.
    pub(super) fn admit(&mut self, target: &mut dyn Target, states: &[StateId]) -> bool {
        let end = states[states.len() - 1];
        if !self.is_new_end(target, end) {
            return false;
        }
        if !self.same_sequence {
            let mut node = 0;
            for state in states {
                let next = self.tree.len() as u32 + 1;
                node = *self.tree.entry((node, target.class(*state))).or_insert(next);
            }
            if !self.sequences.insert(node) {
                return false;
            }
        }
        if !self.same_end {
            self.ends.insert(target.class(end));
        }
        true
    }
}
