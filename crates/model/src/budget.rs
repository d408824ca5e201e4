//! What a search may use, and what it has used.
//!
//! Promise: limits are looked at often enough to be kept and seldom enough to cost nothing: the number of states at
//! every new state, bytes and time at every [`PERIOD`]th. A search that a limit stopped says which one.

use std::fmt;
use std::time::Duration;

/// After so many states bytes are counted and the clock is read.
pub const PERIOD: usize = 1024;

/// So much time passes between two reports of progress.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// How much a search may use. By default as much as there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// States of the system.
    pub states: Option<usize>,
    /// Bytes, as the search counts its own tables and stacks.
    pub bytes: Option<usize>,
    /// Time by the caller's [`Clock`].
    pub time: Option<Duration>,
}

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// [`Limits::states`], or the most states that a table holds.
    States,
    /// [`Limits::bytes`].
    Bytes,
    /// [`Limits::time`].
    Time,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::States => "states",
            Limit::Bytes => "memory",
            Limit::Time => "time",
        })
    }
}

/// Tells how much time has passed. Searches do not read the machine's clock; who starts one hands in its own.
pub trait Clock {
    /// The time since some moment that stays the same.
    fn now(&self) -> Duration;
}

impl<F: Fn() -> Duration> Clock for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// A clock that stands still: no limit on time, no reports of progress.
#[derive(Clone, Copy, Debug)]
pub struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Distinct states of the system.
    pub states: usize,
    /// Steps from those states that were looked at, each once.
    pub transitions: usize,
    /// States of the product with the automaton; those of the system where there is no automaton.
    pub product_states: usize,
    /// States of the automaton.
    pub automaton_states: usize,
    /// The length of the longest path that was followed.
    pub depth: usize,
    /// The bytes of tables and stacks.
    pub bytes: usize,
    /// The time by the caller's clock.
    pub time: Duration,
}

/// Limits, the clock, and who wants to hear of progress: what a caller hands to every search.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// What may be used.
    pub limits: Limits,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// Called now and then, if the clock moves.
    pub progress: Option<&'a dyn Fn(&Stats)>,
    /// Store states of several words as trees ([`crate::tree`]): less memory, more time.
    pub compress: bool,
    /// How many workers share the work, at most [`MAX_WORKERS`](crate::parallel::MAX_WORKERS); one if this is 0. The clock and
    /// the progress are the business of the one who calls.
    pub workers: usize,
}

impl Default for Budget<'_> {
    fn default() -> Self {
        Budget { limits: Limits::default(), clock: &Stopped, progress: None, compress: false, workers: 1 }
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// A budget being used by one search.
#[derive(Debug)]
pub struct Meter<'a> {
    budget: Budget<'a>,
    started: Duration,
    reported: Duration,
    until_reading: usize,
}

impl<'a> Meter<'a> {
    /// The search begins now.
    pub fn start(budget: Budget<'a>) -> Meter<'a> {
        let started = budget.clock.now();
        Meter { budget, started, reported: Duration::ZERO, until_reading: PERIOD }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.budget.clock.now().saturating_sub(self.started)
    }

    /// So many states may be stored. Who has them and meets another one has reached the limit.
    pub fn most_states(&self) -> usize {
        self.budget.limits.states.unwrap_or(usize::MAX)
    }

    /// Are states stored as trees?
    pub fn compresses(&self) -> bool {
        self.budget.compress
    }

    /// Called at every state of the search.
    #[inline]
    pub fn tick(&mut self) {
        self.until_reading = self.until_reading.saturating_sub(1);
    }

    /// Is it time to [`read`](Meter::read)?
    #[inline]
    pub fn is_due(&self) -> bool {
        self.until_reading == 0
    }

    /// Reads the clock, and reports progress now and then. Says which limit is exceeded, if one is.
    pub fn read(&mut self, figures: Stats) -> Option<Limit> {
        self.until_reading = PERIOD;
        let stats = Stats { time: self.elapsed(), ..figures };
        let Limits { bytes, time, .. } = self.budget.limits;
        if bytes.is_some_and(|most| stats.bytes > most) {
            return Some(Limit::Bytes);
        }
        if time.is_some_and(|most| stats.time > most) {
            return Some(Limit::Time);
        }
        if stats.states.max(stats.product_states) > crate::store::StateTable::MAX_STATES - (1 << 24) {
            return Some(Limit::States);
        }
        if let Some(progress) = self.budget.progress
            && stats.time >= self.reported + BETWEEN_REPORTS
        {
            self.reported = stats.time;
            progress(&stats);
        }
        None
    }
}
