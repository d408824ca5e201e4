//! The threads of a run, by slot.

use super::pending::Pending;
use super::slot::{Status, Thread, ThreadName};
use crate::control::exception::Unwound;
use crate::control::fiber::{Fiber, StackPool};
use selvedge_explore::ThreadId;
use std::fmt::Display;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// From this number of threads on, the slots of joined threads are used again in the same run.
const REUSE_FROM: usize = 1024;

/// The threads of a run.
pub(crate) struct ThreadTable {
    /// Slots beyond the count are for later runs.
    slots: Vec<Thread>,
    count: usize,
    /// How many threads have begun and not ended.
    live_count: usize,
    /// How many threads were born.
    births: u64,
    /// How many threads had been born when the enabled events were last computed.
    births_listed: u64,
    /// The slots of joined threads.
    free: Vec<ThreadId>,
    /// Threads that were spawned in the current step and have not begun.
    unstarted: Vec<ThreadId>,
    /// The addresses of the open scopes.
    pub(crate) scopes: Vec<usize>,
    pub(in crate::control) stacks: StackPool,
}

impl ThreadTable {
    /// No threads, with the slots and stacks of earlier explorations.
    pub(in crate::control) fn new(slots: Vec<Thread>, stacks: StackPool) -> ThreadTable {
        ThreadTable {
            slots,
            count: 0,
            live_count: 0,
            births: 0,
            births_listed: 0,
            free: Vec::new(),
            unstarted: Vec::new(),
            scopes: Vec::new(),
            stacks,
        }
    }

    /// A run begins.
    pub(in crate::control) fn clear(&mut self) {
        let ThreadTable {
            slots: _,
            count,
            live_count,
            births,
            births_listed,
            free,
            unstarted,
            scopes,
            stacks: _,
        } = self;
        (*count, *live_count, *births, *births_listed) = (0, 0, 0, 0);
        free.clear();
        unstarted.clear();
        scopes.clear();
    }

    /// The slots of threads that have ended, at most this many, for later explorations.
    pub(in crate::control) fn take_slots(&mut self, most: usize) -> Vec<Thread> {
        self.clear();
        let mut slots = std::mem::take(&mut self.slots);
        slots.retain(|thread| thread.status == Status::Ended);
        slots.truncate(most);
        slots.iter_mut().for_each(Thread::forget);
        slots
    }

    /// All threads of the run, in the order of their slots.
    #[inline(always)]
    pub(crate) fn all(&self) -> &[Thread] {
        &self.slots[..self.count]
    }

    /// The numbers of all threads of the run.
    pub(in crate::control) fn ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.count as u32).map(ThreadId)
    }

    /// The threads that have begun and not ended.
    pub(crate) fn live(&self) -> impl Iterator<Item = ThreadId> {
        let is_live = |index: &usize| self.slots[*index].status == Status::Live;
        (0..self.count).filter(is_live).map(|index| ThreadId(index as u32))
    }

    /// Is no thread live?
    pub(in crate::control) fn have_all_ended(&self) -> bool {
        self.live_count == 0
    }

    /// Is a thread live besides these?
    pub(in crate::control) fn has_others(&self, than: impl Fn(ThreadId) -> bool) -> bool {
        self.live_count > 1 && self.live().any(|thread| !than(thread))
    }

    /// The live threads of a contained part, given by its first thread: all others are younger.
    pub(in crate::control) fn live_of_part(&self, inner: ThreadId) -> impl Iterator<Item = ThreadId> {
        self.live().filter(move |thread| self[*thread].birth >= self[inner].birth)
    }

    /// Takes what unwound the threads of a contained part, as far as no thread has observed it. Returns the
    /// first failure.
    pub(crate) fn take_failure_of_part(&mut self, inner: ThreadId) -> Option<Unwound> {
        let birth = self[inner].birth;
        let part = self.slots[..self.count].iter_mut().filter(|thread| thread.birth >= birth);
        part.filter_map(|thread| thread.unobserved.take()).find(Unwound::is_failure)
    }

    /// A live thread goes no further, until it is unwound. It keeps its locks and its places in queues.
    pub(in crate::control) fn freeze(&mut self, thread: ThreadId) {
        self.slots[thread.index()].status = Status::Paused;
        self.live_count -= 1;
    }

    /// The thread can be unwound, if it is frozen.
    pub(in crate::control) fn thaw(&mut self, thread: ThreadId) {
        let slot = &mut self.slots[thread.index()];
        if slot.status == Status::Paused {
            slot.status = Status::Live;
            self.live_count += 1;
        }
    }

    /// The threads at two slots, if these are different.
    pub(in crate::control) fn pair_mut(
        &mut self,
        one: ThreadId,
        other: ThreadId,
    ) -> Option<[&mut Thread; 2]> {
        self.slots.get_disjoint_mut([one.index(), other.index()]).ok()
    }

    /// A slot for a thread that the running thread spawns.
    pub(in crate::control) fn allocate(&mut self, running: ThreadId) -> ThreadId {
        if self.count >= REUSE_FROM
            && let Some(free) = self.free.iter().rposition(|free| self.has_seen_the_end_of(running, *free))
        {
            return self.free.swap_remove(free);
        }
        let slot = ThreadId(self.count as u32);
        self.count += 1;
        if self.slots.len() < self.count {
            self.slots.push(Thread::new());
        }
        slot
    }

    /// Does the end of a thread happen before the next action of the running thread? Only then a child of
    /// the running thread can have the slot: its clock goes on from the count that all clocks have seen.
    fn has_seen_the_end_of(&self, running: ThreadId, ended: ThreadId) -> bool {
        let known = self[running].clock.get(ended.index());
        known >= self[ended].clock.get(ended.index())
    }

    /// A thread is born at this slot.
    pub(in crate::control) fn begin(&mut self, slot: ThreadId, fiber: Fiber, name: Option<Arc<str>>) {
        self.births += 1;
        self.live_count += 1;
        self.slots[slot.index()].begin(fiber, name, self.births);
    }

    /// A thread begins after all that its parent did so far.
    pub(in crate::control) fn inherit_clock(&mut self, parent: ThreadId, child: ThreadId) {
        let pair = self.pair_mut(parent, child);
        let [older, younger] = pair.expect("a thread and its parent are two of the run's");
        younger.clock.join(&older.clock);
        younger.clock.tick(child.index());
        older.clock.tick(parent.index());
    }

    /// A thread was spawned, and begins when the current step is done.
    pub(in crate::control) fn begin_later(&mut self, thread: ThreadId) {
        self.unstarted.push(thread);
    }

    /// Has the current step spawned a thread that has not begun?
    #[inline(always)]
    pub(in crate::control) fn has_unstarted(&self) -> bool {
        !self.unstarted.is_empty()
    }

    /// Takes such a thread.
    #[inline]
    pub(in crate::control) fn take_unstarted(&mut self) -> Option<ThreadId> {
        self.unstarted.pop()
    }

    /// No thread begins any more.
    pub(in crate::control) fn forget_unstarted(&mut self) {
        self.unstarted.clear();
    }

    /// The function of a thread has returned: its stack is free.
    #[inline]
    pub(in crate::control) fn end(&mut self, thread: ThreadId) {
        let slot = &mut self.slots[thread.index()];
        slot.status = Status::Ended;
        let stack = slot.fiber.take().expect(FIBER).into_stack();
        self.live_count -= 1;
        self.stacks.put(stack);
    }

    /// A thread ends where it is: its values are leaked, its stack is free.
    ///
    /// # Safety
    /// As for [`Fiber::forget`].
    #[allow(unsafe_code)]
    pub(in crate::control) unsafe fn forget(&mut self, thread: ThreadId) {
        let slot = &mut self.slots[thread.index()];
        slot.status = Status::Ended;
        std::mem::forget(std::mem::take(&mut slot.locals));
        self.live_count -= 1;
        if let Some(fiber) = slot.fiber.take() {
            // SAFETY: the caller promises that no thread uses a value on the stack.
            self.stacks.put(unsafe { fiber.forget() });
        }
    }

    /// A thread stays where it is for ever: its values and its stack are leaked.
    pub(in crate::control) fn leak(&mut self, thread: ThreadId) {
        self.live_count -= 1;
        let slot = &mut self.slots[thread.index()];
        slot.status = Status::Lost;
        std::mem::forget(std::mem::take(&mut slot.locals));
        if let Some(fiber) = slot.fiber.take() {
            fiber.leak();
        }
    }

    /// A thread was joined: its slot can be used again.
    pub(in crate::control) fn free(&mut self, thread: ThreadId) {
        self.free.push(thread);
    }

    /// The enabled events are computed for all threads that were born.
    #[inline(always)]
    pub(in crate::control) fn list_births(&mut self) {
        self.births_listed = self.births;
    }

    /// How many threads were born since the enabled events were last computed.
    #[inline(always)]
    pub(in crate::control) fn unlisted_births(&self) -> u64 {
        self.births - self.births_listed
    }

    /// The thread at a slot, if there is such a slot.
    pub(in crate::control) fn get(&self, thread: ThreadId) -> Option<&Thread> {
        self.slots.get(thread.index())
    }

    /// The announced action of a thread.
    #[inline(always)]
    pub(in crate::control) fn pending(&self, thread: ThreadId) -> &Pending {
        &self[thread].pending
    }

    /// A thread's name for people.
    pub(in crate::control) fn name(&self, thread: ThreadId) -> String {
        self.display_name(thread).to_string()
    }

    /// The same, to be displayed without allocating.
    pub(in crate::control) fn display_name(&self, thread: ThreadId) -> impl Display {
        let name = self.slots.get(thread.index()).and_then(|thread| thread.name.as_deref());
        ThreadName { name, thread }
    }

    /// The first thread of a scope that has not been left.
    pub(crate) fn first_of_scope(&self, scope: usize) -> Option<ThreadId> {
        self.all().iter().position(|thread| thread.scope == scope).map(|slot| ThreadId(slot as u32))
    }
}

/// Why a live thread can be resumed.
pub(in crate::control) const FIBER: &str = "a live thread has a fiber";

impl Index<ThreadId> for ThreadTable {
    type Output = Thread;

    #[inline(always)]
    fn index(&self, thread: ThreadId) -> &Thread {
        &self.slots[thread.index()]
    }
}

impl IndexMut<ThreadId> for ThreadTable {
    #[inline(always)]
    fn index_mut(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.slots[thread.index()]
    }
}
