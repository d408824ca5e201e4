//! `selvedge watch` against a naive evaluation: random formulas on random logs. Here lines are parsed as a
//! whole, the states of each slice are written out by definition, and truth is that of the definition.

use crate::common::selvedge_with_input;
use selvedge_ltl::progression::{Progression, Status, Verdict};
use selvedge_ltl::semantics::truth_values;
use selvedge_ltl::syntax::AtomText;
use selvedge_ltl::{Formula, Letter, Prop, Word};
use selvedge_testkit::Random;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The atoms; the last two are clocks, by the number of the atom that starts them and seconds.
const ATOMS: [&str; 7] =
    ["a > 1", "ok", "c = \"x\"", "c != y", "o.d <= 2.5", "after(ok, 2s)", "after(a > 1 & !ok, 1500ms)"];
const TESTS: usize = 5;
/// The words of reports, the worst last.
const VERDICTS: [&str; 4] = ["proven", "presumably-true", "presumably-false", "violated"];

struct AtomName(usize);

impl AtomText for AtomName {
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(ATOMS[self.0])
    }
}

/// Which tests hold in a line, by definition.
fn letter(line: &Value) -> u64 {
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    let d = line.get("o").and_then(|o| o.get("d")).and_then(Value::as_f64);
    let holds = [
        line.get("a").and_then(Value::as_f64).is_some_and(|a| a > 1.0),
        line.get("ok") == Some(&Value::Bool(true)),
        text("c") == Some("x"),
        text("c").is_some_and(|c| c != "y"),
        d.is_some_and(|d| d <= 2.5),
    ];
    holds.iter().enumerate().fold(0, |letter, (bit, holds)| letter | u64::from(*holds) << bit)
}

/// Is a clock started by a line with this letter, and after how many milliseconds is it true?
fn clock(letter: u64, index: usize) -> (bool, i64) {
    match index {
        0 => (letter & 0b10 != 0, 2000),
        _ => (letter & 0b11 == 0b01, 1500),
    }
}

fn draw_line(random: &mut Random, time: &mut i64) -> String {
    *time += random.pick(&[0, 250, 500, 1000, 1500]);
    let mut parts = vec![format!("\"ts\":{}.{:03}", *time / 1000, *time % 1000)];
    let mut part = |random: &mut Random, choices: &[&str]| {
        if random.below(4) > 0 {
            parts.push(random.pick(choices).to_owned());
        }
    };
    part(random, &["\"a\":0", "\"a\":2", "\"a\": 15e-1", "\"a\":null"]);
    part(random, &["\"ok\":true", "\"ok\" : false"]);
    part(random, &["\"c\":\"x\"", "\"c\":\"y\"", "\"c\":\"\\u0078\"", "\"c\":\"\"", "\"c\":null"]);
    part(random, &["\"o\":{\"d\":2.5}", "\"o\":{\"d\":3,\"e\":[]}", "\"o\":{}", "\"o\":[{\"d\":1}]"]);
    part(random, &["\"id\":1", "\"id\":2", "\"id\":\"1\"", "\"id\":1.0"]);
    part(random, &["\"other\":[1,{\"a\":2}]", "\"other\":\"{\\\"ok\\\":true}\""]);
    // The order of fields does not matter.
    for index in (1..parts.len()).rev() {
        parts.swap(index, random.below(index + 1));
    }
    format!("{{{}}}\n", parts.join(","))
}

fn draw_formula(random: &mut Random, size: usize, atoms: usize, has_next: bool) -> Formula<Prop> {
    if size <= 1 {
        return Formula::Prop(Prop(random.below(atoms) as u8));
    }
    let inner = |random: &mut Random, size: usize| draw_formula(random, size, atoms, has_next);
    match random.below(if has_next { 11 } else { 9 }) {
        0 => !inner(random, size - 1),
        1 => inner(random, size - 1).eventually(),
        2 | 3 => inner(random, size - 1).always(),
        9 => inner(random, size - 1).next(),
        10 => inner(random, size - 1).weak_next(),
        kind => {
            let (left, right) = (inner(random, size / 2), inner(random, size - 1 - size / 2));
            match kind {
                4 => left & right,
                5 => left | right,
                6 => left.implies(right),
                7 => left.until(right),
                _ => left.since(right),
            }
        }
    }
}

/// The states of the lines with these indices: the line at which each is known, and its letter.
fn states(own: &[usize], letters: &[u64], times: &[i64], has_clocks: bool) -> Vec<(u64, u64)> {
    let mut states = Vec::new();
    let mut since = [None; 2];
    for (position, index) in own.iter().enumerate() {
        for (number, since) in since.iter_mut().enumerate() {
            if clock(letters[*index], number).0 {
                *since = Some(times[*index]);
            }
        }
        let at = |time: i64| {
            let holds = |number: &usize| since[*number].is_some_and(|s| time - s >= clock(0, *number).1);
            let held = (0..2).filter(holds).filter(|_| has_clocks);
            held.fold(letters[*index], |letter, number| letter | 1 << (TESTS + number))
        };
        states.push((*index as u64 + 1, at(times[*index])));
        let until = own.get(position + 1).map_or(times[times.len() - 1], |next| times[*next]);
        let mut moments: Vec<i64> = since
            .iter()
            .enumerate()
            .filter_map(|(number, since)| Some((*since)? + clock(0, number).1))
            .filter(|moment| has_clocks && (times[*index] + 1..until).contains(moment))
            .collect();
        moments.sort_unstable();
        moments.dedup();
        for moment in moments {
            let shown = times.iter().position(|time| *time > moment).expect("a later line");
            states.push((shown as u64 + 1, at(moment)));
        }
    }
    states
}

/// The line at which the formula is violated on these states; or the verdict on them, in the words of the
/// report, the worst last.
fn judge(formula: &Formula<Prop>, states: &[(u64, u64)]) -> Result<usize, u64> {
    let mut run = Progression::new(formula);
    for (line, letter) in states {
        match run.step(Letter::exactly(*letter)) {
            Status::False => return Err(*line),
            Status::True => return Ok(0),
            Status::Open => {}
        }
    }
    let letters = states.iter().map(|(_, letter)| Letter::exactly(*letter)).collect();
    let holds = truth_values(&Word { prefix: letters, cycle: Vec::new() }, formula)[0];
    Ok(match run.verdict() {
        Ok(Verdict::True) => 0,
        Ok(Verdict::False) => 3,
        _ if holds => 1,
        _ => 2,
    })
}

/// A formula, whether it is sliced, and whether it has clocks.
fn draw_property(random: &mut Random) -> (Formula<Prop>, bool, bool) {
    let (is_sliced, has_clocks) = (random.below(2) == 0, random.below(2) == 0);
    let atoms = if has_clocks { ATOMS.len() } else { TESTS };
    let size = 1 + random.below(8);
    let drawn = draw_formula(random, size, atoms, !is_sliced && !has_clocks);
    (if random.below(2) == 0 { drawn.always() } else { drawn }, is_sliced, has_clocks)
}

#[test]
fn verdicts_are_those_of_a_naive_evaluation() {
    const FORMULAS: usize = 50;
    let mut random = Random(117);
    let (mut pairs, mut violations) = (0, 0);
    for _ in 0..200 {
        let mut time = 0;
        let lines: Vec<String> =
            (0..2 + random.below(12)).map(|_| draw_line(&mut random, &mut time)).collect();
        let parsed: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let letters: Vec<u64> = parsed.iter().map(letter).collect();
        let times: Vec<i64> = parsed
            .iter()
            .map(|line| (line["ts"].as_f64().expect("a time") * 1000.0).round() as i64)
            .collect();
        let mut slices: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, line) in parsed.iter().enumerate() {
            if let Some(id) = line.get("id") {
                slices
                    .entry(id.as_f64().map_or(id.to_string(), |id| id.to_string()))
                    .or_default()
                    .push(index);
            }
        }
        let all: BTreeMap<String, Vec<usize>> = BTreeMap::from([(String::new(), (0..lines.len()).collect())]);
        let properties: Vec<_> = (0..FORMULAS).map(|_| draw_property(&mut random)).collect();
        let mut arguments = vec!["watch".to_owned(), "--lenient".to_owned(), "--format=json".to_owned()];
        for (formula, is_sliced, _) in &properties {
            let text = formula.map(&mut |prop| AtomName(prop.0 as usize)).to_string();
            arguments.push(format!("--ltl={}{text}", if *is_sliced { "forall r in id: " } else { "" }));
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = selvedge_with_input(&arguments, &lines.concat());
        let events: Vec<Value> =
            ran.output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let report = events.last().unwrap_or_else(|| panic!("{}", ran.errors));
        for (index, (formula, is_sliced, has_clocks)) in properties.iter().enumerate() {
            let words = if *is_sliced { &slices } else { &all };
            let judged: Vec<Result<usize, u64>> = words
                .values()
                .map(|own| judge(formula, &states(own, &letters, &times, *has_clocks)))
                .collect();
            let mut falls: Vec<u64> = judged.iter().filter_map(|judged| judged.err()).collect();
            falls.sort_unstable();
            let name = format!("--ltl {}", index + 1);
            let of_formula = events.iter().filter(|event| event["name"] == *name);
            let found: Vec<u64> = of_formula.map(|event| event["line"].as_u64().expect("a line")).collect();
            let place = || format!("{}\n{}", arguments[index + 3], lines.concat());
            assert_eq!(found, falls, "{}", place());
            let verdict = report["formulas"][index]["verdict"].as_str().expect("a verdict");
            let worst = judged.iter().map(|judged| judged.map_or(3, |verdict| verdict)).max();
            let expected = worst.map_or("no-line", |worst| VERDICTS[worst]);
            assert_eq!(verdict, expected, "{}", place());
            violations += falls.len();
            pairs += 1;
        }
    }
    assert!(pairs == 10_000 && violations > pairs / 5, "{violations} violations in {pairs} pairs");
}
