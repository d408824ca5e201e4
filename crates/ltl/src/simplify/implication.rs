//! Implications that the syntax shows.
//!
//! Somenzi and Bloem, Efficient Büchi Automata from LTL Formulae, CAV 2000, §4, with the cases that Spot's documentation
//! adds (eventual and universal formulas, Boolean formulas by decision diagram). Instead of a table for each pair of
//! operators there is one law, induction along an until: `a U b` implies `g` if `b` does, and `a & X g` does. The rest
//! is that law seen through the four lenses.
//!
//! Promise: sound in the given reading, not complete. Every question leads to questions about smaller pairs of
//! subformulas only, and each pair is asked once: the work is at most the product of the two formulas' sizes.

use super::classes::{Fact, Facts};
use super::lens::Lens;
use crate::bdd::{Bdd, Bdds, Var};
use crate::nnf::{Nnf, Node, Reading, Store};
use rustc_hash::FxHashMap;

/// Boolean formulas over more propositions together than this are compared by their syntax.
const MAX_BOOLEAN_PROPS: u32 = 12;

/// A sum of products of variables with signs.
pub(super) type Products = Vec<Vec<(Var, bool)>>;

/// Implications shown or not shown so far, between the formulas of one store.
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

    /// What is known of a formula.
    pub(super) fn fact(&mut self, store: &Store, formula: Nnf) -> Fact {
        self.facts.of(store, formula)
    }

    /// Is it shown that `g` holds wherever `f` does?
    pub(super) fn implies(&mut self, store: &Store, f: Nnf, g: Nnf) -> bool {
        if f == g || f == Nnf::FALSE || g == Nnf::TRUE {
            return true;
        }
        if let Some(known) = self.shown.get(&(f, g)) {
            return *known;
        }
        let shown = self.show(store, f, g);
        self.shown.insert((f, g), shown);
        shown
    }

    fn show(&mut self, store: &Store, f: Nnf, g: Nnf) -> bool {
        if let Node::Or(parts) = store.node(f) {
            return parts.iter().all(|part| self.implies(store, *part, g));
        }
        if let Node::And(parts) = store.node(g) {
            return parts.iter().all(|part| self.implies(store, f, *part));
        }
        if self.states_imply(store, f, g) {
            return true;
        }
        if let Node::And(parts) = store.node(f)
            && parts.iter().any(|part| self.implies(store, *part, g))
        {
            return true;
        }
        if let Node::Or(parts) = store.node(g)
            && parts.iter().any(|part| self.implies(store, f, *part))
        {
            return true;
        }
        [false, true].into_iter().any(|past| {
            let lens = Lens { past, ..Lens::plain(self.reading) };
            self.show_nexts(store, lens, f, g)
                || self.show_step(store, lens, f, g)
                || self.show_step(store, lens.flipped(), g, f)
        })
    }

    /// Implication as the lens sees it: the dual of `f -> g` is `g -> f`.
    pub(super) fn seen(&mut self, store: &Store, lens: Lens, f: Nnf, g: Nnf) -> bool {
        if lens.dual { self.implies(store, g, f) } else { self.implies(store, f, g) }
    }

    /// Eventual, as the lens sees it. Of the past only constants are known to be.
    pub(super) fn eventual(&mut self, store: &Store, lens: Lens, formula: Nnf) -> bool {
        if lens.past {
            return matches!(store.node(formula), Node::Const(_));
        }
        let fact = self.fact(store, formula);
        if lens.dual { fact.universal } else { fact.eventual }
    }

    /// `X f -> X g`, `X f -> WX g` and `WX f -> WX g` where `f -> g`.
    fn show_nexts(&mut self, store: &Store, lens: Lens, f: Nnf, g: Nnf) -> bool {
        let strong = lens.as_next(store, f);
        let weak = lens.flipped().as_next(store, f);
        match (strong, weak, lens.as_next(store, g), lens.flipped().as_next(store, g)) {
            (Some(f), _, Some(g), _) | (Some(f), _, _, Some(g)) | (_, Some(f), _, Some(g)) => {
                self.implies(store, f, g)
            }
            _ => false,
        }
    }

    /// The laws about a temporal operator on one side, the left as they are written.
    fn show_step(&mut self, store: &Store, lens: Lens, f: Nnf, g: Nnf) -> bool {
        if let Some([a, b]) = lens.as_until(store, f)
            && self.seen(store, lens, b, g)
            && self.sustains(store, lens, a, g)
        {
            return true;
        }
        if let Some([_, b]) = lens.as_release(store, f)
            && self.seen(store, lens, b, g)
        {
            return true;
        }
        if let Some(a) = lens.as_next(store, f)
            && self.eventual(store, lens, g)
            && self.seen(store, lens, a, g)
        {
            return true;
        }
        // a & X (a U b)  ->  a U b
        lens.as_until(store, g).is_some_and(|[a, _]| {
            let step = |part: &Nnf| lens.as_next(store, *part);
            let steps: Vec<Nnf> = lens.conjuncts(store, f).iter().filter_map(step).collect();
            steps.into_iter().any(|step| self.seen(store, lens, step, g)) && self.seen(store, lens, f, a)
        })
    }

    /// Is it shown that `a & X g -> g`?
    pub(super) fn sustains(&mut self, store: &Store, lens: Lens, a: Nnf, g: Nnf) -> bool {
        if self.eventual(store, lens, g) || self.seen(store, lens, a, g) {
            return true;
        }
        if let Node::And(parts) | Node::Or(parts) = store.node(g) {
            return parts.iter().all(|part| self.sustains(store, lens, a, *part));
        }
        if let Some([b, c]) = lens.as_until(store, g) {
            return self.seen(store, lens, a, b) || self.seen(store, lens, a, c);
        }
        // X (b R c) gives X c; if that gives c, then b R c.
        lens.as_release(store, g).is_some_and(|[_, c]| self.sustains(store, lens, a, c))
    }

    /// Do what `f` says of the present state and what suffices there for `g` fit?
    fn states_imply(&mut self, store: &Store, f: Nnf, g: Nnf) -> bool {
        let lens = Lens::plain(self.reading);
        let mut boolean = |parts: Vec<Nnf>| -> Vec<Nnf> {
            parts.into_iter().filter(|part| self.fact(store, *part).boolean).collect()
        };
        let (left, right) = (boolean(lens.conjuncts(store, f)), boolean(lens.disjuncts(store, g)));
        if left.is_empty() && right.is_empty() {
            return false;
        }
        let props = left.iter().chain(&right).fold(0, |mask, part| mask | self.fact(store, *part).props);
        if props.count_ones() > MAX_BOOLEAN_PROPS {
            return false;
        }
        let mut have = Bdd::TRUE;
        for part in left {
            let function = self.function(store, part);
            have = self.bdds.and(have, function);
        }
        let mut want = Bdd::FALSE;
        for part in right {
            let function = self.function(store, part);
            want = self.bdds.or(want, function);
        }
        self.bdds.implies(have, want)
    }

    /// Sums of products that are the Boolean formula and its negation; nothing if there are too many propositions.
    pub(super) fn products(&mut self, store: &Store, formula: Nnf) -> Option<[Products; 2]> {
        if self.fact(store, formula).props.count_ones() > MAX_BOOLEAN_PROPS {
            return None;
        }
        let function = self.function(store, formula);
        let negation = self.bdds.not(function);
        Some([function, negation].map(|function| self.bdds.cubes(function)))
    }

    /// The decision diagram of a formula about the present state.
    fn function(&mut self, store: &Store, formula: Nnf) -> Bdd {
        if let Some(known) = self.functions.get(&formula) {
            return *known;
        }
        let node = store.node(formula);
        let parts: Vec<Bdd> = node.children().iter().map(|part| self.function(store, *part)).collect();
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
