//! Detection of reversible races.

use super::HappensBefore;
use super::clocks::join;
use crate::dependency::{dependent, stops_threads};
use crate::enabledness::may_block;
use crate::event::{Event, Kind, ReadsFrom};
use std::ops::Range;

/// A reversible race: a pair of events, by their indices in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Race {
    pub(in super::super) first: usize,
    pub(in super::super) second: usize,
    /// It is unknown whether the second event is enabled in the reversal, or what its effect is there: the
    /// reversal needs a [probe](super::super::probe).
    pub(in super::super) needs_probe: bool,
    /// The greatest number of events before the second in the reversal. Unlimited, unless a probe found
    /// the second event disabled after more of them.
    pub(in super::super) max_prefix: usize,
    /// A commit that was never executed, and comes before the second event in the reversal.
    pub(in super::super) after: Option<usize>,
}

impl HappensBefore {
    /// Joins the clocks of all events that the event depends on, and records the reversible races with
    /// them.
    ///
    /// `clock` becomes the clock of the event. `race_clock` covers the events that cannot be in a race
    /// with it any more.
    pub(super) fn find_races(
        &mut self,
        at: usize,
        mut among: Range<usize>,
        clock: &mut [u32],
        race_clock: &mut [u32],
    ) {
        // An event that never blocks races with the last events that it depends on, and with no event
        // before those. For an event that can block, an event before an irreversible race may be the
        // one that disables it.
        let can_block = may_block(&self.events[at].action) || self.is_stopped(at);
        while let Some(before) =
            self.last_unordered(among.clone(), if can_block { &*race_clock } else { &*clock })
        {
            among.end = before;
            if !self.are_dependent(before, at) {
                continue;
            }
            if self.is_reversible_race(before, at) {
                let is_guess = self.is_reversibility_unknown(before, at);
                let needs_probe = is_guess || self.may_read_other_values(before, at);
                let max_prefix = usize::MAX;
                self.races.push(Race { first: before, second: at, needs_probe, max_prefix, after: None });
                // If the second event turns out to be disabled in the reversal, no run shows the races
                // behind this one. Nor does any if the commit could also come before that of the load's
                // store.
                let is_by_commit = self.is_stopped_commit(at) && self.reads_from_buffer(before);
                if !is_guess && !is_by_commit {
                    join(race_clock, self.clocks.row(before));
                }
            }
            join(clock, self.clocks.row(before));
        }
    }

    /// The last of these events that a clock does not cover.
    #[inline]
    fn last_unordered(&self, among: Range<usize>, clock: &[u32]) -> Option<usize> {
        let start = among.start.min(among.end);
        let mut events = self.thread_of[start..among.end].iter().zip(&self.number[start..among.end]);
        events.rposition(|(thread, number)| *number > clock[*thread]).map(|index| start + index)
    }

    fn is_reversible_race(&self, before: usize, at: usize) -> bool {
        // A commit that was never executed matters to reads of its object and to the end of a contained
        // part. It matters to other writes only if something depends on its place before them.
        let event = &self.events[before];
        let observes = matches!(event.action.kind, Kind::Load | Kind::Update) || stops_threads(event);
        (observes || !self.is_stopped_commit(at) || self.is_awaited_commit(at))
            && self.is_reversible(before, at)
    }

    /// Does something depend on how early this commit is, which was never executed? A load that read its
    /// store from the buffer reads later writes of other threads once the store is committed, and later
    /// stores of the thread may have to wait for it.
    fn is_awaited_commit(&self, at: usize) -> bool {
        let store = self.partner[at];
        let is_first = |store: usize| {
            let owner = self.events[store].thread();
            let is_later = |event: &Event| event.thread() == owner && event.action.is_buffered;
            self.events[at].action.drains && self.events[store + 1..self.executed].iter().any(is_later)
        };
        store.is_some_and(|store| self.last_load_from_buffer(store).is_some() || is_first(store))
    }

    /// The last load that read this store of its own thread from the buffer.
    fn last_load_from_buffer(&self, store: usize) -> Option<usize> {
        let is_load = |load: &usize| self.reads_from_buffer(*load) && self.partner[*load] == Some(store);
        (store + 1..self.executed).rev().find(is_load)
    }

    fn reads_from_buffer(&self, at: usize) -> bool {
        let action = &self.events[at].action;
        action.kind == Kind::Load && action.reads_from == ReadsFrom::Buffer
    }

    /// Of two stores to one object that were never committed, of different threads: if the thread of one has
    /// read it from its buffer, that load could have read the other, after both commits. No run shows that
    /// race, because the commits are not ordered. `stopped`: the stopped events, each with the number of
    /// steps before it.
    pub(super) fn find_races_of_loads_from_buffers(&mut self, stopped: &[(usize, Event)]) {
        let executed = self.executed;
        let is_store_left = |at: &usize| self.is_stopped_commit(*at) && self.partner[*at].is_some();
        let commits: Vec<usize> = (executed..self.events.len()).filter(is_store_left).collect();
        if commits.len() < 2 {
            return;
        }
        let mut past = vec![0; self.clocks.width];
        for own in &commits {
            let load = self.partner[*own].and_then(|store| self.last_load_from_buffer(store));
            let Some(load) = load.filter(|load| !self.is_ordered(*load, *own)) else { continue };
            for second in &commits {
                let [one, other] = [*own, *second].map(|at| &self.events[at]);
                let are_rivals = one.action.object == other.action.object
                    && one.thread().owner() != other.thread().owner()
                    && load < stopped[*second - executed].0;
                self.mandatory_clock(*second, &mut past);
                if are_rivals && self.number[load] > past[self.thread_of[load]] {
                    let (needs_probe, max_prefix, after) = (false, usize::MAX, Some(*own));
                    self.races.push(Race { first: load, second: *second, needs_probe, max_prefix, after });
                }
            }
        }
    }

    fn is_stopped_commit(&self, at: usize) -> bool {
        self.is_stopped(at) && self.events[at].action.kind == Kind::Commit
    }

    /// Are the two events dependent in this run?
    pub(super) fn are_dependent(&self, before: usize, at: usize) -> bool {
        let (one, other) = (&self.events[before], &self.events[at]);
        if one.thread() == other.thread() {
            return true;
        }
        let same_object = one.action.object.is_some() && one.action.object == other.action.object;
        if same_object && other.action.kind == Kind::Load && other.action.reads_from != ReadsFrom::Memory {
            // The load reads its thread's own store and observes no earlier commit.
            return false;
        }
        if same_object && one.action.kind == Kind::Load && one.action.reads_from == ReadsFrom::Buffer {
            // The load comes before all writes of other threads after the commit of its store.
            let commit = self.partner[before].and_then(|store| self.partner[store]);
            let is_own = other.thread().owner() == one.thread();
            let is_committed = |commit: usize| commit < at && !self.is_stopped(commit);
            return !is_own && commit.is_some_and(is_committed) && self.changes_object(at);
        }
        dependent(one, other)
    }
}
