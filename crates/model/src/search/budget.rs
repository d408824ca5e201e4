//! The resources that a search may use, and those that it has used.
//!
//! Promise: limits are checked often enough to be kept and seldom enough to cost nothing: the number of
//! states at every new state, bytes, time and the caller's interrupt at every [`CHECK_PERIOD`]th. A search
//! that a limit stopped says which limit.

use super::Finding;
use crate::checkpoint::Checkpoint;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The number of states between two checks of the bytes, the clock and the interrupt.
pub const CHECK_PERIOD: usize = 1024;

/// [`Budget::alone`] unless it is set.
const DEFAULT_ALONE: usize = 100_000;

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
    /// [`Budget::interrupt`]: no limit of its own, but the caller no longer waits.
    Interrupt,
    /// [`Budget::checkpoint`] has records that do not fit; nothing was searched.
    Checkpoint,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::States => "states",
            Limit::Bytes => "memory",
            Limit::Time => "time",
            Limit::Language => "the language",
            Limit::Interrupt => "interrupted",
            Limit::Checkpoint => "the checkpoint",
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
    /// The search stops soon after this becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Receives what a pass over the states finds, at once. Only the calling thread calls it.
    pub found: Option<&'a (dyn Fn(Finding<'_>) + Sync)>,
    /// Keeps how far the search has come. Searches that can be continued say so.
    pub checkpoint: Option<&'a dyn Checkpoint>,
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
            interrupt: None,
            found: None,
            checkpoint: None,
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
    /// The time that the search took in other processes.
    before: Duration,
    reported: Duration,
    period: usize,
    until_reading: usize,
}

impl<'a> Meter<'a> {
    /// Starts the clock of a search.
    pub fn start(budget: Budget<'a>) -> Meter<'a> {
        let started = budget.clock.now();
        let period = budget.checkpoint.map_or(CHECK_PERIOD, |checkpoint| checkpoint.period().max(1));
        Meter {
            budget,
            started,
            before: Duration::ZERO,
            reported: Duration::ZERO,
            period,
            until_reading: period,
        }
    }

    /// The meter of a search that is a part of this one, beside so many bytes. It may store so many states,
    /// and reports nothing.
    pub(crate) fn part(&self, states: usize, bytes: usize) -> Meter<'a> {
        let whole = self.budget.limits;
        let limits = Limits {
            states: Some(states.min(self.most_states())),
            bytes: whole.bytes.map(|most| most.saturating_sub(bytes)),
            time: whole.time.map(|most| most.saturating_sub(self.elapsed())),
        };
        Meter::start(Budget { limits, progress: None, found: None, checkpoint: None, ..self.budget })
    }

    /// The time since the start, and before it in other processes.
    pub fn elapsed(&self) -> Duration {
        self.budget.clock.now().saturating_sub(self.started) + self.before
    }

    /// The search goes on that took this time in other processes.
    pub(crate) fn go_on(&mut self, before: Duration) {
        self.before = before;
    }

    /// The checkpoint, if it is time to write to it.
    pub(crate) fn due_checkpoint(&self) -> Option<&'a dyn Checkpoint> {
        self.budget.checkpoint.filter(|checkpoint| checkpoint.is_due())
    }

    /// The checkpoint, if there is one.
    pub(crate) fn checkpoint(&self) -> Option<&'a dyn Checkpoint> {
        self.budget.checkpoint
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
        self.until_reading = self.period;
        let stats = Stats { time: self.elapsed(), ..figures };
        let Limits { bytes, time, .. } = self.budget.limits;
        if self.budget.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return Some(Limit::Interrupt);
        }
        if bytes.is_some_and(|most| stats.bytes > most) {
            return Some(Limit::Bytes);
        }
        if time.is_some_and(|most| stats.time.saturating_sub(self.before) > most) {
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
