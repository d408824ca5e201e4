//! Generated programs whose searches are killed again and again, and go on from a checkpoint: the verdicts
//! and sizes of searches that were never stopped.

use crate::common::generate::Random;
use crate::common::pieces::in_pieces;
use crate::common::program;
use crate::common::rich::{rich_formula, rich_program};
use selvedge_lang::{Atom, Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_model::{
    Budget, FailureGoal, Fairness, Limits, Options, Preserve, Reduced, Verdict, check, check_invariants,
    is_invariant,
};

/// How many programs are searched; twenty times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 150;

/// Programs have at most so many states.
const MOST_STATES: usize = 400;

#[test]
fn searches_of_generated_programs_have_the_same_results_in_pieces() {
    let mut random = Random(71);
    let count = if std::env::var_os("SELVEDGE_LONG").is_some() { 20 * PROGRAMS } else { PROGRAMS };
    let (mut pieces, mut searched, mut verdicts) = (0, 0, [0; 2]);
    while searched < count {
        let text = rich_program(&mut random);
        let program = program(&text);
        let formula = rich_formula(&mut random, 2);
        let parsed = program.formula(&formula).expect("a formula");
        let mut alphabet: Alphabet<Atom> = Alphabet::default();
        let numbered = alphabet.number(&parsed).expect("few propositions");
        let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
        let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
        let fairness = [Fairness::None, Fairness::Weak, Fairness::Strong][searched % 3];
        let (workers, reduction) = (1 + searched / 3 % 2, searched % 2 == 0);
        let search = |budget: Budget<'_>| {
            let options = Options { fairness, reduction, budget };
            check(&system, &numbered, options).expect("a small automaton")
        };
        // With a checkpoint, several workers begin with the first level: so does the search without. One
        // worker searches for runs, however many there are.
        let alone = 0;
        let searching = if is_invariant(&numbered) { workers } else { 1 };
        let whole = search(Budget { limits, workers: searching, alone, ..Budget::default() });
        if matches!(whole.verdict, Verdict::Limit(_)) {
            continue;
        }
        searched += 1;
        let (resumed, processes) = in_pieces(&mut random, 12, |budget| search(Budget { workers, ..budget }));
        assert_eq!(resumed.verdict, whole.verdict, "{fairness:?} {workers} {formula}\n{text}");
        let sizes = [&resumed.stats, &whole.stats].map(|stats| (stats.states, stats.transitions));
        // Where a violation ends the search, the second worker may have found more states.
        if searching == 1 || whole.verdict == Verdict::Holds {
            assert_eq!(sizes[0], sizes[1], "{fairness:?} {workers} {formula}\n{text}");
        }
        verdicts[usize::from(whole.verdict == Verdict::Holds)] += 1;
        let survey = |budget: Budget<'_>| {
            let reduced = Reduced::new(&system, Preserve::States);
            let pass = check_invariants(&reduced, &[], Some(FailureGoal::All), budget);
            pass.expect("no formula").failures.expect("failures were searched for")
        };
        let whole = survey(Budget { workers, alone, ..Budget::default() });
        let (resumed, more) = in_pieces(&mut random, 12, |budget| survey(Budget { workers, ..budget }));
        assert_eq!((&resumed.deadlocks, &resumed.errors), (&whole.deadlocks, &whole.errors), "{text}");
        assert_eq!(resumed.stats.states, whole.stats.states, "{text}");
        pieces += processes + more;
    }
    assert!(pieces > 2 * count && verdicts.iter().all(|found| *found > count / 8), "{pieces} {verdicts:?}");
}
