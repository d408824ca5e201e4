//! Complete explorations of programs with many threads or many traces: the number of runs, and the time.
//!
//! The tests explore the same programs (`crates/selvedge/tests/main/optimal.rs`) and pin the numbers of
//! their traces. Computing time is that of one worker; two workers are compared with one by the clock on
//! the wall. Runs in vain are those that were given up. How the memory grows is in `RESULTS-growth.md`.

use selvedge::{Explorer, MemoryModel};
use selvedge_bench_harness::{Clock, Run, Samples, Table, number, take_turns};
use selvedge_testkit::scaling::{filesystem, indexer, lastzero, readers_of_one};
use std::cell::Cell;
use std::time::Instant;

const PROGRAMS: [(&str, fn()); 6] = [
    ("readers(13)", || readers_of_one(13)),
    ("indexer(15)", || indexer(15, true)),
    ("indexer(15), used late", || indexer(15, false)),
    ("filesystem(18)", || filesystem(18, true)),
    ("filesystem(18), used late", || filesystem(18, false)),
    ("lastzero(13)", || lastzero(13)),
];

pub(crate) fn measure_all(run: &mut Run) {
    let columns =
        ["program", "two workers, times as fast", "spread", "runs", "in vain", "computing s", "wall s"];
    let mut table = Table::new("large", &[&columns[..], &["two workers, wall s"]].concat());
    for (name, program) in PROGRAMS {
        let counts = [Cell::new((0, 0)), Cell::new((0, 0))];
        let measured = take_turns(
            run.plan.repetitions,
            &mut [&mut || explore(program, 1, &counts[0]), &mut || explore(program, 2, &counts[1])],
        );
        let [one, two] = [&measured[0], &measured[1]];
        run.same(&format!("{name}, runs of one and of two workers"), &counts[0].get().0, &counts[1].get().0);
        let wall = |times: &[(f64, f64)]| times.iter().map(|(_, wall)| *wall).collect::<Samples>();
        let computing: Samples = one.iter().map(|(computing, _)| *computing).collect();
        let [faster, spread] = Table::ratio(&wall(one).over(&wall(two)));
        let (runs, in_vain) = counts[0].get();
        let times = [computing, wall(one), wall(two)].map(|times| number(times.median()));
        let mut cells = vec![name.to_owned(), faster, spread, runs.to_string(), in_vain.to_string()];
        cells.extend(times);
        table.row(cells);
    }
    run.table(&table);
}

/// The computing time and the wall-clock time of an exploration. `counts` gets the number of its runs and of
/// those that were given up.
fn explore(program: fn(), workers: usize, counts: &Cell<(usize, u64)>) -> (f64, f64) {
    let (clock, start) = (Clock::Process.now(), Instant::now());
    let report = Explorer::new().memory(MemoryModel::Sc).workers(workers).explore(program);
    let times = (Clock::Process.since(clock).as_secs_f64(), start.elapsed().as_secs_f64());
    assert!(report.is_complete(), "{report}");
    let figures = report.figures().expect("figures of a reduction");
    counts.set((report.executions(), figures.sleep_set_blocked + figures.infeasible_reversals));
    times
}
