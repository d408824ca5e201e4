//! The invariants of the happens-before relation.
//!
//! The clock of the last executed event is compared with its definition: the least upper bound of the clocks
//! of all earlier events that it depends on, or that are its mandatory predecessors. A call after every step
//! so checks all clocks, by induction.

use super::HappensBefore;
use super::clocks::join;
use crate::enabledness::may_block;
use crate::event::{Event, Kind};

impl HappensBefore {
    /// Panics, saying which invariant is broken. Tests call this after every step.
    pub(in super::super) fn validate(&self) {
        self.validate_lengths();
        self.validate_threads();
        self.validate_partners();
        if let Some(last) = self.executed.checked_sub(1) {
            self.validate_clock(last);
            self.validate_races_of(last);
        }
    }

    fn validate_lengths(&self) {
        let events = self.events.len();
        assert!(self.executed <= events, "there are fewer events than executed events");
        assert_eq!(self.thread_of.len(), events, "an event has no thread");
        assert_eq!(self.number.len(), events, "an event has no number");
        assert_eq!(self.previous.len(), events, "an event has no link to the event before");
        assert_eq!(self.partner.len(), events, "an event has no entry for its partner");
        assert_eq!(self.prefix_before.len(), events, "an event has no prefix");
        assert_eq!(self.clocks.rows(), events, "an event has no clock");
        assert_eq!(self.counts.rows(), self.executed, "a step has no counts");
        assert_eq!(self.enabled_from.len(), self.executed, "a step has no enabled threads");
        assert!(self.enabled_from.is_sorted(), "enabled threads are not in the order of steps");
    }

    fn validate_threads(&self) {
        let mut counts = vec![0; self.clocks.width];
        let mut latest = vec![None; self.clocks.width];
        for (at, event) in self.events[..self.executed].iter().enumerate() {
            let thread = self.thread_of[at];
            assert_eq!(self.threads[thread], event.thread(), "step {at} has the index of another thread");
            assert_eq!(self.counts.row(at), counts, "step {at} has wrong counts");
            counts[thread] += 1;
            assert_eq!(self.number[at], counts[thread], "step {at} has a wrong number in its thread");
            assert_eq!(self.previous[at], latest[thread], "step {at} follows another event of its thread");
            latest[thread] = Some(at);
            let enabled = self.enabled_at(at);
            // A recorded trace has no enabled threads.
            let is_enabled = enabled.is_empty() || enabled.contains(&event.thread());
            assert!(is_enabled, "the thread of step {at} is not enabled");
        }
        assert_eq!(self.executed_by_thread, counts, "the numbers of executed events are wrong");
        let distinct: std::collections::BTreeSet<_> = self.threads.iter().collect();
        assert_eq!(distinct.len(), self.threads.len(), "a thread has two indices");
    }

    fn validate_partners(&self) {
        for (at, event) in self.events.iter().enumerate() {
            let Some(store) = self.partner[at].filter(|_| event.action.kind == Kind::Commit) else {
                continue;
            };
            assert_eq!(self.partner[store], Some(at), "the store of commit {at} has another commit");
            assert!(self.events[store].action.is_buffered, "commit {at} has a store that is not buffered");
            assert!(store < at, "commit {at} comes before its store");
        }
        let spawns = self.spawns.iter().map(|(_, spawn)| *spawn);
        assert!(spawns.clone().is_sorted(), "spawns are not in the order of the run");
        for spawn in spawns {
            assert_eq!(self.events[spawn].action.kind, Kind::Spawn, "event {spawn} spawns no thread");
        }
    }

    fn validate_clock(&self, at: usize) {
        let thread = self.thread_of[at];
        let mut expected = vec![0; self.clocks.width];
        for before in (0..at).filter(|before| self.is_direct_predecessor(*before, at)) {
            join(&mut expected, self.clocks.row(before));
        }
        assert_eq!(
            expected[thread] + 1,
            self.number[at],
            "step {at} does not happen after its thread's steps"
        );
        expected[thread] = self.number[at];
        assert_eq!(self.clocks.row(at), expected, "step {at} has a wrong clock");
        let is_before = |event: usize| self.is_ordered(event, at);
        let prefix = self.prefix_before[at];
        assert!(prefix <= at && (0..prefix).all(is_before), "the prefix of step {at} is too long");
    }

    /// Is the first event dependent on the second, or one of its mandatory predecessors?
    fn is_direct_predecessor(&self, before: usize, at: usize) -> bool {
        self.are_dependent(before, at)
            || self.partner[at] == Some(before) && self.events[at].action.kind == Kind::Commit
            || self.is_preceding_commit(before, at)
    }

    /// Must the first commit come before the second, because of the order of their stores?
    fn is_preceding_commit(&self, before: usize, at: usize) -> bool {
        let Event { action, .. } = &self.events[at];
        let [Some(earlier), Some(store)] = [before, at].map(|commit| self.partner[commit]) else {
            return false;
        };
        let are_commits = [before, at].iter().all(|at| self.events[*at].action.kind == Kind::Commit);
        let owner = self.events[store].thread();
        let is_buffered =
            |at: &usize| self.events[*at].thread() == owner && self.events[*at].action.is_buffered;
        let mut preceding = (0..store).filter(is_buffered).take(action.preceding_stores as usize);
        are_commits && action.drains && preceding.any(|preceding| preceding == earlier)
    }

    fn validate_races_of(&self, at: usize) {
        for race in self.races.iter().filter(|race| race.second == at) {
            let first = race.first;
            assert!(first < at, "a race of step {at} has its events in the wrong order");
            assert_ne!(self.thread_of[first], self.thread_of[at], "step {at} races with its own thread");
            assert!(self.are_dependent(first, at), "step {at} races with an independent step");
            let is_between = |event: usize| self.is_ordered(first, event) && self.is_ordered(event, at);
            // An event that can block also races with the event that disabled it, before the one that
            // enabled it.
            let is_immediate = may_block(&self.events[at].action) || !(first + 1..at).any(is_between);
            assert!(is_immediate, "an event orders step {at} and the step that it races with");
        }
    }
}
