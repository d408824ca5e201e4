//! One worker beside two: wall time, computing time and bytes of the same searches, one after the other.
//!
//! `cargo run --release --bin workers` in `bench/`. `--markdown` prints the text of
//! `bench/RESULTS-workers.md` (`-- --markdown > RESULTS-workers.md`), `--repeat 5` makes five runs of each
//! search (three unless it says otherwise), a name keeps the models whose names contain it.
//!
//! The runs of one worker and of two take turns, so that other work on the machine hits both. A ratio is
//! that of the medians; the time of a run is that of the search alone. `first ×` is that of the computing
//! times of the first worker. Reduction is off, so that there are many
//! states, but in the rows that say so. Verdict and sizes must be equal, or the program panics.

use selvedge_bench::models::{MODELS, Size};
use selvedge_lang::parallel::parse_with;
use selvedge_lang::{Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_ltl::source::Source;
use selvedge_model::{Budget, Fairness, Options, Stats, Verdict, check};
use std::time::{Duration, Instant};

/// A search to be measured.
struct Search {
    model: &'static str,
    constants: &'static [(&'static str, i64)],
    kind: Kind,
    fairness: Fairness,
    reduction: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Safety,
    Ltl,
    /// Another formula.
    Formula(&'static str),
}

const fn search(model: &'static str, constants: &'static [(&'static str, i64)], kind: Kind) -> Search {
    Search { model, constants, kind, fairness: Fairness::None, reduction: false }
}

const PETERSON: &[(&str, i64)] = &[("N", 4)];
const PHILOSOPHERS: &[(&str, i64)] = &[("N", 9)];
const WINDOW: &[(&str, i64)] = &[("WINDOW", 3), ("NUMBERS", 4), ("CAPACITY", 3)];
const ELECTION: &[(&str, i64)] = &[("N", 7)];
const SZYMANSKI: &[(&str, i64)] = &[("N", 4)];
const GO_BACK_N: &[(&str, i64)] = &[("MESSAGES", 6)];
const FAST_MUTEX: &[(&str, i64)] = &[("N", 4)];
const READERS: &[(&str, i64)] = &[("READERS", 7)];

/// Models that are not measured beside SPIN: their names and texts.
const OTHERS: &[(&str, &str)] = &[
    ("go-back-n", include_str!("../../../../models/go-back-n.par")),
    ("fast mutex", include_str!("../../../../models/fast-mutex.par")),
    ("readers and writers", include_str!("../../../../models/readers-writers.par")),
];

/// First large ones, most with more than a million states; then small ones, violated ones, and other
/// assumptions.
const SEARCHES: &[Search] = &[
    search("peterson", PETERSON, Kind::Safety),
    search("philosophers", PHILOSOPHERS, Kind::Safety),
    search("sliding window", WINDOW, Kind::Safety),
    search("leader election", ELECTION, Kind::Safety),
    search("szymanski", SZYMANSKI, Kind::Safety),
    search("go-back-n", GO_BACK_N, Kind::Formula("[] wrong = 0")),
    search("readers and writers", READERS, Kind::Formula("[] (writing <= 1)")),
    search("peterson", PETERSON, Kind::Ltl),
    search("philosophers", PHILOSOPHERS, Kind::Ltl),
    search("sliding window", WINDOW, Kind::Ltl),
    search("leader election", ELECTION, Kind::Ltl),
    search("szymanski", SZYMANSKI, Kind::Formula("[]<> (inside <= 1)")),
    search("go-back-n", GO_BACK_N, Kind::Formula("[]<> (wrong = 0)")),
    search("readers and writers", READERS, Kind::Formula("[]<> (reading + writing > 0)")),
    search("fast mutex", FAST_MUTEX, Kind::Formula("[]<> (inside <= 1)")),
    search("szymanski", SZYMANSKI, Kind::Ltl),
    search("peterson", PETERSON, Kind::Formula("[]<> at(p(1), crit)")),
    Search { reduction: true, ..search("peterson", &[("N", 5)], Kind::Formula("[]<> at(p(1), crit)")) },
    search("peterson", &[("N", 3)], Kind::Safety),
    search("peterson", &[("N", 3)], Kind::Ltl),
    search("philosophers", &[("N", 7)], Kind::Safety),
    search("philosophers", &[("N", 7)], Kind::Ltl),
    search("philosophers", &[("N", 8)], Kind::Formula("[]<> (eating > 0)")),
    search("leader election", &[("N", 6)], Kind::Safety),
    search("leader election", &[("N", 6)], Kind::Ltl),
    Search { reduction: true, ..search("peterson", PETERSON, Kind::Ltl) },
    Search { fairness: Fairness::Weak, ..search("philosophers", &[("N", 8)], Kind::Ltl) },
    Search { fairness: Fairness::Strong, ..search("philosophers", &[("N", 8)], Kind::Ltl) },
];

/// The figures of one run.
#[derive(Clone, Debug)]
struct Run {
    verdict: &'static str,
    stats: Stats,
    wall: Duration,
    computing: Duration,
    /// The computing time of the first worker: the wall time, if each worker had a core to itself and none
    /// waited for another.
    first: Duration,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_markdown = arguments.iter().any(|argument| argument == "--markdown");
    let repeat = arguments.iter().skip_while(|argument| *argument != "--repeat").nth(1);
    let repeat = repeat.and_then(|count| count.parse().ok()).unwrap_or(3);
    let is_name = |argument: &&String| !argument.starts_with("--") && argument.parse::<usize>().is_err();
    let name = arguments.iter().find(is_name);
    head(is_markdown, repeat);
    for search in SEARCHES {
        let label = search.label();
        if name.is_none_or(|name| label.contains(name.as_str())) {
            measure(&label, search, repeat, is_markdown);
        }
    }
}

/// Runs the search by one worker and by two in turn, and prints a row.
fn measure(label: &str, search: &Search, repeat: usize, is_markdown: bool) {
    let mut runs: [Vec<Run>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..repeat {
        for (workers, runs) in [1, 2].into_iter().zip(&mut runs) {
            runs.push(search.run(workers));
        }
    }
    let [one, two] = runs.map(median);
    assert_eq!(one.verdict, two.verdict, "{label}");
    if one.verdict == "holds" {
        let sizes = |run: &Run| (run.stats.states, run.stats.transitions, run.stats.product_states);
        assert_eq!(sizes(&one), sizes(&two), "{label}");
    }
    let seconds = |time: Duration| time.as_secs_f64();
    let bytes = |run: &Run| run.stats.bytes as f64 / run.stats.product_states as f64;
    let cells = [
        label.to_owned(),
        one.verdict.to_owned(),
        one.stats.product_states.to_string(),
        format!("{:.3}", seconds(one.wall)),
        format!("{:.3}", seconds(two.wall)),
        format!("{:.2}", seconds(two.wall) / seconds(one.wall)),
        format!("{:.2}", seconds(one.computing)),
        format!("{:.2}", seconds(two.computing)),
        format!("{:.2}", seconds(two.computing) / seconds(one.computing).max(0.01)),
        format!("{:.2}", seconds(two.first) / seconds(one.first)),
        format!("{:.0}", bytes(&one)),
        format!("{:.0}", bytes(&two)),
    ];
    print_row(&cells, is_markdown);
}

const COLUMNS: [&str; 12] = [
    "search",
    "verdict",
    "states",
    "wall 1",
    "wall 2",
    "wall ×",
    "computing 1",
    "computing 2",
    "computing ×",
    "first ×",
    "bytes 1",
    "bytes 2",
];

fn head(is_markdown: bool, repeat: usize) {
    if is_markdown {
        println!("# One worker beside two\n");
        println!("Printed by `cargo run --release --bin workers -- --markdown` in `bench/`; see the head of");
        println!(
            "`src/bin/workers/main.rs`. Seconds, medians of {repeat} runs; bytes are those a state of the product.\n"
        );
        println!(
            "One worker looks for runs depth first, two look breadth first. Where a sample tells that two"
        );
        println!(
            "would not be faster, one goes on alone (leader election, LTL). Starvation, as in Peterson's"
        );
        println!(
            "algorithm for five, is near in depth and far away in breadth: there two take much longer, so a"
        );
        println!("formula that is not expected to hold is one worker's unless `--workers` says otherwise.\n");
    }
    print_row(&COLUMNS.map(str::to_owned), is_markdown);
    if is_markdown {
        println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    }
}

fn print_row(cells: &[String; 12], is_markdown: bool) {
    if is_markdown {
        println!("| {} |", cells.join(" | "));
    } else {
        let [label, verdict, numbers @ ..] = cells;
        let numbers: Vec<String> = numbers.iter().map(|cell| format!("{cell:>11}")).collect();
        println!("{label:52} {verdict:8} {}", numbers.join(" "));
    }
}

/// The run with the median wall time, with the median computing times.
fn median(mut runs: Vec<Run>) -> Run {
    let middle = runs.len() / 2;
    runs.sort_by_key(|run| run.computing);
    let computing = runs[middle].computing;
    runs.sort_by_key(|run| run.first);
    let first = runs[middle].first;
    runs.sort_by_key(|run| run.wall);
    Run { computing, first, ..runs.swap_remove(middle) }
}

impl Search {
    fn label(&self) -> String {
        let constants: Vec<String> = self.constants.iter().map(|(_, value)| value.to_string()).collect();
        let question = match self.kind {
            Kind::Safety => "safety".to_owned(),
            Kind::Ltl => "LTL".to_owned(),
            Kind::Formula(text) => format!("`{text}`"),
        };
        let fairness = match self.fairness {
            Fairness::None => "",
            Fairness::Weak => ", weakly fair",
            Fairness::Strong => ", strongly fair",
        };
        let reduction = if self.reduction { ", reduced" } else { "" };
        format!("{} {}, {question}{fairness}{reduction}", self.model, constants.join(" "))
    }

    fn run(&self, workers: usize) -> Run {
        let model = MODELS.iter().find(|model| model.name == self.model);
        let other = OTHERS.iter().find(|(name, _)| *name == self.model);
        let source = model.map_or_else(|| other.expect("a model").1, |model| model.parallel);
        let size = Size { constants: self.constants, is_large: false, is_large_for_ltl: false };
        let settings: Vec<(String, i64)> =
            size.constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let (program, diagnostics) = parse_with(&Source::new("model.par", source), &settings);
        let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let text = match self.kind {
            Kind::Safety => model.expect("a model with formulas").safety,
            Kind::Ltl => model.expect("a model with formulas").ltl.0,
            Kind::Formula(text) => text,
        };
        let formula = program.formula(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
        let mut alphabet = Alphabet::default();
        let numbered = alphabet.number(&formula).expect("few propositions");
        let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
        let budget = Budget { workers, ..Budget::default() };
        let options = Options { fairness: self.fairness, reduction: self.reduction, budget };
        let (start, computed, by_first) = (Instant::now(), computing_time(), thread_time());
        let report = check(&system, &numbered, options).expect("a small formula");
        let (wall, computing, first) =
            (start.elapsed(), computing_time() - computed, thread_time() - by_first);
        let verdict = match report.verdict {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::MayBeViolated(_) | Verdict::Limit(_) => "?",
        };
        Run { verdict, stats: report.stats, wall, computing, first }
    }
}

/// The time that all threads of this process have computed, in steps of 10 ms.
fn computing_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = after_name.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// The time that this thread has computed.
fn thread_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|time| time.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
