//! How the states of a program are searched. `selvedge graph` searches by the same plan, so that both
//! commands find the same run.

use super::progress;
use selvedge_lang::SystemOptions;
use selvedge_model::{Budget, Fairness, Limits, Options, Stats};
use std::time::Instant;

/// The search stops at so much memory unless an option says otherwise.
pub(super) const DEFAULT_MAX_MEMORY_MIB: usize = 8192;

/// The options of a search, validated. The default is `selvedge check` without options.
pub(crate) struct SearchPlan {
    pub(crate) fairness: Fairness,
    /// States always contain the process that moved last.
    pub(crate) is_exact: bool,
    /// Steps are real, even under an abstract domain.
    pub(crate) is_concrete: bool,
    /// Partial-order reduction, where it is sound.
    pub(crate) is_reduced: bool,
    pub(crate) limits: Limits,
    pub(crate) workers: usize,
}

impl Default for SearchPlan {
    fn default() -> SearchPlan {
        SearchPlan {
            fairness: Fairness::None,
            is_exact: false,
            is_concrete: false,
            is_reduced: true,
            limits: Limits { states: None, bytes: Some(mebibytes(DEFAULT_MAX_MEMORY_MIB)), time: None },
            workers: 1,
        }
    }
}

impl SearchPlan {
    /// Runs the search with a budget whose clock starts now: the searches themselves read no clock.
    pub(super) fn with_budget<T>(&self, search: impl FnOnce(Budget<'_>) -> T) -> T {
        let start = Instant::now();
        let clock = || start.elapsed();
        let progress: Option<&dyn Fn(&Stats)> =
            if progress::is_visible() { Some(&progress::show) } else { None };
        let budget = Budget { limits: self.limits, clock: &clock, progress, ..Budget::default() };
        search(Budget { workers: self.workers, ..budget })
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
