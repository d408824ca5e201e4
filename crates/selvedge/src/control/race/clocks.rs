//! Happens-before by the rules of the Rust memory model, for finding data races.
//!
//! As in the C++20 memory model: an acquire that reads from a release synchronises with it; `Relaxed` orders
//! nothing, unless fences stand around it. Separate from the dependency relation of the reduction, which
//! orders every two accesses of an atomic.

use crate::control::object::Object;
use crate::control::thread::Thread;
use selvedge_explore::VectorClock;
use std::sync::atomic::Ordering;

/// The clocks that fences of a thread need.
#[derive(Debug, Default)]
pub(in crate::control) struct FenceClocks {
    /// The releases that its relaxed loads have read from: an acquire fence acquires them.
    seen: VectorClock,
    /// What later relaxed stores release, because of the last release fence.
    released: VectorClock,
}

impl FenceClocks {
    /// Another thread has this slot from now on.
    pub(in crate::control) fn clear(&mut self) {
        let FenceClocks { seen, released } = self;
        seen.clear();
        released.clear();
    }

    /// What a relaxed store releases.
    pub(in crate::control) fn released(&self) -> &VectorClock {
        &self.released
    }
}

/// The thread acquires all that was released through the object: it took a lock, received a message.
pub(in crate::control) fn acquire(thread: &mut Thread, object: &Object) {
    thread.clock.join(&object.clock);
}

/// Threads that acquire through the object see all that this thread, at this index, has seen and done.
pub(in crate::control) fn release(thread: &mut Thread, index: usize, object: &mut Object) {
    release_to(thread, index, &mut object.clock);
}

/// The same through a clock.
pub(in crate::control) fn release_to(thread: &mut Thread, index: usize, clock: &mut VectorClock) {
    clock.join(&thread.clock);
    thread.clock.tick(index);
}

/// The thread at this index sends a message: its receiver will have seen all that the sender has.
pub(in crate::control) fn send(thread: &mut Thread, index: usize, message: &mut VectorClock) {
    message.copy_from(&thread.clock);
    thread.clock.tick(index);
}

/// The thread has loaded an atomic.
#[inline]
pub(in crate::control) fn load(thread: &mut Thread, object: &Object, order: Ordering) {
    load_clock(thread, &object.clock, order);
}

/// The thread has loaded a value that was released with this clock.
#[inline]
pub(in crate::control) fn load_clock(thread: &mut Thread, released: &VectorClock, order: Ordering) {
    if acquires(order) {
        thread.clock.join(released);
    } else {
        thread.fences.seen.join(released);
    }
}

/// The thread at this index has written an atomic. A store begins a new release sequence; an update
/// continues the one that it read from.
#[inline]
pub(in crate::control) fn store(
    thread: &mut Thread,
    index: usize,
    object: &mut Object,
    order: Ordering,
    is_update: bool,
) {
    let released = if releases(order) { &thread.clock } else { &thread.fences.released };
    if is_update {
        object.clock.join(released);
    } else {
        object.clock.copy_from(released);
    }
    if releases(order) {
        thread.clock.tick(index);
    }
}

/// A fence of the thread at this index.
pub(in crate::control) fn fence(thread: &mut Thread, index: usize, order: Ordering) {
    if acquires(order) {
        thread.clock.join(&thread.fences.seen);
    }
    if releases(order) {
        thread.fences.released.copy_from(&thread.clock);
        thread.clock.tick(index);
    }
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

/// Does an access of this ordering release?
pub(in crate::control) fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}
