//! One rule, four operators.
//!
//! Every law of `until` is, with `true` and `false`, `&` and `|`, strong and weak next exchanged, a law of `release`
//! (negate both sides); and every law that holds on all finite words is, read from right to left, a law of the past.
//! So each rule of the simplifier is written once, in the words of `until` and "or", and a [`Duality`] says through which
//! of the four pairs of operators it is read. The words here (`until`, `next`, `or`, `top`) are those of the rule.
//!
//! Promise: a rule that is right through the plain duality on finite words is right through all four; one that is right
//! on infinite words only must ask [`Duality::infinite`], which is false for the past: that always has a first state.

use crate::nnf::{FormulaArena, Nnf, Node, Reading};

/// Through which operators a rule is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Duality {
    /// Release for until, and for or, and so on.
    pub(super) dual: bool,
    /// Since for until, previous for next.
    pub(super) past: bool,
    /// Which words the formula is read on.
    pub(super) reading: Reading,
}

impl Duality {
    /// The rule as it is written.
    pub(super) fn plain(reading: Reading) -> Duality {
        Duality { dual: false, past: false, reading }
    }

    /// The same rule for the dual operators.
    pub(super) fn flipped(self) -> Duality {
        Duality { dual: !self.dual, ..self }
    }

    /// Does every state have a next one, in the direction of the rule?
    pub(super) fn infinite(self) -> bool {
        self.reading == Reading::Infinite && !self.past
    }

    /// What an "and" without parts is, and what `F a = top U a` has on its left.
    pub(super) fn top(self) -> Nnf {
        Nnf::constant(!self.dual)
    }

    /// What an "or" without parts is, and what `G a = bottom R a` has on its left.
    pub(super) fn bottom(self) -> Nnf {
        Nnf::constant(self.dual)
    }

    /// `a U b`
    pub(super) fn until(self, arena: &mut FormulaArena, a: Nnf, b: Nnf) -> Nnf {
        match (self.past, self.dual) {
            (false, false) => arena.until(a, b),
            (false, true) => arena.release(a, b),
            (true, false) => arena.since(a, b),
            (true, true) => arena.triggered(a, b),
        }
    }

    /// `a R b`
    pub(super) fn release(self, arena: &mut FormulaArena, a: Nnf, b: Nnf) -> Nnf {
        self.flipped().until(arena, a, b)
    }

    /// `X a`, which asks for a next state (through the dual duality: `WX a`, which does not).
    pub(super) fn next(self, arena: &mut FormulaArena, a: Nnf) -> Nnf {
        match (self.past, self.dual && !self.infinite()) {
            (false, false) => arena.next(a),
            (false, true) => arena.weak_next(a),
            (true, false) => arena.previous(a),
            (true, true) => arena.weak_previous(a),
        }
    }

    /// `a | b | ...`
    pub(super) fn or(self, arena: &mut FormulaArena, parts: impl IntoIterator<Item = Nnf>) -> Nnf {
        if self.dual { arena.and(parts) } else { arena.or(parts) }
    }

    /// `a & b & ...`
    pub(super) fn and(self, arena: &mut FormulaArena, parts: impl IntoIterator<Item = Nnf>) -> Nnf {
        self.flipped().or(arena, parts)
    }

    /// The operands of `a U b`.
    pub(super) fn as_until(self, arena: &FormulaArena, formula: Nnf) -> Option<[Nnf; 2]> {
        match (arena.node(formula), self.past, self.dual) {
            (Node::Until(pair), false, false)
            | (Node::Release(pair), false, true)
            | (Node::Since(pair), true, false)
            | (Node::Triggered(pair), true, true) => Some(*pair),
            _ => None,
        }
    }

    /// The operands of `a R b`.
    pub(super) fn as_release(self, arena: &FormulaArena, formula: Nnf) -> Option<[Nnf; 2]> {
        self.flipped().as_until(arena, formula)
    }

    /// The operand of `F a`.
    pub(super) fn as_eventually(self, arena: &FormulaArena, formula: Nnf) -> Option<Nnf> {
        self.as_until(arena, formula).filter(|[a, _]| *a == self.top()).map(|[_, b]| b)
    }

    /// The operand of `G a`.
    pub(super) fn as_always(self, arena: &FormulaArena, formula: Nnf) -> Option<Nnf> {
        self.flipped().as_eventually(arena, formula)
    }

    /// The operand of `X a`.
    pub(super) fn as_next(self, arena: &FormulaArena, formula: Nnf) -> Option<Nnf> {
        match (arena.node(formula), self.past, self.dual && !self.infinite()) {
            (Node::Next(a), false, false)
            | (Node::WeakNext(a), false, true)
            | (Node::Previous(a), true, false)
            | (Node::WeakPrevious(a), true, true) => Some(*a),
            _ => None,
        }
    }

    /// The operand of `X a` or `WX a`.
    pub(super) fn as_some_next(self, arena: &FormulaArena, formula: Nnf) -> Option<Nnf> {
        self.as_next(arena, formula).or_else(|| self.flipped().as_next(arena, formula))
    }

    /// The parts of an "or"; a formula that is none is its only part.
    pub(super) fn disjuncts(self, arena: &FormulaArena, formula: Nnf) -> Vec<Nnf> {
        match arena.node(formula) {
            Node::Or(parts) if !self.dual => parts.to_vec(),
            Node::And(parts) if self.dual => parts.to_vec(),
            _ => vec![formula],
        }
    }

    /// The parts of an "and"; a formula that is none is its only part.
    pub(super) fn conjuncts(self, arena: &FormulaArena, formula: Nnf) -> Vec<Nnf> {
        self.flipped().disjuncts(arena, formula)
    }
}
