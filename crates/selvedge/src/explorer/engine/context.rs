//! What all runs of one worker have in common: names, the heartbeat, and how their execution is made.

use crate::control::diagnose::Heartbeat;
use crate::control::object::OutsideValues;
use crate::control::{Execution, Settings};
use crate::explorer::api::{Options, Strategy};
use crate::explorer::child_process::{ChildProcess, CrashNotice};
use crate::explorer::report::{AbortReport, RunSetup, TestName};
use std::sync::Arc;

/// Threads with stacks of at least this many bytes can call a scheduler that needs little stack.
const MIN_STACK_TO_CALL_SCHEDULER: usize = 64 * 1024;

/// What all runs of one worker have in common.
pub(super) struct RunContext {
    pub(super) name: TestName,
    pub(super) heartbeat: Arc<Heartbeat>,
    /// What all workers know of lazily initialised statics.
    outside_values: Arc<OutsideValues>,
    /// For runs in a child process.
    pub(super) notice: Option<Arc<CrashNotice>>,
    /// The name of the strategy.
    pub(super) strategy: Arc<str>,
    /// How the runs are made.
    pub(super) setup: RunSetup,
    needs_little_stack: bool,
    is_trusted: bool,
    /// Whether there are no other workers.
    pub(super) is_only_worker: bool,
    /// Whether the runs of the report are simplified.
    pub(super) simplifies: bool,
}

impl RunContext {
    /// One context for each worker.
    pub(super) fn for_workers(options: &Options, strategy: &Strategy) -> Vec<RunContext> {
        let name = options.name.clone().unwrap_or_else(TestName::of_current_thread);
        let workers = if strategy.can_be_shared() { options.workers } else { 1 };
        let outside_values = Arc::<OutsideValues>::default();
        let context = |_| RunContext {
            name: name.clone(),
            outside_values: outside_values.clone(),
            heartbeat: Arc::default(),
            notice: options.in_child_process.then(|| Arc::new(CrashNotice::new())),
            strategy: strategy.to_string().into(),
            setup: RunSetup::of(strategy, &options.settings),
            needs_little_stack: strategy.needs_little_stack,
            is_trusted: strategy.is_trusted,
            is_only_worker: workers == 1,
            simplifies: options.simplifies && !strategy.is_replay(),
        };
        (0..workers).map(context).collect()
    }

    /// An execution for the calling thread of the operating system.
    pub(super) fn new_execution(&self, options: &Options) -> Execution {
        let has_stack = options.settings.stack_bytes >= MIN_STACK_TO_CALL_SCHEDULER;
        let settings = Settings {
            asks_in_place: self.needs_little_stack && has_stack,
            trusts_scheduler: self.is_trusted,
            goes_one_by_one: options.in_child_process,
            has_company: !self.is_only_worker,
            ..options.settings
        };
        let (name, setup) = (self.name.clone(), self.setup.clone());
        let report = AbortReport { name, setup, notice: self.notice.clone() };
        let (outside_values, tree) = (self.outside_values.clone(), options.threads.clone());
        Execution::new(settings, self.heartbeat.clone(), Box::new(report), outside_values, tree)
    }

    /// The side of this worker in runs that are made in a child process first, if the user wants that.
    pub(super) fn new_child_process(&self, options: &Options) -> Option<ChildProcess> {
        let notice = self.notice.clone()?;
        Some(ChildProcess::new(notice, self.name.text(), options.patience))
    }
}
