//! One measurement: executions of a program by a variant with one seed, and which of them fail.

use crate::variants::{DEPTH, ShuttleScheduler, Tool, Variant};
use sctbench::{Failure, Program};
use selvedge::{Explorer, Keep, MemoryModel, Outcome};
use shuttle::scheduler::{
    PctScheduler, RandomScheduler, Schedule, Scheduler, Task, TaskId, UrwRandomScheduler,
};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// The numbers of executions after which failing ones are counted.
pub(crate) const MARKS: [u64; 5] = [1, 10, 100, 1_000, 10_000];

/// A run of more steps is given up, and does not fail.
const MAX_STEPS: usize = 20_000;

/// What the executions of one seed showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) executions: u64,
    /// The number of the first failing execution, from 1; 0 if none fails.
    pub(crate) first: u64,
    /// The same for failed assertions alone, as the thesis counts.
    pub(crate) first_assertion: u64,
    /// The number of failing executions among the first so many of [`MARKS`]; 0 for shuttle, which ends at
    /// the first failure.
    pub(crate) failing: [u64; MARKS.len()],
}

impl Counts {
    fn count(&mut self, failure: Option<Failure>) {
        self.executions += 1;
        let Some(failure) = failure else { return };
        if self.first == 0 {
            self.first = self.executions;
        }
        if self.first_assertion == 0 && failure == Failure::Assertion {
            self.first_assertion = self.executions;
        }
        for (failing, mark) in self.failing.iter_mut().zip(MARKS) {
            *failing += u64::from(self.executions <= mark);
        }
    }
}

/// Makes the executions.
pub(crate) fn measure(program: &Program, variant: &Variant, seed: u64, executions: u64) -> Counts {
    match variant.tool {
        Tool::Selvedge(make) => ours(program, make(program, seed, executions), executions),
        Tool::Systematic(make) => ours(program, make(), executions),
        Tool::Shuttle(scheduler) => shuttles(program.name, scheduler, seed, executions),
    }
}

fn ours(program: &Program, strategy: selvedge::Strategy, executions: u64) -> Counts {
    let counts = Mutex::new(Counts::default());
    let explorer = Explorer::new().strategy(strategy).memory(MemoryModel::Sc).max_executions(executions);
    explorer.max_steps(MAX_STEPS).progress(false).explore_keeping(program.buggy, |outcome| {
        let failure = match outcome {
            Outcome::Deadlock => Some(Failure::Deadlock),
            Outcome::Panicked(message) => Some(Failure::of_panic(message)),
            _ => None,
        };
        counts.lock().unwrap_or_else(PoisonError::into_inner).count(failure);
        Keep::Nothing
    });
    counts.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Counts executions as it hands them out.
struct Counting {
    scheduler: Box<dyn Scheduler + Send>,
    executions: Arc<AtomicU64>,
}

impl Scheduler for Counting {
    fn new_execution(&mut self) -> Option<Schedule> {
        let schedule = self.scheduler.new_execution()?;
        self.executions.fetch_add(1, Relaxed);
        Some(schedule)
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        self.scheduler.next_task(runnable, current, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.scheduler.next_u64()
    }
}

/// Makes runs of a body, for their speed.
pub(crate) fn make_runs(body: fn(), strategy: selvedge::Strategy, runs: u64) {
    let explorer = Explorer::new().strategy(strategy).memory(MemoryModel::Sc).max_executions(runs);
    explorer.max_steps(MAX_STEPS).progress(false).explore_keeping(body, |_| Keep::Nothing);
}

/// The same by shuttle, of the program without its bug.
pub(crate) fn shuttle_runs(name: &str, scheduler: ShuttleScheduler, seed: u64, runs: u64) {
    let body = shuttle_program(name).correct;
    Runner::new(shuttle_scheduler(scheduler, seed, runs), shuttle_config()).run(body);
}

/// From now on panics print nothing: the programs fail on purpose, millions of times. Shuttle's first run
/// changes what a panic prints, so it comes first.
pub(crate) fn silence() {
    Runner::new(shuttle_scheduler(ShuttleScheduler::Random, 0, 1), shuttle_config()).run(|| {});
    std::panic::set_hook(Box::new(|_| {}));
}

fn shuttle_program(name: &str) -> &'static sctbench_shuttle::Program {
    let mut programs = sctbench_shuttle::ALL.iter().chain(&sctbench_shuttle::held_out::ALL);
    programs.find(|program| program.name == name).expect("a program of this name")
}

fn shuttle_scheduler(scheduler: ShuttleScheduler, seed: u64, runs: u64) -> Box<dyn Scheduler + Send> {
    let runs = runs as usize;
    match scheduler {
        ShuttleScheduler::Random => Box::new(RandomScheduler::new_from_seed(seed, runs)),
        ShuttleScheduler::Pct => Box::new(PctScheduler::new_from_seed(seed, DEPTH, runs)),
        ShuttleScheduler::Urw => Box::new(UrwRandomScheduler::new_from_seed(seed, runs)),
    }
}

fn shuttle_config() -> Config {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::ContinueAfter(MAX_STEPS);
    config.silence_warnings = true;
    config
}

/// The executions of shuttle end at the first failure, as a test of shuttle does.
fn shuttles(name: &str, scheduler: ShuttleScheduler, seed: u64, executions: u64) -> Counts {
    let body = shuttle_program(name).buggy;
    let scheduler = shuttle_scheduler(scheduler, seed, executions);
    let executions = Arc::new(AtomicU64::new(0));
    let counting = Counting { scheduler, executions: executions.clone() };
    let ended = catch_unwind(AssertUnwindSafe(|| Runner::new(counting, shuttle_config()).run(body)));
    let executions = executions.load(Relaxed);
    let mut counts = Counts { executions, ..Counts::default() };
    if let Err(panic) = ended {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("");
        let is_assertion = !text.contains("deadlock") && Failure::of_panic(text) == Failure::Assertion;
        counts.first = executions;
        counts.first_assertion = if is_assertion { executions } else { 0 };
    }
    counts
}
