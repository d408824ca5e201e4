//! What `#[selvedge::test]` calls.

use super::{Explorer, MemoryModel, Outcome, Report, Strategy, failure, files};
use selvedge_explore::schedulers::Bounds;
use std::fmt::Debug;
use std::io::Write;
use std::time::Duration;

/// A test explores systematically, but no more runs than this.
const DEFAULT_RUNS: u64 = 100_000;

/// And no longer than this.
const DEFAULT_SECONDS: u64 = 10;

/// The options of `#[selvedge::test(...)]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TestOptions {
    /// `systematic`, `random`, `pct`, `swarm`, `pos` or `round-robin`.
    pub strategy: Option<&'static str>,
    /// The most runs.
    pub runs: Option<u64>,
    /// Of random strategies.
    pub seed: Option<u64>,
    /// Of PCT.
    pub depth: Option<u64>,
    /// The most steps of one run.
    pub steps: Option<u64>,
    /// The bytes of a thread's stack.
    pub stack_size: Option<u64>,
    /// No new run after so many seconds.
    pub seconds: Option<u64>,
    /// May waits end for no reason?
    pub spurious: Option<bool>,
    /// Are threads unwound that are left at the end of a run?
    pub unwind: Option<bool>,
    /// Is every run made in a child process first?
    pub child_process: Option<bool>,
    /// How many workers explore side by side; 0: as many as there are cores.
    pub workers: Option<u64>,
    /// `sc`, `tso` or `pso`.
    pub memory: Option<&'static str>,
    /// How often threads may be interrupted that could have gone on, where runs are explored systematically.
    pub preemptions: Option<u64>,
    /// How many times more often than others a thread may let others go first, where runs are explored systematically.
    pub yields: Option<u64>,
}

/// What the body of a test may return.
#[diagnostic::on_unimplemented(
    message = "a test returns nothing, or a `Result<(), E>` with an error that can be shown by `Debug`",
    label = "this is neither"
)]
pub trait TestResult {
    /// Nothing, or why the test fails.
    fn into_result(self) -> Result<(), String>;
}

impl TestResult for () {
    fn into_result(self) -> Result<(), String> {
        Ok(())
    }
}

impl<E: Debug> TestResult for Result<(), E> {
    fn into_result(self) -> Result<(), String> {
        self.map_err(|error| format!("Err({error:?})"))
    }
}

/// Explores the body of a test. Panics with a readable report if a run does not return, or returns an error.
pub fn run_test<R: TestResult>(name: &str, options: TestOptions, body: impl Fn() -> R + Send + Sync) {
    let body = || body().into_result();
    if let Some(recording) = files::wanted(name) {
        return super::autocheck::replay(name, recording, options.explorer().named(name), body);
    }
    let report =
        options.explorer().named(name).strategy(options.strategy()).stop_at_failure(true).explore(body);
    if let Some(outcome) = failing(&report) {
        panic!("{}", tell(&report, &outcome, name));
    }
    pass(&report, name);
}

/// A test passes whose exploration found nothing. Where it was cut short, that is said.
///
/// # Panics
/// If there was no run at all.
pub(super) fn pass<T: Ord>(report: &Report<T>, name: &str) {
    assert!(report.executions() > 0, "{}", no_run(name));
    if !report.is_complete() {
        let notes = report.notes().iter().map(|note| format!("\n  note: {note}"));
        say(&format!("selvedge: {name}: no failure in {}{}", report.extent(), notes.collect::<String>()));
    }
}

/// What is said where nothing was run.
pub(super) fn no_run(name: &str) -> String {
    format!("selvedge: {name}: no run was made, so nothing is known; allow it more runs or more time")
}

/// The message for a test that fails. What it returns is told as it was returned.
pub(super) fn tell(
    report: &Report<Result<(), String>>,
    outcome: &Outcome<Result<(), String>>,
    name: &str,
) -> String {
    match outcome {
        Outcome::Returned(Err(what)) => {
            failure::tell_of_kind(report, outcome, name, ("returned", &format!("returned {what}")))
        }
        _ => failure::tell(report, outcome, name),
    }
}

/// The outcome that makes a test fail, if there is one.
pub(super) fn failing(report: &Report<Result<(), String>>) -> Option<Outcome<Result<(), String>>> {
    report.outcomes().keys().find(|outcome| **outcome != Outcome::Returned(Ok(()))).cloned()
}

/// Tells something that is worth knowing even of a test that passes: past the test harness, which keeps from people what such tests print.
pub(super) fn say(text: &str) {
    // If there is nobody to be told, there is nothing to be done about it.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A number of things; one that is too large for memory is as good as the largest.
fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl TestOptions {
    fn explorer(&self) -> Explorer {
        let seconds = self.seconds.unwrap_or(DEFAULT_SECONDS);
        let explorer = Explorer::new()
            .max_executions(self.runs.unwrap_or(DEFAULT_RUNS))
            .max_time(Duration::from_secs(seconds))
            .spurious_wakeups(self.spurious.unwrap_or(false))
            .unwind(self.unwind.unwrap_or(true))
            .in_child_process(self.child_process.unwrap_or(false))
            .workers(size(self.workers.unwrap_or(1)));
        let explorer = match self.memory {
            Some("sc") => explorer.memory(MemoryModel::Sc),
            Some("pso") => explorer.memory(MemoryModel::Pso),
            Some("tso") => explorer.memory(MemoryModel::Tso),
            Some(other) => panic!("selvedge: `{other}` is not one of sc, tso, pso"),
            None => explorer,
        };
        let explorer = match self.stack_size {
            Some(bytes) => explorer.stack_size(size(bytes)),
            None => explorer,
        };
        match self.steps {
            Some(steps) => explorer.max_steps(size(steps)),
            None => explorer,
        }
    }

    fn strategy(&self) -> Strategy {
        let runs = self.runs.unwrap_or(DEFAULT_RUNS);
        let seed = self.seed.unwrap_or(0);
        match self.strategy.unwrap_or("systematic") {
            "systematic" => {
                let (preemptions, yields) = (self.preemptions.map(size), self.yields.map(size));
                Strategy::systematic().bounded(Bounds { preemptions, yields, ..Bounds::NONE })
            }
            "random" => Strategy::random(seed, runs),
            "pct" => Strategy::pct(size(self.depth.unwrap_or(3)), seed, runs),
            "swarm" => Strategy::swarm(seed, runs),
            "pos" => Strategy::pos(seed, runs),
            "round-robin" => Strategy::round_robin(),
            other => {
                panic!("selvedge: `{other}` is not one of systematic, random, pct, swarm, pos, round-robin")
            }
        }
    }
}
