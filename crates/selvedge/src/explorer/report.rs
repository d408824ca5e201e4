//! What an exploration found.

use super::Outcome;
use selvedge_explore::Trace;
use selvedge_explore::schedulers::Figures;
use std::collections::BTreeMap;
use std::fmt;

/// What ended an exploration before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many runs were made.
    Executions,
    /// So much time has passed.
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

/// What is kept of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Its outcome and, if it is the simplest that ends so, its trace.
    All,
    /// Its outcome, with an empty trace.
    Outcome,
    /// Nothing: as if the run had not been made, but it counts.
    Nothing,
}

/// What can happen, and how.
#[derive(Clone, Debug)]
pub struct Report<T> {
    pub(super) outcomes: BTreeMap<Outcome<T>, Trace>,
    pub(super) executions: usize,
    pub(super) is_complete: bool,
    pub(super) limit: Option<Limit>,
    pub(super) strategy: String,
    /// What was noticed on the way.
    pub(super) notes: Vec<String>,
    /// How many runs were begun that led to nothing new, or out of bounds.
    pub(super) given_up: usize,
    /// Of a reduction that came to its end.
    pub(super) figures: Option<Figures>,
}

impl<T: Ord> Report<T> {
    /// The different outcomes, each with the simplest run that was seen to end so, simplified
    /// ([`Explorer::simplify`](super::Explorer::simplify)).
    pub fn outcomes(&self) -> &BTreeMap<Outcome<T>, Trace> {
        &self.outcomes
    }

    /// The values that the body returned.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.outcomes.keys().filter_map(Outcome::returned)
    }

    /// How many runs were made.
    pub fn executions(&self) -> usize {
        self.executions
    }

    /// How many runs were begun and given up, as they led to nothing new, or out of bounds.
    pub fn given_up(&self) -> usize {
        self.given_up
    }

    /// Was every run made, and none cut off by a bound or a limit?
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// What ended the exploration before its time, if something did.
    pub fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// What was noticed on the way: stacks that could not be unwound, say.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What the reduction of a systematic exploration came to, if it came to its end.
    pub fn figures(&self) -> Option<Figures> {
        self.figures
    }

    /// How much was looked at, in words: never more than is true.
    pub fn extent(&self) -> String {
        let runs =
            if self.executions == 1 { "1 run".to_owned() } else { format!("{} runs", self.executions) };
        match (self.is_complete, self.limit) {
            (true, _) => format!("{runs}, complete"),
            (false, Some(limit)) => {
                format!("{runs} by {}, stopped by the limit of {limit}; not complete", self.strategy)
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
            writeln!(f, "  {outcome}  {}", trace.short())?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "  note: {note}"))
    }
}
