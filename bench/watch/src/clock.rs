//! The CPU time of this thread. Other work of the machine does not count.

#![allow(unsafe_code)]

use std::time::Duration;

/// The CPU time so far.
pub(crate) fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `time` only, which is valid and lives until the end of the function.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "the operating system counts the time of threads");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The CPU time since `start`.
pub(crate) fn since(start: Duration) -> Duration {
    now() - start
}
