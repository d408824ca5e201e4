//! Stack overflows of explored threads.
//!
//! Below each stack is a guard page. An access to it raises a signal, and std's handler knows the stacks of
//! its own threads only; so our handler ([`signals`](super::signals)) asks here whether a fault is an
//! overflow.

#![allow(unsafe_code)]

use crate::control::Execution;
use std::sync::atomic::{AtomicUsize, Ordering};

static PAGE_BYTES: AtomicUsize = AtomicUsize::new(4096);

/// Asks the system for the size of a page.
pub(super) fn prepare() {
    // SAFETY: `sysconf` has no preconditions.
    let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    PAGE_BYTES.store(usize::try_from(page_bytes).unwrap_or(4096), Ordering::Relaxed);
}

/// The size of the stack that has overflowed, if the address is in the guard page of one. Neither allocates
/// nor waits.
pub(super) fn overflowed_bytes(execution: &Execution, address: usize) -> Option<usize> {
    let page_bytes = PAGE_BYTES.load(Ordering::Relaxed);
    let stack = execution.heartbeat.stack_that_ends_at(address, page_bytes)?;
    Some(stack.base - stack.limit - page_bytes)
}
