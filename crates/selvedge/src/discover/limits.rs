//! How far discovery goes, and which of its reductions are on.

use crate::{DEFAULT_STEPS, MemoryModel};
use std::time::Duration;

/// How far discovery, or the check of a law, goes.
///
/// ```
/// use selvedge::discover::Limits;
///
/// let limits = Limits::size(7).values(10).seeds(10).workers(2);
/// # let _ = limits;
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    pub(crate) size: usize,
    pub(crate) values: usize,
    pub(crate) seeds: usize,
    pub(crate) workers: usize,
    pub(crate) max_assignments: usize,
    pub(crate) sample: Option<(usize, u64)>,
    pub(crate) max_time: Option<Duration>,
    pub(crate) max_memory: Option<usize>,
    pub(crate) max_runs: u64,
    pub(crate) max_steps: usize,
    pub(crate) memory: MemoryModel,
    pub(crate) compares_results: bool,
    pub(crate) conditions: bool,
    pub(crate) is_exhaustive: bool,
    pub(crate) shows_progress: Option<bool>,
    pub(crate) pruning: Pruning,
}

/// So many values of a variable, and so many seeds, are tried unless the user asks for others.
const DEFAULT_VALUES: usize = 10;

/// A term with more assignments of its variables than this is not looked at.
const MAX_ASSIGNMENTS: usize = 10_000;

/// An exploration makes at most so many runs.
const MAX_RUNS: u64 = 100_000;

/// The size of terms that [`Limits::default`] looks at.
const DEFAULT_SIZE: usize = 7;

impl Default for Limits {
    /// Terms of size 7.
    fn default() -> Limits {
        Limits::size(DEFAULT_SIZE)
    }
}

impl Limits {
    /// Terms of at most this size: an operation, the state, a variable and a constant count 1 each, and so
    /// do `>>`, `>>=` and `|||`. So `put x >> read` has size 6. Ten values are tried of each variable and
    /// of the seed, in all combinations.
    #[must_use]
    pub fn size(size: usize) -> Limits {
        Limits {
            size,
            values: DEFAULT_VALUES,
            seeds: DEFAULT_VALUES,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            max_assignments: MAX_ASSIGNMENTS,
            sample: None,
            max_time: None,
            max_memory: None,
            max_runs: MAX_RUNS,
            max_steps: DEFAULT_STEPS,
            memory: MemoryModel::Tso,
            compares_results: false,
            conditions: true,
            is_exhaustive: false,
            shows_progress: None,
            pruning: Pruning::default(),
        }
    }

    /// How many values of each variable are tried.
    #[must_use]
    pub fn values(mut self, values: usize) -> Limits {
        self.values = values.max(1);
        self
    }

    /// How many seeds are tried.
    #[must_use]
    pub fn seeds(mut self, seeds: usize) -> Limits {
        self.seeds = seeds.max(1);
        self
    }

    /// How many workers explore; 0 means one for each core.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Limits {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.workers = if workers == 0 { cores() } else { workers };
        self
    }

    /// Terms with more assignments of values to variables are not looked at, and the report says so.
    #[must_use]
    pub fn max_assignments(mut self, assignments: usize) -> Limits {
        self.max_assignments = assignments.max(1);
        self
    }

    /// For the check of a law: if there are more assignments of values to variables and the seed than this,
    /// so many of them are tried, drawn by this seed.
    #[must_use]
    pub fn sample(mut self, rows: usize, seed: u64) -> Limits {
        self.sample = Some((rows.max(1), seed));
        self
    }

    /// Looks at no further terms after this time. What was found is reported, with what was not looked at.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Limits {
        self.max_time = Some(time);
        self
    }

    /// Looks at no further terms once the tables take so many bytes.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Limits {
        self.max_memory = Some(bytes);
        self
    }

    /// The most runs of one exploration. Behaviours of an exploration that makes more support no law.
    #[must_use]
    pub fn runs(mut self, runs: u64) -> Limits {
        self.max_runs = runs.max(1);
        self
    }

    /// The most steps of one run. A longer run is a behaviour without an observation.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Limits {
        self.max_steps = steps;
        self
    }

    /// The memory model. The default is [`MemoryModel::Tso`].
    #[must_use]
    pub fn memory_model(mut self, memory: MemoryModel) -> Limits {
        self.memory = memory;
        self
    }

    /// Compares what terms return, too. Terms of different types are never equal then.
    #[must_use]
    pub fn results(mut self, compared: bool) -> Limits {
        self.compares_results = compared;
        self
    }

    /// Whether conditional laws are looked for. By default they are.
    #[must_use]
    pub fn conditions(mut self, wanted: bool) -> Limits {
        self.conditions = wanted;
        self
    }

    /// Makes every run instead of one for each Mazurkiewicz trace, to compare the two.
    #[must_use]
    pub fn exhaustive(mut self) -> Limits {
        self.is_exhaustive = true;
        self
    }

    /// Whether progress is shown on standard error. By default it is shown if that is a terminal.
    #[must_use]
    pub fn progress(mut self, shown: bool) -> Limits {
        self.shows_progress = Some(shown);
        self
    }

    /// Which reductions are on.
    #[must_use]
    pub fn pruning(mut self, pruning: Pruning) -> Limits {
        self.pruning = pruning;
        self
    }
}

/// The reductions of discovery. O1 to O4 are those of Walker's thesis, Table 11. All are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// O1: neutral terms, which never fail, take one step and leave the state, are not part of larger ones.
    pub neutral: bool,
    /// O2: laws that follow from others, by instances and transitivity, are not reported.
    pub consequences: bool,
    /// O3: only the most general term of a schema is explored; others are restrictions of it.
    pub most_general: bool,
    /// O4: behaviours of a term without variables are explored once, and shared by all terms with that
    /// instance.
    pub cached: bool,
    /// Terms that are equal to others in results, failures and the whole state, in one step, are not part of
    /// larger ones; nor are pure terms that are equal to others.
    pub congruent: bool,
}

impl Default for Pruning {
    fn default() -> Pruning {
        Pruning::ALL
    }
}

impl Pruning {
    /// All on.
    pub const ALL: Pruning =
        Pruning { neutral: true, consequences: true, most_general: true, cached: true, congruent: true };

    /// All off.
    pub const NONE: Pruning =
        Pruning { neutral: false, consequences: false, most_general: false, cached: false, congruent: false };
}
