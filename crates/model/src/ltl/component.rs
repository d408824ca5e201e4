//! Strongly connected components on the fly, until one of them is accepting.
//!
//! Couvreur, On-the-fly Verification of Linear Temporal Logic, FM'99, in the manner of Gabow, Path-based
//! Depth-first Search for Strong and Biconnected Components, 2000: a stack of partial components, each with
//! the sum of its edges; an edge back to a live node joins all components above that node's. Acceptance is a
//! property of the sum of a component's edges, so any number of marks costs nothing more, and fairness is
//! one more part of the sum.
//!
//! All edges of a node are looked at when the node is expanded: an edge to a closed node is forgotten, one
//! to a live node joins at once, and only edges to unknown nodes wait on the stack. Memory has a long
//! latency but serves many reads at once, so the positions of all targets are read first. Stacks are the
//! memory of a deep search: five bytes a waiting edge, two a node on the path, three a partial component,
//! one or two a live node.
//!
//! Promise: stops at the first edge that completes an accepting component; no recursion; every node is
//! expanded once.

use super::FairnessDebt;
use crate::store::{RowStack, Stack, UNKNOWN};
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

/// An edge to a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutEdge {
    pub(crate) target: u32,
    pub(crate) acceptance: Acceptance,
}

/// A graph that is made while it is searched. Its nodes are numbers; it keeps a word for each, where the
/// search has the node: [`UNKNOWN`] at first.
pub(crate) trait OnTheFlyGraph {
    /// The reason why the graph cannot be made any further.
    type Stop;

    /// The root with this index; `None` if there are no more.
    fn root(&mut self, index: usize) -> Result<Option<u32>, Self::Stop>;

    /// Appends the edges that leave a node.
    fn out_edges(&mut self, node: u32, at: SearchPosition, out: &mut Vec<OutEdge>) -> Result<(), Self::Stop>;

    /// Where the search has a node.
    fn position(&self, node: u32) -> u32;

    /// Sets where the search has a node.
    fn set_position(&mut self, node: u32, position: u32);

    /// Is it time to [write](OnTheFlyGraph::write) to a checkpoint?
    #[inline]
    fn is_write_due(&self) -> bool {
        false
    }

    /// Writes the graph and the stacks of the search to a checkpoint, if there is one.
    fn write(&mut self, _stacks: &mut Stacks) {}

    /// Reads the graph and the stacks that another process wrote, if it did.
    fn read(&mut self) -> Result<Option<Stacks>, Self::Stop> {
        Ok(None)
    }
}

/// The nodes of an accepting component, if there is one.
pub(crate) type SearchResult<G> = Result<Option<Vec<u32>>, <G as OnTheFlyGraph>::Stop>;

/// Called with a complete component that is not accepting, a list of its nodes and the sum of its edges; may
/// find an accepting part of it.
pub(crate) type OnClosed<'a, G> =
    dyn FnMut(&mut G, &dyn Fn() -> Vec<u32>, Acceptance) -> SearchResult<G> + 'a;

/// Searches for strongly connected nodes whose edges together have all marks and are fair.
pub(crate) fn find_accepting<G: OnTheFlyGraph>(
    graph: &mut G,
    all: Marks,
    on_closed: &mut OnClosed<'_, G>,
) -> SearchResult<G> {
    let stacks = graph.read()?.unwrap_or_default();
    let mut search = ComponentSearch { graph, all, stacks, edges: Vec::new(), positions: Vec::new() };
    let accepting = search.follow_path(false, on_closed)?;
    if accepting.is_some() {
        return Ok(accepting);
    }
    // Of a search that goes on, the first roots are known.
    let mut index = 0;
    while let Some(node) = search.graph.root(index)? {
        index += 1;
        if search.graph.position(node) == UNKNOWN {
            let accepting = search.from(node, on_closed)?;
            if accepting.is_some() {
                return Ok(accepting);
            }
        }
    }
    Ok(None)
}

/// The position of a node whose component is complete. A live node has its height among the live nodes, from
/// 1.
pub(super) const CLOSED: u32 = u32::MAX;

/// The stacks of a search. Between two moments they differ only above the least heights meanwhile.
#[derive(Default)]
pub(crate) struct Stacks {
    pub(super) waiting: WaitingEdges,
    /// Of each node on the path from the root to the position of the search, a [`Frame`].
    pub(super) path: RowStack<2>,
    /// Of each component as far as it is known, a [`PartialComponent`].
    pub(super) partial: RowStack<3>,
    pub(super) acceptance: AcceptanceTable,
    /// The nodes of partial components, in order.
    pub(super) live: RowStack<1>,
    /// What has not changed since the stacks were written.
    pub(super) unchanged: Unchanged,
}

/// The heights below which the stacks have not changed since they were written.
#[derive(Clone, Copy, Default)]
pub(super) struct Unchanged {
    pub(super) path: usize,
    pub(super) partial: usize,
    pub(super) live: usize,
    pub(super) acceptances: usize,
}

impl Stacks {
    /// The height of the edges that have not changed: those of the frame that was on top at the least height
    /// of the path may have been followed.
    pub(super) fn unchanged_edges(&self) -> usize {
        let top = self.unchanged.path.checked_sub(1);
        let frame = top.and_then(|top| self.path.rows_from(top).first().copied());
        frame.map_or(0, |frame| Frame::of(frame).edges as usize)
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
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The node's position.
    pub(super) position: u32,
    /// The edges still to be followed are those above this height, up to where the next frame's begin.
    pub(super) edges: u32,
}

impl Frame {
    #[inline]
    pub(super) fn row(self) -> [u32; 2] {
        [self.position, self.edges]
    }

    #[inline]
    pub(super) fn of([position, edges]: [u32; 2]) -> Frame {
        Frame { position, edges }
    }
}

/// A component as far as it is known. There may be as many as nodes on the path, so acceptances are stored
/// by number.
#[derive(Clone, Copy)]
pub(super) struct PartialComponent {
    /// The position of the first node. The others have larger positions.
    pub(super) root: u32,
    /// The sum of the edges inside.
    pub(super) acceptance: AcceptanceId,
    /// The edge that led to the first node.
    pub(super) entry: AcceptanceId,
}

impl PartialComponent {
    #[inline]
    pub(super) fn row(self) -> [u32; 3] {
        [self.root, self.acceptance.0, self.entry.0]
    }

    #[inline]
    pub(super) fn of([root, acceptance, entry]: [u32; 3]) -> PartialComponent {
        PartialComponent { root, acceptance: AcceptanceId(acceptance), entry: AcceptanceId(entry) }
    }
}

/// A number in [`AcceptanceTable`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct AcceptanceId(pub(super) u32);

/// The different acceptances that occur: few, while partial components and edges are many.
#[derive(Default)]
pub(super) struct AcceptanceTable {
    pub(super) all: Vec<Acceptance>,
    ids: FxHashMap<Acceptance, AcceptanceId>,
    last: Option<(Acceptance, AcceptanceId)>,
}

impl AcceptanceTable {
    #[inline]
    pub(super) fn intern(&mut self, acceptance: Acceptance) -> AcceptanceId {
        if let Some((last, id)) = self.last
            && last == acceptance
        {
            return id;
        }
        let id = *self.ids.entry(acceptance).or_insert_with(|| {
            self.all.push(acceptance);
            AcceptanceId(self.all.len() as u32 - 1)
        });
        self.last = Some((acceptance, id));
        id
    }

    fn get(&self, id: AcceptanceId) -> Acceptance {
        self.all[id.0 as usize]
    }
}

/// Edges to nodes that were unknown when their sources were expanded.
#[derive(Default)]
pub(super) struct WaitingEdges {
    pub(super) targets: Stack<u32>,
    /// The numbers of their acceptances.
    acceptances: RowStack<1>,
}

impl WaitingEdges {
    #[inline]
    pub(super) fn push(&mut self, target: u32, acceptance: AcceptanceId) {
        self.targets.push(target);
        self.acceptances.push([acceptance.0]);
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<(u32, AcceptanceId)> {
        let (target, [acceptance]) = (self.targets.pop()?, self.acceptances.pop()?);
        Some((target, AcceptanceId(acceptance)))
    }

    /// The edges from this height on.
    pub(super) fn iter_from(&self, height: usize) -> impl Iterator<Item = (u32, AcceptanceId)> {
        let acceptances = self.acceptances.rows_from(height).into_iter();
        self.targets.iter_from(height).zip(acceptances.map(|[number]| AcceptanceId(number)))
    }

    fn memory(&self) -> usize {
        self.targets.memory() + self.acceptances.memory()
    }
}

struct ComponentSearch<'g, G: OnTheFlyGraph> {
    graph: &'g mut G,
    all: Marks,
    stacks: Stacks,
    /// The edges of the node that is being expanded, and the positions of their targets.
    edges: Vec<OutEdge>,
    positions: Vec<u32>,
}

impl<G: OnTheFlyGraph> ComponentSearch<'_, G> {
    fn from(&mut self, root: u32, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        let is_accepting = self.enter(root, Acceptance::default())?;
        self.follow_path(is_accepting, on_closed)
    }

    /// Goes on until the path is empty, or a component is accepting.
    fn follow_path(&mut self, mut is_accepting: bool, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        loop {
            if is_accepting {
                let [root, ..] = self.stacks.partial.last().expect("a component");
                return Ok(Some(self.live_from(root as usize - 1)));
            }
            if self.graph.is_write_due() {
                self.graph.write(&mut self.stacks);
            }
            let Some(frame) = self.stacks.path.last().map(Frame::of) else { return Ok(None) };
            if self.stacks.waiting.targets.len() > frame.edges as usize {
                let (target, number) = self.stacks.waiting.pop().expect("an edge above the frame's height");
                let acceptance = self.stacks.acceptance.get(number);
                is_accepting = match self.graph.position(target) {
                    UNKNOWN => match self.enter(target, acceptance) {
                        Ok(is_accepting) => is_accepting,
                        Err(stop) => {
                            // The edge is not followed yet, for a search that goes on from here.
                            self.stacks.waiting.push(target, number);
                            self.graph.write(&mut self.stacks);
                            return Err(stop);
                        }
                    },
                    CLOSED => false,
                    position => self.join(position, acceptance),
                };
            } else {
                let position = frame.position;
                self.stacks.path.pop();
                self.stacks.unchanged.path = self.stacks.unchanged.path.min(self.stacks.path.len());
                if self.stacks.partial.last().is_some_and(|[root, ..]| root == position) {
                    let accepting = self.close(on_closed)?;
                    if accepting.is_some() {
                        return Ok(accepting);
                    }
                }
            }
        }
    }

    /// Expands a node. Returns whether its edges complete an accepting component.
    fn enter(&mut self, node: u32, entry: Acceptance) -> Result<bool, G::Stop> {
        let at = SearchPosition { depth: self.stacks.path.len(), bytes: self.memory() };
        self.edges.clear();
        self.graph.out_edges(node, at, &mut self.edges)?;
        self.stacks.live.push([node]);
        let position = self.stacks.live.len() as u32;
        self.graph.set_position(node, position);
        self.stacks.path.push(Frame { position, edges: self.stacks.waiting.targets.len() as u32 }.row());
        let (acceptance, entry) =
            (self.stacks.acceptance.intern(Acceptance::default()), self.stacks.acceptance.intern(entry));
        self.stacks.partial.push(PartialComponent { root: position, acceptance, entry }.row());
        self.positions.clear();
        self.positions.extend(self.edges.iter().map(|edge| self.graph.position(edge.target)));
        // The first edge is followed first, so it goes on top.
        for index in (0..self.edges.len()).rev() {
            let edge = self.edges[index];
            match self.positions[index] {
                UNKNOWN => {
                    self.stacks.waiting.push(edge.target, self.stacks.acceptance.intern(edge.acceptance));
                }
                CLOSED => {}
                position => {
                    if self.join(position, edge.acceptance) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// An edge leads back to a live node: all components from that node's on are one. Returns whether it is
    /// accepting.
    #[inline]
    fn join(&mut self, target: u32, edge: Acceptance) -> bool {
        let mut sum = edge;
        while let Some(above) = self.stacks.partial.last().map(PartialComponent::of)
            && above.root > target
        {
            self.stacks.partial.pop();
            sum = sum
                .with(self.stacks.acceptance.get(above.acceptance))
                .with(self.stacks.acceptance.get(above.entry));
        }
        // The component on top changes.
        let below = self.stacks.partial.len().saturating_sub(1);
        self.stacks.unchanged.partial = self.stacks.unchanged.partial.min(below);
        let top = self.stacks.partial.last().map(PartialComponent::of);
        let top = top.expect("a live node is in a partial component");
        let before = self.stacks.acceptance.get(top.acceptance);
        let now = before.with(sum);
        if now != before {
            let acceptance = self.stacks.acceptance.intern(now);
            self.stacks.partial.pop();
            self.stacks.partial.push(PartialComponent { acceptance, ..top }.row());
        }
        now.accepts(self.all)
    }

    /// The component on top is complete.
    fn close(&mut self, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        let component = self.stacks.partial.pop().map(PartialComponent::of).expect("a component");
        let start = component.root as usize - 1;
        let live = &self.stacks.live;
        let nodes = || live.rows_from(start).into_iter().map(|[node]| node).collect();
        let accepting = on_closed(self.graph, &nodes, self.stacks.acceptance.get(component.acceptance))?;
        while self.stacks.live.len() > start
            && let Some([node]) = self.stacks.live.pop()
        {
            self.graph.set_position(node, CLOSED);
        }
        let (unchanged, partial) = (&mut self.stacks.unchanged, self.stacks.partial.len());
        (unchanged.live, unchanged.partial) = (unchanged.live.min(start), unchanged.partial.min(partial));
        Ok(accepting)
    }

    /// The live nodes from this height on.
    fn live_from(&self, height: usize) -> Vec<u32> {
        self.stacks.live.rows_from(height).into_iter().map(|[node]| node).collect()
    }

    fn memory(&self) -> usize {
        self.stacks.waiting.memory()
            + self.stacks.path.memory()
            + self.stacks.partial.memory()
            + self.stacks.live.memory()
    }
}
