//! What happened before what in the present run, and which steps could have come the other way round.
//!
//! Happens-before is the transitive closure of the dependency of events, in the order of the run; a clock for each event
//! (Fidge, Mattern) holds it. Two events *race* if they are dependent, nothing of what happens between orders them, and
//! the second could have been done before the first. An action that has to wait can be held up by one event and let go by
//! another: a lock by those who take it and give it back. Who lets it go does not race with it, and who held it up does,
//! though there is an event between them.
//!
//! What threads were about to do when they were stopped, at a deadlock or when the body returned, is looked at in the
//! same way, as if it had been done at the end: without this a deadlock can hide the runs around it. So is what a thread waited
//! for when an exception interrupted it, as if it had been done instead of the throwing.
//!
//! Kept from run to run as far as the runs are the same.
//!
//! Source: Abdulla, Aronis, Jonsson and Sagonas, Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction,
//! JACM 64(4), 2017.

mod before;
mod clocks;
mod races;

pub(super) use races::Race;

use crate::dependency::is_read_only;
use crate::event::{Action, Event, Kind};
use crate::ids::ThreadId;
use clocks::Clocks;

/// The order of the events of a run. The first `executed` of them are its steps; those after them were stopped.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// All threads that took part in any run, phantoms too.
    threads: Vec<ThreadId>,
    pub(super) events: Vec<Event>,
    /// The place of each event's thread in `threads`.
    pub(super) place: Vec<usize>,
    /// The number of each event in its thread, from 1.
    number: Vec<u32>,
    /// The event of the same thread before each, if there is one.
    previous: Vec<Option<usize>>,
    /// The last event of each thread, by its place.
    latest: Vec<Option<usize>>,
    /// For each event, how many events of each thread happen before it, itself included.
    clocks: Clocks,
    /// For each step, how many events of each thread came before it in the run.
    counts: Clocks,
    /// For each step, the place of the first of `enabled` that is its own.
    enabled_from: Vec<usize>,
    /// Which threads could do something, step by step.
    enabled: Vec<ThreadId>,
    /// For each event, a number of first events of the run that all happen before it.
    floor: Vec<usize>,
    /// For a buffered store, its commit; for a commit, its store; for a load from the thread's own store, that store.
    partner: Vec<Option<usize>>,
    /// Who was spawned, and by which event, in the order of these.
    spawns: Vec<(ThreadId, usize)>,
    pub(super) executed: usize,
    /// What was stopped in the present run, and after how many steps.
    stopped: Vec<(usize, Event)>,
    /// For each event that was stopped, the exception that did it, if one did.
    interrupted_by: Vec<Option<usize>>,
    /// Is the present run over?
    is_over: bool,
    pub(super) races: Vec<Race>,
    /// How many events of each thread there are so far.
    so_far: Vec<u32>,
    /// Space for work.
    row: Vec<u32>,
    cover: Vec<u32>,
}

/// There is room for so many threads at least.
const LEAST_WIDTH: usize = 4;

/// Is the first an exception for the thread of the other?
fn interrupts(one: &Event, other: &Event) -> bool {
    one.action.kind == Kind::Throw && one.action.target == Some(other.thread())
}

impl Order {
    /// Empty, with room for so many steps.
    pub(super) fn with_room(steps: usize) -> Order {
        Order {
            events: Vec::with_capacity(steps),
            place: Vec::with_capacity(steps),
            number: Vec::with_capacity(steps),
            previous: Vec::with_capacity(steps),
            clocks: Clocks::with_room(steps * LEAST_WIDTH),
            counts: Clocks::with_room(steps * LEAST_WIDTH),
            enabled_from: Vec::with_capacity(steps),
            floor: Vec::with_capacity(steps),
            partner: Vec::with_capacity(steps),
            ..Order::default()
        }
    }

    /// As good as new, but for the room that it has.
    pub(super) fn clear(&mut self) {
        self.keep(0);
        self.threads.clear();
        self.clocks.clear();
        self.counts.clear();
        [&mut self.so_far, &mut self.row, &mut self.cover].into_iter().for_each(Vec::clear);
        self.latest.clear();
    }

    /// How much room there is for clocks.
    pub(super) fn room(&self) -> usize {
        self.clocks.room()
    }

    /// Keeps the first steps, which the next run takes again.
    pub(super) fn keep(&mut self, steps: usize) {
        let steps = steps.min(self.executed);
        self.is_over = false;
        self.stopped.clear();
        self.forget_stopped();
        self.executed = steps;
        for event in steps..self.events.len() {
            self.so_far[self.place[event]] -= 1;
            if let Some(partner) = self.partner[event].filter(|partner| *partner < steps)
                && self.events[event].action.kind == Kind::Commit
            {
                self.partner[partner] = None;
            }
        }
        self.cut(steps);
        self.enabled.truncate(self.enabled_from.get(steps).copied().unwrap_or(self.enabled.len()));
        self.enabled_from.truncate(steps);
        self.counts.truncate(steps);
        self.races.retain(|race| race.second < steps);
    }

    /// A step that was kept is taken again. Values may differ from run to run though nothing else does: those of pointers, say. So all that
    /// are compared are those of one run.
    pub(super) fn renew(&mut self, step: usize, event: &Event) {
        let known = &mut self.events[step];
        known.effect.observed = event.effect.observed;
        known.action.expected = event.action.expected;
    }

    fn forget_stopped(&mut self) {
        let executed = self.executed;
        for event in executed..self.events.len() {
            if let Some(partner) = self.partner[event].filter(|partner| *partner < executed)
                && self.events[event].action.kind == Kind::Commit
            {
                self.partner[partner] = None;
            }
        }
        self.cut(executed);
        self.interrupted_by.clear();
        self.races.retain(|race| race.second < executed);
    }

    fn cut(&mut self, events: usize) {
        for event in (events..self.events.len()).rev() {
            self.latest[self.place[event]] = self.previous[event];
        }
        self.events.truncate(events);
        self.previous.truncate(events);
        self.place.truncate(events);
        self.number.truncate(events);
        self.partner.truncate(events);
        self.floor.truncate(events);
        self.clocks.truncate(events);
        while self.spawns.pop_if(|(_, spawn)| *spawn >= events).is_some() {}
    }

    /// The place of a thread, which is known from now on.
    pub(super) fn place_of(&mut self, thread: ThreadId) -> usize {
        if let Some(place) = self.threads.iter().position(|known| *known == thread) {
            return place;
        }
        self.threads.push(thread);
        if self.threads.len() > self.clocks.width {
            let width = (2 * self.threads.len()).max(LEAST_WIDTH);
            self.clocks.widen(width);
            self.counts.widen(width);
            self.so_far.resize(width, 0);
            self.latest.resize(width, None);
            self.row.resize(width, 0);
            self.cover.resize(width, 0);
        }
        self.threads.len() - 1
    }

    /// The place of a thread that took part in a run.
    pub(super) fn known_place(&self, thread: ThreadId) -> Option<usize> {
        self.threads.iter().position(|known| *known == thread)
    }

    /// The event of this kind with this number of a thread, done or stopped.
    pub(super) fn find(&self, place: usize, number: u32, kind: Kind) -> Option<&Event> {
        let is_it = |at: &usize| {
            (self.place[*at], self.number[*at]) == (place, number) && self.events[*at].action.kind == kind
        };
        let done = self.after(place, number).checked_sub(1).filter(is_it);
        done.or_else(|| (self.executed..self.events.len()).find(is_it)).map(|at| &self.events[at])
    }

    /// After how many steps the thread had done so many things; all of them if it never had.
    fn after(&self, place: usize, number: u32) -> usize {
        let (mut least, mut most) = (0, self.executed);
        while least < most {
            let middle = least.midpoint(most);
            if self.counts.row(middle)[place] < number { least = middle + 1 } else { most = middle }
        }
        least
    }

    /// How many objects were surely known before this step: all that was about to be done then is about these.
    pub(super) fn objects_known(&self, step: usize) -> usize {
        let counts = self.counts.row(step);
        let is_next = |at: usize| self.number[at] == counts[self.place[at]] + 1;
        let is_there = |at: usize| self.spawn_of(self.events[at].thread()).is_none_or(|spawn| spawn < step);
        let announced = |at: &usize| *at < step || is_next(*at) && is_there(*at);
        let events = (0..self.events.len()).filter(announced).map(|at| &self.events[at].action);
        events.flat_map(Action::objects).map(|object| object.index() + 1).max().unwrap_or(0)
    }

    /// The event that spawned a thread.
    pub(super) fn spawn_of(&self, thread: ThreadId) -> Option<usize> {
        let spawn = self.spawns.iter().find(|(spawned, _)| *spawned == thread.owner())?;
        Some(spawn.1)
    }

    /// A step was done; these threads could do something before it.
    pub(super) fn step(&mut self, event: &Event, enabled: &[ThreadId]) {
        debug_assert_eq!(self.executed, self.events.len(), "steps come before what was stopped");
        let place = self.place_of(event.thread());
        self.enabled_from.push(self.enabled.len());
        self.enabled.extend_from_slice(enabled);
        let counts = std::mem::take(&mut self.so_far);
        self.counts.push(&counts);
        self.so_far = counts;
        self.so_far[place] += 1;
        self.add(event, place, self.so_far[place], self.executed);
        self.executed += 1;
    }

    /// Threads were stopped, after so many steps, that were about to do this.
    pub(super) fn stop(&mut self, left: &[Event], steps: usize) {
        self.stopped.extend(left.iter().map(|event| (steps, *event)));
    }

    /// The run is over: what was stopped follows its steps.
    pub(super) fn finish(&mut self) {
        self.is_over = true;
        let stopped = std::mem::take(&mut self.stopped);
        for (index, (steps, event)) in stopped.iter().enumerate() {
            let place = self.place_of(event.thread());
            let done = self.place[..*steps].iter().filter(|done| **done == place).count();
            let with_it = |other: &&(usize, Event)| other.0 == *steps && other.1.thread() == event.thread();
            let number = done + stopped[..index].iter().filter(with_it).count() + 1;
            let throw = steps.checked_sub(1).filter(|throw| interrupts(&self.events[*throw], event));
            self.interrupted_by.push(throw);
            self.add(event, place, number as u32, throw.unwrap_or(*steps));
        }
        self.stopped = stopped;
        self.stopped.clear();
    }

    /// Adds an event that came, or would have come, after so many steps.
    fn add(&mut self, event: &Event, place: usize, number: u32, steps: usize) {
        let at = self.events.len();
        self.events.push(*event);
        self.place.push(place);
        self.number.push(number);
        self.previous.push(self.latest[place].replace(at));
        self.partner.push(None);
        self.partner[at] = self.find_partner(at);
        if let Some(spawned) = event.action.target.filter(|_| event.action.kind == Kind::Spawn) {
            self.spawns.push((spawned, at));
        }
        if event.action.kind == Kind::Commit
            && let Some(store) = self.partner[at]
        {
            self.partner[store] = Some(at);
        }
        let mut row = std::mem::take(&mut self.row);
        let mut cover = std::mem::take(&mut self.cover);
        let floor = self.begin_clock(at, &mut row);
        self.floor.push(floor);
        cover.copy_from_slice(&row);
        self.find_races(at, floor..steps, &mut row, &mut cover);
        row[place] = number;
        self.clocks.push(&row);
        (self.row, self.cover) = (row, cover);
    }

    fn was_stopped(&self, at: usize) -> bool {
        self.is_over && at >= self.executed
    }

    /// The exception that kept the event from being done.
    fn interrupted_by(&self, at: usize) -> Option<usize> {
        self.interrupted_by.get(at.checked_sub(self.executed)?).copied().flatten()
    }

    /// Is the second event of the race what a thread does where an exception does not come?
    pub(super) fn is_without_exception(&self, race: Race) -> bool {
        self.events[race.second].action.kind == Kind::Raise || self.interrupted_by(race.second).is_some()
    }

    /// Does the event write to its object?
    pub(super) fn changes(&self, event: usize) -> bool {
        let event = &self.events[event];
        !event.action.is_buffered && !is_read_only(event)
    }

    fn enabled_at(&self, step: usize) -> &[ThreadId] {
        let to = self.enabled_from.get(step + 1).copied().unwrap_or(self.enabled.len());
        &self.enabled[self.enabled_from[step]..to]
    }

    /// The store that a commit commits, the commit of a store, the store that a load reads from its own thread.
    pub(super) fn partner(&self, event: usize) -> Option<usize> {
        self.partner[event]
    }
}
