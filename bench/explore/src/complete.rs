//! Complete explorations beside loom: the number of runs and the time of each tool.
//!
//! selvedge explores by optimal partial-order reduction, under sequential consistency and under TSO, its
//! default. loom explores by its own reduction under the memory model of C11, which allows more outcomes, so
//! the numbers of runs are not comparable; both are shown. Whole explorations are repeated for a while in
//! each repetition. An exploration that takes loom too long is given up, which a `+` tells, and is not
//! repeated.

use selvedge::{Explorer, MemoryModel};
use selvedge_bench_explore::programs::{with_loom, with_selvedge};
use selvedge_bench_harness::{Clock, Run, Samples, Table, number};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A repetition starts new explorations for this time.
const ROUND: Duration = Duration::from_millis(200);

/// loom gives up an exploration after this time, whole and with `--quick`.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(2));

const COLUMNS: [&str; 11] = [
    "program",
    "times as fast as loom",
    "spread",
    "runs/s by loom's",
    "runs",
    "runs under TSO",
    "loom's runs",
    "ms",
    "ms under TSO",
    "loom's ms",
    "loom's runs/s",
];

pub(crate) fn measure_all(run: &mut Run) {
    let mut table = Table::new("complete", &COLUMNS);
    let patience = run.plan.pick(PATIENCE.0, PATIENCE.1);
    for ((name, ours), (_, looms)) in with_selvedge::ALL.into_iter().zip(with_loom::ALL) {
        let mut measured: [Vec<Whole>; 3] = Default::default();
        for _ in 0..run.plan.repetitions {
            let rounds = [
                round(|| explore(MemoryModel::Sc, ours)),
                round(|| explore(MemoryModel::Tso, ours)),
                round(|| explore_with_loom(looms, patience)),
            ];
            for (measured, round) in measured.iter_mut().zip(rounds) {
                measured.push(round);
            }
            if measured[2].iter().any(|whole| whole.is_given_up) {
                break;
            }
        }
        table.row(row(name, &measured));
    }
    run.table(&table);
}

fn row(name: &str, [sc, tso, loom]: &[Vec<Whole>; 3]) -> Vec<String> {
    let times = |wholes: &[Whole]| wholes.iter().map(|whole| whole.ms).collect::<Samples>();
    let rates = |wholes: &[Whole]| wholes.iter().map(Whole::rate).collect::<Samples>();
    let [faster, spread] = Table::ratio(&times(loom).over(&times(sc)));
    let more = if loom[0].is_given_up { "+" } else { "" };
    vec![
        name.to_owned(),
        format!("{faster}{more}"),
        spread,
        number(rates(sc).over(&rates(loom)).median()),
        sc[0].runs.to_string(),
        tso[0].runs.to_string(),
        format!("{}{more}", loom[0].runs),
        number(times(sc).median()),
        number(times(tso).median()),
        format!("{}{more}", number(times(loom).median())),
        number(rates(loom).median()),
    ]
}

/// A whole exploration: the number of its runs, and its milliseconds.
struct Whole {
    runs: usize,
    ms: f64,
    is_given_up: bool,
}

impl Whole {
    fn rate(&self) -> f64 {
        self.runs as f64 / self.ms * 1e3
    }
}

/// Repeats an exploration, which returns the number of its runs and whether it was given up.
fn round(explore: impl Fn() -> (usize, bool)) -> Whole {
    let (start, mut times) = (Clock::Process.now(), 0);
    loop {
        let (runs, is_given_up) = explore();
        times += 1;
        let taken = Clock::Process.since(start);
        if taken >= ROUND {
            let ms = taken.as_secs_f64() * 1e3 / f64::from(times);
            return Whole { runs, ms, is_given_up };
        }
    }
}

fn explore(memory: MemoryModel, program: fn()) -> (usize, bool) {
    let report = Explorer::new().memory(memory).explore(program);
    assert!(report.is_complete(), "{report}");
    (report.executions(), false)
}

fn explore_with_loom(program: fn(), patience: Duration) -> (usize, bool) {
    static RUNS_MADE: AtomicUsize = AtomicUsize::new(0);
    let start = Instant::now();
    RUNS_MADE.store(0, Ordering::Relaxed);
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(patience);
    builder.check(move || {
        RUNS_MADE.fetch_add(1, Ordering::Relaxed);
        program();
    });
    // By wall-clock time, as in loom.
    (RUNS_MADE.load(Ordering::Relaxed), start.elapsed() >= patience)
}
