//! Strongly connected components on the fly, until one of them is what is looked for.
//!
//! Couvreur, On-the-fly Verification of Linear Temporal Logic, FM'99, in the manner of Gabow, Path-based
//! Depth-first Search for Strong and Biconnected Components, 2000: a stack of partial components, each with what
//! its arcs count for; an arc back to a live node joins all components above that node's. Acceptance is a question
//! about the sum of a component's arcs, so any number of marks costs nothing more, and fairness is one more sum.
//!
//! Promise: stops at the first arc that completes an accepting component; no recursion; every node is expanded once.

use crate::fairness::Duty;
use rustc_hash::FxHashMap;
use selvedge_ltl::buchi::Marks;

/// What arcs count for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Seen {
    /// The acceptance marks on them.
    pub(crate) marks: Marks,
    /// What fairness makes of them.
    pub(crate) duty: Duty,
}

impl Seen {
    /// Both together.
    #[inline]
    #[must_use]
    pub(crate) fn with(self, other: Seen) -> Seen {
        Seen { marks: self.marks | other.marks, duty: self.duty.with(other.duty) }
    }

    /// May a run repeat this for ever and be accepted, and fair?
    #[inline]
    pub(crate) fn accepts(self, all: Marks) -> bool {
        self.marks == all && self.duty.open() == 0
    }
}

/// Where a search is, for its figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The length of the path from the root.
    pub(crate) depth: usize,
    /// The bytes of all stacks.
    pub(crate) bytes: usize,
}

/// A graph that is made while it is searched. Its nodes are numbers.
pub(crate) trait Graph {
    /// A way from a node to another.
    type Arc: Copy;
    /// Why it cannot be made any further.
    type Stop;

    /// A node where a search begins, counted from 0; `None` if there are no more.
    fn root(&mut self, index: usize) -> Result<Option<u32>, Self::Stop>;

    /// Adds the arcs that leave a node. Returns a word that [`follow`](Graph::follow) is given with each of them.
    fn arcs(&mut self, node: u32, place: Place, out: &mut Vec<Self::Arc>) -> Result<u64, Self::Stop>;

    /// The node that an arc from this node leads to, and what the arc counts for. A node that was never led to
    /// before (nor a root) gets the next number; the first is 0.
    fn follow(&mut self, node: u32, word: u64, arc: Self::Arc) -> (u32, Seen);
}

/// The nodes that were looked for, if there are such.
pub(crate) type Found<G> = Result<Option<Vec<u32>>, <G as Graph>::Stop>;

/// Hears of a component that is complete and not accepting, its nodes and what its arcs count for; may find in it
/// what is looked for.
pub(crate) type Closed<'a, G> = dyn FnMut(&mut G, &[u32], Seen) -> Found<G> + 'a;

/// Looks for a set of nodes, connected strongly by arcs that together have all marks and are fair.
pub(crate) fn find_accepting<G: Graph>(graph: &mut G, all: Marks, closed: &mut Closed<'_, G>) -> Found<G> {
    let mut search = Search {
        graph,
        all,
        arcs: Vec::new(),
        path: Vec::new(),
        partial: Vec::new(),
        seen: SeenTable::default(),
        live: Vec::new(),
        is_closed: Vec::new(),
    };
    let mut index = 0;
    while let Some(node) = search.graph.root(index)? {
        index += 1;
        if search.is_new(node) {
            let found = search.from(node, closed)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// A node on the path from the root to where the search is.
struct Frame {
    node: u32,
    /// Its arcs that are still to be followed are those above this height, up to where the next frame's begin.
    arcs: usize,
    word: u64,
}

/// A component as far as it is known. There may be one for each node on the path, so what arcs count for is stored
/// by number.
struct Partial {
    /// Its first node. Nodes are numbered in the order of the search, so its others have larger numbers.
    root: u32,
    /// The arcs inside it.
    seen: SeenId,
    /// The arc by which it was entered.
    entry: SeenId,
}

/// A number in [`SeenTable`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct SeenId(u32);

/// The different sums that occurred: few, while partial components are many.
#[derive(Default)]
struct SeenTable {
    all: Vec<Seen>,
    ids: FxHashMap<Seen, SeenId>,
}

impl SeenTable {
    fn intern(&mut self, seen: Seen) -> SeenId {
        *self.ids.entry(seen).or_insert_with(|| {
            self.all.push(seen);
            SeenId(self.all.len() as u32 - 1)
        })
    }

    fn get(&self, id: SeenId) -> Seen {
        self.all[id.0 as usize]
    }
}

struct Search<'g, G: Graph> {
    graph: &'g mut G,
    all: Marks,
    arcs: Vec<G::Arc>,
    path: Vec<Frame>,
    partial: Vec<Partial>,
    seen: SeenTable,
    /// The nodes of partial components, in order.
    live: Vec<u32>,
    is_closed: Vec<bool>,
}

impl<G: Graph> Search<'_, G> {
    fn is_new(&self, node: u32) -> bool {
        debug_assert!(node as usize <= self.is_closed.len(), "nodes are numbered in order");
        node as usize == self.is_closed.len()
    }

    fn from(&mut self, root: u32, closed: &mut Closed<'_, G>) -> Found<G> {
        self.enter(root, Seen::default())?;
        while let Some(frame) = self.path.last() {
            if self.arcs.len() > frame.arcs {
                let (node, word) = (frame.node, frame.word);
                let arc = self.arcs.pop().expect("an arc above the frame's height");
                let (target, seen) = self.graph.follow(node, word, arc);
                if self.is_new(target) {
                    self.enter(target, seen)?;
                } else if !self.is_closed[target as usize] && self.join(target, seen) {
                    return Ok(Some(self.live[self.top_start()..].to_vec()));
                }
            } else {
                let node = frame.node;
                self.path.pop();
                if self.partial.last().is_some_and(|top| top.root == node) {
                    let found = self.close(closed)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, node: u32, entry: Seen) -> Result<(), G::Stop> {
        let height = self.arcs.len();
        let place = Place { depth: self.path.len(), bytes: self.memory() };
        let word = self.graph.arcs(node, place, &mut self.arcs)?;
        // The first arc is followed first: it must be on top.
        self.arcs[height..].reverse();
        self.path.push(Frame { node, arcs: height, word });
        let (seen, entry) = (self.seen.intern(Seen::default()), self.seen.intern(entry));
        self.partial.push(Partial { root: node, seen, entry });
        self.live.push(node);
        self.is_closed.push(false);
        Ok(())
    }

    /// An arc leads back to a live node: all components from that node's on are one. Is it accepting?
    fn join(&mut self, target: u32, arc: Seen) -> bool {
        let mut sum = arc;
        while let Some(above) = self.partial.pop_if(|top| top.root > target) {
            sum = sum.with(self.seen.get(above.seen)).with(self.seen.get(above.entry));
        }
        let top = self.partial.last_mut().expect("a live node is in a partial component");
        let before = self.seen.get(top.seen);
        let now = before.with(sum);
        if now != before {
            top.seen = self.seen.intern(now);
        }
        now.accepts(self.all)
    }

    /// Where the nodes of the component on top begin among the live ones.
    fn top_start(&self) -> usize {
        let root = self.partial.last().expect("a component").root;
        // Most components are single nodes.
        match self.live.last() {
            Some(last) if *last == root => self.live.len() - 1,
            _ => self.live.partition_point(|node| *node < root),
        }
    }

    /// The component on top is complete.
    fn close(&mut self, closed: &mut Closed<'_, G>) -> Found<G> {
        let start = self.top_start();
        let component = self.partial.pop().expect("a component");
        for node in &self.live[start..] {
            self.is_closed[*node as usize] = true;
        }
        let found = closed(self.graph, &self.live[start..], self.seen.get(component.seen))?;
        self.live.truncate(start);
        Ok(found)
    }

    fn memory(&self) -> usize {
        self.arcs.capacity() * size_of::<G::Arc>()
            + self.path.capacity() * size_of::<Frame>()
            + self.partial.capacity() * size_of::<Partial>()
            + self.live.capacity() * size_of::<u32>()
            + self.is_closed.capacity()
    }
}
