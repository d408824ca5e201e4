//! The builder of an exploration: how a body is run, again and again.

use super::options::{DeadlinePolicy, FailurePolicy, Options, ProgressDisplay, SpinPolicy};
use super::test_attribute::print_to_stderr;
use super::{Keep, Outcome, Report, Strategy, Value};
use crate::control::MemoryModel;
use crate::explorer::engine::{self, RunRules};
use crate::explorer::report::{TestName, adopt, wanted_replay};
use selvedge_explore::Trace;
use selvedge_explore::trace::Recording;
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

/// Explores a body: runs it under many schedules and reports what can happen.
///
/// ```
/// use selvedge::{Explorer, MemoryModel};
///
/// let report = Explorer::new().memory(MemoryModel::Sc).max_executions(1000).explore(|| 1 + 1);
/// assert_eq!(report.values().collect::<Vec<_>>(), [&2]);
/// assert!(report.is_complete());
/// ```
#[derive(Debug)]
#[must_use = "nothing is explored before `explore` is called"]
pub struct Explorer {
    pub(super) strategy: Strategy,
    pub(super) options: Options,
}

impl Default for Explorer {
    fn default() -> Explorer {
        Explorer::new()
    }
}

impl Explorer {
    /// A systematic exploration. The only limit is that on the steps of one run
    /// ([`DEFAULT_STEPS`](crate::DEFAULT_STEPS)).
    pub fn new() -> Explorer {
        Explorer { strategy: Strategy::systematic(), options: Options::default() }
    }

    /// Sets the strategy, which chooses the runs. The default is [`Strategy::systematic`].
    pub fn strategy(mut self, strategy: Strategy) -> Explorer {
        self.strategy = strategy;
        self
    }

    /// Sets the memory model. The default is [`MemoryModel::Tso`].
    pub fn memory(mut self, memory: MemoryModel) -> Explorer {
        self.options.settings.memory = memory;
        self
    }

    /// Makes at most this many runs. If the limit ends the exploration, the report says so and is not
    /// complete.
    pub fn max_executions(mut self, executions: u64) -> Explorer {
        self.options.max_executions = Some(executions);
        self
    }

    /// Starts no new run after this time. If the limit ends the exploration, the report says so and is not
    /// complete.
    pub fn max_time(mut self, time: Duration) -> Explorer {
        self.options.max_time = Some(time);
        self
    }

    /// Limits the steps of one run. A longer run is cut off; its outcome is [`Outcome::StepLimit`].
    pub fn max_steps(mut self, steps: usize) -> Explorer {
        self.options.max_steps = steps;
        self
    }

    /// Sets the size of each thread's stack, in bytes.
    pub fn stack_size(mut self, bytes: usize) -> Explorer {
        self.options.settings.stack_bytes = bytes;
        self
    }

    /// Allows spurious wake-ups: a wait on a condition variable, or `park`, may end without a notification.
    pub fn spurious_wakeups(mut self, allowed: bool) -> Explorer {
        self.options.settings.spurious = allowed;
        self
    }

    /// Declares that threads which wait by yielding never give up.
    ///
    /// A thread that has only read since its last yield waits at the yield until a value that it read
    /// changes (see [`yield_now`](crate::thread::yield_now)). When every other thread is blocked too, such a
    /// loop may still give up after some rounds. Therefore the run is made once more, and the spinning
    /// threads go on. With this option the run counts as a livelock at once.
    pub fn spin_for_ever(mut self, for_ever: bool) -> Explorer {
        self.options.spinning = if for_ever { SpinPolicy::SpinsForEver } else { SpinPolicy::MayGiveUp };
        self
    }

    /// Declares whether timed waits have deadlines, to which virtual time passes.
    ///
    /// Deadlines make a difference only if the clock is read. Systematic strategies find that out by
    /// themselves; for all others timed waits have deadlines. Without deadlines there are fewer steps.
    ///
    /// # Panics
    /// The exploration panics if this is `false` and the body both reads the clock and waits with timeouts.
    pub fn deadlines(mut self, wanted: bool) -> Explorer {
        self.options.deadlines = if wanted { DeadlinePolicy::Always } else { DeadlinePolicy::Never };
        self
    }

    /// Lets a run continue after the body has returned, until all its threads have ended.
    pub fn wait_for_all(mut self, wait: bool) -> Explorer {
        self.options.settings.waits_for_all = wait;
        self
    }

    /// Sets whether threads that are still alive at the end of a run are unwound. By default they are:
    /// destructors run, and memory stays flat.
    ///
    /// A run ends when its body returns, or when no thread can continue. `unsafe` code may stand between two
    /// steps that cannot panic outside of explorations, and may own a value twice at that moment; unwinding
    /// it there is unsound. Without unwinding, such threads are forgotten, as at the end of a process, and
    /// everything they own is leaked in every run.
    ///
    /// A part of a run that ends ([`contained`](crate::contained)) is always unwound.
    pub fn unwind(mut self, unwinds: bool) -> Explorer {
        self.options.settings.forgets = !unwinds;
        self
    }

    /// Ends the exploration after the first run whose outcome is not [`Outcome::Returned`].
    pub fn stop_at_failure(mut self, stop: bool) -> Explorer {
        self.options.on_failure = if stop { FailurePolicy::Stop } else { FailurePolicy::Continue };
        self
    }

    /// Sets how long a run may go without a visible action before the watchdog warns. The warning, on
    /// standard error, names the running thread and its last action. The thread may wait for something that
    /// the exploration does not control, or loop for ever.
    ///
    /// On Linux, if the thread then sleeps in a wait without a timeout, and no thread of the process moves
    /// for twice this time, and three seconds at least, the wait can never end: the process reports the run
    /// and aborts.
    pub fn watchdog(mut self, patience: Duration) -> Explorer {
        self.options.patience = patience;
        self
    }

    /// Makes every run in a child process first.
    ///
    /// A run that ends the process there (a panic in a destructor while its thread unwinds, a stack
    /// overflow, `abort`, `exit`, a signal) has the outcome [`Outcome::Panicked`], and the exploration
    /// continues. The trace ends with the step that ends the process. If the threads of such a run cannot be
    /// stopped, their stacks are leaked.
    ///
    /// The body's effects outside of the process happen twice. Its standard output is that of the second
    /// time. A child is a copy (`fork`) with one thread: a lock that another thread of the process holds at
    /// that moment is never released in the child. With `cargo test`, tests run side by side, so a body
    /// should not use locks of `std` that other tests use too; standard output with `--nocapture` is such a
    /// lock. With `cargo nextest`, each test has a process of its own.
    ///
    /// This needs Unix. Elsewhere exploring panics and says so.
    pub fn in_child_process(mut self, child: bool) -> Explorer {
        self.options.in_child_process = child;
        self
    }

    /// Sets whether the runs of the report are simplified. By default they are: independent steps are
    /// swapped, so that a run has fewer pre-emptions and context switches. Failing runs are simplified
    /// first, and at most a hundred outcomes altogether.
    ///
    /// Each simplified run is made once more before it is shown. So is a run of a strategy that records only
    /// which thread took each step. These runs do not count as executions, but a body that counts its runs
    /// observes them.
    pub fn simplify(mut self, simplify: bool) -> Explorer {
        self.options.simplifies = simplify;
        self
    }

    /// Sets the number of workers, which explore in parallel, each on a thread of the operating system; 0
    /// means one for each core.
    ///
    /// The result does not depend on this number. A systematic exploration makes the same number of runs,
    /// one for each Mazurkiewicz trace, and random runs are the same by their numbers. Unless a failure or a
    /// time limit stops the exploration early, the result does not depend on the speed of the workers
    /// either, down to the runs that are shown.
    ///
    /// If each run of a strategy depends on earlier runs (within bounds, PCT, the mixture, a custom
    /// scheduler), one worker explores, and the report says so. If threads are the first to use the objects
    /// that they share, several workers may not be able to exclude that they miss a run; then one worker
    /// makes all runs again.
    ///
    /// The body runs several times at once. Objects that it does not create itself are refused, even if they
    /// carry no state; except statics that each run has anew.
    pub fn workers(mut self, workers: usize) -> Explorer {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.options.workers = if workers == 0 { cores() } else { workers };
        self
    }

    /// Saves the state of the exploration in this file, every few seconds and when a limit ends it. If the
    /// file exists, the exploration resumes from it. The file is removed when the exploration is complete or
    /// stops at a failure.
    ///
    /// [`Explorer::max_executions`] counts the runs of all processes that resumed from one another;
    /// [`Explorer::max_time`] counts the time of this process. When an exploration resumes, one run for each
    /// known outcome is made again, which is not counted. Tests take a directory from the environment
    /// variable `SELVEDGE_CHECKPOINT`, with one file for each test.
    ///
    /// # Panics
    /// Exploring panics if the file belongs to another exploration or other settings, or is damaged; the
    /// file stays as it is. It also panics for a custom strategy and for a replay. A body that has changed
    /// is reported as one that is not deterministic.
    pub fn checkpoint(mut self, path: impl Into<PathBuf>) -> Explorer {
        self.options.checkpoint = Some(path.into());
        self
    }

    /// Sets whether progress is shown on standard error, from the first second on. By default it is shown if
    /// standard error is a terminal, or if the environment variable `SELVEDGE_PROGRESS` is 1.
    pub fn progress(mut self, shown: bool) -> Explorer {
        self.options.progress = if shown { ProgressDisplay::Shown } else { ProgressDisplay::Hidden };
        self
    }

    /// Names the explored body in messages and file names.
    pub(crate) fn named(mut self, name: &TestName) -> Explorer {
        self.options.name = Some(name.clone());
        self
    }

    /// Explores the body. The report has every outcome that was found, each with a run that leads to it.
    pub fn explore<T, F>(self, body: F) -> Report<T>
    where
        T: Ord + Clone + Debug + Send + 'static,
        F: Fn() -> T + Send + Sync,
    {
        let rules = RunRules { keep: &|_| Keep::All, visit: None };
        self.explore_values(&|| Value::new(body()), rules).into_typed()
    }

    /// Like [`Explorer::explore`], but `keep` decides what the report retains of each run. So memory stays
    /// flat even if there are many outcomes.
    pub fn explore_keeping<T, F, K>(self, body: F, keep: K) -> Report<T>
    where
        T: Ord + Clone + Debug + Send + 'static,
        F: Fn() -> T + Send + Sync,
        K: Fn(&Outcome<T>) -> Keep + Send + Sync,
    {
        let keep = |outcome: &Outcome<Value>| keep(&outcome.to_typed());
        let rules = RunRules { keep: &keep, visit: None };
        self.explore_values(&|| Value::new(body()), rules).into_typed()
    }

    /// Like [`Explorer::explore`], but `visit` sees every run that counts as an execution: its outcome and
    /// its trace. So a test can count what a report does not retain: lengths of runs, distinct schedules,
    /// what happened before a failure. With several workers, several threads call it at the same time.
    ///
    /// The runs are those that the strategy chose, not simplified. A run that is made again to be shown is
    /// not visited again. A systematic exploration starts again, after runs that do not count, in two cases:
    /// it finds out that deadlines matter ([`Explorer::deadlines`] decides that beforehand), or several
    /// workers left a run to each other.
    ///
    /// ```
    /// use selvedge::{Explorer, Strategy, thread};
    /// use std::collections::BTreeSet;
    /// use std::sync::Mutex;
    ///
    /// let schedules = Mutex::new(BTreeSet::new());
    /// let explorer = Explorer::new().strategy(Strategy::random(7, 100));
    /// let body = || thread::spawn(thread::yield_now).join().unwrap();
    /// let report = explorer.explore_visiting(body, |_, trace| {
    ///     schedules.lock().unwrap().insert(trace.short().to_string());
    /// });
    /// assert_eq!(report.executions(), 100);
    /// assert!(schedules.into_inner().unwrap().len() < 5);
    /// ```
    pub fn explore_visiting<T, F, V>(self, body: F, visit: V) -> Report<T>
    where
        T: Ord + Clone + Debug + Send + 'static,
        F: Fn() -> T + Send + Sync,
        V: Fn(&Outcome<T>, &Trace) + Send + Sync,
    {
        let visit = |outcome: &Outcome<Value>, trace: &Trace| visit(&outcome.to_typed(), trace);
        let rules = RunRules { keep: &|_| Keep::All, visit: Some(&visit) };
        self.explore_values(&|| Value::new(body()), rules).into_typed()
    }

    /// Explores a body that returns values without their types: the engine is compiled once for all types.
    fn explore_values(self, body: engine::Body<'_>, rules: RunRules<'_>) -> Report<Value> {
        assert!(
            cfg!(unix) || !self.options.in_child_process,
            "selvedge: exploring in a child process needs `fork`, which this system does not have; leave `in_child_process` out"
        );
        let Options { in_child_process, workers, checkpoint, .. } = &self.options;
        assert!(
            !in_child_process || *workers == 1 && checkpoint.is_none(),
            "selvedge: exploring in a child process works with one worker and without a checkpoint; leave `in_child_process` out, or these"
        );
        let name = self.options.name.clone().unwrap_or_else(TestName::of_current_thread);
        self.debug_if_wanted(&name, body, &|outcome| !outcome.is_returned());
        let Explorer { strategy, options } = self.replaying(&name);
        engine::explore(strategy, options, body, rules)
    }

    /// Makes only the run that `SELVEDGE_REPLAY` names, if it is one of this exploration.
    fn replaying(self, name: &TestName) -> Explorer {
        match wanted_replay(name) {
            Some(recording) if !self.strategy.is_replay() => self.replay(name, recording),
            _ => self,
        }
    }

    /// Makes only the run of this recording, with its memory model and the other options that decide how a
    /// run goes. If the recording has other ones than the test asks for, a line on standard error says so.
    pub(super) fn replay(mut self, name: &TestName, recording: Recording) -> Explorer {
        for sentence in adopt(&recording, &mut self.options.settings) {
            print_to_stderr(&format!("selvedge: {name}: {sentence}"));
        }
        self.strategy(Strategy::replay(recording))
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
