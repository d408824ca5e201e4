//! Pairs of a system state and what is left of the formula, made as they are walked.
//!
//! The automaton is the progression of the formula: deterministic, so a sequence of states is a single path
//! of pairs. A label is read when a pair is entered. Pairs whose remainder is false are left out.
//!
//! Promise: the arcs of a pair are in the order of the target's moves.

use super::{Context, Stop};
use crate::target::{Move, QuestionId, StateId};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ltl::progression::{Cursor, SharedProgression, Status};
use std::collections::VecDeque;
use std::ops::Range;

/// A pair, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PairId(pub(super) u32);

/// An arc of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    /// The number of the move.
    pub(super) number: u32,
    pub(super) to: PairId,
}

#[derive(Clone, Debug)]
struct Pair {
    state: StateId,
    cursor: Cursor,
    is_accepting: bool,
    /// Once they are known: the places of the arcs.
    arcs: Option<Range<u32>>,
}

pub(super) struct Product {
    question: QuestionId,
    progression: SharedProgression,
    pairs: Vec<Pair>,
    numbers: FxHashMap<(StateId, u32), PairId>,
    arcs: Vec<Arc>,
    /// There is no accepting pair within so many moves, at least one, of these pairs.
    barren: FxHashMap<PairId, usize>,
    buffer: Vec<Move>,
}

impl Product {
    pub(super) fn new(question: QuestionId, progression: SharedProgression) -> Product {
        Product {
            question,
            progression,
            pairs: Vec::new(),
            numbers: FxHashMap::default(),
            arcs: Vec::new(),
            barren: FxHashMap::default(),
            buffer: Vec::new(),
        }
    }

    /// The pair of the state where a search begins; `None` if no sequence from there satisfies the formula.
    pub(super) fn root(&mut self, state: StateId, context: &mut Context<'_>) -> Result<Option<PairId>, Stop> {
        let start = self.progression.start();
        self.enter(start, state, 0, context)
    }

    pub(super) fn state(&self, pair: PairId) -> StateId {
        self.pairs[pair.0 as usize].state
    }

    /// Does a sequence that ends here satisfy the formula?
    pub(super) fn is_accepting(&self, pair: PairId) -> bool {
        self.pairs[pair.0 as usize].is_accepting
    }

    /// The arcs of a pair, as indices for [`arc`](Product::arc).
    pub(super) fn arcs(
        &mut self,
        pair: PairId,
        depth: usize,
        context: &mut Context<'_>,
    ) -> Result<Range<u32>, Stop> {
        if let Some(arcs) = &self.pairs[pair.0 as usize].arcs {
            return Ok(arcs.clone());
        }
        let Pair { state, cursor, .. } = self.pairs[pair.0 as usize];
        let mut moves = std::mem::take(&mut self.buffer);
        moves.clear();
        let first = self.arcs.len();
        let made = self.add_arcs(&mut moves, state, cursor, depth, context);
        self.buffer = moves;
        if let Err(stop) = made {
            self.arcs.truncate(first);
            return Err(stop);
        }
        let arcs = first as u32..self.arcs.len() as u32;
        self.pairs[pair.0 as usize].arcs = Some(arcs.clone());
        Ok(arcs)
    }

    fn add_arcs(
        &mut self,
        moves: &mut Vec<Move>,
        state: StateId,
        cursor: Cursor,
        depth: usize,
        context: &mut Context<'_>,
    ) -> Result<(), Stop> {
        context.target.moves(state, moves).map_err(Stop::Failed)?;
        for (number, made) in moves.iter().enumerate() {
            if let Some(to) = self.enter(cursor, made.to, depth + 1, context)? {
                self.arcs.push(Arc { number: number as u32, to });
            }
        }
        Ok(())
    }

    /// The pair after a remainder and a state; `None` if its remainder is false.
    fn enter(
        &mut self,
        from: Cursor,
        state: StateId,
        depth: usize,
        context: &mut Context<'_>,
    ) -> Result<Option<PairId>, Stop> {
        let label = context.target.label(self.question, state).map_err(Stop::Failed)?;
        let cursor = self.progression.step(from, label);
        if self.progression.status(cursor) == Status::False {
            return Ok(None);
        }
        if let Some(pair) = self.numbers.get(&(state, cursor.number())) {
            return Ok(Some(*pair));
        }
        context.visit(depth)?;
        let pair = PairId(self.pairs.len() as u32);
        let is_accepting = self.progression.holds_at_end(cursor);
        self.pairs.push(Pair { state, cursor, is_accepting, arcs: None });
        self.numbers.insert((state, cursor.number()), pair);
        Ok(Some(pair))
    }

    pub(super) fn arc(&self, index: u32) -> Arc {
        self.arcs[index as usize]
    }

    /// A shortest path of at least one move, and at most so many, to an accepting pair.
    pub(super) fn next_accepting(
        &mut self,
        from: PairId,
        limit: usize,
        depth: usize,
        context: &mut Context<'_>,
    ) -> Result<Option<Vec<Arc>>, Stop> {
        if self.barren.get(&from).is_some_and(|known| *known >= limit) {
            return Ok(None);
        }
        let mut parents: FxHashMap<PairId, (PairId, Arc)> = FxHashMap::default();
        let mut seen: FxHashSet<PairId> = FxHashSet::default();
        let mut todo = VecDeque::from([(from, 0)]);
        seen.insert(from);
        let mut is_closed = true;
        while let Some((pair, length)) = todo.pop_front() {
            if length >= limit {
                is_closed = false;
                break;
            }
            for index in self.arcs(pair, depth + length, context)? {
                let arc = self.arc(index);
                if self.is_accepting(arc.to) {
                    return Ok(Some(path_to(&parents, from, pair, arc)));
                }
                if seen.insert(arc.to) {
                    parents.insert(arc.to, (pair, arc));
                    todo.push_back((arc.to, length + 1));
                }
            }
        }
        if is_closed {
            // No pair that was seen leads to an accepting one, however far.
            self.barren.extend(seen.into_iter().map(|pair| (pair, usize::MAX)));
        } else {
            self.barren.insert(from, limit);
        }
        Ok(None)
    }

    /// Are there pairs that no path within the limit comes to?
    pub(super) fn is_cut(
        &mut self,
        root: PairId,
        limit: usize,
        goes_on: bool,
        context: &mut Context<'_>,
    ) -> Result<bool, Stop> {
        let mut seen = FxHashSet::from_iter([root]);
        let mut level = vec![root];
        for depth in 0..=limit {
            let mut next = Vec::new();
            for pair in level {
                if self.is_accepting(pair) && !goes_on {
                    continue;
                }
                for index in self.arcs(pair, depth, context)? {
                    let to = self.arc(index).to;
                    if seen.insert(to) {
                        next.push(to);
                    }
                }
            }
            if next.is_empty() {
                return Ok(false);
            }
            level = next;
        }
        Ok(true)
    }
}

/// The arcs from `from` to `pair`, and this one behind it.
fn path_to(
    parents: &FxHashMap<PairId, (PairId, Arc)>,
    from: PairId,
    mut pair: PairId,
    last: Arc,
) -> Vec<Arc> {
    let mut path = vec![last];
    while pair != from {
        let (parent, arc) = parents[&pair];
        path.push(arc);
        pair = parent;
    }
    path.reverse();
    path
}

/// A sequence of pairs.
#[derive(Clone, Debug)]
pub(super) struct Walked {
    pub(super) root: PairId,
    pub(super) arcs: Vec<Arc>,
    /// The number of arcs before the pair that the last one leads back to.
    pub(super) cycle: Option<usize>,
}

impl Walked {
    /// The pair where it ends.
    pub(super) fn end(&self) -> PairId {
        self.arcs.last().map_or(self.root, |arc| arc.to)
    }

    /// All pairs, the root first.
    pub(super) fn pairs(&self) -> impl Iterator<Item = PairId> {
        std::iter::once(self.root).chain(self.arcs.iter().map(|arc| arc.to))
    }
}
