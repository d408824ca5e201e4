//! What a program observes of the machine: the virtual clock, and how many threads run in parallel.
//!
//! A timed wait has a deadline: the time at which it began, and its duration. Time passes to deadlines and
//! to no other times, and the clock never goes back.
//!
//! | step | the clock |
//! |---|---|
//! | a timed wait fixes its deadline, by now | time may pass to a deadline first |
//! | the clock is read | time may pass to a deadline first |
//! | a sleep ends, a wait times out | the maximum of now and its deadline |
//! | any other step | does not change |
//!
//! A deadline passes when time passes to it or to a later one: so they pass in their order. Its thread need
//! not run then; until it does, the wait can still be notified. Time can also pass to the deadline of a wait
//! that has ended: threads may be slow, and what they do takes time.
//!
//! Time could also pass between two steps. No thread would notice before the next of the steps above, so it
//! passes just before these. And if no thread reads the clock, deadlines make no difference at all: every
//! wait may end at any step. So an exploration leaves out the steps that fix deadlines until a run reads the
//! clock and another, or the same, waits with a timeout (`explorer/engine/deepening.rs`).

use std::num::NonZero;
use std::time::Duration;

/// The default of `available_parallelism`.
const PARALLELISM: NonZero<usize> = NonZero::new(2).expect("not zero");

/// The machine of a run.
#[derive(Debug)]
pub(crate) struct Environment {
    /// Nanoseconds since the run began.
    now: u64,
    /// The deadlines of this run that time can still pass to, each once, in order.
    ahead: Vec<u64>,
    uses: TimeUses,
    /// The answer to `available_parallelism`.
    pub(crate) parallelism: NonZero<usize>,
}

/// The end of a timed wait, in nanoseconds since the run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deadline(u64);

/// What a run does with time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeUses {
    pub(crate) reads_clock: bool,
    pub(crate) has_timed_waits: bool,
}

impl TimeUses {
    /// Does the time of deadlines make a difference?
    pub(crate) fn needs_deadlines(self) -> bool {
        self.reads_clock && self.has_timed_waits
    }

    /// The uses of several runs.
    pub(crate) fn and(self, other: TimeUses) -> TimeUses {
        TimeUses {
            reads_clock: self.reads_clock || other.reads_clock,
            has_timed_waits: self.has_timed_waits || other.has_timed_waits,
        }
    }
}

impl Environment {
    /// At the beginning of a run.
    pub(in crate::control) fn new() -> Environment {
        Environment { now: 0, ahead: Vec::new(), uses: TimeUses::default(), parallelism: PARALLELISM }
    }

    /// What the run has done with time so far.
    pub(crate) fn uses(&self) -> TimeUses {
        self.uses
    }

    /// To how many deadlines can time pass?
    pub(in crate::control) fn deadlines_ahead(&self) -> usize {
        self.ahead.len()
    }

    /// Time passes to one of the deadlines ahead, by its index.
    pub(in crate::control) fn pass_to(&mut self, index: usize) {
        self.reach(Deadline(self.ahead[index]));
    }

    /// The time since the run began, for a thread that reads it.
    pub(in crate::control) fn read(&mut self) -> Duration {
        self.uses.reads_clock = true;
        Duration::from_nanos(self.now)
    }

    /// A timed wait begins.
    pub(in crate::control) fn fix(&mut self, duration: Duration) -> Deadline {
        self.uses.has_timed_waits = true;
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let deadline = self.now.saturating_add(nanos);
        if let Err(index) = self.ahead.binary_search(&deadline)
            && deadline > self.now
        {
            self.ahead.insert(index, deadline);
        }
        Deadline(deadline)
    }

    /// A wait ends by its deadline.
    pub(in crate::control) fn reach(&mut self, deadline: Deadline) {
        self.now = self.now.max(deadline.0);
        self.ahead.retain(|time| *time > self.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_deadline_that_has_passed_does_not_turn_the_clock_back() {
        let mut machine = Environment::new();
        let (early, late) = (machine.fix(SECOND), machine.fix(SECOND * 2));
        machine.reach(late);
        assert_eq!(machine.deadlines_ahead(), 0);
        machine.reach(early);
        assert_eq!(machine.read(), SECOND * 2);
    }

    #[test]
    fn time_passes_to_deadlines_in_order() {
        let mut machine = Environment::new();
        [3, 1, 2, 1, 0].into_iter().for_each(|seconds| _ = machine.fix(SECOND * seconds));
        assert_eq!(machine.deadlines_ahead(), 3);
        machine.pass_to(1);
        assert_eq!((machine.read(), machine.deadlines_ahead()), (SECOND * 2, 1));
        machine.fix(SECOND);
        assert_eq!(machine.deadlines_ahead(), 1, "the same time once");
    }

    #[test]
    fn time_makes_a_difference_if_the_clock_is_read_beside_timed_waits() {
        let mut machine = Environment::new();
        assert!(!machine.uses().needs_deadlines());
        machine.fix(SECOND);
        assert!(!machine.uses().needs_deadlines());
        machine.read();
        assert!(machine.uses().needs_deadlines());
    }
}
