//! The nondeterministic automaton of a formula on finite words, expanded on demand.
//!
//! Gunter and Peled, Temporal Debugging for Concurrent Systems, TACAS 2002, §3, after Gerth, Peled, Vardi
//! and Wolper (PSTV 1995); lazy as in their §7. Nodes read the letters: a run reads the first letter in an
//! initial node, the second in one of its successors, and the last in an accepting node.
//!
//! We differ in three places. First, nodes merge only if `strong` agrees too: as printed, the two halves of
//! `p U q` in `(p U q) & WX (p U q) & p & q` become one node, and the word `p & q` is rejected. Second,
//! given that, a node is accepting exactly if it is not `strong` (a postponed until sets the flag, a
//! fulfilled until has its right side in `old`), so that of `old` only the literals are compared. Third,
//! past operators over the pure past are allowed: a node also stores the values that its successors need
//! remembered.
//!
//! Promise: it accepts the non-empty finite words that satisfy the formula, and no others.

use super::expand::{ExpandedNode, expand, is_subset};
use super::table::Table;
use super::{Budget, DEFAULT_LIMIT, FiniteError, MEMORY_STEPS};
use crate::letter::{Cube, Letter};
use crate::nnf::{FormulaArena, Nnf};
use crate::word::Word;
use rustc_hash::FxHashMap;

/// A node of a [`Tableau`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// The automaton, as far as it was expanded.
#[derive(Clone, Debug)]
pub struct Tableau {
    table: Table,
    budget: Budget,
    initial: Vec<NodeId>,
    nodes: Vec<Node>,
    node_ids: FxHashMap<Node, NodeId>,
    obligations: Vec<Obligation>,
    obligation_ids: FxHashMap<Obligation, ObligationId>,
    /// Of each obligation; `None` before its expansion.
    successors: Vec<Option<Vec<NodeId>>>,
}

/// The requirements of a node on the word after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ObligationId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    label: Cube,
    obligation: ObligationId,
    strong: bool,
}

/// The formulas for the next state, and the remembered formulas that held in this one; both sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Obligation {
    next: Vec<Nnf>,
    held: Vec<Nnf>,
}

impl Tableau {
    /// The automaton of a formula, within [`DEFAULT_LIMIT`] nodes.
    pub fn new(arena: &FormulaArena, formula: Nnf) -> Result<Tableau, FiniteError> {
        Tableau::with_limit(arena, formula, DEFAULT_LIMIT)
    }

    /// The automaton of a formula, within `limit` nodes.
    pub fn with_limit(arena: &FormulaArena, formula: Nnf, limit: usize) -> Result<Tableau, FiniteError> {
        let mut tableau = Tableau {
            table: Table::new(arena, formula)?,
            budget: Budget::new(limit),
            initial: Vec::new(),
            nodes: Vec::new(),
            node_ids: FxHashMap::default(),
            obligations: Vec::new(),
            obligation_ids: FxHashMap::default(),
            successors: Vec::new(),
        };
        let expanded = expand(&tableau.table, &[formula], None, &mut tableau.budget)?;
        tableau.initial = tableau.intern_all(expanded)?;
        Ok(tableau)
    }

    /// The nodes for the first letter.
    pub fn initial(&self) -> &[NodeId] {
        &self.initial
    }

    /// The nodes for the next letter; the first call expands them.
    pub fn successors(&mut self, node: NodeId) -> Result<&[NodeId], FiniteError> {
        self.successors_of(self.obligation(node))
    }

    /// The literals that a letter must meet so that a run reads it in the node.
    pub fn label(&self, node: NodeId) -> Cube {
        self.node(node).label
    }

    /// May the word end with this node's letter?
    pub fn is_accepting(&self, node: NodeId) -> bool {
        !self.node(node).strong
    }

    /// The formulas that must hold in the next state, if there is a next state; sorted.
    pub fn next(&self, node: NodeId) -> &[Nnf] {
        &self.obligations[self.obligation(node).0 as usize].next
    }

    /// The formulas that hold in the node and are remembered for the past operators of [`Tableau::next`];
    /// sorted.
    pub fn held(&self, node: NodeId) -> &[Nnf] {
        &self.obligations[self.obligation(node).0 as usize].held
    }

    /// The number of nodes so far.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Is the word accepted? An unknown proposition counts as true or false, whichever leads to acceptance;
    /// an infinite word is never accepted.
    pub fn accepts(&mut self, word: &Word) -> Result<bool, FiniteError> {
        let Some((first, rest)) = word.prefix.split_first() else { return Ok(false) };
        let mut current = self.nodes_reading(self.initial.clone(), *first);
        for letter in rest {
            let mut candidates = Vec::new();
            for node in current {
                candidates.extend_from_slice(self.successors(node)?);
            }
            current = self.nodes_reading(candidates, *letter);
        }
        Ok(!word.is_infinite() && current.into_iter().any(|node| self.is_accepting(node)))
    }

    /// The nodes that read the letter, sorted, each once.
    fn nodes_reading(&self, mut nodes: Vec<NodeId>, letter: Letter) -> Vec<NodeId> {
        nodes.retain(|node| self.label(*node).meets(letter));
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The node's requirements on the word after it.
    pub(super) fn obligation(&self, node: NodeId) -> ObligationId {
        self.node(node).obligation
    }

    /// Does the obligation `weak` require nothing that `strong` does not require? Both must belong to the
    /// same word.
    pub(super) fn is_weaker(&self, weak: ObligationId, strong: ObligationId) -> bool {
        let [weak, strong] = [weak, strong].map(|id| &self.obligations[id.0 as usize]);
        is_subset(&weak.next, &strong.next) && is_subset(&weak.held, &strong.held)
    }

    /// A measure of an obligation: a weaker obligation has a smaller weight than a stronger one.
    pub(super) fn weight(&self, id: ObligationId) -> usize {
        let Obligation { next, held } = &self.obligations[id.0 as usize];
        next.len() + held.len()
    }

    /// The successor nodes of an obligation.
    pub(super) fn successors_of(&mut self, id: ObligationId) -> Result<&[NodeId], FiniteError> {
        let index = id.0 as usize;
        if self.successors[index].is_none() {
            let Obligation { next, held } = &self.obligations[index];
            let expanded = expand(&self.table, next, Some(held), &mut self.budget)?;
            self.successors[index] = Some(self.intern_all(expanded)?);
        }
        Ok(self.successors[index].as_deref().unwrap_or_default())
    }

    fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    fn intern_all(&mut self, expanded: Vec<ExpandedNode>) -> Result<Vec<NodeId>, FiniteError> {
        let mut ids = expanded.into_iter().map(|o| self.intern(o)).collect::<Result<Vec<_>, _>>()?;
        ids.sort_unstable();
        Ok(ids)
    }

    fn intern(&mut self, expanded: ExpandedNode) -> Result<NodeId, FiniteError> {
        let ExpandedNode { label, next, held, strong } = expanded;
        let obligation = self.intern_obligation(Obligation { next, held })?;
        let node = Node { label, obligation, strong };
        if let Some(known) = self.node_ids.get(&node) {
            return Ok(*known);
        }
        self.budget.allow_state(self.nodes.len())?;
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.node_ids.insert(node, id);
        Ok(id)
    }

    fn intern_obligation(&mut self, obligation: Obligation) -> Result<ObligationId, FiniteError> {
        if let Some(known) = self.obligation_ids.get(&obligation) {
            return Ok(*known);
        }
        self.budget.spend((obligation.next.len() + obligation.held.len()) * MEMORY_STEPS)?;
        let id = ObligationId(self.obligations.len() as u32);
        self.obligations.push(obligation.clone());
        self.obligation_ids.insert(obligation, id);
        self.successors.push(None);
        Ok(id)
    }
}
