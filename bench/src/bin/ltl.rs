//! Measurements of the logic: times of translation, sizes of automata, the cost of a letter.
//!
//! `cargo run --release --bin ltl` in `bench/`. Times are of one core and noisy; sizes are exact.

use selvedge_ltl::buchi::{Limits, TranslateError, Translator};
use selvedge_ltl::nnf::FormulaArena;
use selvedge_ltl::progression::Progression;
use selvedge_ltl::{Alphabet, Formula, Letter, Prop};
use selvedge_testkit::Random;
use selvedge_testkit::ltl::StandardSet;
use std::time::{Duration, Instant};

fn main() {
    measure_standard_sets();
    measure_families();
    measure_random_formulas();
    measure_progression();
}

/// The sum of the states over the sets of formulas that papers on translation measure.
fn measure_standard_sets() {
    let sets = [
        ("Dwyer, Avrunin, Corbett (55)", StandardSet::DWYER),
        ("Etessami, Holzmann (12)", StandardSet::ETESSAMI_HOLZMANN),
        ("Somenzi, Bloem (27)", StandardSet::SOMENZI_BLOEM),
    ];
    println!("{:34} {:>11} {:>11} {:>8}", "set: formulas / negations", "generalised", "state-based", "ms");
    for (name, set) in sets {
        let (mut generalised, mut state_based) = ([0, 0], [0, 0]);
        let start = Instant::now();
        for line in set.lines() {
            let formula = Alphabet::default().number(&line.parse().unwrap()).unwrap();
            for (index, formula) in [formula.clone(), !formula].into_iter().enumerate() {
                let (generalised_size, state_based_size, _) = translate(&formula);
                generalised[index] += generalised_size.parse::<usize>().unwrap();
                state_based[index] += state_based_size.parse::<usize>().unwrap();
            }
        }
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let pair = |sums: [usize; 2]| format!("{} / {}", sums[0], sums[1]);
        println!("{name:34} {:>11} {:>11} {ms:>8.0}", pair(generalised), pair(state_based));
    }
    println!();
}

/// Families of formulas of growing size: the classical stress tests.
fn measure_families() {
    println!(
        "{:34} {:>3} {:>12} {:>12} {:>10} {:>12}",
        "family", "n", "generalised", "state-based", "ms", "negation ms"
    );
    type Family = fn(usize) -> Formula<Prop>;
    let all: [(&str, Family); 5] = [
        ("G F p1 & ... & G F pn", |n| {
            (0..n).map(|i| p(i).eventually().always()).reduce(Formula::and).unwrap()
        }),
        ("p1 U (p2 U (... U pn))", |n| (0..n).rev().map(p).reduce(|right, left| left.until(right)).unwrap()),
        ("((p1 U p2) U ...) U pn", |n| (0..n).map(p).reduce(Formula::until).unwrap()),
        ("G (p1 -> F p2) & G (p2 -> F p3) ...", |n| {
            (0..n).map(|i| p(i).implies(p(i + 1).eventually()).always()).reduce(Formula::and).unwrap()
        }),
        ("(G F p1 & ... ) -> G (q -> F r)", |n| {
            let fair = (0..n).map(|i| p(i).eventually().always()).reduce(Formula::and).unwrap();
            fair.implies(p(20).implies(p(21).eventually()).always())
        }),
    ];
    for (name, make) in all {
        for n in [1, 2, 4, 6, 8] {
            let (generalised, state_based, time) = translate(&make(n));
            let (_, _, negation) = translate(&!make(n));
            println!(
                "{name:34} {n:>3} {generalised:>12} {state_based:>12} {:>10.2} {:>12.2}",
                time.as_secs_f64() * 1e3,
                negation.as_secs_f64() * 1e3
            );
        }
    }
}

/// The sizes of both automata as text, and the time for both.
fn translate(formula: &Formula<Prop>) -> (String, String, Duration) {
    let start = Instant::now();
    let mut translator = Translator::new(FormulaArena::default(), Limits::default());
    let nnf = translator.arena.formula(formula);
    let show = |result: Result<selvedge_ltl::buchi::Automaton, TranslateError>| match result {
        Ok(automaton) => automaton.state_count().to_string(),
        Err(error) => error.to_string(),
    };
    let generalised = show(translator.translate(nnf));
    let state_based = show(translator.translate_state_based(nnf));
    (generalised, state_based, start.elapsed())
}

fn measure_random_formulas() {
    let mut random = Random(30);
    for size in [10, 20, 30, 40] {
        let mut times: Vec<(Duration, String)> = (0..300)
            .map(|_| {
                let formula = random_formula(&mut random, size);
                let (generalised, _, time) = translate(&formula);
                (time, generalised)
            })
            .collect();
        times.sort();
        let limited = times.iter().filter(|(_, result)| result.starts_with("the")).count();
        let ms = |index: usize| times[index].0.as_secs_f64() * 1e3;
        println!(
            "300 random formulas of size {size}: median {:.2} ms, 99 % under {:.1} ms, slowest {:.1} ms; {limited} stopped by a limit",
            ms(150),
            ms(297),
            ms(299)
        );
    }
}

/// The progression of a formula through a million letters.
fn measure_progression() {
    for text in ["G F p", "G (p -> F q)", "G (p -> (q U r))", "G (p -> O q)"] {
        let formula = Alphabet::default().number(&text.parse().unwrap()).unwrap();
        let mut random = Random(7);
        let letters: Vec<Letter> = (0..1 << 16).map(|_| Letter::exactly(random.next() & 7)).collect();
        let mut run = Progression::new(&formula);
        let start = Instant::now();
        let count = 1_000_000;
        for index in 0..count {
            run.step(letters[index & 0xffff]);
        }
        let ns = start.elapsed().as_secs_f64() * 1e9 / count as f64;
        println!("progression of {text}: {ns:.1} ns a letter, {} remainders stored", run.remainder_count());
    }
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
