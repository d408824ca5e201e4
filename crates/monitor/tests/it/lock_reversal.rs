//! Lock reversal, the example of Stolz and Huch, §4 and §5: as a formula, as templates, as text.

use selvedge_ltl::buchi::Translator;
use selvedge_ltl::progression::Verdict;
use selvedge_ltl::{Alphabet, Formula};
use selvedge_monitor::{Fact, Instantiation, IntoProperty, Monitor, OnViolation, Template};

fn monitor() -> Monitor<Fact> {
    let mut monitor = Monitor::new();
    monitor.on_violation(OnViolation::Keep);
    monitor
}

fn holds(thread: u32, lock: &str) -> Fact {
    Fact::from(("holds", thread, lock))
}

/// `u & !v & (u U v)`: u is taken, and held until v is taken.
fn phi(u: &Fact, v: &Fact) -> Formula<Fact> {
    let [u, v] = [u, v].map(|prop| Formula::prop(prop.clone()));
    u.clone() & !v.clone() & u.until(v)
}

#[track_caller]
fn check_equivalent(one: &str, other: &str) {
    let mut alphabet = Alphabet::default();
    let mut translator = Translator::default();
    let [one_nnf, other_nnf] = [one, other].map(|text| {
        let formula = alphabet.number(&text.parse::<Formula<String>>().expect("a formula")).expect("few");
        translator.arena.formula(&formula)
    });
    assert_eq!(translator.difference(one_nnf, other_nnf), Ok(None), "{one} and {other}");
}

#[test]
fn the_remainders_of_the_formula_lock() {
    let mut monitor = Monitor::new();
    monitor.on_violation(OnViolation::Keep);
    let [a, b] = [Fact::from("A"), Fact::from("B")];
    monitor.check("lock", (!phi(&b, &a)).always()).expect("a formula");
    let always = "G !(B & !A & (B U A))";
    check_equivalent(&monitor.remainders()[0].1, always);
    monitor.set(&b);
    monitor.step();
    check_equivalent(&monitor.remainders()[0].1, &format!("!(B U A) & {always}"));
    monitor.set(&a);
    monitor.step();
    assert!(monitor.remainders().is_empty());
    assert_eq!(monitor.violations()[0].state, 2);
}

/// The thread and the lock of a proposition.
fn parts(prop: &Fact) -> Option<(&selvedge_monitor::Value, &selvedge_monitor::Value)> {
    match prop.data() {
        [thread, lock] if prop.name() == "holds" => Some((thread, lock)),
        _ => None,
    }
}

/// `φ(p1, p2) -> G !φ(p3, p4)`, as printed; or always.
fn lock_formula(p: [&Fact; 4], is_always: bool) -> Formula<Fact> {
    let formula = phi(p[0], p[1]).implies((!phi(p[2], p[3])).always());
    if is_always { formula.always() } else { formula }
}

/// `lockF` of §5: four propositions at once.
fn plain(is_always: bool) -> Template<Fact> {
    Template::new(4, move |props| {
        let [p1, p2, p3, p4] = props else { return Instantiation::Unsuitable };
        let (Some((i1, x1)), Some((i2, y1)), Some((j1, y2)), Some((j2, x2))) =
            (parts(p1), parts(p2), parts(p3), parts(p4))
        else {
            return Instantiation::Unsuitable;
        };
        if i1 == i2 && x1 == x2 && j1 == j2 && y1 == y2 && i1 != j1 && x1 != y1 {
            Instantiation::Formula(lock_formula([p1, p2, p3, p4], is_always))
        } else {
            Instantiation::Unsuitable
        }
    })
}

/// `lockF` of §5.1: two propositions, then two more.
fn partial(is_always: bool) -> Template<Fact> {
    Template::new(2, move |props| {
        let [p1, p2] = props else { return Instantiation::Unsuitable };
        let (Some((i1, x1)), Some((i2, y1))) = (parts(p1), parts(p2)) else {
            return Instantiation::Unsuitable;
        };
        if i1 != i2 || x1 == y1 {
            return Instantiation::Unsuitable;
        }
        let (p1, p2) = ((*p1).clone(), (*p2).clone());
        Instantiation::Template(Template::new(2, move |props| {
            let ([p3, p4], Some((i1, x1)), Some((_, y1))) = (props, parts(&p1), parts(&p2)) else {
                return Instantiation::Unsuitable;
            };
            let (Some((j1, y2)), Some((j2, x2))) = (parts(p3), parts(p4)) else {
                return Instantiation::Unsuitable;
            };
            if x1 == x2 && j1 == j2 && y1 == y2 && i1 != j1 {
                Instantiation::Formula(lock_formula([&p1, &p2, p3, p4], is_always))
            } else {
                Instantiation::Unsuitable
            }
        }))
    })
}

/// The same as text.
const TEXT: &str = "forall t1 != t2, a != b: G (
    holds(t1, a) & !holds(t1, b) & (holds(t1, a) U holds(t1, b))
    -> G !(holds(t2, b) & !holds(t2, a) & (holds(t2, b) U holds(t2, a))))";

/// One thread takes A, then B, and releases both; later another takes B, then A.
fn reverse(monitor: &mut Monitor<Fact>) {
    for (thread, locks) in [(1, ["A", "B"]), (2, ["B", "A"])] {
        for lock in locks {
            monitor.set(&holds(thread, lock));
            monitor.step();
        }
        for lock in locks {
            monitor.release(&holds(thread, lock));
            monitor.step();
        }
    }
}

/// The state in which the second thread takes its second lock.
const REVERSED_AT: u64 = 6;

#[track_caller]
fn check_reversal(property: impl IntoProperty<Fact>, expected: &[u64]) {
    let mut monitor = monitor();
    monitor.check("lock", property).expect("a property");
    reverse(&mut monitor);
    let states: Vec<u64> = monitor.violations().iter().map(|violation| violation.state).collect();
    assert_eq!(states, expected);
}

#[test]
fn the_printed_template_is_proven_as_it_is_instantiated() {
    for template in [plain(false), partial(false), plain(false).from_now(), partial(false).from_now()] {
        let mut monitor = monitor();
        monitor.check("lock", template).expect("a template");
        reverse(&mut monitor);
        assert!(monitor.violations().is_empty());
        let report = monitor.finish();
        let judgement = report.get("lock").expect("checked");
        // Four instances: each thread can be the first, and each lock.
        assert_eq!((judgement.verdict, judgement.instances), (Some(Verdict::True), Some(4)));
    }
}

#[test]
fn lock_reversal_is_told_at_the_event_that_completes_it() {
    check_reversal(plain(true), &[REVERSED_AT]);
    check_reversal(partial(true), &[REVERSED_AT]);
    check_reversal(TEXT, &[REVERSED_AT]);
}

#[test]
fn instances_that_begin_as_they_are_made_miss_what_was_before() {
    check_reversal(plain(true).from_now(), &[]);
    check_reversal(partial(true).from_now(), &[]);
}

#[test]
fn lock_reversal_is_found_on_the_recorded_past() {
    let mut monitor = monitor();
    reverse(&mut monitor);
    monitor.check_past("plain", plain(true)).expect("a template");
    monitor.check_past("text", TEXT).expect("a template");
    let found: Vec<(&str, u64)> =
        monitor.violations().iter().map(|violation| (violation.name.as_str(), violation.state)).collect();
    assert_eq!(found, [("plain", REVERSED_AT), ("text", REVERSED_AT)]);
}

/// Every thread takes and releases every lock once. Returns the number of instances, and of combinations.
fn instantiate(property: impl IntoProperty<Fact>, size: u32) -> (u64, u64) {
    let mut monitor = monitor();
    monitor.check("lock", property).expect("a template");
    for (thread, lock) in (0..size).flat_map(|thread| (0..size).map(move |lock| (thread, lock))) {
        monitor.pulse(&holds(thread, &lock.to_string()));
    }
    let combinations = monitor.combinations("lock");
    let report = monitor.finish();
    (report.get("lock").and_then(|judgement| judgement.instances).expect("a template"), combinations)
}

#[test]
fn partial_instantiation_and_text_try_fewer_combinations() {
    assert_eq!(instantiate(plain(true), 5), (400, 303_600));
    assert_eq!(instantiate(partial(true), 5), (400, 51_200));
    assert_eq!(instantiate(TEXT, 5), (400, 480));
}

#[test]
fn ten_threads_and_ten_locks_make_8100_instances() {
    assert_eq!(instantiate(plain(true), 10), (8_100, 94_109_400));
    assert_eq!(instantiate(partial(true), 10), (8_100, 8_565_300));
    let (instances, combinations) = instantiate(TEXT, 10);
    assert_eq!(instances, 8_100);
    assert_eq!(combinations, 8_910);
}
