//! Generated programs against Debian's `maude`: its LTL model checker gives the same verdict on each of
//! several formulas.
//!
//! Formulas are random, with `X`, over the last mover, control points and variables. Both ways to pack
//! states are compared, the exact one and the one that merges states that no formula distinguishes. In both
//! checkers a run that has ended stutters in its last state. One run of Maude serves all programs.

use crate::common::formulas::{Observation, Operators, formula, holds, selvedge};
use crate::common::generate::{Generated, Random, generate, maude_test};
use crate::common::{program, search, system};
use selvedge_ltl::{Binary, Formula, Unary};
use selvedge_model::Fairness;
use selvedge_testkit::lang::maude;
use std::fmt::Write as _;

/// How many programs are compared; ten times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 300;

/// How many formulas are checked of each program.
const FORMULAS: usize = 6;

/// Larger programs take Maude long and show nothing that small programs do not.
const MAX_STATES: usize = 1000;

/// The propositions in Maude.
const PROPOSITIONS: &str = r"
load model-checker
mod CHECK is
  protecting PAR . including MODEL-CHECKER .
  subsort Config < State .
  op exec : Nat -> Prop .
  op at : Nat User -> Prop .
  op equal : Test -> Prop .
  op verdict : ModelCheckResult -> Bool .
  vars I J : Nat . var N : User . var R : Text . var C : Procs . var S : Store . var T : Test .
  var B : Bool . vars Before Cycle : TransitionList .
  eq { C, S, J } |= exec(J) = true .
  eq { < I : N ; R > C, S, J } |= at(I, N) = true .
  eq { C, S, J } |= equal(T) = holds(T, S) .
  eq verdict(B) = B .
  eq verdict(counterexample(Before, Cycle)) = false .
endm
";

/// The formula in Maude's spelling, with every parenthesis: its precedences are not ours.
fn maude_formula(formula: &Formula<Observation>) -> String {
    match formula {
        Formula::Const(value) => if *value { "True" } else { "False" }.to_owned(),
        Formula::Prop(Observation::Exec(process)) => format!("exec({process})"),
        Formula::Prop(Observation::At(process, name)) => format!("at({process}, {name})"),
        Formula::Prop(Observation::Equal(test)) => format!("equal({})", maude_test(*test)),
        Formula::Unary(operator, inner) => {
            let operator = match operator {
                Unary::Not => "~",
                Unary::Next => "O",
                Unary::Eventually => "<>",
                Unary::Always => "[]",
                other => panic!("{other:?} is not generated"),
            };
            format!("({operator} {})", maude_formula(inner))
        }
        Formula::Binary(operator, left, right) => {
            let operator = match operator {
                Binary::And => "/\\",
                Binary::Or => "\\/",
                Binary::Implies => "->",
                Binary::Iff => "<->",
                Binary::Until => "U",
                Binary::Release => "R",
                Binary::WeakUntil => "W",
                other => panic!("{other:?} is not generated"),
            };
            format!("({} {operator} {})", maude_formula(left), maude_formula(right))
        }
    }
}

/// Maude's verdicts, in order.
fn verdicts_of_maude(questions: &[(Generated, Vec<Formula<Observation>>)]) -> Vec<bool> {
    let mut commands = PROPOSITIONS.to_owned();
    for (program, formulas) in questions {
        for formula in formulas {
            let formula = maude_formula(formula);
            writeln!(commands, "red in CHECK : verdict(modelCheck({}, {formula})) .", program.maude())
                .expect("a string");
        }
    }
    let text = maude::run(&commands);
    let results = text.lines().filter_map(|line| line.strip_prefix("result "));
    results.map(|line| line.strip_prefix("Bool: ").and_then(|b| b.parse().ok()).expect(line)).collect()
}

/// A random formula; every third one is about the runs in which a certain process moves infinitely often.
fn random_formula(random: &mut Random, program: &Generated, number: usize) -> Formula<Observation> {
    let conclusion = formula(random, program, Operators::All, 2 + number as u64 % 2);
    if number % 3 != 2 {
        return conclusion;
    }
    let process = 1 + random.index(program.processes.len());
    Formula::prop(Observation::Exec(process)).eventually().always().implies(conclusion)
}

#[test]
fn generated_programs_have_the_verdicts_of_maude() {
    let is_long = std::env::var_os("SELVEDGE_LONG").is_some();
    let mut random = Random(25);
    let mut questions = Vec::new();
    while questions.len() < if is_long { 10 * PROGRAMS } else { PROGRAMS } {
        let program = generate(&mut random, false);
        if search(&system(&program.selvedge(), true), 1_000_000).states.len() <= MAX_STATES {
            let formulas =
                (0..FORMULAS).map(|number| random_formula(&mut random, &program, number)).collect();
            questions.push((program, formulas));
        }
    }
    let theirs = verdicts_of_maude(&questions);
    assert_eq!(theirs.len(), questions.len() * FORMULAS, "maude answers each question");
    let asked = questions.iter().flat_map(|(program, formulas)| formulas.iter().map(move |f| (program, f)));
    let mut differences = Vec::new();
    for ((generated, formula), theirs) in asked.zip(&theirs) {
        let text = generated.selvedge();
        let program = program(&text);
        for exact in [false, true] {
            if holds(&program, formula, exact, Fairness::None) != *theirs {
                let formula = selvedge(formula);
                differences.push(format!("{text}{formula}\nmaude: {theirs}, not so if exact is {exact}"));
            }
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n\n"));
    let held = theirs.iter().filter(|holds| **holds).count();
    assert!(held > theirs.len() / 5, "only {held} of {} hold", theirs.len());
    assert!(theirs.len() - held > theirs.len() / 5, "{held} of {} hold", theirs.len());
}
