//! What the other parts of an or say about one part of it.
//!
//! In `p | f` the formula f matters only where p is false. There, a part of f that implies p is false, and one that
//! `!p` implies is true. This is absorption (`p | (p & b) = p`), unit propagation (`p | (!p & b) = p | b`) and the
//! discovery of tautologies (`p | f = true` if `!p -> f`) in one, with the implications of [`super::implication`] for
//! equality. If p is eventual then it stays false, and parts of f below temporal operators may be judged as well:
//! `F a | G (b | a) = F a | G b`. Through the dual duality the other parts of an and are true.
//!
//! Promise: parts are only replaced by constants, so that nothing becomes longer.

use super::Rules;
use crate::nnf::{Nnf, Node};
use rustc_hash::FxHashMap;

/// Ors with more parts than this are left alone: the work is quadratic in them.
const MAX_PARTS: usize = 32;

/// Each part where the others are false.
pub(super) fn judged(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    let parts = rules.judged_by_the_others(parts, false)?;
    Some(rules.or(parts))
}

impl Rules<'_> {
    /// Each part where each other one is false, or with `later` where each other one is false from then on; short ones
    /// judge first. Nothing if no part changes.
    pub(super) fn judged_by_the_others(&mut self, parts: &[Nnf], later: bool) -> Option<Vec<Nnf>> {
        if parts.len() > MAX_PARTS {
            return None;
        }
        let mut parts = parts.to_vec();
        parts.sort_by_key(|part| (self.length(*part), *part));
        let given = parts.clone();
        for i in 0..parts.len() {
            for j in (0..parts.len()).rev().filter(|j| *j != i) {
                let judge = if later { self.eventually(parts[i]) } else { parts[i] };
                let lasting = later || self.eventual(judge);
                parts[j] = self.where_false(parts[j], judge, lasting);
            }
        }
        (parts != given).then_some(parts)
    }

    /// A formula that is `f` wherever `p` is false; if that is `lasting`, at all later positions too.
    pub(super) fn where_false(&mut self, f: Nnf, p: Nnf, lasting: bool) -> Nnf {
        let not_p = self.not(p);
        let mut judge = Judge { p, not_p, lasting, known: FxHashMap::default() };
        judge.judged(self, f)
    }
}

/// A formula that is false, and what became of others where it is.
struct Judge {
    p: Nnf,
    not_p: Nnf,
    lasting: bool,
    known: FxHashMap<Nnf, Nnf>,
}

impl Judge {
    fn judged(&mut self, rules: &mut Rules<'_>, f: Nnf) -> Nnf {
        if let Some(known) = self.known.get(&f) {
            return *known;
        }
        let judged = if rules.implies(f, self.p) {
            rules.duality.bottom()
        } else if rules.implies(self.not_p, f) {
            rules.duality.top()
        } else {
            self.judged_parts(rules, f)
        };
        self.known.insert(f, judged);
        judged
    }

    fn judged_parts(&mut self, rules: &mut Rules<'_>, f: Nnf) -> Nnf {
        let node = rules.arena.node(f);
        let seen = match node {
            Node::Const(_) | Node::Literal(..) => false,
            Node::And(_) | Node::Or(_) => true,
            // What is false at all later positions may have been true at earlier ones, and the other way round.
            _ => self.lasting && node.is_past() == rules.duality.past,
        };
        if !seen {
            return f;
        }
        let parts = node.children().to_vec();
        let judged: Vec<Nnf> = parts.iter().map(|part| self.judged(rules, *part)).collect();
        if judged == parts { f } else { rules.arena.rebuild(f, &judged) }
    }
}
