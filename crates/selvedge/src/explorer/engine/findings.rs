//! The findings of a worker: outcomes, each with the run that is its witness, and counts.
//!
//! With one worker, the witness is the first of the simplest runs. With several workers, it must not depend
//! on their speed: equally simple runs are compared by their numbers if runs are numbered, and otherwise by
//! the normal form of their Mazurkiewicz traces.

use super::context::RunContext;
use super::formulas::VerdictCounts;
use super::notes::Note;
use crate::control::Execution;
use crate::control::progress::TimeUses;
use crate::explorer::api::{Keep, Limit, Outcome, Report, Value};
use crate::explorer::report::RunOrigin;
use selvedge_explore::schedulers::{Bounds, Figures};
use selvedge_explore::{EventId, ThreadId, Trace};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// How good a run is to show for its outcome: the least rank is the best.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    pub(crate) weight: (usize, usize),
    /// The number of the run, if runs are numbered.
    pub(crate) number: u64,
    /// The normal form of the run's trace, if it has one. This run is shown. Threads are numbered in the
    /// order of their paths: their numbers in the exploration depend on the speed of the workers.
    pub(crate) form: Vec<EventId>,
    /// The numbers of the run's threads in the exploration, in the order of their paths.
    pub(crate) threads: Vec<ThreadId>,
}

impl Rank {
    /// The rank of a run with this normal form.
    pub(crate) fn by_choices(weight: (usize, usize), mut choices: Vec<EventId>, run: &Trace) -> Rank {
        // Only the threads of the normal form: the run may have others, which did not decide its outcome.
        let present: BTreeSet<ThreadId> = choices.iter().map(|choice| choice.thread.owner()).collect();
        let run = run.run_threads();
        let threads: Vec<ThreadId> =
            run.in_order().iter().copied().filter(|thread| present.contains(thread)).collect();
        let places: BTreeMap<ThreadId, u32> = threads.iter().copied().zip(0..).collect();
        for choice in &mut choices {
            let (owner, buffer) = (choice.thread.owner(), choice.thread.buffer());
            let place = places.get(&owner).map_or(owner, |place| ThreadId(*place));
            choice.thread = buffer.map_or(place, |buffer| ThreadId::phantom(place, buffer));
        }
        Rank { weight, number: 0, form: choices, threads }
    }

    /// The choices of the normal form.
    pub(super) fn choices(&self) -> impl Iterator<Item = EventId> {
        self.form.iter().map(|choice| {
            let (owner, buffer) = (choice.thread.owner(), choice.thread.buffer());
            let owner = self.threads.get(owner.index()).copied().unwrap_or(owner);
            let thread = buffer.map_or(owner, |buffer| ThreadId::phantom(owner, buffer));
            EventId { thread, ..*choice }
        })
    }
}

/// The run that shows how an outcome comes about.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    pub(super) rank: Rank,
    pub(super) trace: Trace,
    /// Whether the report shows it. Otherwise a checkpoint needs it, to reproduce the outcome.
    pub(super) is_shown: bool,
    /// Whether a simpler run was searched for.
    pub(super) is_simplified: bool,
    /// Whether the run went on after its body had ended, and so did its threads and objects.
    pub(super) went_on: bool,
    /// How many runs have the outcome.
    pub(super) runs: usize,
    pub(super) origin: RunOrigin,
}

impl Witness {
    /// The last run of the execution as a witness.
    pub(super) fn last_run(execution: &Execution, rank: Rank, is_shown: bool) -> Witness {
        let mut trace = execution.trace.borrow().clone();
        execution.describe_run(&mut trace);
        let went_on = execution.state.borrow().end.body.is_some();
        let origin = RunOrigin::default();
        Witness { rank, trace, is_shown, is_simplified: false, went_on, runs: 1, origin }
    }

    /// A witness without a run, for an outcome that is recorded without its runs.
    pub(super) fn without_run() -> Witness {
        Witness {
            rank: Rank::default(),
            trace: Trace::default(),
            is_shown: false,
            is_simplified: false,
            went_on: false,
            runs: 1,
            origin: RunOrigin::default(),
        }
    }

    /// Whether its trace is not the whole truth of its run, which has to be made once more: it is light, or
    /// describes its threads as they were after the end of the body.
    pub(super) fn is_provisional(&self) -> bool {
        self.trace.is_light() || self.went_on
    }

    /// Replaces the run by the last run of the execution.
    pub(super) fn replace_run(&mut self, execution: &Execution) {
        self.trace.clone_from(&execution.trace.borrow());
        execution.describe_run(&mut self.trace);
        self.went_on = false;
    }
}

/// The findings of a worker.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    pub(super) outcomes: BTreeMap<Outcome<Value>, Witness>,
    /// The verdicts on formulas.
    pub(super) verdicts: VerdictCounts,
    pub(super) executions: usize,
    pub(super) given_up: usize,
    /// Whether nothing was cut off so far, except by the bounds of the strategy.
    pub(super) is_complete: bool,
    /// Whether the bounds of the strategy excluded a run.
    pub(super) is_cut_by_bounds: bool,
    /// Whether several workers may have left a run to each other.
    pub(super) is_inconclusive: bool,
    /// Whether the unroll bound blocked a thread.
    pub(super) blocked_by_bound: bool,
    /// What the runs do with time.
    pub(super) time_uses: TimeUses,
    /// Whether a thread was cut off that went on after the body had returned.
    pub(super) cut_off_daemon: bool,
    pub(super) notes: Vec<Note>,
    /// Statistics of the parts that are finished.
    pub(super) figures: Option<Figures>,
}

impl Default for Findings {
    fn default() -> Findings {
        Findings {
            outcomes: BTreeMap::new(),
            verdicts: VerdictCounts::default(),
            executions: 0,
            given_up: 0,
            is_complete: true,
            is_cut_by_bounds: false,
            is_inconclusive: false,
            blocked_by_bound: false,
            time_uses: TimeUses::default(),
            cut_off_daemon: false,
            notes: Vec::new(),
            figures: None,
        }
    }
}

/// The most notes of a report.
const MAX_NOTES: usize = 10;

impl Findings {
    /// How many runs were begun.
    pub(super) fn runs(&self) -> u64 {
        (self.executions + self.given_up) as u64
    }

    /// Adds a note, unless it is known.
    pub(super) fn note(&mut self, note: Note) {
        if self.notes.len() < MAX_NOTES && !self.notes.iter().any(|known| known.reads_like(&note)) {
            self.notes.push(note);
        }
    }

    /// Notes what the last run of the execution did with time.
    pub(super) fn note_time_uses(&mut self, execution: &Execution) {
        self.time_uses = self.time_uses.and(execution.state.borrow().environment.uses());
    }

    /// Whether the outcome of some run is not `Returned`.
    pub(super) fn has_failure(&self) -> bool {
        self.outcomes.keys().any(|outcome| !outcome.is_returned())
    }

    /// The findings with which the next round begins.
    pub(super) fn before_next_round(self) -> Findings {
        let (blocked_by_bound, cut_off_daemon, is_cut_by_bounds) = (false, false, false);
        let (is_complete, is_inconclusive, figures) = (true, false, None);
        Findings {
            is_complete,
            is_cut_by_bounds,
            is_inconclusive,
            blocked_by_bound,
            cut_off_daemon,
            figures,
            ..self
        }
    }

    /// Whether a bound on loops excluded a run.
    pub(super) fn is_bounded(&self) -> bool {
        self.blocked_by_bound || self.cut_off_daemon
    }

    /// Adds the statistics of a finished part.
    pub(super) fn add_figures(&mut self, figures: Option<Figures>) {
        if let Some(figures) = figures {
            *self.figures.get_or_insert_default() += figures;
        }
    }

    /// Records the outcome of a run. The function is given the rank of the present witness, if there is one,
    /// and returns a witness to replace it.
    pub(super) fn record(
        &mut self,
        outcome: Outcome<Value>,
        witness: impl FnOnce(Option<&Rank>) -> Option<Witness>,
    ) {
        match self.outcomes.entry(outcome) {
            Entry::Vacant(entry) => {
                if let Some(witness) = witness(None) {
                    entry.insert(witness);
                }
            }
            Entry::Occupied(mut entry) => {
                let runs = entry.get().runs + 1;
                if let Some(witness) = witness(Some(&entry.get().rank)) {
                    entry.insert(witness);
                }
                entry.get_mut().runs = runs;
            }
        }
    }

    /// Adds the runs of a witness to those of its outcome. The better witness stays.
    pub(super) fn add(&mut self, outcome: Outcome<Value>, witness: Witness) {
        match self.outcomes.entry(outcome) {
            Entry::Vacant(entry) => _ = entry.insert(witness),
            Entry::Occupied(mut entry) => {
                let runs = entry.get().runs + witness.runs;
                if witness.rank < entry.get().rank {
                    entry.insert(witness);
                }
                entry.get_mut().runs = runs;
            }
        }
    }

    /// Adds the findings of another worker.
    pub(super) fn absorb(&mut self, other: Findings) {
        for (outcome, witness) in other.outcomes {
            self.add(outcome, witness);
        }
        other.verdicts.0.iter().for_each(|(name, runs)| self.verdicts.add(name, *runs));
        self.executions += other.executions;
        self.given_up += other.given_up;
        self.is_complete &= other.is_complete;
        self.is_cut_by_bounds |= other.is_cut_by_bounds;
        self.is_inconclusive |= other.is_inconclusive;
        self.blocked_by_bound |= other.blocked_by_bound;
        self.time_uses = self.time_uses.and(other.time_uses);
        self.cut_off_daemon |= other.cut_off_daemon;
        self.add_figures(other.figures);
        other.notes.into_iter().for_each(|note| self.note(note));
    }

    /// The report. It has statistics only of a whole exploration.
    pub(super) fn into_report(
        self,
        context: &RunContext,
        bounds: Bounds,
        limit: Option<Limit>,
    ) -> Report<Value> {
        let shown = |witness: Witness| if witness.is_shown { witness.trace } else { Trace::default() };
        let divergence = self.notes.iter().find_map(|note| match note {
            Note::ReplayDiverged(divergence) => Some(divergence.clone()),
            _ => None,
        });
        let is_beyond = |witness: &Witness| witness.is_shown && bounds.are_exceeded_by(&witness.trace);
        let beyond = self.outcomes.values().filter(|witness| is_beyond(witness)).count();
        let notes = self.notes.iter().cloned().chain((beyond > 0).then_some(Note::BeyondBounds(beyond)));
        let notes = notes.map(|note| note.to_string()).collect();
        let counts = self.outcomes.iter().map(|(outcome, witness)| (outcome.clone(), witness.runs)).collect();
        let shown_outcomes = self.outcomes.iter().filter(|(_, witness)| witness.is_shown);
        let origins = shown_outcomes.map(|(outcome, witness)| (outcome.clone(), witness.origin)).collect();
        Report {
            counts,
            formulas: self.verdicts.0,
            origins,
            setup: context.setup.clone(),
            outcomes: self.outcomes.into_iter().map(|(outcome, witness)| (outcome, shown(witness))).collect(),
            executions: self.executions,
            is_complete: self.is_complete && limit.is_none() && !self.is_cut_by_bounds,
            is_complete_within_bounds: self.is_complete && limit.is_none(),
            bounds,
            limit,
            strategy: context.strategy.to_string(),
            notes,
            divergence,
            given_up: self.given_up,
            figures: self.figures.filter(|_| limit.is_none()),
        }
    }
}

/// Whether the report shows the trace of a run that is retained in this way; `None` if its
/// outcome is not recorded.
pub(super) fn is_shown(keep: Keep) -> Option<bool> {
    match keep {
        Keep::All => Some(true),
        Keep::Outcome => Some(false),
        Keep::Nothing => None,
    }
}
