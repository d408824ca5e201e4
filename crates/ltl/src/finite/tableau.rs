//! The nondeterministic automaton of a formula on finite words, built as far as it is walked.
//!
//! Gunter and Peled, Temporal Debugging for Concurrent Systems, TACAS 2002, §3, after Gerth, Peled, Vardi and Wolper
//! (PSTV 1995); lazy as in their §7. The letters are read in the nodes: a run goes through an initial node with the
//! first letter, through one of its successors with the second, and ends in an accepting node with the last.
//!
//! We differ in three places. First, nodes merge only if `strong` agrees too: as printed, the two halves of `p U q`
//! in `(p U q) & WX (p U q) & p & q` become one node, and the word `p & q` is rejected. Second, given that, a node is
//! accepting exactly if it is not `strong` (an until that is put off sets the flag, one that is not has its right side
//! in `old`), so that of `old` only the literals are compared. Third, past operators over the pure past are allowed: a
//! node also has the values of what its successors need remembered.
//!
//! Promise: accepts the non-empty finite words that satisfy the formula, and no others.

use super::expand::{Outcome, expand, is_subset};
use super::table::Table;
use super::{Budget, DEFAULT_LIMIT, FiniteError, MEMORY_STEPS};
use crate::letter::{Cube, Letter};
use crate::nnf::{FormulaArena, Nnf};
use crate::word::Word;
use rustc_hash::FxHashMap;

/// A node of a [`Tableau`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// The automaton, as far as it was asked for.
#[derive(Clone, Debug)]
pub struct Tableau {
    table: Table,
    budget: Budget,
    initial: Vec<NodeId>,
    nodes: Vec<Node>,
    node_ids: FxHashMap<Node, NodeId>,
    obligations: Vec<Obligation>,
    obligation_ids: FxHashMap<Obligation, ObligationId>,
    /// Of each obligation; nothing where it was not yet asked for.
    successors: Vec<Option<Vec<NodeId>>>,
}

/// What a run through a node makes of the word after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ObligationId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    label: Cube,
    obligation: ObligationId,
    strong: bool,
}

/// What must hold in the next state, and which of the formulas remembered for it held in this one; both sorted.
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

    /// The automaton of a formula, within so many nodes.
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
        let outcomes = expand(&tableau.table, &[formula], None, &mut tableau.budget)?;
        tableau.initial = tableau.intern_all(outcomes)?;
        Ok(tableau)
    }

    /// The nodes for the first letter.
    pub fn initial(&self) -> &[NodeId] {
        &self.initial
    }

    /// The nodes for the letter after this node's; made when first asked for.
    pub fn successors(&mut self, node: NodeId) -> Result<&[NodeId], FiniteError> {
        self.after(self.obligation(node))
    }

    /// What a letter must say for a run to go through the node.
    pub fn label(&self, node: NodeId) -> Cube {
        self.node(node).label
    }

    /// May the word end with this node's letter?
    pub fn is_accepting(&self, node: NodeId) -> bool {
        !self.node(node).strong
    }

    /// The formulas that must hold in the next state, if there is one; sorted.
    pub fn next(&self, node: NodeId) -> &[Nnf] {
        &self.obligations[self.obligation(node).0 as usize].next
    }

    /// The formulas that hold in the node and are remembered for the past operators of [`Tableau::next`]; sorted.
    pub fn held(&self, node: NodeId) -> &[Nnf] {
        &self.obligations[self.obligation(node).0 as usize].held
    }

    /// The number of nodes made so far.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Is the word accepted? An unknown proposition may be taken either way; an infinite word never is.
    pub fn accepts(&mut self, word: &Word) -> Result<bool, FiniteError> {
        let Some((first, rest)) = word.prefix.split_first() else { return Ok(false) };
        let mut current = self.meeting(self.initial.clone(), *first);
        for letter in rest {
            let mut candidates = Vec::new();
            for node in current {
                candidates.extend_from_slice(self.successors(node)?);
            }
            current = self.meeting(candidates, *letter);
        }
        Ok(!word.is_infinite() && current.into_iter().any(|node| self.is_accepting(node)))
    }

    /// Those of the nodes that the letter can go through, sorted, each once.
    fn meeting(&self, mut nodes: Vec<NodeId>, letter: Letter) -> Vec<NodeId> {
        nodes.retain(|node| self.label(*node).meets(letter));
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// What the node asks of the word after it.
    pub(super) fn obligation(&self, node: NodeId) -> ObligationId {
        self.node(node).obligation
    }

    /// Does the one obligation ask nothing that the other does not? They must come of the same word.
    pub(super) fn is_weaker(&self, weak: ObligationId, strong: ObligationId) -> bool {
        let [weak, strong] = [weak, strong].map(|id| &self.obligations[id.0 as usize]);
        is_subset(&weak.next, &strong.next) && is_subset(&weak.held, &strong.held)
    }

    /// A number that is smaller the less is asked: a weaker obligation's is smaller than a stronger one's.
    pub(super) fn weight(&self, id: ObligationId) -> usize {
        let Obligation { next, held } = &self.obligations[id.0 as usize];
        next.len() + held.len()
    }

    /// The nodes that an obligation leads to.
    pub(super) fn after(&mut self, id: ObligationId) -> Result<&[NodeId], FiniteError> {
        let index = id.0 as usize;
        if self.successors[index].is_none() {
            let Obligation { next, held } = &self.obligations[index];
            let outcomes = expand(&self.table, next, Some(held), &mut self.budget)?;
            self.successors[index] = Some(self.intern_all(outcomes)?);
        }
        Ok(self.successors[index].as_deref().unwrap_or_default())
    }

    fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    fn intern_all(&mut self, outcomes: Vec<Outcome>) -> Result<Vec<NodeId>, FiniteError> {
        let mut ids = outcomes.into_iter().map(|o| self.intern(o)).collect::<Result<Vec<_>, _>>()?;
        ids.sort_unstable();
        Ok(ids)
    }

    fn intern(&mut self, outcome: Outcome) -> Result<NodeId, FiniteError> {
        let Outcome { label, next, held, strong } = outcome;
        let obligation = self.intern_obligation(Obligation { next, held })?;
        let node = Node { label, obligation, strong };
        if let Some(known) = self.node_ids.get(&node) {
            return Ok(*known);
        }
        self.budget.another(self.nodes.len())?;
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
