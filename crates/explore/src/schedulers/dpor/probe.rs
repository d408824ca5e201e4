//! Probes: executions of a reversal with a last event of unknown effect.
//!
//! The last event of a reversal meets another state than in the run. Mostly its enabledness and its effect
//! there are predictable. Three cases are not: a transaction that reads another value may take another path,
//! or retry; an action that waits for several objects may be disabled by one event and enabled by another;
//! and a thread that has not received an exception yet executes its pending event instead. (If that event is
//! disabled because of events after the exception, it comes before those.) A wake-up tree must not contain
//! guesses, because its branches decide which runs are left out. So such a reversal is *probed*: a run
//! executes it up to its last event, and is given up.
//!
//! Promise: a probe is no run of the exploration; it affects the exploration only by the event that it
//! finds.

use super::happens_before::Race;
use crate::event::{Event, Kind};
use crate::ids::{EventId, ThreadId};
use std::collections::VecDeque;

/// The races with reversals that are to be probed.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    pub(super) queue: VecDeque<Race>,
    pub(super) current: Option<Probe>,
    /// Was the last run a probe?
    pub(super) was_last: bool,
}

/// An execution of a reversal.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) race: Race,
    /// The choices before the last event.
    prefix: Vec<EventId>,
    depth: usize,
    /// The thread of the last event.
    thread: ThreadId,
    /// The last event of the reversal, if it is enabled; executed, if its effect is not predictable.
    pub(super) last_event: Option<Event>,
    /// The greatest number of events from the race on after which the last event was enabled.
    pub(super) enabled_after: Option<usize>,
}

impl Probe {
    pub(super) fn new(race: Race, prefix: Vec<EventId>, thread: ThreadId) -> Probe {
        Probe { race, prefix, depth: 0, thread, last_event: None, enabled_after: None }
    }

    /// Chooses the next event, like a scheduler.
    pub(super) fn choose(&self, enabled: &[Event]) -> Option<EventId> {
        match self.prefix.get(self.depth) {
            Some(id) => enabled.iter().any(|event| event.id == *id).then_some(*id),
            None if self.last_event.is_some() => None,
            None => enabled.iter().find(|event| event.thread() == self.thread).map(|event| event.id),
        }
    }

    /// Notes whether the last event is enabled. A step of a model is not executed: its effect is known
    /// before, and its execution might end the run like a run that counts.
    pub(super) fn observe(&mut self, enabled: &[Event]) {
        let of_thread = enabled.iter().find(|event| event.thread() == self.thread);
        if let Some(event) = of_thread.filter(|_| self.last_event.is_none()) {
            self.enabled_after = self.depth.checked_sub(self.race.first).or(self.enabled_after);
            let is_known = self.depth == self.prefix.len() && event.action.kind == Kind::Step;
            self.last_event = is_known.then_some(*event);
        }
    }

    pub(super) fn done(&mut self, event: &Event) {
        if self.depth == self.prefix.len() {
            self.last_event = Some(*event);
        }
        self.depth += 1;
    }
}
