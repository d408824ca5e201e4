//! Implications that the syntax shows.
//!
//! Somenzi and Bloem, Efficient Büchi Automata from LTL Formulae, CAV 2000, §4, with the cases that Spot's
//! documentation adds (eventual and universal formulas, Boolean formulas by decision diagram). Instead of a
//! table for each pair of operators there is one law, induction along an until: `a U b` implies `g` if `b`
//! implies `g` and `a & X g` implies `g`. The other cases are the dual and past forms of that law.
//!
//! Promise: sound in the given reading, not complete. The recursion goes to smaller pairs of subformulas
//! only, and each pair is computed once: the work is at most the product of the two formulas' sizes.

use super::classes::{Fact, Facts};
use super::duality::Duality;
use crate::bdd::{Bdd, Bdds, Var};
use crate::nnf::{FormulaArena, Nnf, Node, Reading};
use rustc_hash::FxHashMap;

/// Boolean formulas that together have more propositions are compared by their syntax.
const MAX_BOOLEAN_PROPS: u32 = 12;

/// A sum of products of variables with signs.
pub(super) type Products = Vec<Vec<(Var, bool)>>;

/// The results so far, for pairs of formulas of one arena.
#[derive(Clone, Debug)]
pub(super) struct Implications {
    reading: Reading,
    facts: Facts,
    shown: FxHashMap<(Nnf, Nnf), bool>,
    bdds: Bdds,
    functions: FxHashMap<Nnf, Bdd>,
}

impl Implications {
    pub(super) fn new(reading: Reading) -> Implications {
        Implications {
            reading,
            facts: Facts::new(reading),
            shown: FxHashMap::default(),
            bdds: Bdds::default(),
            functions: FxHashMap::default(),
        }
    }

    /// The facts about a formula.
    pub(super) fn fact(&mut self, arena: &FormulaArena, formula: Nnf) -> Fact {
        self.facts.of(arena, formula)
    }

    /// Is it shown that `g` holds wherever `f` does?
    pub(super) fn implies(&mut self, arena: &FormulaArena, f: Nnf, g: Nnf) -> bool {
        if f == g || f == Nnf::FALSE || g == Nnf::TRUE {
            return true;
        }
        if let Some(known) = self.shown.get(&(f, g)) {
            return *known;
        }
        let shown = self.show(arena, f, g);
        self.shown.insert((f, g), shown);
        shown
    }

    fn show(&mut self, arena: &FormulaArena, f: Nnf, g: Nnf) -> bool {
        if let Node::Or(parts) = arena.node(f) {
            return parts.iter().all(|part| self.implies(arena, *part, g));
        }
        if let Node::And(parts) = arena.node(g) {
            return parts.iter().all(|part| self.implies(arena, f, *part));
        }
        if self.boolean_parts_imply(arena, f, g) {
            return true;
        }
        if let Node::And(parts) = arena.node(f)
            && parts.iter().any(|part| self.implies(arena, *part, g))
        {
            return true;
        }
        if let Node::Or(parts) = arena.node(g)
            && parts.iter().any(|part| self.implies(arena, f, *part))
        {
            return true;
        }
        [false, true].into_iter().any(|past| {
            let duality = Duality { past, ..Duality::plain(self.reading) };
            self.show_nexts(arena, duality, f, g)
                || self.show_step(arena, duality, f, g)
                || self.show_step(arena, duality.flipped(), g, f)
        })
    }

    /// Implication under a duality: the dual of `f -> g` is `g -> f`.
    pub(super) fn implies_through(&mut self, arena: &FormulaArena, duality: Duality, f: Nnf, g: Nnf) -> bool {
        if duality.dual { self.implies(arena, g, f) } else { self.implies(arena, f, g) }
    }

    /// "Eventual" under a duality: the dual is "universal". For the past only constants count.
    pub(super) fn is_eventual(&mut self, arena: &FormulaArena, duality: Duality, formula: Nnf) -> bool {
        if duality.past {
            return matches!(arena.node(formula), Node::Const(_));
        }
        let fact = self.fact(arena, formula);
        if duality.dual { fact.universal } else { fact.eventual }
    }

    /// `X f -> X g`, `X f -> WX g` and `WX f -> WX g` where `f -> g`.
    fn show_nexts(&mut self, arena: &FormulaArena, duality: Duality, f: Nnf, g: Nnf) -> bool {
        let strong = duality.as_next(arena, f);
        let weak = duality.flipped().as_next(arena, f);
        match (strong, weak, duality.as_next(arena, g), duality.flipped().as_next(arena, g)) {
            (Some(f), _, Some(g), _) | (Some(f), _, _, Some(g)) | (_, Some(f), _, Some(g)) => {
                self.implies(arena, f, g)
            }
            _ => false,
        }
    }

    /// The laws about a temporal operator on the left side (for dual operators: on the right).
    fn show_step(&mut self, arena: &FormulaArena, duality: Duality, f: Nnf, g: Nnf) -> bool {
        if let Some([a, b]) = duality.as_until(arena, f)
            && self.implies_through(arena, duality, b, g)
            && self.sustains(arena, duality, a, g)
        {
            return true;
        }
        if let Some([_, b]) = duality.as_release(arena, f)
            && self.implies_through(arena, duality, b, g)
        {
            return true;
        }
        if let Some(a) = duality.as_next(arena, f)
            && self.is_eventual(arena, duality, g)
            && self.implies_through(arena, duality, a, g)
        {
            return true;
        }
        // a & X (a U b)  ->  a U b
        duality.as_until(arena, g).is_some_and(|[a, _]| {
            let step = |part: &Nnf| duality.as_next(arena, *part);
            let steps: Vec<Nnf> = duality.conjuncts(arena, f).iter().filter_map(step).collect();
            steps.into_iter().any(|step| self.implies_through(arena, duality, step, g))
                && self.implies_through(arena, duality, f, a)
        })
    }

    /// Is it shown that `a & X g -> g`?
    pub(super) fn sustains(&mut self, arena: &FormulaArena, duality: Duality, a: Nnf, g: Nnf) -> bool {
        if self.is_eventual(arena, duality, g) || self.implies_through(arena, duality, a, g) {
            return true;
        }
        if let Node::And(parts) | Node::Or(parts) = arena.node(g) {
            return parts.iter().all(|part| self.sustains(arena, duality, a, *part));
        }
        if let Some([b, c]) = duality.as_until(arena, g) {
            return self.implies_through(arena, duality, a, b) || self.implies_through(arena, duality, a, c);
        }
        // X (b R c) gives X c; if that gives c, then b R c.
        duality.as_release(arena, g).is_some_and(|[_, c]| self.sustains(arena, duality, a, c))
    }

    /// Do the Boolean conjuncts of `f` imply the disjunction of the Boolean disjuncts of `g`?
    fn boolean_parts_imply(&mut self, arena: &FormulaArena, f: Nnf, g: Nnf) -> bool {
        let duality = Duality::plain(self.reading);
        let mut boolean = |parts: Vec<Nnf>| -> Vec<Nnf> {
            parts.into_iter().filter(|part| self.fact(arena, *part).boolean).collect()
        };
        let (left, right) = (boolean(duality.conjuncts(arena, f)), boolean(duality.disjuncts(arena, g)));
        if left.is_empty() && right.is_empty() {
            return false;
        }
        let props = left.iter().chain(&right).fold(0, |mask, part| mask | self.fact(arena, *part).props);
        if props.count_ones() > MAX_BOOLEAN_PROPS {
            return false;
        }
        let mut have = Bdd::TRUE;
        for part in left {
            let function = self.function(arena, part);
            have = self.bdds.and(have, function);
        }
        let mut want = Bdd::FALSE;
        for part in right {
            let function = self.function(arena, part);
            want = self.bdds.or(want, function);
        }
        self.bdds.implies(have, want)
    }

    /// Sums of products for the Boolean formula and for its negation; `None` if there are too many
    /// propositions.
    pub(super) fn products(&mut self, arena: &FormulaArena, formula: Nnf) -> Option<[Products; 2]> {
        if self.fact(arena, formula).props.count_ones() > MAX_BOOLEAN_PROPS {
            return None;
        }
        let function = self.function(arena, formula);
        let negation = self.bdds.not(function);
        Some([function, negation].map(|function| self.bdds.cubes(function)))
    }

    /// The decision diagram of a Boolean formula.
    fn function(&mut self, arena: &FormulaArena, formula: Nnf) -> Bdd {
        if let Some(known) = self.functions.get(&formula) {
            return *known;
        }
        let node = arena.node(formula);
        let parts: Vec<Bdd> = node.children().iter().map(|part| self.function(arena, *part)).collect();
        let function = match node {
            Node::Const(value) => Bdd::constant(*value),
            Node::Literal(prop, positive) => self.bdds.literal(prop.0.into(), *positive),
            Node::And(_) => parts.into_iter().fold(Bdd::TRUE, |all, part| self.bdds.and(all, part)),
            _ => parts.into_iter().fold(Bdd::FALSE, |some, part| self.bdds.or(some, part)),
        };
        self.functions.insert(formula, function);
        function
    }
}
