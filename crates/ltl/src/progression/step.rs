//! One step of progression: the remainder after one letter.

use super::tables::Tables;
use crate::bdd::Bdd;
use crate::letter::Letter;
use crate::nnf::{FormulaArena, Nnf, Node};
use rustc_hash::FxHashMap;

/// One step of progression.
pub(super) struct Step<'a> {
    pub(super) arena: &'a FormulaArena,
    pub(super) tables: &'a mut Tables,
    pub(super) past: &'a [Nnf],
    /// The values of past operators in the previous state; a value that is still open is a function of
    /// obligations.
    pub(super) before: &'a [Bdd],
    pub(super) letter: Letter,
    pub(super) values: FxHashMap<Nnf, Bdd>,
    pub(super) advanced: FxHashMap<Bdd, Bdd>,
}

impl Step<'_> {
    /// The remainder after this letter.
    pub(super) fn advance(&mut self, remainder: Bdd) -> Bdd {
        if remainder.is_constant() {
            return remainder;
        }
        if let Some(known) = self.advanced.get(&remainder) {
            return *known;
        }
        let (low, high) = self.tables.bdds.branches(remainder);
        let (obligation, _) = self.tables.obligations[self.tables.bdds.top(remainder) as usize];
        let (low, high, value) = (self.advance(low), self.advance(high), self.value(obligation));
        // The function is monotone in its obligations, so `low` implies `high`.
        let with = self.tables.bdds.and(value, high);
        let advanced = self.tables.bdds.or(low, with);
        self.advanced.insert(remainder, advanced);
        advanced
    }

    /// The remainder of a formula that must hold in this state.
    pub(super) fn value(&mut self, formula: Nnf) -> Bdd {
        if let Some(known) = self.values.get(&formula) {
            return *known;
        }
        let result = match self.arena.node(formula) {
            Node::Const(value) => Bdd::constant(*value),
            Node::Literal(prop, positive) => Bdd::constant(self.letter.allows(*prop, *positive)),
            Node::And(parts) => parts.iter().fold(Bdd::TRUE, |all, part| {
                let part = self.value(*part);
                self.tables.bdds.and(all, part)
            }),
            Node::Or(parts) => parts.iter().fold(Bdd::FALSE, |any, part| {
                let part = self.value(*part);
                self.tables.bdds.or(any, part)
            }),
            Node::Next(a) => self.tables.obligation(*a, true),
            Node::WeakNext(a) => self.tables.obligation(*a, false),
            Node::Until([a, b]) => {
                let again = self.tables.obligation(formula, true);
                self.either(*b, *a, again)
            }
            Node::Release([a, b]) => {
                let again = self.tables.obligation(formula, false);
                self.both(*b, *a, again)
            }
            Node::Previous(_) | Node::WeakPrevious(_) => self.before(formula),
            Node::Since([a, b]) => {
                let before = self.before(formula);
                self.either(*b, *a, before)
            }
            Node::Triggered([a, b]) => {
                let before = self.before(formula);
                self.both(*b, *a, before)
            }
        };
        self.values.insert(formula, result);
        result
    }

    /// `b | (a & rest)`
    pub(super) fn either(&mut self, b: Nnf, a: Nnf, rest: Bdd) -> Bdd {
        let (b, a) = (self.value(b), self.value(a));
        let with = self.tables.bdds.and(a, rest);
        self.tables.bdds.or(b, with)
    }

    /// `b & (a | rest)`
    pub(super) fn both(&mut self, b: Nnf, a: Nnf, rest: Bdd) -> Bdd {
        let (b, a) = (self.value(b), self.value(a));
        let with = self.tables.bdds.or(a, rest);
        self.tables.bdds.and(b, with)
    }

    /// The value of a past operator in the previous state, progressed by this letter.
    pub(super) fn before(&mut self, operator: Nnf) -> Bdd {
        // Memories contain obligations of operands only, so the recursion ends.
        let remembered = self.past.binary_search(&operator).map(|index| self.before[index]);
        self.advance(remembered.unwrap_or(Bdd::FALSE))
    }
}
