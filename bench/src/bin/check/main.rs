//! The model checker beside SPIN and Maude: the same algorithms in their languages, one worker, in one run.
//!
//! `cargo run --release --bin check` in `bench/`; it needs `spin`, `cc` and `maude`. `--markdown` prints the
//! text of `bench/RESULTS.md`, `--large` adds the models that take minutes or gigabytes, `--repeat 5` takes
//! the best of five runs.
//!
//! SPIN generates a verifier, which is compiled with `-O2` and run; its wall time includes all three, as
//! ours includes the parser. Its bytes are those that it reports for states, without its hash table and its
//! stack; ours are all tables and stacks. The two languages differ in what is one step, so their numbers of
//! states differ; states per second, bytes per state and wall time can be compared. For LTL properties,
//! states are those of the product.

mod models;
mod tools;

use models::{MODELS, Model, Size};
use tools::{Measurement, PropertyKind, SearchMode};

/// The names and the compiler flags of SPIN's verifiers.
const SPIN_CONFIGURATIONS: [(&str, &[&str]); 3] =
    [("spin", &["-DNOREDUCE"]), ("spin, collapse", &["-DNOREDUCE", "-DCOLLAPSE"]), ("spin, reduced", &[])];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has_flag = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let after_repeat = arguments.iter().skip_while(|argument| *argument != "--repeat").nth(1);
    let repeat = after_repeat.and_then(|count| count.parse().ok()).unwrap_or(3);
    let table = Table { is_markdown: has_flag("--markdown") };
    table.head(repeat);
    for model in MODELS {
        for size in model.sizes.iter().filter(|size| has_flag("--large") || !size.is_large) {
            for kind in [PropertyKind::Safety, PropertyKind::Ltl] {
                compare(&table, repeat, (model, size, kind));
            }
        }
    }
    for processes in [4, 5, 6] {
        let (parallel, maude) = models::ring(processes);
        let ours = best(repeat, || tools::selvedge_exact(&parallel));
        let theirs = best(1, || tools::maude(&maude));
        assert_eq!(ours.states, theirs.states, "the states of a ring of {processes}");
        let name = format!("ring {processes}");
        table.row(&name, "all", "selvedge", &ours, Some(&theirs));
        table.row(&name, "all", "maude", &theirs, None);
    }
}

/// Measures one model with every configuration of both tools.
fn compare(table: &Table, repeat: usize, (model, size, kind): (&Model, &Size, PropertyKind)) {
    let constants: Vec<String> = size.constants.iter().map(|(_, value)| value.to_string()).collect();
    let name = format!("{} {}", model.name, constants.join(" "));
    let kind_name = if kind == PropertyKind::Safety { "safety" } else { "LTL" };
    let spins = SPIN_CONFIGURATIONS
        .map(|(tool, flags)| (tool, best(repeat, || tools::spin(model, size, kind, flags))));
    let ours = [
        ("selvedge", SearchMode::Whole, &spins[0].1),
        ("selvedge, reduced", SearchMode::Reduced, &spins[2].1),
    ];
    for (tool, mode, peer) in ours {
        let measured = best(repeat, || tools::selvedge(model, size, kind, mode));
        table.row(&name, kind_name, tool, &measured, Some(peer));
    }
    for (tool, measured) in &spins {
        table.row(&name, kind_name, tool, measured, None);
    }
}

/// The best of so many runs.
fn best(repeat: usize, run: impl Fn() -> Measurement) -> Measurement {
    (1..repeat).fold(run(), |measured, _| measured.best(run()))
}

struct Table {
    is_markdown: bool,
}

impl Table {
    fn head(&self, repeat: usize) {
        let cells = ["model", "question", "tool", "verdict", "states", "states/s", "bytes/state", "wall ms"];
        if self.is_markdown {
            println!("# The model checker beside SPIN and Maude\n");
            println!(
                "Printed by `cargo run --release --bin check -- --markdown` in `bench/`; see the head of"
            );
            println!(
                "`src/bin/check/main.rs` for what the columns are. One worker, 2 cores, the best of {repeat} runs (Maude: one).\n"
            );
            println!("| {} | states/s by peer's | wall by peer's |", cells.join(" | "));
            println!("|---|---|---|---|--:|--:|--:|--:|--:|--:|");
        } else {
            self.line(&cells.map(str::to_owned), ["rate ×".to_owned(), "wall ×".to_owned()]);
        }
    }

    /// Prints one run; `peer` is the run of SPIN, compiled to do the same, or of Maude, to compare with.
    fn row(
        &self,
        model: &str,
        question: &str,
        tool: &str,
        measured: &Measurement,
        peer: Option<&Measurement>,
    ) {
        let number = |value: f64, digits: usize| {
            if value.is_finite() { format!("{value:.digits$}") } else { "-".to_owned() }
        };
        let cells = [
            model.to_owned(),
            question.to_owned(),
            tool.to_owned(),
            measured.verdict.clone(),
            number(measured.states, 0),
            number(measured.rate(), 0),
            number(measured.bytes / measured.states, 1),
            number(measured.wall.as_secs_f64() * 1e3, 0),
        ];
        let ratios = match peer {
            Some(peer) => [
                number(measured.rate() / peer.rate(), 2),
                number(measured.wall.as_secs_f64() / peer.wall.as_secs_f64(), 2),
            ],
            None => [String::new(), String::new()],
        };
        self.line(&cells, ratios);
    }

    fn line(&self, cells: &[String; 8], [rate, wall]: [String; 2]) {
        if self.is_markdown {
            println!("| {} | {rate} | {wall} |", cells.join(" | "));
        } else {
            let [model, question, tool, verdict, numbers @ ..] = cells;
            let [states, per_second, bytes, milliseconds] = numbers;
            println!(
                "{model:22} {question:7} {tool:20} {verdict:10} {states:>10} {per_second:>10} {bytes:>11} {milliseconds:>8} {rate:>7} {wall:>7}"
            );
        }
    }
}
