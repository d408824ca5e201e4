//! Guards: sets of letters as decision diagrams, variable `n` for proposition `n`.
//!
//! Queries that need no new nodes, so that a shared automaton can answer them; and copies of guards from one
//! [`Bdds`] to another.
//!
//! Promise: recursion is at most as deep as there are propositions; no pair of nodes is visited twice.

use crate::bdd::{Bdd, Bdds};
use crate::letter::{Cube, Letter, MAX_PROPS};
use rustc_hash::{FxHashMap, FxHashSet};

/// The letters that meet a cube.
pub(super) fn from_cube(bdds: &mut Bdds, cube: Cube) -> Bdd {
    // From the last variable to the first, so that each step adds one node on top.
    (0..MAX_PROPS as u32).rev().fold(Bdd::TRUE, |guard, var| {
        let bit = 1 << var;
        if (cube.positive | cube.negative) & bit == 0 {
            return guard;
        }
        let literal = bdds.literal(var, cube.positive & bit != 0);
        bdds.and(literal, guard)
    })
}

/// The first letter that both guards allow, in lexicographic order with false before true; the guards may
/// belong to different [`Bdds`].
pub(super) fn common_letter(a: (&Bdds, Bdd), b: (&Bdds, Bdd)) -> Option<Letter> {
    find_common_letter([a, b], 0, &mut FxHashSet::default()).map(Letter::exactly)
}

/// The first letter that the guard allows.
pub(super) fn first_letter(bdds: &Bdds, guard: Bdd) -> Option<Letter> {
    common_letter((bdds, guard), (bdds, Bdd::TRUE))
}

fn find_common_letter(
    pair: [(&Bdds, Bdd); 2],
    holding: u64,
    dead: &mut FxHashSet<(Bdd, Bdd)>,
) -> Option<u64> {
    let [(a_bdds, a), (b_bdds, b)] = pair;
    if a == Bdd::FALSE || b == Bdd::FALSE || dead.contains(&(a, b)) {
        return None;
    }
    if a == Bdd::TRUE && b == Bdd::TRUE {
        return Some(holding);
    }
    let var = a_bdds.top(a).min(b_bdds.top(b));
    let below = |bdds: &Bdds, a: Bdd| if bdds.top(a) == var { bdds.branches(a) } else { (a, a) };
    let ((a0, a1), (b0, b1)) = (below(a_bdds, a), below(b_bdds, b));
    let letter = find_common_letter([(a_bdds, a0), (b_bdds, b0)], holding, dead)
        .or_else(|| find_common_letter([(a_bdds, a1), (b_bdds, b1)], holding | 1 << var, dead));
    if letter.is_none() {
        dead.insert((a, b));
    }
    letter
}

/// Does the guard allow the letter for some values of its unknown propositions?
pub(super) fn allows(bdds: &Bdds, guard: Bdd, letter: Letter) -> bool {
    let mut open = vec![guard];
    let mut seen: FxHashSet<Bdd> = FxHashSet::default();
    while let Some(node) = open.pop() {
        if node == Bdd::TRUE {
            return true;
        }
        if node == Bdd::FALSE || !seen.insert(node) {
            continue;
        }
        let (bit, (low, high)) = (1 << bdds.top(node), bdds.branches(node));
        open.extend((letter.may_false & bit != 0).then_some(low));
        open.extend((letter.may_true & bit != 0).then_some(high));
    }
    false
}

/// A copy of a guard in another [`Bdds`]; `copies` maps nodes to their copies.
pub(super) fn copy(from: &Bdds, guard: Bdd, to: &mut Bdds, copies: &mut FxHashMap<Bdd, Bdd>) -> Bdd {
    if guard.is_constant() {
        return guard;
    }
    if let Some(known) = copies.get(&guard) {
        return *known;
    }
    let (low, high) = from.branches(guard);
    let [low, high] = [low, high].map(|below| copy(from, below, to, copies));
    let var = to.var(from.top(guard));
    let result = to.if_then_else(var, high, low);
    copies.insert(guard, result);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_common_letter_of_guards_in_two_stores_is_found() {
        let (mut left, mut right) = (Bdds::default(), Bdds::default());
        let a = from_cube(&mut left, Cube { positive: 0b001, negative: 0 });
        let b = from_cube(&mut right, Cube { positive: 0b100, negative: 0b010 });
        assert_eq!(common_letter((&left, a), (&right, b)), Some(Letter::exactly(0b101)));
        let not_a = left.not(a);
        assert_eq!(common_letter((&left, a), (&left, not_a)), None);
    }

    #[test]
    fn a_guard_allows_a_letter_with_unknowns_if_it_allows_one_of_its_concretisations() {
        let mut bdds = Bdds::default();
        let [p, q] = [0, 1].map(|var| bdds.var(var));
        let not_q = bdds.not(q);
        let differ = bdds.if_then_else(p, not_q, q);
        assert!(allows(&bdds, differ, Letter::exactly(0b01)));
        assert!(!allows(&bdds, differ, Letter::exactly(0b11)));
        assert!(allows(&bdds, differ, Letter::exactly(0b11).forget(0b10)));
        let mut other = Bdds::default();
        other.var(5);
        let copied = copy(&bdds, differ, &mut other, &mut FxHashMap::default());
        assert!((0..4).all(|point| {
            let letter = Letter::exactly(point);
            allows(&bdds, differ, letter) == allows(&other, copied, letter)
        }));
    }
}
