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
//! memory of a deep search: five bytes a waiting edge, eight a node on the path, four a live node.
//!
//! Promise: stops at the first edge that completes an accepting component; no recursion; every node is
//! expanded once.

use super::FairnessDebt;
use crate::store::{Stack, UNKNOWN};
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

    /// The search is about to wait with these edges, the oldest first: their targets may be given to others.
    fn offer(&mut self, _waiting: &Stack<u32>) {}

    /// The search may expand this node soon: the graph may load what it needs for that.
    fn touch(&self, _node: u32) {}

    /// Where the search has a node.
    fn position(&self, node: u32) -> u32;

    /// Sets where the search has a node.
    fn set_position(&mut self, node: u32, position: u32);
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
    let mut search = ComponentSearch {
        graph,
        all,
        waiting: WaitingEdges::default(),
        path: Stack::default(),
        partial: Stack::default(),
        acceptance: AcceptanceTable::default(),
        live: Stack::default(),
        edges: Vec::new(),
        positions: Vec::new(),
    };
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
const CLOSED: u32 = u32::MAX;

/// A node on the path from the root to the position of the search.
#[derive(Clone, Copy)]
struct Frame {
    /// The node's position.
    position: u32,
    /// The edges still to be followed are those above this height, up to where the next frame's begin.
    edges: u32,
}

/// A component as far as it is known. There may be as many as nodes on the path, so acceptances are stored
/// by number.
#[derive(Clone, Copy)]
struct PartialComponent {
    /// The position of the first node. The others have larger positions.
    root: u32,
    /// The sum of the edges inside.
    acceptance: AcceptanceId,
    /// The edge that led to the first node.
    entry: AcceptanceId,
}

/// A number in [`AcceptanceTable`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct AcceptanceId(u32);

/// The different acceptances that occur: few, while partial components and edges are many.
#[derive(Default)]
struct AcceptanceTable {
    all: Vec<Acceptance>,
    ids: FxHashMap<Acceptance, AcceptanceId>,
    last: Option<(Acceptance, AcceptanceId)>,
}

impl AcceptanceTable {
    #[inline]
    fn intern(&mut self, acceptance: Acceptance) -> AcceptanceId {
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
struct WaitingEdges {
    targets: Stack<u32>,
    /// The number of the acceptance, or [`WaitingEdges::WIDE`].
    acceptances: Stack<u8>,
    /// The numbers that do not fit.
    wide: Stack<u32>,
}

impl WaitingEdges {
    const WIDE: u8 = u8::MAX;

    #[inline]
    fn push(&mut self, target: u32, acceptance: AcceptanceId) {
        self.targets.push(target);
        let narrow = u8::try_from(acceptance.0).ok().filter(|narrow| *narrow != Self::WIDE);
        if narrow.is_none() {
            self.wide.push(acceptance.0);
        }
        self.acceptances.push(narrow.unwrap_or(Self::WIDE));
    }

    #[inline]
    fn pop(&mut self) -> Option<(u32, AcceptanceId)> {
        let target = self.targets.pop()?;
        let acceptance = match self.acceptances.pop()? {
            Self::WIDE => self.wide.pop()?,
            narrow => u32::from(narrow),
        };
        Some((target, AcceptanceId(acceptance)))
    }

    fn memory(&self) -> usize {
        self.targets.memory() + self.acceptances.memory() + self.wide.memory()
    }
}

struct ComponentSearch<'g, G: OnTheFlyGraph> {
    graph: &'g mut G,
    all: Marks,
    waiting: WaitingEdges,
    path: Stack<Frame>,
    partial: Stack<PartialComponent>,
    acceptance: AcceptanceTable,
    /// The nodes of partial components, in order.
    live: Stack<u32>,
    /// The edges of the node that is being expanded, and the positions of their targets.
    edges: Vec<OutEdge>,
    positions: Vec<u32>,
}

impl<G: OnTheFlyGraph> ComponentSearch<'_, G> {
    fn from(&mut self, root: u32, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        let mut is_accepting = self.enter(root, Acceptance::default())?;
        while let Some(frame) = self.path.last() {
            if is_accepting {
                let root = self.partial.last().expect("a component").root;
                return Ok(Some(self.live.iter_from(root as usize - 1).collect()));
            }
            if self.waiting.targets.len() > frame.edges as usize {
                let (target, acceptance) = self.waiting.pop().expect("an edge above the frame's height");
                let acceptance = self.acceptance.get(acceptance);
                is_accepting = match self.graph.position(target) {
                    UNKNOWN => self.enter(target, acceptance)?,
                    CLOSED => false,
                    position => self.join(position, acceptance),
                };
            } else {
                let position = frame.position;
                self.path.pop();
                if self.partial.last().is_some_and(|top| top.root == position) {
                    let accepting = self.close(on_closed)?;
                    if accepting.is_some() {
                        return Ok(accepting);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Expands a node. Returns whether its edges complete an accepting component.
    fn enter(&mut self, node: u32, entry: Acceptance) -> Result<bool, G::Stop> {
        let at = SearchPosition { depth: self.path.len(), bytes: self.memory() };
        self.graph.offer(&self.waiting.targets);
        self.edges.clear();
        self.graph.out_edges(node, at, &mut self.edges)?;
        self.live.push(node);
        let position = self.live.len() as u32;
        self.graph.set_position(node, position);
        self.path.push(Frame { position, edges: self.waiting.targets.len() as u32 });
        let (acceptance, entry) =
            (self.acceptance.intern(Acceptance::default()), self.acceptance.intern(entry));
        self.partial.push(PartialComponent { root: position, acceptance, entry });
        self.positions.clear();
        self.positions.extend(self.edges.iter().map(|edge| self.graph.position(edge.target)));
        // The first edge is followed first, so it goes on top.
        for index in (0..self.edges.len()).rev() {
            let edge = self.edges[index];
            match self.positions[index] {
                UNKNOWN => {
                    self.graph.touch(edge.target);
                    self.waiting.push(edge.target, self.acceptance.intern(edge.acceptance));
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
        while let Some(above) = self.partial.last().copied().filter(|top| top.root > target) {
            self.partial.pop();
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

    /// The component on top is complete.
    fn close(&mut self, on_closed: &mut OnClosed<'_, G>) -> SearchResult<G> {
        let component = self.partial.pop().expect("a component");
        let start = component.root as usize - 1;
        let nodes = || self.live.iter_from(start).collect();
        let accepting = on_closed(self.graph, &nodes, self.acceptance.get(component.acceptance))?;
        while self.live.len() > start
            && let Some(node) = self.live.pop()
        {
            self.graph.set_position(node, CLOSED);
        }
        Ok(accepting)
    }

    fn memory(&self) -> usize {
        self.waiting.memory() + self.path.memory() + self.partial.memory() + self.live.memory()
    }
}
