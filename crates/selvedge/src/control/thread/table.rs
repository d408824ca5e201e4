//! The threads of a run, by number.
//!
//! A thread has the same number in all runs of an exploration ([`tree`](super::tree)), so a run may leave
//! slots unused. Its threads are listed in the order of their paths: a thread comes after its parent and
//! before the later children of its parent. Unlike the order of births, that order does not depend on the
//! order of independent spawns.

use super::pending::Pending;
use super::slot::{Lineage, Status, Thread, ThreadName};
use super::tree::{KnownThreads, SharedThreadTree};
use super::waits::Waits;
use crate::control::exception::Unwound;
use crate::control::fiber::{Fiber, StackPool};
use selvedge_explore::ThreadId;
use std::fmt::{self, Display};
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// From this number of children on, main gives a child the number of a child that it has joined.
const MAIN_REUSES_FROM: usize = 1024;

/// The same for all other threads.
const CHILDREN_REUSE_FROM: usize = 64;

/// The threads of a run.
pub(crate) struct ThreadTable {
    /// By number. Only those of the threads in `order` belong to this run.
    slots: Vec<Thread>,
    /// All threads of the run, in the order of their paths.
    order: Vec<ThreadId>,
    known: KnownThreads,
    /// How many threads have begun and not ended.
    live_count: usize,
    /// How many threads were born.
    births: u64,
    /// How many threads had been born when the enabled events were last computed.
    births_listed: u64,
    /// Threads that were spawned in the current step and have not begun.
    unstarted: Vec<ThreadId>,
    pub(in crate::control) waits: Waits,
    /// The addresses of the open scopes.
    pub(crate) scopes: Vec<usize>,
    pub(in crate::control) stacks: StackPool,
}

impl ThreadTable {
    /// No threads, with the slots and stacks of earlier explorations.
    pub(in crate::control) fn new(
        slots: Vec<Thread>,
        stacks: StackPool,
        tree: SharedThreadTree,
    ) -> ThreadTable {
        ThreadTable {
            slots,
            order: Vec::new(),
            known: KnownThreads::new(tree),
            live_count: 0,
            births: 0,
            births_listed: 0,
            unstarted: Vec::new(),
            waits: Waits::default(),
            scopes: Vec::new(),
            stacks,
        }
    }

    /// A run begins.
    pub(in crate::control) fn clear(&mut self) {
        let ThreadTable {
            slots: _,
            order,
            // A path keeps its number.
            known: _,
            live_count,
            births,
            births_listed,
            unstarted,
            waits,
            scopes,
            stacks: _,
        } = self;
        (*live_count, *births, *births_listed) = (0, 0, 0);
        order.clear();
        unstarted.clear();
        waits.clear();
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

    /// The numbers of all threads of the run, in the order of their paths.
    #[inline(always)]
    pub(crate) fn ids(&self) -> &[ThreadId] {
        &self.order
    }

    /// All threads of the run, in the order of their paths.
    #[inline(always)]
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = (ThreadId, &Thread)> {
        self.order.iter().map(|thread| (*thread, &self.slots[thread.index()]))
    }

    /// The threads that have begun and not ended.
    pub(crate) fn live(&self) -> impl DoubleEndedIterator<Item = ThreadId> {
        self.all().filter(|(_, thread)| thread.status == Status::Live).map(|(thread, _)| thread)
    }

    /// The index of a thread in the order of paths.
    #[inline]
    pub(in crate::control) fn place(&self, thread: ThreadId) -> usize {
        self[thread].lineage.place
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
        let mut first = None;
        for thread in &self.order {
            let slot = &mut self.slots[thread.index()];
            if slot.birth >= birth {
                first = first.or(slot.unobserved.take().filter(Unwound::is_failure));
            }
        }
        first
    }

    /// A live thread goes no further, until it is unwound. It keeps its locks and its places in queues.
    pub(in crate::control) fn freeze(&mut self, thread: ThreadId) {
        self.slots[thread.index()].status = Status::Paused;
        self.live_count -= 1;
    }

    /// All frozen threads can be unwound.
    pub(in crate::control) fn thaw_all(&mut self) {
        (0..self.order.len()).for_each(|place| self.thaw(self.order[place]));
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

    /// The next child of a thread. The number of a child that the thread has joined can be used again, since
    /// its end happens before the next spawn; the clock of the number goes on.
    pub(crate) fn next_child(&mut self, parent: ThreadId) -> ThreadId {
        match self.reusable_child(parent) {
            Some(joined) => joined,
            None => self.known.child(parent, self[parent].lineage.children),
        }
    }

    fn reusable_child(&self, parent: ThreadId) -> Option<ThreadId> {
        let reuses_from = if parent == ThreadId::MAIN { MAIN_REUSES_FROM } else { CHILDREN_REUSE_FROM };
        let Lineage { children, joined_children, .. } = &self[parent].lineage;
        joined_children.last().copied().filter(|_| *children >= reuses_from)
    }

    /// The slot of the next child of the running thread; of main, if there is no thread yet.
    pub(in crate::control) fn allocate(&mut self, running: ThreadId) -> ThreadId {
        if self.order.is_empty() {
            return self.place_at(0, ThreadId::MAIN, ThreadId::MAIN);
        }
        if let Some(joined) = self.reusable_child(running) {
            self[running].lineage.joined_children.pop();
            self[joined].generation += 1;
            return joined;
        }
        let lineage = &mut self.slots[running.index()].lineage;
        let child = self.known.child(running, lineage.children);
        lineage.children += 1;
        self.place_at(self.end_of_family(running), running, child)
    }

    /// Gives a thread its place in the order of paths.
    fn place_at(&mut self, place: usize, parent: ThreadId, child: ThreadId) -> ThreadId {
        while self.slots.len() <= child.index() {
            self.slots.push(Thread::new());
        }
        if place == self.order.len() {
            self.order.push(child);
        } else {
            self.order.insert(place, child);
            for later in place + 1..self.order.len() {
                self.slots[self.order[later].index()].lineage.place = later;
            }
        }
        if self.waits.begins_notes(self.order.len()) {
            self.note_waits();
        }
        let depth = self.known.depth(child);
        let slot = &mut self[child];
        slot.generation = 0;
        slot.lineage.begin(parent, depth, place);
        child
    }

    /// Notes what all threads wait for.
    fn note_waits(&mut self) {
        for thread in &self.order {
            let slot = &self.slots[thread.index()];
            if slot.status == Status::Live && slot.pending.may_wait {
                self.waits.note(*thread, slot.pending.action.object);
            }
        }
    }

    /// The place after a thread and its descendants.
    fn end_of_family(&self, thread: ThreadId) -> usize {
        let Lineage { place, depth, .. } = self[thread].lineage;
        if thread == ThreadId::MAIN {
            return self.order.len();
        }
        let is_descendant = |other: &&ThreadId| self[**other].lineage.depth > depth;
        place + 1 + self.order[place + 1..].iter().take_while(is_descendant).count()
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

    /// A thread has joined another. Its parent can use the number again: what another thread has joined
    /// is not known to the parent.
    pub(in crate::control) fn joined(&mut self, joiner: ThreadId, thread: ThreadId) {
        if self[thread].lineage.parent == joiner {
            self[joiner].lineage.joined_children.push(thread);
        }
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
        // A thread that is about to be spawned has no slot, or one that belongs to another run.
        let is_born = |slot: &&Thread| self.order.get(slot.lineage.place) == Some(&thread);
        let name = self.slots.get(thread.index()).filter(is_born).and_then(|slot| slot.name.as_deref());
        ThreadName { name, label: self.label(thread).map(|label| &**label), thread }
    }

    /// Writes the path of a thread, or of a phantom's owner with its buffer, as traces do. Does not
    /// allocate.
    #[cfg(unix)]
    pub(in crate::control) fn write_label(&self, thread: ThreadId, out: &mut dyn fmt::Write) -> fmt::Result {
        let label = self.known.label(thread.owner()).unwrap_or("?");
        match thread.buffer() {
            None => write!(out, "{label}"),
            Some(0) => write!(out, "c{label}"),
            Some(buffer) => write!(out, "c{label}/{buffer}"),
        }
    }

    /// The path of a thread: `0` for main, `1.2` for the second child of main's first child.
    pub(in crate::control) fn path(&self, thread: ThreadId) -> &str {
        self.known.label(thread).unwrap_or_default()
    }

    /// The path of a thread, as a name for people, if it is not its number.
    pub(in crate::control) fn label(&self, thread: ThreadId) -> Option<&Arc<str>> {
        self.known.name(thread)
    }

    /// The tree that gives threads their numbers.
    #[cfg(unix)]
    pub(in crate::control) fn tree(&self) -> SharedThreadTree {
        self.known.tree()
    }

    /// A number that depends on the path of a thread alone, and is its own: 1 for main, 2 for its first
    /// child.
    pub(crate) fn path_code(&self, thread: ThreadId) -> u64 {
        self.known.code(thread)
    }

    /// The first thread of a scope that has not been left.
    pub(crate) fn first_of_scope(&self, scope: usize) -> Option<ThreadId> {
        self.all().find(|(_, thread)| thread.scope == scope).map(|(thread, _)| thread)
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
