//! Simplification of one part of a disjunction under the assumption that the other parts are false.
//!
//! In `p | f` the formula f matters only where p is false. There, a subformula of f that implies p is false,
//! and a subformula that `!p` implies is true. This covers absorption (`p | (p & b) = p`), unit propagation
//! (`p | (!p & b) = p | b`) and the detection of tautologies (`p | f = true` if `!p -> f`), with the
//! implications of [`super::implication`] instead of equality. An eventual p stays false, so that
//! subformulas of f below temporal operators simplify as well: `F a | G (b | a) = F a | G b`. The dual rule
//! assumes that the other parts of a conjunction are true.
//!
//! Promise: subformulas are only replaced by constants, so that no formula becomes longer.

use super::Rules;
use crate::nnf::{Nnf, Node};
use rustc_hash::FxHashMap;

/// Disjunctions with more parts stay as they are: the work is quadratic in the number of parts.
const MAX_PARTS: usize = 32;

/// Simplifies each part where the others are false.
pub(super) fn parts_where_others_fail(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    let parts = rules.simplified_where_others_fail(parts, false)?;
    Some(rules.or(parts))
}

impl Rules<'_> {
    /// Simplifies each part where each other part is false, or (with `later`) where each other part is false
    /// from then on; short parts are assumed false first. `None` if no part changes.
    pub(super) fn simplified_where_others_fail(&mut self, parts: &[Nnf], later: bool) -> Option<Vec<Nnf>> {
        if parts.len() > MAX_PARTS {
            return None;
        }
        let mut parts = parts.to_vec();
        parts.sort_by_key(|part| (self.length(*part), *part));
        let given = parts.clone();
        for i in 0..parts.len() {
            for j in (0..parts.len()).rev().filter(|j| *j != i) {
                let assumed_false = if later { self.eventually(parts[i]) } else { parts[i] };
                let lasting = later || self.is_eventual(assumed_false);
                parts[j] = self.simplified_where_false(parts[j], assumed_false, lasting);
            }
        }
        (parts != given).then_some(parts)
    }

    /// A formula that equals `f` wherever `p` is false. `lasting` says that `p` then stays false at all
    /// later positions.
    pub(super) fn simplified_where_false(&mut self, f: Nnf, p: Nnf, lasting: bool) -> Nnf {
        let not_p = self.not(p);
        let mut assumption = Assumption { p, not_p, lasting, known: FxHashMap::default() };
        assumption.apply(self, f)
    }
}

/// The assumption that a formula is false, and the formulas simplified under it.
struct Assumption {
    p: Nnf,
    not_p: Nnf,
    lasting: bool,
    known: FxHashMap<Nnf, Nnf>,
}

impl Assumption {
    fn apply(&mut self, rules: &mut Rules<'_>, f: Nnf) -> Nnf {
        if let Some(known) = self.known.get(&f) {
            return *known;
        }
        let simplified = if rules.implies(f, self.p) {
            rules.duality.bottom()
        } else if rules.implies(self.not_p, f) {
            rules.duality.top()
        } else {
            self.apply_to_parts(rules, f)
        };
        self.known.insert(f, simplified);
        simplified
    }

    fn apply_to_parts(&mut self, rules: &mut Rules<'_>, f: Nnf) -> Nnf {
        let node = rules.arena.node(f);
        let is_reached = match node {
            Node::Const(_) | Node::Literal(..) => false,
            Node::And(_) | Node::Or(_) => true,
            // A formula that is false at all later positions may have been true at earlier ones, and vice
            // versa.
            _ => self.lasting && node.is_past() == rules.duality.past,
        };
        if !is_reached {
            return f;
        }
        let parts = node.children().to_vec();
        let simplified: Vec<Nnf> = parts.iter().map(|part| self.apply(rules, *part)).collect();
        if simplified == parts { f } else { rules.arena.rebuild(f, &simplified) }
    }
}
