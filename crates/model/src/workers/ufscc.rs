//! Strongly connected components by several workers, until one of them is accepting.
//!
//! UFSCC (Bloemen, Laarman and van de Pol, Multi-core On-the-fly SCC Decomposition, PPoPP 2016, Algorithm
//! 4), with acceptance as in Bloemen and van de Pol, Multi-core SCC-Based LTL Model Checking, HVC 2016. Each
//! worker searches depth first, in its own order. An edge to a set that the worker has claimed closes a
//! cycle: the worker unites the sets along its path down to that one. A component is complete when none of
//! its nodes is busy; every worker in it helps with all of its nodes.
//!
//! We differ in one place: if the worker itself united a node with a set further down its path, it leaves
//! the node when the edges are followed, and the frame further down goes on. So the worker does not expand a
//! node again that is busy only because of this worker.
//!
//! The invariants: (1) the nodes of a set, and the edges of its sum, belong to one component. The set need
//! not contain every node that connects them: see [`cycles`](super::cycles). (2) A node is done only when
//! each of its edges has led into its own set or to a complete component. (3) If a worker has claimed a set
//! that is not complete, the set is that of some entry of its `claimed` stack. By (2) a set without busy
//! nodes is a component, and by (3) an edge to a claimed set closes a cycle.
//!
//! Promise: sums only grow, so a worker may report acceptance as soon as a sum suffices. Under strong
//! fairness sums do not suffice; this search is not for it. No recursion.

use super::union_find::{Claim, UnionFind};
use super::{StopSignal, lock};
use crate::ltl::Acceptance;
use crate::search::Limit;
use crate::sync::atomic::Ordering;
use crate::sync::{Counter, Mutex};
use selvedge_explore::Random;
use selvedge_ltl::buchi::Marks;

/// A graph that several workers search while they make it.
pub(super) trait SharedGraph: Sync {
    /// A worker's own memory to make edges in.
    type Buffers;

    fn buffers(&self) -> Self::Buffers;

    /// The marks that an accepting component has.
    fn all_marks(&self) -> Marks;

    /// Appends the edges that leave a node.
    fn out_edges(&self, node: u32, buffers: &mut Self::Buffers, out: &mut Vec<OutEdge>) -> Result<(), Limit>;
}

/// An edge to a known node.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutEdge {
    pub(super) target: u32,
    pub(super) acceptance: Acceptance,
}

/// The data that all workers share.
pub(super) struct SharedSearch<G> {
    pub(super) graph: G,
    pub(super) signal: StopSignal,
    pub(super) sets: UnionFind,
    pub(super) roots: Vec<u32>,
    /// A node of an accepting set.
    pub(super) accepting: Mutex<Option<u32>>,
    /// The bytes of the workers' stacks.
    pub(super) stack_bytes: Counter,
}

impl<G: SharedGraph> SharedSearch<G> {
    pub(super) fn new(graph: G, roots: Vec<u32>, sets: UnionFind) -> Self {
        let (signal, accepting, stack_bytes) = (StopSignal::default(), Mutex::new(None), Counter::new(0));
        SharedSearch { graph, signal, sets, roots, accepting, stack_bytes }
    }
}

/// A node on the path, and the node of its set that is being expanded there.
struct Frame {
    entered: u32,
    current: u32,
    /// The edges still to be followed are those above this height, up to where the next frame's begin.
    edges: usize,
}

/// A claimed set on the path, by the node where the worker entered it, with the edge that led there.
struct ClaimedSet {
    node: u32,
    entry: Acceptance,
}

/// A worker's search.
pub(super) struct Worker<'s, G: SharedGraph> {
    search: &'s SharedSearch<G>,
    bit: u64,
    /// Shuffles edges; `None` keeps their order.
    random: Option<Random>,
    path: Vec<Frame>,
    claimed: Vec<ClaimedSet>,
    edges: Vec<OutEdge>,
    buffers: G::Buffers,
    bytes: usize,
    pub(super) depth: usize,
}

/// The reason why a worker stops all workers before the search is complete.
enum Stop {
    /// A set is accepting.
    Accepting,
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

/// Called at every expanded node with the depth of the search; may stop it.
pub(super) type OnExpand<'a> = dyn FnMut(usize) -> Result<(), Limit> + 'a;

impl<'s, G: SharedGraph> Worker<'s, G> {
    /// The worker with this number. Worker 0 follows edges in their order, every other worker in its own.
    pub(super) fn new(search: &'s SharedSearch<G>, number: usize) -> Self {
        let random = (number > 0).then_some(Random(number as u64));
        Worker::with_order(search, number, random, search.graph.buffers())
    }

    pub(super) fn with_order(
        search: &'s SharedSearch<G>,
        number: usize,
        random: Option<Random>,
        buffers: G::Buffers,
    ) -> Self {
        Worker {
            search,
            bit: 1 << number,
            random,
            path: Vec::new(),
            claimed: Vec::new(),
            edges: Vec::new(),
            buffers,
            bytes: 0,
            depth: 0,
        }
    }

    /// Searches from all roots, or until a worker stops the search.
    pub(super) fn run(&mut self, on_expand: &mut OnExpand<'_>) {
        match self.search_all_roots(on_expand) {
            Ok(()) | Err(Stop::Accepting) => self.search.signal.stop(),
            Err(Stop::Limit(limit)) => self.search.signal.stop_by(limit),
        }
    }

    fn search_all_roots(&mut self, on_expand: &mut OnExpand<'_>) -> Result<(), Stop> {
        for root in &self.search.roots {
            self.search_path(on_expand)?;
            if self.search.signal.is_stopped() {
                return Ok(());
            }
            if self.search.sets.claim(*root, self.bit) == Claim::New {
                self.enter(*root, Acceptance::default(), on_expand)?;
            }
        }
        self.search_path(on_expand)
    }

    /// Makes steps until the path is empty, or a worker stops the search.
    fn search_path(&mut self, on_expand: &mut OnExpand<'_>) -> Result<(), Stop> {
        while !self.path.is_empty() && !self.search.signal.is_stopped() {
            self.step(on_expand)?;
        }
        Ok(())
    }

    /// Enters the first root and makes this many steps, so that an exploration can begin in the middle of a
    /// search.
    #[cfg(test)]
    pub(super) fn begin(&mut self, steps: usize) {
        let root = self.search.roots[0];
        assert_eq!(self.search.sets.claim(root, self.bit), Claim::New, "a worker begins once");
        self.enter(root, Acceptance::default(), &mut |_| Ok(())).expect("no limit");
        self.make_steps(steps);
        assert!(!self.search.signal.is_stopped(), "the search goes on");
    }

    /// Makes at most this many steps. Stops all workers if a set is accepting, as [`run`](Worker::run) does.
    #[cfg(test)]
    pub(super) fn make_steps(&mut self, steps: usize) {
        for _ in 0..steps {
            if self.path.is_empty() || self.search.signal.is_stopped() {
                return;
            }
            if self.step(&mut |_| Ok(())).is_err() {
                return self.search.signal.stop();
            }
        }
    }

    /// Follows an edge of the frame on top, or leaves the frame.
    fn step(&mut self, on_expand: &mut OnExpand<'_>) -> Result<(), Stop> {
        let top = self.path.last().expect("a frame");
        if self.edges.len() > top.edges {
            let current = top.current;
            let edge = self.edges.pop().expect("an edge above the frame's height");
            match self.search.sets.claim(edge.target, self.bit) {
                Claim::Dead => {}
                Claim::New => self.enter(edge.target, edge.acceptance, on_expand)?,
                Claim::OnPath => self.close_cycle(current, edge)?,
            }
            return Ok(());
        }
        let (entered, current) = (top.entered, top.current);
        self.search.sets.finish(current);
        if self.claimed.last().is_none_or(|last| last.node != entered) {
            // This worker united the set with one further down, whose frame goes on.
            self.path.pop();
            return Ok(());
        }
        match self.search.sets.pick(entered) {
            Some(busy) => self.expand(busy, on_expand)?,
            None => {
                self.path.pop();
                self.claimed.pop();
            }
        }
        Ok(())
    }

    fn enter(&mut self, node: u32, entry: Acceptance, on_expand: &mut OnExpand<'_>) -> Result<(), Limit> {
        self.path.push(Frame { entered: node, current: node, edges: self.edges.len() });
        self.claimed.push(ClaimedSet { node, entry });
        self.depth = self.depth.max(self.path.len() - 1);
        match self.search.sets.pick(node) {
            Some(busy) => self.expand(busy, on_expand),
            // Other workers completed the set; the frame has no edges and is left next.
            None => Ok(()),
        }
    }

    /// Makes the edges of a node for the frame on top to follow.
    fn expand(&mut self, node: u32, on_expand: &mut OnExpand<'_>) -> Result<(), Limit> {
        let height = self.edges.len();
        self.path.last_mut().expect("a frame").current = node;
        self.search.graph.out_edges(node, &mut self.buffers, &mut self.edges)?;
        match &mut self.random {
            // The first edge is followed first, so it goes on top.
            None => self.edges[height..].reverse(),
            Some(random) => shuffle(&mut self.edges[height..], random),
        }
        self.count_bytes();
        on_expand(self.depth)
    }

    fn count_bytes(&mut self) {
        let bytes = self.path.capacity() * size_of::<Frame>()
            + self.claimed.capacity() * size_of::<ClaimedSet>()
            + self.edges.capacity() * size_of::<OutEdge>();
        if bytes != self.bytes {
            self.search.stack_bytes.fetch_add(bytes - self.bytes, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }

    /// An edge leads to a set that this worker has claimed: all sets on the path from that one on are one.
    fn close_cycle(&mut self, current: u32, edge: OutEdge) -> Result<(), Stop> {
        let sets = &self.search.sets;
        let mut sum = edge.acceptance;
        // Other workers unite sets meanwhile, so the loop may end above the claimed set: invariant (1) still
        // holds.
        while !sets.is_same_set(edge.target, current) {
            let above = self.claimed.pop().expect("a set on the path");
            let below = self.claimed.last().expect("a claimed set is further down the path");
            sum = sum.with(above.entry);
            sets.unite(above.node, below.node);
        }
        if sets.add(current, sum).accepts(self.search.graph.all_marks()) {
            *lock(&self.search.accepting) = Some(current);
            return Err(Stop::Accepting);
        }
        Ok(())
    }
}

fn shuffle(edges: &mut [OutEdge], random: &mut Random) {
    for end in (1..edges.len()).rev() {
        if let Some(chosen) = random.below(end + 1) {
            edges.swap(end, chosen);
        }
    }
}
