//! What a worker has found so far, and which run stands for an outcome.
//!
//! With one worker it is the first of the simplest runs. With several it must not depend on who is faster: then runs that are
//! equally simple are compared by their numbers, where they are numbered, or by the order that all runs of their trace have in
//! common.

use super::{Keep, Limit, Outcome, Report};
use selvedge_explore::schedulers::Figures;
use selvedge_explore::{EventId, Trace};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// How good a run is to show for its outcome: less is better.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) weight: (usize, usize),
    /// Of runs that are numbered.
    pub(super) number: u64,
    /// Of runs whose traces have a normal form: that is to be shown.
    pub(super) choices: Vec<EventId>,
}

/// The run that stands for an outcome.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) rank: Rank,
    pub(super) trace: Trace,
    /// Is it to be shown? Otherwise it is kept so that the outcome can be had again.
    pub(super) is_shown: bool,
    /// Has a simpler one been looked for?
    pub(super) is_simplified: bool,
}

/// What a worker has found so far.
#[derive(Clone, Debug)]
pub(super) struct Found<T> {
    pub(super) outcomes: BTreeMap<Outcome<T>, Kept>,
    pub(super) executions: usize,
    pub(super) given_up: usize,
    /// Has nothing been cut off so far?
    pub(super) is_complete: bool,
    /// May several workers have left out a run, each to the others?
    pub(super) is_in_doubt: bool,
    /// Was a thread held back that was late too often?
    pub(super) blocked_by_bound: bool,
    pub(super) notes: Vec<String>,
    /// Of parts that came to their ends.
    pub(super) figures: Option<Figures>,
}

impl<T> Default for Found<T> {
    fn default() -> Found<T> {
        Found {
            outcomes: BTreeMap::new(),
            executions: 0,
            given_up: 0,
            is_complete: true,
            is_in_doubt: false,
            blocked_by_bound: false,
            notes: Vec::new(),
            figures: None,
        }
    }
}

/// No more notes than these are made.
const MAX_NOTES: usize = 10;

impl<T: Ord> Found<T> {
    /// How many runs were begun.
    pub(super) fn runs(&self) -> u64 {
        (self.executions + self.given_up) as u64
    }

    /// The same note is made once.
    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Did a run end in another way than by a return?
    pub(super) fn has_failed(&self) -> bool {
        self.outcomes.keys().any(|outcome| !outcome.is_returned())
    }

    /// What is left of it when another round begins.
    pub(super) fn before_next_round(self) -> Found<T> {
        Found { is_complete: true, is_in_doubt: false, blocked_by_bound: false, figures: None, ..self }
    }

    /// Adds the figures of a part that came to its end.
    pub(super) fn add_figures(&mut self, figures: Option<Figures>) {
        if let Some(figures) = figures {
            *self.figures.get_or_insert_default() += figures;
        }
    }

    /// Keeps a run, unless there is a better one that ends so.
    pub(super) fn keep(&mut self, outcome: Outcome<T>, kept: impl FnOnce(Option<&Rank>) -> Option<Kept>) {
        match self.outcomes.entry(outcome) {
            Entry::Vacant(entry) => {
                if let Some(kept) = kept(None) {
                    entry.insert(kept);
                }
            }
            Entry::Occupied(mut entry) => {
                if let Some(kept) = kept(Some(&entry.get().rank)) {
                    entry.insert(kept);
                }
            }
        }
    }

    /// Adds what another worker has found.
    pub(super) fn absorb(&mut self, other: Found<T>) {
        for (outcome, kept) in other.outcomes {
            self.keep(outcome, |rank| rank.is_none_or(|rank| kept.rank < *rank).then_some(kept));
        }
        self.executions += other.executions;
        self.given_up += other.given_up;
        self.is_complete &= other.is_complete;
        self.is_in_doubt |= other.is_in_doubt;
        self.blocked_by_bound |= other.blocked_by_bound;
        self.add_figures(other.figures);
        other.notes.into_iter().for_each(|note| self.note(note));
    }

    /// What there is to report. Figures are those of a whole exploration.
    pub(super) fn report(self, strategy: &str, limit: Option<Limit>) -> Report<T> {
        let shown = |kept: Kept| if kept.is_shown { kept.trace } else { Trace::default() };
        Report {
            outcomes: self.outcomes.into_iter().map(|(outcome, kept)| (outcome, shown(kept))).collect(),
            executions: self.executions,
            is_complete: self.is_complete && limit.is_none(),
            limit,
            strategy: strategy.to_owned(),
            notes: self.notes,
            given_up: self.given_up,
            figures: self.figures.filter(|_| limit.is_none()),
        }
    }
}

/// What is kept of a run, where this is wanted of it: nothing, or whether its trace is to be shown.
pub(super) fn is_shown(keep: Keep) -> Option<bool> {
    match keep {
        Keep::All => Some(true),
        Keep::Outcome => Some(false),
        Keep::Nothing => None,
    }
}
