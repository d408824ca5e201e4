//! Depth first: each pair once, by the first path that comes to it (`DFS_min`, `DFS_max`).
//!
//! A pair that is first met deep in the search may be cut off by the limit of the length although a shorter
//! path to it exists. If that happened, a breadth-first search follows, which reports what is left.
//!
//! Promise: an alternative is reported if there is one within the limit.

use super::breadth::BreadthFirst;
use super::filter::Filter;
use super::product::{Arc, PairId, Product, Walked};
use super::report::{ReportedEnds, admit, extend, is_maximal};
use super::{Context, Outcome, Stop, goes_on_behind_accepting};
use crate::snapshot::{Mode, SearchOptions};
use crate::target::StateId;
use rustc_hash::FxHashSet;

#[derive(Default)]
pub(super) struct DepthFirst {
    is_begun: bool,
    stack: Vec<Frame>,
    /// The arcs between the frames.
    arcs: Vec<Arc>,
    seen: FxHashSet<PairId>,
    /// Accepting pairs that were reported, in the modes other than maximal.
    reported: FxHashSet<PairId>,
    ends: ReportedEnds,
    /// How many sequences were offered to the filter.
    offered: usize,
    is_cut: bool,
    /// The search that follows if the limit cut a path off.
    rest: Option<BreadthFirst>,
}

struct Frame {
    pair: PairId,
    /// How many of its arcs have been followed.
    followed: u32,
    /// Has the pair been reported, where that is due on entering it?
    is_entered: bool,
    /// The number of offered sequences when it was entered.
    offered: usize,
}

impl DepthFirst {
    pub(super) fn next(
        &mut self,
        product: &mut Product,
        start: StateId,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Outcome, Stop> {
        if !self.is_begun {
            let root = product.root(start, context)?;
            self.is_begun = true;
            if let Some(root) = root {
                let frame = self.frame(root);
                self.stack.push(frame);
            }
        }
        while !self.stack.is_empty() {
            if let Some(outcome) = self.advance(product, options, filter, context)? {
                return Ok(outcome);
            }
        }
        if !self.is_cut {
            return Ok(Outcome::Exhausted { is_cut: false });
        }
        let rest = self.rest.get_or_insert_with(|| {
            BreadthFirst::after(std::mem::take(&mut self.ends), std::mem::take(&mut self.reported))
        });
        rest.next(product, start, options, filter, context)
    }

    fn frame(&mut self, pair: PairId) -> Frame {
        self.seen.insert(pair);
        Frame { pair, followed: 0, is_entered: false, offered: self.offered }
    }

    /// Enters the pair on top of the stack, follows its next arc, or leaves it.
    fn advance(
        &mut self,
        product: &mut Product,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let (top, depth) = (self.stack.len() - 1, self.arcs.len());
        let pair = self.stack[top].pair;
        let is_accepting = product.is_accepting(pair);
        if !std::mem::replace(&mut self.stack[top].is_entered, true)
            && is_accepting
            && options.mode != Mode::Maximal
        {
            self.reported.insert(pair);
            if let Some(path) = admit(&self.walked(), product, options, filter, context)? {
                return Ok(Some(Outcome::Alternative(path)));
            }
        }
        if !is_accepting || goes_on_behind_accepting(options.mode) {
            let arcs = product.arcs(pair, depth, context)?;
            if depth >= options.limit {
                self.is_cut |= !arcs.is_empty();
            } else {
                while arcs.start + self.stack[top].followed < arcs.end {
                    let arc = product.arc(arcs.start + self.stack[top].followed);
                    self.stack[top].followed += 1;
                    if !self.seen.contains(&arc.to) {
                        self.arcs.push(arc);
                        let frame = self.frame(arc.to);
                        self.stack.push(frame);
                        return Ok(None);
                    }
                }
            }
        }
        let found = if is_accepting && options.mode == Mode::Maximal {
            self.leave_accepting(product, options, filter, context)?
        } else {
            None
        };
        self.stack.pop();
        self.arcs.pop();
        Ok(found)
    }

    /// The maximal sequence to report when an accepting pair is left: the path to it, or if that can be
    /// extended and nothing was reported behind it, an extension.
    fn leave_accepting(
        &mut self,
        product: &mut Product,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let frame = &self.stack[self.stack.len() - 1];
        if self.ends.contains(frame.pair) {
            return Ok(None);
        }
        let mut walked = self.walked();
        if !is_maximal(product, frame.pair, walked.arcs.len(), options.limit, context)? {
            if self.offered > frame.offered {
                return Ok(None);
            }
            walked = extend(walked, product, options.limit, context)?;
        }
        if self.ends.contains(walked.end()) {
            return Ok(None);
        }
        let path = admit(&walked, product, options, filter, context)?;
        self.ends.insert(&walked);
        self.offered += 1;
        Ok(path.map(Outcome::Alternative))
    }

    /// The path of the stack.
    fn walked(&self) -> Walked {
        Walked { root: self.stack[0].pair, arcs: self.arcs.clone(), cycle: None }
    }
}
