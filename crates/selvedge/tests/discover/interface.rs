//! Checks, counterexamples, options, limits and output.

use selvedge::discover::{
    Failure, Laws, Limits, Pruning, Relation, Signature, Statement, Term, discover, first_values, value,
};
use selvedge::sync::MVar;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

type M = MVar<i64>;

fn mvar() -> Signature<M, Option<i64>, Option<i64>> {
    Signature::new(|x: &Option<i64>| x.map_or_else(M::empty, M::new), |m: &M, _seed| m.try_read())
        .op("put", |m: &M, x: i64| m.put(x))
        .op("take", |m: &M| m.take())
        .op("read", |m: &M| m.read())
        .helper("try_put", |m: &M, x: i64| m.try_put(x).is_ok())
        .back_to_seed(|m: &M, _seed| m.try_read())
        .interfere("put 42", |m: &M, _seed| m.put(42))
}

fn small(size: usize) -> Limits {
    Limits::size(size).values(3).seeds(3).workers(1).progress(false)
}

/// What the function panics with.
#[track_caller]
fn message<R>(function: impl FnOnce() -> R) -> String {
    let payload = catch_unwind(AssertUnwindSafe(function)).err().expect("it panics");
    payload
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_else(|| (*payload.downcast_ref::<&str>().unwrap()).to_owned())
}

#[test]
fn a_law_is_checked_as_text_and_as_it_was_built() {
    assert!(mvar().check("[put 42] take === read >> take").holds());
    let law = Statement::new(
        Term::call("read", []),
        Relation::Refines,
        Term::call("take", []).bind("x", Term::call("put", ["x"])),
    );
    let checked = mvar().check_within(&law, &small(7));
    assert!(checked.holds() && checked.is_strict, "{checked}");
    assert_eq!((checked.evidence.seeds, checked.evidence.assignments), (3, 3));
    assert!(checked.to_string().starts_with("holds: read ->- take"), "{checked}");
}

#[test]
fn a_refuted_law_is_told_with_a_run_that_is_saved() {
    let checked = mvar().check_within(r"read === take >>= \x -> put x", &small(7));
    assert!(!checked.holds());
    let counterexample = checked.counterexample.as_ref().unwrap();
    assert_eq!((&*counterexample.seed, &*counterexample.interference), ("Some(0)", "put 42"));
    assert_eq!(counterexample.left, ["(Some(0), returned)"]);
    assert_eq!(counterexample.right, ["(Some(0), returned)", "(Some(42), deadlock)"]);
    let text = message(|| checked.assert());
    for part in [
        "error[run::law]: the law does not hold: read === take",
        "seed Some(0), put 42",
        "read: (Some(0), returned)",
        "that ends with (Some(42), deadlock)",
        "schedule  S0",
        "saved as",
        "replay with `SELVEDGE_REPLAY=interface-a_refuted_law",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!counterexample.run.is_empty());
}

#[test]
fn an_assignment_that_refutes_a_law_is_named() {
    let checked = mvar().check_within("put x === put x1", &small(7));
    let counterexample = checked.counterexample.unwrap();
    let expected = [("x".to_owned(), "0".to_owned()), ("x1".to_owned(), "1".to_owned())];
    assert_eq!(counterexample.assignment, expected);
    assert!(counterexample.message.contains("seed None, x = 0, x1 = 1, alone"), "{}", counterexample.message);
    assert!(mvar().check_within("x == x1 ==> put x === put x1", &small(7)).holds());
    assert!(!mvar().check_within("x <= x1 ==> put x === put x1", &small(7)).holds());
}

#[test]
fn a_refinement_that_is_not_strict_does_not_hold() {
    let checked = mvar().check_within("take ->- read >> take", &small(7));
    assert!(!checked.holds() && checked.counterexample.is_none());
    assert!(message(|| checked.assert()).contains("help: take === read >> take"));
}

#[test]
fn a_check_that_was_cut_short_does_not_hold() {
    let checked = mvar().check_within("take === read >> take", &small(7).runs(1));
    assert!(!checked.holds() && checked.counterexample.is_none());
    assert!(checked.to_string().starts_with("no difference seen"), "{checked}");
}

#[test]
fn rows_are_drawn_from_many() {
    let limits = small(7).values(50).seeds(50).sample(200, 7);
    let checked = mvar().check_within("put x === put x >> try_put x1", &limits);
    assert!(checked.holds(), "{checked}");
    assert_eq!(checked.evidence.assignments, 200);
}

#[test]
fn laws_that_cannot_be_read_say_why() {
    for (law, expected) in [
        ("push x === put x", "no operation is called `push`"),
        ("put x x1 === take", "`put` takes 1 arguments, and is given 2"),
        ("put 42 === take", "no constant is called `42`"),
        ("put (x + x) === take", "no pure function is called `+`"),
        ("take ||| take === take", "the signature does not have `|||`"),
        ("[get] take === take", "no interference is called `get`"),
        ("x is odd ==> put x === put x", "`x is odd` is not a condition"),
        ("y > 0 ==> put x === put x", "the law has no variable `y`"),
        (r"try_put x >>= \y -> put y === take", "no operation takes the result of `try_put x`"),
        ("take = take", "expected `===`, `->-` or `-<-`"),
    ] {
        let text = message(|| mvar().check(law));
        assert!(text.contains(expected) && text.contains(law), "{law}: {text}");
    }
}

#[test]
fn signatures_that_make_no_sense_are_refused() {
    assert!(message(|| mvar().op("put", |m: &M| m.take())).contains("the name `put` is taken"));
    assert!(message(|| mvar().op("a b", |m: &M| m.take())).contains("not a name for an operation"));
    assert!(message(|| mvar().pure(">>", |a: i64, b: i64| a + b)).contains("not a name for a function"));
    assert!(message(|| mvar().commutative("+")).contains("no pure function is called `+`"));
    assert!(
        message(|| mvar().interfere("put 42", |_, _| ())).contains("two interferences are called `put 42`")
    );
    let other = mvar().interfere("take", |m: &M, _| _ = m.take());
    assert!(message(|| mvar().compare(&other, small(3))).contains("different interferences"));
}

#[test]
fn results_are_compared_if_they_are_asked_for() {
    let [effects, results] = [false, true].map(|results| mvar().discover(small(6).results(results)));
    assert!(effects.has("put x === put x >> read") && !results.has("put x === put x >> read"), "{results}");
    assert!(results.has("read === read >> read"), "{results}");
}

#[test]
fn laws_do_not_depend_on_workers_and_caches() {
    let text = |laws: &Laws| laws.laws().iter().map(|law| format!("{law}\n")).collect::<String>();
    let expected = discover(&mvar(), small(7));
    assert_eq!(text(&mvar().discover(small(7).workers(3))), text(&expected));
    let uncached = Pruning { cached: false, most_general: false, ..Pruning::ALL };
    let anew = mvar().discover(small(7).pruning(uncached));
    assert_eq!(text(&anew), text(&expected));
    assert!(anew.figures().explorations > expected.figures().explorations);
}

#[test]
fn limits_keep_what_was_found_and_say_what_was_not_looked_at() {
    let laws = mvar().discover(small(7).time(Duration::ZERO));
    assert!(!laws.is_complete() && laws.laws().is_empty());
    assert!(
        laws.notes().iter().any(|note| note.contains("of size 2 and larger were not looked at")),
        "{laws}"
    );
    let laws = mvar().discover(small(7).memory(20_000));
    assert!(!laws.is_complete() && laws.figures().size < 7, "{laws}");
    let laws = mvar().discover(small(7).max_assignments(3));
    assert!(!laws.is_complete() && laws.has("put x === put x >> read"), "{laws}");
    assert!(laws.notes().iter().any(|note| note.contains("they have more than 3 assignments")), "{laws}");
}

#[test]
fn explorations_that_were_cut_short_support_no_law() {
    let laws = mvar().discover(small(5).runs(1));
    assert!(!laws.is_complete());
    assert!(!laws.has("take === read >> take"), "{laws}");
    let seen: Vec<String> = laws.no_difference_seen().iter().map(ToString::to_string).collect();
    assert!(seen.contains(&"take === read >> take".to_owned()), "{seen:?}");
    assert!(laws.no_difference_seen().iter().all(|law| !law.evidence.is_complete));
}

#[test]
fn a_law_under_a_condition_on_seeds_is_found() {
    let signature =
        mvar().op("try_read", |m: &M| m.try_read()).when_seed("the variable is full", Option::is_some);
    let laws = signature.discover(small(4));
    assert!(laws.to_string().contains("the variable is full ==> read === try_read"), "{laws}");
    assert!(signature.check_within("the variable is full ==> read === try_read", &small(4)).holds());
    assert!(!signature.check_within("read === try_read", &small(4)).holds());
    let laws = signature.discover(small(6));
    assert_eq!(laws.left_out(), ["try_read: neutral"]);
}

#[test]
fn a_part_that_does_the_same_in_one_step_is_left_out() {
    let signature = mvar().op("fill", |m: &M, x: i64| m.put(x));
    let laws = signature.discover(small(7));
    assert!(laws.has("put x === fill x"), "{laws}");
    assert_eq!(laws.left_out(), ["fill x: does the same as put x"]);
    assert!(!laws.to_string().contains("fill x >>"), "{laws}");
}

#[test]
fn panics_are_behaviours() {
    let signature = mvar()
        .op("check", |m: &M, x: i64| assert!(x != 1 || m.try_read().is_none(), "full"))
        .pure("half", |x: i64| if x < 0 { panic!("negative") } else { x / 2 })
        .value("1", 1_i64)
        .value("minus", -1_i64);
    let seen = signature.behaviours("check 1", &Some(3), "alone", &small(3));
    let seen: Vec<_> = seen.into_iter().collect();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].failure, Some(Failure::Panicked("full".to_owned())));
    assert_eq!(seen[0].observation, Some(Some(3)));
    let seen = signature.behaviours("put (half minus)", &None, "alone", &small(3));
    let failure = seen.iter().next().unwrap().failure.clone();
    assert_eq!(failure, Some(Failure::Panicked("negative".to_owned())));
}

#[test]
fn runs_that_cannot_be_observed_are_counted() {
    let signature = Signature::new(|x: &i64| M::new(*x), |m: &M, _seed| m.read())
        .op("read", |m: &M| m.read())
        .interfere("take and put", |m: &M, _seed| m.put(m.take()));
    let laws = signature.discover(small(5));
    assert!(laws.figures().unobserved > 0);
    assert!(laws.notes().iter().any(|note| note.contains("runs could not be observed")), "{laws}");
    assert!(laws.laws().iter().all(|law| law.evidence.unobserved > 0), "{laws}");
}

#[test]
fn laws_are_written_as_json_and_as_tests() {
    let laws = mvar().named("mvar").discover(small(6));
    let json = laws.to_json();
    for part in [
        r#""law":"read ->- take >>= \\x -> put x","when":[],"left":"read","relation":"->-""#,
        r#""under":[{"interference":"alone","relation":"==="},{"interference":"put 42","relation":"->-"}]"#,
        r#""outcome":"(Some(42), deadlock)""#,
        r#""complete":true"#,
    ] {
        assert!(json.contains(part), "{part}\n{json}");
    }
    let tests = laws.to_tests("mvar()");
    let expected = "#[test]\nfn read_refines_take_binds_x_put_x() {\n    let law = r\"read ->- take >>= \\x -> put x\";\n    \
                    mvar().check(law).assert();\n}\n";
    assert!(tests.contains(expected), "{tests}");
}

#[test]
fn each_strict_refinement_has_a_witness() {
    let laws = mvar().discover(small(7));
    let law = laws.find(r"read ->- take >>= \x -> put x").unwrap();
    let witness = law.witness.as_ref().unwrap();
    assert_eq!((&*witness.seed, &*witness.interference), ("Some(0)", "put 42"));
    assert_eq!(witness.outcome, "(Some(42), deadlock)");
    assert!(!witness.run.is_empty());
    assert!(laws.laws().iter().all(|law| law.witness.is_some() == (law.relation() != Relation::Equal)));
}

#[test]
fn a_table_shows_the_relation_under_each_interference() {
    let laws = mvar().discover(small(6));
    let table = laws.table();
    let line = table.lines().find(|line| line.starts_with("read  ?  take >>= ")).unwrap();
    let words: Vec<&str> = line.split_whitespace().rev().take(2).collect();
    assert_eq!(words, ["->-", "==="], "{table}");
    assert!(table.lines().next().unwrap().ends_with("alone  put 42"), "{table}");
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Point,
    Square(bool),
    Rectangle { width: u8, height: u8 },
}

value!(Shape as "shape": Shape::Point, Shape::Square(bool), Shape::Rectangle { width: u8, height: u8 });

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum List {
    End,
    Item(u8, Box<List>),
}

value!(List as "list": List::End, List::Item(u8, Box<List>));

#[test]
fn values_of_users_types_are_enumerated_by_size() {
    let shapes = [
        Shape::Point,
        Shape::Square(false),
        Shape::Rectangle { width: 0, height: 0 },
        Shape::Square(true),
        Shape::Rectangle { width: 0, height: 1 },
    ];
    assert_eq!(first_values::<Shape>(5), shapes);
    use selvedge::discover::Value;
    assert_eq!(Shape::count(), Some(1 + 2 + 256 * 256));
    let end = || Box::new(List::End);
    let lists = [
        List::End,
        List::Item(0, end()),
        List::Item(0, Box::new(List::Item(0, end()))),
        List::Item(1, end()),
    ];
    assert_eq!(first_values::<List>(4), lists);
}

#[test]
fn values_of_std_are_enumerated_by_size() {
    assert_eq!(first_values::<i8>(300).len(), 256);
    assert_eq!(first_values::<bool>(9), [false, true]);
    assert_eq!(first_values::<Vec<i64>>(5), [vec![], vec![0], vec![0, 0], vec![1], vec![0, 0, 0]]);
    assert_eq!(first_values::<(bool, u8)>(3), [(false, 0), (false, 1), (true, 0)]);
    assert_eq!(first_values::<String>(3), ["", "a", "aa"]);
    assert_eq!(first_values::<Result<u8, bool>>(3), [Ok(0), Err(false), Ok(1)]);
}

#[test]
fn types_of_which_not_all_values_are_tried_are_named() {
    let laws = mvar().op("choose", |_: &M, shape: Shape| shape).discover(small(3));
    assert!(laws.notes().iter().any(|note| note.ends_with("Shape: 3 of 65539 values were tried")), "{laws}");
    assert!(laws.notes().contains(&"i64: the first 3 values were tried".to_owned()), "{laws}");
}
