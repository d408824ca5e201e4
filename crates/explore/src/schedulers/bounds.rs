//! Bounds of a systematic exploration, and the cost of a run.
//!
//! Many bugs need few pre-emptions (Musuvathi and Qadeer, Iterative Context Bounding, PLDI 2007). A fair
//! bound on yields ends polling loops (Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008;
//! Walker's thesis, §5.6). A length bound ends every run.
//!
//! A thread that the bound on yields holds back is not pre-empted: it could not continue.

use crate::event::{Event, Kind};
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::trace::{Switch, Trace};

/// Bounds of a systematic exploration; `None` means unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The greatest number of pre-emptions. A commit is no pre-emption, nor is a context switch from a
    /// thread that has yielded, has timed out, is blocked, or is held back by the bound on yields.
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

    /// Do the bounds allow runs of any length?
    pub fn allow_unbounded_runs(&self) -> bool {
        self.yields.is_none() && self.length.is_none()
    }
}

impl Bounds {
    /// Has the run more pre-emptions or steps than the bounds allow? The order of its yields does not count.
    pub fn are_exceeded_by(&self, run: &Trace) -> bool {
        let is_long = self.length.is_some_and(|most| run.len() > most);
        is_long || self.preemptions.is_some_and(|most| self.count_preemptions(run) > most)
    }

    /// The pre-emptions of a run. A thread that yields next may have been held back.
    fn count_preemptions(&self, run: &Trace) -> usize {
        if self.yields.is_none() {
            return run.preemptions();
        }
        let steps = run.steps();
        let is_preemption = |step: &usize| {
            let mut before = steps[..*step].iter().rev().map(|step| step.event.thread());
            let last = before.find(|thread| !thread.is_phantom());
            let next = steps[*step..].iter().find(|step| Some(step.event.thread()) == last);
            steps[*step].switch == Switch::Preempt && next.is_some_and(|next| !next.event.counts_as_yield())
        };
        (0..steps.len()).filter(is_preemption).count()
    }
}

/// The cost of a run so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    preemptions: usize,
    steps: usize,
    /// The thread of the last step that was no commit, and whether it yielded by that step.
    last: Option<(ThreadId, bool)>,
    yields: Yields,
}

/// The number of yields of each thread. A thread is listed once it is enabled.
#[derive(Clone, Debug, Default)]
pub(super) struct Yields(Vec<(ThreadId, usize)>);

/// The bound that an event exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeds {
    Preemptions,
    Yields,
    Length,
}

impl Cost {
    /// Is this event a pre-emption, if these events are enabled?
    pub(super) fn preempts(&self, event: &Event, enabled: &[Event], bounds: &Bounds) -> bool {
        let Some((last, has_yielded)) = self.last else { return false };
        let can_continue =
            |other: &Event| other.thread() == last && !self.yields.hold_back(other, bounds.yields);
        event.action.kind != Kind::Commit
            && event.thread() != last
            && !has_yielded
            && enabled.iter().any(can_continue)
    }

    /// The bound that this event exceeds.
    pub(super) fn exceeds(&self, event: &Event, enabled: &[Event], bounds: &Bounds) -> Option<Exceeds> {
        let preemptions = self.preemptions + usize::from(self.preempts(event, enabled, bounds));
        if bounds.preemptions.is_some_and(|most| preemptions > most) {
            return Some(Exceeds::Preemptions);
        }
        if bounds.length.is_some_and(|most| self.steps >= most) {
            return Some(Exceeds::Length);
        }
        self.yields.hold_back(event, bounds.yields).then_some(Exceeds::Yields)
    }

    /// The cost after this event.
    pub(super) fn after(&self, event: &Event, enabled: &[Event], bounds: &Bounds) -> Cost {
        let mut cost = self.clone();
        cost.preemptions += usize::from(self.preempts(event, enabled, bounds));
        cost.steps += 1;
        cost.yields.count(event, enabled);
        if event.action.kind != Kind::Commit {
            cost.last = Some((event.thread(), event.counts_as_yield()));
        }
        cost
    }
}

impl Yields {
    /// Forgets all threads.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Counts a step, before which these events were enabled.
    pub(super) fn count(&mut self, event: &Event, enabled: &[Event]) {
        self.list(enabled);
        self.count_step(event);
    }

    /// Lists the threads of enabled events.
    pub(super) fn list(&mut self, enabled: &[Event]) {
        for thread in enabled.iter().map(Event::thread).filter(|thread| !thread.is_phantom()) {
            if !self.0.iter().any(|(known, _)| *known == thread) {
                self.0.push((thread, 0));
            }
        }
    }

    /// Counts a step of a listed thread.
    pub(super) fn count_step(&mut self, event: &Event) {
        if event.counts_as_yield()
            && let Some((_, yields)) = self.0.iter_mut().find(|(known, _)| *known == event.thread())
        {
            *yields += 1;
        }
    }

    /// Would the thread of this event have yielded too often, by this event?
    pub(super) fn hold_back(&self, event: &Event, most: Option<usize>) -> bool {
        let thread = event.thread();
        let own = || self.0.iter().find(|(known, _)| *known == thread).map_or(0, |(_, yields)| *yields);
        event.counts_as_yield() && most.is_some_and(|most| self.are_exceeded(thread, own() + 1, most))
    }

    /// Does this thread exceed the others, if it has yielded so often?
    pub(super) fn are_exceeded(&self, thread: ThreadId, yields: usize, most: usize) -> bool {
        let others = self.0.iter().filter(|(known, _)| *known != thread);
        let least = others.map(|(_, yields)| *yields).min().unwrap_or(yields);
        yields > least + most
    }
}
