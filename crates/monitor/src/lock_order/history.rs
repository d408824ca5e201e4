//! The acquisitions of a run, as far as they matter for cycles.
//!
//! The lock dependencies of Joshi, Park, Sen and Naik (A Randomized Dynamic Program Analysis Technique for
//! Detecting Real Deadlocks, PLDI 2009): an *order* is a set of held locks and a lock that is wanted by a
//! blocking acquisition. It stands for an edge from each held lock, with the whole set as guards (Havelund,
//! SPIN 2000). Under each order are the acquisitions that showed it: by which holder, in which segment.
//!
//! Promise: of a holder's acquisitions with one order, those that are left out are dominated. Any cycle
//! with one of them is a cycle with a recorded acquisition in its stead. Only the limit
//! [`MAX_ACQUISITIONS`] drops more, and counts it.

use super::clock::Clock;
use super::ids::{Access, CodeLocation, Hold, HolderId, LockId};
use rustc_hash::FxHashMap;
use std::backtrace::Backtrace;
use std::collections::VecDeque;
use std::sync::Arc;

/// The acquisitions that are recorded of one order. After that the oldest makes room for the newest.
pub(super) const MAX_ACQUISITIONS: usize = 64;

/// What is held and what is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LockSet {
    /// Sorted; each lock once.
    pub(super) held: Box<[Hold]>,
    pub(super) wanted: Hold,
}

impl LockSet {
    /// Does a holder that stands there keep out one that wants this?
    pub(super) fn blocks(&self, wanted: Hold) -> bool {
        self.holds_against(wanted) || self.is_writer_before(wanted)
    }

    pub(super) fn holds_against(&self, wanted: Hold) -> bool {
        self.held.iter().any(|hold| hold.excludes(wanted))
    }

    /// Is this a writer that waits, and the other a new reader of the same lock?
    pub(super) fn is_writer_before(&self, wanted: Hold) -> bool {
        let is_writer = self.wanted.access == Access::Write && wanted.access == Access::Read;
        is_writer && self.wanted.lock == wanted.lock
    }

    /// A lock that is held here and there, and not by readers alone.
    pub(super) fn gate(&self, other: &LockSet) -> Option<LockId> {
        let is_gate = |hold: &&Hold| other.held.iter().any(|theirs| theirs.excludes(**hold));
        self.held.iter().find(is_gate).map(|hold| hold.lock)
    }
}

/// An acquisition with some order.
#[derive(Clone, Debug)]
pub(super) struct Acquisition {
    pub(super) holder: HolderId,
    pub(super) name: Arc<str>,
    pub(super) segment: u32,
    pub(super) clock: Arc<Clock>,
    pub(super) evidence: Arc<Evidence>,
}

/// Where the locks of an acquisition were taken.
#[derive(Debug)]
pub(super) struct Evidence {
    /// For each held lock of the order.
    pub(super) held_at: Box<[CodeLocation]>,
    pub(super) wanted_at: CodeLocation,
    /// Only the first acquisition with its order has one.
    pub(super) backtrace: Option<Backtrace>,
}

/// An order, and the acquisitions that showed it.
#[derive(Debug)]
pub(super) struct LockOrderEntry {
    pub(super) set: LockSet,
    pub(super) acquisitions: VecDeque<Acquisition>,
    /// That of the first acquisition.
    pub(super) first: Arc<Evidence>,
    /// At this generation of the history, no cycle led through the order.
    pub(super) acyclic_at: Option<u64>,
}

/// The number of an order.
pub(super) type OrderIndex = usize;

/// The orders of a run.
#[derive(Debug, Default)]
pub(super) struct History {
    /// A forgotten order leaves a gap.
    entries: Vec<Option<LockOrderEntry>>,
    gaps: Vec<OrderIndex>,
    index: FxHashMap<LockSet, OrderIndex>,
    by_held: FxHashMap<LockId, Vec<OrderIndex>>,
    by_wanted: FxHashMap<LockId, Vec<OrderIndex>>,
    /// The recorded acquisitions of each holder.
    holders: FxHashMap<HolderId, usize>,
    /// Counts new orders.
    pub(super) generation: u64,
    /// Acquisitions that were dropped at the limit.
    pub(super) dropped: u64,
}

impl History {
    pub(super) fn entry(&self, index: OrderIndex) -> &LockOrderEntry {
        self.entries[index].as_ref().expect("the order is recorded")
    }

    pub(super) fn entry_mut(&mut self, index: OrderIndex) -> &mut LockOrderEntry {
        self.entries[index].as_mut().expect("the order is recorded")
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &LockOrderEntry> {
        self.entries.iter().flatten()
    }

    pub(super) fn is_known(&self, set: &LockSet) -> bool {
        self.index.contains_key(set)
    }

    pub(super) fn has_acquisitions_of(&self, holder: HolderId) -> bool {
        self.holders.contains_key(&holder)
    }

    /// The orders whose holders can keep out a holder that wants this.
    pub(super) fn blockers(&self, wanted: Hold) -> impl Iterator<Item = OrderIndex> + '_ {
        let held = self.by_held.get(&wanted.lock).into_iter().flatten().copied();
        let writers = self.by_wanted.get(&wanted.lock).filter(|_| wanted.access == Access::Read);
        let writers = writers.into_iter().flatten().copied();
        let held = held.filter(move |index| self.entry(*index).set.holds_against(wanted));
        // An order that does both is listed once.
        let writers = writers.filter(move |index| {
            let set = &self.entry(*index).set;
            set.is_writer_before(wanted) && !set.holds_against(wanted)
        });
        held.chain(writers)
    }

    /// Records an acquisition. Returns its order and its position there, unless a recorded one dominates
    /// it.
    pub(super) fn record(&mut self, set: LockSet, acquisition: Acquisition) -> Option<(OrderIndex, usize)> {
        let index = match self.index.get(&set) {
            Some(index) => *index,
            None => self.add(set, acquisition.evidence.clone()),
        };
        let holder = acquisition.holder;
        let list = &mut self.entries[index].as_mut().expect("the order is recorded").acquisitions;
        let last = list.iter().rposition(|earlier| earlier.holder == holder);
        if let Some(last) = last {
            let earlier = &mut list[last];
            // In one segment, a later acquisition has at most more predecessors, by joins.
            if earlier.segment == acquisition.segment {
                return None;
            }
            // The same predecessors, and fewer successors.
            if earlier.clock == acquisition.clock {
                let evidence = earlier.evidence.clone();
                *earlier = Acquisition { evidence, ..acquisition };
                return Some((index, last));
            }
        }
        list.push_back(acquisition);
        let is_full = list.len() > MAX_ACQUISITIONS;
        let oldest = if is_full { list.pop_front() } else { None };
        let position = list.len() - 1;
        *self.holders.entry(holder).or_default() += 1;
        if let Some(oldest) = oldest {
            self.dropped += 1;
            self.discount(oldest.holder);
        }
        Some((index, position))
    }

    /// Leaves out all orders with this lock: it is gone.
    pub(super) fn forget(&mut self, lock: LockId) {
        let held = self.by_held.remove(&lock).unwrap_or_default();
        let wanted = self.by_wanted.remove(&lock).unwrap_or_default();
        for index in held.into_iter().chain(wanted) {
            let Some(entry) = self.entries[index].take() else { continue };
            self.gaps.push(index);
            self.index.remove(&entry.set);
            for hold in &entry.set.held {
                remove_from(&mut self.by_held, hold.lock, index);
            }
            remove_from(&mut self.by_wanted, entry.set.wanted.lock, index);
            for acquisition in entry.acquisitions {
                self.discount(acquisition.holder);
            }
        }
    }

    fn add(&mut self, set: LockSet, first: Arc<Evidence>) -> OrderIndex {
        let acquisitions = VecDeque::with_capacity(1);
        let entry = LockOrderEntry { set: set.clone(), acquisitions, first, acyclic_at: None };
        let index = match self.gaps.pop() {
            Some(gap) => gap,
            None => {
                self.entries.push(None);
                self.entries.len() - 1
            }
        };
        for hold in &set.held {
            self.by_held.entry(hold.lock).or_default().push(index);
        }
        self.by_wanted.entry(set.wanted.lock).or_default().push(index);
        self.index.insert(set, index);
        self.entries[index] = Some(entry);
        self.generation += 1;
        index
    }

    fn discount(&mut self, holder: HolderId) {
        if let Some(count) = self.holders.get_mut(&holder) {
            *count -= 1;
            if *count == 0 {
                self.holders.remove(&holder);
            }
        }
    }

    /// Panics, saying which invariant broke.
    #[cfg(test)]
    pub(super) fn validate(&self) {
        let live = self.entries().count();
        assert_eq!(live, self.index.len(), "each order has one index");
        assert_eq!(live + self.gaps.len(), self.entries.len(), "a gap is listed once");
        for (set, index) in &self.index {
            assert_eq!(&self.entry(*index).set, set, "the index leads to its order");
            assert!(set.held.is_sorted(), "held locks are sorted");
            assert!(!self.entry(*index).acquisitions.is_empty(), "an order was shown by an acquisition");
            assert!(self.entry(*index).acquisitions.len() <= MAX_ACQUISITIONS, "the limit holds");
            for hold in &set.held {
                assert!(self.by_held[&hold.lock].contains(index), "an order is found by each held lock");
            }
            assert!(self.by_wanted[&set.wanted.lock].contains(index), "an order is found by its wanted lock");
        }
        let counted: usize = self.holders.values().sum();
        let recorded: usize = self.entries().map(|entry| entry.acquisitions.len()).sum();
        assert_eq!(counted, recorded, "acquisitions are counted by holder");
    }
}

fn remove_from(map: &mut FxHashMap<LockId, Vec<OrderIndex>>, lock: LockId, index: OrderIndex) {
    if let Some(list) = map.get_mut(&lock) {
        list.retain(|other| *other != index);
        if list.is_empty() {
            map.remove(&lock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Acquisition, Clock, Evidence, History, LockSet, MAX_ACQUISITIONS};
    use crate::lock_order::ids::{Access, CodeLocation, Hold, HolderId, LockId};
    use std::sync::Arc;

    fn hold(lock: u64) -> Hold {
        Hold { lock: LockId::new(lock), access: Access::Lock }
    }

    fn set(held: &[u64], wanted: u64) -> LockSet {
        LockSet { held: held.iter().map(|lock| hold(*lock)).collect(), wanted: hold(wanted) }
    }

    fn acquisition(holder: u64, segment: u32) -> Acquisition {
        let at = CodeLocation("a.rs".into(), 1, 1);
        let evidence = Evidence { held_at: [at.clone()].into(), wanted_at: at, backtrace: None };
        let clock = Arc::new(Clock::default());
        Acquisition {
            holder: HolderId::new(holder),
            name: "holder".into(),
            segment,
            clock,
            evidence: Arc::new(evidence),
        }
    }

    #[test]
    fn a_dominated_acquisition_is_not_recorded() {
        let mut history = History::default();
        assert!(history.record(set(&[1], 2), acquisition(1, 1)).is_some());
        assert!(history.record(set(&[1], 2), acquisition(1, 1)).is_none());
        // After a spawn it is recorded in the stead of the earlier one.
        assert_eq!(history.record(set(&[1], 2), acquisition(1, 2)), Some((0, 0)));
        assert_eq!(history.record(set(&[1], 2), acquisition(2, 1)), Some((0, 1)));
        history.validate();
    }

    #[test]
    fn invariants_hold_while_orders_come_and_go() {
        let mut history = History::default();
        for round in 0..3 * MAX_ACQUISITIONS as u64 {
            let lock = 10 + round % 7;
            history.record(set(&[1, 2], lock), acquisition(1 + round, 1));
            history.record(set(&[1], 2), acquisition(1 + round, 1));
            history.validate();
            if round % 5 == 0 {
                history.forget(LockId::new(lock));
                history.validate();
            }
        }
        assert_eq!(history.dropped, 2 * MAX_ACQUISITIONS as u64);
        history.forget(LockId::new(1));
        history.validate();
        assert_eq!(history.entries().count(), 0);
        assert!(!history.has_acquisitions_of(HolderId::new(3 * MAX_ACQUISITIONS as u64)));
    }
}
