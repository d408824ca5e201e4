//! How the states of a program are searched. `selvedge graph` searches by the same plan, so that both
//! commands find the same run.

use super::arguments::Format;
use super::checkpoint::CheckpointFile;
use super::early::EarlyNotes;
use super::progress;
use crate::failure::Failure;
use crate::interruption;
use selvedge_lang::SystemOptions;
use selvedge_model::workers::MAX_WORKERS;
use selvedge_model::{Budget, Checkpoint, Fairness, Finding, Limits, Options, Stats};
use std::cell::OnceCell;
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// The search stops at so much memory unless an option says otherwise.
pub(super) const DEFAULT_MAX_MEMORY_MIB: usize = 8192;

/// The options of a search, validated. The default is `selvedge check` without options.
#[derive(Clone)]
pub(crate) struct SearchPlan {
    pub(crate) fairness: Fairness,
    /// States always contain the process that moved last.
    pub(crate) is_exact: bool,
    /// Steps are real, even under an abstract domain.
    pub(crate) is_concrete: bool,
    /// Partial-order reduction, where it is sound.
    pub(crate) is_reduced: bool,
    pub(crate) limits: Limits,
    /// `None`: as many as pay.
    pub(crate) workers: Option<usize>,
    /// What the searches of the command have found.
    pub(crate) early: Arc<EarlyNotes>,
    /// How far the searches are, if a file keeps it.
    pub(crate) checkpoint: Rc<OnceCell<CheckpointFile>>,
    /// How runs are told.
    pub(crate) format: Format,
}

impl Default for SearchPlan {
    fn default() -> SearchPlan {
        SearchPlan {
            fairness: Fairness::None,
            is_exact: false,
            is_concrete: false,
            is_reduced: true,
            limits: Limits { states: None, bytes: Some(mebibytes(DEFAULT_MAX_MEMORY_MIB)), time: None },
            workers: None,
            early: Arc::default(),
            checkpoint: Rc::default(),
            format: Format::Text,
        }
    }
}

impl SearchPlan {
    /// Runs the search with a budget whose clock starts now: the searches themselves read no clock.
    pub(super) fn with_budget<T>(&self, search: impl FnOnce(Budget<'_>) -> T) -> T {
        let start = Instant::now();
        let clock = || start.elapsed();
        let is_visible = progress::is_visible();
        let progress = |stats: &Stats| {
            self.early.tell();
            if is_visible {
                progress::show(stats);
            }
        };
        search(Budget {
            limits: self.limits,
            clock: &clock,
            progress: Some(&progress),
            interrupt: Some(&interruption::IS_ASKED_FOR),
            checkpoint: self.checkpoint.get().map(|file| file as &dyn Checkpoint),
            workers: self.workers.unwrap_or(1),
            ..Budget::default()
        })
    }

    /// The same for a pass over all states. What the pass finds is told at once, in these words.
    pub(super) fn with_pass_budget<T>(
        &self,
        is_faster_in_parallel: bool,
        describe: &(dyn Fn(Finding<'_>) -> String + Sync),
        search: impl FnOnce(Budget<'_>) -> T,
    ) -> T {
        let early = &self.early;
        let found = |finding: Finding<'_>| early.note(describe(finding));
        let workers = self.workers(is_faster_in_parallel);
        self.with_budget(|budget| search(Budget { found: Some(&found), workers, ..budget }))
    }

    /// The number of workers of a search for which several pay, or do not.
    pub(super) fn workers(&self, pays: bool) -> usize {
        // A checkpoint goes on with one worker, on a machine with more cores or fewer.
        let is_divided = pays && self.checkpoint.get().is_none();
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get).min(MAX_WORKERS);
        self.workers.unwrap_or_else(|| if is_divided { cores() } else { 1 })
    }

    /// The failure of a search whose checkpoint does not fit it.
    pub(super) fn refuse_checkpoint(&self) -> Result<(), Failure> {
        self.checkpoint.get().map_or(Ok(()), CheckpointFile::refusal)
    }

    /// Which states are distinguished.
    pub(super) fn system_options(&self) -> SystemOptions {
        SystemOptions {
            exact: self.is_exact,
            concrete: self.is_concrete,
            fair: self.fairness != Fairness::None,
        }
    }

    /// The options of the model checker, with this budget.
    pub(super) fn options<'b>(&self, budget: Budget<'b>) -> Options<'b> {
        Options { fairness: self.fairness, reduction: self.is_reduced, budget }
    }
}

/// Mebibytes as bytes.
pub(super) fn mebibytes(count: usize) -> usize {
    count.saturating_mul(1024 * 1024)
}
