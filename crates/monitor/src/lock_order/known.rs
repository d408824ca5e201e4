//! The orders that a holder has shown before: the fast path.
//!
//! The lock tree of Havelund (Using Runtime Analysis to Guide Model Checking of Java Programs, SPIN 2000),
//! one for each holder: a node is a sequence of held locks, a step takes a further lock. A step that was
//! recorded in the present segment needs no check. In front of the table of steps there is a small
//! direct-mapped cache, so that most steps cost one comparison.
//!
//! Promise: only a cache. An order that it does not know is recorded again, without effect.

use rustc_hash::FxHashMap;

/// The node of an empty sequence.
pub(super) const ROOT: u32 = 1;

/// A number that no node has.
pub(super) const NO_NODE: u32 = 0;

/// Steps beyond this empty the tree: a holder that takes ever new locks needs no more memory.
const MAX_STEPS: usize = 1 << 14;

/// A power of two.
const NEAR: usize = 32;

/// A step of the tree: a further lock is taken.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    node: u32,
    child: u32,
    /// A lock and its access.
    taken: u64,
    /// The last segment in which the step was recorded; 0 for never.
    recorded_in: u32,
}

/// A lock tree.
#[derive(Debug)]
pub(super) struct KnownOrders {
    near: Box<[Step; NEAR]>,
    far: FxHashMap<(u32, u64), (u32, u32)>,
    last_node: u32,
}

impl KnownOrders {
    pub(super) fn new() -> KnownOrders {
        KnownOrders { near: Box::new([Step::default(); NEAR]), far: FxHashMap::default(), last_node: ROOT }
    }

    /// Was the step recorded in this segment?
    #[inline]
    pub(super) fn is_recorded(&mut self, node: u32, taken: u64, segment: u32) -> bool {
        self.step(node, taken).is_some_and(|step| step.recorded_in == segment)
    }

    /// The node after the step.
    #[inline]
    pub(super) fn child(&mut self, node: u32, taken: u64) -> u32 {
        match self.step(node, taken) {
            Some(step) => step.child,
            None => self.add(node, taken).child,
        }
    }

    /// The step was recorded in this segment.
    pub(super) fn set_recorded(&mut self, node: u32, taken: u64, segment: u32) {
        let child = self.child(node, taken);
        self.far.insert((node, taken), (child, segment));
        self.near[place_of(node, taken)] = Step { node, child, taken, recorded_in: segment };
    }

    /// Has the tree outgrown its limit? Then it is to be emptied, and nodes that were given out forgotten.
    pub(super) fn is_full(&self) -> bool {
        self.far.len() >= MAX_STEPS
    }

    #[inline]
    fn step(&mut self, node: u32, taken: u64) -> Option<Step> {
        let near = self.near[place_of(node, taken)];
        if near.node == node && near.taken == taken {
            return Some(near);
        }
        self.far_step(node, taken)
    }

    fn far_step(&mut self, node: u32, taken: u64) -> Option<Step> {
        let (child, recorded_in) = *self.far.get(&(node, taken))?;
        let step = Step { node, child, taken, recorded_in };
        self.near[place_of(node, taken)] = step;
        Some(step)
    }

    #[cold]
    fn add(&mut self, node: u32, taken: u64) -> Step {
        self.last_node += 1;
        let step = Step { node, child: self.last_node, taken, recorded_in: 0 };
        self.far.insert((node, taken), (step.child, 0));
        self.near[place_of(node, taken)] = step;
        step
    }
}

#[inline]
fn place_of(node: u32, taken: u64) -> usize {
    (taken >> 2).wrapping_add(u64::from(node).wrapping_mul(7)) as usize & (NEAR - 1)
}

#[cfg(test)]
mod tests {
    use super::{KnownOrders, ROOT};

    #[test]
    fn a_step_is_known_in_the_segment_of_its_recording_alone() {
        let mut known = KnownOrders::new();
        assert!(!known.is_recorded(ROOT, 4, 1));
        known.set_recorded(ROOT, 4, 1);
        assert!(known.is_recorded(ROOT, 4, 1));
        assert!(!known.is_recorded(ROOT, 4, 2));
        assert!(!known.is_recorded(ROOT, 5, 1));
    }

    #[test]
    fn steps_that_share_a_slot_of_the_cache_stay_apart() {
        let mut known = KnownOrders::new();
        let children: Vec<u32> = (1..200).map(|lock| known.child(ROOT, lock << 2)).collect();
        for lock in 1..200 {
            known.set_recorded(ROOT, lock << 2, lock as u32);
        }
        for (index, lock) in (1..200).enumerate() {
            assert_eq!(known.child(ROOT, lock << 2), children[index]);
            assert!(known.is_recorded(ROOT, lock << 2, lock as u32));
        }
    }
}
