//! Slices at rest: the formula is as it was in the beginning, so that the slice need not be remembered.
//!
//! A log of requests has a slice for each of them, and no end of them. Once a request is answered, what is
//! left of `G (request -> F answer)` is the formula itself, and a further line of the slice is judged as the
//! first line of a new slice would be. So the slice may be freed; if its key comes back, it begins again.
//!
//! A slice may be freed if
//! - the formula is `G φ` without past operators, and is what is left of itself. As a suffix of a word of
//!   `G φ` is one, `G φ` is never proven, and the verdict on the slice so far, *presumably true*, is the
//!   best that there is: later lines of the key cannot improve the worst verdict of all slices;
//! - no clock of the slice is running, and it does not matter whether its clocks are true, as they are, or
//!   false, as they would be in a new slice ([`clocks_do_not_matter`]).
//!
//! Promise: no verdict, and no line at which one falls, depends on which slices are freed.

use super::clocks::Clocks;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ltl::nnf::Nnf;
use selvedge_ltl::progression::{Cursor, SharedProgression, Status, Verdict};
use selvedge_ltl::{Formula, Letter, Prop, Unary};

/// Whether clocks matter is not decided for formulas with more propositions,
const MAX_PROPS: u32 = 10;
/// or with more remainders.
const MAX_REMAINDERS: usize = 64;

/// Which remainders are the formula itself.
#[derive(Debug)]
pub(super) struct Rest {
    /// Can there be such a remainder?
    is_possible: bool,
    root: Nnf,
    known: FxHashMap<Cursor, bool>,
    /// The remainder of some freed slice.
    pub(super) freed: Option<Cursor>,
}

impl Rest {
    pub(super) fn new(formula: &Formula<Prop>, progression: &mut SharedProgression) -> Rest {
        let is_possible = matches!(formula, Formula::Unary(Unary::Always, _)) && !progression.has_past();
        let (root, _) = progression.remainder(progression.start());
        Rest { is_possible, root, known: FxHashMap::default(), freed: None }
    }

    /// The tables of the progression are new.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// Is a slice with this remainder like a new one?
    #[inline]
    pub(super) fn is_rest(
        &mut self,
        cursor: Cursor,
        progression: &mut SharedProgression,
        clocks: &Clocks,
    ) -> bool {
        if !self.is_possible {
            return false;
        }
        match self.known.get(&cursor) {
            Some(known) => *known,
            None => self.decide(cursor, progression, clocks),
        }
    }

    #[cold]
    fn decide(&mut self, cursor: Cursor, progression: &mut SharedProgression, clocks: &Clocks) -> bool {
        let is_rest = cursor != progression.start()
            && progression.remainder(cursor).0 == self.root
            && matches!(progression.verdict(cursor), Ok(Verdict::PresumablyTrue))
            && clocks_do_not_matter(cursor, progression, clocks);
        self.known.insert(cursor, is_rest);
        is_rest
    }
}

/// Is the formula judged alike, whatever the values of the clocks are until they are started again?
///
/// `open` is the set of remainders, each with the clocks that are not started again yet. From each of them,
/// every letter must lead to the same remainder for all values of these clocks.
fn clocks_do_not_matter(cursor: Cursor, progression: &mut SharedProgression, clocks: &Clocks) -> bool {
    if clocks.are_none() {
        return true;
    }
    let props = progression.props() | clocks.bits;
    if props.count_ones() > MAX_PROPS {
        return false;
    }
    let mut seen = FxHashSet::default();
    let mut open = vec![(cursor, clocks.bits)];
    while let Some((from, unknown)) = open.pop() {
        if !seen.insert((from, unknown)) {
            continue;
        }
        if seen.len() > MAX_REMAINDERS {
            return false;
        }
        for letter in subsets(props) {
            let started = clocks
                .clocks
                .iter()
                .filter(|clock| clock.trigger.is_some_and(|trigger| letter & trigger.bit() != 0));
            let unknown = started.fold(unknown, |unknown, clock| unknown & !clock.prop.bit());
            let to = progression.step(from, Letter::exactly(letter));
            if to != progression.step(from, Letter::exactly(letter & !unknown)) {
                return false;
            }
            if unknown != 0 && progression.status(to) == Status::Open {
                open.push((to, unknown));
            }
        }
    }
    true
}

/// All subsets of a set of bits.
fn subsets(set: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let subset = next?;
        next = (subset != set).then(|| (subset.wrapping_sub(set)) & set);
        Some(subset)
    })
}
