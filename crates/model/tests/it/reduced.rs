//! A check takes the reduced steps where the reduction is sound, and only there.

use selvedge_ltl::{Formula, Letter, Prop};
use selvedge_model::{Fairness, Options, Preserve, ProcessId, States, Steps, System, Verdict, Word, check};

/// Two steps from the start: to p and elsewhere. The reduced steps lack the step to p, which no sound
/// reduction does: so `G !p` shows which steps were taken.
struct RevealingSystem {
    /// Is q unknown in the end?
    is_unknown: bool,
}

const P: u64 = 1;
const Q: u64 = 2;

impl System for RevealingSystem {
    type Action = u32;

    fn words(&self) -> usize {
        1
    }

    fn processes(&self) -> usize {
        2
    }

    fn initial(&self, out: &mut States) {
        out.push(&[0]);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<u32>) {
        if state[0] == 0 {
            out.push(0, state)[0] = 1;
            out.push(1, state)[0] = 2;
        }
    }

    fn reduced_successors(&self, aim: Preserve, state: &[Word], out: &mut Steps<u32>) {
        self.successors(state, out);
        out.retain(0, |action| action == 1 || aim == Preserve::FairRuns);
    }

    fn label(&self, state: &[Word]) -> Letter {
        let unknown = if self.is_unknown && state[0] == 2 { Q } else { 0 };
        Letter::exactly(if state[0] == 1 { P } else { 0 }).forget(unknown)
    }

    fn process(&self, action: u32) -> Option<ProcessId> {
        Some(ProcessId(action))
    }

    fn describe(&self, action: u32) -> String {
        action.to_string()
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        vec![("state".to_owned(), state[0].to_string())]
    }
}

fn never_p() -> Formula<Prop> {
    (!Formula::prop(Prop(0))).always()
}

#[track_caller]
fn is_reduced(system: &RevealingSystem, formula: &Formula<Prop>, options: Options<'_>) -> bool {
    check(system, formula, options).expect("a small formula").verdict == Verdict::Holds
}

#[test]
fn reduced_steps_are_taken_where_the_reduction_is_sound() {
    let system = RevealingSystem { is_unknown: false };
    assert!(is_reduced(&system, &never_p(), Options::default()));
    // Not an invariant, so the check searches the product.
    let eventually = never_p().eventually();
    assert!(is_reduced(&system, &eventually, Options::default()));
}

#[test]
fn a_stutter_invariant_formula_with_next_is_reduced_too() {
    let p = || Formula::prop(Prop(0));
    // The moment at which p begins to hold is independent of how often states repeat.
    let formula = !(!p() & p().next()).eventually();
    assert!(is_reduced(&RevealingSystem { is_unknown: false }, &formula, Options::default()));
}

#[test]
fn nothing_is_reduced_where_the_formula_could_observe_it() {
    let system = RevealingSystem { is_unknown: false };
    assert!(!is_reduced(&system, &never_p(), Options { reduction: false, ..Options::default() }));
    for fairness in [Fairness::Weak, Fairness::Strong] {
        // For fair runs this system takes all its steps.
        let formula = never_p().eventually();
        assert!(!is_reduced(&system, &formula, Options { fairness, ..Options::default() }));
        // Every finite run has a fair continuation, so fairness makes no difference to an invariant.
        assert!(is_reduced(&system, &never_p(), Options { fairness, ..Options::default() }));
    }
    assert!(!is_reduced(&system, &(!Formula::prop(Prop(0))).next(), Options::default()));
}

#[test]
fn an_unknown_label_makes_the_check_search_the_whole_system() {
    assert!(!is_reduced(&RevealingSystem { is_unknown: true }, &never_p(), Options::default()));
}
