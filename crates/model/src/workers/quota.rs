//! The limit on the number of states that several workers store.
//!
//! Promise: no more states than the limit are allowed, by all workers together.

use crate::sync::atomic::{AtomicUsize, Ordering};

/// Counts the states, and refuses those above the limit.
#[derive(Debug)]
pub(crate) struct StateQuota {
    taken: AtomicUsize,
    most: usize,
}

impl StateQuota {
    pub(crate) fn new(most: usize) -> StateQuota {
        StateQuota { taken: AtomicUsize::new(0), most }
    }

    /// Counts a new state, unless the limit is reached.
    #[inline]
    pub(crate) fn take(&self) -> bool {
        let is_taken = self.taken.fetch_add(1, Ordering::Relaxed) < self.most;
        if !is_taken {
            self.taken.fetch_sub(1, Ordering::Relaxed);
        }
        is_taken
    }

    /// So many states are known from another process.
    pub(crate) fn set(&self, states: usize) {
        self.taken.store(states, Ordering::Relaxed);
    }

    /// A state that was counted is not new after all.
    pub(crate) fn give_back(&self) {
        self.taken.fetch_sub(1, Ordering::Relaxed);
    }
}
