//! Looking ahead, where nobody can tell how the last event of a reversal turns out.
//!
//! Where two events are to come the other way round, the second meets another state than it met in the run. Mostly it is known
//! what it does there. But a transaction that reads something else may go another way, or have to wait; who waits for several
//! things may be held up by one and let go by another; and where an exception was not thrown yet, its target does what it was about
//! to do. (If that has to wait there, because of what others did after the exception, it comes before these.) A wake-up tree must not hold guesses: what stands in it decides what need not be explored. So such a reversal is
//! *probed*: its beginning is run, up to the event, and given up.
//!
//! Promise: a probe is no run of the exploration, and changes nothing of it but by what it finds.

use super::order::Race;
use crate::event::{Event, Kind};
use crate::ids::{EventId, ThreadId};
use std::collections::VecDeque;

/// Reversals that are to be probed.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    pub(super) queue: VecDeque<Race>,
    pub(super) present: Option<Probe>,
    /// Was the last run a probe?
    pub(super) was_last: bool,
}

/// A beginning of a run.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) race: Race,
    /// What is done first.
    way: Vec<EventId>,
    depth: usize,
    /// Whose event is looked for then.
    thread: ThreadId,
    /// The event, if it need not wait; as it turned out, where that can make a difference.
    pub(super) found: Option<Event>,
    /// After how many events from the race on could it be done, at last?
    pub(super) possible: Option<usize>,
}

impl Probe {
    pub(super) fn new(race: Race, way: Vec<EventId>, thread: ThreadId) -> Probe {
        Probe { race, way, depth: 0, thread, found: None, possible: None }
    }

    /// As a scheduler does.
    pub(super) fn choose(&self, enabled: &[Event]) -> Option<EventId> {
        match self.way.get(self.depth) {
            Some(id) => enabled.iter().any(|event| event.id == *id).then_some(*id),
            None if self.found.is_some() => None,
            None => enabled.iter().find(|event| event.thread() == self.thread).map(|event| event.id),
        }
    }

    /// Of a step of a model all is known before it is done; doing it might end the run as if it were one to count.
    pub(super) fn look(&mut self, enabled: &[Event]) {
        let of_thread = enabled.iter().find(|event| event.thread() == self.thread);
        if let Some(event) = of_thread.filter(|_| self.found.is_none()) {
            self.possible = self.depth.checked_sub(self.race.first).or(self.possible);
            let is_known = self.depth == self.way.len() && event.action.kind == Kind::Step;
            self.found = is_known.then_some(*event);
        }
    }

    pub(super) fn done(&mut self, event: &Event) {
        if self.depth == self.way.len() {
            self.found = Some(*event);
        }
        self.depth += 1;
    }
}
