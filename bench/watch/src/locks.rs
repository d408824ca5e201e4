//! What a lock costs whose order is checked, in one thread, without contention. `deloxide` is not timed: it
//! writes to standard output when it starts.

use crate::mutexes::Lock;
use std::hint::black_box;

/// A round: locks and unlocks a mutex again and again.
pub(crate) fn single<L: Lock>(count: usize) -> impl FnMut() -> usize {
    let lock = L::new();
    move || {
        for _ in 0..count {
            drop(black_box(&lock).lock());
        }
        count
    }
}

/// A round: locks two mutexes, and unlocks them.
pub(crate) fn nested<L: Lock>(count: usize) -> impl FnMut() -> usize {
    let (outer, inner) = (L::new(), L::new());
    move || {
        for _ in 0..count {
            let first = black_box(&outer).lock();
            drop(black_box(&inner).lock());
            drop(first);
        }
        count
    }
}
