//! One rule, four operators.
//!
//! Every law of `until` is, with `true` and `false`, `&` and `|`, strong and weak next exchanged, a law of `release`
//! (negate both sides); and every law that holds on all finite words is, read from right to left, a law of the past.
//! So each rule of the simplifier is written once, in the words of `until` and "or", and a [`Lens`] says through which
//! of the four pairs of operators it is read. The words here (`until`, `next`, `or`, `top`) are those of the rule.
//!
//! Promise: a rule that is right through the plain lens on finite words is right through all four; one that is right
//! on infinite words only must ask [`Lens::infinite`], which is false for the past: that always has a first state.

use crate::nnf::{Nnf, Node, Reading, Store};

/// Through which operators a rule is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lens {
    /// Release for until, and for or, and so on.
    pub(super) dual: bool,
    /// Since for until, previous for next.
    pub(super) past: bool,
    /// Which words the formula is read on.
    pub(super) reading: Reading,
}

impl Lens {
    /// The rule as it is written.
    pub(super) fn plain(reading: Reading) -> Lens {
        Lens { dual: false, past: false, reading }
    }

    /// The same rule for the dual operators.
    pub(super) fn flipped(self) -> Lens {
        Lens { dual: !self.dual, ..self }
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
    pub(super) fn until(self, store: &mut Store, a: Nnf, b: Nnf) -> Nnf {
        match (self.past, self.dual) {
            (false, false) => store.until(a, b),
            (false, true) => store.release(a, b),
            (true, false) => store.since(a, b),
            (true, true) => store.triggered(a, b),
        }
    }

    /// `a R b`
    pub(super) fn release(self, store: &mut Store, a: Nnf, b: Nnf) -> Nnf {
        self.flipped().until(store, a, b)
    }

    /// `X a`, which asks for a next state (through the dual lens: `WX a`, which does not).
    pub(super) fn next(self, store: &mut Store, a: Nnf) -> Nnf {
        match (self.past, self.dual && !self.infinite()) {
            (false, false) => store.next(a),
            (false, true) => store.weak_next(a),
            (true, false) => store.previous(a),
            (true, true) => store.weak_previous(a),
        }
    }

    /// `a | b | ...`
    pub(super) fn or(self, store: &mut Store, parts: impl IntoIterator<Item = Nnf>) -> Nnf {
        if self.dual { store.and(parts) } else { store.or(parts) }
    }

    /// `a & b & ...`
    pub(super) fn and(self, store: &mut Store, parts: impl IntoIterator<Item = Nnf>) -> Nnf {
        self.flipped().or(store, parts)
    }

    /// The operands of `a U b`.
    pub(super) fn as_until(self, store: &Store, formula: Nnf) -> Option<[Nnf; 2]> {
        match (store.node(formula), self.past, self.dual) {
            (Node::Until(pair), false, false)
            | (Node::Release(pair), false, true)
            | (Node::Since(pair), true, false)
            | (Node::Triggered(pair), true, true) => Some(*pair),
            _ => None,
        }
    }

    /// The operands of `a R b`.
    pub(super) fn as_release(self, store: &Store, formula: Nnf) -> Option<[Nnf; 2]> {
        self.flipped().as_until(store, formula)
    }

    /// The operand of `F a`.
    pub(super) fn as_eventually(self, store: &Store, formula: Nnf) -> Option<Nnf> {
        self.as_until(store, formula).filter(|[a, _]| *a == self.top()).map(|[_, b]| b)
    }

    /// The operand of `G a`.
    pub(super) fn as_always(self, store: &Store, formula: Nnf) -> Option<Nnf> {
        self.flipped().as_eventually(store, formula)
    }

    /// The operand of `X a`.
    pub(super) fn as_next(self, store: &Store, formula: Nnf) -> Option<Nnf> {
        match (store.node(formula), self.past, self.dual && !self.infinite()) {
            (Node::Next(a), false, false)
            | (Node::WeakNext(a), false, true)
            | (Node::Previous(a), true, false)
            | (Node::WeakPrevious(a), true, true) => Some(*a),
            _ => None,
        }
    }

    /// The operand of `X a` or `WX a`.
    pub(super) fn as_some_next(self, store: &Store, formula: Nnf) -> Option<Nnf> {
        self.as_next(store, formula).or_else(|| self.flipped().as_next(store, formula))
    }

    /// The parts of an "or"; a formula that is none is its only part.
    pub(super) fn disjuncts(self, store: &Store, formula: Nnf) -> Vec<Nnf> {
        match store.node(formula) {
            Node::Or(parts) if !self.dual => parts.to_vec(),
            Node::And(parts) if self.dual => parts.to_vec(),
            _ => vec![formula],
        }
    }

    /// The parts of an "and"; a formula that is none is its only part.
    pub(super) fn conjuncts(self, store: &Store, formula: Nnf) -> Vec<Nnf> {
        self.flipped().disjuncts(store, formula)
    }
}
