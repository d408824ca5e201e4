//! Store buffers: what threads have stored and others do not see yet.
//!
//! Sewell, Sarkar, Owens, Zappa Nardelli and Myreen, x86-TSO, CACM 2010, for one buffer a thread; Walker's thesis, §5.4.2, for
//! one a thread and location, and for phantom threads that commit. [`super::memory`] has the table of what drains.
//!
//! The stores of a thread are kept in the order in which it made them, whatever the model; the model decides which of
//! them can be committed next. A store that must not overtake others (`Release`, or after a release fence) waits for those.
//!
//! Promise: the value of an atomic in memory is in the atomic itself, unless a commit came after the last access; then it is
//! in the object's [`Cell`], and the next access brings it home. Nothing here holds a pointer to an atomic of the
//! program's.

use super::shadow::Shadow;
use crate::control::execution::Execution;
use crate::control::memory::MemoryModel;
use crate::control::memory::Values;
use crate::control::object::Sync;
use crate::control::state::State;
use selvedge_explore::{Action, Event, EventId, Kind, ObjectId, ReadsFrom, Site, ThreadId, VectorClock};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;

/// What is known of an atomic's value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    /// The value in memory, as bits; known while stores to it are buffered, and after a commit.
    pub(super) value: u64,
    /// Has it been committed since the last access?
    pub(super) is_ahead: bool,
    /// Who wrote it last.
    pub(super) writer: Option<ThreadId>,
    /// How many stores to it are in buffers.
    pub(super) buffered: u32,
    pub(super) shadow: Option<Shadow>,
    pub(super) values: Values,
}

/// The buffers of all threads of a run.
#[derive(Default)]
pub(crate) struct Buffers {
    /// By thread; slots are kept from run to run.
    pub(super) threads: Vec<Buffer>,
    /// How many stores are in all of them.
    pub(super) count: usize,
    /// For their space.
    pub(super) spare: Vec<VectorClock>,
}

/// The buffers of one thread.
#[derive(Default)]
pub(super) struct Buffer {
    /// In the order in which they were made.
    pub(super) stores: VecDeque<Store>,
    /// The locations by the number of their buffers, where each has its own; how many stores are in each.
    pub(super) locations: Vec<(ObjectId, u32)>,
    /// How many stores the thread has made in the run.
    pub(super) made: u32,
    /// How many it had made before its last release fence; 0 where it has drained its buffers since.
    pub(super) fenced: u32,
    /// Has the thread stored anything since it drained its buffers?
    pub(super) has_stored: bool,
}

/// A store that has not been committed.
pub(super) struct Store {
    pub(super) object: ObjectId,
    pub(super) value: u64,
    pub(super) site: Site,
    /// What who reads it sees, if it acquires.
    pub(super) clock: VectorClock,
    /// The number of the buffer.
    pub(super) buffer: usize,
    /// Is it the oldest of its buffer?
    pub(super) is_first: bool,
    /// How many stores its thread made before.
    pub(super) number: u32,
    /// So many of these must be committed before it.
    pub(super) held_by: u32,
}

impl Store {
    pub(super) fn commit(&self, owner: ThreadId) -> Event {
        let (drains, held_by) = (self.held_by > 0, self.held_by);
        let action = Action { drains, preceding_stores: held_by, ..Action::on(Kind::Commit, self.object) };
        let id = EventId { thread: ThreadId::phantom(owner, self.buffer), alternative: 0 };
        Event::pending(id, action, self.site)
    }
}

impl Buffer {
    /// Can the store at this place be committed?
    pub(super) fn can_commit(&self, place: usize) -> bool {
        let store = &self.stores[place];
        // If any store that holds it is left, the oldest one does.
        store.is_first && self.stores[0].number >= store.held_by
    }

    pub(super) fn newest(&self, object: ObjectId) -> Option<&Store> {
        self.stores.iter().rev().find(|store| store.object == object)
    }

    /// Takes a store out; the next one of its buffer is the first then.
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

    /// The number of the buffer for a location, and how many stores are in it; there is one more from now on.
    pub(super) fn enter(&mut self, object: ObjectId) -> (usize, u32) {
        let known = self.locations.iter().position(|(location, _)| *location == object);
        let buffer = known.unwrap_or_else(|| {
            self.locations.push((object, 0));
            self.locations.len() - 1
        });
        let count = &mut self.locations[buffer].1;
        *count += 1;
        (buffer, *count - 1)
    }

    /// A thread begins. Its stores are numbered on from those of the one that had its number before.
    fn begin(&mut self) {
        self.locations.clear();
        self.drain();
    }

    fn drain(&mut self) {
        self.fenced = 0;
        self.has_stored = false;
    }
}

impl Buffers {
    /// Has the thread no stores that are not committed?
    #[inline]
    pub(crate) fn is_empty(&self, thread: ThreadId) -> bool {
        self.count == 0 || self.of(thread).is_none_or(|buffer| buffer.stores.is_empty())
    }

    /// Has any thread such stores?
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
    pub(in crate::control) fn begin(&mut self, thread: ThreadId) {
        if let Some(buffer) = self.threads.get_mut(thread.index()) {
            buffer.begin();
        }
    }

    /// The thread does something before which its buffers had to be empty.
    pub(in crate::control) fn drained(&mut self, thread: ThreadId) {
        if let Some(buffer) = self.threads.get_mut(thread.index()) {
            buffer.drain();
        }
    }

    /// Has the thread stored anything since it last drained its buffers, whether that is committed or not?
    pub(crate) fn has_stored(&self, thread: ThreadId) -> bool {
        self.of(thread).is_some_and(|buffer| buffer.has_stored)
    }

    /// A run is over.
    pub(in crate::control) fn clear(&mut self) {
        for buffer in &mut self.threads {
            self.spare.extend(buffer.stores.drain(..).map(|store| store.clock));
            buffer.begin();
            buffer.made = 0;
        }
        self.count = 0;
    }
}

/// What a store that goes to a buffer promises to who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promises {
    /// Nothing: `Relaxed`.
    Nothing,
    /// What its thread had seen and done is seen by who acquires it: `Release`. It is committed after earlier stores.
    Order,
    /// The same, but where each location has its own buffer it may be committed before earlier stores: those to other
    /// locations may still be unseen. So are stores to atomic references, which the literature has no orderings for.
    Release,
}

impl Promises {
    pub(super) fn of(order: Ordering) -> Promises {
        if crate::control::race::releases(order) { Promises::Order } else { Promises::Nothing }
    }
}

/// What a thread finds when it comes to an atomic.
pub(crate) enum View {
    /// What is there.
    Itself,
    /// What was committed since the last access; whoever asks brings it there.
    News(u64),
    /// Its own store, from its buffer.
    Own(u64),
}

impl Execution {
    /// Do stores wait in buffers?
    #[inline]
    pub(crate) fn has_buffers(&self) -> bool {
        self.settings.memory.has_buffers()
    }

    /// What the running thread finds when it reads an atomic.
    #[inline]
    pub(crate) fn view(&self, object: ObjectId) -> View {
        let state = &mut *self.state.borrow_mut();
        let running = state.running;
        let own = state.own_store(running, object);
        let cell = cell(&mut state.objects[object.index()].sync);
        match own {
            Some(value) => {
                state.found = cell.value;
                state.noted.note(value);
                View::Own(value)
            }
            None => cell.news().map_or(View::Itself, View::News),
        }
    }

    /// What was committed since the last access; whoever asks brings it there.
    #[inline]
    pub(crate) fn news(&self, object: ObjectId) -> Option<u64> {
        cell(&mut self.state.borrow_mut().objects[object.index()].sync).news()
    }

    /// The same, without bringing it there: what the running thread would read.
    pub(crate) fn glance(&self, object: ObjectId) -> Option<u64> {
        let state = self.state.borrow();
        let own = state.own_store(state.running, object);
        own.or_else(|| match &state.objects[object.index()].sync {
            Sync::Atomic(cell) => cell.is_ahead.then_some(cell.value),
            _ => None,
        })
    }

    /// The running thread has written an atomic, past its buffers, which has this value now.
    #[inline]
    pub(crate) fn wrote(&self, object: ObjectId, value: u64) {
        let state = &mut *self.state.borrow_mut();
        state.noted.note(value);
        if self.has_buffers() {
            let cell = cell(&mut state.objects[object.index()].sync);
            cell.value = value;
            cell.writer = Some(state.running);
        }
    }

    /// The running thread stores to its buffer; in memory is another value. Returns the shadow where the atomic may not
    /// know it yet.
    pub(crate) fn buffer(
        &self,
        object: ObjectId,
        value: u64,
        memory: u64,
        order: Ordering,
    ) -> Option<Shadow> {
        self.buffer_with(object, value, memory, Promises::of(order))
    }

    /// The same for a store that promises this.
    pub(crate) fn buffer_with(
        &self,
        object: ObjectId,
        value: u64,
        memory: u64,
        promises: Promises,
    ) -> Option<Shadow> {
        let state = &mut *self.state.borrow_mut();
        state.found = memory;
        state.noted.note(value);
        let (thread, run) = (state.running, state.run);
        let slot = &mut state.threads[thread.index()];
        let mut clock = state.buffers.spare.pop().unwrap_or_default();
        let is_release = promises != Promises::Nothing;
        clock.copy_from(if is_release { &slot.clock } else { &slot.fenced });
        if is_release {
            slot.clock.tick(thread.index());
        }
        let cell = cell(&mut state.objects[object.index()].sync);
        let is_new = cell.shadow.is_none();
        let shadow = *cell.shadow.get_or_insert_with(|| state.shadows.take(run));
        cell.value = memory;
        cell.buffered += 1;
        shadow.set(Some(value));
        let by_location = self.settings.memory == MemoryModel::Pso;
        state.buffers.count += 1;
        let buffers = state.buffers.of_mut(thread);
        let (buffer, ahead) =
            if by_location { buffers.enter(object) } else { (0, buffers.stores.len() as u32) };
        let number = buffers.made;
        let held_by = match (by_location, promises == Promises::Order && buffers.has_stored) {
            (true, true) => number,
            (true, false) => buffers.fenced,
            // One buffer keeps the order by itself.
            (false, _) => 0,
        };
        buffers.made += 1;
        buffers.has_stored = true;
        let (is_first, site) = (ahead == 0, slot.pending.site);
        buffers.stores.push_back(Store { object, value, site, clock, buffer, is_first, number, held_by });
        is_new.then_some(shadow)
    }

    /// Is this value of an object in a buffer?
    pub(crate) fn is_buffered(&self, object: ObjectId, value: u64) -> bool {
        let state = self.state.borrow();
        let mut stores = state.buffers.threads.iter().flat_map(|buffer| &buffer.stores);
        stores.any(|store| store.object == object && store.value == value)
    }

    /// What the running thread stores from now on is committed after what it has stored before.
    pub(crate) fn fence_stores(&self) {
        let state = &mut *self.state.borrow_mut();
        let running = state.running;
        let buffer = state.buffers.of_mut(running);
        if buffer.has_stored {
            buffer.fenced = buffer.made;
        }
    }

    /// The running thread has an atomic alone, so all stores to it are done. Returns what it is, if that is not in the atomic.
    pub(crate) fn settle(&self, object: ObjectId) -> Option<u64> {
        let state = &mut *self.state.borrow_mut();
        for thread in 0..state.buffers.threads.len() as u32 {
            state.commit_all(ThreadId(thread), |store| store.object == object);
        }
        cell(&mut state.objects[object.index()].sync).news()
    }
}

impl Cell {
    /// Of an atomic whose bits mean this.
    pub(crate) fn of(values: Values) -> Cell {
        Cell { values, ..Cell::default() }
    }

    /// What the bits mean.
    pub(in crate::control) fn values(&self) -> Values {
        self.values
    }

    #[inline]
    fn news(&mut self) -> Option<u64> {
        if !std::mem::take(&mut self.is_ahead) {
            return None;
        }
        if self.buffered == 0
            && let Some(shadow) = self.shadow
        {
            shadow.set(None);
        }
        Some(self.value)
    }
}

#[inline]
pub(super) fn cell(sync: &mut Sync) -> &mut Cell {
    match sync {
        Sync::Atomic(cell) => cell,
        _ => unreachable!("an atomic's number is that of an atomic"),
    }
}

impl State {
    /// The newest store of a thread to a location that is still in its buffer.
    #[inline]
    pub(in crate::control) fn own_store(&self, thread: ThreadId, object: ObjectId) -> Option<u64> {
        match &self.objects[object.index()].sync {
            Sync::Atomic(cell) if cell.buffered > 0 => {
                self.buffers.of(thread)?.newest(object).map(|store| store.value)
            }
            _ => None,
        }
    }

    /// Whose store a load would read.
    #[inline]
    pub(in crate::control) fn source(&self, thread: ThreadId, object: ObjectId) -> ReadsFrom {
        match &self.objects[object.index()].sync {
            Sync::Atomic(_) if self.own_store(thread, object).is_some() => ReadsFrom::Buffer,
            Sync::Atomic(cell) if cell.writer == Some(thread) => ReadsFrom::Own,
            _ => ReadsFrom::Memory,
        }
    }
}
