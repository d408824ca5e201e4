//! All searches of one program, which have the same results.

use super::tally::Tally;
use crate::common::generate::Random;
use crate::common::pieces::in_pieces;
use crate::common::program;
use selvedge_lang::machine::Machine;
use selvedge_lang::{Atom, Program, SystemOptions};
use selvedge_ltl::{Alphabet, Formula, Prop};
use selvedge_model::{
    Budget, FailureGoal, Failures, Fairness, Options, Preserve, Reduced, Report, Stats, System, Verdict,
    check, check_invariants, find_failures, is_invariant,
};
use std::collections::BTreeSet;

/// A program, and its number, by which options are chosen.
#[derive(Clone, Copy)]
pub(super) struct Case<'t> {
    pub(super) text: &'t str,
    pub(super) number: usize,
}

/// What the naive interpreter finds.
pub(super) struct Expected {
    pub(super) sizes: (usize, usize),
    pub(super) deadlocks: usize,
    pub(super) has_errors: bool,
}

/// Two workers begin with the first state, as they do with a checkpoint.
fn by(workers: usize) -> Budget<'static> {
    Budget { workers, alone: 0, ..Budget::default() }
}

fn sizes(stats: &Stats) -> (usize, usize) {
    (stats.states, stats.transitions)
}

pub(super) fn kind<A>(verdict: &Verdict<A>) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::MayBeViolated(_) => "may be violated",
        Verdict::Limit(_) => "limit",
    }
}

/// The messages of all errors, and the number of deadlocks.
fn failures<A>(found: &Failures<A>) -> (BTreeSet<&str>, usize) {
    (found.errors.iter().map(|(message, _)| message.as_str()).collect(), found.deadlock_count)
}

impl Case<'_> {
    fn system(self, formula: &str, exact: bool) -> (Machine, Formula<Prop>) {
        let program = program(self.text);
        let parsed =
            program.formula(formula).unwrap_or_else(|errors| panic!("{formula}: {errors:?}\n{}", self.text));
        let mut alphabet: Alphabet<Atom> = Alphabet::default();
        let numbered = alphabet.number(&parsed).expect("few propositions");
        let options = SystemOptions { exact, ..SystemOptions::default() };
        (program.system(alphabet.names(), options).expect("a system"), numbered)
    }

    /// Deadlocks and errors; those of the naive interpreter where nothing is forgotten.
    pub(super) fn compare_failures(self, expected: &Expected, random: &mut Random, tally: &mut Tally) {
        let (system, _) = self.system("true", true);
        let exact = self.failures_by_all(&system, random, tally);
        assert_eq!(sizes(&exact.stats), expected.sizes, "{}", self.text);
        assert_eq!(exact.deadlock_count, expected.deadlocks, "{}", self.text);
        assert_eq!(exact.errors.is_empty(), !expected.has_errors, "{}", self.text);
        let (system, _) = self.system("true", false);
        let reduced = Reduced::new(&system, Preserve::States);
        let whole = self.failures_by_all(&system, random, tally);
        let by_reduced = self.failures_by_all(&reduced, random, tally);
        assert_eq!(failures(&by_reduced), failures(&whole), "{}", self.text);
        tally.searches += 9;
        tally.smaller += usize::from(by_reduced.stats.states < whole.stats.states);
    }

    /// One worker, two, and one or two in pieces.
    fn failures_by_all<S: System>(
        self,
        system: &S,
        random: &mut Random,
        tally: &mut Tally,
    ) -> Failures<S::Action> {
        let [one, two] = [1, 2].map(|workers| find_failures(system, FailureGoal::All, by(workers)));
        assert_eq!(failures(&two), failures(&one), "{}", self.text);
        assert_eq!(sizes(&two.stats), sizes(&one.stats), "{}", self.text);
        let workers = 1 + self.number / 2 % 2;
        let (resumed, pieces) = in_pieces(random, 3, |budget| {
            let pass = check_invariants(system, &[], Some(FailureGoal::All), Budget { workers, ..budget });
            pass.expect("no formula").failures.expect("failures were searched for")
        });
        assert_eq!(failures(&resumed), failures(&one), "{}", self.text);
        assert_eq!(sizes(&resumed.stats), sizes(&one.stats), "{}", self.text);
        tally.resumed += 1;
        tally.pieces += pieces;
        one
    }

    /// `[] p`, on which the naive interpreter has this verdict.
    pub(super) fn compare_invariant(
        self,
        proposition: &str,
        expected: &str,
        random: &mut Random,
        tally: &mut Tally,
    ) {
        let formula = format!("[] ({proposition})");
        let whole = self.compare_formula_of(&formula, Fairness::None, random, tally);
        assert_eq!(whole, expected, "{formula}\n{}", self.text);
    }

    /// A formula, of all runs or of fair ones.
    pub(super) fn compare_formula(self, formula: &str, random: &mut Random, tally: &mut Tally) {
        let fairness = [Fairness::None, Fairness::Weak, Fairness::Strong][random.index(3)];
        self.compare_formula_of(formula, fairness, random, tally);
    }

    fn compare_formula_of(
        self,
        formula: &str,
        fairness: Fairness,
        random: &mut Random,
        tally: &mut Tally,
    ) -> &'static str {
        let (system, numbered) = self.system(formula, self.number.is_multiple_of(4));
        let checked = |reduction: bool, budget: Budget<'_>| {
            check(&system, &numbered, Options { fairness, reduction, budget }).expect("an automaton")
        };
        let expected = checked(false, by(1));
        for reduction in [false, true] {
            let one = checked(reduction, by(1));
            let two = checked(reduction, by(2));
            let workers = 1 + random.index(2);
            let (resumed, pieces) =
                in_pieces(random, 3, |budget| checked(reduction, Budget { workers, ..budget }));
            let place = || format!("reduced: {reduction}, {fairness:?}, {formula}\n{}", self.text);
            for other in [&one, &two, &resumed] {
                assert_eq!(kind(&other.verdict), kind(&expected.verdict), "{}", place());
            }
            // With a checkpoint, one worker searches for runs, however many there are.
            let by_one = workers == 1 || !is_invariant(&numbered);
            let never_stopped: &Report<_> = if by_one { &one } else { &two };
            assert_eq!(resumed.verdict, never_stopped.verdict, "{}", place());
            // Where a violation ends the search, the second worker may have found more states.
            if by_one || expected.verdict == Verdict::Holds {
                assert_eq!(sizes(&resumed.stats), sizes(&never_stopped.stats), "{}", place());
            }
            if expected.verdict == Verdict::Holds {
                assert_eq!(sizes(&two.stats), sizes(&one.stats), "{}", place());
                assert_eq!(two.stats.product_states, one.stats.product_states, "{}", place());
                tally.smaller_products += usize::from(one.stats.states < expected.stats.states);
            }
            tally.resumed += 1;
            tally.pieces += pieces;
            tally.searches += 3;
        }
        tally.add_verdict(fairness, kind(&expected.verdict));
        kind(&expected.verdict)
    }
}
