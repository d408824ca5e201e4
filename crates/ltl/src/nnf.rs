//! Formulas in negation normal form, each stored once.
//!
//! The form that every algorithm works on. Negation stands before propositions only; the connectives are
//! and, or, next, weak next, until and release, and their mirror images in the past. All other connectives
//! are abbreviations: `F a = true U a`, `G a = false R a`, `a W b = b R (a | b)`, `a M b = b U (a & b)`,
//! `O a = true S a`, `H a = false T a`. Conjunctions and disjunctions are sets. So formulas that are equal
//! up to these laws have one number.
//!
//! Promise: only laws that hold on finite and on infinite words alike are applied; an operand's number is
//! smaller than the number of its formula.

use crate::letter::Prop;
use crate::{Binary, Formula, Unary};
use rustc_hash::FxHashMap;

/// A formula in negation normal form, as its number in a [`FormulaArena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nnf(pub(crate) u32);

impl Nnf {
    /// `true`, in every arena.
    pub const TRUE: Nnf = Nnf(1);
    /// `false`, in every arena.
    pub const FALSE: Nnf = Nnf(0);

    /// The constant formula.
    pub fn constant(value: bool) -> Nnf {
        if value { Nnf::TRUE } else { Nnf::FALSE }
    }
}

/// The words on which a formula is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Non-empty finite words: the last state has no successor.
    Finite,
    /// Infinite words: weak and strong next are equivalent.
    Infinite,
}

/// A formula's outermost connective.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `true` or `false`.
    Const(bool),
    /// A proposition, or (with `false`) its negation.
    Literal(Prop, bool),
    /// A conjunction of two or more parts, sorted.
    And(Box<[Nnf]>),
    /// A disjunction of two or more parts, sorted.
    Or(Box<[Nnf]>),
    /// `X`
    Next(Nnf),
    /// `WX`
    WeakNext(Nnf),
    /// `a U b`
    Until([Nnf; 2]),
    /// `a R b`
    Release([Nnf; 2]),
    /// `Y`
    Previous(Nnf),
    /// `WY`
    WeakPrevious(Nnf),
    /// `a S b`
    Since([Nnf; 2]),
    /// `a T b`
    Triggered([Nnf; 2]),
}

impl Node {
    /// The operands, left to right.
    pub fn children(&self) -> &[Nnf] {
        match self {
            Node::Const(_) | Node::Literal(..) => &[],
            Node::And(parts) | Node::Or(parts) => parts,
            Node::Next(a) | Node::WeakNext(a) | Node::Previous(a) | Node::WeakPrevious(a) => {
                std::slice::from_ref(a)
            }
            Node::Until(pair) | Node::Release(pair) | Node::Since(pair) | Node::Triggered(pair) => pair,
        }
    }
}

impl Node {
    /// Is it a past operator?
    pub fn is_past(&self) -> bool {
        matches!(self, Node::Previous(_) | Node::WeakPrevious(_) | Node::Since(_) | Node::Triggered(_))
    }
}

/// All formulas interned so far.
#[derive(Clone, Debug)]
pub struct FormulaArena {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, Nnf>,
    negations: FxHashMap<Nnf, Nnf>,
}

impl Default for FormulaArena {
    fn default() -> Self {
        let mut arena =
            FormulaArena { nodes: Vec::new(), ids: FxHashMap::default(), negations: FxHashMap::default() };
        assert_eq!(arena.intern(Node::Const(false)), Nnf::FALSE);
        assert_eq!(arena.intern(Node::Const(true)), Nnf::TRUE);
        arena.negations.extend([(Nnf::TRUE, Nnf::FALSE), (Nnf::FALSE, Nnf::TRUE)]);
        arena
    }
}

impl FormulaArena {
    /// The outermost connective.
    pub fn node(&self, formula: Nnf) -> &Node {
        &self.nodes[formula.0 as usize]
    }

    /// The number of formulas.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The formula's normal form.
    pub fn formula(&mut self, formula: &Formula<Prop>) -> Nnf {
        self.normalise(formula, true)
    }

    /// The normal form of the formula, or (with `false`) of its negation.
    fn normalise(&mut self, formula: &Formula<Prop>, positive: bool) -> Nnf {
        match formula {
            Formula::Const(value) => Nnf::constant(*value == positive),
            Formula::Prop(prop) => self.literal(*prop, positive),
            Formula::Unary(Unary::Not, inner) => self.normalise(inner, !positive),
            Formula::Unary(operator, inner) => {
                let a = self.normalise(inner, positive);
                match (operator, positive) {
                    (Unary::Next, true) | (Unary::WeakNext, false) => self.next(a),
                    (Unary::WeakNext, _) | (Unary::Next, false) => self.weak_next(a),
                    (Unary::Eventually, true) | (Unary::Always, false) => self.eventually(a),
                    (Unary::Always, _) | (Unary::Eventually, false) => self.always(a),
                    (Unary::Previous, true) | (Unary::WeakPrevious, false) => self.previous(a),
                    (Unary::WeakPrevious, _) | (Unary::Previous, false) => self.weak_previous(a),
                    (Unary::Once, true) | (Unary::Historically, false) => self.since(Nnf::TRUE, a),
                    (Unary::Historically, _) | (Unary::Once, false) => self.triggered(Nnf::FALSE, a),
                    (Unary::Not, _) => a,
                }
            }
            Formula::Binary(operator, left, right) => self.normalise_binary(*operator, left, right, positive),
        }
    }

    fn normalise_binary(
        &mut self,
        operator: Binary,
        left: &Formula<Prop>,
        right: &Formula<Prop>,
        positive: bool,
    ) -> Nnf {
        if operator == Binary::Iff {
            let (a, b) = (self.normalise(left, true), self.normalise(right, positive));
            let (not_a, not_b) = (self.negate(a), self.negate(b));
            let (both, neither) = (self.and([a, b]), self.and([not_a, not_b]));
            return self.or([both, neither]);
        }
        let a = self.normalise(left, positive == (operator != Binary::Implies));
        let b = self.normalise(right, positive);
        match (operator, positive) {
            (Binary::And, true) | (Binary::Or | Binary::Implies, false) => self.and([a, b]),
            (Binary::Or | Binary::Implies, _) | (Binary::And, false) => self.or([a, b]),
            (Binary::Until, true) | (Binary::Release, false) => self.until(a, b),
            (Binary::Release, _) | (Binary::Until, false) => self.release(a, b),
            (Binary::WeakUntil, true) | (Binary::StrongRelease, false) => self.weak_until(a, b),
            (Binary::StrongRelease, _) | (Binary::WeakUntil, false) => self.strong_release(a, b),
            (Binary::Since, true) | (Binary::Triggered, false) => self.since(a, b),
            (Binary::Triggered, _) | (Binary::Since, false) => self.triggered(a, b),
            (Binary::Iff, _) => unreachable!("handled above"),
        }
    }

    /// A proposition or its negation.
    pub fn literal(&mut self, prop: Prop, positive: bool) -> Nnf {
        self.intern(Node::Literal(prop, positive))
    }

    /// The conjunction of the parts.
    pub fn and(&mut self, parts: impl IntoIterator<Item = Nnf>) -> Nnf {
        self.junction(parts, true)
    }

    /// The disjunction of the parts.
    pub fn or(&mut self, parts: impl IntoIterator<Item = Nnf>) -> Nnf {
        self.junction(parts, false)
    }

    /// A conjunction or disjunction: flat, sorted, without repetition, constants and contradictory literals.
    fn junction(&mut self, parts: impl IntoIterator<Item = Nnf>, conjunction: bool) -> Nnf {
        let (neutral, absorbing) = (Nnf::constant(conjunction), Nnf::constant(!conjunction));
        let mut flat = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::And(inner) if conjunction => flat.extend_from_slice(inner),
                Node::Or(inner) if !conjunction => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|part| *part != neutral);
        let contradicts = |part: &Nnf| match self.node(*part) {
            Node::Literal(prop, positive) => {
                let opposite = self.ids.get(&Node::Literal(*prop, !positive));
                opposite.is_some_and(|opposite| flat.binary_search(opposite).is_ok())
            }
            _ => self.negations.get(part).is_some_and(|negation| flat.binary_search(negation).is_ok()),
        };
        if flat.contains(&absorbing) || flat.iter().any(contradicts) {
            return absorbing;
        }
        match flat.as_slice() {
            [] => neutral,
            [single] => *single,
            _ if conjunction => self.intern(Node::And(flat.into())),
            _ => self.intern(Node::Or(flat.into())),
        }
    }

    /// `X a`
    pub fn next(&mut self, a: Nnf) -> Nnf {
        if a == Nnf::FALSE { a } else { self.intern(Node::Next(a)) }
    }

    /// `WX a`
    pub fn weak_next(&mut self, a: Nnf) -> Nnf {
        if a == Nnf::TRUE { a } else { self.intern(Node::WeakNext(a)) }
    }

    /// `a U b`
    pub fn until(&mut self, a: Nnf, b: Nnf) -> Nnf {
        match (a, b) {
            (_, Nnf::TRUE | Nnf::FALSE) | (Nnf::FALSE, _) => b,
            _ if a == b => b,
            _ => self.intern(Node::Until([a, b])),
        }
    }

    /// `a R b`
    pub fn release(&mut self, a: Nnf, b: Nnf) -> Nnf {
        match (a, b) {
            (_, Nnf::TRUE | Nnf::FALSE) | (Nnf::TRUE, _) => b,
            _ if a == b => b,
            _ => self.intern(Node::Release([a, b])),
        }
    }

    /// `a W b`
    pub fn weak_until(&mut self, a: Nnf, b: Nnf) -> Nnf {
        let either = self.or([a, b]);
        self.release(b, either)
    }

    /// `a M b`
    pub fn strong_release(&mut self, a: Nnf, b: Nnf) -> Nnf {
        let both = self.and([a, b]);
        self.until(b, both)
    }

    /// `F a`
    pub fn eventually(&mut self, a: Nnf) -> Nnf {
        self.until(Nnf::TRUE, a)
    }

    /// `G a`
    pub fn always(&mut self, a: Nnf) -> Nnf {
        self.release(Nnf::FALSE, a)
    }

    /// `Y a`
    pub fn previous(&mut self, a: Nnf) -> Nnf {
        if a == Nnf::FALSE { a } else { self.intern(Node::Previous(a)) }
    }

    /// `WY a`
    pub fn weak_previous(&mut self, a: Nnf) -> Nnf {
        if a == Nnf::TRUE { a } else { self.intern(Node::WeakPrevious(a)) }
    }

    /// `a S b`
    pub fn since(&mut self, a: Nnf, b: Nnf) -> Nnf {
        match (a, b) {
            (_, Nnf::TRUE | Nnf::FALSE) | (Nnf::FALSE, _) => b,
            _ if a == b => b,
            _ => self.intern(Node::Since([a, b])),
        }
    }

    /// `a T b`
    pub fn triggered(&mut self, a: Nnf, b: Nnf) -> Nnf {
        match (a, b) {
            (_, Nnf::TRUE | Nnf::FALSE) | (Nnf::TRUE, _) => b,
            _ if a == b => b,
            _ => self.intern(Node::Triggered([a, b])),
        }
    }

    /// The negation.
    pub fn negate(&mut self, formula: Nnf) -> Nnf {
        if let Some(known) = self.negations.get(&formula) {
            return *known;
        }
        let parts: Vec<Nnf> = self.node(formula).children().to_vec();
        let parts: Vec<Nnf> = parts.into_iter().map(|part| self.negate(part)).collect();
        let negation = match self.node(formula).clone() {
            Node::Const(value) => Nnf::constant(!value),
            Node::Literal(prop, positive) => self.literal(prop, !positive),
            Node::And(_) => self.or(parts),
            Node::Or(_) => self.and(parts),
            Node::Next(_) => self.weak_next(parts[0]),
            Node::WeakNext(_) => self.next(parts[0]),
            Node::Until(_) => self.release(parts[0], parts[1]),
            Node::Release(_) => self.until(parts[0], parts[1]),
            Node::Previous(_) => self.weak_previous(parts[0]),
            Node::WeakPrevious(_) => self.previous(parts[0]),
            Node::Since(_) => self.triggered(parts[0], parts[1]),
            Node::Triggered(_) => self.since(parts[0], parts[1]),
        };
        self.negations.insert(formula, negation);
        // Several formulas may have the same negation, `true` say; double negation returns the first of
        // them.
        self.negations.entry(negation).or_insert(formula);
        negation
    }

    /// The same connective with other operands: as many, in the same order.
    pub fn rebuild(&mut self, formula: Nnf, parts: &[Nnf]) -> Nnf {
        match *self.node(formula) {
            Node::Const(_) | Node::Literal(..) => formula,
            Node::And(_) => self.and(parts.iter().copied()),
            Node::Or(_) => self.or(parts.iter().copied()),
            Node::Next(_) => self.next(parts[0]),
            Node::WeakNext(_) => self.weak_next(parts[0]),
            Node::Until(_) => self.until(parts[0], parts[1]),
            Node::Release(_) => self.release(parts[0], parts[1]),
            Node::Previous(_) => self.previous(parts[0]),
            Node::WeakPrevious(_) => self.weak_previous(parts[0]),
            Node::Since(_) => self.since(parts[0], parts[1]),
            Node::Triggered(_) => self.triggered(parts[0], parts[1]),
        }
    }

    /// The number of connectives and literals; a shared subformula counts at each occurrence.
    pub fn length(&self, formula: Nnf) -> usize {
        let mut lengths: FxHashMap<Nnf, usize> = FxHashMap::default();
        for part in self.subformulas(formula) {
            let children = self.node(part).children();
            let own = if children.len() > 2 { children.len() - 1 } else { 1 };
            let length = children.iter().map(|child| lengths[child]).fold(own, usize::saturating_add);
            lengths.insert(part, length);
        }
        lengths[&formula]
    }

    /// The formula and all its subformulas, operands first, each once.
    pub fn subformulas(&self, formula: Nnf) -> Vec<Nnf> {
        let mut subformulas = vec![formula];
        let mut seen: rustc_hash::FxHashSet<Nnf> = subformulas.iter().copied().collect();
        let mut next = 0;
        while next < subformulas.len() {
            for child in self.node(subformulas[next]).children() {
                if seen.insert(*child) {
                    subformulas.push(*child);
                }
            }
            next += 1;
        }
        // An operand was interned before its formula.
        subformulas.sort_unstable();
        subformulas
    }

    /// The mask of the propositions in it.
    pub fn props(&self, formula: Nnf) -> u64 {
        self.subformulas(formula).into_iter().fold(0, |mask, part| match self.node(part) {
            Node::Literal(prop, _) => mask | prop.bit(),
            _ => mask,
        })
    }

    /// Does a past operator occur in it?
    pub fn has_past(&self, formula: Nnf) -> bool {
        self.subformulas(formula).into_iter().any(|part| self.node(part).is_past())
    }

    /// The operands of a conjunction (or, with `false`, of a disjunction); any other formula is its only
    /// part.
    pub(crate) fn junction_parts(&self, formula: Nnf, conjunction: bool) -> Vec<Nnf> {
        match self.node(formula) {
            Node::And(parts) if conjunction => parts.to_vec(),
            Node::Or(parts) if !conjunction => parts.to_vec(),
            _ => vec![formula],
        }
    }

    /// The parts of a conjunction (or disjunction) without the parts of `left_out`.
    ///
    /// `None` if a part of `left_out` is missing in it, or if no part remains.
    pub(crate) fn remaining_parts(
        &self,
        junction: Nnf,
        left_out: Nnf,
        conjunction: bool,
    ) -> Option<Vec<Nnf>> {
        let [all, out] = [junction, left_out].map(|formula| self.junction_parts(formula, conjunction));
        let rest: Vec<Nnf> = all.iter().copied().filter(|part| !out.contains(part)).collect();
        (rest.len() + out.len() == all.len() && !rest.is_empty()).then_some(rest)
    }

    /// Panics, saying which invariant broke. Tests call this after each step.
    pub fn validate(&self) {
        assert_eq!(self.node(Nnf::FALSE), &Node::Const(false), "number 0 is not `false`");
        assert_eq!(self.node(Nnf::TRUE), &Node::Const(true), "number 1 is not `true`");
        assert_eq!(self.ids.len(), self.nodes.len(), "a formula is stored twice");
        for (index, node) in self.nodes.iter().enumerate() {
            let id = Nnf(index as u32);
            assert_eq!(self.ids.get(node), Some(&id), "{node:?} is not found under its number");
            let is_smaller = |operand: &Nnf| *operand < id;
            assert!(node.children().iter().all(is_smaller), "{node:?} has an operand with a larger number");
            if let Node::And(parts) | Node::Or(parts) = node {
                self.validate_junction(node, parts);
            }
        }
        for (formula, negation) in &self.negations {
            assert!(self.negations.contains_key(negation), "the negation of {formula:?} has no negation");
        }
    }

    fn validate_junction(&self, node: &Node, parts: &[Nnf]) {
        assert!(parts.len() >= 2, "{node:?} has fewer than two parts");
        assert!(parts.is_sorted_by(|a, b| a < b), "the parts of {node:?} are not a sorted set");
        for part in parts {
            let inner = self.node(*part);
            assert!(!matches!(inner, Node::Const(_)), "{node:?} has a constant part");
            let is_nested = std::mem::discriminant(inner) == std::mem::discriminant(node);
            assert!(!is_nested, "{node:?} has a part with its own connective");
            if let Node::Literal(prop, positive) = inner {
                let opposite = self.ids.get(&Node::Literal(*prop, !positive));
                assert!(
                    !opposite.is_some_and(|other| parts.contains(other)),
                    "{node:?} has opposite literals"
                );
            }
        }
    }

    fn intern(&mut self, node: Node) -> Nnf {
        if let Some(known) = self.ids.get(&node) {
            return *known;
        }
        let id = Nnf(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }
}
