//! In how many runs a formula holds, and the claim that it holds in some run.

#![cfg(feature = "check")]

use selvedge::predicate::sometimes_holds;
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, MVar};
use selvedge::{Explorer, FormulaRuns, Keep, Report, Strategy, prop, thread};
use std::fmt::Debug;

/// Thread 1 sets `b`, and the body sets `a`.
fn a_beside_b() {
    selvedge::check("a first", "!b U a");
    selvedge::check("b first", "!a U b");
    selvedge::check("at once", "F (a & !b) & F (b & !a)");
    let other = thread::spawn(|| prop::set("b"));
    prop::set("a");
    other.join().unwrap();
}

fn runs(held: usize, violated: usize, undecided: usize) -> FormulaRuns {
    FormulaRuns { held, violated, undecided }
}

/// The message with which the claim that a formula of this name sometimes holds fails.
fn refutation<T: Ord + Clone + Debug + 'static>(report: &Report<T>, name: &str) -> String {
    let claim = sometimes_holds(name);
    assert!(!claim.holds(report));
    let asserted = std::panic::AssertUnwindSafe(|| report.assert(&claim));
    *std::panic::catch_unwind(asserted).expect_err("the claim fails").downcast().expect("a text")
}

#[test]
fn a_formula_holds_sometimes_if_one_run_satisfies_it() {
    for strategy in [Strategy::systematic, Strategy::exhaustive] {
        let report = Explorer::new().strategy(strategy()).explore(a_beside_b);
        report.assert(&sometimes_holds("a first"));
        report.assert(&sometimes_holds("b first"));
        assert!(!sometimes_holds("at once").holds(&report));
    }
    let report = selvedge::explore(a_beside_b);
    assert_eq!(report.formulas()["a first"], runs(1, 1, 0));
    assert_eq!(report.formulas()["at once"], runs(0, 2, 0));
    assert_eq!(
        refutation(&report, "at once").lines().take(3).collect::<Vec<_>>(),
        [
            "the claim fails: the formula `at once` sometimes holds",
            "  never seen: a run that satisfies it; 2 violate it, 0 were cut and have no verdict",
            "  2 runs, complete",
        ]
    );
}

#[test]
fn a_search_that_was_cut_short_does_not_say_never() {
    let report = Explorer::new().max_executions(1).explore(a_beside_b);
    let text = refutation(&report, "at once");
    assert!(
        text.contains("not seen in the runs that were made: a run that satisfies it; 1 violate it"),
        "{text}"
    );
    assert!(text.contains("stopped by the limit of executions; not complete"), "{text}");
    assert!(!text.contains("never"), "{text}");
}

#[test]
fn a_name_that_no_run_checks_is_told() {
    let report = selvedge::explore(a_beside_b);
    let text = refutation(&report, "a frist");
    let names = "`a first`, `at once`, `b first`";
    assert!(text.contains(&format!("a run that checks a formula of this name; checked: {names}")), "{text}");
    let text = refutation(&selvedge::explore(|| ()), "a first");
    assert!(text.contains("a run that checks a formula of this name; no formula is checked"), "{text}");
}

#[test]
fn a_run_that_panics_has_no_verdict() {
    let report = selvedge::explore(|| {
        selvedge::check("quiet", "G !p");
        selvedge::check("told", "F p");
        assert!(selvedge::choose(3) > 0);
    });
    assert_eq!(report.formulas()["quiet"], runs(2, 0, 1));
    assert_eq!(report.formulas()["told"], runs(0, 2, 1));
    assert!(refutation(&report, "told").contains("2 violate it, 1 were cut and have no verdict"));
}

#[test]
fn a_deadlock_is_judged() {
    let report = selvedge::explore(|| {
        selvedge::check("quiet", "G !p");
        MVar::<()>::empty().take();
    });
    assert_eq!(report.formulas()["quiet"], runs(1, 0, 0));
}

#[test]
fn a_formula_counts_in_the_runs_that_check_it() {
    let report = selvedge::explore(|| {
        if selvedge::choose(3) == 0 {
            selvedge::check("rare", "G !p");
        }
    });
    assert_eq!(report.formulas()["rare"], runs(1, 0, 0));
}

#[test]
fn a_name_holds_in_a_run_if_all_its_formulas_do() {
    let report = selvedge::explore(|| {
        selvedge::check("both", "F p");
        selvedge::check("both", "F q");
        prop::pulse("p");
        if selvedge::choose(2) == 0 {
            prop::pulse("q");
        }
    });
    assert_eq!(report.formulas()["both"], runs(1, 1, 0));
}

#[test]
fn runs_of_which_the_report_retains_nothing_count() {
    let report = Explorer::new().explore_keeping(a_beside_b, |_| Keep::Nothing);
    assert!(report.outcomes().is_empty());
    assert_eq!(report.formulas()["a first"], runs(1, 1, 0));
}

#[test]
fn verdicts_do_not_depend_on_the_number_of_workers() {
    let body = || {
        selvedge::check("a first", "!b U a");
        let other = thread::spawn(|| (0..3).for_each(|_| prop::pulse("b")));
        (0..3).for_each(|_| prop::pulse("a"));
        other.join().unwrap();
    };
    let [one, three] = [1, 3].map(|workers| Explorer::new().workers(workers).explore(body));
    assert_eq!(one.formulas()["a first"], runs(10, 10, 0));
    assert_eq!(one.formulas(), three.formulas());
}

/// The continuation of a run in which only spinning threads are left decides its verdicts.
#[test]
fn a_livelock_has_the_verdicts_of_its_last_state() {
    let spin = |rounds: u32| {
        move || {
            selvedge::check("done", "F done");
            selvedge::check("quiet", "G !p");
            let flag = Arc::new(AtomicU32::new(0));
            for _ in 0..rounds {
                if flag.load(SeqCst) == 1 {
                    break;
                }
                thread::yield_now();
            }
            prop::set("done");
        }
    };
    let report = selvedge::explore(spin(3));
    assert_eq!([report.formulas()["done"], report.formulas()["quiet"]], [runs(1, 0, 0); 2]);
    let report = selvedge::explore(spin(u32::MAX));
    assert_eq!(report.formulas()["done"], runs(0, 1, 0));
    assert_eq!(report.formulas()["quiet"], runs(1, 0, 0));
}

#[test]
fn the_json_of_a_report_has_the_formulas() {
    let json = selvedge::explore(a_beside_b).to_json();
    let first = r#""formulas":[{"name":"a first","held":1,"violated":1,"undecided":0},"#;
    assert!(json.contains(first), "{json}");
}
