//! Eventual and universal formulas, and other facts that follow from a formula's operands alone.
//!
//! Etessami and Holzmann, Optimizing Büchi Automata, CONCUR 2000, §2: a formula is (purely) *eventual* if it
//! holds now whenever it holds later, and (purely) *universal* if it holds later whenever it holds now. So
//! `F e = e`, `a U e = e`, `G u = u`, `a R u = u`. A formula that is both, as `GF a`, has the same truth
//! value at every position. Their grammar is extended: `a R e` is eventual as well, since `e` holds from the
//! earlier position on, and `a U u` universal.
//!
//! Promise: sound, not complete. On finite words "later" means at a later position of the word; there `X u`
//! need not be universal (the last state has no successor), nor `WX e` eventual.

use crate::letter::Prop;
use crate::nnf::{FormulaArena, Nnf, Node, Reading};

/// Does the syntax show that the formula holds at a position whenever it holds at a later one?
pub fn is_eventual(arena: &FormulaArena, formula: Nnf, reading: Reading) -> bool {
    Facts::new(reading).of(arena, formula).eventual
}

/// Does the syntax show that the formula holds at all later positions whenever it holds at a position?
pub fn is_universal(arena: &FormulaArena, formula: Nnf, reading: Reading) -> bool {
    Facts::new(reading).of(arena, formula).universal
}

/// The facts about one formula.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    /// [`FormulaArena::length`].
    pub(super) length: usize,
    /// [`FormulaArena::props`].
    pub(super) props: u64,
    /// It refers to the present state only.
    pub(super) boolean: bool,
    /// See [`is_eventual`].
    pub(super) eventual: bool,
    /// See [`is_universal`].
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
        // An operand's number is smaller than the number of its formula.
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
                // In `a U b` with `b -> a`, a holds at the later position, and so at earlier ones if it is
                // eventual.
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

/// Are all parts of `part` among the parts of the conjunction (or disjunction) `junction`?
pub(super) fn has_part(arena: &FormulaArena, junction: Nnf, part: Nnf, conjunction: bool) -> bool {
    let all = arena.junction_parts(junction, conjunction);
    arena.junction_parts(part, conjunction).iter().all(|part| all.contains(part))
}
