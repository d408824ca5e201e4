//! Texts for users: violations with their paths, reports, refusals, notes.

use expect_test::{Expect, expect};
use selvedge_monitor::{Fact, Monitor, OnViolation, Recording};
use std::sync::{Arc, Mutex};

fn monitor() -> Monitor<Fact> {
    let mut monitor = Monitor::new();
    monitor.on_violation(OnViolation::Keep);
    monitor
}

#[test]
fn a_violation_shows_the_steps_that_changed_what_was_left() {
    let mut monitor = monitor();
    monitor.check("lock", "G !(B & !A & (B U A))").expect("a formula");
    let [main, worker] = ["main", "worker"].map(Arc::from);
    monitor.set(&Fact::from("other"));
    monitor.step_by(&worker);
    monitor.set(&Fact::from("B"));
    monitor.step_by(&main);
    monitor.release(&Fact::from("other"));
    monitor.step_by(&worker);
    monitor.set(&Fact::from("A"));
    monitor.step_by(&main);
    expect![[r#"
        error[watch::violated]: `lock` is violated at state 4
           formula    G !(B & !A & B U A)
           was left   !B R !A & G (!B | A | !B R !A)
           steps that changed what was left:
                0               (begins)   left: G (!B | A | !B R !A)
                2  main         +B   left: !B R !A & G (!B | A | !B R !A)
                4  main         +A   left: false
           all steps since state 0:
                1  worker       +other
                2  main         +B
                3  worker       -other
                4  main         +A
    "#]]
    .assert_eq(&monitor.violations()[0].to_string());
}

#[track_caller]
fn check_refused(formula: &str, expected: &Expect) {
    let error = monitor().check("formula", formula).expect_err("a refusal");
    expected.assert_eq(&error.to_string());
}

#[test]
fn what_depends_on_repeated_states_is_refused_with_two_words() {
    check_refused(
        "G (p -> X q)",
        &expect![[r#"
        `G (p -> X q)` depends on how often a state is repeated: it holds on
            ({p} {q})^ω
        and not on
            {p} ({p} {p} {q})^ω
        Steps of other threads repeat states, so its verdict would depend on them. Use `U`, `F` or `G` in place of `X`."#]],
    );
    check_refused(
        "X true",
        &expect![[r#"
        `X true` depends on how often a state is repeated: it holds on
            {} {}
        and not on
            {}
        Steps of other threads repeat states, so its verdict would depend on them. Use `U`, `F` or `G` in place of `X`."#]],
    );
    check_refused(
        "forall r: G (p(r) -> X q(r))",
        &expect![[r#"
            `forall r: G (p(r) -> X q(r))` depends on how often a state is repeated: it holds on
                ({p(r)} {q(r)})^ω
            and not on
                {p(r)} ({p(r)} {p(r)} {q(r)})^ω
            Steps of other threads repeat states, so its verdict would depend on them. Use `U`, `F` or `G` in place of `X`."#]],
    );
}

#[test]
fn mistakes_in_a_formula_are_shown_at_their_place() {
    check_refused(
        "G (p -> ",
        &expect![[r#"
            error[ltl::unclosed-parenthesis]: `(` is never closed
             --> formula:1:3
              |
            1 | G (p -> 
              |   ^ opened here
              |
              = help: write `)` where the group ends

            error[ltl::expected-formula]: expected a formula, found the end
             --> formula:1:8
              |
            1 | G (p -> 
              |      --^ something is missing here
              |      |
              |      this operator needs a formula after it"#]],
    );
    check_refused(
        "forall r, s: G p(r)",
        &expect![[r#"
        error[ltl::forall]: the variable `s` does not occur in the formula
         --> formula:1:11
          |
        1 | forall r, s: G p(r)
          |           ^ declared here
          |
          = help: a variable is an argument of a proposition, as in `holds(x)`"#]],
    );
}

#[test]
fn a_formula_with_next_that_does_not_count_is_taken() {
    let mut monitor = monitor();
    monitor.check("ends", "F (p & X !p)").expect("stutter-invariant");
    monitor.pulse(&Fact::from("p"));
    monitor.step();
    expect![[r#"
        proven  ends  F (p & X !p)
    "#]]
    .assert_eq(&monitor.finish().to_string());
}

#[test]
fn a_report_begins_with_the_worst_verdict() {
    let mut monitor = monitor();
    monitor.check("exclusive", "G !(a & b)").expect("a formula");
    monitor.check("answered", "forall r: G (request(r) -> F answer(r))").expect("a formula");
    monitor.check("seen", "F a").expect("a formula");
    monitor.check("unused", "G (question -> F answer)").expect("a formula");
    monitor.check("nothing", "forall n: G !bad(n)").expect("a formula");
    for request in 1..4 {
        monitor.pulse(&Fact::from(("request", request)));
    }
    monitor.pulse(&Fact::from(("answer", 1)));
    monitor.set(&Fact::from("a"));
    monitor.step();
    monitor.set(&Fact::from("b"));
    monitor.step();
    expect![[r#"
        violated          exclusive  G !(a & b)
        presumably false  answered   forall r: G (request(r) -> F answer(r))  [3 instances, such as r = 2]
        presumably true   unused     G (question -> F answer)  (vacuous: `question` never happened)
        proven            seen       F a
        no instance       nothing    forall n: G !bad(n)
    "#]]
    .assert_eq(&monitor.finish().to_string());
}

#[test]
fn a_limit_of_instances_is_told() {
    let mut monitor = monitor();
    monitor.max_instances(3);
    monitor.check("answered", "forall r: G (request(r) -> F answer(r))").expect("a formula");
    for request in 1..6 {
        monitor.pulse(&Fact::from(("request", request)));
    }
    expect![[r#"
        presumably false  answered  forall r: G (request(r) -> F answer(r))  [2 instances, such as r = 1]
        note: `answered`: no more instances after state 3: 3 formulas are checked at once, the limit
    "#]]
    .assert_eq(&monitor.finish().to_string());
}

#[test]
fn a_violation_is_told_without_what_is_no_longer_recorded() {
    let mut monitor = monitor();
    monitor.record(Recording::Last(2));
    monitor.check("once", "G (p -> G p)").expect("a formula");
    monitor.set(&Fact::from("p"));
    monitor.step();
    for _ in 0..5 {
        monitor.pulse(&Fact::from("q"));
    }
    monitor.release(&Fact::from("p"));
    monitor.step();
    expect![[r#"
        error[watch::violated]: `once` is violated at state 7
           formula    G (p -> G p)
           was left   G p & G (!p | G p)
           all steps since state 0, as far as recorded:
                6               no change
                7               -q -p
    "#]]
    .assert_eq(&monitor.violations()[0].to_string());
}

#[test]
fn a_function_is_called_with_each_violation() {
    let names = Arc::new(Mutex::new(Vec::new()));
    let told = names.clone();
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.on_violation(OnViolation::Call(Box::new(move |violation| {
        told.lock().expect("not poisoned").push(violation.name.clone());
    })));
    monitor.check("p", "G !p").expect("a formula");
    monitor.check("q", "G !q").expect("a formula");
    monitor.pulse(&Fact::from("q"));
    monitor.pulse(&Fact::from("p"));
    assert_eq!(*names.lock().expect("not poisoned"), ["q", "p"]);
}

#[test]
#[should_panic(expected = "`p` is violated at state 1")]
fn a_violation_can_panic() {
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.on_violation(OnViolation::Panic);
    monitor.check("p", "G !p").expect("a formula");
    monitor.pulse(&Fact::from("p"));
}

#[test]
fn verdicts_that_fall_after_dropped_events_say_so() {
    let mut monitor = monitor();
    monitor.check("before", "G !p").expect("a formula");
    monitor.check("after", "G !q").expect("a formula");
    monitor.check("proven", "F p").expect("a formula");
    monitor.check("each", "forall r: G !bad(r)").expect("a formula");
    monitor.set(&Fact::from("p"));
    monitor.step();
    monitor.add_dropped(1);
    monitor.set(&Fact::from("q"));
    monitor.step();
    monitor.add_dropped(2);
    expect![[r#"
        error[watch::violated]: `after` is violated at state 2
           formula    G !q
           was left   G !q
           unsure     1 event was dropped before this state
           steps that changed what was left:
                0               (begins)   left: G !q
                2               +q   left: false
    "#]]
    .assert_eq(monitor.violations()[1].to_string().split("   all steps").next().expect("a part"));
    expect![[r#"
        violated     before  G !p
        violated     after   G !q  (unsure: 1 event was dropped)
        proven       proven  F p
        no instance  each    forall r: G !bad(r)  (unsure: 3 events were dropped)
    "#]]
    .assert_eq(&monitor.finish().to_string());
}

/// A handler that panics: the formulas have been progressed, and the next violation is told later.
#[test]
fn a_panic_about_one_violation_leaves_the_others() {
    let mut monitor = monitor();
    monitor.on_violation(OnViolation::Panic);
    monitor.check("one", "G !p").expect("a formula");
    monitor.check("other", "G !(p & q)").expect("a formula");
    monitor.set(&Fact::from("p"));
    monitor.set(&Fact::from("q"));
    let mut step = || {
        let stepped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| monitor.step()));
        stepped.map_err(|panic| panic.downcast::<String>().expect("a text").lines().next().map(str::to_owned))
    };
    let told = |name: &str| Err(Some(format!("error[watch::violated]: `{name}` is violated at state 1")));
    assert_eq!(step(), told("one"));
    assert_eq!(step(), told("other"));
    assert_eq!(step(), Ok(()));
    assert_eq!(monitor.violations().len(), 2);
}
