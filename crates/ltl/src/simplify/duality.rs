//! One rule, four operators.
//!
//! Every law of `until` is, with `true` and `false`, `&` and `|`, strong and weak next exchanged, a law of
//! `release` (negate both sides); and every law that holds on all finite words is, read from right to left,
//! a law of the past. So each rule of the simplifier is written once, in terms of `until` and "or", and a
//! [`Duality`] selects one of four interpretations of these operators: plain or dual, future or past. The
//! names here (`until`, `next`, `or`, `top`) are the names in the written rule.
//!
//! Promise: a rule that is sound on finite words as it is written is sound under all four interpretations. A
//! rule that is sound on infinite words only must check [`Duality::always_has_next`], which is false for the
//! past: the past always has a first state.

use crate::nnf::{FormulaArena, Nnf, Node, Reading};

/// The interpretation of the operators of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Duality {
    /// Release for until, and for or, and so on.
    pub(super) dual: bool,
    /// Since for until, previous for next.
    pub(super) past: bool,
    /// The words on which the formula is interpreted.
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

    /// Does every state have a next state, in the direction of the rule?
    pub(super) fn always_has_next(self) -> bool {
        self.reading == Reading::Infinite && !self.past
    }

    /// The neutral element of "and"; the left operand in `F a = top U a`.
    pub(super) fn top(self) -> Nnf {
        Nnf::constant(!self.dual)
    }

    /// The neutral element of "or"; the left operand in `G a = bottom R a`.
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

    /// `X a`, which requires a next state (its dual is `WX a`, which does not).
    pub(super) fn next(self, arena: &mut FormulaArena, a: Nnf) -> Nnf {
        match (self.past, self.dual && !self.always_has_next()) {
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
        match (arena.node(formula), self.past, self.dual && !self.always_has_next()) {
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

    /// The parts of an "or"; any other formula is its only part.
    pub(super) fn disjuncts(self, arena: &FormulaArena, formula: Nnf) -> Vec<Nnf> {
        arena.junction_parts(formula, self.dual)
    }

    /// The parts of an "and"; any other formula is its only part.
    pub(super) fn conjuncts(self, arena: &FormulaArena, formula: Nnf) -> Vec<Nnf> {
        self.flipped().disjuncts(arena, formula)
    }
}
