//! Rules for `a U b`; through the other lenses for `a R b`, `a S b` and `a T b`.
//!
//! `F b` is `top U b`, so these are the rules for `F` and `G` too, and with `b U (a & b)` and `b R (a | b)` for `M` and
//! `W`. In the comments e is eventual, u universal and q both; `a -> b` is an implication that the syntax shows.

use super::classes::has_part;
use super::{Rules, UntilRule};
use crate::nnf::Nnf;

/// In the order in which they are tried.
pub(super) const RULES: [UntilRule; 12] = [
    right_alone,
    left_where_right_fails,
    left_is_needless,
    nested_right,
    nested_left,
    universal_left,
    next_in_front,
    split_both,
    last_state,
    next_before_universal,
    universal_out_of_always,
    next_under_always,
];

/// `a U b = b` if `a & X b -> b`: as `a U e`, `F F b`, `a U b` where `a -> b`, `a U (c U d)` where `a -> c`.
fn right_alone(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    rules.known.sustains(rules.store, rules.lens, a, b).then_some(b)
}

/// The left side matters only where the right one is false: `(a | c) U b = a U b` if `c -> b`, `(a & c) U b = a U b` if
/// `!b -> c`, `a U b = F b` if `!b -> a`.
fn left_where_right_fails(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let left = rules.where_false(a, b, false);
    (left != a).then(|| rules.until(left, b))
}

/// `e U b = F b` if `b -> e`; `a U (b & e) = F (b & e)` if `!a -> b`.
fn left_is_needless(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if a == rules.lens.top() {
        return None;
    }
    let before = rules.eventual(a) && rules.implies(b, a);
    let not_a = rules.not(a);
    let needless = before
        || rules.conjuncts(b).into_iter().all(|part| rules.eventual(part) || rules.implies(not_a, part));
    needless.then(|| rules.eventually(b))
}

/// `a U (b U c) = a U c` if `b -> a`, and so in each part of an or: `F (a | b U c) = F (a | c)`.
fn nested_right(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let parts = rules.disjuncts(b);
    let flat: Vec<Nnf> = parts
        .iter()
        .map(|part| match rules.lens.as_until(rules.store, *part) {
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
    if let Some([c, d]) = rules.lens.as_until(rules.store, a) {
        if rules.implies(c, b) {
            return Some(rules.until(d, b));
        }
        return rules.implies(d, b).then(|| rules.or([a, b]));
    }
    let [d, either] = rules.lens.as_release(rules.store, a)?;
    if !has_part(rules.store, either, d, rules.lens.dual) {
        return None;
    }
    let kept = rules.disjuncts(d);
    let rest = rules.disjuncts(either).into_iter().filter(|part| !kept.contains(part));
    let weak_until = rest.collect::<Vec<_>>().into_iter().all(|part| rules.implies(part, b));
    weak_until.then(|| rules.until(d, b))
}

/// `u U (u & b) = u & F b`.
fn universal_left(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if a == rules.lens.top() || !rules.universal(a) || !rules.implies(b, a) {
        return None;
    }
    let left = rules.conjuncts(a);
    let rest: Vec<Nnf> = rules.conjuncts(b).into_iter().filter(|part| !left.contains(part)).collect();
    let rest = rules.and(rest);
    let later = rules.eventually(rest);
    Some(rules.and([a, later]))
}

/// `X a U X b = X (a U b)`, `F X b = X F b`, `q U X b = X (q U b)`.
///
/// On finite words too: where `X b` holds there is a next state, so that there the weak next is the strong one.
fn next_in_front(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let b = rules.lens.as_next(rules.store, b)?;
    let a = match rules.lens.as_some_next(rules.store, a) {
        Some(a) => a,
        None if rules.both(a) => a,
        None => return None,
    };
    let until = rules.until(a, b);
    Some(rules.next(until))
}

/// `a U (b & q) = (a U b) & q`. In front, q meets what else is known to hold or to fail.
fn split_both(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let (both, rest): (Vec<Nnf>, Vec<Nnf>) =
        rules.conjuncts(b).into_iter().partition(|part| rules.both(*part));
    (!both.is_empty() && !rest.is_empty()).then(|| {
        let right = rules.and(rest);
        let until = rules.until(a, right);
        rules.and(both.into_iter().chain([until]))
    })
}

/// `F WX a = true` on finite words, whose last state satisfies it; so `G X a = false`.
fn last_state(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let (top, weak) = (rules.lens.top(), rules.lens.flipped());
    let parts = rules.disjuncts(b);
    let holds = !rules.lens.infinite()
        && a == top
        && parts.iter().any(|part| weak.as_next(rules.store, *part).is_some());
    holds.then_some(top)
}

/// `F (a | X u) = F (a | u)` and `F (a | G (b | X u)) = F (a | G b | u)` on infinite words.
fn next_before_universal(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if !rules.lens.infinite() || a != rules.lens.top() {
        return None;
    }
    let mut freed = Vec::new();
    let mut kept = Vec::new();
    for part in rules.disjuncts(b) {
        if let Some(u) = next_of_universal(rules, part) {
            freed.push(u);
        } else if let Some(inner) = rules.lens.as_always(rules.store, part) {
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
    let inner = rules.lens.as_next(rules.store, formula)?;
    rules.universal(inner).then_some(inner)
}

/// `F G (a | u) = F (G a | u)`: once u holds it goes on, and else a does.
fn universal_out_of_always(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    if a != rules.lens.top() {
        return None;
    }
    let mut changed = false;
    let mut parts = Vec::new();
    for part in rules.disjuncts(b) {
        let Some(inner) = rules.lens.as_always(rules.store, part) else {
            parts.push(part);
            continue;
        };
        let (universal, rest): (Vec<Nnf>, Vec<Nnf>) =
            rules.disjuncts(inner).into_iter().partition(|part| rules.universal(*part));
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
    if !rules.lens.infinite() || a != rules.lens.top() {
        return None;
    }
    let parts = rules.disjuncts(b);
    let mut bare = Vec::new();
    for part in &parts {
        let Some(inner) = rules.lens.as_always(rules.store, *part) else {
            bare.push(*part);
            continue;
        };
        let inner: Vec<Nnf> = rules.conjuncts(inner);
        let inner: Vec<Nnf> =
            inner.into_iter().map(|part| rules.lens.as_next(rules.store, part).unwrap_or(part)).collect();
        let inner = rules.and(inner);
        bare.push(rules.always(inner));
    }
    (bare != parts).then(|| {
        let right = rules.or(bare);
        rules.eventually(right)
    })
}

/// `X a U b = b | X (a U (a & b))` where a and b speak of the present state only.
///
/// The one rule that lengthens. The next in front meets other nexts, as in `(X a U b) | X (!b W !a) = true`, and the
/// until has no next below it: a translator splits a formula into what holds now and what holds next, and `X a U b`
/// would reach itself only with `a` beside it. It does not apply to its result, nor does any rule undo it.
pub(super) fn front_the_next(rules: &mut Rules<'_>, a: Nnf, b: Nnf) -> Option<Nnf> {
    let a = rules.lens.as_next(rules.store, a)?;
    if !rules.fact(a).boolean || !rules.fact(b).boolean {
        return None;
    }
    let both = rules.and([a, b]);
    let until = rules.until(a, both);
    let next = rules.next(until);
    Some(rules.or([b, next]))
}
