//! The split table: the requirements of a formula on the present state and on the next one.
//!
//! Gunter and Peled, Temporal Debugging for Concurrent Systems, TACAS 2002, §3, with conjunctions and
//! disjunctions of any width. The table there prints both next operators alike; the row with "set strong" is
//! the strong one.
//!
//! Past operators over formulas without future operators are added. A node remembers of the previous state
//! whether `a` held (for `Y a` and `WY a`) and whether the formula itself held (for
//! `a S b = b | a & Y (a S b)` and `a T b = b & (a | WY (a T b))`); this determines the requirement on the
//! present state.
//!
//! Promise: a formula holds exactly if one of its [`Alternative`]s holds.

use super::FiniteError;
use crate::letter::{Cube, Prop};
use crate::nnf::{FormulaArena, Nnf, Node};
use rustc_hash::{FxHashMap, FxHashSet};
use std::slice::from_ref;

/// One way to satisfy a formula: a copy of the node in the paper's table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alternative<'a> {
    /// The formulas that must hold in the present state.
    pub(super) new: &'a [Nnf],
    /// The formula that must hold in the next state, if there is a next state.
    pub(super) next: Option<Nnf>,
    /// There must be a next state.
    pub(super) strong: bool,
}

/// The remembered formulas that held in the previous state, sorted; `None` in the first state.
pub(super) type Past<'a> = Option<&'a [Nnf]>;

/// A formula and its parts.
#[derive(Clone, Debug)]
pub(super) struct Table {
    nodes: FxHashMap<Nnf, Node>,
    /// For each formula, the formulas to be remembered for it; without entry, none.
    memories: FxHashMap<Nnf, Vec<Nnf>>,
}

impl Table {
    /// The table of a formula. It refuses a past operator that has a future operator below it.
    pub(super) fn new(arena: &FormulaArena, root: Nnf) -> Result<Table, FiniteError> {
        let mut table = Table { nodes: FxHashMap::default(), memories: FxHashMap::default() };
        let mut future: FxHashSet<Nnf> = FxHashSet::default();
        for formula in arena.subformulas(root) {
            let node = arena.node(formula);
            let below = node.children().iter().any(|child| future.contains(child));
            if below && node.is_past() {
                return Err(FiniteError::PastOverFuture(formula));
            }
            if below || is_future(node) {
                future.insert(formula);
            }
            let own = match node {
                Node::Previous(a) | Node::WeakPrevious(a) => Some(*a),
                Node::Since(_) | Node::Triggered(_) => Some(formula),
                _ => None,
            };
            let mut memory = table.memory(node.children());
            memory.extend(own);
            memory.sort_unstable();
            memory.dedup();
            if !memory.is_empty() {
                table.memories.insert(formula, memory);
            }
            table.nodes.insert(formula, node.clone());
        }
        Ok(table)
    }

    /// The outermost connective.
    pub(super) fn node(&self, formula: Nnf) -> &Node {
        &self.nodes[&formula]
    }

    /// The formulas to be remembered of a state if these formulas must hold in the next state; sorted.
    pub(super) fn memory(&self, next: &[Nnf]) -> Vec<Nnf> {
        let parts = next.iter().filter_map(|formula| self.memories.get(formula));
        let mut memory: Vec<Nnf> = parts.flatten().copied().collect();
        memory.sort_unstable();
        memory.dedup();
        memory
    }

    /// The formula's row. A literal has one alternative without requirements; the label represents it.
    pub(super) fn alternatives(&self, formula: Nnf, past: Past<'_>) -> Vec<Alternative<'_>> {
        let now = |new| Alternative { new, next: None, strong: false };
        let later = |new, next, strong| Alternative { new, next: Some(next), strong };
        let settled = |holds: bool| if holds { vec![now(&[])] } else { Vec::new() };
        let held = |formula, at_first| past.map_or(at_first, |held| held.binary_search(&formula).is_ok());
        match self.node(formula) {
            Node::Const(value) => settled(*value),
            Node::Literal(..) => settled(true),
            Node::And(parts) => vec![now(parts)],
            Node::Or(parts) => parts.iter().map(|part| now(from_ref(part))).collect(),
            Node::Next(a) => vec![later(&[], *a, true)],
            Node::WeakNext(a) => vec![later(&[], *a, false)],
            Node::Until([a, b]) => vec![later(from_ref(a), formula, true), now(from_ref(b))],
            Node::Release(both) => vec![later(&both[1..], formula, false), now(both)],
            Node::Previous(a) => settled(held(*a, false)),
            Node::WeakPrevious(a) => settled(held(*a, true)),
            Node::Since([a, b]) if held(formula, false) => vec![now(from_ref(a)), now(from_ref(b))],
            Node::Since([_, b]) => vec![now(from_ref(b))],
            Node::Triggered([_, b]) if held(formula, true) => vec![now(from_ref(b))],
            Node::Triggered(both) => vec![now(both)],
        }
    }

    /// Does a formula without future operators hold in a state with this label? If the label does not decide
    /// it, the error is a proposition that it depends on.
    pub(super) fn value(
        &self,
        formula: Nnf,
        past: Past<'_>,
        label: Cube,
        known: &mut FxHashMap<Nnf, Result<bool, Prop>>,
    ) -> Result<bool, Prop> {
        if let Some(value) = known.get(&formula) {
            return *value;
        }
        let value = match self.node(formula) {
            Node::Literal(prop, positive) => {
                required_value(label, *prop).map(|value| value == *positive).ok_or(*prop)
            }
            _ => {
                let mut sum = Ok(false);
                for alternative in self.alternatives(formula, past) {
                    debug_assert!(alternative.next.is_none(), "a future operator below a past one");
                    let mut product = Ok(true);
                    for part in alternative.new {
                        product = junction(product, self.value(*part, past, label, known), false);
                    }
                    sum = junction(sum, product, true);
                }
                sum
            }
        };
        known.insert(formula, value);
        value
    }
}

/// The value that a label requires of a proposition.
fn required_value(label: Cube, prop: Prop) -> Option<bool> {
    let (positive, negative) = (label.positive & prop.bit() != 0, label.negative & prop.bit() != 0);
    (positive || negative).then_some(positive)
}

/// Kleene's disjunction (`decisive` is true) or conjunction (`decisive` is false) of values that may be
/// undecided.
fn junction(a: Result<bool, Prop>, b: Result<bool, Prop>, decisive: bool) -> Result<bool, Prop> {
    match (a, b) {
        _ if a == Ok(decisive) || b == Ok(decisive) => Ok(decisive),
        (Err(prop), _) | (_, Err(prop)) => Err(prop),
        _ => Ok(!decisive),
    }
}

fn is_future(node: &Node) -> bool {
    matches!(node, Node::Next(_) | Node::WeakNext(_) | Node::Until(_) | Node::Release(_))
}
