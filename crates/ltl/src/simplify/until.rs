//! Rules for `a U b`; their dual and past forms are rules for `a R b`, `a S b` and `a T b`.
//!
//! `F b` is `top U b`, so these are the rules for `F` and `G` too, and with `b U (a & b)` and `b R (a | b)`
//! for `M` and `W`. In the comments e is eventual, u universal and q both; `a -> b` is an implication that
//! the syntax shows.

use super::classes::has_part;
use super::{Rules, UntilRule};
use crate::nnf::{Nnf, Node};

/// The rules, in the order in which they are tried.
pub(super) const RULES: [UntilRule; 14] = [
    right_alone,
    left_where_right_fails,
    left_is_needless,
    nested_right,
    nested_left,
    universal_left,
    parts_where_others_never_hold,
    next_in_front,
    split_both,
    weak_next_at_the_end,
    only_the_end,
    next_before_universal,
    universal_out_of_always,
    next_under_always,
];

/// The rules that may lengthen a formula, tried when no other rule applies.
pub(super) const GROWING_RULES: [UntilRule; 2] = [weak_until, move_next_to_front];

/// `a U b = b` if `a & X b -> b`: as `a U e`, `F F b`, `a U b` where `a -> b`, `a U (c U d)` where `a -> c`.
fn right_alone(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    rules.implications.sustains(rules.arena, rules.duality, a, b).then_some(b)
}

/// The left side matters only where the right one is false: `(a | c) U b = a U b` if `c -> b`,
/// `(a & c) U b = a U b` if `!b -> c`, `a U b = F b` if `!b -> a`.
fn left_where_right_fails(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let left = rules.simplified_where_false(a, b, false);
    (left != a).then(|| rules.until(left, b))
}

/// `e U b = F b` if `b -> e`; `a U (b & e) = F (b & e)` if `!a -> b`.
fn left_is_needless(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if a == rules.duality.top() {
        return None;
    }
    let needless = rules.is_eventual(a) && rules.implies(b, a) || left_fails_only_at(rules, a, b);
    needless.then(|| rules.eventually(b))
}

/// Is `F b = a U b`, since b holds wherever a fails, up to the eventual parts of b?
pub(super) fn left_fails_only_at(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> bool {
    let not_a = rules.not(a);
    rules.conjuncts(b).into_iter().all(|part| rules.is_eventual(part) || rules.implies(not_a, part))
}

/// `a U (b U c) = a U c` if `b -> a`, and likewise in each part of an or: `F (a | b U c) = F (a | c)`.
fn nested_right(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let parts = rules.disjuncts(b);
    let flat: Vec<Nnf> = parts
        .iter()
        .map(|part| match rules.duality.as_until(rules.arena, *part) {
            Some([c, d]) if rules.implies(c, a) => d,
            _ => *part,
        })
        .collect();
    (flat != parts).then(|| {
        let right = rules.or(flat);
        rules.until(a, right)
    })
}

/// `(c U d) U b` is `d U b` if `c -> b`, and `(c U d) | b` if `d -> b`; `(c W d) U b = d U b` if `c -> b`.
fn nested_left(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if let Some([c, d]) = rules.duality.as_until(rules.arena, a) {
        if rules.implies(c, b) {
            return Some(rules.until(d, b));
        }
        return rules.implies(d, b).then(|| rules.or([a, b]));
    }
    let [d, either] = rules.duality.as_release(rules.arena, a)?;
    if !has_part(rules.arena, either, d, rules.duality.dual) {
        return None;
    }
    let kept = rules.disjuncts(d);
    let rest = rules.disjuncts(either).into_iter().filter(|part| !kept.contains(part));
    let weak_until = rest.collect::<Vec<_>>().into_iter().all(|part| rules.implies(part, b));
    weak_until.then(|| rules.until(d, b))
}

/// `u U (u & b) = u & F b`.
fn universal_left(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if a == rules.duality.top() || !rules.is_universal(a) || !rules.implies(b, a) {
        return None;
    }
    let left = rules.conjuncts(a);
    let rest: Vec<Nnf> = rules.conjuncts(b).into_iter().filter(|part| !left.contains(part)).collect();
    let rest = rules.and(rest);
    let later = rules.eventually(rest);
    Some(rules.and([a, later]))
}

/// In `F (p | f) = F p | F f` the formula f matters only where `F p` is false: `F (p | X p) = F p`, and
/// dually `G (p & F (p & a)) = G (p & F a)`.
fn parts_where_others_never_hold(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if a != rules.duality.top() {
        return None;
    }
    let parts = rules.simplified_where_others_fail(&rules.disjuncts(b), true)?;
    let right = rules.or(parts);
    Some(rules.eventually(right))
}

/// `X a U X b = X (a U b)`, `F X b = X F b`, `q U X b = X (q U b)`.
///
/// On finite words too: where `X b` holds there is a next state, so that strong and weak next agree there.
fn next_in_front(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let b = rules.duality.as_next(rules.arena, b)?;
    let a = match rules.duality.as_some_next(rules.arena, a) {
        Some(a) => a,
        None if rules.is_eventual_and_universal(a) => a,
        None => return None,
    };
    let until = rules.until(a, b);
    Some(rules.next(until))
}

/// `a U (b & q) = (a U b) & q`. Outside the until, q can be combined with other parts.
fn split_both(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let (both, rest): (Vec<Nnf>, Vec<Nnf>) =
        rules.conjuncts(b).into_iter().partition(|part| rules.is_eventual_and_universal(*part));
    (!both.is_empty() && !rest.is_empty()).then(|| {
        let right = rules.and(rest);
        let until = rules.until(a, right);
        rules.and(both.into_iter().chain([until]))
    })
}

/// `F WX a = true` on finite words, since the last state satisfies `WX a`; dually `G X a = false`.
fn weak_next_at_the_end(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let (top, weak) = (rules.duality.top(), rules.duality.flipped());
    let parts = rules.disjuncts(b);
    let holds = !rules.duality.always_has_next()
        && a == top
        && parts.iter().any(|part| weak.as_next(rules.arena, *part).is_some());
    holds.then_some(top)
}

/// On finite words `F G a`, `G F a`, `F u` and `G e` all refer to the last state. It has no next state, and
/// an until holds there only if its right side does. The canonical form is `G F`.
fn only_the_end(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if rules.duality.always_has_next() || a != rules.duality.top() {
        return None;
    }
    if !rules.is_universal(b) && rules.duality.as_always(rules.arena, b).is_none() {
        return None;
    }
    let inner = at_the_end(rules, b);
    if rules.duality.dual {
        let always = rules.always(inner);
        return Some(rules.eventually(always));
    }
    let eventually = rules.eventually(inner);
    Some(rules.always(eventually))
}

/// A formula that is equivalent to this one in the last state of a finite word.
fn at_the_end(rules: &mut Rules<'_>, formula: Nnf) -> Nnf {
    let duality = rules.duality;
    if duality.as_next(rules.arena, formula).is_some() {
        return duality.bottom();
    }
    if duality.flipped().as_next(rules.arena, formula).is_some() {
        return duality.top();
    }
    let pair = duality.as_until(rules.arena, formula).or_else(|| duality.as_release(rules.arena, formula));
    if let Some([_, right]) = pair {
        return at_the_end(rules, right);
    }
    let (Node::And(parts) | Node::Or(parts)) = rules.arena.node(formula).clone() else { return formula };
    let parts: Vec<Nnf> = parts.iter().map(|part| at_the_end(rules, *part)).collect();
    rules.arena.rebuild(formula, &parts)
}

/// `F (a | X u) = F (a | u)` and `F (a | G (b | X u)) = F (a | G b | u)` on infinite words.
fn next_before_universal(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if !rules.duality.always_has_next() || a != rules.duality.top() {
        return None;
    }
    let mut freed = Vec::new();
    let mut kept = Vec::new();
    for part in rules.disjuncts(b) {
        if let Some(u) = next_of_universal(rules, part) {
            freed.push(u);
        } else if let Some(inner) = rules.duality.as_always(rules.arena, part) {
            let mut rest = Vec::new();
            for part in rules.disjuncts(inner) {
                match next_of_universal(rules, part) {
                    Some(u) => freed.push(u),
                    None => rest.push(part),
                }
            }
            let rest = rules.or(rest);
            kept.push(rules.always(rest));
        } else {
            kept.push(part);
        }
    }
    (!freed.is_empty()).then(|| {
        let right = rules.or(kept.into_iter().chain(freed));
        rules.eventually(right)
    })
}

/// The u of `X u`.
fn next_of_universal(rules: &mut Rules<'_>, formula: Nnf) -> Option<Nnf> {
    let inner = rules.duality.as_next(rules.arena, formula)?;
    rules.is_universal(inner).then_some(inner)
}

/// `F G (a | u) = F (G a | u)`: once u holds it stays true; otherwise a holds for ever.
fn universal_out_of_always(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if a != rules.duality.top() {
        return None;
    }
    let mut changed = false;
    let mut parts = Vec::new();
    for part in rules.disjuncts(b) {
        let Some(inner) = rules.duality.as_always(rules.arena, part) else {
            parts.push(part);
            continue;
        };
        let (universal, rest): (Vec<Nnf>, Vec<Nnf>) =
            rules.disjuncts(inner).into_iter().partition(|part| rules.is_universal(*part));
        changed |= !universal.is_empty();
        parts.extend(universal);
        let rest = rules.or(rest);
        parts.push(rules.always(rest));
    }
    changed.then(|| {
        let right = rules.or(parts);
        rules.eventually(right)
    })
}

/// `F G (a & X b) = F G (a & b)` on infinite words.
fn next_under_always(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if !rules.duality.always_has_next() || a != rules.duality.top() {
        return None;
    }
    let parts = rules.disjuncts(b);
    let mut bare = Vec::new();
    for part in &parts {
        let Some(inner) = rules.duality.as_always(rules.arena, *part) else {
            bare.push(*part);
            continue;
        };
        let inner: Vec<Nnf> = rules.conjuncts(inner);
        let inner: Vec<Nnf> =
            inner.into_iter().map(|part| rules.duality.as_next(rules.arena, part).unwrap_or(part)).collect();
        let inner = rules.and(inner);
        bare.push(rules.always(inner));
    }
    (bare != parts).then(|| {
        let right = rules.or(bare);
        rules.eventually(right)
    })
}

/// `a U (b | G a) = a W b`.
///
/// As [`super::junction::weak_until`], it saves the state where only `G a` is left.
fn weak_until(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let parts = rules.disjuncts(b);
    let (always, rest): (Vec<Nnf>, Vec<Nnf>) =
        parts.iter().partition(|part| rules.duality.as_always(rules.arena, **part) == Some(a));
    (!always.is_empty()).then(|| {
        let right = rules.or(rest);
        rules.weak_until(a, right)
    })
}

/// `X a U b = b | X (a U (a & b))` where a and b are Boolean.
///
/// The outer next can be merged with other nexts, as in `(X a U b) | X (!b W !a) = true`, and the until has
/// no next below it: a translator splits a formula into requirements on the present and on the next state,
/// and the successor of `X a U b` would be `a & (X a U b)`. The rule does not apply to its own result, and
/// no rule reverts it.
fn move_next_to_front(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let a = rules.duality.as_next(rules.arena, a)?;
    if !rules.fact(a).boolean || !rules.fact(b).boolean {
        return None;
    }
    let both = rules.and([a, b]);
    let until = rules.until(a, both);
    let next = rules.next(until);
    Some(rules.or([b, next]))
}
