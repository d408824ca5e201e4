//! The orders that a holder has shown before.
//!
//! The lock tree of Havelund (Using Runtime Analysis to Guide Model Checking of Java Programs, SPIN 2000),
//! one for each holder: a node is a sequence of held locks, a step takes a further lock. A step that was
//! recorded in the present segment needs no check.
//!
//! A node has a number that no other node of the process has, so that the threads' caches of steps
//! ([`fast`](super::fast)) need not say whose they are.
//!
//! Promise: only a cache. An order that it does not know is recorded again, without effect.

use super::ids::PackedHold;
use rustc_hash::FxHashMap;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};

static LAST_NODE: AtomicU64 = AtomicU64::new(0);

/// Steps beyond this empty the tree: a holder that takes ever new locks needs no more memory.
const MAX_STEPS: usize = 1 << 14;

/// A sequence of held locks of one holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node(NonZeroU64);

impl Node {
    fn next() -> Node {
        let number = LAST_NODE.fetch_add(1, Ordering::Relaxed) + 1;
        Node(NonZeroU64::new(number).expect("nodes are counted from 1"))
    }
}

/// The end of a step.
#[derive(Clone, Copy, Debug)]
struct Child {
    node: Node,
    /// The last segment in which the step was recorded; 0 for never.
    recorded_in: u32,
}

/// A lock tree.
#[derive(Debug)]
pub(super) struct KnownOrders {
    root: Node,
    steps: FxHashMap<(Node, PackedHold), Child>,
}

impl KnownOrders {
    pub(super) fn new() -> KnownOrders {
        KnownOrders { root: Node::next(), steps: FxHashMap::default() }
    }

    /// The node of the empty sequence.
    pub(super) fn root(&self) -> Node {
        self.root
    }

    /// Was the step recorded in this segment?
    pub(super) fn is_recorded(&self, node: Node, taken: PackedHold, segment: u32) -> bool {
        self.steps.get(&(node, taken)).is_some_and(|child| child.recorded_in == segment)
    }

    /// The node after the step.
    pub(super) fn child(&mut self, node: Node, taken: PackedHold) -> Node {
        self.step(node, taken).node
    }

    /// The step was recorded in this segment.
    pub(super) fn set_recorded(&mut self, node: Node, taken: PackedHold, segment: u32) {
        self.step(node, taken).recorded_in = segment;
    }

    /// Has the tree outgrown its limit? Then it is to be emptied, and nodes that were given out forgotten.
    pub(super) fn is_full(&self) -> bool {
        self.steps.len() >= MAX_STEPS
    }

    fn step(&mut self, node: Node, taken: PackedHold) -> &mut Child {
        self.steps.entry((node, taken)).or_insert_with(|| Child { node: Node::next(), recorded_in: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::ids::{Access, Hold, LockId};
    use super::{KnownOrders, PackedHold};

    fn taken(lock: u64) -> PackedHold {
        Hold { lock: LockId::new(lock), access: Access::Lock }.packed()
    }

    #[test]
    fn a_step_is_known_in_the_segment_of_its_recording_alone() {
        let mut known = KnownOrders::new();
        let root = known.root();
        assert!(!known.is_recorded(root, taken(4), 1));
        known.set_recorded(root, taken(4), 1);
        assert!(known.is_recorded(root, taken(4), 1));
        assert!(!known.is_recorded(root, taken(4), 2));
        assert!(!known.is_recorded(root, taken(5), 1));
    }

    #[test]
    fn trees_have_no_node_in_common() {
        let (mut one, mut other) = (KnownOrders::new(), KnownOrders::new());
        let mut nodes = vec![one.root(), other.root()];
        nodes.extend((1..20).map(|lock| one.child(one.root(), taken(lock))));
        nodes.extend((1..20).map(|lock| other.child(other.root(), taken(lock))));
        let different: std::collections::HashSet<_> = nodes.iter().collect();
        assert_eq!(different.len(), nodes.len());
    }
}
