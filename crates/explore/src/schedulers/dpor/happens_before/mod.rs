//! The happens-before relation of the current run, and its reversible races.
//!
//! Happens-before is the transitive closure of the dependency of events, in the order of the run; a vector
//! clock for each event (Fidge, Mattern) represents it. Two events are in a *race* if they are dependent and
//! no event between them orders them. The race is *reversible* if the second event could have been executed
//! before the first.
//!
//! Beyond the paper: a waiting action can be disabled by one event and enabled again by another. Taking a
//! mutex disables a lock, releasing it enables the lock again. The enabling event is in no reversible race
//! with the waiting action, and the disabling event is, although the enabling event is between them.
//!
//! Stopped events are the pending events of threads that never executed them: because of a deadlock, because
//! the body returned, or because an exception interrupted the thread. They take part in races as if they
//! were executed at the end of the run (an interrupted event: instead of the exception). Without them a
//! deadlock can hide the traces around it.
//!
//! The relation of a common prefix is kept from run to run.
//!
//! Source: Abdulla, Aronis, Jonsson and Sagonas, Source Sets: A Foundation for Optimal Dynamic Partial Order
//! Reduction, JACM 64(4), 2017 (happens-before, races, reversible races).

mod causal_past;
mod clocks;
mod locks;
mod races;
mod reversible;
mod validate;

pub(super) use races::Race;

use crate::counts::{Counts, concerns_counts};
use crate::dependency::is_read_only;
use crate::enabledness::would_be_read_only;
use crate::event::{Action, Event, Kind};
use crate::ids::{ObjectId, ThreadId};
use crate::trace::Trace;
use clocks::Clocks;
use locks::is_same_announcement;

/// The happens-before relation of a run. The first `executed` events are its steps; the events after them
/// are stopped.
#[derive(Clone, Debug, Default)]
pub(crate) struct HappensBefore {
    /// All threads of any run, including phantoms. A *thread index* is an index into this list and into
    /// clocks.
    threads: Vec<ThreadId>,
    pub(super) events: Vec<Event>,
    /// The thread index of each event.
    pub(super) thread_of: Vec<usize>,
    /// The number of each event in its thread, from 1.
    number: Vec<u32>,
    /// The event of the same thread before each event.
    previous: Vec<Option<usize>>,
    /// The last event of each thread, by thread index.
    latest: Vec<Option<usize>>,
    /// For each event, the number of events of each thread that happen before it, including the event
    /// itself.
    clocks: Clocks,
    /// For each step, the number of events of each thread before it in the run.
    counts: Clocks,
    /// For each step, the index of its first entry in `enabled`.
    enabled_from: Vec<usize>,
    /// The enabled threads before each step.
    enabled: Vec<ThreadId>,
    /// For each event, the length of a prefix of the run that happens before it.
    prefix_before: Vec<usize>,
    /// For a buffered store its commit; for a commit its store; for a load from the thread's own store that
    /// store.
    partner: Vec<Option<usize>>,
    /// Each spawned thread and the event that spawned it, in the order of these events.
    spawns: Vec<(ThreadId, usize)>,
    /// May a number have been used by several threads, one after the other? A thread uses the number of a
    /// child that it has joined again.
    reuses_numbers: bool,
    /// The number of executed events.
    pub(super) executed: usize,
    /// The stopped events of the current run, each with the number of steps before it.
    stopped: Vec<(usize, Event)>,
    /// For each stopped event, the exception that interrupted it.
    interrupted_by: Vec<Option<usize>>,
    /// Is the current run over?
    is_over: bool,
    pub(super) races: Vec<Race>,
    /// The number of executed events of each thread, by thread index.
    executed_by_thread: Vec<u32>,
    /// Two clocks that are reused for each event.
    scratch_clock: Vec<u32>,
    scratch_race_clock: Vec<u32>,
}

/// The least number of threads that clocks have entries for.
const LEAST_WIDTH: usize = 4;

/// Is the first event an exception for the thread of the other?
fn interrupts(one: &Event, other: &Event) -> bool {
    one.action.kind == Kind::Throw && one.action.target == Some(other.thread())
}

impl HappensBefore {
    /// The happens-before relation of a recorded run. Takes time by the square of its length.
    pub(crate) fn of_trace(trace: &Trace) -> HappensBefore {
        let mut happens_before = HappensBefore::with_capacity(trace.len());
        for step in trace.steps() {
            // Enabled threads matter to races only, and the races of a recorded run are not used.
            happens_before.push_step(&step.event, &[]);
        }
        happens_before
    }

    /// An empty relation, with memory for so many steps.
    fn with_capacity(steps: usize) -> HappensBefore {
        HappensBefore {
            events: Vec::with_capacity(steps),
            thread_of: Vec::with_capacity(steps),
            number: Vec::with_capacity(steps),
            previous: Vec::with_capacity(steps),
            clocks: Clocks::with_capacity(steps * LEAST_WIDTH),
            counts: Clocks::with_capacity(steps * LEAST_WIDTH),
            enabled_from: Vec::with_capacity(steps),
            prefix_before: Vec::with_capacity(steps),
            partner: Vec::with_capacity(steps),
            ..HappensBefore::default()
        }
    }

    /// Becomes the empty relation, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rewind(0);
        self.threads.clear();
        self.clocks.clear();
        self.counts.clear();
        [&mut self.executed_by_thread, &mut self.scratch_clock, &mut self.scratch_race_clock]
            .into_iter()
            .for_each(Vec::clear);
        self.latest.clear();
    }

    /// The number of clock entries that there is memory for.
    pub(super) fn capacity(&self) -> usize {
        self.clocks.capacity()
    }

    /// The events, in the order of the run.
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// The index of an event's thread in clocks.
    pub(crate) fn thread_index(&self, event: usize) -> usize {
        self.thread_of[event]
    }

    /// Keeps the first steps, which the next run repeats.
    pub(super) fn rewind(&mut self, steps: usize) {
        let steps = steps.min(self.executed);
        self.is_over = false;
        self.stopped.clear();
        self.remove_stopped();
        self.executed = steps;
        for event in steps..self.events.len() {
            self.executed_by_thread[self.thread_of[event]] -= 1;
            if let Some(partner) = self.partner[event].filter(|partner| *partner < steps)
                && self.events[event].action.kind == Kind::Commit
            {
                self.partner[partner] = None;
            }
        }
        self.truncate_events(steps);
        self.enabled.truncate(self.enabled_from.get(steps).copied().unwrap_or(self.enabled.len()));
        self.enabled_from.truncate(steps);
        self.counts.truncate(steps);
        self.races.retain(|race| race.second < steps);
    }

    /// A kept step is repeated. Values, such as those of pointers, may differ from run to run although the
    /// interleaving is the same. Therefore all values that are compared come from one run.
    pub(super) fn refresh_step(&mut self, step: usize, event: &Event) {
        let known = &mut self.events[step];
        known.effect.observed = event.effect.observed;
        known.action.expected = event.action.expected;
    }

    fn remove_stopped(&mut self) {
        let executed = self.executed;
        for event in executed..self.events.len() {
            if let Some(partner) = self.partner[event].filter(|partner| *partner < executed)
                && self.events[event].action.kind == Kind::Commit
            {
                self.partner[partner] = None;
            }
        }
        self.truncate_events(executed);
        self.interrupted_by.clear();
        self.races.retain(|race| race.second < executed);
    }

    fn truncate_events(&mut self, events: usize) {
        for event in (events..self.events.len()).rev() {
            self.latest[self.thread_of[event]] = self.previous[event];
        }
        self.events.truncate(events);
        self.previous.truncate(events);
        self.thread_of.truncate(events);
        self.number.truncate(events);
        self.partner.truncate(events);
        self.prefix_before.truncate(events);
        self.clocks.truncate(events);
        while self.spawns.pop_if(|(_, spawn)| *spawn >= events).is_some() {}
    }

    /// The index of a thread; a new thread gets one.
    pub(super) fn add_thread(&mut self, thread: ThreadId) -> usize {
        if let Some(index) = self.threads.iter().position(|known| *known == thread) {
            return index;
        }
        self.threads.push(thread);
        if self.threads.len() > self.clocks.width {
            let width = (2 * self.threads.len()).max(LEAST_WIDTH);
            self.clocks.widen(width);
            self.counts.widen(width);
            self.executed_by_thread.resize(width, 0);
            self.latest.resize(width, None);
            self.scratch_clock.resize(width, 0);
            self.scratch_race_clock.resize(width, 0);
        }
        self.threads.len() - 1
    }

    /// The number of threads of any run, without phantoms.
    pub(super) fn thread_count(&self) -> usize {
        self.threads.iter().filter(|thread| !thread.is_phantom()).count()
    }

    /// The index of a thread that took part in a run.
    pub(super) fn find_thread(&self, thread: ThreadId) -> Option<usize> {
        self.threads.iter().position(|known| *known == thread)
    }

    /// The event with this number of a thread, executed or stopped, if its announcement has this kind.
    pub(super) fn find_event(&self, thread: usize, number: u32, kind: Kind) -> Option<&Event> {
        let is_it = |at: &usize| {
            (self.thread_of[*at], self.number[*at]) == (thread, number)
                && is_same_announcement(self.events[*at].action.kind, kind)
        };
        let executed = self.steps_until(thread, number).checked_sub(1).filter(is_it);
        executed.or_else(|| (self.executed..self.events.len()).find(is_it)).map(|at| &self.events[at])
    }

    /// The number of steps after which the thread had executed so many events; all steps if it never had.
    fn steps_until(&self, thread: usize, number: u32) -> usize {
        let (mut least, mut most) = (0, self.executed);
        while least < most {
            let middle = least.midpoint(most);
            if self.counts.row(middle)[thread] < number { least = middle + 1 } else { most = middle }
        }
        least
    }

    /// The number of objects that were certainly known before this step: the events that were pending then
    /// access no other objects.
    pub(super) fn objects_known(&self, step: usize) -> usize {
        let counts = self.counts.row(step);
        let is_next = |at: usize| self.number[at] == counts[self.thread_of[at]] + 1;
        let is_spawned = |at: usize| self.spawn_of_thread(at).is_none_or(|spawn| spawn < step);
        let is_announced = |at: &usize| *at < step || is_next(*at) && is_spawned(*at);
        let events = (0..self.events.len()).filter(is_announced).map(|at| &self.events[at].action);
        events.flat_map(Action::objects).map(|object| object.index() + 1).max().unwrap_or(0)
    }

    /// The event that spawned the thread of this event, or the owner of its phantom.
    fn spawn_of_thread(&self, at: usize) -> Option<usize> {
        let owner = self.events[at].thread().owner();
        self.spawns.iter().rfind(|(spawned, spawn)| *spawned == owner && *spawn < at).map(|spawn| spawn.1)
    }

    /// Adds an executed step, before which these threads were enabled.
    pub(super) fn push_step(&mut self, event: &Event, enabled: &[ThreadId]) {
        debug_assert_eq!(self.executed, self.events.len(), "steps come before stopped events");
        let thread = self.add_thread(event.thread());
        self.enabled_from.push(self.enabled.len());
        self.enabled.extend_from_slice(enabled);
        let counts = std::mem::take(&mut self.executed_by_thread);
        self.counts.push(&counts);
        self.executed_by_thread = counts;
        self.executed_by_thread[thread] += 1;
        self.push_event(event, thread, self.executed_by_thread[thread], self.executed);
        self.executed += 1;
    }

    /// Notes the pending events of threads that were stopped after so many steps.
    pub(super) fn note_stopped(&mut self, pending: &[Event], steps: usize) {
        self.stopped.extend(pending.iter().map(|event| (steps, *event)));
    }

    /// The run is over: adds the stopped events after its steps.
    pub(super) fn finish(&mut self) {
        self.is_over = true;
        let stopped = std::mem::take(&mut self.stopped);
        for (index, (steps, event)) in stopped.iter().enumerate() {
            let thread = self.add_thread(event.thread());
            let executed = self.thread_of[..*steps].iter().filter(|other| **other == thread).count();
            let is_sibling =
                |other: &&(usize, Event)| other.0 == *steps && other.1.thread() == event.thread();
            let number = executed + stopped[..index].iter().filter(is_sibling).count() + 1;
            let throw = steps.checked_sub(1).filter(|throw| interrupts(&self.events[*throw], event));
            self.interrupted_by.push(throw);
            let event = self.with_counts_at(event, *steps);
            self.push_event(&event, thread, number as u32, throw.unwrap_or(*steps));
        }
        self.find_races_of_loads_from_buffers(&stopped);
        self.stopped = stopped;
        self.stopped.clear();
    }

    /// An event that was not executed, with the effect that it would have had on the counts of its object
    /// after so many steps.
    fn with_counts_at(&self, event: &Event, steps: usize) -> Event {
        let mut event = *event;
        if concerns_counts(event.action.kind)
            && let Some(counts) = self.counts_of(event.action.object, steps)
        {
            event.effect.observed = counts.to_bits();
            event.effect.read_only = would_be_read_only(&event, counts.to_bits());
        }
        event
    }

    /// The owners of an object after so many steps, if an executed event tells.
    pub(super) fn counts_of(&self, object: Option<ObjectId>, steps: usize) -> Option<Counts> {
        let is_count = |event: &&Event| event.action.object == object && concerns_counts(event.action.kind);
        let observed = |event: &Event| Counts::from_bits(event.effect.observed);
        let next = self.events[steps..self.executed].iter().find(is_count).map(observed);
        let last = || self.events[..steps].iter().rfind(is_count).map(|last| observed(last).after(last));
        next.or_else(last)
    }

    /// Adds an event that comes, or would have come, after so many steps.
    fn push_event(&mut self, event: &Event, thread: usize, number: u32, steps: usize) {
        let at = self.events.len();
        self.events.push(*event);
        self.thread_of.push(thread);
        self.number.push(number);
        self.previous.push(self.latest[thread].replace(at));
        self.partner.push(None);
        self.partner[at] = self.find_partner(at);
        if let Some(spawned) = event.action.target.filter(|_| event.action.kind == Kind::Spawn) {
            self.reuses_numbers |= self.spawns.iter().any(|(earlier, _)| *earlier == spawned);
            self.spawns.push((spawned, at));
        }
        if event.action.kind == Kind::Commit
            && let Some(store) = self.partner[at]
        {
            self.partner[store] = Some(at);
        }
        let mut clock = std::mem::take(&mut self.scratch_clock);
        let mut race_clock = std::mem::take(&mut self.scratch_race_clock);
        let prefix = self.mandatory_clock(at, &mut clock);
        self.prefix_before.push(prefix);
        race_clock.copy_from_slice(&clock);
        self.find_races(at, prefix..steps, &mut clock, &mut race_clock);
        clock[thread] = number;
        self.clocks.push(&clock);
        (self.scratch_clock, self.scratch_race_clock) = (clock, race_clock);
    }

    fn is_stopped(&self, at: usize) -> bool {
        self.is_over && at >= self.executed
    }

    /// The exception that interrupted a stopped event.
    fn interrupted_by(&self, at: usize) -> Option<usize> {
        self.interrupted_by.get(at.checked_sub(self.executed)?).copied().flatten()
    }

    /// Does the reversal of the race show what a thread executes if an exception does not arrive?
    pub(super) fn removes_exception(&self, race: Race) -> bool {
        self.events[race.second].action.kind == Kind::Raise || self.interrupted_by(race.second).is_some()
    }

    /// Does the event change its object?
    pub(super) fn changes_object(&self, event: usize) -> bool {
        let event = &self.events[event];
        !event.action.is_buffered && !is_read_only(event)
    }

    fn enabled_at(&self, step: usize) -> &[ThreadId] {
        let to = self.enabled_from.get(step + 1).copied().unwrap_or(self.enabled.len());
        &self.enabled[self.enabled_from[step]..to]
    }

    /// The store of a commit, the commit of a store, the own store that a load reads from.
    pub(super) fn partner(&self, event: usize) -> Option<usize> {
        self.partner[event]
    }
}
