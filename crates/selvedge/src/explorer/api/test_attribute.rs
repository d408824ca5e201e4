//! The function that `#[selvedge::test]` calls.

use super::autocheck::replay;
use super::{Explorer, Outcome, Report, Strategy, Value};
use crate::control::MemoryModel;
use crate::explorer::report::{TestName, failure_message, failure_message_of_kind, wanted_replay};
use selvedge_explore::schedulers::Bounds;
use std::fmt::Debug;
use std::io::Write;
use std::time::Duration;

/// Without options, a test explores systematically, with at most this many runs.
const DEFAULT_RUNS: u64 = 100_000;

/// Without options, a test starts no new run after this time.
const DEFAULT_SECONDS: u64 = 10;

/// The options of `#[selvedge::test(...)]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TestOptions {
    /// `systematic`, `mixed`, `random`, `pct`, `swarm`, `pos` or `round-robin`.
    pub strategy: Option<&'static str>,
    /// The most runs: `Explorer::max_executions`.
    pub runs: Option<u64>,
    /// The seed of a random strategy.
    pub seed: Option<u64>,
    /// The depth of PCT.
    pub depth: Option<u64>,
    /// Swarm: so many runs share their weights.
    pub reuse: Option<u64>,
    /// Swarm: so many times in a run a thread draws a new weight.
    pub change_points: Option<u64>,
    /// Swarm: the least and the greatest weight of a thread.
    pub weights: Option<(u32, u32)>,
    /// PCT and swarm: the expected number of steps of a run.
    pub expected_steps: Option<u64>,
    /// The most steps of one run.
    pub steps: Option<u64>,
    /// The bytes of a thread's stack.
    pub stack_size: Option<u64>,
    /// No new run starts after this many seconds.
    pub seconds: Option<u64>,
    /// Whether waits may end without a notification.
    pub spurious: Option<bool>,
    /// Whether threads that are alive at the end of a run are unwound.
    pub unwind: Option<bool>,
    /// Whether every run is made in a child process first.
    pub child_process: Option<bool>,
    /// The number of parallel workers; 0 means one for each core.
    pub workers: Option<u64>,
    /// `sc`, `tso` or `pso`.
    pub memory: Option<&'static str>,
    /// The most pre-emptions of a run. Bounds need a systematic strategy.
    pub preemptions: Option<u64>,
    /// By how many yields a thread may exceed every other thread. Bounds need a systematic strategy.
    pub yields: Option<u64>,
    /// The most steps of a run that is made; longer ones are left out. Bounds need a systematic strategy.
    pub length: Option<u64>,
}

/// The return types of a test's body.
#[diagnostic::on_unimplemented(
    message = "a test returns nothing, or a `Result<(), E>` with an error that can be shown by `Debug`",
    label = "this is neither"
)]
pub trait TestResult {
    /// `Err` with the reason if the test fails.
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

/// Explores the body of a test. Panics with a readable report if a run returns an error, or does not return.
pub fn run_test<R: TestResult>(path: &str, options: TestOptions, body: impl Fn() -> R + Send + Sync) {
    let (name, body) = (&TestName::of_function(path), || body().into_result());
    if let Some(recording) = wanted_replay(name) {
        return replay(name, recording, options.explorer().named(name), body);
    }
    let is_failure = |outcome: &Outcome<Value>| outcome.to_typed() != Outcome::Returned(Ok::<(), String>(()));
    if options.explorer().named(name).debug_if_wanted(name, &|| Value::new(body()), &is_failure) {
        return;
    }
    let report =
        options.explorer().named(name).strategy(options.strategy()).stop_at_failure(true).explore(body);
    if let Some(outcome) = failing_outcome(&report) {
        panic!("{}", test_failure_message(&report, &outcome, name));
    }
    pass(&report, name);
}

/// Lets a test pass whose exploration found no failure. If the exploration was cut short, or has notes, a
/// line on standard error says so.
///
/// # Panics
/// If no run was made.
pub(super) fn pass<T: Ord>(report: &Report<T>, name: &TestName) {
    assert!(report.executions() > 0, "{}", no_run_message(name));
    if !report.is_complete() || !report.notes().is_empty() {
        let notes = report.notes().iter().map(|note| format!("\n  note: {note}"));
        print_to_stderr(&format!(
            "selvedge: {name}: no failure in {}{}",
            report.extent(),
            notes.collect::<String>()
        ));
    }
}

/// The message for an exploration without a run.
pub(super) fn no_run_message(name: &TestName) -> String {
    format!(
        "selvedge: {name}: no run was made, so nothing is known; allow it more runs, more time or wider bounds"
    )
}

/// The message for a failing test. An error that the body returned is shown as it is.
pub(super) fn test_failure_message(
    report: &Report<Result<(), String>>,
    outcome: &Outcome<Result<(), String>>,
    name: &TestName,
) -> String {
    match outcome {
        Outcome::Returned(Err(what)) => {
            failure_message_of_kind(report, outcome, name, ("returned", &format!("returned {what}")))
        }
        _ => failure_message(report, outcome, name),
    }
}

/// The outcome that makes a test fail, if there is one.
pub(super) fn failing_outcome(report: &Report<Result<(), String>>) -> Option<Outcome<Result<(), String>>> {
    report.outcomes().keys().find(|outcome| **outcome != Outcome::Returned(Ok(()))).cloned()
}

/// Prints a line that matters even if the test passes. `writeln` bypasses the test harness, which captures
/// what `eprintln` prints.
pub(super) fn print_to_stderr(text: &str) {
    // If standard error is closed, the line is lost.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A number as a size. A number that exceeds the address space counts as the largest size.
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
            Some(name) => match MemoryModel::named(name) {
                Some(memory) => explorer.memory(memory),
                None => panic!("selvedge: `{name}` is not one of sc, tso, pso"),
            },
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
        let strategy = match self.strategy.unwrap_or("systematic") {
            "systematic" => Strategy::systematic(),
            "mixed" => Strategy::mixed(seed, runs),
            "random" => Strategy::random(seed, runs),
            "pct" => Strategy::pct(size(self.depth.unwrap_or(3)), seed, runs),
            "swarm" => Strategy::swarm(seed, runs),
            "pos" => Strategy::pos(seed, runs),
            "round-robin" => Strategy::round_robin(),
            other => {
                panic!(
                    "selvedge: `{other}` is not one of systematic, mixed, random, pct, swarm, pos, round-robin"
                )
            }
        };
        let (preemptions, yields) = (self.preemptions.map(size), self.yields.map(size));
        let strategy = strategy.bounded(Bounds { preemptions, yields, length: self.length.map(size) });
        self.set_parameters(strategy)
    }

    /// Sets the parameters of a random strategy.
    fn set_parameters(&self, mut strategy: Strategy) -> Strategy {
        if let Some(runs) = self.reuse {
            strategy = strategy.reuse(runs);
        }
        if let Some(count) = self.change_points {
            strategy = strategy.change_points(size(count));
        }
        if let Some((min, max)) = self.weights {
            strategy = strategy.weights(min, max);
        }
        match self.expected_steps {
            Some(steps) => strategy.expected_steps(size(steps)),
            None => strategy,
        }
    }
}
