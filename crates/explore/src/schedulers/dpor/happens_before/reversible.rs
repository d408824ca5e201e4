//! Reversibility: could the second event of a race have been executed before the first?
//!
//! An event that never blocks could. A waiting action is enabled by some events and disabled by others. For
//! mutexes, tokens and channels the state that the first event observed decides; for a lock of readers and
//! writers, the state after the events that the reversal keeps ([`super::locks`]); for a guarded step or
//! transaction, the variables that it reads. Where none of these decides, the race needs a
//! [probe](super::super::probe).
//!
//! Source: Abdulla, Aronis, Jonsson and Sagonas, JACM 64(4), 2017 (reversible races). The many kinds of
//! waiting are beyond the paper.

use super::HappensBefore;
use super::locks::is_write_attempt;
use crate::dependency::stops_threads;
use crate::enabledness::{Enabledness, may_block};
use crate::event::{Action, Event, Kind};
use crate::ids::{ObjectId, ThreadId};

impl HappensBefore {
    /// Could the second event have been executed just before the first, as far as the first decides?
    pub(super) fn is_reversible(&self, first: usize, second: usize) -> bool {
        let (event, other) = (&self.events[second], &self.events[first]);
        if other.action.kind == Kind::Return && !other.action.is_final {
            // The return of the body disables no event.
            return true;
        }
        if stops_threads(other) {
            return self.enabled_at(first).contains(&event.thread()) || self.awaits_own_commit(first, second);
        }
        if matches!(event.action.kind, Kind::Step | Kind::Atomically) && event.action.is_guarded {
            return self.is_guarded_reversible(first, second).unwrap_or(true);
        }
        if event.action.kind == Kind::Throw {
            return self.is_throw_reversible(first, second);
        }
        if !may_block(&event.action) {
            return true;
        }
        let same_object = event.action.object.is_some() && event.action.object == other.action.object;
        if same_object && other.action.kind == Kind::Leave && event.action.kind == Kind::Receive {
            // A receive that finds no message waits until the last sender is dropped.
            return false;
        }
        if same_object && (event.action.kind == Kind::ReadLock || is_write_attempt(event.action.kind)) {
            return self.is_lock_reversible(first, second);
        }
        if event.action.kind == Kind::Yield {
            return self.is_woken_without(first, second);
        }
        if self.was_announced_before(first, second) && !self.awaits_own_commit(first, second) {
            return self.enabled_at(first).contains(&event.thread());
        }
        let unparks = other.action.kind == Kind::Unpark && other.action.target == Some(event.thread());
        if same_object || unparks && event.action.kind == Kind::Park {
            return Enabledness(other.effect.observed).enables(event.action.kind).unwrap_or(true);
        }
        // A thread that releases a lock to wait held the lock before.
        !(other.action.second.is_some() && other.action.second == event.action.object)
    }

    /// Was the second event the next one of its thread when the first was executed?
    fn was_announced_before(&self, first: usize, second: usize) -> bool {
        let (thread, spawn) = (self.events[second].thread(), self.spawn_of_thread(second));
        if spawn.is_some_and(|spawn| spawn >= first) {
            return false;
        }
        match self.events[..first].iter().rposition(|earlier| earlier.thread() == thread) {
            Some(earlier) => self.number[earlier] + 1 == self.number[second],
            None => {
                let is_thread = thread == ThreadId::MAIN || spawn.is_some() && !thread.is_phantom();
                is_thread && self.number[second] == 1
            }
        }
    }

    /// Did the second event wait, when the first was executed, for the commits of its own thread's stores?
    /// These commits come first in the reversal, so that the event was disabled then does not matter.
    fn awaits_own_commit(&self, first: usize, second: usize) -> bool {
        let event = &self.events[second];
        let is_uncommitted = |store: usize| {
            let Event { action, .. } = &self.events[store];
            action.is_buffered
                && self.events[store].thread() == event.thread()
                && self.partner[store].is_none_or(|commit| commit > first)
        };
        event.action.drains && !event.thread().is_phantom() && (0..first).any(is_uncommitted)
    }

    /// Could an exception have been thrown just before the first event? Its target takes it if it is at an
    /// interruption point, or takes another exception. If the target takes exceptions only while it waits,
    /// that is unknown. The stores of the throwing thread are committed first.
    fn is_throw_reversible(&self, first: usize, throw: usize) -> bool {
        let (event, other) = (&self.events[throw].action, &self.events[first].action);
        let is_rival = other.kind == Kind::Throw && other.target == event.target;
        event.waits_for_unknown || is_rival || other.is_interruption_point
    }

    /// A yield waits for a change of the objects that its thread looks at again and again. Does an event
    /// change one of them that does not happen after `without`?
    fn is_woken_without(&self, without: usize, at: usize) -> bool {
        self.awaited_reads(at).into_iter().any(|read| self.is_changed_without(without, at, read))
    }

    /// The reads of the objects that a yield waits for: those of the round that it ends, and for each object
    /// that this round does not read, those of the last round that does.
    fn awaited_reads(&self, at: usize) -> Vec<usize> {
        let thread = self.events[at].thread();
        let awaited: Vec<ObjectId> = self.events[at].action.objects().collect();
        let (mut reads, mut is_last_round) = (Vec::new(), true);
        let (mut in_round, mut in_later_rounds) = (Vec::new(), Vec::new());
        for event in (0..at.min(self.executed)).rev().filter(|event| self.events[*event].thread() == thread) {
            let Action { kind, object, .. } = self.events[event].action;
            if kind == Kind::Yield {
                in_later_rounds.append(&mut in_round);
                is_last_round = false;
                if awaited.iter().all(|object| in_later_rounds.contains(object)) {
                    break;
                }
            } else if is_last_round
                || object.is_some_and(|read| awaited.contains(&read) && !in_later_rounds.contains(&read))
            {
                reads.push(event);
                in_round.extend(object);
            }
        }
        reads
    }

    /// Is the object that an event of the yield's thread reads changed after that, by an event that does not
    /// happen after `without`?
    fn is_changed_without(&self, without: usize, at: usize, read: usize) -> bool {
        let thread = self.events[at].thread();
        let object = self.events[read].action.object;
        let is_kept =
            |event: &usize| *event < without || *event > without && !self.is_ordered(without, *event);
        let mut later = (read + 1..self.executed).filter(is_kept);
        // The thread's own stores do not wake it, nor does an update that stores the old value.
        let is_wake_up = |event: usize| {
            let Event { effect, .. } = &self.events[event];
            self.events[event].thread().owner() != thread
                && self.changes_object(event)
                && !effect.wakes_no_waiter
        };
        // Any sender of a channel can be the last one to be dropped, but all of them must be.
        let is_missing_leave = |event: usize| {
            let is_removed = event == without || event > without && self.is_ordered(without, event);
            is_removed && self.accesses_object(event, object) && self.events[event].action.kind == Kind::Leave
        };
        let are_all_senders_gone = || !(0..self.executed).any(is_missing_leave);
        let wakes = |event: usize| {
            self.accesses_object(event, object)
                && is_wake_up(event)
                && (self.events[event].action.kind != Kind::Leave || are_all_senders_gone())
        };
        let mut is_changed = || later.any(wakes);
        // The end of a thread is a change, too.
        self.events[read].action.kind == Kind::IsFinished || object.is_some() && is_changed()
    }

    /// Is the object the event's object, or the lock that it releases to wait?
    pub(in crate::schedulers::dpor) fn accesses_object(
        &self,
        event: usize,
        object: Option<ObjectId>,
    ) -> bool {
        let action = &self.events[event].action;
        object.is_some() && (action.object == object || action.second == object)
    }

    /// The state of the object just before an event that accesses it.
    pub(in crate::schedulers::dpor) fn observed_state(&self, event: usize, object: Option<ObjectId>) -> u64 {
        let Event { action, effect, .. } = &self.events[event];
        // A thread that releases a lock to wait holds it: the lock enables no action.
        if action.object == object { effect.observed } else { 0 }
    }

    /// Is the second event a transaction that reads a variable that the first writes? Then it may take
    /// another path in the reversal.
    pub(super) fn may_read_other_values(&self, first: usize, second: usize) -> bool {
        let (first, second) = (&self.events[first].action, &self.events[second].action);
        second.kind == Kind::Atomically && first.footprint.writes & second.footprint.reads != 0
    }

    /// Is it unknown whether the second event is enabled in the reversal?
    pub(super) fn is_reversibility_unknown(&self, first: usize, second: usize) -> bool {
        let action = &self.events[second].action;
        match action.kind {
            _ if self.interrupted_by(second).is_some() => true,
            Kind::Step | Kind::Atomically => self.is_guarded_reversible(first, second).is_none(),
            Kind::Throw => action.waits_for_unknown,
            // Without the exception the thread executes another event, which may block.
            Kind::Raise => true,
            kind => {
                let is_observed =
                    Enabledness(0).enables(kind).is_some() && !stops_threads(&self.events[first]);
                may_block(action) && !is_observed && self.awaits_own_commit(first, second)
            }
        }
    }

    /// Is a step of a model, or a transaction, enabled without the first event and the events after it?
    /// `None` if that is unknown: a guard over several variables can be disabled by one event and enabled by
    /// another.
    fn is_guarded_reversible(&self, first: usize, second: usize) -> Option<bool> {
        let Action { is_guarded, footprint, .. } = self.events[second].action;
        if !is_guarded {
            return Some(true);
        }
        let is_relevant = |step: usize| footprint.is_affected_by(self.events[step].action.footprint);
        let steps = first..second.min(self.executed);
        let is_removed = |step: usize| step == first || self.is_ordered(first, step);
        if !steps.clone().any(|step| is_removed(step) && is_relevant(step)) {
            return Some(!self.is_stopped(second));
        }
        let was_next = self.counts_before(first)[self.thread_of[second]] + 1 == self.number[second];
        let is_state_known = was_next
            && !self.awaits_own_commit(first, second)
            && !steps.into_iter().any(|step| !is_removed(step) && is_relevant(step));
        is_state_known.then(|| self.enabled_at(first).contains(&self.events[second].thread()))
    }
}
