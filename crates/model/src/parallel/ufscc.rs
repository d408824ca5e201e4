//! Strongly connected components by several workers, until one of them is accepting.
//!
//! UFSCC (Bloemen, Laarman and van de Pol, Multi-core On-the-fly SCC Decomposition, PPoPP 2016, Algorithm 4), with acceptance as in
//! Bloemen and van de Pol, Multi-core SCC-Based LTL Model Checking, HVC 2016. Each worker searches depth first, in an
//! order of its own. An arc to a node in whose set the worker has been closes a cycle: the sets along its path
//! up to that one are united. A component is complete when none of its nodes is busy; any worker in it helps
//! with any of them.
//!
//! We differ in one place: a node that the worker has itself united with one further down its path is left
//! when its arcs are done, and the frame further down goes on; there a node that is busy only because this worker is
//! not done with it is not expanded again.
//!
//! What keeps it right: (1) the nodes of a set, and the arcs that its sums count, belong to one component, though nodes by which
//! some of them are reached may be missing still; (2) a node is done only when each of its arcs has led into its own set or to a
//! complete component; (3) if a worker has claimed a set that is not complete, the set is that of some entry of its `partial`
//! stack. By (2) a set without busy nodes is a component, and by (3) an arc to a claimed set closes a cycle.
//!
//! Promise: sums only grow, so acceptance may be seen as soon as the sums suffice; that is not so under strong fairness, which
//! is not for this search. No recursion.

use super::product::{Arc, Shared, Space};
use super::union_find::{Claim, UnionFind};
use crate::budget::Limit;
use crate::component::Seen;
use crate::system::System;
use selvedge_explore::Random;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What all workers share.
pub(super) struct Task<'a, S> {
    pub(super) product: Shared<'a, S>,
    pub(super) sets: UnionFind,
    pub(super) roots: Vec<u32>,
    /// A node of an accepting set.
    pub(super) found: Mutex<Option<u32>>,
    /// The bytes of the workers' stacks.
    pub(super) stack_bytes: AtomicUsize,
}

/// A node that a worker came to, and the one of its set that is being expanded there.
struct Frame {
    entered: u32,
    current: u32,
    /// The arcs that are still to be followed are those above this height, up to where the next frame's begin.
    arcs: usize,
}

/// A set on the path, by the node where the worker entered it, and what the arc to that counts for.
struct Partial {
    node: u32,
    entry: Seen,
}

/// One who searches.
pub(super) struct Worker<'t, 'a, S: System> {
    task: &'t Task<'a, S>,
    bit: u64,
    /// The order of arcs; the first worker takes them as they come.
    random: Option<Random>,
    path: Vec<Frame>,
    partial: Vec<Partial>,
    arcs: Vec<Arc>,
    space: Space<S::Action>,
    bytes: usize,
    pub(super) depth: usize,
}

impl<'t, 'a, S: System> Worker<'t, 'a, S> {
    pub(super) fn new(task: &'t Task<'a, S>, number: usize) -> Self {
        Worker {
            task,
            bit: 1 << number,
            random: (number > 0).then_some(Random(number as u64)),
            path: Vec::new(),
            partial: Vec::new(),
            arcs: Vec::new(),
            space: Space::new(task.product.rules.system.words()),
            bytes: 0,
            depth: 0,
        }
    }

    /// Searches from all roots, or until somebody says stop. `pause` is called for every node that is expanded.
    pub(super) fn run(&mut self, pause: &mut dyn FnMut(usize) -> Result<(), Limit>) {
        match self.search(pause) {
            Ok(()) => self.task.product.signal.stop(),
            Err(limit) => self.task.product.signal.stop_by(limit),
        }
    }

    fn search(&mut self, pause: &mut dyn FnMut(usize) -> Result<(), Limit>) -> Result<(), Limit> {
        for root in &self.task.roots {
            if self.task.product.signal.is_over() {
                break;
            }
            if self.task.sets.claim(*root, self.bit) == Claim::New {
                self.enter(*root, Seen::default(), pause)?;
            }
            while !self.path.is_empty() && !self.task.product.signal.is_over() {
                self.step(pause)?;
            }
        }
        Ok(())
    }

    /// Follows an arc of the frame on top, or leaves it.
    fn step(&mut self, pause: &mut dyn FnMut(usize) -> Result<(), Limit>) -> Result<(), Limit> {
        let top = self.path.last().expect("a frame");
        if self.arcs.len() > top.arcs {
            let current = top.current;
            let arc = self.arcs.pop().expect("an arc above the frame's height");
            match self.task.sets.claim(arc.target, self.bit) {
                Claim::Dead => {}
                Claim::New => self.enter(arc.target, arc.seen, pause)?,
                Claim::Found => self.join(current, arc),
            }
            return Ok(());
        }
        let (entered, current) = (top.entered, top.current);
        self.task.sets.finish(current);
        if self.partial.last().is_none_or(|last| last.node != entered) {
            // United with a set further down, whose frame goes on.
            self.path.pop();
            return Ok(());
        }
        match self.task.sets.pick(entered) {
            Some(busy) => self.expand(busy, pause),
            None => {
                self.path.pop();
                self.partial.pop();
                Ok(())
            }
        }
    }

    fn enter(
        &mut self,
        node: u32,
        entry: Seen,
        pause: &mut dyn FnMut(usize) -> Result<(), Limit>,
    ) -> Result<(), Limit> {
        self.path.push(Frame { entered: node, current: node, arcs: self.arcs.len() });
        self.partial.push(Partial { node, entry });
        self.depth = self.depth.max(self.path.len() - 1);
        match self.task.sets.pick(node) {
            Some(busy) => self.expand(busy, pause),
            // Somebody else is done with it; the frame has no arcs and is left next.
            None => Ok(()),
        }
    }

    /// Makes the arcs of a node; the frame on top follows them.
    fn expand(&mut self, node: u32, pause: &mut dyn FnMut(usize) -> Result<(), Limit>) -> Result<(), Limit> {
        let height = self.arcs.len();
        self.path.last_mut().expect("a frame").current = node;
        self.task.product.arcs(node, &mut self.space, &mut self.arcs)?;
        match &mut self.random {
            // The first arc is followed first: it must be on top.
            None => self.arcs[height..].reverse(),
            Some(random) => shuffle(&mut self.arcs[height..], random),
        }
        self.count_bytes();
        pause(self.depth)
    }

    fn count_bytes(&mut self) {
        let bytes = self.path.capacity() * size_of::<Frame>()
            + self.partial.capacity() * size_of::<Partial>()
            + self.arcs.capacity() * size_of::<Arc>();
        if bytes != self.bytes {
            self.task.stack_bytes.fetch_add(bytes - self.bytes, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }

    /// An arc leads to a node in whose set this worker has been: all sets on the path from that one on are one.
    fn join(&mut self, current: u32, arc: Arc) {
        let sets = &self.task.sets;
        let mut seen = arc.seen;
        while !sets.is_same_set(arc.target, current) {
            let above = self.partial.pop().expect("a set on the path");
            let below = self.partial.last().expect("a claimed set is further down the path");
            seen = seen.with(above.entry);
            sets.unite(above.node, below.node);
        }
        if sets.add(current, seen).accepts(self.task.product.rules.all_marks()) {
            *super::lock(&self.task.found) = Some(current);
            self.task.product.signal.stop();
        }
    }
}

fn shuffle(arcs: &mut [Arc], random: &mut Random) {
    for end in (1..arcs.len()).rev() {
        if let Some(chosen) = random.below(end + 1) {
            arcs.swap(end, chosen);
        }
    }
}
