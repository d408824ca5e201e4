//! Bounds of a systematic exploration, and the cost of a run.
//!
//! Many bugs need few pre-emptions (Musuvathi and Qadeer, Iterative Context Bounding, PLDI 2007). A fair
//! bound on yields ends polling loops (Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008). A
//! length bound ends every run.

use crate::event::{Event, Kind};
use crate::ids::ThreadId;
use crate::light::Candidate;

/// Bounds of a systematic exploration; `None` means unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The greatest number of pre-emptions. A commit is no pre-emption, nor is a context switch from a
    /// thread that has yielded, has timed out, or is blocked.
    pub preemptions: Option<usize>,
    /// The greatest difference between the numbers of yields, sleeps and timeouts of two threads. Without
    /// this bound a polling loop has runs of any length.
    pub yields: Option<usize>,
    /// The greatest number of steps.
    pub length: Option<usize>,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Bounds = Bounds { preemptions: None, yields: None, length: None };
}

/// The cost of a run so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    pub(super) preemptions: usize,
    steps: usize,
    /// The thread of the last step that was no commit, and whether it yielded by that step.
    last: Option<(ThreadId, bool)>,
    /// The number of yields of each thread. A thread is listed once it is enabled.
    yields: Vec<(ThreadId, usize)>,
}

/// The bound that an event exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeds {
    Preemptions,
    Yields,
    Length,
}

impl Cost {
    /// Is this event a pre-emption, if these events are enabled?
    pub(super) fn preempts(&self, event: &Event, enabled: &[Event]) -> bool {
        let Some((last, has_yielded)) = self.last else { return false };
        event.action.kind != Kind::Commit
            && event.thread() != last
            && !has_yielded
            && enabled.iter().any(|other| other.thread() == last)
    }

    /// The bound that this event exceeds.
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
        let is_unfair = |most| event.counts_as_yield() && yields > least + most;
        bounds.yields.is_some_and(is_unfair).then_some(Exceeds::Yields)
    }

    /// The cost after this event.
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
