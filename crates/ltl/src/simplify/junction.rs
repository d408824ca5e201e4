//! Rules for `a | b | ...`. Their duals are rules for `a & b & ...`; their past forms apply to since and
//! triggered among the parts.
//!
//! In the comments u is universal, e eventual and q both. A rule replaces some of the parts; the others
//! stay.

use super::until::left_fails_only_at;
use super::{OrRule, Rules};
use crate::nnf::Nnf;
use rustc_hash::FxHashMap;

/// The rules, in the order in which they are tried.
pub(super) const RULES: [OrRule; 9] = [
    merge_nexts,
    merge_untils,
    merge_releases,
    merge_recurrences,
    merge_strong_release,
    fold_until,
    fold_strong_release,
    fold_eventually,
    factor,
];

/// The rules that may lengthen a formula, tried when no other rule applies.
pub(super) const GROWING_RULES: [OrRule; 1] = [weak_until];

/// `X a | X b = X (a | b)`; on finite words also `X a | WX b = WX (a | b)`.
fn merge_nexts(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    let (nexts, mut others): (Vec<Nnf>, Vec<Nnf>) =
        parts.iter().partition(|part| rules.duality.as_some_next(rules.arena, **part).is_some());
    if nexts.len() < 2 {
        return None;
    }
    let weak = rules.duality.flipped();
    let is_weak = nexts.iter().any(|part| weak.as_next(rules.arena, *part).is_some());
    let inner: Vec<Nnf> =
        nexts.iter().filter_map(|part| rules.duality.as_some_next(rules.arena, *part)).collect();
    let inner = rules.or(inner);
    let next = if is_weak { weak.next(rules.arena, inner) } else { rules.next(inner) };
    others.push(next);
    Some(rules.or(others))
}

/// `(a U b) | (a U c) = a U (b | c)`, as `F b | F c = F (b | c)`.
fn merge_untils(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    let operands: Vec<_> = parts.iter().map(|part| rules.duality.as_until(rules.arena, *part)).collect();
    let groups = grouped(operands.iter().map(|pair| pair.map(|[a, b]| (a, b))), parts)?;
    let mut merged = groups.single;
    for (left, rights) in groups.merged {
        let right = rules.or(rights);
        merged.push(rules.until(left, right));
    }
    Some(rules.or(merged))
}

/// `(a R b) | (c R b) = (a | c) R b`.
fn merge_releases(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    let operands: Vec<_> = parts.iter().map(|part| rules.duality.as_release(rules.arena, *part)).collect();
    let groups = grouped(operands.iter().map(|pair| pair.map(|[a, b]| (b, a))), parts)?;
    let mut merged = groups.single;
    for (right, lefts) in groups.merged {
        let left = rules.or(lefts);
        merged.push(rules.release(left, right));
    }
    Some(rules.or(merged))
}

/// `GF a | GF b = GF (a | b)`.
fn merge_recurrences(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    let operands: Vec<_> = parts
        .iter()
        .map(|part| {
            let inner = rules.duality.as_always(rules.arena, *part)?;
            rules.duality.as_eventually(rules.arena, inner)
        })
        .collect();
    let groups =
        grouped(operands.iter().map(|inner| inner.map(|inner| (rules.duality.top(), inner))), parts)?;
    let mut merged = groups.single;
    for (_, inner) in groups.merged {
        let inner = rules.or(inner);
        let eventually = rules.eventually(inner);
        merged.push(rules.always(eventually));
    }
    Some(rules.or(merged))
}

/// Parts grouped by key, and parts without a partner.
struct Groups {
    merged: Vec<(Nnf, Vec<Nnf>)>,
    single: Vec<Nnf>,
}

/// Groups the parts that have a key and a value by their keys; `None` if no two parts have the same key.
fn grouped(keyed: impl Iterator<Item = Option<(Nnf, Nnf)>>, parts: &[Nnf]) -> Option<Groups> {
    let mut indices: FxHashMap<Nnf, usize> = FxHashMap::default();
    let mut groups: Vec<(Nnf, Vec<Nnf>, Nnf)> = Vec::new();
    let mut others = Vec::new();
    for (keyed, part) in keyed.zip(parts) {
        let Some((key, value)) = keyed else {
            others.push(*part);
            continue;
        };
        let index = *indices.entry(key).or_insert(groups.len());
        if index == groups.len() {
            groups.push((key, Vec::new(), *part));
        }
        groups[index].1.push(value);
    }
    let (single, merged): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, values, _)| values.len() == 1);
    others.extend(single.into_iter().map(|(_, _, part)| part));
    let merged: Vec<_> = merged.into_iter().map(|(key, values, _)| (key, values)).collect();
    (!merged.is_empty()).then_some(Groups { merged, single: others })
}

/// `(a R b) | (c M b) = (a | c) R b`, as `G b | (c M b) = c R b`. Its dual is
/// `(a U b) & (c W b) = (a & c) U b`.
fn merge_strong_release(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    for part in parts {
        let Some([b, both]) = rules.duality.as_until(rules.arena, *part) else { continue };
        let Some(c) = without(rules, both, b) else { continue };
        for other in parts {
            let Some([a, right]) = rules.duality.as_release(rules.arena, *other) else { continue };
            if right == b {
                let c = rules.and(c);
                let left = rules.or([a, c]);
                let merged = rules.release(left, b);
                return Some(rules.or(replaced(parts, &[*part, *other], merged)));
            }
        }
    }
    None
}

/// The conjuncts of `both` without the conjuncts of `left_out`; see
/// [`FormulaArena::remaining_parts`](crate::nnf::FormulaArena).
fn without(rules: &Rules<'_>, both: Nnf, left_out: Nnf) -> Option<Vec<Nnf>> {
    rules.arena.remaining_parts(both, left_out, !rules.duality.dual)
}

/// The parts with `new` instead of the `old` ones.
fn replaced(parts: &[Nnf], old: &[Nnf], new: Nnf) -> Vec<Nnf> {
    parts.iter().copied().filter(|part| !old.contains(part)).chain([new]).collect()
}

/// `b | (a & X (a U b)) = a U b`.
fn fold_until(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    for part in parts {
        let conjuncts = rules.conjuncts(*part);
        for step in &conjuncts {
            let Some(until) = rules.duality.as_next(rules.arena, *step) else { continue };
            let Some([a, b]) = rules.duality.as_until(rules.arena, until) else { continue };
            let now = rules.disjuncts(b);
            let rest = conjuncts.iter().copied().filter(|part| part != step);
            let rest = rest.collect::<Vec<_>>();
            if rules.and(rest) == a && now.iter().all(|part| parts.contains(part)) {
                let mut old = now;
                old.push(*part);
                return Some(rules.or(replaced(parts, &old, until)));
            }
        }
    }
    None
}

/// `b | (X b M a) = a U b`, where `X b M a` is `a U (a & X b)`.
fn fold_strong_release(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    for part in parts {
        let Some([a, both]) = rules.duality.as_until(rules.arena, *part) else { continue };
        let Some(rest) = without(rules, both, a) else { continue };
        let [step] = rest.as_slice() else { continue };
        let Some(b) = rules.duality.as_next(rules.arena, *step) else { continue };
        let mut old = rules.disjuncts(b);
        if old.iter().all(|part| parts.contains(part)) {
            old.push(*part);
            let until = rules.until(a, b);
            return Some(rules.or(replaced(parts, &old, until)));
        }
    }
    None
}

/// `b | X (F b | c) = F b | X c`.
fn fold_eventually(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    for part in parts {
        let Some(inner) = rules.duality.as_next(rules.arena, *part) else { continue };
        let inner = rules.disjuncts(inner);
        for later in &inner {
            let Some(b) = rules.duality.as_eventually(rules.arena, *later) else { continue };
            let mut old = rules.disjuncts(b);
            if old.iter().all(|part| parts.contains(part)) {
                old.push(*part);
                let rest = inner.iter().copied().filter(|part| part != later);
                let rest = rest.collect::<Vec<_>>();
                let rest = rules.or(rest);
                let next = rules.next(rest);
                return Some(rules.or(replaced(parts, &old, *later).into_iter().chain([next])));
            }
        }
    }
    None
}

/// `(a & b) | (a & c) = a & (b | c)`.
fn factor(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    let conjuncts: Vec<Vec<Nnf>> = parts.iter().map(|part| rules.conjuncts(*part)).collect();
    for (i, first) in conjuncts.iter().enumerate() {
        for (j, second) in conjuncts.iter().enumerate().skip(i + 1) {
            let common: Vec<Nnf> = first.iter().copied().filter(|part| second.contains(part)).collect();
            if common.is_empty() {
                continue;
            }
            let mut rest = |all: &[Nnf]| {
                let rest: Vec<Nnf> = all.iter().copied().filter(|part| !common.contains(part)).collect();
                rules.and(rest)
            };
            let (b, c) = (rest(first), rest(second));
            let either = rules.or([b, c]);
            let merged = rules.and(common.iter().copied().chain([either]));
            return Some(rules.or(replaced(parts, &[parts[i], parts[j]], merged)));
        }
    }
    None
}

/// `(a U b) | (a W c) = a W (b | c)`, as `(a U b) | G a = a W b`; also `F (b & e) | G a = a W (b & e)` if
/// `!a -> b`.
///
/// It may lengthen the formula: `a W b` is `b R (a | b)` here. But an automaton needs one state that waits
/// for b, instead of three: one before the choice, one that waits for b, and one where a holds for ever.
fn weak_until(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    for part in parts {
        let Some([a, b]) = rules.duality.as_until(rules.arena, *part) else { continue };
        for other in parts {
            let Some((left, c)) = as_weak_until(rules, *other) else { continue };
            if left == a || a == rules.duality.top() && left_fails_only_at(rules, left, b) {
                let right = rules.or([b, c]);
                let merged = rules.weak_until(left, right);
                return Some(rules.or(replaced(parts, &[*part, *other], merged)));
            }
        }
    }
    None
}

/// The operands of `a W b`, which is `b R (a | b)`; `G a` counts as `a W false`.
fn as_weak_until(rules: &mut Rules<'_>, formula: Nnf) -> Option<(Nnf, Nnf)> {
    let [b, either] = rules.duality.as_release(rules.arena, formula)?;
    if b == rules.duality.bottom() {
        return Some((either, b));
    }
    let rest = rules.arena.remaining_parts(either, b, rules.duality.dual)?;
    Some((rules.or(rest), b))
}
