//! Race reversals: sequences of events that are still to be explored.
//!
//! A run with a reversible race has counterparts in which the second event comes first. The *reversal* of
//! the race is a prefix of one: starting in the state before the first event, all later events that do not
//! happen after the first, then the second event (in the paper `v = notdep(e, E).proc(e')`). For a
//! reader that waits for several waiting writers, the reversal leaves out all of these writers.
//!
//! A *weak initial* of a sequence is an event that begins some run which continues like the sequence: an
//! event of the sequence that no other event in it happens before (an *initial*), or an event of another
//! thread that is independent of the whole sequence.
//!
//! The last event of a reversal meets another state than in the run. Its effect there is predicted from the
//! state that the first event observed. The counts of an object's owners are known exactly, because every
//! event changes them by a known number.
//!
//! Source: Abdulla, Aronis, Jonsson and Sagonas, JACM 64(4), 2017, §7.

use super::happens_before::{HappensBefore, Race};
use crate::counts::{self, concerns_counts};
use crate::dependency::dependent;
use crate::enabledness::would_be_read_only;
use crate::event::{Event, Kind, ReadsFrom};
use crate::ids::ThreadId;

/// The reversal of a race, and which of its events are taken while it descends into a wake-up tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Reversal {
    /// The step of the race's first event: the reversal starts before it.
    pub(super) from: usize,
    /// The events before the last one, by their indices in the run, in order.
    prefix: Vec<usize>,
    /// For each event of the prefix: is it taken?
    is_taken: Vec<bool>,
    /// The number of events at the start of the prefix that are all taken.
    taken_from_start: usize,
    /// For each thread, the number of its events before the reversal, and in its taken part.
    pub(super) reached: Vec<u32>,
    /// Threads with an unknown next event: the threads of weak initials outside of the sequence, and the
    /// thread of the last event once it is taken.
    pub(super) unknown_threads: Vec<ThreadId>,
    /// The weak initials outside of the sequence that were taken, and change counts of owners.
    pub(super) changes_outside: Vec<Event>,
    /// Is there a branch of which it is unknown whether it leads to this reversal?
    pub(super) is_ambiguous: bool,
    /// May an event still be asleep at the end of the reversal?
    pub(super) may_stay_asleep: bool,
    /// The number of objects that are known at the start, computed on demand.
    pub(super) known_objects: Option<usize>,
    pub(super) last: Option<LastEvent>,
}

/// The role of an event at the start of a reversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WeakInitial {
    /// It is no weak initial.
    No,
    /// It is the next event of its thread in the sequence, and no event of the sequence happens before it.
    InSequence,
    /// It is not in the sequence, and independent of it.
    Independent,
}

impl WeakInitial {
    fn in_sequence_if(is_initial: bool) -> WeakInitial {
        if is_initial { WeakInitial::InSequence } else { WeakInitial::No }
    }

    fn independent_if(is_independent: bool) -> WeakInitial {
        if is_independent { WeakInitial::Independent } else { WeakInitial::No }
    }
}

/// The last event of a reversal.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastEvent {
    pub(super) event: Event,
    pub(super) is_taken: bool,
}

impl Reversal {
    /// Becomes the reversal of a race.
    pub(super) fn set(&mut self, order: &HappensBefore, race: Race) {
        let Race { first, second, max_prefix, after, .. } = race;
        self.from = first;
        self.prefix.clear();
        let also_removed = order.also_removed(race);
        let is_after_first = order.successors_of(first);
        let is_removed = |event: usize| {
            is_after_first(event)
                || also_removed.iter().any(|gone| *gone <= event && order.is_ordered(*gone, event))
        };
        self.prefix.extend((first + 1..order.executed).filter(|event| !is_removed(*event)));
        // The stopped commits that happen before the second event.
        let comes_first = |event: usize| {
            order.is_ordered(event, second) || after.is_some_and(|after| order.is_ordered(event, after))
        };
        self.prefix.extend((order.executed..order.events.len()).filter(|event| {
            *event != second && order.events[*event].action.kind == Kind::Commit && comes_first(*event)
        }));
        self.prefix.truncate(max_prefix);
        self.is_taken.clear();
        self.is_taken.resize(self.prefix.len(), false);
        self.taken_from_start = 0;
        self.known_objects = None;
        self.reached.clear();
        self.reached.extend_from_slice(order.counts_before(first));
        self.unknown_threads.clear();
        self.changes_outside.clear();
        (self.is_ambiguous, self.may_stay_asleep) = (false, false);
        let on_lock = order.predict_on_lock(race, &also_removed);
        let event = on_lock.unwrap_or_else(|| self.predict(order, second));
        self.last = Some(LastEvent { event, is_taken: false });
    }

    /// Becomes empty, and keeps the memory.
    pub(super) fn clear(&mut self) {
        let Reversal { mut prefix, mut is_taken, mut reached, mut unknown_threads, .. } =
            std::mem::take(self);
        prefix.clear();
        is_taken.clear();
        reached.clear();
        unknown_threads.clear();
        *self = Reversal { prefix, is_taken, reached, unknown_threads, ..Reversal::default() };
    }

    /// Replaces the last event by the one that a probe executed.
    pub(super) fn set_last(&mut self, event: Event) {
        self.last = Some(LastEvent { event, is_taken: false });
    }

    /// The events before the last one, by their indices in the run.
    pub(super) fn prefix(&self) -> &[usize] {
        &self.prefix
    }

    /// An event of the reversal, in a state in which the commits are executed that `is_executed` accepts. A
    /// load from its thread's own store reads it from the buffer until the store is committed: writes of
    /// other threads before the commit do not happen before the load.
    fn event_given(&self, order: &HappensBefore, at: usize, is_executed: impl Fn(usize) -> bool) -> Event {
        let mut event = order.events[at];
        if event.action.kind == Kind::Load
            && event.action.reads_from != ReadsFrom::Memory
            && let Some(store) = order.partner(at).filter(|store| order.events[*store].action.is_buffered)
        {
            let is_committed =
                order.partner(store).is_some_and(|commit| commit < self.from || is_executed(commit));
            event.action.reads_from = if is_committed { ReadsFrom::Own } else { ReadsFrom::Buffer };
        }
        event
    }

    /// An event in the state after the whole prefix.
    fn event_at_end(&self, order: &HappensBefore, at: usize) -> Event {
        self.event_given(order, at, |commit| self.prefix.binary_search(&commit).is_ok())
    }

    /// An event in the state after the taken events and these.
    pub(super) fn event_after(&self, order: &HappensBefore, at: usize, earlier: &[usize]) -> Event {
        let is_executed = |commit: usize| {
            self.prefix.binary_search(&commit).is_ok_and(|index| self.is_taken[index])
                || earlier.contains(&commit)
        };
        let mut event = self.event_given(order, at, is_executed);
        if concerns_counts(event.action.kind) {
            let earlier = self.taken().chain(earlier.iter().copied()).map(|at| &order.events[at]);
            event.effect.observed = self.counts_after(order, &event, earlier.chain(&self.changes_outside));
        }
        event
    }

    /// The last event in the state after the whole sequence and the taken events outside of it.
    pub(super) fn last_event(&self) -> Option<Event> {
        let last = self.last.as_ref().filter(|last| !last.is_taken)?;
        Some(self.changes_outside.iter().fold(last.event, |event, change| counts::after(&event, change)))
    }

    /// The owners of an event's object after these events, from the start of the reversal on.
    fn counts_after<'e>(
        &self,
        order: &HappensBefore,
        event: &Event,
        earlier: impl Iterator<Item = &'e Event>,
    ) -> u64 {
        let object = event.action.object;
        let Some(counts) = order.counts_of(object, self.from) else { return event.effect.observed };
        let changes = earlier.filter(|change| change.action.object == object);
        changes.fold(counts, |counts, change| counts.after(change)).to_bits()
    }

    /// The second event of the race, with its predicted effect at the end of the reversal.
    fn predict(&self, order: &HappensBefore, second: usize) -> Event {
        let mut event = order.events[second];
        let object = event.action.object;
        if event.action.kind.changes_proposition() {
            // Whether it changes the proposition in another state is not known: it counts as a change.
            event.effect.read_only = false;
            event.effect.affects_outcome = event.action.footprint.writes != 0;
            return event;
        }
        if order.events[self.from].action.kind != Kind::Return && !event.action.kind.concerns_formulas() {
            // Whether it fails in another state is unknown. If it does, the run that has it after the return
            // of the body shows the race of the two. A run that has it after the return, beside a failure
            // before the return, can be left out: it has the outcome of a run in which the thread waits.
            event.effect.affects_outcome = false;
        }
        if concerns_counts(event.action.kind) {
            let earlier = self.prefix.iter().map(|at| &order.events[*at]);
            event.effect.observed = self.counts_after(order, &event, earlier);
            event.effect.read_only = would_be_read_only(&event, event.effect.observed);
            return event;
        }
        if !order.accesses_object(self.from, object) {
            return event;
        }
        if event.action.kind == Kind::Load {
            event.action.reads_from = self.reads_from(order, &event);
            return event;
        }
        // Dropping a sender does not change whether a channel holds a message.
        let is_access =
            |at: &usize| order.accesses_object(*at, object) && order.events[*at].action.kind != Kind::Leave;
        let last_change = self.prefix.iter().copied().filter(is_access).rfind(|at| order.changes_object(*at));
        let observed = match last_change {
            // The next access in the run observes the state after the last change of the prefix.
            Some(at) => {
                (at + 1..=second).find(is_access).map_or(0, |next| order.observed_state(next, object))
            }
            None => order.observed_state(self.from, object),
        };
        event.effect.read_only = would_be_read_only(&event, observed);
        event
    }

    /// The store that a load reads from at the end of the reversal.
    fn reads_from(&self, order: &HappensBefore, load: &Event) -> ReadsFrom {
        let is_kept = |at: usize| at < self.from || self.prefix.binary_search(&at).is_ok();
        let object = load.action.object;
        let is_store = |at: &usize| {
            let event = &order.events[*at];
            event.thread() == load.thread()
                && event.action.object == object
                && event.action.kind == Kind::Store
        };
        let Some(store) = (0..order.executed).filter(|at| is_kept(*at)).rfind(is_store) else {
            return ReadsFrom::Memory;
        };
        let written = if order.events[store].action.is_buffered {
            match order.partner(store).filter(|commit| is_kept(*commit)) {
                Some(commit) => commit,
                None => return ReadsFrom::Buffer,
            }
        } else {
            store
        };
        let changes = (written + 1..order.executed).filter(|at| is_kept(*at) && order.changes_object(*at));
        let is_overwritten = changes.into_iter().any(|at| order.events[at].action.object == object);
        if is_overwritten { ReadsFrom::Memory } else { ReadsFrom::Own }
    }

    /// Are all events taken?
    pub(super) fn is_empty(&self) -> bool {
        self.remaining().next().is_none() && self.last.as_ref().is_none_or(|last| last.is_taken)
    }

    /// The events of the prefix that are not taken, in order.
    pub(super) fn remaining(&self) -> impl Iterator<Item = usize> {
        let start = self.taken_from_start;
        let rest = self.prefix[start..].iter().zip(&self.is_taken[start..]);
        rest.filter(|(_, taken)| !**taken).map(|(event, _)| *event)
    }

    /// The events of the prefix that are taken, in order.
    pub(super) fn taken(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.prefix.iter().zip(&self.is_taken).filter(|(_, taken)| **taken).map(|(event, _)| *event)
    }

    /// Is this event a weak initial of the remaining sequence? Then it is taken, if it is in the sequence.
    pub(super) fn takes(&mut self, order: &HappensBefore, event: &Event, any_alternative: bool) -> bool {
        self.take(order, event, any_alternative) != WeakInitial::No
    }

    /// The role of an event of the present state: the state at the start of the reversal, or after its taken
    /// events. An event in the sequence is taken. `any_alternative`: the event stands for all alternatives
    /// of its thread.
    pub(super) fn take(
        &mut self,
        order: &HappensBefore,
        event: &Event,
        any_alternative: bool,
    ) -> WeakInitial {
        let thread = event.thread();
        let next = order.find_thread(thread).and_then(|thread| {
            let start = self.taken_from_start;
            let mut rest = self.prefix[start..].iter().zip(&self.is_taken[start..]);
            rest.position(|(at, taken)| !taken && order.thread_of[*at] == thread)
        });
        if let Some(next) = next.map(|next| self.taken_from_start + next) {
            return WeakInitial::in_sequence_if(self.take_from_prefix(order, next, event, any_alternative));
        }
        let Some(last) = self.last.as_mut().filter(|last| !last.is_taken) else {
            return WeakInitial::independent_if(self.is_independent(order, event, None));
        };
        let last_event = last.event;
        if last_event.thread() != thread {
            return WeakInitial::independent_if(self.is_independent(order, event, Some(&last_event)));
        }
        let is_same = any_alternative || last_event.action.has_alternatives || last_event.id == event.id;
        let is_initial = is_same && self.is_last_independent(order, &last_event);
        if is_initial && let Some(last) = &mut self.last {
            last.is_taken = true;
            // It met another state than in the run, so the next event of its thread may differ.
            self.unknown_threads.push(thread);
        }
        WeakInitial::in_sequence_if(is_initial)
    }

    /// Takes the event at this index of the prefix, if it is an initial and the same as the given event.
    fn take_from_prefix(
        &mut self,
        order: &HappensBefore,
        index: usize,
        event: &Event,
        any_alternative: bool,
    ) -> bool {
        let at = self.prefix[index];
        let is_initial = (any_alternative || order.events[at].id == event.id) && self.is_minimal(order, at);
        if is_initial {
            self.is_taken[index] = true;
            let rest = &self.is_taken[self.taken_from_start..];
            self.taken_from_start += rest.iter().take_while(|taken| **taken).count();
            self.reached[order.thread_of[at]] += 1;
        }
        is_initial
    }

    /// Does no remaining event happen before this one?
    pub(super) fn is_minimal(&self, order: &HappensBefore, event: usize) -> bool {
        let own = order.thread_of[event];
        let entries = order.clock(event).iter().zip(&self.reached).enumerate();
        entries.into_iter().all(|(thread, (before, reached))| thread == own || before <= reached)
    }

    /// Is this event, which is enabled before the remaining sequence and not in it, independent of it?
    fn is_independent(&self, order: &HappensBefore, event: &Event, last: Option<&Event>) -> bool {
        let mut event = *event;
        let store = self.store_in_buffer(order, &event);
        for at in self.remaining() {
            let next = self.event_at_end(order, at);
            event = counts::after(&event, &next);
            if dependent(&event, &next) {
                return false;
            }
            if store.is_some() && order.partner(at) == store && order.events[at].action.kind == Kind::Commit {
                event.action.reads_from = ReadsFrom::Own;
            }
        }
        last.is_none_or(|last| !dependent(&counts::after(&event, last), last))
    }

    /// Is the last event independent of the remaining events before it?
    fn is_last_independent(&self, order: &HappensBefore, last: &Event) -> bool {
        if !concerns_counts(last.action.kind) {
            return self.is_independent(order, last, None);
        }
        // The counts that it observes are those after the remaining events.
        self.remaining().all(|at| !dependent(last, &self.event_at_end(order, at)))
    }

    /// The store that a load reads from its thread's buffer.
    fn store_in_buffer(&self, order: &HappensBefore, event: &Event) -> Option<usize> {
        if event.action.kind != Kind::Load || event.action.reads_from != ReadsFrom::Buffer {
            return None;
        }
        let is_store = |at: &usize| {
            let before = &order.events[*at];
            let same = before.thread() == event.thread() && before.action.object == event.action.object;
            same && before.action.kind == Kind::Store
        };
        (0..self.from).chain(self.taken()).rfind(is_store)
    }
}
