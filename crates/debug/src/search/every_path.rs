//! All paths, depth first or shortest first.
//!
//! Shortest first, there is a walk for each length: a queue of paths would need memory for all of them. Once
//! all pairs are known, pairs that lead to nothing new are left out, so that a search among cycles ends.
//!
//! Promise: as that of [`path_walk`](super::path_walk); shortest first, shorter alternatives come first.

use super::filter::Filter;
use super::path_walk::{Lengths, PathWalk};
use super::product::{PairId, Product};
use super::{Context, Outcome, Stop, goes_on_behind_accepting};
use crate::snapshot::{Mode, SearchOptions, SearchOrder};
use crate::target::StateId;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(super) struct EveryPath {
    root: Option<PairId>,
    is_begun: bool,
    walk: PathWalk,
    /// Shortest first: the length of the paths at hand.
    length: usize,
    /// The pairs at the ends of paths of this length, as far as they lead to anything.
    frontier: Vec<PairId>,
    seen: FxHashSet<PairId>,
    /// Are all pairs known?
    is_closed: bool,
}

impl EveryPath {
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
            self.frontier.extend(self.root);
            self.seen.extend(self.root);
            self.root.into_iter().for_each(|root| self.walk.begin(root));
        }
        let Some(root) = self.root else { return Ok(Outcome::Exhausted { is_cut: false }) };
        let is_by_length = options.order != SearchOrder::DepthFirst;
        loop {
            let lengths =
                if is_by_length { Lengths::Exactly(self.length) } else { Lengths::UpTo(options.limit) };
            if let Some(path) = self.walk.next(lengths, product, options, filter, context)? {
                return Ok(Outcome::Alternative(path));
            }
            let goes_on = goes_on_behind_accepting(options.mode);
            if !is_by_length || self.frontier.is_empty() || self.length >= options.limit {
                let is_cut = product.is_cut(root, options.limit, goes_on, context)?;
                return Ok(Outcome::Exhausted { is_cut });
            }
            self.grow(product, goes_on, filter, context)?;
            if options.mode == Mode::Maximal {
                self.walk.forget();
            }
            if self.frontier.iter().any(|pair| product.is_accepting(*pair)) {
                self.walk.begin(root);
            }
        }
    }

    /// The ends of paths that are longer by one.
    fn grow(
        &mut self,
        product: &mut Product,
        goes_on: bool,
        filter: &Filter,
        context: &mut Context<'_>,
    ) -> Result<(), Stop> {
        context.tick(self.length)?;
        let mut next = Vec::new();
        let mut known = FxHashSet::default();
        for pair in &self.frontier {
            if !product.is_accepting(*pair) || goes_on {
                let arcs = product.arcs(*pair, self.length, context)?;
                next.extend(arcs.map(|index| product.arc(index).to).filter(|pair| known.insert(*pair)));
            }
        }
        let before = self.seen.len();
        self.seen.extend(&next);
        self.is_closed |= self.seen.len() == before;
        if self.is_closed {
            let useful = self.useful(product, goes_on, filter, context)?;
            next.retain(|pair| useful.contains(pair));
        }
        self.frontier = next;
        self.length += 1;
        Ok(())
    }

    /// The pairs from which something new can be reported, however far.
    fn useful(
        &self,
        product: &mut Product,
        goes_on: bool,
        filter: &Filter,
        context: &mut Context<'_>,
    ) -> Result<FxHashSet<PairId>, Stop> {
        let mut before: FxHashMap<PairId, Vec<PairId>> = FxHashMap::default();
        let mut todo = Vec::new();
        for pair in self.seen.iter().copied() {
            let is_accepting = product.is_accepting(pair);
            if is_accepting && filter.is_new_end(context.target, product.state(pair)) {
                todo.push(pair);
            }
            if !is_accepting || goes_on {
                for index in product.arcs(pair, self.length, context)? {
                    before.entry(product.arc(index).to).or_default().push(pair);
                }
            }
        }
        let mut useful: FxHashSet<PairId> = todo.iter().copied().collect();
        while let Some(pair) = todo.pop() {
            for from in before.get(&pair).into_iter().flatten() {
                if useful.insert(*from) {
                    todo.push(*from);
                }
            }
        }
        Ok(useful)
    }
}
