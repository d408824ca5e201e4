//! Instances that need not be remembered are freed, and made again.

use selvedge_ltl::progression::Verdict;
use selvedge_monitor::{Fact, Monitor, OnViolation, Report};

/// More ids than instances are kept by default.
const IDS: u32 = 100_000;

fn monitor(property: &str) -> Monitor<Fact> {
    let mut monitor = Monitor::new();
    monitor.on_violation(OnViolation::Keep);
    monitor.check("property", property).expect("a template");
    monitor
}

/// Every id is requested and answered; returns the greatest numbers of instances and of propositions.
fn answer_all(monitor: &mut Monitor<Fact>) -> (usize, usize) {
    let (mut instances, mut propositions) = (0, 0);
    for id in 0..IDS {
        monitor.pulse(&Fact::from(("request", id)));
        monitor.pulse(&Fact::from(("answer", id)));
        instances = instances.max(monitor.instance_count());
        propositions = propositions.max(monitor.proposition_count());
    }
    (instances, propositions)
}

fn verdict(report: &Report) -> (Option<Verdict>, Option<&str>) {
    let judgement = &report.judgements[0];
    (judgement.verdict, judgement.example.as_deref())
}

#[test]
fn answered_requests_are_not_remembered() {
    let mut monitor = monitor("forall r: G (request(r) -> F answer(r))");
    let (instances, propositions) = answer_all(&mut monitor);
    assert!(instances <= 16_384, "{instances} instances");
    // Two propositions for each instance, and the propositions that the path shows.
    assert!(propositions <= 2 * 16_384 + 10_064, "{propositions} propositions");
    let report = monitor.finish();
    assert_eq!(report.judgements[0].verdict, Some(Verdict::PresumablyTrue));
    assert!(report.to_string().contains("[at most 100000 instances, such as r = "), "{report}");
}

#[test]
fn open_requests_are_remembered() {
    let mut monitor = monitor("forall r: G (request(r) -> F answer(r))");
    monitor.pulse(&Fact::from(("request", "open")));
    answer_all(&mut monitor);
    let report = monitor.finish();
    assert_eq!(verdict(&report), (Some(Verdict::PresumablyFalse), Some("r = \"open\"")));
}

#[test]
fn a_freed_instance_that_comes_back_is_violated_at_the_state_that_violates_it() {
    let mut monitor = monitor("forall r: G (request(r) -> !again(r) U answer(r))");
    answer_all(&mut monitor);
    let requested = monitor.state();
    for id in [3, 5] {
        monitor.pulse(&Fact::from(("request", id)));
    }
    monitor.pulse(&Fact::from(("again", 7)));
    monitor.pulse(&Fact::from(("again", 3)));
    let [violation] = monitor.violations() else { panic!("{:?}", monitor.violations()) };
    assert_eq!((violation.binding.as_deref(), violation.state), (Some("r = 3"), requested + 4));
    assert_eq!(verdict(&monitor.finish()), (Some(Verdict::False), Some("r = 3")));
}

#[test]
fn a_proposition_whose_number_the_user_has_is_not_forgotten() {
    let mut monitor = monitor("forall r: G (request(r) -> F answer(r))");
    let request = monitor.prop_id(&Fact::from(("request", 3)));
    answer_all(&mut monitor);
    monitor.pulse_id(request);
    assert_eq!(verdict(&monitor.finish()), (Some(Verdict::PresumablyFalse), Some("r = 3")));
}

#[test]
fn a_template_that_is_checked_later_tells_that_propositions_are_forgotten() {
    let mut monitor = monitor("forall r: G (request(r) -> F answer(r))");
    answer_all(&mut monitor);
    monitor.check("later", "forall r: G !(request(r) & answer(r))").expect("a template");
    let notes = monitor.finish().notes;
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("`later`: some propositions that no state after state"), "{notes:?}");
}

#[test]
fn proven_instances_stay_proven_though_their_propositions_are_forgotten() {
    let mut monitor = monitor("forall r: F answer(r)");
    let (instances, propositions) = answer_all(&mut monitor);
    assert!(instances <= 2, "{instances} instances");
    assert!(propositions <= 2 * 16_384 + 10_064, "{propositions} propositions");
    monitor.pulse(&Fact::from(("answer", 3)));
    let report = monitor.finish();
    assert_eq!(report.judgements[0].instances, Some(u64::from(IDS)));
    assert_eq!(verdict(&report), (Some(Verdict::True), None));
}
