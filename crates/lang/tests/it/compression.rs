//! Compression changes no number of states and no verdict, on every model of the repository.

use crate::common::{model, program};
use selvedge_lang::{Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_model::{Budget, FailureGoal, Options, Stats, System, Verdict, check, find_failures};

#[test]
fn compression_changes_no_count_and_no_verdict_of_a_model() {
    let mut wide = 0;
    for name in [
        "bakery",
        "fast-mutex",
        "leader-election",
        "peterson",
        "readers-writers",
        "sliding-window",
        "two-phase-commit",
    ] {
        let program = program(&model(&format!("{name}.par")));
        for property in program.properties() {
            let mut alphabet = Alphabet::default();
            let formula = alphabet.number(&property.formula).expect("few propositions");
            let system = program
                .system(alphabet.names(), SystemOptions { exact: true, ..SystemOptions::default() })
                .expect("a system");
            wide += usize::from(system.words() > 1);
            let [plain, tree] = [false, true].map(|compress| {
                let budget = Budget { compress, ..Budget::default() };
                let options = Options { budget, ..Options::default() };
                let report = check(&system, &formula, options).expect("a small formula");
                let found = find_failures(&system, FailureGoal::All, budget);
                let holds = report.verdict == Verdict::Holds;
                let same = |stats: Stats| Stats { bytes: 0, ..stats };
                (holds, same(report.stats), same(found.stats), found.deadlock_count)
            });
            assert_eq!(plain, tree, "{name}: {}", property.name);
        }
    }
    assert!(wide > 5, "only {wide} systems have states of several words");
}
