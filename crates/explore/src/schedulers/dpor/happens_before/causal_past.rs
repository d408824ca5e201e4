//! The causal past of some events of a race reversal, and the fewest pre-emptions of its linearisations.
//!
//! A pre-emption shows when its thread continues. If an event never blocks and the event before it in its
//! thread was no yield, a context switch between the two is a pre-emption in every run. The number of such
//! switches is a lower bound of the number of pre-emptions of a run, and a run has at least as many of them
//! as each of its causal pasts.
//!
//! The search runs a thread as far as the order allows, or up to an event before which a context switch is
//! free. Commits belong to no thread here, and are executed as soon as they are ready.
//!
//! Promise: [`CausalPast::fits`] is false only if each linearisation of each run that contains the past
//! has more pre-emptions. If the search takes too long, it is true.

use super::HappensBefore;
use super::clocks::join;
use crate::dependency::dependent;
use crate::enabledness::may_block;
use crate::event::{Event, Kind};
use crate::light::Candidate;
use std::collections::HashMap;

/// The greatest number of steps that the search for a linearisation executes.
const MAX_STEPS: usize = 20_000;

/// A set of events that contains all events that happen before one of them.
#[derive(Debug)]
pub(in super::super) struct CausalPast {
    /// The events of each thread, by thread index.
    threads: Vec<Thread>,
    /// The number of events.
    length: usize,
}

#[derive(Debug, Default)]
struct Thread {
    is_phantom: bool,
    events: Vec<PastEvent>,
}

#[derive(Debug)]
struct PastEvent {
    /// The number of events of each thread that happen before it.
    clock: Vec<u32>,
    /// Would a context switch before this event be a pre-emption?
    was_enabled: bool,
}

/// The number of executed events of each thread.
type Executed = Vec<u32>;

impl HappensBefore {
    /// The causal past of these steps and of the last event of a reversal. `kept` are the steps before the
    /// reversal and its events before the last, in order. `yields_are_held`: a bound may hold back a thread
    /// that is about to yield.
    pub(in super::super) fn causal_past(
        &self,
        steps: impl Iterator<Item = usize>,
        kept: impl Iterator<Item = usize> + Clone,
        last: &Event,
        yields_are_held: bool,
    ) -> CausalPast {
        let mut last_clock = vec![0; self.clocks.width];
        for event in kept.clone().filter(|event| dependent(&self.events[*event], last)) {
            join(&mut last_clock, self.clocks.row(event));
        }
        let mut past = last_clock.clone();
        steps.for_each(|step| join(&mut past, self.clocks.row(step)));
        let mut threads: Vec<Thread> = Vec::new();
        threads.resize_with(self.threads.len(), Thread::default);
        let mut before: Vec<Option<&Event>> = vec![None; self.threads.len()];
        // The threads that may have stores in their buffers.
        let mut has_stores = vec![false; self.threads.len()];
        let mut length = 0;
        let events = kept.filter(|event| self.number[*event] <= past[self.thread_of[*event]]);
        let events = events.map(|at| (&self.events[at], self.thread_of[at], self.clocks.row(at)));
        let own = self.find_thread(last.thread()).map(|own| (last, own, &last_clock[..]));
        for (event, thread, clock) in events.chain(own) {
            let previous = before[thread].replace(event);
            let may_wait =
                event.action.drains && has_stores[thread] || yields_are_held && event.counts_as_yield();
            let was_enabled = !may_wait && previous.is_some_and(|previous| stays_enabled(previous, event));
            has_stores[thread] = event.action.is_buffered || has_stores[thread] && !event.action.drains;
            threads[thread].is_phantom = event.thread().is_phantom();
            threads[thread].events.push(PastEvent { clock: clock.to_vec(), was_enabled });
            length += 1;
        }
        CausalPast { threads, length }
    }
}

/// Is a thread enabled after the first event, with the second as its next one, until it executes it, as far
/// as its own stores do not matter?
fn stays_enabled(previous: &Event, event: &Event) -> bool {
    let action = &event.action;
    !previous.counts_as_yield()
        && !may_block(action)
        && !action.has_alternatives
        && !matches!(action.kind, Kind::Raise | Kind::Sleep | Kind::TimeOut | Kind::Spurious)
}

impl CausalPast {
    /// The number of events.
    pub(in super::super) fn len(&self) -> usize {
        self.length
    }

    /// Is there a linearisation with at most so many pre-emptions?
    pub(in super::super) fn fits(&self, most: usize) -> bool {
        let resumptions = self.threads.iter().flat_map(|thread| &thread.events);
        if resumptions.filter(|event| event.was_enabled).count() <= most {
            return true;
        }
        let mut open: Vec<(Executed, usize)> = vec![(vec![0; self.threads.len()], 0)];
        let (mut least, mut steps): (HashMap<Executed, usize>, usize) = (HashMap::new(), 0);
        while let Some((executed, cost)) = open.pop() {
            let before = open.len();
            let mut can_continue = false;
            for thread in 0..self.threads.len() {
                if self.threads[thread].is_phantom || !self.is_next_ready(&executed, thread) {
                    continue;
                }
                can_continue = true;
                steps += self.run(executed.clone(), thread, cost, &mut open);
            }
            if !can_continue || steps > MAX_STEPS {
                // All events are executed, or it is unknown how they could be.
                return true;
            }
            let mut index = before;
            while index < open.len() {
                let (executed, cost) = &open[index];
                let is_worse = least.get(executed).is_some_and(|known| known <= cost);
                if *cost > most || is_worse {
                    open.swap_remove(index);
                } else {
                    least.insert(executed.clone(), *cost);
                    index += 1;
                }
            }
        }
        false
    }

    /// Runs a thread, and adds the states in which a context switch may follow, each with its cost. Returns
    /// the number of executed events.
    fn run(
        &self,
        mut executed: Executed,
        thread: usize,
        cost: usize,
        open: &mut Vec<(Executed, usize)>,
    ) -> usize {
        let mut steps = 0;
        loop {
            executed[thread] += 1;
            steps += 1 + self.commit(&mut executed);
            let Some(next) = self.next(&executed, thread) else {
                open.push((executed, cost));
                return steps;
            };
            if !self.is_ready(&executed, thread, next) {
                open.push((executed, cost + usize::from(next.was_enabled)));
                return steps;
            }
            if !next.was_enabled {
                open.push((executed.clone(), cost));
            }
        }
    }

    /// Executes all commits that are ready. Returns their number.
    fn commit(&self, executed: &mut Executed) -> usize {
        let mut steps = 0;
        let phantoms = || (0..self.threads.len()).filter(|thread| self.threads[*thread].is_phantom);
        while let Some(phantom) = phantoms().find(|phantom| self.is_next_ready(executed, *phantom)) {
            executed[phantom] += 1;
            steps += 1;
        }
        steps
    }

    fn next(&self, executed: &Executed, thread: usize) -> Option<&PastEvent> {
        self.threads[thread].events.get(executed[thread] as usize)
    }

    fn is_next_ready(&self, executed: &Executed, thread: usize) -> bool {
        self.next(executed, thread).is_some_and(|event| self.is_ready(executed, thread, event))
    }

    /// Are all events of other threads executed that happen before this event?
    fn is_ready(&self, executed: &Executed, own: usize, event: &PastEvent) -> bool {
        let mut entries = event.clock.iter().zip(executed).enumerate();
        entries.all(|(thread, (before, executed))| thread == own || before <= executed)
    }
}
