//! The time and memory of discovery: the three case studies of Walker's thesis, with each optimisation
//! off.
//!
//! `cargo run --release -p selvedge-bench-discover` in `bench/` fills the tables of `RESULTS-discover.md`.
//! Each row is a process of its own, so that its peak of memory is its own: the program runs itself with the
//! names of a case and a setting. Ten values of each variable, ten seeds, two workers, without conditions
//! unless a row says so (CoCo has none). Each row is measured once; `--quick` has the first case alone.

#[allow(dead_code, unreachable_pub)] // tests use more of it
#[path = "../../../crates/selvedge/tests/discover/cases/mod.rs"]
mod cases;

use cases::mvar::mvar;
use cases::semaphore::semaphore;
use cases::stacks::{LockStack, stack};
use selvedge::discover::{Laws, Limits, Pruning};
use selvedge_bench_harness::{Plan, Run, Table};
use std::process::{Command, ExitCode};

/// The size of terms in Table 11.
const SIZE: usize = 7;
/// The limit of seconds of a row whose optimisations are off.
const PATIENCE: u64 = 120;

/// A setting of the optimisations.
#[derive(Clone, Copy)]
struct Setting {
    name: &'static str,
    pruning: Pruning,
    has_conditions: bool,
    /// Seconds of the thesis, for each case.
    thesis: [f64; 3],
}

const SETTINGS: [Setting; 7] = [
    Setting { name: "all on", pruning: Pruning::ALL, has_conditions: false, thesis: [1.58, 118.0, 945.0] },
    Setting { name: "conditions", pruning: Pruning::ALL, has_conditions: true, thesis: [f64::NAN; 3] },
    Setting {
        name: "O1 off",
        pruning: Pruning { neutral: false, ..Pruning::ALL },
        has_conditions: false,
        thesis: [1.54, 142.0, 965.0],
    },
    Setting {
        name: "O2 off",
        pruning: Pruning { consequences: false, ..Pruning::ALL },
        has_conditions: false,
        thesis: [1.57, 111.0, 994.0],
    },
    Setting {
        name: "O3 off",
        pruning: Pruning { most_general: false, ..Pruning::ALL },
        has_conditions: false,
        thesis: [1.60, 121.0, 983.0],
    },
    Setting {
        name: "O4 off",
        pruning: Pruning { cached: false, ..Pruning::ALL },
        has_conditions: false,
        thesis: [26.62, 32_341.0, 99_490.0],
    },
    Setting {
        name: "all off",
        pruning: Pruning::NONE,
        has_conditions: false,
        thesis: [26.21, 54_352.0, 102_759.0],
    },
];

/// The cases, the seconds that the row "all on" should take at most, and the laws of the thesis with
/// all on.
const CASES: [(&str, f64, usize); 3] = [("mvar", 0.2, 8), ("stack", 5.0, 7), ("semaphore", 30.0, 55)];

/// More bytes than at the start that the row "all on" should take at most.
const MEMORY_GOAL: usize = 64 << 20;

/// Table 10 for sizes 1 to 8: schemas, laws and seconds of the thesis.
const TABLE_10: [(usize, usize, f64); 8] = [
    (15, 0, 0.03),
    (29, 0, 0.03),
    (56, 0, 0.45),
    (88, 0, 0.45),
    (238, 1, 9.2),
    (385, 1, 9.2),
    (1689, 55, 970.0),
    (2740, 55, 970.0),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [case, setting, size] if !case.starts_with('-') => {
            print_row(case, setting, size.parse().expect("a size"));
            ExitCode::SUCCESS
        }
        _ => measure_all(Plan { repetitions: 1, ..Plan::from_arguments() }),
    }
}

/// The figures of one row, in the order of the table.
fn print_row(case: &str, setting: &str, size: usize) {
    let setting = SETTINGS.iter().find(|known| known.name == setting).expect("a setting");
    let limits = Limits::size(size)
        .values(10)
        .seeds(10)
        .workers(2)
        .conditions(setting.has_conditions)
        .time(std::time::Duration::from_secs(PATIENCE))
        .progress(false)
        .pruning(setting.pruning);
    let start = memory("VmHWM");
    let laws: Laws = match case {
        "mvar" => mvar().discover(limits),
        "stack" => stack::<LockStack>().discover(limits),
        _ => semaphore().discover(limits),
    };
    let more = memory("VmHWM") - start;
    let figures = laws.figures();
    println!(
        "{} {} {} {} {} {} {:.3} {more}",
        figures.size,
        figures.schemas,
        figures.ground_terms,
        figures.explorations,
        figures.runs,
        laws.laws().len(),
        figures.time.as_secs_f64(),
    );
}

/// A figure of the process's memory, in bytes.
fn memory(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells the memory of a process");
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let number = line.expect("the line is there").trim().trim_end_matches(" kB").trim();
    number.parse::<usize>().expect("a number") << 10
}

/// The figures of a row, by a process of its own.
fn row(case: &str, setting: &str, size: usize) -> Vec<String> {
    let program = std::env::current_exe().expect("the program has a path");
    let output = Command::new(program).args([case, setting, &size.to_string()]).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{case}, {setting}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("figures are text");
    text.split_whitespace().map(str::to_owned).collect()
}

const COLUMNS: [&str; 10] = [
    "case",
    "size",
    "schemas",
    "ground terms",
    "explorations",
    "runs",
    "laws",
    "seconds",
    "MiB",
    "CoCo's seconds",
];

fn measure_all(plan: Plan) -> ExitCode {
    let mut run = Run::begin(plan, "RESULTS-discover.md");
    run.head("run", &[]);
    let mut table = Table::new("laws", &COLUMNS);
    let mut goals = Vec::new();
    let cases = &CASES[..run.plan.pick(CASES.len(), 1)];
    for (place, (case, seconds, laws)) in cases.iter().enumerate() {
        for setting in SETTINGS {
            let figures = row(case, setting.name, SIZE);
            let thesis = setting.thesis[place];
            let thesis = if thesis.is_nan() { String::new() } else { thesis.to_string() };
            table.row(cells(format!("{case}, {}", setting.name), &figures, thesis));
            if setting.name == "all on" {
                goals.push((case, *seconds, *laws, figures));
            }
        }
    }
    let sizes = &TABLE_10[..run.plan.pick(TABLE_10.len(), 5)];
    for (size, (schemas, laws, seconds)) in sizes.iter().enumerate() {
        let figures = row("semaphore", "all on", size + 1);
        let thesis = format!("{seconds} ({schemas} schemas, {laws} laws)");
        table.row(cells(format!("semaphore, size {}", size + 1), &figures, thesis));
    }
    run.table(&table);
    run.table(&goals_table(&goals));
    run.finish()
}

/// A case, its most seconds, the number of laws in the thesis, and the figures of its row.
type GoalRow<'a> = (&'a &'static str, f64, usize, Vec<String>);

fn goals_table(goals: &[GoalRow<'_>]) -> Table {
    let mut table = Table::new("goals", &["goal", "this run", "reached"]);
    for (case, seconds, laws, figures) in goals {
        let (took, more): (f64, usize) =
            (figures[6].parse().unwrap_or(f64::NAN), figures[7].parse().unwrap_or(usize::MAX));
        let reached = |is_reached: bool| if is_reached { "yes" } else { "no" }.to_owned();
        let mebibytes = format!("{:.1} MiB", more as f64 / f64::from(1 << 20));
        table.row(vec![
            format!("{case}: at most {seconds} s"),
            format!("{took} s"),
            reached(took <= *seconds),
        ]);
        table.row(vec![format!("{case}: at most 64 MiB more"), mebibytes, reached(more <= MEMORY_GOAL)]);
        let of_thesis = format!("{case}: laws (the thesis has {laws})");
        table.row(vec![of_thesis, figures[5].clone(), String::new()]);
    }
    table
}

/// The cells of a row; the last figure is one of bytes.
fn cells(name: String, figures: &[String], thesis: String) -> Vec<String> {
    let (bytes, others) = figures.split_last().expect("a row has figures");
    let mebibytes = bytes.parse::<f64>().expect("bytes") / f64::from(1 << 20);
    let mut cells = vec![name];
    cells.extend(others.iter().cloned());
    cells.extend([format!("{mebibytes:.1}"), thesis]);
    cells
}
