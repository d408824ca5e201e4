//! Final rewriting steps, at the outermost operators of a formula only.
//!
//! Inside a formula, a part that is eventual and universal moves outwards, where rules can combine it with
//! other parts. At the outermost operators, which become the initial state of an automaton, it moves inwards
//! (Spot's documentation, the rules for formulas that are both): a later state then makes the choice, or
//! remembers the part, instead of the initial state. The length stays.

use super::Rules;
use super::duality::Duality;
use crate::nnf::{Nnf, Node};

/// The formula with such parts moved inwards: `F a | q = F (a | q)`, and on infinite words
/// `X a & q = X (a & q)` and `X a | q = X (a | q)`.
pub(super) fn moved_inwards(rules: &mut Rules<'_>, formula: Nnf) -> Nnf {
    let reading = rules.duality.reading;
    match rules.arena.node(formula).clone() {
        Node::Next(a) => {
            let a = moved_inwards(rules, a);
            rules.arena.next(a)
        }
        Node::Or(parts) => {
            rules.duality = Duality::plain(reading);
            into_eventually(rules, &parts).or_else(|| into_next(rules, &parts)).unwrap_or(formula)
        }
        Node::And(parts) => {
            rules.duality = Duality::plain(reading).flipped();
            into_next(rules, &parts).unwrap_or(formula)
        }
        _ => formula,
    }
}

/// `F a | q = F (a | q)`, if there are no other parts.
fn into_eventually(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    let (later, both): (Vec<Nnf>, Vec<Nnf>) =
        parts.iter().partition(|part| rules.duality.as_eventually(rules.arena, **part).is_some());
    if later.is_empty() || !both.iter().all(|part| rules.is_eventual_and_universal(*part)) {
        return None;
    }
    let inner: Vec<Nnf> =
        later.iter().filter_map(|part| rules.duality.as_eventually(rules.arena, *part)).collect();
    let inner = rules.or(inner.into_iter().chain(both));
    Some(rules.eventually(inner))
}

/// `X a | q = X (a | q)`.
fn into_next(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    if !rules.duality.always_has_next() {
        return None;
    }
    let step = parts.iter().find(|part| rules.duality.as_next(rules.arena, **part).is_some())?;
    let inner = rules.duality.as_next(rules.arena, *step)?;
    let others = parts.iter().copied().filter(|part| part != step);
    let (both, rest): (Vec<Nnf>, Vec<Nnf>) = others.partition(|part| rules.is_eventual_and_universal(*part));
    if both.is_empty() {
        return None;
    }
    let inner = rules.or(both.into_iter().chain([inner]));
    let inner = {
        let duality = rules.duality;
        let inner = moved_inwards(rules, inner);
        rules.duality = duality;
        inner
    };
    let next = rules.next(inner);
    Some(rules.or(rest.into_iter().chain([next])))
}
