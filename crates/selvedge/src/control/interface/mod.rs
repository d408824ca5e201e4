//! What the controlled doubles of std and the explorer ask of an execution: thin forwards to the rooms, each
//! of which borrows the state once, for the running thread.

use super::exception;
use super::memory::{self, Promises, Shadow, View};
use super::object::{self, Arrival, Role, RwLockState, StandIn, Sync, Tag, ValuePlace};
use super::progress::Deadline;
use super::race::{self, Access};
use super::schedule::FIXES_DEADLINE;
use super::thread::{self, Gone, Pending};
use super::transaction::{self, Preview, Variable};
use super::{Execution, State, Stop, diagnose, progress};
use crate::production::interrupt::Masking;
use selvedge_explore::{Action, Kind, ObjectId, ThreadId, Trace, VectorClock};
use std::any::{Any, TypeId};
use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The step and the objects.
impl Execution {
    /// Reads or changes the state of an object, for the running thread. The work must not run code of the
    /// program.
    pub(crate) fn with_sync<R>(&self, object: ObjectId, work: impl FnOnce(&mut Sync, ThreadId) -> R) -> R {
        let state = &mut *self.state.borrow_mut();
        work(&mut state.objects[object].sync, state.running)
    }

    /// Where the run has the value of a `static`.
    pub(crate) fn value_place(&self, object: ObjectId) -> Option<ValuePlace> {
        self.state.borrow().objects[object].value_place
    }

    /// The run has the value of a `static` there.
    pub(crate) fn set_value_place(&self, object: ObjectId, place: ValuePlace) {
        self.state.borrow_mut().objects[object].value_place = Some(place);
    }

    /// A container that stands in for the `static` of this tag in this run, as new.
    pub(crate) fn stand_in(
        &self,
        tag: &Tag,
        type_id: TypeId,
        initial: &MaybeUninit<[u64; 2]>,
        make: fn(&MaybeUninit<[u64; 2]>) -> Box<dyn StandIn>,
    ) -> NonNull<()> {
        self.state.borrow_mut().stand_ins.take((tag, type_id), initial, make)
    }

    /// The current step changes nothing.
    pub(crate) fn read_only(&self) {
        self.state.borrow_mut().step.read_only = true;
    }

    /// The current step is an exchange that failed: it expected another value, and would have stored this
    /// one.
    pub(crate) fn failed_exchange(&self, expected: u64, new: u64) {
        let step = &mut self.state.borrow_mut().step;
        step.read_only = true;
        step.operands = (expected, new);
    }

    /// The atomic of the current step had this value.
    #[inline]
    pub(crate) fn observe(&self, value: u64) {
        self.state.borrow_mut().step.observed = value;
    }

    /// Is the run over, and are its threads being unwound?
    pub(crate) fn is_stopping(&self) -> bool {
        self.state.borrow().conditions.is_stopping
    }

    /// Gives a trace the names of threads and objects, the values of its steps, the endings of its threads,
    /// and the formulas that it was judged by.
    pub(crate) fn describe_run(&self, trace: &mut Trace) {
        diagnose::describe_run(&self.state.borrow(), trace);
    }
}

/// Locks and barriers.
impl Execution {
    /// The running thread locks a mutex.
    #[inline]
    pub(crate) fn take_mutex(&self, mutex: ObjectId) {
        let State { objects, threads, running, .. } = &mut *self.state.borrow_mut();
        object::lock_mutex(&mut objects[mutex], threads, *running);
    }

    /// The running thread unlocks a mutex.
    #[inline]
    pub(crate) fn give_mutex(&self, mutex: ObjectId) {
        let State { objects, threads, running, .. } = &mut *self.state.borrow_mut();
        object::unlock_mutex(&mut objects[mutex], threads, *running);
    }

    /// The running thread takes a lock in this role, if it is free for that.
    pub(crate) fn take_rwlock(&self, lock: ObjectId, role: Role) -> bool {
        let State { objects, threads, running, .. } = &mut *self.state.borrow_mut();
        object::take_rwlock(&mut objects[lock], threads, *running, role)
    }

    /// Changes which writers wait for a lock, for the running thread.
    pub(crate) fn with_rwlock(&self, lock: ObjectId, work: impl FnOnce(&mut RwLockState, ThreadId)) {
        self.with_sync(lock, |sync, running| {
            if let Sync::RwLock(state) = sync {
                work(state, running);
            }
        });
    }

    /// The running thread gives a lock back.
    pub(crate) fn give_back_rwlock(&self, lock: ObjectId, role: Role) {
        let State { objects, threads, running, .. } = &mut *self.state.borrow_mut();
        object::give_back_rwlock(&mut objects[lock], threads, *running, role);
    }

    /// The running thread arrives at a barrier.
    pub(crate) fn arrive(&self, barrier: ObjectId, size: usize) -> Arrival {
        let State { objects, threads, running, .. } = &mut *self.state.borrow_mut();
        object::arrive_at_barrier(&mut objects[barrier], threads, *running, size)
    }
}

/// Happens-before and data races.
impl Execution {
    /// The running thread acquires all that was released through the object.
    pub(crate) fn acquire(&self, object: ObjectId) {
        let state = &mut *self.state.borrow_mut();
        race::acquire(&mut state.threads[state.running], &state.objects[object]);
    }

    /// The running thread releases through the object all that it has seen and done.
    pub(crate) fn release(&self, object: ObjectId) {
        let State { objects, threads, running, .. } = &mut *self.state.borrow_mut();
        race::release(&mut threads[*running], running.index(), &mut objects[object]);
    }

    /// The running thread sends a message with this clock.
    pub(crate) fn send_clock(&self, message: &mut VectorClock) {
        let state = &mut *self.state.borrow_mut();
        race::send(&mut state.threads[state.running], state.running.index(), message);
    }

    /// The running thread receives a message with this clock.
    pub(crate) fn receive_clock(&self, message: &VectorClock) {
        let state = &mut *self.state.borrow_mut();
        state.threads[state.running].clock.join(message);
    }

    /// The running thread has loaded an atomic.
    #[inline]
    pub(crate) fn loaded(&self, object: ObjectId, order: Ordering) {
        let state = &mut *self.state.borrow_mut();
        race::load(&mut state.threads[state.running], &state.objects[object], order);
    }

    /// The running thread has written an atomic.
    #[inline]
    pub(crate) fn stored(&self, object: ObjectId, order: Ordering, is_update: bool) {
        let State { objects, threads, running, .. } = &mut *self.state.borrow_mut();
        race::store(&mut threads[*running], running.index(), &mut objects[object], order, is_update);
    }

    /// A fence of the running thread.
    pub(crate) fn fenced(&self, order: Ordering) {
        let state = &mut *self.state.borrow_mut();
        race::fence(&mut state.threads[state.running], state.running.index(), order);
    }

    /// The running thread acquires all that another one did before it ended.
    pub(crate) fn acquire_thread(&self, ended: ThreadId) {
        let state = &mut *self.state.borrow_mut();
        object::acquire_end(&mut state.threads, state.running, ended);
    }

    /// The running thread begins to access data. Returns the number of the access, or nothing at the end of
    /// a run, when accesses do not count any more.
    pub(crate) fn begin_access(
        &self,
        object: ObjectId,
        access: Access,
        place: &'static Location<'static>,
    ) -> Option<usize> {
        let begun = {
            let state = &mut *self.state.borrow_mut();
            if state.conditions.is_stopping {
                return None;
            }
            race::begin_access(state, object, access, place)
        };
        Some(begun.unwrap_or_else(|race| self.judge_race(race, object, access, place)))
    }

    /// Ends the run by a race, unless the destructor of the last owner of an `Arc` of `std` makes the second
    /// access: then the counts of that `Arc`, which are not seen, may order the two. If the first access has
    /// not ended, they do not.
    #[cold]
    fn judge_race(
        &self,
        race: Stop,
        object: ObjectId,
        access: Access,
        place: &'static Location<'static>,
    ) -> usize {
        if let Stop::Race(text, _) = &race {
            let last_drops = diagnose::count_last_drops();
            let state = &mut *self.state.borrow_mut();
            // The value of a `tracked::Arc` is in one of `std`, too.
            let is_unseen = last_drops > state.arcs.count_drops(state.running);
            if is_unseen && !race::overlaps(state, object, access) {
                state.end.unjudged_race.get_or_insert_with(|| text.clone());
                return race::begin_unordered_access(state, object, access, place);
            }
        }
        self.end_run(race)
    }

    /// The access has ended.
    pub(crate) fn end_access(&self, object: ObjectId, number: usize) {
        race::end_access(&mut self.state.borrow_mut(), object, number);
    }
}

/// The counts of owners.
impl Execution {
    /// The running thread has allocated a value with owners at this address.
    pub(crate) fn new_arc(&self, address: usize, created_at: &'static Location<'static>) {
        self.state.borrow_mut().arcs.add(address, created_at);
    }

    /// The object of the value with owners at this address.
    pub(crate) fn arc(&self, address: usize, place: &'static Location<'static>) -> ObjectId {
        let State { arcs, objects, .. } = &mut *self.state.borrow_mut();
        arcs.object(objects, address, place)
    }

    /// The object of the value with owners at this address, if a visible action has used it.
    pub(crate) fn known_arc(&self, address: usize) -> Option<ObjectId> {
        self.state.borrow().arcs.find(address)
    }

    /// The running thread begins to drop an owner.
    pub(crate) fn begin_arc_drop(&self) {
        let state = &mut *self.state.borrow_mut();
        state.arcs.begin_drop(state.running);
    }

    /// The owner is dropped.
    pub(crate) fn end_arc_drop(&self) {
        let state = &mut *self.state.borrow_mut();
        state.arcs.end_drop(state.running);
    }

    /// The running thread drops a weak reference: releases all that it has seen and done.
    pub(crate) fn release_weak(&self, arc: ObjectId) {
        let State { objects, threads, running, .. } = &mut *self.state.borrow_mut();
        if let Sync::Arc(arc) = &mut objects[arc].sync {
            race::release_to(&mut threads[*running], running.index(), &mut arc.weak_clock);
        }
    }

    /// The running thread has loaded the number of weak references.
    pub(crate) fn loaded_weak(&self, arc: ObjectId, order: Ordering) {
        let State { objects, threads, running, .. } = &mut *self.state.borrow_mut();
        if let Sync::Arc(arc) = &objects[arc].sync {
            race::load_clock(&mut threads[*running], &arc.weak_clock, order);
        }
    }
}

/// Memory.
impl Execution {
    /// Do stores wait in buffers?
    #[inline]
    pub(crate) fn has_buffers(&self) -> bool {
        self.settings.memory.has_buffers()
    }

    /// The value that the running thread reads from an atomic.
    #[inline]
    pub(crate) fn view(&self, object: ObjectId) -> View {
        memory::view(&mut self.state.borrow_mut(), object)
    }

    /// The value that was committed since the last access. The caller writes it to the atomic.
    #[inline]
    pub(crate) fn take_committed(&self, object: ObjectId) -> Option<u64> {
        memory::take_committed(&mut self.state.borrow_mut(), object)
    }

    /// The value that the running thread would read, if it is not in the atomic. Changes nothing.
    pub(crate) fn peek(&self, object: ObjectId) -> Option<u64> {
        memory::peek(&self.state.borrow(), object)
    }

    /// The value in memory of an atomic that is a `static`.
    #[inline]
    pub(crate) fn static_value(&self, object: ObjectId) -> u64 {
        memory::static_value(&mut self.state.borrow_mut(), object)
    }

    /// The running thread has changed the value in memory of an atomic that is a `static`.
    #[inline]
    pub(crate) fn set_static_value(&self, object: ObjectId, value: u64) {
        memory::set_static_value(&mut self.state.borrow_mut(), object, value);
    }

    /// The running thread has written this value to an atomic, past its buffer.
    #[inline]
    pub(crate) fn write_through(&self, object: ObjectId, value: u64) {
        memory::write_through(&mut self.state.borrow_mut(), object, value, self.has_buffers());
    }

    /// The running thread stores to its buffer, while another value is in memory. Returns the shadow if the
    /// atomic may not know it yet.
    pub(crate) fn buffer(
        &self,
        object: ObjectId,
        value: u64,
        in_memory: u64,
        order: Ordering,
    ) -> Option<Shadow> {
        self.buffer_with(object, value, in_memory, Promises::of(order))
    }

    /// The same for a store that promises this.
    pub(crate) fn buffer_with(
        &self,
        object: ObjectId,
        value: u64,
        in_memory: u64,
        promises: Promises,
    ) -> Option<Shadow> {
        let (state, model) = (&mut *self.state.borrow_mut(), self.settings.memory);
        memory::buffer_store(state, model, object, (value, in_memory), promises)
    }

    /// Is this value of an atomic in a buffer?
    pub(crate) fn is_buffered(&self, object: ObjectId, value: u64) -> bool {
        memory::is_buffered(&self.state.borrow(), object, value)
    }

    /// A release fence of the running thread: its later stores are committed after its earlier ones.
    pub(crate) fn fence_stores(&self) {
        memory::fence_stores(&mut self.state.borrow_mut());
    }

    /// The running thread owns an atomic alone: all stores to it are committed. Returns its value, if that
    /// is not in the atomic.
    pub(crate) fn settle(&self, object: ObjectId) -> Option<u64> {
        memory::settle(&mut self.state.borrow_mut(), object)
    }
}

/// Waiting and time.
impl Execution {
    /// Is the number of timeouts bounded?
    #[inline(always)]
    pub(in crate::control) fn has_unroll_bound(&self) -> bool {
        self.unroll_bound.get() != progress::UNBOUNDED
    }

    /// Can the wait that the running thread is about to begin end spuriously? That is a choice of its own,
    /// before the wait begins; otherwise no waiting thread would ever be blocked.
    #[track_caller]
    pub(crate) fn may_be_spurious(&self) -> bool {
        let choice = || Pending { alternatives: 2, ..Pending::here(Action::new(Kind::Choose)) };
        self.settings.spurious && self.visible(choice()) == 1
    }

    /// The running thread reads the clock: the time since the run began.
    #[track_caller]
    pub(crate) fn read_clock(&self) -> Duration {
        self.announce_clock_read(Pending::here(Action::new(Kind::Now)));
        self.state.borrow_mut().environment.read()
    }

    /// The running thread begins a timed wait.
    #[track_caller]
    pub(crate) fn fix_deadline(&self, duration: Duration) -> Deadline {
        if self.keeps_time.get() {
            self.announce_clock_read(Pending::here(Action::new(Kind::Deadline)));
        }
        self.state.borrow_mut().environment.fix(duration)
    }

    /// Announces an action that reads the clock. Time may pass before it.
    fn announce_clock_read(&self, pending: Pending) {
        let pending = if self.keeps_time.get() { pending.at_some_time() } else { pending };
        let alternative = self.visible(pending);
        if let Some(index) = alternative.checked_sub(FIXES_DEADLINE + 1) {
            self.state.borrow_mut().environment.pass_to(index as usize);
        }
    }

    /// A wait of the running thread ends by its deadline.
    pub(crate) fn reach(&self, deadline: Deadline) {
        self.state.borrow_mut().environment.reach(deadline);
    }

    /// The running thread gives a thread its token, if the slot still has the thread that is meant.
    pub(crate) fn unpark(&self, thread: ThreadId, birth: u64) {
        let state = &mut *self.state.borrow_mut();
        object::put_token(&mut state.threads, state.running, thread, birth);
    }

    /// The running thread takes its token, if it has one.
    pub(crate) fn take_token(&self) {
        let state = &mut *self.state.borrow_mut();
        object::take_token(&mut state.threads[state.running]);
    }

    /// The running thread observes that it was unparked, and leaves the token.
    pub(crate) fn see_unpark(&self) {
        let state = &mut *self.state.borrow_mut();
        object::observe_token(&mut state.threads[state.running]);
    }
}

/// Exceptions, transactions and thread-local values.
impl Execution {
    /// The masking state of the running thread.
    pub(crate) fn masking(&self) -> Masking {
        let state = &mut *self.state.borrow_mut();
        state.threads[state.running].interrupts.masking()
    }

    /// Changes the masking state of the running thread. Returns the old one.
    pub(crate) fn set_masking(&self, masking: Masking) -> Masking {
        let state = &mut *self.state.borrow_mut();
        state.threads[state.running].interrupts.set_masking(masking)
    }

    /// The thread that the current step spawned has this masking state.
    pub(crate) fn inherit_masking(&self, child: ThreadId, masking: Masking) {
        self.state.borrow_mut().threads[child].interrupts.set_masking(masking);
    }

    /// The same action as an interruption point of the running thread.
    pub(crate) fn at_point(&self, pending: Pending) -> Pending {
        let state = &mut *self.state.borrow_mut();
        exception::at_point(&mut state.threads[state.running], pending)
    }

    /// Throws to another thread of the run, or waits until that thread can take it.
    #[track_caller]
    pub(crate) fn throw_to(&self, target: ThreadId, birth: u64, payload: Box<dyn Any + Send>) {
        exception::throw_to(self, target, birth, payload);
    }

    /// A bit for a transactional variable that the running thread makes.
    pub(crate) fn variable_bit(&self) -> u32 {
        let state = &mut *self.state.borrow_mut();
        let path_code = state.threads.path_code(state.running);
        transaction::variable_bit(&mut state.threads[state.running], path_code)
    }

    /// Announces a transaction, and waits until its thread is chosen, when it does not retry.
    pub(crate) fn transact(
        &self,
        preview: &mut dyn FnMut() -> Preview,
        is_guarded: bool,
        place: &'static Location<'static>,
    ) {
        transaction::transact(self, preview, is_guarded, place);
    }

    /// The running thread's transaction has changed these variables.
    pub(crate) fn variables_changed(&self, changed: &[Variable]) {
        transaction::variables_changed(self, changed);
    }

    /// Executes code of a transaction, in which no other action may be visible.
    pub(crate) fn within_transaction<R>(&self, work: impl FnOnce() -> R) -> R {
        transaction::within_transaction(self, work)
    }

    /// The running thread's thread-local value of this key; made now if it does not exist.
    pub(crate) fn local<T: 'static>(&self, key: usize, make: impl FnOnce() -> T) -> Result<Rc<T>, Gone> {
        thread::local(self, key, make)
    }

    /// Drops the thread-local values of the running thread, which is at its end.
    #[inline]
    pub(crate) fn drop_locals(&self) {
        thread::drop_locals(self);
    }
}
