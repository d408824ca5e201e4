//! Measurements of the logic: times of translation, sizes of automata, the cost of a letter.
//!
//! `cargo run --release --bin ltl` in `bench/` fills the tables of `RESULTS-ltl.md`. Sizes are exact, times
//! are computing times. There is no peer here.

use selvedge_bench_harness::{Clock, Plan, Run, Samples, Table, number};
use selvedge_ltl::buchi::{Limits, TranslateError, Translator};
use selvedge_ltl::nnf::FormulaArena;
use selvedge_ltl::progression::Progression;
use selvedge_ltl::{Alphabet, Formula, Letter, Prop};
use selvedge_testkit::Random;
use selvedge_testkit::ltl::StandardSet;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let mut run = Run::begin(Plan::from_arguments(), "RESULTS-ltl.md");
    run.head("run", &[]);
    let tables = [standard_sets(), families(), random_formulas(run.plan.pick(300, 100))];
    tables.iter().for_each(|table| run.table(table));
    let table = progression(run.plan.repetitions);
    run.table(&table);
    run.finish()
}

/// The sum of the states over the sets of formulas that papers on translation measure.
fn standard_sets() -> Table {
    let sets = [
        ("Dwyer, Avrunin, Corbett (55)", StandardSet::DWYER),
        ("Etessami, Holzmann (12)", StandardSet::ETESSAMI_HOLZMANN),
        ("Somenzi, Bloem (27)", StandardSet::SOMENZI_BLOEM),
    ];
    let columns = ["set", "state-based", "of negations", "generalised", "generalised, of negations", "ms"];
    let mut table = Table::new("sets", &columns);
    for (name, set) in sets {
        let (mut generalised, mut state_based) = ([0, 0], [0, 0]);
        let start = Clock::Process.now();
        for line in set.lines() {
            let formula = Alphabet::default().number(&line.parse().unwrap()).unwrap();
            for (index, formula) in [formula.clone(), !formula].into_iter().enumerate() {
                let (generalised_size, state_based_size, _) = translate(&formula);
                generalised[index] += generalised_size.parse::<usize>().unwrap();
                state_based[index] += state_based_size.parse::<usize>().unwrap();
            }
        }
        let ms = Clock::Process.since(start).as_secs_f64() * 1e3;
        let sums = state_based.into_iter().chain(generalised).map(|sum| sum.to_string());
        table.row([name.to_owned()].into_iter().chain(sums).chain([number(ms)]).collect());
    }
    table
}

/// Families of formulas of growing size: the classical stress tests.
fn families() -> Table {
    let columns = ["family", "n", "state-based", "generalised", "ms", "ms of the negation"];
    let mut table = Table::new("families", &columns);
    type Family = fn(usize) -> Formula<Prop>;
    let all: [(&str, Family); 5] = [
        ("`G F p1 & ... & G F pn`", |n| {
            (0..n).map(|i| p(i).eventually().always()).reduce(Formula::and).unwrap()
        }),
        ("`p1 U (p2 U (... U pn))`", |n| {
            (0..n).rev().map(p).reduce(|right, left| left.until(right)).unwrap()
        }),
        ("`((p1 U p2) U ...) U pn`", |n| (0..n).map(p).reduce(Formula::until).unwrap()),
        ("`G (p1 -> F p2) & G (p2 -> F p3) ...`", |n| {
            (0..n).map(|i| p(i).implies(p(i + 1).eventually()).always()).reduce(Formula::and).unwrap()
        }),
        ("`(G F p1 & ... ) -> G (q -> F r)`", |n| {
            let fair = (0..n).map(|i| p(i).eventually().always()).reduce(Formula::and).unwrap();
            fair.implies(p(20).implies(p(21).eventually()).always())
        }),
    ];
    for (name, make) in all {
        for n in [1, 2, 4, 6, 8] {
            let (generalised, state_based, time) = translate(&make(n));
            let (_, _, negation) = translate(&!make(n));
            let times = [time, negation].map(|time| number(time.as_secs_f64() * 1e3));
            let mut cells = vec![name.to_owned(), n.to_string(), state_based, generalised];
            cells.extend(times);
            table.row(cells);
        }
    }
    table
}

/// The sizes of both automata as text, and the time for both.
fn translate(formula: &Formula<Prop>) -> (String, String, Duration) {
    let start = Clock::Process.now();
    let mut translator = Translator::new(FormulaArena::default(), Limits::default());
    let nnf = translator.arena.formula(formula);
    let show = |result: Result<selvedge_ltl::buchi::Automaton, TranslateError>| match result {
        Ok(automaton) => automaton.state_count().to_string(),
        Err(error) => error.to_string(),
    };
    let generalised = show(translator.translate(nnf));
    let state_based = show(translator.translate_state_based(nnf));
    (generalised, state_based, Clock::Process.since(start))
}

/// Times of translation of formulas that are drawn at random.
fn random_formulas(count: usize) -> Table {
    let columns = ["size", "formulas", "median ms", "ms of 99 %", "slowest ms", "stopped by a limit"];
    let mut table = Table::new("random", &columns);
    let mut random = Random(30);
    for size in [10, 20, 30, 40] {
        let mut times: Vec<(Duration, String)> = (0..count)
            .map(|_| {
                let formula = random_formula(&mut random, size);
                let (generalised, _, time) = translate(&formula);
                (time, generalised)
            })
            .collect();
        times.sort();
        let limited = times.iter().filter(|(_, result)| result.starts_with("the")).count();
        let ms = |index: usize| number(times[index].0.as_secs_f64() * 1e3);
        let quantiles = [count / 2, count * 99 / 100, count - 1].map(ms);
        let mut cells = vec![size.to_string(), count.to_string()];
        cells.extend(quantiles);
        cells.push(limited.to_string());
        table.row(cells);
    }
    table
}

/// The progression of a formula through a million letters.
fn progression(repetitions: usize) -> Table {
    let mut table = Table::new("progression", &["formula", "ns for a letter", "spread", "remainders"]);
    for text in ["G F p", "G (p -> F q)", "G (p -> (q U r))", "G (p -> O q)"] {
        let formula = Alphabet::default().number(&text.parse().unwrap()).unwrap();
        let mut random = Random(7);
        let letters: Vec<Letter> = (0..1 << 16).map(|_| Letter::exactly(random.next() & 7)).collect();
        let mut progression = Progression::new(&formula);
        let count = 1_000_000;
        let mut steps = || {
            for index in 0..count {
                progression.step(letters[index & 0xffff]);
            }
        };
        let times = (0..repetitions).map(|_| Clock::Process.time(&mut steps).1 * 1e9 / count as f64);
        let [time, spread] = Table::ratio(&times.collect::<Samples>());
        table.row(vec![format!("`{text}`"), time, spread, progression.remainder_count().to_string()]);
    }
    table
}

/// The proposition of this number.
fn p(index: usize) -> Formula<Prop> {
    Formula::Prop(Prop(index as u8))
}

/// A formula of this size over four propositions, with the operators of the future.
fn random_formula(random: &mut Random, size: usize) -> Formula<Prop> {
    if size <= 1 {
        return p(random.below(4));
    }
    if size == 2 || random.below(3) == 0 {
        let inner = random_formula(random, size - 1);
        return match random.below(4) {
            0 => !inner,
            1 => inner.next(),
            2 => inner.eventually(),
            _ => inner.always(),
        };
    }
    let left_size = 1 + random.below(size - 2);
    let (left, right) = (random_formula(random, left_size), random_formula(random, size - 1 - left_size));
    match random.below(8) {
        0 => left & right,
        1 => left | right,
        2 => left.implies(right),
        3 => left.iff(right),
        4 => left.until(right),
        5 => left.release(right),
        6 => left.weak_until(right),
        _ => left.strong_release(right),
    }
}
