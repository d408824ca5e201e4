//! Which events of a run race.

use super::Order;
use super::clocks::join;
use crate::dependency::dependent;
use crate::event::{Kind, Source};
use crate::open::can_wait;
use std::ops::Range;

/// A pair of events that could have come the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Race {
    pub(in super::super) first: usize,
    pub(in super::super) second: usize,
    /// Nobody knows how the second turns out where it comes first, or whether it has to wait there: see [`probe`](super::super::probe).
    pub(in super::super) is_uncertain: bool,
    /// How many of the events before the second belong to the reversal: all, unless a probe found the second to have to wait after some.
    pub(in super::super) most: usize,
}

impl Order {
    /// Adds the clocks of all that the event depends on, and notes the races with them.
    pub(super) fn find_races(
        &mut self,
        at: usize,
        mut among: Range<usize>,
        row: &mut [u32],
        cover: &mut [u32],
    ) {
        // What never has to wait races with the last ones that it depends on, and with nothing before those. All that is covered is known.
        let waits = can_wait(&self.events[at].action) || self.was_stopped(at);
        while let Some(before) = self.last_unknown(among.clone(), if waits { &*cover } else { &*row }) {
            among.end = before;
            if !self.are_dependent(before, at) {
                continue;
            }
            if self.races_with(before, at) {
                let is_guess = self.is_guess(before, at);
                let is_uncertain = is_guess || self.may_go_another_way(before, at);
                self.races.push(Race { first: before, second: at, is_uncertain, most: usize::MAX });
                // Where the reversal may turn out to have to wait, nobody will look for the races behind it.
                if !is_guess {
                    join(cover, self.clocks.row(before));
                }
            }
            join(row, self.clocks.row(before));
        }
    }

    /// The last of these events that a clock does not know.
    #[inline]
    fn last_unknown(&self, among: Range<usize>, clock: &[u32]) -> Option<usize> {
        let start = among.start.min(among.end);
        let mut all = self.place[start..among.end].iter().zip(&self.number[start..among.end]);
        all.rposition(|(place, number)| *number > clock[*place]).map(|index| start + index)
    }

    fn races_with(&self, before: usize, at: usize) -> bool {
        // A commit that never happened matters to who reads there, not to other commits.
        let reads = matches!(self.events[before].action.kind, Kind::Load | Kind::Update);
        (reads || !self.is_stopped_commit(at)) && self.could_come_before(at, before)
    }

    fn is_stopped_commit(&self, at: usize) -> bool {
        self.was_stopped(at) && self.events[at].action.kind == Kind::Commit
    }

    /// Does the order of the two matter, in this run?
    fn are_dependent(&self, before: usize, at: usize) -> bool {
        let (one, other) = (&self.events[before], &self.events[at]);
        if one.thread() == other.thread() {
            return true;
        }
        let of_one_place = one.action.object.is_some() && one.action.object == other.action.object;
        if of_one_place && other.action.kind == Kind::Load && other.action.source != Source::Memory {
            // It reads its thread's own store; whatever was committed before that makes no difference.
            return false;
        }
        if of_one_place && one.action.kind == Kind::Load && one.action.source == Source::Buffer {
            // It comes before all that others write there after its store has been committed.
            let commit = self.partner[before].and_then(|store| self.partner[store]);
            let is_own = other.thread().owner() == one.thread();
            return !is_own && commit.is_some_and(|commit| commit < at) && self.changes(at);
        }
        dependent(one, other)
    }
}
