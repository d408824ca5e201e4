//! What a run may cost.
//!
//! Many faults need few pre-emptions (Musuvathi and Qadeer, Iterative Context Bounding, PLDI 2007), loops
//! that wait are ended by a bound on yields (Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI
//! 2008), and every run is ended by one on its length.

use crate::event::{Event, Kind};
use crate::ids::ThreadId;
use crate::light::Candidate;

/// Bounds of a systematic exploration; none where there is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// How often a thread may be interrupted that could have gone on. A commit, and a switch from a thread
    /// that has yielded, whose time was up, or that is blocked, is no pre-emption.
    pub preemptions: Option<usize>,
    /// How many times more often than any other a thread may yield, sleep, or go on because its time is up.
    /// Loops that wait in such a way have runs of any length without that.
    pub yields: Option<usize>,
    /// How many steps a run may have.
    pub length: Option<usize>,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Bounds = Bounds { preemptions: None, yields: None, length: None };
}

/// What a run has cost so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    pub(super) preemptions: usize,
    steps: usize,
    /// The thread that goes on, commits left aside, and whether it has just yielded.
    last: Option<(ThreadId, bool)>,
    /// How often each thread has yielded. A thread is known from its first step on, or when it can take one.
    yields: Vec<(ThreadId, usize)>,
}

/// Why an event is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeds {
    Preemptions,
    Yields,
    Length,
}

impl Cost {
    /// Is this step a pre-emption, where these can be done?
    pub(super) fn preempts(&self, event: &Event, enabled: &[Event]) -> bool {
        let Some((last, yielded)) = self.last else { return false };
        event.action.kind != Kind::Commit
            && event.thread() != last
            && !yielded
            && enabled.iter().any(|other| other.thread() == last)
    }

    /// Which bound does this step exceed, if it does?
    pub(super) fn exceeds(&self, event: &Event, enabled: &[Event], bounds: &Bounds) -> Option<Exceeds> {
        let preemptions = self.preemptions + usize::from(self.preempts(event, enabled));
        if bounds.preemptions.is_some_and(|most| preemptions > most) {
            return Some(Exceeds::Preemptions);
        }
        if bounds.length.is_some_and(|most| self.steps >= most) {
            return Some(Exceeds::Length);
        }
        let thread = event.thread();
        let yields =
            self.yields.iter().find(|(known, _)| *known == thread).map_or(0, |(_, yields)| *yields) + 1;
        let others = self.yields.iter().filter(|(known, _)| *known != thread);
        let least = others.map(|(_, yields)| *yields).min().unwrap_or(yields);
        let differs = |most| event.counts_as_yield() && yields > least + most;
        bounds.yields.is_some_and(differs).then_some(Exceeds::Yields)
    }

    /// The cost after this step.
    pub(super) fn after(&self, event: &Event, enabled: &[Event]) -> Cost {
        let mut cost = self.clone();
        cost.preemptions += usize::from(self.preempts(event, enabled));
        cost.steps += 1;
        for thread in enabled.iter().map(Event::thread).filter(|thread| !thread.is_phantom()) {
            if !cost.yields.iter().any(|(known, _)| *known == thread) {
                cost.yields.push((thread, 0));
            }
        }
        if event.action.kind != Kind::Commit {
            cost.last = Some((event.thread(), event.counts_as_yield()));
        }
        if event.counts_as_yield()
            && let Some((_, yields)) = cost.yields.iter_mut().find(|(known, _)| *known == event.thread())
        {
            *yields += 1;
        }
        cost
    }
}
