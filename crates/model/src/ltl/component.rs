//! Strongly connected components on the fly, until one of them is accepting.
//!
//! Couvreur, On-the-fly Verification of Linear Temporal Logic, FM'99, in the manner of Gabow, Path-based
//! Depth-first Search for Strong and Biconnected Components, 2000: a stack of partial components, each with
//! the sum of its edges; an edge back to a live node joins all components above that node's. Acceptance is a
//! property of the sum of a component's edges, so any number of marks costs nothing more, and fairness is
//! one more part of the sum.
//!
//! Promise: stops at the first edge that completes an accepting component; no recursion; every node is
//! expanded once.

use super::FairnessDebt;
use rustc_hash::FxHashMap;
use selvedge_ltl::buchi::Marks;

/// The acceptance of an edge, or the sum of several: marks and fairness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Acceptance {
    /// The acceptance marks on the edges.
    pub(crate) marks: Marks,
    /// The processes that fairness demands, and those that the edges serve.
    pub(crate) debt: FairnessDebt,
}

impl Acceptance {
    /// The sum of both.
    #[inline]
    #[must_use]
    pub(crate) fn with(self, other: Acceptance) -> Acceptance {
        Acceptance { marks: self.marks | other.marks, debt: self.debt.with(other.debt) }
    }

    /// Is a run that repeats these edges for ever accepted and fair?
    #[inline]
    pub(crate) fn accepts(self, all: Marks) -> bool {
        self.marks == all && self.debt.unserved() == 0
    }
}

/// The position of a search, for its figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchPosition {
    /// The length of the path from the root.
    pub(crate) depth: usize,
    /// The bytes of all stacks.
    pub(crate) bytes: usize,
}

/// A graph that is made while it is searched. Its nodes are numbers from 0.
pub(crate) trait OnTheFlyGraph {
    /// An edge as the search stores it.
    type Edge: Copy;
    /// The reason why the graph cannot be made any further.
    type Stop;

    /// The root with this index; `None` if there are no more.
    fn root(&mut self, index: usize) -> Result<Option<u32>, Self::Stop>;

    /// Appends the edges that leave a node. Returns a word for [`follow`](OnTheFlyGraph::follow) with each
    /// of them.
    fn out_edges(
        &mut self,
        node: u32,
        position: SearchPosition,
        out: &mut Vec<Self::Edge>,
    ) -> Result<u64, Self::Stop>;

    /// The target of an edge from this node, and its acceptance. A target that is new and no root gets the
    /// next number.
    fn follow(&mut self, node: u32, word: u64, edge: Self::Edge) -> (u32, Acceptance);
}

/// The nodes of an accepting component, if there is one.
pub(crate) type SearchResult<G> = Result<Option<Vec<u32>>, <G as OnTheFlyGraph>::Stop>;

/// Called with a complete component that is not accepting, its nodes and the sum of its edges; may find an
/// accepting part of it.
pub(crate) type OnClosed<'a, G> = dyn FnMut(&mut G, &[u32], Acceptance) -> SearchResult<G> + 'a;

/// Searches for strongly connected nodes whose edges together have all marks and are fair.
pub(crate) fn find_accepting<G: OnTheFlyGraph>(
    graph: &mut G,
    all: Marks,
    on_closed: &mut OnClosed<'_, G>,
) -> SearchResult<G> {
    let mut search = ComponentSearch {
        graph,
        all,
        edges: Vec::new(),
        path: Vec::new(),
        partial: Vec::new(),
        acceptance: AcceptanceTable::default(),
        live: Vec::new(),
        is_closed: Vec::new(),
    };
    let mut index = 0;
    while let Some(node) = search.graph.root(index)? {
        index += 1;
        if search.is_new(node) {
            let accepting = search.from(node, on_closed)?;
            if accepting.is_some() {
                return Ok(accepting);
            }
        }
    }
    Ok(None)
}

/// A node on the path from the root to the position of the search.
struct Frame {
    node: u32,
    /// The edges still to be followed are those above this height, up to where the next frame's begin.
    edges: usize,
    word: u64,
}

/// A component as far as it is known. There may be as many as nodes on the path, so acceptances are stored
/// by number.
struct PartialComponent {
    /// The first node. Nodes are numbered in the order of the search, so the others have larger numbers.
    root: u32,
    /// The sum of the edges inside.
    acceptance: AcceptanceId,
    /// The edge that led to the first node.
    entry: AcceptanceId,
}

/// A number in [`AcceptanceTable`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct AcceptanceId(u32);

/// The different acceptances that occur: few, while partial components are many.
#[derive(Default)]
struct AcceptanceTable {
    all: Vec<Acceptance>,
    ids: FxHashMap<Acceptance, AcceptanceId>,
}

impl AcceptanceTable {
    fn intern(&mut self, acceptance: Acceptance) -> AcceptanceId {
        *self.ids.entry(acceptance).or_insert_with(|| {
            self.all.push(acceptance);
            AcceptanceId(self.all.len() as u32 - 1)
        })
    }

    fn get(&self, id: AcceptanceId) -> Acceptance {
        self.all[id.0 as usize]
    }
}

struct ComponentSearch<'g, G: OnTheFlyGraph> {
    graph: &'g mut G,
    all: Marks,
    edges: Vec<G::Edge>,
    path: Vec<Frame>,
    partial: Vec<PartialComponent>,
    acceptance: AcceptanceTable,
    /// The nodes of partial components, in order.
    live: Vec<u32>,
    is_closed: Vec<bool>,
}

impl<G: OnTheFlyGraph> ComponentSearch<'_, G> {
    fn is_new(&self, node: u32) -> bool {
        debug_assert!(node as usize <= self.is_closed.len(), "nodes are numbered in order");
        node as usize == self.is_closed.len()
    }

    fn from(&mut self, root: u32, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        self.enter(root, Acceptance::default())?;
        while let Some(frame) = self.path.last() {
            if self.edges.len() > frame.edges {
                let (node, word) = (frame.node, frame.word);
                let edge = self.edges.pop().expect("an edge above the frame's height");
                let (target, acceptance) = self.graph.follow(node, word, edge);
                if self.is_new(target) {
                    self.enter(target, acceptance)?;
                } else if !self.is_closed[target as usize] && self.join(target, acceptance) {
                    return Ok(Some(self.live[self.top_start()..].to_vec()));
                }
            } else {
                let node = frame.node;
                self.path.pop();
                if self.partial.last().is_some_and(|top| top.root == node) {
                    let accepting = self.close(on_closed)?;
                    if accepting.is_some() {
                        return Ok(accepting);
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, node: u32, entry: Acceptance) -> Result<(), G::Stop> {
        let height = self.edges.len();
        let position = SearchPosition { depth: self.path.len(), bytes: self.memory() };
        let word = self.graph.out_edges(node, position, &mut self.edges)?;
        // The first edge is followed first, so it goes on top.
        self.edges[height..].reverse();
        self.path.push(Frame { node, edges: height, word });
        let (acceptance, entry) =
            (self.acceptance.intern(Acceptance::default()), self.acceptance.intern(entry));
        self.partial.push(PartialComponent { root: node, acceptance, entry });
        self.live.push(node);
        self.is_closed.push(false);
        Ok(())
    }

    /// An edge leads back to a live node: all components from that node's on are one. Returns whether it is
    /// accepting.
    fn join(&mut self, target: u32, edge: Acceptance) -> bool {
        let mut sum = edge;
        while let Some(above) = self.partial.pop_if(|top| top.root > target) {
            sum = sum.with(self.acceptance.get(above.acceptance)).with(self.acceptance.get(above.entry));
        }
        let top = self.partial.last_mut().expect("a live node is in a partial component");
        let before = self.acceptance.get(top.acceptance);
        let now = before.with(sum);
        if now != before {
            top.acceptance = self.acceptance.intern(now);
        }
        now.accepts(self.all)
    }

    /// The index where the nodes of the component on top begin among the live nodes.
    fn top_start(&self) -> usize {
        let root = self.partial.last().expect("a component").root;
        // Most components are single nodes.
        match self.live.last() {
            Some(last) if *last == root => self.live.len() - 1,
            _ => self.live.partition_point(|node| *node < root),
        }
    }

    /// The component on top is complete.
    fn close(&mut self, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        let start = self.top_start();
        let component = self.partial.pop().expect("a component");
        for node in &self.live[start..] {
            self.is_closed[*node as usize] = true;
        }
        let accepting =
            on_closed(self.graph, &self.live[start..], self.acceptance.get(component.acceptance))?;
        self.live.truncate(start);
        Ok(accepting)
    }

    fn memory(&self) -> usize {
        self.edges.capacity() * size_of::<G::Edge>()
            + self.path.capacity() * size_of::<Frame>()
            + self.partial.capacity() * size_of::<PartialComponent>()
            + self.live.capacity() * size_of::<u32>()
            + self.is_closed.capacity()
    }
}
