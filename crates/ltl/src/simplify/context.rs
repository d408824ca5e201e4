//! What the other parts of an or say about one part of it.
//!
//! In `p | f` the formula f matters only where p is false. There, a part of f that implies p is false, and one that
//! `!p` implies is true. This is absorption (`p | (p & b) = p`), unit propagation (`p | (!p & b) = p | b`) and the
//! discovery of tautologies (`p | f = true` if `!p -> f`) in one, with the implications of [`super::implication`] for
//! equality. If p is eventual then it stays false, and parts of f below temporal operators may be judged as well:
//! `F a | G (b | a) = F a | G b`. Through the dual lens the other parts of an and are true.
//!
//! Promise: parts are only replaced by constants, so that nothing becomes longer.

use super::{OrRule, Rules};
use crate::nnf::{Nnf, Node};
use rustc_hash::FxHashMap;

/// Ors with more parts than this are left alone: the work is quadratic in them.
const MAX_PARTS: usize = 32;

/// In the order in which they are tried.
pub(super) const RULES: [OrRule; 1] = [judged_by_the_others];

/// Each part where each other one is false, short ones first.
fn judged_by_the_others(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    if parts.len() > MAX_PARTS {
        return None;
    }
    let mut parts = parts.to_vec();
    parts.sort_by_key(|part| (rules.length(*part), *part));
    let given = parts.clone();
    for i in 0..parts.len() {
        let lasting = rules.eventual(parts[i]);
        for j in (0..parts.len()).rev().filter(|j| *j != i) {
            parts[j] = rules.where_false(parts[j], parts[i], lasting);
        }
    }
    (parts != given).then(|| rules.or(parts))
}

impl Rules<'_> {
    /// A formula that is `f` wherever `p` is false; if that is `lasting`, at all later positions too.
    pub(super) fn where_false(&mut self, f: Nnf, p: Nnf, lasting: bool) -> Nnf {
        let not_p = self.not(p);
        self.judged(f, p, not_p, lasting, &mut FxHashMap::default())
    }

    fn judged(&mut self, f: Nnf, p: Nnf, not_p: Nnf, lasting: bool, known: &mut FxHashMap<Nnf, Nnf>) -> Nnf {
        if let Some(known) = known.get(&f) {
            return *known;
        }
        let judged = if self.implies(f, p) {
            self.lens.bottom()
        } else if self.implies(not_p, f) {
            self.lens.top()
        } else {
            match self.store.node(f) {
                Node::And(parts) | Node::Or(parts) => {
                    let parts = parts.to_vec();
                    self.judged_parts(f, &parts, p, not_p, lasting, known)
                }
                Node::Next(_) | Node::WeakNext(_) | Node::Until(_) | Node::Release(_) if lasting => {
                    let parts = self.store.node(f).children().to_vec();
                    self.judged_parts(f, &parts, p, not_p, lasting, known)
                }
                _ => f,
            }
        };
        known.insert(f, judged);
        judged
    }

    fn judged_parts(
        &mut self,
        f: Nnf,
        parts: &[Nnf],
        p: Nnf,
        not_p: Nnf,
        lasting: bool,
        known: &mut FxHashMap<Nnf, Nnf>,
    ) -> Nnf {
        let judged: Vec<Nnf> =
            parts.iter().map(|part| self.judged(*part, p, not_p, lasting, known)).collect();
        if judged == parts { f } else { self.store.rebuild(f, &judged) }
    }
}
