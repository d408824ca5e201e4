//! Running a body again and again, and what came of it.

mod abort;
mod autocheck;
mod checkpoint;
#[cfg(unix)]
mod child_process;
#[cfg(not(unix))]
#[path = "child_process/unsupported.rs"]
mod child_process;
mod contained;
mod deepening;
mod ended;
mod exploration;
mod failure;
mod files;
mod found;
mod outcome;
mod pool;
pub mod predicate;
mod progress;
mod remake;
mod report;
mod simplest;
mod strategy;
mod team;
mod test;
mod value;
mod watchdog;
mod worker;

pub use crate::control::MemoryModel;
pub use autocheck::autocheck;
pub use contained::contained;
#[cfg(test)]
pub(crate) use ended::body_result;
pub use outcome::Outcome;
pub use report::{Keep, Limit, Report};
pub use strategy::Strategy;
#[doc(hidden)]
pub use test::{TestOptions, run_test};

use crate::control::Settings;
use deepening::Round;
use exploration::{Body, Keeps};
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;
use value::Value;

/// The steps that one run may take, unless somebody says otherwise.
pub const DEFAULT_STEPS: usize = 100_000;

/// The bytes of a thread's stack, unless somebody says otherwise. Memory is taken when it is first used.
pub const DEFAULT_STACK: usize = 1024 * 1024;

/// How long a thread may go on without a visible action before the watchdog says so, unless somebody says otherwise.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(5);

/// How a body is to be explored.
#[derive(Debug)]
#[must_use = "nothing is explored before `explore` is called"]
pub struct Explorer {
    strategy: Strategy,
    options: Options,
}

/// All that is wanted of an exploration beside its strategy.
#[derive(Clone, Debug)]
struct Options {
    settings: Settings,
    max_steps: usize,
    max_executions: Option<u64>,
    max_time: Option<Duration>,
    stops_at_failure: bool,
    patience: Duration,
    in_child_process: bool,
    simplifies: bool,
    workers: usize,
    /// Does nobody give up who waits by yields?
    spins_for_ever: bool,
    /// Which one of several explorations it is.
    round: Round,
    checkpoint: Option<PathBuf>,
    /// Is progress shown, whatever standard error is?
    progress: Option<bool>,
    /// What it explores, for messages; the name of the thread that began it, if nobody said.
    name: Option<String>,
}

impl Default for Explorer {
    fn default() -> Explorer {
        Explorer::new()
    }
}

impl Explorer {
    /// Systematically, without limits but that on the steps of one run.
    pub fn new() -> Explorer {
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
        let options = Options {
            settings,
            max_steps: DEFAULT_STEPS,
            max_executions: None,
            max_time: None,
            stops_at_failure: false,
            patience: DEFAULT_PATIENCE,
            in_child_process: false,
            simplifies: true,
            workers: 1,
            spins_for_ever: false,
            round: Round::Only,
            checkpoint: None,
            progress: None,
            name: None,
        };
        Explorer { strategy: Strategy::systematic(), options }
    }

    /// How runs are chosen.
    pub fn strategy(mut self, strategy: Strategy) -> Explorer {
        self.strategy = strategy;
        self
    }

    /// How memory behaves: by default as [`MemoryModel::Tso`] has it.
    pub fn memory(mut self, memory: MemoryModel) -> Explorer {
        self.options.settings.memory = memory;
        self
    }

    /// At most so many runs. Where that ends the exploration, the report is not complete, and says so.
    pub fn max_executions(mut self, executions: u64) -> Explorer {
        self.options.max_executions = Some(executions);
        self
    }

    /// No new run after so much time. Where that ends the exploration, the report is not complete, and says so.
    pub fn max_time(mut self, time: Duration) -> Explorer {
        self.options.max_time = Some(time);
        self
    }

    /// At most so many steps in one run; a run that takes more ends as [`Outcome::StepLimit`].
    pub fn max_steps(mut self, steps: usize) -> Explorer {
        self.options.max_steps = steps;
        self
    }

    /// The size of each thread's stack, in bytes.
    pub fn stack_size(mut self, bytes: usize) -> Explorer {
        self.options.settings.stack_bytes = bytes;
        self
    }

    /// Waits on condition variables and `park` may end for no reason.
    pub fn spurious_wakeups(mut self, allowed: bool) -> Explorer {
        self.options.settings.spurious = allowed;
        self
    }

    /// Do threads that wait by yields do so for ever? Who has only looked at things since its last yield waits there until something of that changes
    /// (see [`yield_now`](crate::thread::yield_now)). Where nobody else can go on, the run is made once more, and the thread is let go on, as it may give up after
    /// some rounds. If this is set, it is taken for a livelock at once.
    pub fn spin_for_ever(mut self, for_ever: bool) -> Explorer {
        self.options.spins_for_ever = for_ever;
        self
    }

    /// When the body has returned, a run goes on until all threads have ended.
    pub fn wait_for_all(mut self, wait: bool) -> Explorer {
        self.options.settings.waits_for_all = wait;
        self
    }

    /// Are threads unwound that are still there when a run ends, because the body has returned or nobody can go on? They are, unless somebody says
    /// otherwise, so that destructors run and memory stays flat. `unsafe` code that stands between two steps of which neither can panic
    /// outside of explorations may not bear that: it may own a value twice for that moment. Without unwinding such threads are forgotten, as
    /// when a process ends, and what they own is leaked in every run.
    ///
    /// A part of a run that ends ([`contained`](crate::contained)) is always unwound.
    pub fn unwind(mut self, unwinds: bool) -> Explorer {
        self.options.settings.forgets = !unwinds;
        self
    }

    /// Ends the exploration with the first run whose outcome is not [`Outcome::Returned`].
    pub fn stop_at_failure(mut self, stop: bool) -> Explorer {
        self.options.stops_at_failure = stop;
        self
    }

    /// After so much time without a visible action, it is said on standard error which thread runs and what it did last:
    /// it may wait for something that the exploration does not see, or loop for ever.
    pub fn watchdog(mut self, patience: Duration) -> Explorer {
        self.options.patience = patience;
        self
    }

    /// Every run is made in a child process first. A run that ends the process there (a panic in a destructor while its
    /// thread unwinds, a stack overflow, `abort`, `exit`, a signal) ends as [`Outcome::Panicked`], and the exploration goes on.
    /// Its trace ends with the step in which that happens. Where its threads cannot be stopped, their stacks are leaked.
    ///
    /// What the body does outside of the process, it does twice; its standard output is that of the second time. A child is a
    /// copy (`fork`) with one thread: a lock that another thread of the process holds at that moment is never given back in the
    /// child. Where tests run side by side, as with `cargo test`, a body should not use locks of `std` that other tests use too,
    /// and that includes standard output with `--nocapture`; with `cargo nextest` each test has a process of its own.
    /// On Unix only; elsewhere exploring panics, saying so.
    pub fn in_child_process(mut self, child: bool) -> Explorer {
        self.options.in_child_process = child;
        self
    }

    /// Are the runs of the report simplified, by swapping independent steps, so that they have fewer pre-emptions and switches?
    /// They are, unless somebody says otherwise; those of failures first, and those of a hundred outcomes at most.
    ///
    /// Each result is run once more before it is shown; so are runs by strategies that only write down who went on. These runs do not count as
    /// executions; a body that counts its runs sees them.
    pub fn simplify(mut self, simplify: bool) -> Explorer {
        self.options.simplifies = simplify;
        self
    }

    /// So many workers explore side by side, each on a thread of the operating system of its own; 0 stands for as many as there are cores.
    ///
    /// What is found does not depend on their number: a systematic exploration makes the same number of runs, one for each trace, and
    /// random runs are the same by their numbers. So long as it is not stopped early, by a failure or by time, nor does it depend on
    /// who is faster, down to the runs that are shown. A strategy whose runs depend on those before (within bounds, PCT, one of your own)
    /// has one worker, and the report says so. So it is where threads are the first to use what they share and several workers could not be sure to leave
    /// out nothing: then one makes all runs again.
    ///
    /// The body runs several times at once. Objects that it does not make itself are refused, even where they carry no state.
    pub fn workers(mut self, workers: usize) -> Explorer {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.options.workers = if workers == 0 { cores() } else { workers };
        self
    }

    /// Writes down every few seconds, in this file, how far the exploration is, and once more where a limit ends it. If the file is there
    /// already, the exploration goes on from it; when it has come to its end, or has stopped at a failure, the file is removed.
    ///
    /// [`Explorer::max_executions`] counts the runs of all processes that went on from one another, [`Explorer::max_time`] those of this
    /// one. For each outcome that was found one run is made once more, which is not counted. Tests take a directory from the environment variable
    /// `SELVEDGE_CHECKPOINT`, and have one file each.
    ///
    /// # Panics
    /// Exploring panics where the file is of another exploration, of other settings, or damaged, and leaves it as it is; and where the strategy
    /// is one of your own, or a replay. A body that has changed is noticed as one that is not deterministic.
    pub fn checkpoint(mut self, path: impl Into<PathBuf>) -> Explorer {
        self.options.checkpoint = Some(path.into());
        self
    }

    /// Shows on standard error how far the exploration is, or does not. If nobody says, it is shown where that is a terminal, or where the
    /// environment variable `SELVEDGE_PROGRESS` is 1; from the first second on.
    pub fn progress(mut self, shown: bool) -> Explorer {
        self.options.progress = Some(shown);
        self
    }

    /// What is explored, for messages and the names of files.
    pub(crate) fn named(mut self, name: &str) -> Explorer {
        self.options.name = Some(name.to_owned());
        self
    }

    /// Runs the body again and again. Returns what can happen.
    pub fn explore<T, F>(self, body: F) -> Report<T>
    where
        T: Ord + Clone + Debug + Send + 'static,
        F: Fn() -> T + Send + Sync,
    {
        self.explore_values(&|| Value::new(body()), &|_| Keep::All).into_typed()
    }

    /// The same, but keeps only what is of interest, so that memory stays flat whatever there is to see.
    pub fn explore_keeping<T, F, K>(self, body: F, keep: K) -> Report<T>
    where
        T: Ord + Clone + Debug + Send + 'static,
        F: Fn() -> T + Send + Sync,
        K: Fn(&Outcome<T>) -> Keep + Send + Sync,
    {
        let keep = |outcome: &Outcome<Value>| keep(&outcome.to_typed());
        self.explore_values(&|| Value::new(body()), &keep).into_typed()
    }

    /// The engine, compiled once for values of all types.
    fn explore_values(self, body: Body<'_, Value>, keep: Keeps<'_, Value>) -> Report<Value> {
        assert!(
            cfg!(unix) || !self.options.in_child_process,
            "selvedge: exploring in a child process needs `fork`, which this system does not have; leave `in_child_process` out"
        );
        let Options { in_child_process, workers, checkpoint, .. } = &self.options;
        assert!(
            !in_child_process || *workers == 1 && checkpoint.is_none(),
            "selvedge: exploring in a child process works with one worker and without a checkpoint; leave `in_child_process` out, or these"
        );
        deepening::explore(self.replaying(), body, keep)
    }

    /// Makes only the run that `SELVEDGE_REPLAY` asks for, if that is one of this exploration's.
    fn replaying(self) -> Explorer {
        let thread = std::thread::current();
        let name = self.options.name.as_deref().or(thread.name()).unwrap_or("explored");
        match files::wanted(name) {
            Some(recording) if !self.strategy.is_replay() => self.strategy(Strategy::replay(recording)),
            _ => self,
        }
    }
}

/// Explores a body with the default settings: [`Explorer::explore`].
pub fn explore<T, F>(body: F) -> Report<T>
where
    T: Ord + Clone + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync,
{
    Explorer::new().explore(body)
}
