//! Eventual and universal formulas, and what else is known of a formula from its parts alone.
//!
//! Etessami and Holzmann, Optimizing Büchi Automata, CONCUR 2000, §2: a formula is (purely) *eventual* if it holds now
//! whenever it holds later, and (purely) *universal* if it holds later whenever it holds now. So `F e = e`, `a U e = e`,
//! `G u = u`, `a R u = u`. A formula that is both, as `GF a`, says the same at every position. Their grammar is widened:
//! `a R e` is eventual as well, since `e` holds from the earlier position on, and `a U u` universal.
//!
//! Promise: sound, not complete. On finite words "later" means at a later position of the word; there `X u` need not be
//! universal (the last state has no next one), nor `WX e` eventual.

use crate::letter::Prop;
use crate::nnf::{FormulaArena, Nnf, Node, Reading};

/// Does the formula hold at a position whenever it holds at a later one? If the answer is no, it may do so still.
pub fn eventual(arena: &FormulaArena, formula: Nnf, reading: Reading) -> bool {
    Facts::new(reading).of(arena, formula).eventual
}

/// Does the formula hold at all later positions whenever it holds at one? If the answer is no, it may do so still.
pub fn universal(arena: &FormulaArena, formula: Nnf, reading: Reading) -> bool {
    Facts::new(reading).of(arena, formula).universal
}

/// What is known of one formula.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    /// [`FormulaArena::length`].
    pub(super) length: usize,
    /// [`FormulaArena::props`].
    pub(super) props: u64,
    /// It speaks of the present state only.
    pub(super) boolean: bool,
    /// See [`eventual`].
    pub(super) eventual: bool,
    /// See [`universal`].
    pub(super) universal: bool,
}

/// The facts of all formulas of one arena, in their order.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    reading: Reading,
    facts: Vec<Fact>,
}

impl Facts {
    pub(super) fn new(reading: Reading) -> Facts {
        Facts { reading, facts: Vec::new() }
    }

    /// The facts of a formula.
    pub(super) fn of(&mut self, arena: &FormulaArena, formula: Nnf) -> Fact {
        // An operand's number is smaller than the number of the formula that it stands in.
        while self.facts.len() <= formula.0 as usize {
            let fact = self.derive(arena, arena.node(Nnf(self.facts.len() as u32)));
            self.facts.push(fact);
        }
        self.facts[formula.0 as usize]
    }

    fn known(&self, formula: Nnf) -> Fact {
        self.facts[formula.0 as usize]
    }

    fn derive(&self, arena: &FormulaArena, node: &Node) -> Fact {
        let children = node.children();
        let all = |holds: fn(Fact) -> bool| children.iter().all(|child| holds(self.known(*child)));
        let own = if children.len() > 2 { children.len() - 1 } else { 1 };
        let own_props = if let Node::Literal(prop, _) = node { Prop::bit(*prop) } else { 0 };
        let (eventual, universal) = match node {
            Node::Const(_) => (true, true),
            Node::And(_) | Node::Or(_) => (all(|fact| fact.eventual), all(|fact| fact.universal)),
            Node::Next(a) => {
                let universal = self.reading == Reading::Infinite && self.known(*a).universal;
                (self.known(*a).eventual, universal)
            }
            Node::WeakNext(a) => {
                let eventual = self.reading == Reading::Infinite && self.known(*a).eventual;
                (eventual, self.known(*a).universal)
            }
            Node::Until([a, b]) => {
                // In `a U b` with `b -> a`, a holds at the later position, and so before it if it is eventual.
                let strong_release = self.known(*a).eventual && has_part(arena, *b, *a, true);
                let eventual = *a == Nnf::TRUE || self.known(*b).eventual || strong_release;
                (eventual, self.known(*b).universal)
            }
            Node::Release([a, b]) => {
                let weak_until = self.known(*a).universal && has_part(arena, *b, *a, false);
                let universal = *a == Nnf::FALSE || self.known(*b).universal || weak_until;
                (self.known(*b).eventual, universal)
            }
            _ => (false, false),
        };
        Fact {
            length: children
                .iter()
                .fold(own, |length, child| length.saturating_add(self.known(*child).length)),
            props: children.iter().fold(own_props, |mask, child| mask | self.known(*child).props),
            boolean: matches!(node, Node::Const(_) | Node::Literal(..) | Node::And(_) | Node::Or(_))
                && all(|fact| fact.boolean),
            eventual,
            universal,
        }
    }
}

/// Are the parts of a conjunction (or disjunction) among those of another?
pub(super) fn has_part(arena: &FormulaArena, junction: Nnf, part: Nnf, conjunction: bool) -> bool {
    let parts = |id: Nnf| match arena.node(id) {
        Node::And(parts) if conjunction => parts.to_vec(),
        Node::Or(parts) if !conjunction => parts.to_vec(),
        _ => vec![id],
    };
    let all = parts(junction);
    parts(part).iter().all(|part| all.contains(part))
}
