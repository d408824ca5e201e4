//! The model checker beside SPIN and Maude: the same algorithms in their languages, one worker, in one run.
//!
//! `cargo run --release --bin check` in `bench/`; it needs `spin`, `cc` and `maude`. `--markdown` prints what
//! `bench/RESULTS.md` is, `--large` adds the models that take minutes or gigabytes, `--repeat 5` takes the best of five runs.
//!
//! SPIN is generated, compiled with `-O2` and run; its wall time includes all three, as ours includes the parser. Its bytes are
//! those that it says it uses for states, without its hash table and its stack; ours are all tables and stacks. The
//! two languages differ in what is one step, so their numbers of states differ; states per second, bytes per state and
//! wall time are what can be compared. Where a question is in LTL, states are those of the product.

mod models;
mod tools;

use models::{MODELS, Model, Size};
use tools::{Question, Taken, Way};

/// How SPIN is compiled.
const SPINS: [(&str, &[&str]); 3] =
    [("spin", &["-DNOREDUCE"]), ("spin, collapse", &["-DNOREDUCE", "-DCOLLAPSE"]), ("spin, reduced", &[])];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let after_repeat = arguments.iter().skip_while(|argument| *argument != "--repeat").nth(1);
    let repeat = after_repeat.and_then(|count| count.parse().ok()).unwrap_or(3);
    let table = Table { markdown: has("--markdown") };
    table.head(repeat);
    for model in MODELS {
        for size in model.sizes.iter().filter(|size| has("--large") || !size.large) {
            for question in [Question::Safety, Question::Ltl] {
                compare(&table, repeat, (model, size, question));
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

fn compare(table: &Table, repeat: usize, (model, size, question): (&Model, &Size, Question)) {
    let constants: Vec<String> = size.constants.iter().map(|(_, value)| value.to_string()).collect();
    let name = format!("{} {}", model.name, constants.join(" "));
    let kind = if question == Question::Safety { "safety" } else { "LTL" };
    let spins = SPINS.map(|(tool, flags)| (tool, best(repeat, || tools::spin(model, size, question, flags))));
    let ours = [
        ("selvedge", Way::Whole, &spins[0].1),
        ("selvedge, compressed", Way::Compressed, &spins[1].1),
        ("selvedge, reduced", Way::Reduced, &spins[2].1),
    ];
    for (tool, way, peer) in ours {
        let taken = best(repeat, || tools::selvedge(model, size, question, way));
        table.row(&name, kind, tool, &taken, Some(peer));
    }
    for (tool, taken) in &spins {
        table.row(&name, kind, tool, taken, None);
    }
}

fn best(repeat: usize, run: impl Fn() -> Taken) -> Taken {
    (1..repeat).fold(run(), |taken, _| taken.best(run()))
}

struct Table {
    markdown: bool,
}

impl Table {
    fn head(&self, repeat: usize) {
        let cells = ["model", "question", "tool", "verdict", "states", "states/s", "bytes/state", "wall ms"];
        if self.markdown {
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

    /// One run; `peer` is what it is compared with: SPIN compiled to do the same, or Maude.
    fn row(&self, model: &str, question: &str, tool: &str, taken: &Taken, peer: Option<&Taken>) {
        let number = |value: f64, digits: usize| {
            if value.is_finite() { format!("{value:.digits$}") } else { "-".to_owned() }
        };
        let cells = [
            model.to_owned(),
            question.to_owned(),
            tool.to_owned(),
            taken.verdict.clone(),
            number(taken.states, 0),
            number(taken.rate(), 0),
            number(taken.bytes / taken.states, 1),
            number(taken.wall.as_secs_f64() * 1e3, 0),
        ];
        let ratios = match peer {
            Some(peer) => [
                number(taken.rate() / peer.rate(), 2),
                number(taken.wall.as_secs_f64() / peer.wall.as_secs_f64(), 2),
            ],
            None => [String::new(), String::new()],
        };
        self.line(&cells, ratios);
    }

    fn line(&self, cells: &[String; 8], [rate, wall]: [String; 2]) {
        if self.markdown {
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
