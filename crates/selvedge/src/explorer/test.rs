//! What `#[selvedge::test]` calls.

use super::{Explorer, Outcome, Report, Strategy, failure, files};
use std::fmt::Debug;
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
    /// No new run after so many seconds.
    pub seconds: Option<u64>,
    /// May waits end for no reason?
    pub spurious: Option<bool>,
    /// Is every run made in a child process first?
    pub child_process: Option<bool>,
    /// How many workers explore side by side; 0: as many as there are cores.
    pub workers: Option<u64>,
}

/// What the body of a test may return.
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
        self.map_err(|error| format!("{error:?}"))
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
        panic!("{}", failure::tell(&report, &outcome, name));
    }
    if !report.is_complete() {
        say(&format!("selvedge: {name}: no failure in {}", report.extent()));
    }
}

/// The outcome that makes a test fail, if there is one.
pub(super) fn failing(report: &Report<Result<(), String>>) -> Option<Outcome<Result<(), String>>> {
    report.outcomes().keys().find(|outcome| **outcome != Outcome::Returned(Ok(()))).cloned()
}

/// Tells something that is worth knowing even of a test that passes; the test harness shows it on demand.
#[allow(clippy::print_stdout)]
pub(super) fn say(text: &str) {
    println!("{text}");
}

impl TestOptions {
    fn explorer(&self) -> Explorer {
        let seconds = self.seconds.unwrap_or(DEFAULT_SECONDS);
        let explorer = Explorer::new()
            .max_executions(self.runs.unwrap_or(DEFAULT_RUNS))
            .max_time(Duration::from_secs(seconds))
            .spurious_wakeups(self.spurious.unwrap_or(false))
            .in_child_process(self.child_process.unwrap_or(false))
            .workers(usize::try_from(self.workers.unwrap_or(1)).unwrap_or(usize::MAX));
        match self.steps {
            Some(steps) => explorer.max_steps(usize::try_from(steps).unwrap_or(usize::MAX)),
            None => explorer,
        }
    }

    fn strategy(&self) -> Strategy {
        let runs = self.runs.unwrap_or(DEFAULT_RUNS);
        let seed = self.seed.unwrap_or(0);
        match self.strategy.unwrap_or("systematic") {
            "systematic" => Strategy::systematic(),
            "random" => Strategy::random(seed, runs),
            "pct" => {
                Strategy::pct(usize::try_from(self.depth.unwrap_or(3)).unwrap_or(usize::MAX), seed, runs)
            }
            "swarm" => Strategy::swarm(seed, runs),
            "pos" => Strategy::pos(seed, runs),
            "round-robin" => Strategy::round_robin(),
            other => {
                panic!("selvedge: `{other}` is not one of systematic, random, pct, swarm, pos, round-robin")
            }
        }
    }
}
