//! The result of an exploration.

use super::{Outcome, ReplayDivergence};
use crate::explorer::report::{RunOrigin, RunSetup};
use selvedge_explore::Trace;
use selvedge_explore::schedulers::{Bounds, Figures};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// The limit that ended an exploration early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Explorer::max_executions`](crate::Explorer::max_executions) was reached.
    Executions,
    /// [`Explorer::max_time`](crate::Explorer::max_time) was reached.
    Time,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Executions => "executions",
            Limit::Time => "time",
        })
    }
}

/// What a report retains of a run: see [`Explorer::explore_keeping`](crate::Explorer::explore_keeping).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The outcome and, for the simplest run with this outcome, the trace.
    All,
    /// The outcome, with an empty trace.
    Outcome,
    /// Nothing. The run still counts as an execution.
    Nothing,
}

/// In how many runs a formula held: see [`Report::formulas`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormulaRuns {
    /// The number of runs that satisfy it.
    pub held: usize,
    /// The number of runs that violate it.
    pub violated: usize,
    /// The number of runs without a verdict: a run that panics, has a data race or takes too many steps has
    /// no last state.
    pub undecided: usize,
}

impl FormulaRuns {
    /// One run with this verdict; `None` if it has none.
    pub(crate) fn one(verdict: Option<bool>) -> FormulaRuns {
        let count = |other| usize::from(verdict == other);
        FormulaRuns { held: count(Some(true)), violated: count(Some(false)), undecided: count(None) }
    }

    /// The number of runs with this verdict.
    pub(crate) fn with_verdict(self, verdict: Option<bool>) -> usize {
        match verdict {
            Some(true) => self.held,
            Some(false) => self.violated,
            None => self.undecided,
        }
    }
}

impl AddAssign for FormulaRuns {
    fn add_assign(&mut self, other: FormulaRuns) {
        self.held += other.held;
        self.violated += other.violated;
        self.undecided += other.undecided;
    }
}

/// What can happen, and how: the result of an exploration.
#[derive(Clone, Debug)]
pub struct Report<T> {
    pub(crate) outcomes: BTreeMap<Outcome<T>, Trace>,
    /// How many runs have each outcome.
    pub(crate) counts: BTreeMap<Outcome<T>, usize>,
    /// The formulas that runs check, by their names.
    pub(crate) formulas: BTreeMap<String, FormulaRuns>,
    pub(crate) executions: usize,
    pub(crate) is_complete: bool,
    pub(crate) is_complete_within_bounds: bool,
    pub(crate) bounds: Bounds,
    pub(crate) limit: Option<Limit>,
    pub(crate) strategy: String,
    /// How the runs were made.
    pub(crate) setup: RunSetup,
    /// Where the shown runs come from.
    pub(crate) origins: BTreeMap<Outcome<T>, RunOrigin>,
    pub(crate) notes: Vec<String>,
    /// Where a replay left its recording.
    pub(crate) divergence: Option<ReplayDivergence>,
    pub(crate) given_up: usize,
    pub(crate) figures: Option<Figures>,
}

impl<T: Ord> Report<T> {
    /// The distinct outcomes, each with the simplest run that was found for it. The run is simplified
    /// further ([`Explorer::simplify`](crate::Explorer::simplify)).
    pub fn outcomes(&self) -> &BTreeMap<Outcome<T>, Trace> {
        &self.outcomes
    }

    /// The distinct values that the body returned.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.outcomes.keys().filter_map(Outcome::returned)
    }

    /// How many runs had each outcome. Runs of which the report retains nothing
    /// ([`Explorer::explore_keeping`](crate::Explorer::explore_keeping)) are not counted here.
    ///
    /// The numbers of a random strategy estimate how likely an outcome is under it. A systematic exploration
    /// makes one run for each Mazurkiewicz trace, and counts those.
    pub fn counts(&self) -> &BTreeMap<Outcome<T>, usize> {
        &self.counts
    }

    /// The formulas of [`check`](crate::check()), by their names, each with the number of runs in which it
    /// held. If several formulas of a run have one name, the run satisfies the name if it satisfies all of
    /// them. Every complete run counts, also if the report retains nothing else of it.
    pub fn formulas(&self) -> &BTreeMap<String, FormulaRuns> {
        &self.formulas
    }

    /// The number of complete runs.
    pub fn executions(&self) -> usize {
        self.executions
    }

    /// The number of runs that were begun and given up, because everything they could still do was explored
    /// before or exceeds a bound.
    pub fn given_up(&self) -> usize {
        self.given_up
    }

    /// Whether every run was made and none was cut off by a bound or a limit.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether every run within the bounds of the strategy was made and none was cut off by a limit. Without
    /// bounds this is [`Report::is_complete`].
    pub fn is_complete_within_bounds(&self) -> bool {
        self.is_complete_within_bounds
    }

    /// The outcomes for which only runs beyond the bounds of the strategy were found, with more pre-emptions
    /// or steps. The search makes a few such runs because others are found by way of them; there may be
    /// more such outcomes. A run that was not retained counts as within the bounds.
    pub fn beyond_bounds(&self) -> impl Iterator<Item = &Outcome<T>> {
        let is_beyond = |(outcome, run)| self.bounds.are_exceeded_by(run).then_some(outcome);
        self.outcomes.iter().filter_map(is_beyond)
    }

    /// The limit that ended the exploration early, if there was one.
    pub fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// Remarks for the user, for instance that a stack could not be unwound.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Statistics of the partial-order reduction of a systematic exploration that was not stopped by a
    /// limit.
    pub fn figures(&self) -> Option<Figures> {
        self.figures
    }

    /// How much was explored, in words. It never claims more than was done.
    pub fn extent(&self) -> String {
        let runs =
            if self.executions == 1 { "1 run".to_owned() } else { format!("{} runs", self.executions) };
        match (self.is_complete, self.limit) {
            (true, _) => format!("{runs}, complete"),
            (false, Some(limit)) => {
                format!("{runs} by {}, stopped by the limit of {limit}; not complete", self.strategy)
            }
            (false, None) if self.is_complete_within_bounds => {
                format!("{runs} by {}; complete within these bounds", self.strategy)
            }
            (false, None) => format!("{runs} by {}; not complete", self.strategy),
        }
    }
}

impl<T: Ord + fmt::Debug> fmt::Display for Report<T> {
    /// The outcomes, each with the short form of its run.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.extent())?;
        for (outcome, trace) in &self.outcomes {
            let beyond = if self.bounds.are_exceeded_by(trace) { "  (beyond the bounds)" } else { "" };
            writeln!(f, "  {outcome}  {}{beyond}", trace.short())?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "  note: {note}"))
    }
}
