//! Computing time: user and system time together. Other work of the machine does not count.
//!
//! Waiting does not count either, such as waiting for a thread of the operating system to wake up.

#![allow(unsafe_code)]

use std::time::Duration;

/// Whose computing time is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// All threads of this process together.
    Process,
    /// The thread that asks.
    Thread,
}

impl Clock {
    /// The computing time so far.
    pub fn now(self) -> Duration {
        let id = match self {
            Clock::Process => libc::CLOCK_PROCESS_CPUTIME_ID,
            Clock::Thread => libc::CLOCK_THREAD_CPUTIME_ID,
        };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call writes to `time` only, which is valid and lives until the end of the function.
        let result = unsafe { libc::clock_gettime(id, &raw mut time) };
        assert_eq!(result, 0, "the operating system counts computing time");
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    /// The computing time since `start`.
    pub fn since(self, start: Duration) -> Duration {
        self.now() - start
    }

    /// The result of some work, and the seconds that it computed.
    pub fn time<R>(self, work: impl FnOnce() -> R) -> (R, f64) {
        let start = self.now();
        let result = work();
        (result, self.since(start).as_secs_f64())
    }
}
