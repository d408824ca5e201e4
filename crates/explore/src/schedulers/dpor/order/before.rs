//! Could an event have come before one that it was done after?
//!
//! What never has to wait could. What waits is let go by some events and held up by others: locks, tokens and room are told by what the other
//! event found; a writer by the readers who would still have the lock; a step or a transaction with a guard by what it reads. Where nobody
//! knows, the race is a guess, to be [probed](super::super::probe).

use super::{Order, Race};
use crate::dependency::is_end;
use crate::event::{Action, Event, Kind};
use crate::ids::{ObjectId, ThreadId};
use crate::open::{Open, can_wait};

impl Order {
    /// Could the event at `at` have been done just before the one at `before`, as far as that one decides?
    pub(super) fn could_come_before(&self, at: usize, before: usize) -> bool {
        let (event, other) = (&self.events[at], &self.events[before]);
        if is_end(other) {
            return self.enabled_at(before).contains(&event.thread()) || self.is_held_up(at, before);
        }
        if matches!(event.action.kind, Kind::Step | Kind::Atomically) && event.action.is_guarded {
            return self.step_could_come_before(at, before).unwrap_or(true);
        }
        if event.action.kind == Kind::Throw {
            return self.could_be_thrown_before(at, before);
        }
        if !can_wait(&event.action) {
            return true;
        }
        let same = event.action.object.is_some() && event.action.object == other.action.object;
        if same && other.action.kind == Kind::Leave && event.action.kind == Kind::Receive {
            // Who receives nothing waits for the last sender to go.
            return false;
        }
        if event.action.kind == Kind::WriteLock && self.shares_lock(before, at) {
            return self.readers_in_the_way(at, before).is_some();
        }
        if event.action.kind == Kind::Yield {
            return self.is_let_go_without(at, before);
        }
        let announced = self.events[..before].iter().rposition(|earlier| earlier.thread() == event.thread());
        let spawned = |earlier: &Event| {
            earlier.action.kind == Kind::Spawn && earlier.action.target == Some(event.thread())
        };
        let is_new = self.number[at] == 1;
        let came_before = match announced {
            Some(earlier) => self.number[earlier] + 1 == self.number[at],
            None => is_new && (event.thread() == ThreadId::MAIN || self.events[..before].iter().any(spawned)),
        };
        if came_before && !self.is_held_up(at, before) {
            return self.enabled_at(before).contains(&event.thread());
        }
        let unparks = other.action.kind == Kind::Unpark && other.action.target == Some(event.thread());
        if same || unparks && event.action.kind == Kind::Park {
            return Open(other.effect.observed).allows(event.action.kind).unwrap_or(true);
        }
        // Who gives a lock up to wait had it.
        !(other.action.second.is_some() && other.action.second == event.action.object)
    }

    /// Was the event held up, before this one, by stores of its own thread that were not committed? Their commits come first in the
    /// reversal, so that it could not be done then tells nothing.
    pub(super) fn is_held_up(&self, at: usize, before: usize) -> bool {
        let event = &self.events[at];
        let is_left = |store: usize| {
            let Event { action, .. } = &self.events[store];
            action.is_buffered
                && self.events[store].thread() == event.thread()
                && self.partner[store].is_none_or(|commit| commit > before)
        };
        event.action.drains && !event.thread().is_phantom() && (0..before).any(is_left)
    }

    /// Could an exception have been thrown just before this event? Its target takes it where that one is about to do something that
    /// says so, or takes another; where it takes some only while it waits, nobody knows when. What it has stored is committed first.
    pub(super) fn could_be_thrown_before(&self, throw: usize, before: usize) -> bool {
        let (event, other) = (&self.events[throw].action, &self.events[before].action);
        let is_rival = other.kind == Kind::Throw && other.target == event.target;
        event.waits_for_any || is_rival || other.is_point
    }

    /// Has anything changed that a thread looked at before it yielded, by what does not come after this event?
    pub(super) fn is_let_go_without(&self, at: usize, without: usize) -> bool {
        let thread = self.events[at].thread();
        let own = (0..at.min(self.executed)).rev().filter(|event| self.events[*event].thread() == thread);
        let mut looks = own.take_while(|event| self.events[*event].action.kind != Kind::Yield);
        looks.any(|look| {
            let object = self.events[look].action.object;
            let is_later =
                |event: &usize| *event < without || *event > without && !self.is_after(without, *event);
            let mut later = (look + 1..self.executed).filter(is_later);
            // Its own stores are no news to it, nor is what was there before.
            let is_news = |event: usize| {
                let Event { effect, .. } = &self.events[event];
                self.events[event].thread().owner() != thread
                    && self.changes(event)
                    && !effect.wakes_no_waiter
            };
            // Which one of the senders of a channel is the last to go is all the same, but none may be missing.
            let is_missing = |event: usize| {
                let is_left_out = event == without || event > without && self.is_after(without, event);
                is_left_out && self.concerns(event, object) && self.events[event].action.kind == Kind::Leave
            };
            let is_deserted = || !(0..self.executed).any(is_missing);
            let lets_go = |event: usize| {
                self.concerns(event, object)
                    && is_news(event)
                    && (self.events[event].action.kind != Kind::Leave || is_deserted())
            };
            let mut is_changed = || later.any(lets_go);
            // Whether a thread has ended is looked at too.
            self.events[look].action.kind == Kind::IsFinished || object.is_some() && is_changed()
        })
    }

    /// Is it done to the object, or does it give the object up to wait?
    pub(in crate::schedulers::dpor) fn concerns(&self, event: usize, object: Option<ObjectId>) -> bool {
        let action = &self.events[event].action;
        object.is_some() && (action.object == object || action.second == object)
    }

    /// What the object was like just before an event that concerns it.
    pub(in crate::schedulers::dpor) fn found(&self, event: usize, object: Option<ObjectId>) -> u64 {
        let Event { action, effect, .. } = &self.events[event];
        // A thread that gives a lock up to wait holds it: no other action on the lock is possible.
        if action.object == object { effect.observed } else { 0 }
    }

    /// A transaction that reads something else may do something else.
    pub(super) fn may_go_another_way(&self, before: usize, at: usize) -> bool {
        let (first, second) = (&self.events[before].action, &self.events[at].action);
        second.kind == Kind::Atomically && first.footprint.writes & second.footprint.reads != 0
    }

    pub(super) fn is_guess(&self, before: usize, at: usize) -> bool {
        let action = &self.events[at].action;
        match action.kind {
            _ if self.interrupted_by(at).is_some() => true,
            Kind::Step | Kind::Atomically => self.step_could_come_before(at, before).is_none(),
            Kind::Throw => action.waits_for_any,
            // What its thread does where nothing was thrown may have to wait.
            Kind::Raise => true,
            kind => {
                let is_told = Open(0).allows(kind).is_some() && !is_end(&self.events[before]);
                can_wait(action) && !is_told && self.is_held_up(at, before)
            }
        }
    }

    /// Could a step of a model, or a transaction, have been done without this one and what happens after it? `None` where nobody knows: who
    /// waits for several variables may be held up by one step and let go by another.
    pub(super) fn step_could_come_before(&self, at: usize, before: usize) -> Option<bool> {
        let Action { is_guarded, footprint, .. } = self.events[at].action;
        if !is_guarded {
            return Some(true);
        }
        let decides = |step: usize| footprint.is_changed_by(self.events[step].action.footprint);
        let (steps, is_left_out) =
            (before..at.min(self.executed), |step: usize| step == before || self.is_after(before, step));
        if !steps.clone().any(|step| is_left_out(step) && decides(step)) {
            return Some(!self.was_stopped(at));
        }
        let was_next = self.count(before)[self.place[at]] + 1 == self.number[at];
        let is_as_before = was_next
            && !self.is_held_up(at, before)
            && !steps.into_iter().any(|step| !is_left_out(step) && decides(step));
        is_as_before.then(|| self.enabled_at(before).contains(&self.events[at].thread()))
    }

    /// All that must be left out, together with what happens after it, so that a writer who waits could come before this reader:
    /// itself, and those who come later and would not give the lock back without it. `None` where somebody who came
    /// earlier has the lock, or where the writer comes after one of them anyway.
    pub(super) fn readers_in_the_way(&self, writer: usize, reader: usize) -> Option<Vec<usize>> {
        let mut left_out = vec![reader];
        let mut past = vec![0; self.clocks.width];
        self.begin_clock(writer, &mut past);
        loop {
            let readers = self.readers_without(&left_out, self.events[reader].action.object);
            if readers.is_empty() {
                return Some(left_out);
            }
            let must_stay =
                |other: &usize| *other < reader || self.number[*other] <= past[self.place[*other]];
            if readers.iter().any(must_stay) {
                return None;
            }
            left_out.extend(readers);
        }
    }

    /// Who has a lock for reading, by the steps that took it, after all that does not come after one of these.
    pub(super) fn readers_without(&self, left_out: &[usize], lock: Option<ObjectId>) -> Vec<usize> {
        let is_left_out =
            |event: usize| left_out.iter().any(|gone| *gone <= event && self.is_after(*gone, event));
        let mut readers: Vec<usize> = Vec::new();
        for at in (0..self.executed).filter(|at| self.events[*at].action.object == lock) {
            let Event { action, effect, .. } = &self.events[at];
            match action.kind {
                _ if effect.read_only || is_left_out(at) => {}
                Kind::ReadLock | Kind::TryReadLock | Kind::Downgrade => readers.push(at),
                Kind::UnlockRead => {
                    if let Some(own) = readers.iter().rposition(|taken| self.place[*taken] == self.place[at])
                    {
                        readers.remove(own);
                    }
                }
                _ => {}
            }
        }
        readers
    }

    /// What the reversal of a race leaves out beside its first event, with all that happens after these.
    pub(in super::super) fn left_out_too(&self, race: Race) -> Vec<usize> {
        if let Some(throw) = self.interrupted_by(race.second) {
            return vec![throw];
        }
        if self.events[race.second].action.kind != Kind::WriteLock
            || !self.shares_lock(race.first, race.second)
        {
            return Vec::new();
        }
        self.readers_in_the_way(race.second, race.first).map_or(Vec::new(), |readers| readers[1..].to_vec())
    }

    /// Is the first a reader who comes or goes, of the same lock?
    pub(super) fn shares_lock(&self, reader: usize, writer: usize) -> bool {
        let (one, other) = (&self.events[reader].action, &self.events[writer].action);
        let shares = matches!(one.kind, Kind::ReadLock | Kind::TryReadLock | Kind::UnlockRead);
        shares
            && !self.events[reader].effect.read_only
            && other.object.is_some()
            && one.object == other.object
    }
}
