//! Generated programs checked by many workers, reduced or not: the verdicts and the numbers of states
//! are those of one worker.

use crate::common::formulas::{Operators, formula, selvedge};
use crate::common::generate::{Random, generate};
use crate::common::program;
use selvedge_lang::{Atom, Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_model::{
    Budget, FailureGoal, Fairness, Limits, Options, Preserve, Reduced, Verdict, check, find_failures,
};
use std::mem::discriminant;

/// How many programs are compared; twenty times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 700;

/// Larger programs are left out.
const MAX_STATES: usize = 5000;

fn with_workers(workers: usize) -> Budget<'static> {
    let limits = Limits { states: Some(MAX_STATES), ..Limits::default() };
    Budget { limits, workers, alone: 0, ..Budget::default() }
}

#[test]
fn many_workers_give_the_verdicts_of_one_worker() {
    let is_long = std::env::var_os("SELVEDGE_LONG").is_some();
    let mut random = Random(91);
    let (mut held, mut violated) = (0, 0);
    for round in 0..if is_long { 20 * PROGRAMS } else { PROGRAMS } {
        let generated = generate(&mut random, true);
        let text = generated.selvedge();
        let random_formula = formula(&mut random, &generated, Operators::All, 3);
        let program = program(&text);
        let mut alphabet: Alphabet<Atom> = Alphabet::default();
        let formula = program.formula(&selvedge(&random_formula)).expect("a formula");
        let numbered = alphabet.number(&formula).expect("few propositions");
        let options = SystemOptions { exact: round % 5 == 0, ..SystemOptions::default() };
        let system = program.system(alphabet.names(), options).expect("a system");
        let one = find_failures(&system, FailureGoal::All, with_workers(1));
        if one.limit.is_some() {
            continue;
        }
        let workers = [2, 3, 4, 8][round % 4];
        let many = find_failures(&system, FailureGoal::All, with_workers(workers));
        let [reduced_by_one, reduced_by_many] = [1, workers].map(|workers| {
            find_failures(&Reduced::new(&system, Preserve::States), FailureGoal::All, with_workers(workers))
        });
        assert_eq!(reduced_by_one.deadlock_count, reduced_by_many.deadlock_count, "{text}");
        assert_eq!(reduced_by_one.stats.states, reduced_by_many.stats.states, "{text}");
        assert_eq!(reduced_by_one.stats.transitions, reduced_by_many.stats.transitions, "{text}");
        assert_eq!((one.deadlock_count, one.limit), (many.deadlock_count, many.limit), "{text}");
        assert_eq!(one.stats.states, many.stats.states, "{text}");
        assert_eq!(one.stats.transitions, many.stats.transitions, "{text}");
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let check_with = |workers| {
                let options = Options { fairness, reduction: round % 3 > 0, budget: with_workers(workers) };
                check(&system, &numbered, options).expect("an automaton")
            };
            let (one, many) = (check_with(1), check_with(workers));
            assert_eq!(
                discriminant(&one.verdict),
                discriminant(&many.verdict),
                "{formula} {fairness:?} {text}"
            );
            if one.verdict == Verdict::Holds {
                held += 1;
                assert_eq!(one.stats.states, many.stats.states, "{formula} {text}");
                assert_eq!(one.stats.transitions, many.stats.transitions, "{formula} {text}");
                assert_eq!(one.stats.product_states, many.stats.product_states, "{formula} {text}");
            } else {
                violated += 1;
            }
        }
    }
    assert!(held > PROGRAMS / 4 && violated > PROGRAMS / 4, "{held} hold, {violated} are violated");
}
