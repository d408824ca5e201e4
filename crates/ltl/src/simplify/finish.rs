//! Last steps, at the front of a formula only.
//!
//! In the middle of a formula a part that is eventual and universal is best seen as far out as it can be, where it meets
//! others. At the front, where an automaton will have its initial state, it is best further in (Spot's documentation,
//! the rules for formulas that are both): the initial state then need not choose, or need not remember, what a later
//! state can. The length stays.

use super::Rules;
use super::duality::Duality;
use crate::nnf::{Nnf, Node};

/// The formula with such parts moved in: `F a | q = F (a | q)`, and on infinite words `X a & q = X (a & q)` and
/// `X a | q = X (a | q)`.
pub(super) fn finished(rules: &mut Rules<'_>, formula: Nnf) -> Nnf {
    let reading = rules.duality.reading;
    match rules.arena.node(formula).clone() {
        Node::Next(a) => {
            let a = finished(rules, a);
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
    if later.is_empty() || !both.iter().all(|part| rules.both(*part)) {
        return None;
    }
    let inner: Vec<Nnf> =
        later.iter().filter_map(|part| rules.duality.as_eventually(rules.arena, *part)).collect();
    let inner = rules.or(inner.into_iter().chain(both));
    Some(rules.eventually(inner))
}

/// `X a | q = X (a | q)`.
fn into_next(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    if !rules.duality.infinite() {
        return None;
    }
    let step = parts.iter().find(|part| rules.duality.as_next(rules.arena, **part).is_some())?;
    let inner = rules.duality.as_next(rules.arena, *step)?;
    let others = parts.iter().copied().filter(|part| part != step);
    let (both, rest): (Vec<Nnf>, Vec<Nnf>) = others.partition(|part| rules.both(*part));
    if both.is_empty() {
        return None;
    }
    let inner = rules.or(both.into_iter().chain([inner]));
    let inner = {
        let duality = rules.duality;
        let inner = finished(rules, inner);
        rules.duality = duality;
        inner
    };
    let next = rules.next(inner);
    Some(rules.or(rest.into_iter().chain([next])))
}
