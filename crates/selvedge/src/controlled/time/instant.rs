//! As [`std::time::Instant`].

use crate::controlled::current;
use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

/// The virtual uptime of the machine when a run begins, so that a program can subtract durations: ten years.
const UPTIME: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// As [`std::time::Instant`]. Inside an exploration, a time of the virtual clock.
///
/// Instants of the two clocks are never equal. An instant of the virtual clock is later than every instant
/// of `std`'s clock, and no duration lies between them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Clock);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Clock {
    Std(std::time::Instant),
    Virtual(Duration),
}

impl Instant {
    /// As [`std::time::Instant::now`].
    #[must_use]
    #[track_caller]
    pub fn now() -> Instant {
        Instant(match current() {
            None => Clock::Std(std::time::Instant::now()),
            Some(execution) => Clock::Virtual(UPTIME + super::since_start_of_run(execution)),
        })
    }

    /// As [`std::time::Instant::duration_since`].
    #[must_use]
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// As [`std::time::Instant::checked_duration_since`].
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        match (self.0, earlier.0) {
            (Clock::Std(now), Clock::Std(earlier)) => now.checked_duration_since(earlier),
            (Clock::Virtual(now), Clock::Virtual(earlier)) => now.checked_sub(earlier),
            _ => None,
        }
    }

    /// As [`std::time::Instant::saturating_duration_since`].
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// As [`std::time::Instant::elapsed`].
    #[must_use]
    #[track_caller]
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    /// As [`std::time::Instant::checked_add`].
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Clock::Std(instant) => Clock::Std(instant.checked_add(duration)?),
            Clock::Virtual(time) => Clock::Virtual(time.checked_add(duration)?),
        }))
    }

    /// As [`std::time::Instant::checked_sub`].
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Clock::Std(instant) => Clock::Std(instant.checked_sub(duration)?),
            Clock::Virtual(time) => Clock::Virtual(time.checked_sub(duration)?),
        }))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    #[track_caller]
    fn add(self, duration: Duration) -> Instant {
        self.checked_add(duration).expect("overflow when adding duration to instant")
    }
}

impl AddAssign<Duration> for Instant {
    #[track_caller]
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    #[track_caller]
    fn sub(self, duration: Duration) -> Instant {
        self.checked_sub(duration).expect("overflow when subtracting duration from instant")
    }
}

impl SubAssign<Duration> for Instant {
    #[track_caller]
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Clock::Std(instant) => fmt::Debug::fmt(instant, f),
            Clock::Virtual(time) => f.debug_tuple("Instant").field(time).finish(),
        }
    }
}
