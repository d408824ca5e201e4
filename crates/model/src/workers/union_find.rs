//! Sets of nodes that several workers unite: parts of strongly connected components.
//!
//! The shared structure of UFSCC (Bloemen, Laarman and van de Pol, Multi-core On-the-fly SCC Decomposition,
//! PPoPP 2016, §4). A set knows which workers have one of its nodes on their paths; which of its nodes are
//! busy, that is, have edges that no worker has followed to the end; and the sum of the edges inside
//! (Bloemen and van de Pol, Multi-core SCC-Based LTL Model Checking, HVC 2016). We differ in one place: the
//! data of a set change only under a lock that its root chooses, so that a link, the workers, the ring of
//! busy nodes and the sum change together. Queries take no lock.
//!
//! Promise: a set only grows; a dead set never changes; no edge that was added to a sum is lost.
//! `workers/explored` shows that for every interleaving of small programs.

use super::chunked_array::{ArrayShape, ChunkedArray};
use super::lock;
use crate::ltl::{Acceptance, FairnessDebt};
use crate::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use crate::sync::{Mutex, MutexGuard};
use selvedge_ltl::buchi::Marks;

/// The number of locks that the roots share; a power of two.
const LOCKS: usize = 1024;

/// The cells of a node. All are zero for a busy node on no path, alone in its set.
#[derive(Debug, Default)]
struct NodeCells {
    /// The parent in the tree of the set, encoded; a root is its own.
    parent: AtomicU32,
    /// The next node in the ring of busy nodes, encoded.
    ring_next: AtomicU32,
    /// Of a root: some node of the ring, encoded.
    ring_entry: AtomicU32,
    /// Has a worker followed all edges of the node? Set by [`UnionFind::finish`].
    is_done: AtomicU8,
    /// Of a root: is the component complete?
    is_dead: AtomicU8,
    /// Of a root: the workers that claimed one of the nodes.
    workers: AtomicU64,
    /// Of a root: the sum of the edges inside.
    marks: AtomicU64,
    demanded: AtomicU64,
    served: AtomicU64,
}

/// The answer to a worker that follows an edge to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The node's set is new to the worker, and claimed by it from now on.
    New,
    /// A node of the set is on the worker's path.
    OnPath,
    /// The node's component is complete.
    Dead,
}

/// The sets.
#[derive(Debug)]
pub(crate) struct UnionFind {
    nodes: ChunkedArray<NodeCells>,
    locks: Box<[Mutex<()>]>,
}

/// A reference from a node as a cell stores it: 0 for the node itself, so that zeroed cells are a valid
/// node.
fn encode(target: u32, node: u32) -> u32 {
    if target == node { 0 } else { target + 1 }
}

fn decode(cell: &AtomicU32, node: u32) -> u32 {
    cell.load(Ordering::Acquire).checked_sub(1).unwrap_or(node)
}

fn add_bits(cell: &AtomicU64, bits: u64) {
    if bits != 0 {
        cell.fetch_or(bits, Ordering::AcqRel);
    }
}

impl UnionFind {
    pub(crate) fn new() -> UnionFind {
        UnionFind::with_size(ArrayShape::WHOLE, LOCKS)
    }

    /// Sets of as many nodes as the array has elements; `locks` is a power of two.
    pub(crate) fn with_size(shape: ArrayShape, locks: usize) -> UnionFind {
        assert!(locks.is_power_of_two(), "the number of locks is a power of two");
        UnionFind { nodes: ChunkedArray::new(shape), locks: (0..locks).map(|_| Mutex::new(())).collect() }
    }

    pub(crate) fn memory(&self) -> usize {
        self.nodes.memory()
    }

    /// The root of the node's set, as it was at some moment since the call.
    #[inline]
    pub(crate) fn find(&self, mut node: u32) -> u32 {
        loop {
            let cell = &self.nodes.get(node).parent;
            let parent = decode(cell, node);
            if parent == node {
                return node;
            }
            let grandparent = decode(&self.nodes.get(parent).parent, parent);
            if grandparent == parent {
                return parent;
            }
            // Path halving. If the exchange fails, another worker has shortened the path already.
            let _ = cell.compare_exchange(
                encode(parent, node),
                encode(grandparent, node),
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
            node = grandparent;
        }
    }

    fn is_root(&self, node: u32) -> bool {
        self.nodes.get(node).parent.load(Ordering::Acquire) == 0
    }

    fn lock_index(&self, node: u32) -> usize {
        (node.wrapping_mul(0x9E37_79B9) >> 16) as usize & (self.locks.len() - 1)
    }

    /// The root of the node's set, and its lock: the node stays a root until the lock is released.
    fn lock_root(&self, node: u32) -> (u32, MutexGuard<'_, ()>) {
        loop {
            let root = self.find(node);
            let guard = lock(&self.locks[self.lock_index(root)]);
            if self.is_root(root) {
                return (root, guard);
            }
        }
    }

    /// True if both nodes are in one set at some moment since the call; false if they are in two sets at
    /// some moment.
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

    /// Claims the node's set for the worker.
    #[inline]
    pub(crate) fn claim(&self, node: u32, worker: u64) -> Claim {
        let root = self.nodes.get(self.find(node));
        // Neither cell is ever reset, so both answers hold even if this node is no root any more.
        if root.is_dead.load(Ordering::Acquire) != 0 {
            return Claim::Dead;
        }
        if root.workers.load(Ordering::Acquire) & worker != 0 {
            return Claim::OnPath;
        }
        let (root, _guard) = self.lock_root(node);
        let root = self.nodes.get(root);
        if root.is_dead.load(Ordering::Acquire) != 0 {
            return Claim::Dead;
        }
        if root.workers.fetch_or(worker, Ordering::AcqRel) & worker != 0 { Claim::OnPath } else { Claim::New }
    }

    /// Makes one set of two whose nodes are in one component.
    pub(crate) fn unite(&self, one: u32, other: u32) {
        loop {
            let (one, other) = (self.find(one), self.find(other));
            if one == other {
                return;
            }
            // In the order of the locks, so that no two workers wait for each other.
            let (low, high) = {
                let (one, other) = (self.lock_index(one), self.lock_index(other));
                (one.min(other), one.max(other))
            };
            let _low = lock(&self.locks[low]);
            let _high = (low != high).then(|| lock(&self.locks[high]));
            if self.is_root(one) && self.is_root(other) {
                // By a number that looks random, so that trees stay shallow.
                let is_above = one.wrapping_mul(0x85EB_CA6B) < other.wrapping_mul(0x85EB_CA6B);
                let (root, child) = if is_above { (one, other) } else { (other, one) };
                return self.link(root, child);
            }
        }
    }

    /// Makes one root the child of another. Both are locked.
    fn link(&self, root: u32, child: u32) {
        let (above, below) = (self.nodes.get(root), self.nodes.get(child));
        debug_assert_eq!(above.is_dead.load(Ordering::Acquire), 0, "a complete component grows");
        debug_assert_eq!(below.is_dead.load(Ordering::Acquire), 0, "a complete component grows");
        // Before the link: a worker that sees the link sees the sum.
        for (into, from) in
            [(&above.marks, &below.marks), (&above.demanded, &below.demanded), (&above.served, &below.served)]
        {
            add_bits(into, from.load(Ordering::Acquire));
        }
        self.join_rings(decode(&above.ring_entry, root), decode(&below.ring_entry, child));
        below.parent.store(encode(root, child), Ordering::Release);
        // After the link: a worker that finds its bit in the root finds its path in the root's set. Between
        // the two stores a worker may miss its bit; `claim` then waits for the lock and finds it.
        add_bits(&above.workers, below.workers.load(Ordering::Acquire));
    }

    /// Two rings become one when a node of each exchanges successors with the other.
    fn join_rings(&self, one: u32, other: u32) {
        let (after_one, after_other) = (self.ring_next(one), self.ring_next(other));
        self.set_ring_next(one, after_other);
        self.set_ring_next(other, after_one);
    }

    fn ring_next(&self, node: u32) -> u32 {
        decode(&self.nodes.get(node).ring_next, node)
    }

    fn set_ring_next(&self, node: u32, next: u32) {
        self.nodes.get(node).ring_next.store(encode(next, node), Ordering::Release);
    }

    fn is_done(&self, node: u32) -> bool {
        self.nodes.get(node).is_done.load(Ordering::Acquire) != 0
    }

    /// A worker has followed all edges of the node: each leads into the node's own set or to a complete
    /// component.
    pub(crate) fn finish(&self, node: u32) {
        self.nodes.get(node).is_done.store(1, Ordering::Release);
    }

    /// A busy node of the set, this one if it is busy. If there is none, the set is dead from now on.
    pub(crate) fn pick(&self, node: u32) -> Option<u32> {
        if !self.is_done(node) {
            return Some(node);
        }
        let (root, _guard) = self.lock_root(node);
        let cells = self.nodes.get(root);
        if cells.is_dead.load(Ordering::Acquire) != 0 {
            return None;
        }
        let entry = decode(&cells.ring_entry, root);
        loop {
            let next = self.ring_next(entry);
            if !self.is_done(next) {
                cells.ring_entry.store(encode(next, root), Ordering::Release);
                return Some(next);
            }
            if next == entry {
                cells.is_dead.store(1, Ordering::Release);
                return None;
            }
            self.set_ring_next(entry, self.ring_next(next));
        }
    }

    /// Adds edges inside the node's set to the set's sum; returns the sum.
    #[inline]
    pub(crate) fn add(&self, node: u32, acceptance: Acceptance) -> Acceptance {
        let known = self.sum(self.find(node));
        if known.with(acceptance) == known {
            return known;
        }
        let (root, _guard) = self.lock_root(node);
        let cells = self.nodes.get(root);
        add_bits(&cells.marks, acceptance.marks);
        add_bits(&cells.demanded, acceptance.debt.demanded);
        add_bits(&cells.served, acceptance.debt.served);
        self.sum(root)
    }

    /// The sum of the edges inside the set of this root.
    ///
    /// The three parts are read one after the other. That is enough: each only grows, and an edge under weak
    /// fairness demands the same processes as every other.
    pub(crate) fn sum(&self, root: u32) -> Acceptance {
        let cells = self.nodes.get(root);
        let marks: Marks = cells.marks.load(Ordering::Acquire);
        let demanded = cells.demanded.load(Ordering::Acquire);
        let served = cells.served.load(Ordering::Acquire);
        Acceptance { marks, debt: FairnessDebt { demanded, served } }
    }

    /// Panics, saying which invariant broke. For the nodes below the bound, while no worker changes the
    /// sets.
    #[cfg(test)]
    pub(super) fn validate(&self, node_bound: u32) {
        let roots: Vec<u32> = (0..node_bound).map(|node| self.checked_root(node, node_bound)).collect();
        let is_in_ring = self.checked_rings(&roots);
        for node in 0..node_bound {
            let (root, cells) = (self.nodes.get(roots[node as usize]), self.nodes.get(node));
            let workers = cells.workers.load(Ordering::Acquire);
            let known = root.workers.load(Ordering::Acquire);
            assert_eq!(workers & !known, 0, "a root lacks a worker that claimed node {node}");
            let (sum, own) = (self.sum(roots[node as usize]), self.sum(node));
            assert_eq!(sum.with(own), sum, "a root lacks edges that were added at node {node}");
            if !self.is_done(node) {
                assert!(is_in_ring[node as usize], "busy node {node} is missing in its set's ring");
                assert_eq!(root.is_dead.load(Ordering::Acquire), 0, "node {node} of a dead set is busy");
            }
        }
    }

    /// The root of a node, without path halving.
    #[cfg(test)]
    fn checked_root(&self, mut node: u32, node_bound: u32) -> u32 {
        for _ in 0..node_bound {
            let parent = decode(&self.nodes.get(node).parent, node);
            if parent == node {
                return node;
            }
            node = parent;
        }
        panic!("the parents of node {node} form a cycle");
    }

    /// For each node, whether it is in the ring of its set.
    #[cfg(test)]
    fn checked_rings(&self, roots: &[u32]) -> Vec<bool> {
        let mut is_in_ring = vec![false; roots.len()];
        for root in (0..roots.len() as u32).filter(|node| roots[*node as usize] == *node) {
            let entry = decode(&self.nodes.get(root).ring_entry, root);
            let mut node = entry;
            loop {
                assert_eq!(roots[node as usize], root, "node {node} is in the ring of another set");
                assert!(
                    !is_in_ring[node as usize],
                    "the ring of node {root} does not lead back to its entry"
                );
                is_in_ring[node as usize] = true;
                node = self.ring_next(node);
                if node == entry {
                    break;
                }
            }
        }
        is_in_ring
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;

    const NODES: u32 = 3000;
    const WORKERS: u64 = 4;

    /// The pairs that a worker unites.
    fn pairs(worker: u64, seed: u64) -> Vec<(u32, u32)> {
        let mut random = Random(seed * WORKERS + worker);
        let mut node = || (random.word() % u64::from(NODES)) as u32;
        (0..500).map(|_| (node(), node())).collect()
    }

    fn marks(marks: u64) -> Acceptance {
        Acceptance { marks, debt: FairnessDebt::default() }
    }

    /// For each node the least node of its set, by relabelling, one pair after the other.
    fn naive(seed: u64) -> Vec<u32> {
        let mut labels: Vec<u32> = (0..NODES).collect();
        for (one, other) in (0..WORKERS).flat_map(|worker| pairs(worker, seed)) {
            let (one, other) = (labels[one as usize], labels[other as usize]);
            labels.iter_mut().filter(|label| **label == one.max(other)).for_each(|l| *l = one.min(other));
        }
        labels
    }

    /// Every worker claims and unites its nodes and adds its mark, all at once.
    fn work(sets: &UnionFind, seed: u64) {
        std::thread::scope(|scope| {
            for worker in 0..WORKERS {
                scope.spawn(move || {
                    for (one, other) in pairs(worker, seed) {
                        sets.claim(one, 1 << worker);
                        sets.unite(one, other);
                        assert!(sets.is_same_set(one, other));
                        assert!(sets.add(other, marks(1 << worker)).marks >> worker & 1 == 1);
                        assert_eq!(sets.claim(other, 1 << worker), Claim::OnPath);
                    }
                });
            }
        });
    }

    #[test]
    fn several_workers_make_the_sets_of_one_and_lose_no_mark_or_claim() {
        for seed in 0..40 {
            let sets = UnionFind::new();
            work(&sets, seed);
            sets.validate(NODES);
            let labels = naive(seed);
            for (node, label) in (0..NODES).zip(&labels) {
                assert!(sets.is_same_set(node, *label), "{node} and {label}");
                assert_eq!(sets.find(node) == sets.find(0), *label == labels[0], "{node}");
            }
            for worker in 0..WORKERS {
                for (node, _) in pairs(worker, seed) {
                    assert!(sets.sum(sets.find(node)).marks >> worker & 1 == 1, "a mark is lost");
                    assert_eq!(sets.claim(node, 1 << worker), Claim::OnPath, "a claim is lost");
                }
            }
        }
    }

    #[test]
    fn every_busy_node_is_picked_before_its_set_is_dead() {
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
            sets.validate(NODES);
            assert!(picked.iter().all(|picked| picked.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn a_worker_that_finds_its_claim_is_in_the_set() {
        const ROUNDS: u32 = 20_000;
        let sets = UnionFind::new();
        let (round, answers) = (AtomicU32::new(0), AtomicU32::new(0));
        let wait_for = |cell: &AtomicU32, value| {
            for turn in 1.. {
                if cell.load(Ordering::Acquire) >= value {
                    return;
                }
                // On a single processor the other thread needs it.
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
                if sets.claim(one, 1) == Claim::OnPath {
                    assert!(sets.is_same_set(one, own), "round {number}");
                }
                wait_for(&answers, number + 1);
            }
        });
    }
}
