//! From pairs to an alternative: is it new, and how does it end?

use super::filter::Filter;
use super::product::{PairId, Product, Walked};
use super::{Context, Path, Stop};
use crate::snapshot::{Mode, SearchOptions};
use rustc_hash::FxHashSet;

/// The sequence as an alternative; `None` if the filter knows it.
pub(super) fn admit(
    walked: &Walked,
    product: &mut Product,
    options: &SearchOptions,
    filter: &mut Filter,
    context: &mut Context<'_>,
) -> Result<Option<Path>, Stop> {
    let is_long =
        options.mode == Mode::Maximal && walked.arcs.len() >= options.limit && walked.cycle.is_none();
    let is_at_limit = is_long && !product.arcs(walked.end(), walked.arcs.len(), context)?.is_empty();
    let states: Vec<_> = walked.pairs().map(|pair| product.state(pair)).collect();
    let path =
        Path { moves: walked.arcs.iter().map(|arc| arc.number).collect(), cycle: walked.cycle, is_at_limit };
    Ok(filter.admit(context.target, &states).then_some(path))
}

/// Is the accepting end of a sequence maximal: is there no satisfying extension within the limit?
pub(super) fn is_maximal(
    product: &mut Product,
    end: PairId,
    length: usize,
    limit: usize,
    context: &mut Context<'_>,
) -> Result<bool, Stop> {
    Ok(product.next_accepting(end, limit - length, length, context)?.is_none())
}

/// A maximal extension of a sequence that satisfies the formula: as far as there are satisfying extensions,
/// or until a pair comes back, so that it goes on for ever.
pub(super) fn extend(
    mut walked: Walked,
    product: &mut Product,
    limit: usize,
    context: &mut Context<'_>,
) -> Result<Walked, Stop> {
    loop {
        let length = walked.arcs.len();
        let Some(arcs) = product.next_accepting(walked.end(), limit - length, length, context)? else {
            return Ok(walked);
        };
        walked.arcs.extend(arcs);
        let end = walked.end();
        let before = walked.pairs().position(|pair| pair == end).filter(|place| *place < walked.arcs.len());
        if before.is_some() {
            walked.cycle = before;
            return Ok(walked);
        }
    }
}

/// The pairs at whose ends a maximal alternative has been reported: its last, or all of its cycle.
#[derive(Default)]
pub(super) struct ReportedEnds(FxHashSet<PairId>);

impl ReportedEnds {
    /// Remembers the end of an alternative; false if it was reported before.
    pub(super) fn insert(&mut self, walked: &Walked) -> bool {
        let is_new = self.0.insert(walked.end());
        if let Some(cycle) = walked.cycle {
            self.0.extend(walked.pairs().skip(cycle));
        }
        is_new
    }

    pub(super) fn contains(&self, pair: PairId) -> bool {
        self.0.contains(&pair)
    }
}
