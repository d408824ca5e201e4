//! Bounds as pruning: reversals that lead beyond the bounds are not inserted into wake-up trees.
//!
//! A bound is a property of a trace: its number of pre-emptions is the least number over its linearisations
//! (see [`causal_past`](super::happens_before)), its length is the length of each of them. The reduction
//! explores each trace at most once, so bounds only leave out runs; they never make more.
//!
//! A run takes some steps by free choice, which never pre-empts without need, and others by a reversal. The
//! last event of a reversal, which comes before the event that it raced with, is a *deviation*. What a run
//! has in common with each run that is found by way of it is the causal past of its deviations. So a
//! reversal is left out if the causal past of the deviations before it and of its own last event is beyond
//! the bounds. Nothing else is left out: free choices after a deviation cost nothing, and end every run.
//!
//! A trace within the bound may be found only by way of one that is beyond it. Say that a trace reverses a
//! race of two threads. The run that shows the race has the events of the trace up to the race, but other
//! threads may have deviated before, and a deviation can pre-empt each of them once more. So there is a
//! *slack*: with N threads the causal past may exceed the bound on pre-emptions by N - 2, and the bound on
//! length by one step for each thread. The run is made to its end, so that the threads that a deviation
//! interrupted continue; each may be one more pre-emption.
//!
//! Marmanis, Kokologiannakis and Vafeiadis prove that N - 2 is enough for TruSt; without slack, traces
//! are lost. For wake-up trees it is not proved here. It is compared: all traces of generated programs
//! with their least numbers of pre-emptions (`tests/main/bounded.rs`), and the outcomes of generated
//! programs with exhaustive search within the same bounds (`soundness/bounded.rs` of `selvedge`).
//!
//! A run ends by itself in most programs, whatever the bound on length: then its free choices are those
//! of a run without bounds, and it has no events left that race with others. Only a run of more than
//! [`MAX_ENDING`] steps is taken to be endless. From there (or from the bound, if that is greater) the
//! threads take turns, so that an endless thread does not hide the steps of others; the run is cut off
//! when each thread could have taken as many steps as the bound allows.
//!
//! The bound on yields holds back threads that are about to yield, sleep or time out once too often; if
//! all enabled threads are held back, the run is given up. Yields are independent of each other, so the
//! order of yields in a run need not be fair itself.
//!
//! Source: Marmanis, Kokologiannakis and Vafeiadis, Reconciling Preemption Bounding with DPOR, TACAS 2023
//! (bounds of traces, slack); Walker's thesis, §5.6 (bounds on yields and length).
//!
//! Promise: at most as many runs as without bounds, unless a run is cut off. A trace is left out only if it
//! is beyond the bounds, or if each run that leads to it is beyond the bounds and the slack.

use super::happens_before::HappensBefore;
use super::reversal::Reversal;
use crate::event::{Event, Kind};
use crate::ids::EventId;
use crate::light::Candidate;
use crate::schedulers::bounds::{Bounds, Yields};
use crate::schedulers::next_in_turn_after;

/// A run of at most so many steps is not cut off by the bound on length.
const MAX_ENDING: usize = 500;

/// The bounds of a reduction, and what they cut off.
#[derive(Clone, Debug)]
pub(super) struct Pruning {
    /// The current bounds.
    pub(super) bounds: Bounds,
    /// With iterative deepening: the last pre-emption bound.
    pub(super) deepens_to: Option<usize>,
    /// Did a bound cut off any run, and did the pre-emption bound?
    pub(super) has_cut: bool,
    pub(super) has_cut_by_preemptions: bool,
    /// Was the current run given up, because every enabled event exceeds a bound?
    pub(super) is_run_cut: bool,
    /// Has the body of the current run returned, so that its outcome is known?
    pub(super) has_returned: bool,
    /// The yields of the current run.
    pub(super) yields: Yields,
}

impl Pruning {
    pub(super) fn new(bounds: Bounds) -> Pruning {
        Pruning {
            bounds,
            deepens_to: None,
            has_cut: false,
            has_cut_by_preemptions: false,
            is_run_cut: false,
            has_returned: false,
            yields: Yields::default(),
        }
    }

    /// A run begins.
    pub(super) fn begin(&mut self) {
        (self.is_run_cut, self.has_returned) = (false, false);
        self.yields.clear();
    }

    /// A step is executed.
    pub(super) fn done(&mut self, event: &Event) {
        self.has_returned |= event.action.kind == Kind::Return;
        self.yields.count_step(event);
    }

    /// Is the reversal within the bounds and their slack? `deviations` are the steps before it at which the
    /// run took the last event of a reversal.
    pub(super) fn admits(
        &mut self,
        order: &HappensBefore,
        reversal: &Reversal,
        deviations: impl Iterator<Item = usize>,
    ) -> bool {
        let Some(last) = reversal.last.map(|last| last.event) else { return true };
        let Bounds { preemptions, yields, length } = self.bounds;
        let kept = (0..reversal.from).chain(reversal.prefix().iter().copied());
        let is_own_yield = |at: &usize| {
            let event = &order.events[*at];
            event.thread() == last.thread() && event.counts_as_yield()
        };
        if let Some(most) = yields.filter(|_| last.counts_as_yield()) {
            let own = kept.clone().filter(is_own_yield).count() + 1;
            if self.yields.are_exceeded(last.thread(), own, most) {
                self.has_cut = true;
                return false;
            }
        }
        if preemptions.is_none() && length.is_none() {
            return true;
        }
        let past = order.causal_past(deviations, kept, &last, yields.is_some());
        let threads = order.thread_count();
        if length.is_some_and(|most| past.len() > most.saturating_add(threads)) {
            self.has_cut = true;
            return false;
        }
        if preemptions.is_some_and(|most| !past.fits(most.saturating_add(threads.saturating_sub(2)))) {
            (self.has_cut, self.has_cut_by_preemptions) = (true, true);
            return false;
        }
        true
    }

    /// Chooses an awake event freely, within the bounds; the run is cut off if there is none. `last` is the
    /// last event that was no commit, and whether its thread gives way to the others.
    pub(super) fn choose(
        &mut self,
        steps: usize,
        threads: usize,
        (last, is_turn_over): (Option<&Event>, bool),
        awake: &[&Event],
    ) -> Option<EventId> {
        let Bounds { preemptions, yields, length } = self.bounds;
        // A thread that runs for ever has no pre-emptions: its run is within that bound.
        let is_turn_over = is_turn_over && preemptions.is_none();
        let turns_from = |most: usize| most.max(MAX_ENDING);
        let last_step = |most: usize| turns_from(most).saturating_add(most.saturating_mul(threads));
        let is_too_long = length.is_some_and(|most| steps >= last_step(most));
        let is_held = |event: &Event| self.yields.hold_back(event, yields);
        let allowed = awake.iter().copied().filter(|event| !is_too_long && !is_held(event));
        let is_return = |event: &&Event| event.action.kind == Kind::Return && !event.action.is_final;
        let commit = allowed.clone().find(|event| event.action.kind == Kind::Commit);
        let special = commit.or_else(|| allowed.clone().find(is_return));
        let thread = last.map(Event::thread);
        let in_turn = || allowed.clone().find(|event| Some(event.thread()) > thread);
        let chosen = if length.is_some_and(|most| steps >= turns_from(most)) {
            special.or_else(in_turn).or_else(|| allowed.clone().next())
        } else {
            special.or_else(|| next_in_turn_after(last, is_turn_over, allowed.clone()))
        };
        let chosen = chosen.map(|event| event.id);
        if chosen.is_none() && !awake.is_empty() {
            (self.is_run_cut, self.has_cut) = (true, true);
        }
        chosen
    }

    /// Does the bound on yields hold back the thread of this event?
    pub(super) fn holds_back(&self, event: &Event) -> bool {
        self.yields.hold_back(event, self.bounds.yields)
    }

    /// The events, of these, that may be explored as alternatives of the chosen one: an alternative is no
    /// reversal of a race, but it may be a timeout, or come too late in the run.
    pub(super) fn alternatives(&mut self, steps: usize, threads: usize, enabled: &[Event]) -> Vec<Event> {
        let Bounds { yields, length, .. } = self.bounds;
        let is_late = length.is_some_and(|most| steps >= most.saturating_add(threads));
        let is_allowed = |event: &&Event| !is_late && !self.yields.hold_back(event, yields);
        let allowed: Vec<Event> = enabled.iter().filter(is_allowed).copied().collect();
        self.has_cut |= allowed.len() < enabled.len();
        allowed
    }

    /// Iterative deepening: is there a next pre-emption bound? There is if the current one has cut off a
    /// run.
    pub(super) fn deepen(&mut self) -> bool {
        let current = self.bounds.preemptions.unwrap_or(usize::MAX);
        let deepens = self.has_cut_by_preemptions && self.deepens_to.is_some_and(|most| current < most);
        if deepens {
            self.bounds.preemptions = Some(current + 1);
            (self.has_cut, self.has_cut_by_preemptions) = (false, false);
        }
        deepens
    }

    /// The bounds of the whole exploration.
    pub(super) fn last_bounds(&self) -> Bounds {
        let preemptions = match self.deepens_to {
            Some(usize::MAX) => None,
            Some(most) => Some(most),
            None => self.bounds.preemptions,
        };
        Bounds { preemptions, ..self.bounds }
    }
}
