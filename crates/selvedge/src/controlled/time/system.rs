//! As [`std::time::SystemTime`].

use crate::controlled::current;
use std::error::Error;
use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

/// The system time when a run begins: the year 2000.
const START_OF_RUN: Duration = Duration::from_secs(946_684_800);

/// As [`std::time::UNIX_EPOCH`].
pub const UNIX_EPOCH: SystemTime = SystemTime(std::time::UNIX_EPOCH);

/// As [`std::time::SystemTime`], with conversions from and to it. Inside an exploration the clock is
/// virtual, and every run begins in the year 2000.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemTime(std::time::SystemTime);

/// As [`std::time::SystemTimeError`].
#[derive(Clone, Debug)]
pub struct SystemTimeError(Duration);

impl SystemTime {
    /// As [`std::time::SystemTime::UNIX_EPOCH`].
    pub const UNIX_EPOCH: SystemTime = UNIX_EPOCH;

    /// As [`std::time::SystemTime::now`].
    #[must_use]
    #[track_caller]
    pub fn now() -> SystemTime {
        match current() {
            None => SystemTime(std::time::SystemTime::now()),
            Some(execution) => UNIX_EPOCH + START_OF_RUN + super::since_start_of_run(execution),
        }
    }

    /// As [`std::time::SystemTime::duration_since`].
    ///
    /// # Errors
    /// If `earlier` is later than this time; the error has the difference.
    pub fn duration_since(&self, earlier: SystemTime) -> Result<Duration, SystemTimeError> {
        self.0.duration_since(earlier.0).map_err(|error| SystemTimeError(error.duration()))
    }

    /// As [`std::time::SystemTime::elapsed`].
    ///
    /// # Errors
    /// If this time is later than now; the error has the difference.
    #[track_caller]
    pub fn elapsed(&self) -> Result<Duration, SystemTimeError> {
        SystemTime::now().duration_since(*self)
    }

    /// As [`std::time::SystemTime::checked_add`].
    pub fn checked_add(&self, duration: Duration) -> Option<SystemTime> {
        self.0.checked_add(duration).map(SystemTime)
    }

    /// As [`std::time::SystemTime::checked_sub`].
    pub fn checked_sub(&self, duration: Duration) -> Option<SystemTime> {
        self.0.checked_sub(duration).map(SystemTime)
    }
}

impl SystemTimeError {
    /// As [`std::time::SystemTimeError::duration`].
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.0
    }
}

impl fmt::Display for SystemTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "second time provided was later than self")
    }
}

impl Error for SystemTimeError {}

impl Add<Duration> for SystemTime {
    type Output = SystemTime;

    #[track_caller]
    fn add(self, duration: Duration) -> SystemTime {
        SystemTime(self.0 + duration)
    }
}

impl AddAssign<Duration> for SystemTime {
    #[track_caller]
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for SystemTime {
    type Output = SystemTime;

    #[track_caller]
    fn sub(self, duration: Duration) -> SystemTime {
        SystemTime(self.0 - duration)
    }
}

impl SubAssign<Duration> for SystemTime {
    #[track_caller]
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl From<std::time::SystemTime> for SystemTime {
    fn from(time: std::time::SystemTime) -> SystemTime {
        SystemTime(time)
    }
}

impl From<SystemTime> for std::time::SystemTime {
    fn from(time: SystemTime) -> std::time::SystemTime {
        time.0
    }
}

impl fmt::Debug for SystemTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
