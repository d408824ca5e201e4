//! The domains of integers that need no file: parity, sign, and intervals by cut points.
//!
//! Parity and sign are files that are part of the program. Intervals are made from their cut points: the
//! pieces between them, and every union of neighbouring pieces, so that each operation has a result that is
//! no larger than its bounds ask for.

use super::bit_set::BitSet;
use super::file;
use super::integers::{ANY_INTEGER, Element, IntegerDomain, Parts};
use super::order::Order;
use super::regions::{Grid, Regions};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use selvedge_ltl::source::Source;

/// Cut points of `intervals`: with so many, there are 253 unions of neighbouring pieces.
pub(super) const MAX_CUT_POINTS: usize = 21;

/// Even, odd.
pub(super) fn parity() -> IntegerDomain {
    shipped("parity.domain", include_str!("parity.domain"))
}

/// Negative, zero, positive, and what two of them have in common.
pub(super) fn sign() -> IntegerDomain {
    shipped("sign.domain", include_str!("sign.domain"))
}

fn shipped(name: &str, text: &str) -> IntegerDomain {
    let (domain, diagnostics) = file::load(&Source::new(name, text));
    domain.unwrap_or_else(|| panic!("a domain that is part of the program is refused: {diagnostics:?}"))
}

/// The pieces between ascending cut points, at most [`MAX_CUT_POINTS`], and their neighbouring unions.
pub(super) fn intervals(cuts: &[BigInt]) -> IntegerDomain {
    let grid = Grid { cuts: cuts.iter().cloned().collect(), ..Grid::default() };
    let regions = Regions::new(&grid).expect("few pieces");
    let pieces = regions.len();
    let unions: Vec<(usize, usize)> =
        (0..pieces).flat_map(|first| (first..pieces).map(move |last| (first, last))).collect();
    let sets: Vec<BitSet> = unions.iter().map(|(first, last)| (*first..=*last).collect()).collect();
    let names = unions.iter().map(|(first, last)| {
        let low = regions.stride(*first).low.as_ref();
        let high = regions.stride(*last).high.as_ref();
        match (low, high) {
            (None, None) => ANY_INTEGER.to_owned(),
            (None, Some(high)) => format!("<{}", high + 1),
            (Some(low), None) => format!(">={low}"),
            (Some(low), Some(high)) if low == high => low.to_string(),
            (Some(low), Some(high)) => format!("{low}..{high}"),
        }
    });
    let alpha = (0..pieces).map(|piece| unions.iter().position(|union| *union == (piece, piece)));
    let list: Vec<String> = cuts.iter().map(BigInt::to_string).collect();
    IntegerDomain::new(Parts {
        name: format!("intervals({})", list.join(", ")),
        names: names.collect(),
        aliases: FxHashMap::default(),
        order: Order::of_sets(&sets),
        alpha: alpha.map(|index| Element::new(index.expect("each piece is a union"))).collect(),
        regions,
    })
}
