//! Sequences of events that are still to be run.
//!
//! Where two events of a run race, there are runs in which the second comes first. The *reversal* of the race is the
//! beginning of one: from the step before the first event on, all that does not happen after the first, then the second.
//! (Where the second takes a lock alone that several have for reading, all of these are left out.)
//!
//! A *weak initial* of a sequence is an event that some run may begin with that goes on like the sequence: an event of
//! it that nothing in it happens before, or one of another thread that is independent of all of it.
//!
//! Source: Abdulla, Aronis, Jonsson and Sagonas, JACM 64(4), 2017, §7. The last event of a reversal meets another
//! state than it met in the run; how it turns out there is worked out from what the first event found.

use super::order::{Order, Race};
use crate::dependency::dependent;
use crate::event::{Event, Kind, Source};
use crate::ids::ThreadId;
use crate::open::would_be_read_only;

/// The reversal of a race.
#[derive(Clone, Debug, Default)]
pub(super) struct Reversal {
    /// Where it begins: the step of the race's first event.
    pub(super) from: usize,
    /// The events before its last one, by their places in the run, in order.
    before: Vec<usize>,
    /// Those of them that are not taken yet, while a tree is descended.
    is_taken: Vec<bool>,
    /// So many of the first are taken, and perhaps others.
    done: usize,
    /// For each thread, how many events it had before, and those that were taken.
    pub(super) reached: Vec<u32>,
    /// Threads of which it is not known what they do next: those of branches that were descended into and are not in the sequence, and that of the
    /// last event, once it is taken.
    pub(super) beside: Vec<ThreadId>,
    /// Was there a branch of which it could not be told whether it leads to this?
    pub(super) is_uncertain: bool,
    /// May somebody sleep at its end?
    pub(super) is_doubtful: bool,
    /// How many objects were known where it begins, once somebody has asked.
    pub(super) known: Option<usize>,
    pub(super) last: Option<Last>,
}

/// What a reversal makes of an event that it could begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Took {
    /// It cannot.
    Nothing,
    /// It is the next of its thread in the reversal, which is taken.
    Itself,
    /// It is not in the reversal, and makes no difference to it.
    Beside,
}

impl Took {
    fn itself_if(is_taken: bool) -> Took {
        if is_taken { Took::Itself } else { Took::Nothing }
    }

    fn beside_if(is_independent: bool) -> Took {
        if is_independent { Took::Beside } else { Took::Nothing }
    }
}

/// The last event of a reversal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) event: Event,
    pub(super) is_taken: bool,
}

impl Reversal {
    /// Becomes the reversal of a race.
    pub(super) fn set(&mut self, order: &Order, race: Race) {
        let Race { first, second, most, .. } = race;
        self.from = first;
        self.before.clear();
        let left_out = order.left_out_too(race);
        let is_after_first = order.after_event(first);
        let is_left_out = |event: usize| {
            is_after_first(event)
                || left_out.iter().any(|gone| *gone <= event && order.is_after(*gone, event))
        };
        self.before.extend((first + 1..order.executed).filter(|event| !is_left_out(*event)));
        // Commits that were stopped, and that this one comes after.
        self.before.extend((order.executed..order.events.len()).filter(|event| {
            *event != second
                && order.events[*event].action.kind == Kind::Commit
                && order.is_after(*event, second)
        }));
        self.before.truncate(most);
        self.is_taken.clear();
        self.is_taken.resize(self.before.len(), false);
        self.done = 0;
        self.known = None;
        self.reached.clear();
        self.reached.extend_from_slice(order.count(first));
        self.beside.clear();
        (self.is_uncertain, self.is_doubtful) = (false, false);
        self.last = Some(Last { event: self.turned_out(order, second), is_taken: false });
    }

    /// As good as new, but for the room that it has.
    pub(super) fn clear(&mut self) {
        let Reversal { mut before, mut is_taken, mut reached, mut beside, .. } = std::mem::take(self);
        before.clear();
        is_taken.clear();
        reached.clear();
        beside.clear();
        *self = Reversal { before, is_taken, reached, beside, ..Reversal::default() };
    }

    /// The last event turns out like this.
    pub(super) fn set_last(&mut self, event: Event) {
        self.last = Some(Last { event, is_taken: false });
    }

    /// The events before the last one, by their places in the run.
    pub(super) fn before(&self) -> &[usize] {
        &self.before
    }

    /// An event of the reversal as it turns out there, where commits are done that this says. A load that reads its thread's own store finds that in
    /// the buffer as long as it is not committed: others that write there meanwhile do not come after the load.
    fn event_where(&self, order: &Order, at: usize, is_done: impl Fn(usize) -> bool) -> Event {
        let mut event = order.events[at];
        if event.action.kind == Kind::Load
            && event.action.source != Source::Memory
            && let Some(store) = order.partner(at).filter(|store| order.events[*store].action.is_buffered)
        {
            let is_committed =
                order.partner(store).is_some_and(|commit| commit < self.from || is_done(commit));
            event.action.source = if is_committed { Source::Own } else { Source::Buffer };
        }
        event
    }

    /// An event as it turns out where all of the reversal is done.
    fn event(&self, order: &Order, at: usize) -> Event {
        self.event_where(order, at, |commit| self.before.binary_search(&commit).is_ok())
    }

    /// An event as it turns out after what was taken, and these.
    pub(super) fn event_after(&self, order: &Order, at: usize, earlier: &[usize]) -> Event {
        let is_taken = |commit: usize| {
            self.before.binary_search(&commit).is_ok_and(|index| self.is_taken[index])
                || earlier.contains(&commit)
        };
        self.event_where(order, at, is_taken)
    }

    /// How the last event turns out at its new place.
    fn turned_out(&self, order: &Order, second: usize) -> Event {
        let mut event = order.events[second];
        let object = event.action.object;
        if !order.concerns(self.from, object) {
            return event;
        }
        if event.action.kind == Kind::Load {
            event.action.source = self.source(order, &event);
            return event;
        }
        // Senders that go leave a channel as it is, for those who look whether there is something in it.
        let on_object =
            |at: &usize| order.concerns(*at, object) && order.events[*at].action.kind != Kind::Leave;
        let changed = self.before.iter().copied().filter(on_object).rfind(|at| order.changes(*at));
        let found = match changed {
            // What the next one found after the last change that is left.
            Some(at) => (at + 1..=second).find(on_object).map_or(0, |next| order.found(next, object)),
            None => order.found(self.from, object),
        };
        event.effect.read_only = would_be_read_only(&event, found);
        event
    }

    /// Whose store a load reads at its new place.
    fn source(&self, order: &Order, load: &Event) -> Source {
        let is_there = |at: usize| at < self.from || self.before.binary_search(&at).is_ok();
        let object = load.action.object;
        let is_store = |at: &usize| {
            let event = &order.events[*at];
            event.thread() == load.thread()
                && event.action.object == object
                && event.action.kind == Kind::Store
        };
        let Some(store) = (0..order.executed).filter(|at| is_there(*at)).rfind(is_store) else {
            return Source::Memory;
        };
        let written = if order.events[store].action.is_buffered {
            match order.partner(store).filter(|commit| is_there(*commit)) {
                Some(commit) => commit,
                None => return Source::Buffer,
            }
        } else {
            store
        };
        let others = (written + 1..order.executed).filter(|at| is_there(*at) && order.changes(*at));
        let is_overwritten = others.into_iter().any(|at| order.events[at].action.object == object);
        if is_overwritten { Source::Memory } else { Source::Own }
    }

    /// Is nothing left of it?
    pub(super) fn is_empty(&self) -> bool {
        self.left().next().is_none() && self.last.as_ref().is_none_or(|last| last.is_taken)
    }

    /// The events that are left, and the last, in order.
    pub(super) fn left(&self) -> impl Iterator<Item = usize> {
        let rest = self.before[self.done..].iter().zip(&self.is_taken[self.done..]);
        rest.filter(|(_, taken)| !**taken).map(|(event, _)| *event)
    }

    /// The events that were taken, in order.
    pub(super) fn taken(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.before.iter().zip(&self.is_taken).filter(|(_, taken)| **taken).map(|(event, _)| *event)
    }

    /// Is this event, of the state that the reversal begins in or that was reached by taking some of it, a weak initial
    /// of what is left? Then it is taken, if it is in it.
    pub(super) fn takes(&mut self, order: &Order, event: &Event, any_way: bool) -> bool {
        self.take(order, event, any_way) != Took::Nothing
    }

    pub(super) fn take(&mut self, order: &Order, event: &Event, any_way: bool) -> Took {
        let thread = event.thread();
        let next = order.known_place(thread).and_then(|place| {
            let mut rest = self.before[self.done..].iter().zip(&self.is_taken[self.done..]);
            rest.position(|(at, taken)| !taken && order.place[*at] == place)
        });
        if let Some(next) = next.map(|next| self.done + next) {
            let at = self.before[next];
            let is_initial = (any_way || order.events[at].id == event.id) && self.is_minimal(order, at);
            if is_initial {
                self.is_taken[next] = true;
                self.done += self.is_taken[self.done..].iter().take_while(|taken| **taken).count();
                self.reached[order.place[at]] += 1;
            }
            return Took::itself_if(is_initial);
        }
        let Some(last) = self.last.as_mut().filter(|last| !last.is_taken) else {
            return Took::beside_if(self.is_independent(order, event, None));
        };
        let last_event = last.event;
        if last_event.thread() != thread {
            return Took::beside_if(self.is_independent(order, event, Some(&last_event)));
        }
        let same_way = any_way || last_event.action.is_plural || last_event.id == event.id;
        let is_initial = same_way && self.is_independent(order, &last_event, None);
        if is_initial && let Some(last) = &mut self.last {
            last.is_taken = true;
            // It met another state than in the run, so what its thread does next may be something else.
            self.beside.push(thread);
        }
        Took::itself_if(is_initial)
    }

    /// Does nothing that is left happen before this event?
    pub(super) fn is_minimal(&self, order: &Order, event: usize) -> bool {
        let own = order.place[event];
        let clock = order.clock(event).iter().zip(&self.reached).enumerate();
        clock.into_iter().all(|(place, (before, reached))| place == own || before <= reached)
    }

    /// Is this event, which is not among those that are left, independent of them?
    fn is_independent(&self, order: &Order, event: &Event, last: Option<&Event>) -> bool {
        let mut event = *event;
        let store = self.store_of(order, &event);
        for at in self.left() {
            if dependent(&event, &self.event(order, at)) {
                return false;
            }
            if store.is_some() && order.partner(at) == store && order.events[at].action.kind == Kind::Commit {
                event.action.source = Source::Own;
            }
        }
        last.is_none_or(|last| !dependent(&event, last))
    }

    /// The store that a load reads from its thread's buffer.
    fn store_of(&self, order: &Order, event: &Event) -> Option<usize> {
        if event.action.kind != Kind::Load || event.action.source != Source::Buffer {
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
