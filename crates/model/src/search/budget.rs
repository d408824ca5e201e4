//! The resources that a search may use, and those that it has used.
//!
//! Promise: limits are checked often enough to be kept and seldom enough to cost nothing: the number of
//! states at every new state, bytes and time at every [`CHECK_PERIOD`]th. A search that a limit stopped says
//! which limit.

use std::fmt;
use std::time::Duration;

/// The number of states between two checks of the bytes and the clock.
pub const CHECK_PERIOD: usize = 1024;

/// [`Budget::alone`] unless it is set.
const DEFAULT_ALONE: usize = 20_000;

/// The time between two reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The limits of a search. By default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// States of the system.
    pub states: Option<usize>,
    /// Bytes, as the search counts its tables and stacks, and the system
    /// [its own](crate::System::table_bytes).
    pub bytes: Option<usize>,
    /// Time by the caller's [`Clock`].
    pub time: Option<Duration>,
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// [`Limits::states`], or the largest number of states in a table.
    States,
    /// [`Limits::bytes`].
    Bytes,
    /// [`Limits::time`].
    Time,
    /// A bound of the language, which cut off a step: [`System::first_cut`](crate::System::first_cut) says
    /// which. The search was complete but for such steps.
    Language,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::States => "states",
            Limit::Bytes => "memory",
            Limit::Time => "time",
            Limit::Language => "the language",
        })
    }
}

/// Tells the time. Searches do not read the machine's clock; the caller of a search passes a clock in.
pub trait Clock {
    /// The time since a fixed moment.
    fn now(&self) -> Duration;
}

impl<F: Fn() -> Duration> Clock for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// A clock that stands still: no limit on time, no reports of progress.
#[derive(Clone, Copy, Debug)]
pub struct FrozenClock;

impl Clock for FrozenClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// The figures of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Distinct states of the system.
    pub states: usize,
    /// Steps from the expanded states, each once.
    pub transitions: usize,
    /// Nodes of the product with the automaton; states of the system where there is no automaton.
    pub product_states: usize,
    /// States of the automaton.
    pub automaton_states: usize,
    /// The length of the longest path of the search.
    pub depth: usize,
    /// The bytes of tables and stacks, of the search and of the system.
    pub bytes: usize,
    /// The time by the caller's clock.
    pub time: Duration,
}

/// Limits, the clock, the receiver of progress reports and the number of workers: a parameter of every
/// search.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// The limits.
    pub limits: Limits,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// Receives the figures now and then, if the clock moves.
    pub progress: Option<&'a dyn Fn(&Stats)>,
    /// The number of states that the first worker finds before the others join it: a small search is done
    /// before they have begun.
    pub alone: usize,
    /// The number of workers, at most [`MAX_WORKERS`](crate::workers::MAX_WORKERS); 0 stands for 1. Only the
    /// calling thread uses the clock and reports progress.
    pub workers: usize,
}

impl Default for Budget<'_> {
    fn default() -> Self {
        Budget {
            limits: Limits::default(),
            clock: &FrozenClock,
            progress: None,
            alone: DEFAULT_ALONE,
            workers: 1,
        }
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The budget of a search that runs, and how much of it is used.
#[derive(Debug)]
pub struct Meter<'a> {
    budget: Budget<'a>,
    started: Duration,
    reported: Duration,
    until_reading: usize,
}

impl<'a> Meter<'a> {
    /// Starts the clock of a search.
    pub fn start(budget: Budget<'a>) -> Meter<'a> {
        let started = budget.clock.now();
        Meter { budget, started, reported: Duration::ZERO, until_reading: CHECK_PERIOD }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.budget.clock.now().saturating_sub(self.started)
    }

    /// The largest number of states that may be stored. A search that discovers one more has reached the
    /// limit.
    pub fn most_states(&self) -> usize {
        self.budget.limits.states.unwrap_or(usize::MAX)
    }

    /// Counts a state towards the next check.
    #[inline]
    pub fn tick(&mut self) {
        self.until_reading = self.until_reading.saturating_sub(1);
    }

    /// Is it time for a check, that is to [`read`](Meter::read)?
    #[inline]
    pub fn is_due(&self) -> bool {
        self.until_reading == 0
    }

    /// Reads the clock, and reports progress now and then. Returns the limit that is exceeded, if any.
    pub fn read(&mut self, figures: Stats) -> Option<Limit> {
        self.until_reading = CHECK_PERIOD;
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
            && stats.time >= self.reported + REPORT_INTERVAL
        {
            self.reported = stats.time;
            progress(&stats);
        }
        None
    }
}
