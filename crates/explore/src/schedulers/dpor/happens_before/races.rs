//! Detection of reversible races.

use super::HappensBefore;
use super::clocks::join;
use crate::dependency::{dependent, stops_threads};
use crate::enabledness::may_block;
use crate::event::{Kind, ReadsFrom};
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
                self.races.push(Race { first: before, second: at, needs_probe, max_prefix: usize::MAX });
                // If the second event turns out to be disabled in the reversal, no run shows the races
                // behind this one.
                if !is_guess {
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
        // part, not to other commits.
        let event = &self.events[before];
        let observes = matches!(event.action.kind, Kind::Load | Kind::Update) || stops_threads(event);
        (observes || !self.is_stopped_commit(at)) && self.is_reversible(before, at)
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
            return !is_own && commit.is_some_and(|commit| commit < at) && self.changes_object(at);
        }
        dependent(one, other)
    }
}
