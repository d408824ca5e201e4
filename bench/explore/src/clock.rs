//! Time that this process has spent computing, all its threads together: what others do on the machine
//! meanwhile does not count.
//!
//! What a tool waits for does not count either, such as for a thread of the operating system to be woken; of
//! the tools here, only ours does that, once when an exploration begins and once when it ends.

#![allow(unsafe_code)]

use std::time::Duration;

/// The time so far.
pub(crate) fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the value that it is given, which lives long enough.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "the operating system counts the time of processes");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time since then.
pub(crate) fn since(start: Duration) -> Duration {
    now() - start
}
