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

    /// Is it time to [write](OnTheFlyGraph::write) to a checkpoint?
    #[inline]
    fn is_write_due(&self) -> bool {
        false
    }

    /// Writes the graph and the stacks of the search to a checkpoint, if there is one.
    fn write(&mut self, _stacks: &mut Stacks<Self::Edge>) {}

    /// Reads the graph and the stacks that another process wrote, if it did.
    fn read(&mut self) -> Result<Option<Stacks<Self::Edge>>, Self::Stop> {
        Ok(None)
    }
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
    let stacks = graph.read()?.unwrap_or_default();
    let mut is_closed = vec![true; stacks.entered];
    stacks.live.iter().for_each(|node| is_closed[*node as usize] = false);
    let mut search = ComponentSearch { graph, all, stacks, is_closed };
    let accepting = search.follow_path(on_closed)?;
    if accepting.is_some() {
        return Ok(accepting);
    }
    // Of a search that goes on, the first roots are known.
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

/// The stacks of a search. Between two moments they differ only above the least heights meanwhile.
pub(crate) struct Stacks<E> {
    pub(super) edges: Vec<E>,
    pub(super) path: Vec<Frame>,
    pub(super) partial: Vec<PartialComponent>,
    pub(super) acceptance: AcceptanceTable,
    /// The nodes of partial components, in order.
    pub(super) live: Vec<u32>,
    /// The number of nodes that were entered: those that are not live are closed.
    pub(super) entered: usize,
    pub(super) unchanged: Unchanged,
}

impl<E> Default for Stacks<E> {
    fn default() -> Self {
        Stacks {
            edges: Vec::new(),
            path: Vec::new(),
            partial: Vec::new(),
            acceptance: AcceptanceTable::default(),
            live: Vec::new(),
            entered: 0,
            unchanged: Unchanged::default(),
        }
    }
}

/// The heights below which the stacks have not changed since they were written.
#[derive(Clone, Copy, Default)]
pub(super) struct Unchanged {
    pub(super) path: usize,
    pub(super) partial: usize,
    pub(super) live: usize,
    pub(super) acceptances: usize,
}

impl<E> Stacks<E> {
    /// The height of the edges that have not changed: those of the frame that was on top at the least height
    /// of the path may have been followed.
    pub(super) fn unchanged_edges(&self) -> usize {
        self.unchanged.path.checked_sub(1).map_or(0, |top| self.path[top].edges)
    }

    /// The stacks were written.
    pub(super) fn written(&mut self) {
        self.unchanged = Unchanged {
            path: self.path.len(),
            partial: self.partial.len(),
            live: self.live.len(),
            acceptances: self.acceptance.all.len(),
        };
    }
}

/// A node on the path from the root to the position of the search.
pub(super) struct Frame {
    pub(super) node: u32,
    /// The edges still to be followed are those above this height, up to where the next frame's begin.
    pub(super) edges: usize,
    pub(super) word: u64,
}

/// A component as far as it is known. There may be as many as nodes on the path, so acceptances are stored
/// by number.
pub(super) struct PartialComponent {
    /// The first node. Nodes are numbered in the order of the search, so the others have larger numbers.
    pub(super) root: u32,
    /// The sum of the edges inside.
    pub(super) acceptance: AcceptanceId,
    /// The edge that led to the first node.
    pub(super) entry: AcceptanceId,
}

/// A number in [`AcceptanceTable`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct AcceptanceId(pub(super) u32);

/// The different acceptances that occur: few, while partial components are many.
#[derive(Default)]
pub(super) struct AcceptanceTable {
    pub(super) all: Vec<Acceptance>,
    ids: FxHashMap<Acceptance, AcceptanceId>,
}

impl AcceptanceTable {
    pub(super) fn intern(&mut self, acceptance: Acceptance) -> AcceptanceId {
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
    stacks: Stacks<G::Edge>,
    is_closed: Vec<bool>,
}

impl<G: OnTheFlyGraph> ComponentSearch<'_, G> {
    fn is_new(&self, node: u32) -> bool {
        debug_assert!(node as usize <= self.is_closed.len(), "nodes are numbered in order");
        node as usize == self.is_closed.len()
    }

    fn from(&mut self, root: u32, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        self.enter(root, Acceptance::default())?;
        self.follow_path(on_closed)
    }

    /// Goes on until the path is empty.
    fn follow_path(&mut self, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        loop {
            if self.graph.is_write_due() {
                self.graph.write(&mut self.stacks);
            }
            let Some(frame) = self.stacks.path.last() else { return Ok(None) };
            if self.stacks.edges.len() > frame.edges {
                let (node, word) = (frame.node, frame.word);
                let edge = self.stacks.edges.pop().expect("an edge above the frame's height");
                let (target, acceptance) = self.graph.follow(node, word, edge);
                if self.is_new(target) {
                    if let Err(stop) = self.enter(target, acceptance) {
                        // The edge is not followed yet, for a search that goes on from here.
                        self.stacks.edges.push(edge);
                        self.graph.write(&mut self.stacks);
                        return Err(stop);
                    }
                } else if !self.is_closed[target as usize] && self.join(target, acceptance) {
                    return Ok(Some(self.stacks.live[self.top_start()..].to_vec()));
                }
            } else {
                let node = frame.node;
                self.stacks.path.pop();
                self.stacks.unchanged.path = self.stacks.unchanged.path.min(self.stacks.path.len());
                if self.stacks.partial.last().is_some_and(|top| top.root == node) {
                    let accepting = self.close(on_closed)?;
                    if accepting.is_some() {
                        return Ok(accepting);
                    }
                }
            }
        }
    }

    fn enter(&mut self, node: u32, entry: Acceptance) -> Result<(), G::Stop> {
        let height = self.stacks.edges.len();
        let position = SearchPosition { depth: self.stacks.path.len(), bytes: self.memory() };
        let word = match self.graph.out_edges(node, position, &mut self.stacks.edges) {
            Ok(word) => word,
            Err(stop) => {
                self.stacks.edges.truncate(height);
                return Err(stop);
            }
        };
        // The first edge is followed first, so it goes on top.
        self.stacks.edges[height..].reverse();
        self.stacks.path.push(Frame { node, edges: height, word });
        let (acceptance, entry) =
            (self.stacks.acceptance.intern(Acceptance::default()), self.stacks.acceptance.intern(entry));
        self.stacks.partial.push(PartialComponent { root: node, acceptance, entry });
        self.stacks.live.push(node);
        self.is_closed.push(false);
        self.stacks.entered += 1;
        Ok(())
    }

    /// An edge leads back to a live node: all components from that node's on are one. Returns whether it is
    /// accepting.
    fn join(&mut self, target: u32, edge: Acceptance) -> bool {
        let mut sum = edge;
        while let Some(above) = self.stacks.partial.pop_if(|top| top.root > target) {
            sum = sum
                .with(self.stacks.acceptance.get(above.acceptance))
                .with(self.stacks.acceptance.get(above.entry));
        }
        // The component on top changes.
        let below = self.stacks.partial.len().saturating_sub(1);
        self.stacks.unchanged.partial = self.stacks.unchanged.partial.min(below);
        let top = self.stacks.partial.last_mut().expect("a live node is in a partial component");
        let before = self.stacks.acceptance.get(top.acceptance);
        let now = before.with(sum);
        if now != before {
            top.acceptance = self.stacks.acceptance.intern(now);
        }
        now.accepts(self.all)
    }

    /// The index where the nodes of the component on top begin among the live nodes.
    fn top_start(&self) -> usize {
        let root = self.stacks.partial.last().expect("a component").root;
        // Most components are single nodes.
        match self.stacks.live.last() {
            Some(last) if *last == root => self.stacks.live.len() - 1,
            _ => self.stacks.live.partition_point(|node| *node < root),
        }
    }

    /// The component on top is complete.
    fn close(&mut self, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        let start = self.top_start();
        let component = self.stacks.partial.pop().expect("a component");
        for node in &self.stacks.live[start..] {
            self.is_closed[*node as usize] = true;
        }
        let accepting = on_closed(
            self.graph,
            &self.stacks.live[start..],
            self.stacks.acceptance.get(component.acceptance),
        )?;
        self.stacks.live.truncate(start);
        let (unchanged, partial) = (&mut self.stacks.unchanged, self.stacks.partial.len());
        (unchanged.live, unchanged.partial) = (unchanged.live.min(start), unchanged.partial.min(partial));
        Ok(accepting)
    }

    fn memory(&self) -> usize {
        self.stacks.edges.capacity() * size_of::<G::Edge>()
            + self.stacks.path.capacity() * size_of::<Frame>()
            + self.stacks.partial.capacity() * size_of::<PartialComponent>()
            + self.stacks.live.capacity() * size_of::<u32>()
            + self.is_closed.capacity()
    }
}
