//! The options of an exploration beside its strategy, as the engine reads them.

use crate::control::{MemoryModel, Settings, SharedThreadTree};
use crate::explorer::engine::UnrollRound;
use crate::explorer::report::TestName;
use std::path::PathBuf;
use std::time::Duration;

/// The most steps of one run, unless [`Explorer::max_steps`](super::Explorer::max_steps) sets another limit.
pub const DEFAULT_STEPS: usize = 100_000;

/// The size of a thread's stack in bytes, unless [`Explorer::stack_size`](super::Explorer::stack_size) sets
/// another. The operating system provides the memory when it is first used.
pub const DEFAULT_STACK: usize = 1024 * 1024;

/// How long a thread may run without a visible action before the watchdog warns, unless
/// [`Explorer::watchdog`](super::Explorer::watchdog) sets another time.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(5);

/// The options of an exploration beside its strategy.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) settings: Settings,
    /// The numbers of threads, the same in all runs of an exploration.
    pub(crate) threads: SharedThreadTree,
    /// The most steps of one run.
    pub(crate) max_steps: usize,
    pub(crate) max_executions: Option<u64>,
    pub(crate) max_time: Option<Duration>,
    pub(crate) on_failure: FailurePolicy,
    pub(crate) spinning: SpinPolicy,
    /// How long a thread may run without a visible action before the watchdog warns.
    pub(crate) patience: Duration,
    pub(crate) in_child_process: bool,
    /// Whether the runs of the report are simplified.
    pub(crate) simplifies: bool,
    pub(crate) workers: usize,
    pub(crate) round: UnrollRound,
    pub(crate) deadlines: DeadlinePolicy,
    /// Whether deadlines are fixed by steps of their own, in the present round.
    pub(crate) keeps_time: bool,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) progress: ProgressDisplay,
    /// The name of the explored body in messages. Without one, the name of the calling thread is used.
    pub(crate) name: Option<TestName>,
}

/// What happens after a run whose outcome is not `Returned`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailurePolicy {
    Continue,
    Stop,
}

/// How a run is judged in which only spinning threads are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpinPolicy {
    /// The run is made once more and the spinning threads go on, because a loop may give up after some
    /// rounds.
    MayGiveUp,
    /// It is a livelock at once.
    SpinsForEver,
}

/// Whether timed waits have deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeadlinePolicy {
    /// If runs read the clock beside timed waits; otherwise deadlines make no difference.
    IfClockIsRead,
    Always,
    Never,
}

/// Whether progress is shown on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgressDisplay {
    /// If the environment variable asks for it, or standard error is a terminal.
    Automatic,
    Shown,
    Hidden,
}

impl Default for Options {
    fn default() -> Options {
        let settings = Settings {
            stack_bytes: DEFAULT_STACK,
            spurious: false,
            waits_for_all: false,
            forgets: false,
            asks_in_place: false,
            trusts_scheduler: false,
            goes_one_by_one: false,
            has_company: false,
            memory: MemoryModel::default(),
        };
        Options {
            settings,
            threads: SharedThreadTree::default(),
            max_steps: DEFAULT_STEPS,
            max_executions: None,
            max_time: None,
            on_failure: FailurePolicy::Continue,
            spinning: SpinPolicy::MayGiveUp,
            patience: DEFAULT_PATIENCE,
            in_child_process: false,
            simplifies: true,
            workers: 1,
            round: UnrollRound::Unbounded,
            deadlines: DeadlinePolicy::IfClockIsRead,
            keeps_time: true,
            checkpoint: None,
            progress: ProgressDisplay::Automatic,
            name: None,
        }
    }
}
