//! Breadth first: each pair once, by a shortest path to it.
//!
//! Maximal steps come shortest first, too; those that go on for ever, and extensions of satisfying sequences
//! behind which nothing new was found, come last.
//!
//! Promise: a pair within the limit is visited. Alternatives that have a finite end come in the order of
//! their lengths.

use super::filter::Filter;
use super::product::{Arc, PairId, Product, Walked};
use super::report::{ReportedEnds, admit, extend, is_maximal};
use super::{Context, Outcome, Stop, goes_on_behind_accepting};
use crate::snapshot::{Mode, SearchOptions};
use crate::target::StateId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

#[derive(Default)]
pub(super) struct BreadthFirst {
    root: Option<PairId>,
    is_begun: bool,
    /// How each pair was reached first: from where, by which arc, after how many moves.
    reached: FxHashMap<PairId, Reached>,
    /// Pairs to expand.
    todo: VecDeque<PairId>,
    /// Accepting pairs to report.
    accepting: VecDeque<PairId>,
    /// Accepting pairs that were not maximal.
    extensible: VecDeque<PairId>,
    /// Maximal ends, and accepting pairs of other modes, that were reported.
    reported: ReportedEnds,
    /// Pairs that are not reported again.
    skipped: FxHashSet<PairId>,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct Reached {
    /// `None` for the root.
    by: Option<(PairId, Arc)>,
    depth: usize,
}

impl BreadthFirst {
    /// A search that reports neither these maximal ends nor these accepting pairs.
    pub(super) fn after(reported: ReportedEnds, skipped: FxHashSet<PairId>) -> BreadthFirst {
        BreadthFirst { reported, skipped, ..BreadthFirst::default() }
    }

    pub(super) fn next(
        &mut self,
        product: &mut Product,
        start: StateId,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Outcome, Stop> {
        if !self.is_begun {
            self.root = product.root(start, context)?;
            self.is_begun = true;
            if let Some(root) = self.root {
                self.reach(product, root, Reached { by: None, depth: 0 });
            }
        }
        loop {
            if let Some(outcome) = self.report(product, options, filter, context)? {
                return Ok(outcome);
            }
            if let Some(pair) = self.todo.front().copied() {
                self.expand(product, pair, options, context)?;
                self.todo.pop_front();
            } else if let Some(pair) = self.extensible.front().copied() {
                let found = self.extension(product, pair, options, filter, context)?;
                self.extensible.pop_front();
                if let Some(outcome) = found {
                    return Ok(outcome);
                }
            } else {
                return Ok(Outcome::Exhausted { is_cut: self.is_cut });
            }
        }
    }

    fn reach(&mut self, product: &Product, pair: PairId, reached: Reached) {
        self.reached.insert(pair, reached);
        self.todo.push_back(pair);
        if product.is_accepting(pair) {
            self.accepting.push_back(pair);
        }
    }

    /// Reports the next accepting pair that is to be reported.
    fn report(
        &mut self,
        product: &mut Product,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        while let Some(pair) = self.accepting.front().copied() {
            let walked = self.walked(pair);
            if self.skipped.contains(&pair) || self.reported.contains(pair) {
            } else if options.mode == Mode::Maximal
                && !is_maximal(product, pair, walked.arcs.len(), options.limit, context)?
            {
                self.extensible.push_back(pair);
            } else if let Some(path) = admit(&walked, product, options, filter, context)? {
                self.reported.insert(&walked);
                self.accepting.pop_front();
                return Ok(Some(Outcome::Alternative(path)));
            }
            self.accepting.pop_front();
        }
        Ok(None)
    }

    fn expand(
        &mut self,
        product: &mut Product,
        pair: PairId,
        options: &SearchOptions,
        context: &mut Context<'_>,
    ) -> Result<(), Stop> {
        if product.is_accepting(pair) && !goes_on_behind_accepting(options.mode) {
            return Ok(());
        }
        let depth = self.reached[&pair].depth;
        if depth >= options.limit && self.is_cut {
            return Ok(());
        }
        for index in product.arcs(pair, depth, context)? {
            let arc = product.arc(index);
            if self.reached.contains_key(&arc.to) {
                continue;
            }
            if depth >= options.limit {
                self.is_cut = true;
            } else {
                self.reach(product, arc.to, Reached { by: Some((pair, arc)), depth: depth + 1 });
            }
        }
        Ok(())
    }

    /// Reports a maximal extension of the path to an accepting pair, unless its end is known.
    fn extension(
        &mut self,
        product: &mut Product,
        pair: PairId,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        if self.reported.contains(pair) {
            return Ok(None);
        }
        let walked = extend(self.walked(pair), product, options.limit, context)?;
        if self.reported.contains(walked.end()) {
            return Ok(None);
        }
        let path = admit(&walked, product, options, filter, context)?;
        self.reported.insert(&walked);
        Ok(path.map(Outcome::Alternative))
    }

    /// The path by which a pair was reached first.
    fn walked(&self, pair: PairId) -> Walked {
        let mut arcs = Vec::new();
        let mut at = pair;
        while let Some((from, arc)) = self.reached[&at].by {
            arcs.push(arc);
            at = from;
        }
        arcs.reverse();
        Walked { root: at, arcs, cycle: None }
    }
}
