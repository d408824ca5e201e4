//! Generated programs with channels: verdicts against SPIN's. The `whole_language` tests compare such
//! programs with the naive interpreter.

use crate::common::generate::Random;
use crate::common::messages::{Drawn, message_program, message_proposition};
use crate::common::naive::Naive;
use crate::common::program;
use crate::common::promela::Pan;
use selvedge_lang::{Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_model::Verdict;
use std::path::PathBuf;

/// Programs have at most so many states.
const MOST_STATES: usize = 3000;

/// Ten times as many programs if `SELVEDGE_LONG` is set.
fn programs(count: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 10 * count } else { count }
}

#[test]
fn spin_gives_the_same_verdicts_about_channels() {
    let mut random = Random(53);
    let (mut compared, mut violated) = (0, 0);
    for number in 0..programs(8) {
        let drawn = loop {
            let drawn = message_program(&mut random, Drawn::ForSpin);
            if Naive::new(&drawn).explore(MOST_STATES).is_some_and(|space| space.states.len() > 20) {
                break drawn;
            }
        };
        let shapes = ["[] (P)", "<> (P)", "[]<> (P)", "<>[] (P)", "[] ((P) -> <> (Q))", "(P) U (Q)"];
        let formulas: Vec<[String; 2]> = shapes
            .iter()
            .map(|shape| {
                let [one, other] = [(); 2].map(|()| message_proposition(&mut random));
                [0, 1].map(|tool| shape.replace('P', &one[tool]).replace('Q', &other[tool]))
            })
            .collect();
        let for_spin: Vec<String> = formulas.iter().map(|[_, formula]| formula.clone()).collect();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("channels-{number}"));
        let pan = Pan::new(folder, &drawn.promela(&for_spin));
        let text = drawn.selvedge();
        let program = program(&text);
        for (index, [formula, _]) in formulas.iter().enumerate() {
            let unfolded = program.formula(formula).expect("a formula");
            let mut alphabet = Alphabet::default();
            let numbered = alphabet.number(&unfolded).expect("few propositions");
            let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
            let checked = selvedge_model::check(&system, &numbered, selvedge_model::Options::default());
            let ours = matches!(checked.expect("an automaton").verdict, Verdict::Holds);
            assert_eq!(pan.holds(index, false), Some(ours), "{formula}\n{text}");
            compared += 1;
            violated += usize::from(!ours);
        }
    }
    assert!(violated > compared / 5 && violated < compared, "{violated} of {compared}");
}
