//! States and changes: what a monitor shows to its formulas (Stolz and Huch, §3 and §4).

use selvedge_ltl::Formula;
use selvedge_ltl::progression::Verdict;
use selvedge_monitor::{Fact, Monitor, OnViolation, Recording};

fn monitor() -> Monitor<Fact> {
    let mut monitor = Monitor::new();
    monitor.on_violation(OnViolation::Keep);
    monitor
}

/// The verdict of a formula on a path, each state as the propositions that hold in it. The formula is added
/// in the first state.
fn verdict(formula: &str, path: &[&[&str]]) -> Verdict {
    let mut monitor = monitor();
    let mut last: &[&str] = &[];
    for (index, state) in path.iter().enumerate() {
        monitor.update(|changes| {
            last.iter().for_each(|prop| changes.release(&Fact::from(*prop)));
            state.iter().for_each(|prop| changes.set(&Fact::from(*prop)));
        });
        last = state;
        if index == 0 {
            monitor.check("formula", formula).expect("a formula");
        }
    }
    monitor.finish().judgements[0].verdict.expect("a formula has a verdict")
}

#[test]
fn the_paths_of_p_until_q() {
    assert_eq!(verdict("P U Q", &[&["P"], &["P"], &["Q"]]), Verdict::True);
    assert_eq!(verdict("P U Q", &[&["P"], &["P"], &[], &["Q"]]), Verdict::False);
    assert_eq!(verdict("P U Q", &[&["P"], &["P"], &["P"]]), Verdict::PresumablyFalse);
}

/// What is left of `left U right` after one state, where each operand is true, false, or open.
#[track_caller]
fn check_until(left: &str, right: &str, expected: &str) {
    let mut monitor = monitor();
    monitor.set(&Fact::from("t"));
    monitor.step();
    monitor.check("until", format!("({left}) U ({right})").as_str()).expect("a formula");
    let left_over = match monitor.remainders().first() {
        Some((_, remainder)) => remainder.clone(),
        None if monitor.violations().is_empty() => "true".to_owned(),
        None => "false".to_owned(),
    };
    let parse = |text: &str| text.parse::<Formula<String>>().expect("a formula");
    let mut alphabet = selvedge_ltl::Alphabet::default();
    let [one, other] =
        [parse(&left_over), parse(expected)].map(|formula| alphabet.number(&formula).expect("few"));
    let mut translator = selvedge_ltl::buchi::Translator::default();
    let [one, other] = [one, other].map(|formula| translator.arena.formula(&formula));
    assert_eq!(translator.difference(one, other), Ok(None), "{left} U {right}: left is {left_over}");
}

#[test]
fn every_case_of_check_step_for_until() {
    // The operand is true (`t`), false (`!t`), or leaves `F a` or `F b`.
    check_until("t", "t", "true");
    check_until("!t", "t", "true");
    check_until("F a", "t", "true");
    check_until("!t", "!t", "false");
    check_until("t", "!t", "t U !t");
    check_until("F a", "!t", "F a & ((F a) U !t)");
    check_until("!t", "F b", "F b");
    check_until("t", "F b", "F b | (t U F b)");
    check_until("F a", "F b", "F b | (F a & ((F a) U (F b)))");
}

#[test]
fn releasing_what_is_not_set_has_no_effect() {
    let mut monitor = monitor();
    monitor.check("never", "G !p").expect("a formula");
    monitor.release(&Fact::from("p"));
    monitor.step();
    assert!(monitor.violations().is_empty());
    assert!(!monitor.holds(&Fact::from("p")));
}

#[test]
fn a_pulse_is_a_state_with_the_proposition_and_then_none() {
    let mut monitor = monitor();
    monitor.check("once", "F p").expect("a formula");
    monitor.check("stays", "G (p -> G p)").expect("a formula");
    monitor.pulse(&Fact::from("p"));
    assert!(monitor.holds(&Fact::from("p")));
    assert_eq!(monitor.state(), 1);
    let report = monitor.finish();
    assert_eq!(report.get("once").and_then(|judgement| judgement.verdict), Some(Verdict::True));
    assert_eq!(report.get("stays").and_then(|judgement| judgement.verdict), Some(Verdict::False));
}

#[test]
fn an_update_is_one_state() {
    let mut monitor = monitor();
    monitor.check("together", "G (p <-> q)").expect("a formula");
    monitor.update(|changes| {
        changes.set(&Fact::from("p"));
        changes.set(&Fact::from("q"));
    });
    assert_eq!(monitor.state(), 1);
    assert!(monitor.violations().is_empty());
}

#[test]
fn a_formula_is_judged_from_the_present_state_on() {
    let mut monitor = monitor();
    monitor.pulse(&Fact::from("p"));
    monitor.step();
    monitor.check("later", "G !p").expect("a formula");
    assert!(monitor.violations().is_empty());
    monitor.pulse(&Fact::from("p"));
    assert_eq!(monitor.violations().len(), 1);
    // A violation is told once.
    monitor.pulse(&Fact::from("p"));
    monitor.pulse(&Fact::from("p"));
    assert_eq!(monitor.violations().len(), 1);
}

#[test]
fn a_later_formula_is_judged_on_the_recorded_past() {
    let mut monitor = monitor();
    monitor.record(Recording::Last(3));
    monitor.pulse(&Fact::from("p"));
    monitor.step();
    assert_eq!(monitor.check_past("all", "G !p").expect("a formula"), 0);
    assert_eq!(monitor.violations()[0].state, 1);
    for _ in 0..3 {
        monitor.step();
    }
    assert_eq!(monitor.check_past("rest", "G !p").expect("a formula"), 2);
    assert_eq!(monitor.violations().len(), 1);
}

#[test]
fn what_holds_only_because_its_premise_never_came_is_vacuous() {
    let mut monitor = monitor();
    monitor.check("asked", "G (request -> F answer)").expect("a formula");
    monitor.check("never asked", "G (question -> F answer)").expect("a formula");
    monitor.pulse(&Fact::from("request"));
    monitor.pulse(&Fact::from("answer"));
    let report = monitor.finish();
    assert_eq!(report.get("asked").expect("checked").vacuous, None);
    assert_eq!(report.get("never asked").expect("checked").vacuous.as_deref(), Some("question"));
}

#[test]
fn propositions_can_be_of_any_type() {
    #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    enum Light {
        Red,
        Green,
    }
    let mut monitor = Monitor::new();
    monitor.on_violation(OnViolation::Keep);
    let exclusive = (!(Formula::prop(Light::Red) & Formula::prop(Light::Green))).always();
    monitor.check("exclusive", exclusive).expect("a formula");
    monitor.set(&Light::Red);
    monitor.step();
    monitor.set(&Light::Green);
    monitor.step();
    assert_eq!(monitor.violations()[0].formula, "G !(Red & Green)");
}

/// Does the formula hold on a path whose last state stays for ever?
#[track_caller]
fn check_forever(formula: &str, path: &[&[&str]], expected: bool) {
    let mut monitor = monitor();
    monitor.record(Recording::All);
    // The second round meets the tables of the first.
    for _ in 0..2 {
        monitor.restart();
        monitor.check("formula", formula).expect("a formula");
        let mut last: &[&str] = &[];
        for state in path {
            monitor.update(|changes| {
                last.iter().for_each(|prop| changes.release(&Fact::from(*prop)));
                state.iter().for_each(|prop| changes.set(&Fact::from(*prop)));
            });
            last = state;
        }
        assert_eq!(monitor.finish_forever(), [("formula".to_owned(), expected)], "{formula}");
    }
}

#[test]
fn a_last_state_that_stays_for_ever_decides_every_formula() {
    check_forever("F p", &[&["q"]], false);
    check_forever("G F p", &[&["p"], &[]], false);
    check_forever("G F p", &[&["p"]], true);
    check_forever("F G !p", &[&["p"], &[]], true);
    check_forever("G (p -> F q)", &[&["p"], &["q"], &[]], true);
    check_forever("G (p -> F q)", &[&["q"], &["p"]], false);
    check_forever("G (q -> O p)", &[&["p"], &["q"]], true);
    check_forever("F G (O p & q)", &[&["p"], &["q"]], true);
    check_forever("F G H p", &[&["p"]], false);
    check_forever("forall r: G (p(r) -> F q)", &[&[], &["q"]], true);
    check_forever("G !p", &[&["p"], &[]], false);
}

#[test]
fn a_handler_that_panics_leaves_the_other_formulas_as_they_are() {
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.on_violation(OnViolation::Panic);
    for name in ["first", "second"] {
        monitor.check(name, "G !p").expect("a formula");
    }
    monitor.check("third", "G (p -> F q)").expect("a formula");
    let mut step = |prop: &str| {
        let fact = Fact::from(prop);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| monitor.pulse(&fact))).is_err()
    };
    assert!(step("p"), "the first formula is violated");
    assert!(step("q"), "the violation of the second one is not told yet");
    assert!(!step("r"));
    let report = monitor.finish();
    assert_eq!(report.get("second").and_then(|judgement| judgement.verdict), Some(Verdict::False));
    assert_eq!(report.get("third").and_then(|judgement| judgement.verdict), Some(Verdict::PresumablyTrue));
}

/// Random events of very many ids, of which some are closed and used all the same.
fn events_of_many_ids(count: usize) -> impl Iterator<Item = Fact> {
    let mut random = selvedge_testkit::Random(23);
    (0..count).map(move |_| {
        let id = random.below(6_000) as u32;
        let names = ["request", "answer", "request", "answer", "closes_the_connection_of", "request"];
        Fact::from((names[random.below(names.len())], id))
    })
}

#[test]
fn events_that_are_given_at_once_are_those_that_are_given_one_by_one() {
    for count in [0, 1, 31, 32, 33, 40_000] {
        let [one_by_one, at_once] = [false, true].map(|is_at_once| {
            let mut monitor = monitor();
            monitor.max_at_rest(5_000);
            let closed = "forall r: G (closes_the_connection_of(r) -> G !request(r))";
            let formulas = ["forall r: G (request(r) -> F answer(r))", closed];
            for (name, formula) in ["answered", "closed"].iter().zip(formulas) {
                monitor.check(name, formula).expect("stutter-invariant");
            }
            match is_at_once {
                true => monitor.pulse_all(events_of_many_ids(count)),
                false => events_of_many_ids(count).for_each(|fact| monitor.pulse(&fact)),
            }
            let report = monitor.finish();
            (monitor.state(), format!("{:?}", monitor.violations()), format!("{report:?}"))
        });
        assert_eq!(one_by_one, at_once);
    }
}
