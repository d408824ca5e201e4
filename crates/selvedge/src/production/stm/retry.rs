//! A transaction that called `retry` sleeps until a variable of its read set changes.
//!
//! Harris, Marlow, Peyton Jones and Herlihy, Composable Memory Transactions, PPoPP 2005. The transaction
//! adds one waiter to each variable of its read set, together with the version that it read. A commit to one
//! of these variables wakes it. If a variable has changed before the waiter is everywhere, the transaction
//! does not sleep.
//!
//! Promise: the function returns after some variable of the read set has changed, and leaves no waiter
//! behind.

use super::log::Log;
use crate::production::interrupt::Thrown;
use crate::production::wait::{WaitEnd, Waiter};
use std::sync::Arc;

/// Sleeps until a variable of the read set has changed; with an empty read set, for ever. Returns the
/// exception that interrupted the sleep, if there was one.
pub(super) fn sleep_until_changed(log: &Log) -> Option<Thrown> {
    let mut registration = Registration { log, waiter: Waiter::new(), count: 0 };
    for (lock, version) in log.reads() {
        if !lock.add_waiter(version, &registration.waiter) {
            return None;
        }
        registration.count += 1;
    }
    match registration.waiter.wait() {
        WaitEnd::Woken => None,
        WaitEnd::Interrupted(exception) => Some(exception),
    }
}

/// The waiter in the lists of the first `count` variables of the read set; the destructor removes it.
struct Registration<'l> {
    log: &'l Log,
    waiter: Arc<Waiter>,
    count: usize,
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        for (lock, _) in self.log.reads().take(self.count) {
            lock.remove_waiter(&self.waiter);
        }
    }
}
