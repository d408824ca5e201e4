//! The sizes of generalised automata on the standard sets, pinned: they must not grow.
//!
//! State-based sizes are pinned beside their lower bounds, in `lower_bounds.rs`. For comparison: Spot needs
//! 206 and 34 states with generalised acceptance on edges for the formulas of the first two sets.

use selvedge_ltl::buchi::Translator;
use selvedge_testkit::ltl::StandardSet;

/// The sums over the formulas of a set, and over their negations.
#[track_caller]
fn check(set: StandardSet, formulas: usize, negations: usize) {
    let mut sums = (0, 0);
    for formula in set.formulas() {
        let states = |formula| {
            let mut translator = Translator::default();
            let nnf = translator.arena.formula(&formula);
            translator.translate(nnf).expect("a small automaton").state_count()
        };
        sums.1 += states(!formula.clone());
        sums.0 += states(formula);
    }
    assert_eq!(sums, (formulas, negations));
}

#[test]
fn dwyer_avrunin_and_corbett_need_198_states() {
    check(StandardSet::DWYER, 198, 215);
}

#[test]
fn etessami_and_holzmann_need_33_states() {
    check(StandardSet::ETESSAMI_HOLZMANN, 33, 47);
}

#[test]
fn somenzi_and_bloem_need_72_states() {
    check(StandardSet::SOMENZI_BLOEM, 72, 73);
}
