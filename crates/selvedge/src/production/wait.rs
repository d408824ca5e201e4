//! One wait of one thread.
//!
//! Promise: a wait ends when it was woken, whether that came before it began or after.

use crate::sync::Arc;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::thread::{self, Thread};

/// How a wait ended.
#[allow(dead_code)]
pub(crate) enum Ended {
    Woken,
    Interrupted(super::interrupt::Thrown),
}

/// One wait of one thread. It is made by the thread that will wait.
pub(crate) struct Waiter {
    is_over: AtomicBool,
    thread: Thread,
}

impl Waiter {
    /// A wait of the calling thread.
    pub(crate) fn new() -> Arc<Waiter> {
        Arc::new(Waiter { is_over: AtomicBool::new(false), thread: thread::current() })
    }

    /// Ends the wait. Returns whether this call did it.
    pub(crate) fn wake(&self) -> bool {
        let was_over = self.is_over.swap(true, Ordering::AcqRel);
        if !was_over {
            self.thread.unpark();
        }
        !was_over
    }

    /// Waits until it is woken.
    pub(crate) fn wait(&self) -> Ended {
        while !self.is_over.load(Ordering::Acquire) {
            thread::park();
        }
        Ended::Woken
    }
}
