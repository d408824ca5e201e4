//! Happens-before by Rust's own rules, for finding data races.
//!
//! As the C++20 memory model has it: a release is seen by an acquire that reads from it; `Relaxed` orders nothing, unless fences
//! stand around it. Kept apart from the dependency of the reduction, which orders every two accesses of an atomic.

use crate::control::execution::Execution;
use crate::control::object::Sync;
use crate::control::state::State;
use selvedge_explore::{ObjectId, ThreadId, VectorClock};
use std::sync::atomic::Ordering;

impl Execution {
    /// The running thread sees all that was released through the object: it took a lock, received a message.
    pub(crate) fn acquire(&self, object: ObjectId) {
        let state = &mut *self.state.borrow_mut();
        let thread = &mut state.threads[state.running.index()];
        thread.clock.join(&state.objects[object.index()].clock);
    }

    /// Who acquires through the object sees all that the running thread has seen and done.
    pub(crate) fn release(&self, object: ObjectId) {
        let state = &mut *self.state.borrow_mut();
        let running = state.running.index();
        let thread = &mut state.threads[running];
        state.objects[object.index()].clock.join(&thread.clock);
        thread.clock.tick(running);
    }

    /// The running thread has this mutex now, and sees all that was released through it.
    #[inline]
    pub(crate) fn take_mutex(&self, object: ObjectId) {
        let state = &mut *self.state.borrow_mut();
        let object = &mut state.objects[object.index()];
        if let Sync::Mutex { owner } = &mut object.sync {
            *owner = Some(state.running);
        }
        state.threads[state.running.index()].clock.join(&object.clock);
    }

    /// Nobody has this mutex any more; who takes it sees all that the running thread has seen and done.
    #[inline]
    pub(crate) fn give_mutex(&self, object: ObjectId) {
        let state = &mut *self.state.borrow_mut();
        let (running, object) = (state.running.index(), &mut state.objects[object.index()]);
        if let Sync::Mutex { owner } = &mut object.sync {
            *owner = None;
        }
        let thread = &mut state.threads[running];
        object.clock.join(&thread.clock);
        thread.clock.tick(running);
    }

    /// A reader gives a lock back: writers who come later see all that it has seen and done, other readers do not.
    pub(crate) fn release_reader(&self, object: ObjectId) {
        let state = &mut *self.state.borrow_mut();
        let running = state.running.index();
        let thread = &mut state.threads[running];
        if let Sync::RwLock { read, .. } = &mut state.objects[object.index()].sync {
            read.join(&thread.clock);
        }
        thread.clock.tick(running);
    }

    /// A writer takes a lock: it sees all that readers had seen and done when they gave it back.
    pub(crate) fn acquire_readers(&self, object: ObjectId) {
        let state = &mut *self.state.borrow_mut();
        let thread = &mut state.threads[state.running.index()];
        if let Sync::RwLock { read, .. } = &state.objects[object.index()].sync {
            thread.clock.join(read);
        }
    }

    /// The running thread comes to a barrier. Where it is the last, all who came see all that any of them did before.
    pub(crate) fn arrive(&self, object: ObjectId, size: usize) -> Arrival {
        let state = &mut *self.state.borrow_mut();
        let running = state.running;
        let object = &mut state.objects[object.index()];
        let Sync::Barrier { arrived, generation } = &mut object.sync else {
            unreachable!("a barrier's number is that of a barrier")
        };
        arrived.push(running);
        object.clock.join(&state.threads[running.index()].clock);
        state.threads[running.index()].clock.tick(running.index());
        if arrived.len() < size {
            return Arrival::Waits { generation: *generation };
        }
        for thread in arrived.drain(..) {
            state.threads[thread.index()].clock.join(&object.clock);
        }
        object.clock.clear();
        *generation += 1;
        Arrival::Last
    }

    /// A message is sent: who receives it will have seen all that the running thread has. Copies its clock, and ticks.
    pub(crate) fn send_clock(&self, message: &mut VectorClock) {
        let state = &mut *self.state.borrow_mut();
        let running = state.running.index();
        let thread = &mut state.threads[running];
        message.copy_from(&thread.clock);
        thread.clock.tick(running);
    }

    /// A message is received: the running thread sees what its sender had seen.
    pub(crate) fn receive_clock(&self, message: &VectorClock) {
        let state = &mut *self.state.borrow_mut();
        state.threads[state.running.index()].clock.join(message);
    }

    /// An atomic was read.
    #[inline]
    pub(crate) fn loaded(&self, object: ObjectId, order: Ordering) {
        let state = &mut *self.state.borrow_mut();
        let thread = &mut state.threads[state.running.index()];
        let released = &state.objects[object.index()].clock;
        if acquires(order) {
            thread.clock.join(released);
        } else {
            thread.seen.join(released);
        }
    }

    /// An atomic was written. A store begins a new release sequence; an update goes on with the one that it read from.
    #[inline]
    pub(crate) fn stored(&self, object: ObjectId, order: Ordering, is_update: bool) {
        let state = &mut *self.state.borrow_mut();
        let running = state.running.index();
        let thread = &mut state.threads[running];
        let clock = &mut state.objects[object.index()].clock;
        let released = if releases(order) { &thread.clock } else { &thread.fenced };
        if is_update {
            clock.join(released);
        } else {
            clock.copy_from(released);
        }
        if releases(order) {
            thread.clock.tick(running);
        }
    }

    /// A fence of the running thread.
    pub(crate) fn fenced(&self, order: Ordering) {
        let state = &mut *self.state.borrow_mut();
        let running = state.running.index();
        let thread = &mut state.threads[running];
        if acquires(order) {
            thread.clock.join(&thread.seen);
        }
        if releases(order) {
            thread.fenced.copy_from(&thread.clock);
            thread.clock.tick(running);
        }
    }

    /// The running thread sees all that another one did before it ended.
    pub(crate) fn acquire_thread(&self, ended: ThreadId) {
        let state = &mut *self.state.borrow_mut();
        let (running, ended) = (state.running.index(), ended.index());
        if let Ok([thread, ended]) = state.threads.get_disjoint_mut([running, ended]) {
            thread.clock.join(&ended.clock);
        }
    }
}

/// How a thread comes to a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// All have come.
    Last,
    /// Not all have come; until they have, the barrier's generation is this.
    Waits { generation: u64 },
}

impl State {
    /// A thread begins after all that its parent did so far.
    pub(crate) fn inherit_clock(&mut self, parent: ThreadId, child: ThreadId) {
        let (parent, child) = (parent.index(), child.index());
        let threads = self.threads.get_disjoint_mut([parent, child]);
        let [older, younger] = threads.expect("a thread and its parent are two of the run's");
        younger.clock.join(&older.clock);
        younger.clock.tick(child);
        older.clock.tick(parent);
    }
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

pub(in crate::control) fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}
