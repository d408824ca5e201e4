//! The cycles that a new acquisition closes, each with a verdict.
//!
//! A potential deadlock is a set of acquisitions, each of which waits for a lock that the next one keeps
//! from it, around a cycle. A holder keeps a lock from another one by holding it, or, from a reader, by
//! waiting to write it. The set can wait at once only if
//! - its holders differ,
//! - no lock is held by two of them, unless by readers alone (a *gate*: Havelund, SPIN 2000),
//! - no acquisition comes before another by spawn and join (Bensalem and Havelund, HVC 2005).
//!
//! A cycle is identified by the locks that are wanted around it. They differ, but for a reader and the
//! writer that it waits behind: a longer chain contains a shorter cycle of the same acquisitions.
//!
//! Promise: if the search is not cut, every cycle through the acquisition is found, with the best verdict
//! that any choice of recorded acquisitions gives.

use super::history::{Acquisition, History, OrderIndex};
use super::ids::{Access, LockId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The steps of one search. Beyond, it is cut, and this is told.
const MAX_STEPS: usize = 100_000;

/// An acquisition: its order and its position there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AcquisitionIndex {
    pub(super) order: OrderIndex,
    pub(super) position: usize,
}

/// Can two acquisitions wait at once?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Overlap {
    SameHolder,
    Ordered,
    Possible,
}

/// Says of two acquisitions of the history whether they can wait at once.
pub(super) type OverlapFunction<'a> = dyn Fn(&History, AcquisitionIndex, AcquisitionIndex) -> Overlap + 'a;

/// Why a cycle is no deadlock, or that it can be one. Later verdicts are nearer to a deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CycleVerdict {
    OneHolder,
    Gate(LockId),
    Ordered,
    Possible,
}

impl CycleVerdict {
    fn rank(self) -> u8 {
        match self {
            CycleVerdict::OneHolder => 0,
            CycleVerdict::Gate(_) => 1,
            CycleVerdict::Ordered => 2,
            CycleVerdict::Possible => 3,
        }
    }

    pub(super) fn is_nearer_than(self, other: CycleVerdict) -> bool {
        self.rank() > other.rank()
    }
}

/// The locks that are wanted around a cycle, from the smallest rotation on.
pub(super) type CycleKey = Box<[LockId]>;

/// A cycle, its best verdict, and acquisitions that show it; each waits for the next.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) key: CycleKey,
    pub(super) verdict: CycleVerdict,
    pub(super) acquisitions: Vec<AcquisitionIndex>,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(super) struct SearchResult {
    /// The smallest first.
    pub(super) candidates: Vec<Candidate>,
    /// Was the search cut short?
    pub(super) is_cut: bool,
}

/// The cycles through an acquisition, without those that are settled.
pub(super) fn cycles_through(
    history: &mut History,
    start: AcquisitionIndex,
    overlap: &OverlapFunction<'_>,
    is_settled: &dyn Fn(&[LockId]) -> bool,
) -> SearchResult {
    if history.entry(start.order).acyclic_at == Some(history.generation) {
        return SearchResult::default();
    }
    let on_cycle = orders_on_cycles_through(history, start.order);
    if on_cycle.is_empty() {
        history.entry_mut(start.order).acyclic_at = Some(history.generation);
        return SearchResult::default();
    }
    let history = &*history;
    let mut search = Search {
        history,
        start,
        overlap,
        is_settled,
        on_cycle,
        chain: vec![start.order],
        steps: 0,
        candidates: FxHashMap::default(),
    };
    search.extend();
    let is_cut = search.steps > MAX_STEPS;
    let mut candidates: Vec<_> = search.candidates.into_values().collect();
    candidates.sort_by(|a, b| (a.key.len(), &a.key).cmp(&(b.key.len(), &b.key)));
    SearchResult { candidates, is_cut }
}

/// The order by spawn and join, of acquisitions of one run.
pub(super) fn overlap_in_one_run(a: &Acquisition, b: &Acquisition) -> Overlap {
    if a.holder == b.holder {
        Overlap::SameHolder
    } else if b.clock.get(a.holder) >= a.segment || a.clock.get(b.holder) >= b.segment {
        Overlap::Ordered
    } else {
        Overlap::Possible
    }
}

/// The orders that are reached from this one, by waiting for the next, and that lead back to it.
fn orders_on_cycles_through(history: &History, start: OrderIndex) -> FxHashSet<OrderIndex> {
    let mut before: FxHashMap<OrderIndex, Vec<OrderIndex>> = FxHashMap::default();
    let mut visited = FxHashSet::from_iter([start]);
    let mut open = vec![start];
    while let Some(order) = open.pop() {
        for next in history.blockers(history.entry(order).set.wanted).filter(|next| *next != order) {
            before.entry(next).or_default().push(order);
            if visited.insert(next) {
                open.push(next);
            }
        }
    }
    let mut leading = FxHashSet::default();
    let mut open = vec![start];
    while let Some(order) = open.pop() {
        for previous in before.get(&order).into_iter().flatten() {
            if leading.insert(*previous) {
                open.push(*previous);
            }
        }
    }
    leading
}

struct Search<'h> {
    history: &'h History,
    start: AcquisitionIndex,
    overlap: &'h OverlapFunction<'h>,
    is_settled: &'h dyn Fn(&[LockId]) -> bool,
    on_cycle: FxHashSet<OrderIndex>,
    /// Each waits for the next.
    chain: Vec<OrderIndex>,
    steps: usize,
    candidates: FxHashMap<CycleKey, Candidate>,
}

impl Search<'_> {
    /// Judges the chain if it closes, and makes it longer by every order that fits.
    fn extend(&mut self) {
        let last = *self.chain.last().expect("a chain has a start");
        let wanted = self.history.entry(last).set.wanted;
        let is_back = self.chain.len() > 1 && wanted.lock == self.wanted_lock(0) && !self.is_behind_writer(1);
        for next in self.history.blockers(wanted).collect::<Vec<_>>() {
            if self.steps > MAX_STEPS {
                return;
            }
            if next == self.start.order {
                if self.chain.len() > 1 {
                    self.judge();
                }
            } else if !is_back && self.on_cycle.contains(&next) && self.fits(next) {
                self.steps += 1;
                self.chain.push(next);
                self.extend();
                self.chain.pop();
            }
        }
    }

    fn wanted_lock(&self, position: usize) -> LockId {
        self.history.entry(self.chain[position]).set.wanted.lock
    }

    /// Does the order at this position of the chain wait to write what the one before waits to read?
    fn is_behind_writer(&self, position: usize) -> bool {
        let wanted = self.history.entry(self.chain[position - 1]).set.wanted;
        self.history.entry(self.chain[position]).set.is_writer_before(wanted)
    }

    /// Wanted locks differ, but for a reader and the writer that it waits behind.
    fn fits(&self, next: OrderIndex) -> bool {
        let wanted = self.history.entry(next).set.wanted;
        let same: Vec<usize> =
            (0..self.chain.len()).filter(|position| self.wanted_lock(*position) == wanted.lock).collect();
        let at = |position: usize| self.history.entry(self.chain[position]).set.wanted.access;
        match same[..] {
            [] => true,
            [only] => {
                let is_writer_next = only + 1 == self.chain.len()
                    && at(only) == Access::Read
                    && wanted.access == Access::Write;
                // The reader closes the cycle: it waits behind the writer at the start.
                let is_reader_of_start = only == 0 && at(0) == Access::Write && wanted.access == Access::Read;
                is_writer_next || is_reader_of_start
            }
            _ => false,
        }
    }

    fn judge(&mut self) {
        let key = cycle_key((0..self.chain.len()).map(|position| self.wanted_lock(position)));
        let best = self.candidates.get(&key).map(|candidate| candidate.verdict);
        if best == Some(CycleVerdict::Possible) || (self.is_settled)(&key) {
            return;
        }
        let (verdict, acquisitions) = self.verdict();
        if best.is_none_or(|best| verdict.is_nearer_than(best)) {
            self.candidates.insert(key.clone(), Candidate { key, verdict, acquisitions });
        }
    }

    fn verdict(&mut self) -> (CycleVerdict, Vec<AcquisitionIndex>) {
        let mut chosen = vec![self.start];
        if !self.choose(&mut chosen, Overlap::Ordered) {
            let of = |order: &OrderIndex| AcquisitionIndex { order: *order, position: 0 };
            let rest = self.chain[1..].iter().map(of);
            return (CycleVerdict::OneHolder, [self.start].into_iter().chain(rest).collect());
        }
        if let Some(gate) = self.gate() {
            return (CycleVerdict::Gate(gate), chosen);
        }
        let mut overlapping = vec![self.start];
        match self.choose(&mut overlapping, Overlap::Possible) {
            true => (CycleVerdict::Possible, overlapping),
            false => (CycleVerdict::Ordered, chosen),
        }
    }

    fn gate(&self) -> Option<LockId> {
        let sets: Vec<_> = self.chain.iter().map(|order| &self.history.entry(*order).set).collect();
        let pairs =
            (0..sets.len()).flat_map(|first| (first + 1..sets.len()).map(move |second| (first, second)));
        pairs.into_iter().find_map(|(first, second)| sets[first].gate(sets[second]))
    }

    /// Chooses an acquisition for each further order of the chain, all of which overlap this much.
    fn choose(&mut self, chosen: &mut Vec<AcquisitionIndex>, least: Overlap) -> bool {
        if chosen.len() == self.chain.len() {
            return true;
        }
        let order = self.chain[chosen.len()];
        for position in 0..self.history.entry(order).acquisitions.len() {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return false;
            }
            let next = AcquisitionIndex { order, position };
            if chosen.iter().all(|other| (self.overlap)(self.history, *other, next) >= least) {
                chosen.push(next);
                if self.choose(chosen, least) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
    }
}

/// The smallest rotation of the locks.
pub(super) fn cycle_key(locks: impl Iterator<Item = LockId>) -> CycleKey {
    let locks: Vec<_> = locks.collect();
    let rotation = |start: usize| {
        let mut rotated = locks.clone();
        rotated.rotate_left(start);
        rotated
    };
    (0..locks.len()).map(rotation).min().unwrap_or_default().into()
}
