//! Sets of nodes that several workers unite: parts of strongly connected components.
//!
//! The shared structure of UFSCC (Bloemen, Laarman and van de Pol, Multi-core On-the-fly SCC Decomposition, PPoPP 2016, §4). Each
//! set knows which workers have a node of it on their paths, which of its nodes are busy, that is, have arcs that nobody has followed
//! to the end, and what the arcs inside count for (Bloemen and van de Pol, Multi-core SCC-Based LTL Model Checking, HVC 2016).
//! We differ in one place: what belongs to a set changes only under a lock that its root chooses, so that a link, the
//! workers, the list of busy nodes and the sums change together. Questions are answered without a lock.
//!
//! Promise: a node's set only grows; a set that is dead stays as it is; what was once added to a set is not lost.

use super::grid::Grid;
use super::lock;
use crate::component::Seen;
use crate::fairness::Duty;
use selvedge_ltl::buchi::Marks;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Roots share so many locks.
const LOCKS: usize = 1024;

/// A node that is in no set but its own, on no path, and busy, is all zeros.
#[derive(Debug, Default)]
struct Node {
    /// Towards the root; plus 1, and 0 in a root.
    parent: AtomicU32,
    /// The next in the ring of busy nodes; plus 1, and 0 if that is itself.
    next: AtomicU32,
    /// Of a root: some node of the ring; plus 1, and 0 if that is itself.
    ring: AtomicU32,
    /// Have its arcs been followed? Set by [`UnionFind::finish`].
    is_done: AtomicU8,
    /// Of a root: is the component complete?
    is_dead: AtomicU8,
    /// Of a root: the workers that claimed one of the nodes.
    workers: AtomicU64,
    /// Of a root: what the arcs inside count for.
    marks: AtomicU64,
    demanded: AtomicU64,
    served: AtomicU64,
}

/// What a worker learns about a node that an arc leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The worker has not been in its set before; now it has.
    New,
    /// A node of its set is on the worker's path.
    Found,
    /// Its component is complete.
    Dead,
}

/// The sets.
#[derive(Debug)]
pub(crate) struct UnionFind {
    nodes: Grid<Node>,
    locks: Box<[Mutex<()>]>,
}

/// A number as it is stored: 0 stands for the node itself.
fn stored(number: u32, itself: u32) -> u32 {
    if number == itself { 0 } else { number + 1 }
}

fn read(cell: &AtomicU32, itself: u32) -> u32 {
    cell.load(Ordering::Acquire).checked_sub(1).unwrap_or(itself)
}

impl UnionFind {
    pub(crate) fn new() -> UnionFind {
        UnionFind { nodes: Grid::new(), locks: (0..LOCKS).map(|_| Mutex::new(())).collect() }
    }

    pub(crate) fn memory(&self) -> usize {
        self.nodes.memory()
    }

    /// The root of the node's set, as it was at some moment since the call.
    #[inline]
    pub(crate) fn find(&self, mut node: u32) -> u32 {
        loop {
            let cell = &self.nodes.get(node).parent;
            let parent = read(cell, node);
            if parent == node {
                return node;
            }
            let above = read(&self.nodes.get(parent).parent, parent);
            if above == parent {
                return parent;
            }
            // Half the path. Somebody else may have done better.
            let _ = cell.compare_exchange(
                stored(parent, node),
                stored(above, node),
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
            node = above;
        }
    }

    fn is_root(&self, node: u32) -> bool {
        self.nodes.get(node).parent.load(Ordering::Acquire) == 0
    }

    fn lock_index(node: u32) -> usize {
        (node.wrapping_mul(0x9E37_79B9) >> 16) as usize % LOCKS
    }

    /// The root of the node's set, and its lock: it is the root until that is released.
    fn locked(&self, node: u32) -> (u32, MutexGuard<'_, ()>) {
        loop {
            let root = self.find(node);
            let guard = lock(&self.locks[Self::lock_index(root)]);
            if self.is_root(root) {
                return (root, guard);
            }
        }
    }

    /// Was there a moment since the call at which both were in one set; or, if not, one at which they were not?
    #[inline]
    pub(crate) fn is_same_set(&self, one: u32, other: u32) -> bool {
        loop {
            let (root, other_root) = (self.find(one), self.find(other));
            if root == other_root {
                return true;
            }
            if self.is_root(root) {
                return false;
            }
        }
    }

    /// The worker has come to the node.
    #[inline]
    pub(crate) fn claim(&self, node: u32, worker: u64) -> Claim {
        let root = self.nodes.get(self.find(node));
        // Neither changes back, so it does not matter if this is no root any more.
        if root.is_dead.load(Ordering::Acquire) != 0 {
            return Claim::Dead;
        }
        if root.workers.load(Ordering::Acquire) & worker != 0 {
            return Claim::Found;
        }
        let (root, _guard) = self.locked(node);
        let root = self.nodes.get(root);
        if root.is_dead.load(Ordering::Acquire) != 0 {
            return Claim::Dead;
        }
        if root.workers.fetch_or(worker, Ordering::AcqRel) & worker != 0 { Claim::Found } else { Claim::New }
    }

    /// Makes one set of two: their nodes are in one component.
    pub(crate) fn unite(&self, one: u32, other: u32) {
        loop {
            let (one, other) = (self.find(one), self.find(other));
            if one == other {
                return;
            }
            let [first, second] = {
                let mut places = [Self::lock_index(one), Self::lock_index(other)];
                places.sort_unstable();
                places
            };
            let _first = lock(&self.locks[first]);
            let _second = (first != second).then(|| lock(&self.locks[second]));
            if self.is_root(one) && self.is_root(other) {
                // By a number that looks random, so that trees stay shallow.
                let is_above = one.wrapping_mul(0x85EB_CA6B) < other.wrapping_mul(0x85EB_CA6B);
                let (root, child) = if is_above { (one, other) } else { (other, one) };
                return self.link(root, child);
            }
        }
    }

    /// Hangs one root below another. Both are locked.
    fn link(&self, root: u32, child: u32) {
        let (above, below) = (self.nodes.get(root), self.nodes.get(child));
        debug_assert_eq!(above.is_dead.load(Ordering::Acquire), 0, "a complete component grows");
        debug_assert_eq!(below.is_dead.load(Ordering::Acquire), 0, "a complete component grows");
        // Before the link: who sees the link sees the sums.
        for (into, from) in
            [(&above.marks, &below.marks), (&above.demanded, &below.demanded), (&above.served, &below.served)]
        {
            into.fetch_or(from.load(Ordering::Acquire), Ordering::AcqRel);
        }
        let (one, other) = (read(&above.ring, root), read(&below.ring, child));
        // Two rings whose nodes exchange what follows them are one.
        let (after_one, after_other) = (self.next(one), self.next(other));
        self.set_next(one, after_other);
        self.set_next(other, after_one);
        below.parent.store(stored(root, child), Ordering::Release);
        // After the link: who finds that it has been in the set finds its own set there. Who comes between looks again under the lock.
        above.workers.fetch_or(below.workers.load(Ordering::Acquire), Ordering::AcqRel);
    }

    fn next(&self, node: u32) -> u32 {
        read(&self.nodes.get(node).next, node)
    }

    fn set_next(&self, node: u32, next: u32) {
        self.nodes.get(node).next.store(stored(next, node), Ordering::Release);
    }

    fn is_done(&self, node: u32) -> bool {
        self.nodes.get(node).is_done.load(Ordering::Acquire) != 0
    }

    /// All arcs of the node have been followed: each leads to its own set or to a component that is complete.
    pub(crate) fn finish(&self, node: u32) {
        self.nodes.get(node).is_done.store(1, Ordering::Release);
    }

    /// A busy node of the set, this one if it is busy. If there is none, the component is complete and `None` is
    /// returned.
    pub(crate) fn pick(&self, node: u32) -> Option<u32> {
        if !self.is_done(node) {
            return Some(node);
        }
        let (root, _guard) = self.locked(node);
        let cells = self.nodes.get(root);
        if cells.is_dead.load(Ordering::Acquire) != 0 {
            return None;
        }
        let ring = read(&cells.ring, root);
        loop {
            let next = self.next(ring);
            if !self.is_done(next) {
                cells.ring.store(stored(next, root), Ordering::Release);
                return Some(next);
            }
            if next == ring {
                cells.is_dead.store(1, Ordering::Release);
                return None;
            }
            self.set_next(ring, self.next(next));
        }
    }

    /// An arc inside the node's set counts for this. Returns what all of them count for.
    #[inline]
    pub(crate) fn add(&self, node: u32, seen: Seen) -> Seen {
        let known = self.seen(self.find(node));
        if known.with(seen) == known {
            return known;
        }
        let (root, _guard) = self.locked(node);
        let cells = self.nodes.get(root);
        cells.marks.fetch_or(seen.marks, Ordering::AcqRel);
        cells.demanded.fetch_or(seen.duty.demanded, Ordering::AcqRel);
        cells.served.fetch_or(seen.duty.served, Ordering::AcqRel);
        self.seen(root)
    }

    /// What the arcs inside the set of this root count for.
    pub(crate) fn seen(&self, root: u32) -> Seen {
        let cells = self.nodes.get(root);
        let marks: Marks = cells.marks.load(Ordering::Acquire);
        let demanded = cells.demanded.load(Ordering::Acquire);
        let served = cells.served.load(Ordering::Acquire);
        Seen { marks, duty: Duty { demanded, served } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;

    const NODES: u32 = 3000;
    const WORKERS: u64 = 4;

    /// The pairs that a worker unites, and what it adds.
    fn pairs(worker: u64, seed: u64) -> Vec<(u32, u32)> {
        let mut random = Random(seed * WORKERS + worker);
        let mut node = || (random.word() % u64::from(NODES)) as u32;
        (0..500).map(|_| (node(), node())).collect()
    }

    fn marks(marks: u64) -> Seen {
        Seen { marks, duty: Duty::default() }
    }

    /// The least node of each one's set, by relabelling, one pair after the other.
    fn naive(seed: u64) -> Vec<u32> {
        let mut labels: Vec<u32> = (0..NODES).collect();
        for (one, other) in (0..WORKERS).flat_map(|worker| pairs(worker, seed)) {
            let (one, other) = (labels[one as usize], labels[other as usize]);
            labels.iter_mut().filter(|label| **label == one.max(other)).for_each(|l| *l = one.min(other));
        }
        labels
    }

    /// Every worker claims, unites, adds its mark and finishes nodes, all at once.
    fn work(sets: &UnionFind, seed: u64) {
        std::thread::scope(|scope| {
            for worker in 0..WORKERS {
                scope.spawn(move || {
                    for (one, other) in pairs(worker, seed) {
                        sets.claim(one, 1 << worker);
                        sets.unite(one, other);
                        assert!(sets.is_same_set(one, other));
                        assert!(sets.add(other, marks(1 << worker)).marks >> worker & 1 == 1);
                        assert_eq!(sets.claim(other, 1 << worker), Claim::Found);
                    }
                });
            }
        });
    }

    #[test]
    fn many_workers_make_the_sets_that_one_makes_and_lose_nothing() {
        for seed in 0..40 {
            let sets = UnionFind::new();
            work(&sets, seed);
            let labels = naive(seed);
            for (node, label) in (0..NODES).zip(&labels) {
                assert!(sets.is_same_set(node, *label), "{node} and {label}");
                assert_eq!(sets.find(node) == sets.find(0), *label == labels[0], "{node}");
            }
            for worker in 0..WORKERS {
                for (node, _) in pairs(worker, seed) {
                    assert!(sets.seen(sets.find(node)).marks >> worker & 1 == 1, "a mark is lost");
                    assert_eq!(sets.claim(node, 1 << worker), Claim::Found, "a claim is lost");
                }
            }
        }
    }

    #[test]
    fn every_busy_node_is_picked_by_somebody_and_then_the_set_is_dead() {
        for seed in 0..40 {
            let sets = UnionFind::new();
            work(&sets, seed);
            let picked: Vec<AtomicU8> = (0..NODES).map(|_| AtomicU8::new(0)).collect();
            std::thread::scope(|scope| {
                for worker in 0..WORKERS as u32 {
                    let (sets, picked) = (&sets, &picked);
                    scope.spawn(move || {
                        for node in (0..NODES).map(|node| (node + worker * 700) % NODES) {
                            while let Some(busy) = sets.pick(node) {
                                assert!(sets.is_same_set(node, busy));
                                picked[busy as usize].store(1, Ordering::Relaxed);
                                sets.finish(busy);
                            }
                            assert_eq!(sets.claim(node, 1 << worker), Claim::Dead);
                        }
                    });
                }
            });
            assert!(picked.iter().all(|picked| picked.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn who_finds_a_set_claimed_is_in_it() {
        const ROUNDS: u32 = 20_000;
        let sets = UnionFind::new();
        let (round, answers) = (AtomicU32::new(0), AtomicU32::new(0));
        let wait_for = |cell: &AtomicU32, value| {
            for turn in 1.. {
                if cell.load(Ordering::Acquire) >= value {
                    return;
                }
                // Where there is one processor, the other needs it.
                if turn % 100 == 0 { std::thread::yield_now() } else { std::hint::spin_loop() }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..ROUNDS {
                    wait_for(&round, number + 1);
                    sets.unite(2 * number, 2 * number + 1);
                    answers.store(number + 1, Ordering::Release);
                }
            });
            for number in 0..ROUNDS {
                let (one, own) = (2 * number, 2 * number + 1);
                assert_eq!(sets.claim(own, 1), Claim::New);
                round.store(number + 1, Ordering::Release);
                if sets.claim(one, 1) == Claim::Found {
                    assert!(sets.is_same_set(one, own), "round {number}");
                }
                wait_for(&answers, number + 1);
            }
        });
    }
}
