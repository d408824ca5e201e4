//! Store buffers: the stores of each thread that other threads do not see yet.
//!
//! Sewell, Sarkar, Owens, Zappa Nardelli and Myreen, x86-TSO, CACM 2010, for one buffer a thread; Walker's
//! thesis, §5.4.2, for one buffer a thread and location, and for phantom threads that commit.
//! [`super::model`] has the table of actions that drain the buffers.
//!
//! The stores of a thread are in program order, whatever the model; the model decides which of them can be
//! committed next. A store that must not overtake earlier ones (`Release`, or after a release fence) waits
//! for their commits.

use super::atomic::AtomicState;
use super::shadow::Shadows;
use crate::control::object::{ObjectTable, Sync};
use selvedge_explore::{Action, Event, EventId, Kind, ObjectId, ReadsFrom, Site, ThreadId, VectorClock};
use std::collections::VecDeque;

/// The store buffers of all threads of a run.
#[derive(Default)]
pub(crate) struct Buffers {
    /// By thread; slots are used by one run after another.
    pub(super) threads: Vec<Buffer>,
    /// How many stores are in all of them.
    pub(super) count: usize,
    /// Clocks of committed stores, for their space.
    pub(super) spare: Vec<VectorClock>,
    pub(super) shadows: Shadows,
}

/// The store buffers of one thread.
#[derive(Default)]
pub(super) struct Buffer {
    /// In program order.
    pub(super) stores: VecDeque<Store>,
    /// The locations by the number of their buffers, if each has its own; how many stores are in each.
    pub(super) locations: Vec<(ObjectId, u32)>,
    /// How many stores the thread has made in the run.
    made: u32,
    /// How many stores it had made before its last release fence; 0 if it has drained its buffers since.
    fenced: u32,
    /// Has the thread stored since it drained its buffers?
    has_stored: bool,
}

/// A store that is not committed.
pub(super) struct Store {
    pub(super) object: ObjectId,
    pub(super) value: u64,
    site: Site,
    /// What an acquiring reader of the store acquires.
    pub(super) clock: VectorClock,
    /// The number of the buffer.
    pub(super) buffer: usize,
    /// Is it the oldest store of its buffer?
    is_first: bool,
    /// How many stores its thread made before.
    number: u32,
    /// So many of these must be committed before it.
    held_by: u32,
}

/// A store that a thread makes.
pub(super) struct NewStore {
    pub(super) object: ObjectId,
    pub(super) value: u64,
    pub(super) site: Site,
    pub(super) clock: VectorClock,
    /// Must it not overtake earlier stores of its thread?
    pub(super) is_ordered: bool,
}

impl Store {
    /// The event of its commit.
    fn commit(&self, owner: ThreadId) -> Event {
        let (drains, held_by) = (self.held_by > 0, self.held_by);
        let action = Action { drains, preceding_stores: held_by, ..Action::on(Kind::Commit, self.object) };
        let id = EventId { thread: ThreadId::phantom(owner, self.buffer), alternative: 0 };
        Event::pending(id, action, self.site)
    }
}

impl Buffer {
    /// Can the store at this place be committed?
    fn can_commit(&self, place: usize) -> bool {
        let store = &self.stores[place];
        // If any store that holds it is left, the oldest one does.
        store.is_first && self.stores[0].number >= store.held_by
    }

    /// The newest store to a location.
    pub(super) fn newest(&self, object: ObjectId) -> Option<&Store> {
        self.stores.iter().rev().find(|store| store.object == object)
    }

    /// Takes a store out; the next store of its buffer is the first then.
    pub(super) fn take(&mut self, place: usize) -> Store {
        let store = self.stores.remove(place).expect("a store that is in its buffer");
        if let Some((_, count)) = self.locations.get_mut(store.buffer) {
            *count -= 1;
        }
        if store.is_first
            && let Some(next) = self.stores.iter_mut().find(|next| next.buffer == store.buffer)
        {
            next.is_first = true;
        }
        store
    }

    /// Adds a store; `by_location` if each location has a buffer of its own.
    fn push(&mut self, new: NewStore, by_location: bool) {
        let NewStore { object, value, site, clock, is_ordered } = new;
        let (buffer, ahead) = if by_location { self.enter(object) } else { (0, self.stores.len() as u32) };
        let number = self.made;
        let held_by = match (by_location, is_ordered && self.has_stored) {
            (true, true) => number,
            (true, false) => self.fenced,
            // One buffer keeps the order by itself.
            (false, _) => 0,
        };
        self.made += 1;
        self.has_stored = true;
        let is_first = ahead == 0;
        self.stores.push_back(Store { object, value, site, clock, buffer, is_first, number, held_by });
    }

    /// The number of the buffer for a location, and how many stores are in it; there is one more from now
    /// on.
    fn enter(&mut self, object: ObjectId) -> (usize, u32) {
        let known = self.locations.iter().position(|(location, _)| *location == object);
        let buffer = known.unwrap_or_else(|| {
            self.locations.push((object, 0));
            self.locations.len() - 1
        });
        let count = &mut self.locations[buffer].1;
        *count += 1;
        (buffer, *count - 1)
    }

    /// A thread begins. Its stores are numbered on from the stores of the thread that had its slot before.
    fn begin(&mut self) {
        self.locations.clear();
        self.drain();
    }

    fn drain(&mut self) {
        self.fenced = 0;
        self.has_stored = false;
    }

    /// A run begins.
    fn clear(&mut self, spare: &mut Vec<VectorClock>) {
        let Buffer { stores, locations, made, fenced, has_stored } = self;
        spare.extend(stores.drain(..).map(|store| store.clock));
        locations.clear();
        (*made, *fenced, *has_stored) = (0, 0, false);
    }
}

impl Buffers {
    /// Are all stores of the thread committed?
    #[inline]
    pub(crate) fn is_empty(&self, thread: ThreadId) -> bool {
        self.count == 0 || self.of(thread).is_none_or(|buffer| buffer.stores.is_empty())
    }

    /// Has any thread stores that are not committed?
    #[inline]
    pub(in crate::control) fn has_stores(&self) -> bool {
        self.count > 0
    }

    #[inline]
    pub(super) fn of(&self, thread: ThreadId) -> Option<&Buffer> {
        self.threads.get(thread.index())
    }

    pub(super) fn of_mut(&mut self, thread: ThreadId) -> &mut Buffer {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Buffer::default);
        }
        &mut self.threads[thread.index()]
    }

    /// A thread begins.
    pub(in crate::control) fn begin_thread(&mut self, thread: ThreadId) {
        if let Some(buffer) = self.threads.get_mut(thread.index()) {
            buffer.begin();
        }
    }

    /// The thread executes an action before which its buffers had to be empty.
    pub(in crate::control) fn drained(&mut self, thread: ThreadId) {
        if let Some(buffer) = self.threads.get_mut(thread.index()) {
            buffer.drain();
        }
    }

    /// The stores of a thread that are not committed, the oldest first: the atomic, and the value as bits.
    #[cfg(feature = "debug")]
    pub(in crate::control) fn stores_of(&self, thread: ThreadId) -> impl Iterator<Item = (ObjectId, u64)> {
        let stores = self.of(thread).into_iter().flat_map(|buffer| &buffer.stores);
        stores.map(|store| (store.object, store.value))
    }

    /// Has the thread stored since it last drained its buffers, committed or not?
    pub(crate) fn has_stored(&self, thread: ThreadId) -> bool {
        self.of(thread).is_some_and(|buffer| buffer.has_stored)
    }

    /// A release fence: later stores of the thread are committed after its earlier ones.
    pub(super) fn fence(&mut self, thread: ThreadId) {
        let buffer = self.of_mut(thread);
        if buffer.has_stored {
            buffer.fenced = buffer.made;
        }
    }

    /// A thread stores to its buffer.
    pub(super) fn push(&mut self, thread: ThreadId, store: NewStore, by_location: bool) {
        self.count += 1;
        self.of_mut(thread).push(store, by_location);
    }

    /// A run begins.
    pub(in crate::control) fn clear(&mut self) {
        let Buffers { threads, count, spare, shadows } = self;
        threads.iter_mut().for_each(|buffer| buffer.clear(spare));
        *count = 0;
        shadows.clear();
    }

    /// The stores of stopped threads are never committed.
    pub(super) fn discard(&mut self) {
        let Buffers { threads, count, spare, shadows: _ } = self;
        threads.iter_mut().for_each(|buffer| buffer.clear(spare));
        *count = 0;
    }

    /// The newest store of a thread to a location that is still in its buffer.
    #[inline]
    pub(in crate::control) fn own_store(
        &self,
        objects: &ObjectTable,
        thread: ThreadId,
        object: ObjectId,
    ) -> Option<u64> {
        match &objects[object].sync {
            Sync::Atomic(AtomicState { buffered: 1.., .. }) => {
                self.of(thread)?.newest(object).map(|store| store.value)
            }
            _ => None,
        }
    }

    /// Where a load of the thread would read from.
    #[inline]
    pub(in crate::control) fn source(
        &self,
        objects: &ObjectTable,
        thread: ThreadId,
        object: ObjectId,
    ) -> ReadsFrom {
        match &objects[object].sync {
            Sync::Atomic(_) if self.own_store(objects, thread, object).is_some() => ReadsFrom::Buffer,
            Sync::Atomic(atomic) if atomic.writer == Some(thread) => ReadsFrom::Own,
            _ => ReadsFrom::Memory,
        }
    }

    /// The commits that are possible now, thread by thread.
    pub(in crate::control) fn committable(&self) -> impl Iterator<Item = Event> {
        // If a thread has one buffer, its oldest store is the only one that can be committed.
        let most = |buffer: &Buffer| if buffer.locations.is_empty() { 1 } else { usize::MAX };
        self.commits(most, Buffer::can_commit)
    }

    /// The commits of all stores that are in buffers.
    pub(in crate::control) fn uncommitted(&self) -> impl Iterator<Item = Event> {
        self.commits(|_| usize::MAX, |_, _| true)
    }

    fn commits(
        &self,
        most: impl Fn(&Buffer) -> usize,
        is_listed: impl Fn(&Buffer, usize) -> bool + Copy,
    ) -> impl Iterator<Item = Event> {
        self.threads.iter().enumerate().flat_map(move |(index, buffer)| {
            let stores = buffer.stores.iter().enumerate().take(most(buffer));
            let listed = stores.filter(move |(place, _)| is_listed(buffer, *place));
            listed.map(move |(_, store)| store.commit(ThreadId(index as u32)))
        })
    }
}
