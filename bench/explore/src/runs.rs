//! Runs per second beside loom and shuttle.
//!
//! Random and PCT: one exploration of a fixed number of runs by each tool. Systematic: loom explores with a
//! reduction, selvedge without one (`exhaustive`). So the speed of runs is compared, not their number.
//! Exhaustive runs are those of one exploration of as many runs as the random ones, restarted whenever it is
//! complete. Repeated explorations go each from the start to the end or the limit, as loom's do: all runs
//! over all time, including the start of each exploration.

use crate::again;
use selvedge::{Explorer, Strategy};
use selvedge_bench_explore::programs;
use selvedge_bench_harness::{Clock, Run, Samples, Table, number, take_turns};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The number of runs of a random exploration, and the limit of a systematic one by selvedge.
const RUNS: usize = 10_000;

/// The time of repeated systematic explorations; loom ends an exploration after this time.
const SYSTEMATIC: Duration = Duration::from_millis(300);

const COLUMNS: [&str; 18] = [
    "program",
    "random runs/s by shuttle's",
    "spread",
    "PCT runs/s by shuttle's",
    "PCT spread",
    "exhaustive runs/s by loom's",
    "exhaustive spread",
    "repeated explorations, runs/s by loom's",
    "repeated spread",
    "steps",
    "random runs/s",
    "shuttle's",
    "PCT runs/s",
    "shuttle's PCT",
    "exhaustive runs/s",
    "repeated runs/s",
    "loom's runs/s",
    "runs of an exploration, loom's",
];

pub(crate) fn measure_all(run: &mut Run) {
    let mut table = Table::new("runs", &COLUMNS);
    for index in 0..programs::with_selvedge::ALL.len() {
        table.row(row(index, run.plan.repetitions));
    }
    run.table(&table);
}

/// Measures one program.
fn row(index: usize, repetitions: usize) -> Vec<String> {
    let (name, ours) = programs::with_selvedge::ALL[index];
    let (_, theirs) = programs::with_shuttle::ALL[index];
    let (_, looms) = programs::with_loom::ALL[index];
    let (our_runs, loom_runs) = (Cell::new(0), Cell::new(0));
    // shuttle runs before loom: loom's coroutines end by panics, and loom's panic hook hides them from
    // shuttle's hook only if that was installed before.
    let measured = take_turns(
        repetitions,
        &mut [
            &mut || timed(|| explore(Strategy::random(1, RUNS as u64), ours)),
            &mut || timed(|| shuttle::check_random(theirs, RUNS)),
            &mut || timed(|| explore(Strategy::pct(3, 1, RUNS as u64), ours)),
            &mut || timed(|| shuttle::check_pct(theirs, RUNS, 3)),
            &mut || {
                let again = Strategy::custom(again::Again::new(RUNS)).takes_little_stack();
                timed(|| explore(again, ours))
            },
            &mut || again_and_again(&our_runs, || explore(Strategy::exhaustive(), ours)),
            &mut || again_and_again(&loom_runs, || loom(looms)),
        ],
    );
    let rates: Vec<Samples> = measured.into_iter().map(Samples::from_iter).collect();
    let ratios =
        [(0, 1), (2, 3), (4, 6), (5, 6)].map(|(one, two)| Table::ratio(&rates[one].over(&rates[two])));
    let medians = rates.iter().map(|rate| number(rate.median()));
    let mut cells = vec![name.to_owned()];
    cells.extend(ratios.into_iter().flatten());
    cells.push(steps(ours).to_string());
    cells.extend(medians);
    cells.push(format!("{}, {}", our_runs.get(), loom_runs.get()));
    cells
}

/// Runs per second of work that makes [`RUNS`].
fn timed<R>(work: impl FnOnce() -> R) -> f64 {
    RUNS as f64 / Clock::Process.time(work).1
}

/// Repeats an exploration. Returns runs per second; `last` gets the number of runs of the last exploration.
fn again_and_again(last: &Cell<usize>, mut explore: impl FnMut() -> usize) -> f64 {
    let (start, mut runs) = (Clock::Process.now(), 0);
    while Clock::Process.since(start) < SYSTEMATIC {
        last.set(explore());
        runs += last.get();
    }
    runs as f64 / Clock::Process.since(start).as_secs_f64()
}

fn explore(strategy: Strategy, program: fn()) -> usize {
    let report = Explorer::new().strategy(strategy).max_executions(RUNS as u64).explore(program);
    assert!(report.outcomes().keys().all(|outcome| outcome.returned().is_some()), "{report}");
    report.executions()
}

fn loom(program: fn()) -> usize {
    static RUNS_MADE: AtomicUsize = AtomicUsize::new(0);
    RUNS_MADE.store(0, Ordering::Relaxed);
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(SYSTEMATIC);
    builder.check(move || {
        RUNS_MADE.fetch_add(1, Ordering::Relaxed);
        program();
    });
    RUNS_MADE.load(Ordering::Relaxed)
}

/// The number of visible actions of one run.
fn steps(program: fn()) -> usize {
    let report = Explorer::new().strategy(Strategy::round_robin()).explore(program);
    report.outcomes().values().map(|trace| trace.len()).max().unwrap_or(0)
}
