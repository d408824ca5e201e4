//! A transaction that has said `retry` sleeps until something that it read is changed.
//!
//! Harris, Marlow, Peyton Jones and Herlihy, Composable Memory Transactions, PPoPP 2005. The sleeper puts itself into the list of each
//! variable, together with the version that it read; who commits to one of them wakes it. If one of them has changed before all are
//! told, there is nothing to wait for.
//!
//! Promise: it returns after any of the variables was changed since it was read, and leaves no trace in their lists.

use super::log::Log;
use crate::production::interrupt::Thrown;
use crate::production::wait::{Ended, Waiter};
use std::sync::Arc;

/// Waits until something that was read is not as it was. Where nothing was read, that is never. Returns the exception that
/// interrupted the wait, if one did.
pub(super) fn until_changed(log: &Log) -> Option<Thrown> {
    let mut told = Told { log, sleeper: Waiter::new(), count: 0 };
    for (core, version) in log.reads() {
        if !core.sleep_on(version, &told.sleeper) {
            return None;
        }
        told.count += 1;
    }
    match told.sleeper.wait() {
        Ended::Woken => None,
        Ended::Interrupted(exception) => Some(exception),
    }
}

/// The variables that know of the sleeper forget it, also when an exception ends its sleep.
struct Told<'l> {
    log: &'l Log,
    sleeper: Arc<Waiter>,
    count: usize,
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        for (core, _) in self.log.reads().take(self.count) {
            core.forget(&self.sleeper);
        }
    }
}
