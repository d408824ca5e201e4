//! How runs are chosen, and how memory behaves.

use selvedge_explore::Scheduler;
use selvedge_explore::schedulers::{Exhaustive, Uniform};
use std::fmt;

/// How memory behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemoryModel {
    /// Sequential consistency: every store is seen at once by all.
    Sc,
    /// Total store order.
    #[default]
    Tso,
    /// Partial store order.
    Pso,
}

/// What a bounded exploration confines itself to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// At most so many pre-emptions.
    pub preemptions: Option<usize>,
    /// No thread yields more than so many times more often than another.
    pub yields: Option<usize>,
    /// At most so many steps.
    pub length: Option<usize>,
}

/// How runs are chosen.
pub struct Strategy {
    pub(super) scheduler: Box<dyn Scheduler + Send>,
    /// Does the end of the scheduler mean that every run was made?
    pub(super) is_systematic: bool,
    name: &'static str,
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Strategy").field(&self.name).finish()
    }
}

impl Strategy {
    fn new(name: &'static str, is_systematic: bool, scheduler: impl Scheduler + Send + 'static) -> Strategy {
        Strategy { scheduler: Box::new(scheduler), is_systematic, name }
    }

    /// Every run.
    pub fn systematic() -> Strategy {
        Strategy::exhaustive()
    }

    /// Every run, without any reduction: the reference for all other strategies.
    pub fn exhaustive() -> Strategy {
        Strategy::new("exhaustive", true, Exhaustive::new())
    }

    /// So many runs in which every thread that can go on is as likely as every other.
    pub fn random(seed: u64, runs: u64) -> Strategy {
        Strategy::new("random", false, Uniform::new(seed, runs))
    }

    /// A scheduler of your own. Its end is not taken for completeness.
    pub fn own(scheduler: impl Scheduler + Send + 'static) -> Strategy {
        Strategy::new("own", false, scheduler)
    }
}
