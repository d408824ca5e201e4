//! As [`std::time::Instant`].

use crate::control::current;
use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

/// How long the machine has been running when a run begins, so that a program can look back: ten years.
const UPTIME: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// As [`std::time::Instant`]. Inside of explorations, a time of the virtual clock.
///
/// Instants of the two clocks are different; those of the virtual one are later than the others, by no duration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Clock);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Clock {
    Plain(std::time::Instant),
    Virtual(Duration),
}

impl Instant {
    /// As [`std::time::Instant::now`].
    #[must_use]
    #[track_caller]
    pub fn now() -> Instant {
        Instant(match current() {
            None => Clock::Plain(std::time::Instant::now()),
            Some(execution) => Clock::Virtual(UPTIME + super::since_beginning(execution)),
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
            (Clock::Plain(now), Clock::Plain(earlier)) => now.checked_duration_since(earlier),
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
            Clock::Plain(instant) => Clock::Plain(instant.checked_add(duration)?),
            Clock::Virtual(time) => Clock::Virtual(time.checked_add(duration)?),
        }))
    }

    /// As [`std::time::Instant::checked_sub`].
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Clock::Plain(instant) => Clock::Plain(instant.checked_sub(duration)?),
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
            Clock::Plain(instant) => fmt::Debug::fmt(instant, f),
            Clock::Virtual(time) => f.debug_tuple("Instant").field(time).finish(),
        }
    }
}
