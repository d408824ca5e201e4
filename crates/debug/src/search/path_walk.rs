//! A walk along all paths, one at a time.
//!
//! A pair from which nothing new can be reported with the moves that are left is remembered, so the time
//! between two alternatives does not depend on how many paths lead to nothing. The alternatives themselves
//! may be exponentially many (Gunter and Peled, Figure 2).
//!
//! Promise: with both filters off, every path of the wanted lengths that satisfies the formula in the mode
//! is reported once.

use super::filter::Filter;
use super::product::{Arc, PairId, Product, Walked};
use super::report::{admit, is_maximal};
use super::{Context, Path, Stop, goes_on_behind_accepting};
use crate::snapshot::{Mode, SearchOptions};
use rustc_hash::{FxHashMap, FxHashSet};

/// The lengths of the paths that are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lengths {
    /// This one alone.
    Exactly(usize),
    /// All up to this one.
    UpTo(usize),
}

#[derive(Default)]
pub(super) struct PathWalk {
    stack: Vec<Frame>,
    /// The arcs between the frames.
    arcs: Vec<Arc>,
    /// Nothing can be reported within so many moves of these pairs.
    fruitless_within: FxHashMap<PairId, usize>,
    /// The same for exactly so many moves that are left.
    fruitless: FxHashSet<(PairId, usize)>,
}

struct Frame {
    pair: PairId,
    followed: u32,
    is_entered: bool,
    /// Was there something to report at this pair or behind it?
    has_fruit: bool,
}

impl PathWalk {
    /// Begins at a pair.
    pub(super) fn begin(&mut self, root: PairId) {
        self.arcs.clear();
        self.stack.clear();
        self.stack.push(frame(root));
    }

    /// Forgets what is fruitless: the next walk reports other sequences.
    pub(super) fn forget(&mut self) {
        self.fruitless.clear();
    }

    /// The next alternative; `None` if the walk has ended.
    pub(super) fn next(
        &mut self,
        lengths: Lengths,
        product: &mut Product,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<Path>, Stop> {
        while let Some(top) = self.stack.last() {
            if !top.is_entered {
                let path = self.enter(lengths, product, options, filter, context)?;
                if path.is_some() {
                    return Ok(path);
                }
            } else if !self.follow(lengths, product, options, filter, context)? {
                self.leave(lengths, options.mode);
            }
        }
        Ok(None)
    }

    /// Reports the path to the pair on top of the stack, if that is due.
    fn enter(
        &mut self,
        lengths: Lengths,
        product: &mut Product,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<Path>, Stop> {
        let (top, depth) = (self.stack.len() - 1, self.arcs.len());
        let pair = self.stack[top].pair;
        context.tick(depth)?;
        let is_due = match lengths {
            Lengths::Exactly(length) => depth == length,
            Lengths::UpTo(_) => true,
        };
        let is_step = is_due
            && product.is_accepting(pair)
            && filter.is_new_end(context.target, product.state(pair))
            && (options.mode != Mode::Maximal || is_maximal(product, pair, depth, options.limit, context)?);
        let path = if is_step { self.report(product, options, filter, context)? } else { None };
        self.stack[top].is_entered = true;
        self.stack[top].has_fruit = is_step;
        Ok(path)
    }

    /// The path of the stack, if it is new.
    fn report(
        &self,
        product: &mut Product,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<Path>, Stop> {
        let end = self.stack[self.stack.len() - 1].pair;
        let before = self.stack.iter().position(|frame| frame.pair == end);
        let cycle = before.filter(|place| options.mode == Mode::Maximal && *place < self.arcs.len());
        let walked = Walked { root: self.stack[0].pair, arcs: self.arcs.clone(), cycle };
        admit(&walked, product, options, filter, context)
    }

    /// Follows the next arc of the pair on top of the stack; false if there is none.
    fn follow(
        &mut self,
        lengths: Lengths,
        product: &mut Product,
        options: &SearchOptions,
        filter: &Filter,
        context: &mut Context<'_>,
    ) -> Result<bool, Stop> {
        let (top, depth) = (self.stack.len() - 1, self.arcs.len());
        let pair = self.stack[top].pair;
        let rest = lengths.most() - depth;
        let is_followed = !product.is_accepting(pair) || goes_on_behind_accepting(options.mode);
        if !is_followed || rest == 0 || self.is_fruitless(pair, rest, lengths, options.mode) {
            return Ok(false);
        }
        let arcs = product.arcs(pair, depth, context)?;
        for index in arcs.start + self.stack[top].followed..arcs.end {
            self.stack[top].followed += 1;
            let arc = product.arc(index);
            let is_again = (arcs.start..index).any(|earlier| product.arc(earlier).to == arc.to);
            if filter.tells_moves_apart() || !is_again {
                self.arcs.push(arc);
                self.stack.push(frame(arc.to));
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn leave(&mut self, lengths: Lengths, mode: Mode) {
        let rest = lengths.most() - self.arcs.len();
        let Some(Frame { pair, has_fruit, .. }) = self.stack.pop() else { return };
        self.arcs.pop();
        if has_fruit {
            self.stack.iter_mut().next_back().into_iter().for_each(|below| below.has_fruit = true);
        } else if is_monotone(lengths, mode) {
            let known = self.fruitless_within.entry(pair).or_default();
            *known = rest.max(*known);
        } else {
            self.fruitless.insert((pair, rest));
        }
    }

    fn is_fruitless(&self, pair: PairId, rest: usize, lengths: Lengths, mode: Mode) -> bool {
        match is_monotone(lengths, mode) {
            true => self.fruitless_within.get(&pair).is_some_and(|known| *known >= rest),
            false => self.fruitless.contains(&(pair, rest)),
        }
    }
}

/// Is what is fruitless with some moves left fruitless with fewer? The ends of maximal steps depend on the
/// moves that are left.
fn is_monotone(lengths: Lengths, mode: Mode) -> bool {
    matches!(lengths, Lengths::UpTo(_)) && mode != Mode::Maximal
}

impl Lengths {
    fn most(self) -> usize {
        match self {
            Lengths::Exactly(length) | Lengths::UpTo(length) => length,
        }
    }
}

fn frame(pair: PairId) -> Frame {
    Frame { pair, followed: 0, is_entered: false, has_fruit: false }
}
