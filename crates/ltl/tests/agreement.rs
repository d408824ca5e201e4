//! Three readings of a formula and the definition, on the same random words.

mod common;

use common::{Operators, Random, formula, show, word};
use selvedge_ltl::buchi::{Translator, accepts};
use selvedge_ltl::definition::holds;

#[test]
fn buchi_automata_accept_what_satisfies_the_formula() {
    let mut random = Random(1);
    for round in 0..3000 {
        let size = 1 + random.below(12);
        let f = formula(&mut random, size, 3, Operators::Future);
        let mut translator = Translator::default();
        let nnf = translator.store.formula(&f);
        let Ok(automaton) = translator.translate(nnf) else { continue };
        let Ok(state_based) = translator.translate_state_based(nnf) else { continue };
        assert!(state_based.is_state_based());
        for _ in 0..20 {
            let w = word(&mut random, 3, true);
            let expected = holds(&w, &f);
            assert_eq!(
                accepts(&translator.bdds, &automaton, &w),
                expected,
                "round {round} TGBA {} on {w:?}",
                show(&f)
            );
            assert_eq!(
                accepts(&translator.bdds, &state_based, &w),
                expected,
                "round {round} BA {} on {w:?}",
                show(&f)
            );
        }
    }
}

#[test]
fn progression_decides_finite_words_as_the_definition_does() {
    let mut random = Random(2);
    for round in 0..5000 {
        let size = 1 + random.below(20);
        let f = formula(&mut random, size, 4, Operators::All);
        let mut start = selvedge_ltl::progression::Progression::new(&f);
        for _ in 0..10 {
            let w = word(&mut random, 4, false);
            let mut run = start.clone();
            for letter in &w.prefix {
                run.step(*letter);
            }
            assert_eq!(run.holds_at_end(), holds(&w, &f), "round {round} {} on {w:?}", show(&f));
            start = {
                let mut s = selvedge_ltl::progression::Progression::new(&f);
                std::mem::swap(&mut s, &mut start);
                s
            };
        }
    }
}
