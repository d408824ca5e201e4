//! The domains of Huch's paper, sections 3 to 7, as files, with the paper's claims about them.

use super::enumeration::Reference;
use super::{integers, named, parse, rendered};
use expect_test::expect;
use num_bigint::BigInt;
use selvedge_lang::erlang::domain::{BinaryOperation, IntegerDomain, Outcome, Truth};

#[track_caller]
fn judge(domain: &IntegerDomain, proposition: &str, label: &str, expected: Truth) {
    assert_eq!(domain.judge(named(domain, proposition), named(domain, label)), expected);
}

/// The names of the outcomes.
fn outcomes(domain: &IntegerDomain, a: &str, operation: BinaryOperation, b: &str) -> Vec<String> {
    let outcomes = domain.binary(operation, named(domain, a), named(domain, b));
    let name = |outcome: &Outcome| match outcome {
        Outcome::Integer(element) => domain.name(*element).to_owned(),
        Outcome::Error => "error".to_owned(),
    };
    outcomes.iter().map(name).collect()
}

/// The numbers from -20 to 20 that the element stands for.
fn gamma(domain: &IntegerDomain, name: &str) -> Vec<i32> {
    (-20..=20).filter(|n| domain.contains(named(domain, name), &BigInt::from(*n))).collect()
}

#[test]
fn all_files_load_and_cover_all_results() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/erlang/domains");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of domains") {
        let name = entry.expect("a file").file_name().into_string().expect("UTF-8");
        let domain = integers(&[&name]);
        Reference::new(&domain).check_all();
        assert_eq!(domain.assumptions(), &[] as &[String], "{name}");
        count += 1;
    }
    assert_eq!(count, 7);
}

#[test]
fn it_is_more_precise_to_know_at_most_5_than_at_most_10_than_any_number() {
    let domain = integers(&["at-most.domain"]);
    let [numbers, ten, five] = ["numbers", "<=10", "<=5"].map(|name| named(&domain, name));
    assert!(domain.is_at_most(numbers, ten) && domain.is_at_most(ten, five));
    assert!(!domain.is_at_most(five, ten) && !domain.is_at_most(ten, numbers));
    assert_eq!([5, 10, 11].map(|n| domain.alpha(&BigInt::from(n))), [five, ten, numbers]);
    assert_eq!(gamma(&domain, "<=10"), (-20..=10).collect::<Vec<_>>());
    assert_eq!(domain.named("?int"), Some(numbers));
    assert_eq!(outcomes(&domain, "<=5", BinaryOperation::Add, "<=5"), ["<=10"]);
}

#[test]
fn even_42_proves_even_and_an_unknown_quotient_neither_proves_nor_refutes_it() {
    for text in ["even-odd.domain", "parity"] {
        let domain = integers(&[text]);
        assert_eq!(domain.alpha(&BigInt::from(42)), named(&domain, "even"));
        judge(&domain, "even", "even", Truth::True);
        judge(&domain, "even", "odd", Truth::False);
        judge(&domain, "even", "?int", Truth::Unknown);
        judge(&domain, "?int", "odd", Truth::True);
        assert_eq!(outcomes(&domain, "even", BinaryOperation::Divide, "even"), ["?int", "error"]);
        assert_eq!(outcomes(&domain, "even", BinaryOperation::Divide, "odd"), ["?int"]);
        // `F 42` and `F 40` cannot be told apart.
        assert!(!domain.is_exact(&BigInt::from(42)));
    }
}

#[test]
fn a_value_whose_number_is_abstracted_elsewhere_does_not_have_it() {
    let domain = integers(&["overlapping.domain"]);
    assert_eq!(gamma(&domain, "<=0"), (-20..0).collect::<Vec<_>>());
    assert_eq!(gamma(&domain, ">=0"), (0..=20).collect::<Vec<_>>());
    judge(&domain, ">=0", "<=0", Truth::False);
    judge(&domain, ">=0", "num", Truth::Unknown);
}

#[test]
fn overlapping_values_are_told_apart_by_a_more_precise_one() {
    let domain = integers(&["overlapping-with-zero.domain"]);
    assert_eq!(gamma(&domain, "0"), [0]);
    assert_eq!(gamma(&domain, "<=0"), (-20..=0).collect::<Vec<_>>());
    assert_eq!(gamma(&domain, ">=0"), (0..=20).collect::<Vec<_>>());
    assert_eq!(gamma(&domain, "num"), (-20..=20).collect::<Vec<_>>());
    judge(&domain, ">=0", "<=0", Truth::Unknown);
    judge(&domain, ">=0", "0", Truth::True);
    assert!(domain.is_exact(&BigInt::ZERO) && !domain.is_exact(&BigInt::from(1)));
}

#[test]
fn a_superfluous_value_cannot_prove_what_it_means() {
    let domain = integers(&["superfluous-zero.domain"]);
    assert_eq!(gamma(&domain, "zero"), gamma(&domain, "0"));
    assert_eq!(gamma(&domain, "zero"), [0]);
    // By Definition 8 it is true; the order alone does not show that.
    judge(&domain, "0", "zero", Truth::Unknown);
    judge(&domain, "zero", "0", Truth::True);
    let (_, diagnostics) = parse(&["superfluous-zero.domain"]);
    expect![[r#"
        warning[domain::superfluous]: `zero` is superfluous
         --> superfluous-zero.domain:3:13
          |
        3 | values num, zero, 0
          |             ^^^^ it stands for the same numbers as `0`
          |
          = help: propositions about it may stay unknown; leave the value out
    "#]]
    .assert_eq(&rendered(&diagnostics));
}

#[test]
fn a_value_without_numbers_keeps_others_from_refuting_each_other() {
    let domain = integers(&["empty-zero.domain"]);
    assert!(domain.is_empty(named(&domain, "0")));
    assert_eq!(gamma(&domain, "<=0"), (-20..0).collect::<Vec<_>>());
    // Their concretizations are disjoint; the order alone does not show that.
    judge(&domain, ">=0", "<=0", Truth::Unknown);
    let (_, diagnostics) = parse(&["empty-zero.domain"]);
    expect![[r#"
        warning[domain::superfluous]: `0` is superfluous
         --> empty-zero.domain:4:27
          |
        4 | values num, '<=0', '>=0', 0
          |                           ^ it stands for no number
          |
          = help: propositions about it may stay unknown; leave the value out
    "#]]
    .assert_eq(&rendered(&diagnostics));
}

#[test]
fn sets_with_two_common_upper_bounds_do_not_refute_each_other() {
    let domain = integers(&["overlapping-sets.domain"]);
    judge(&domain, "{1,2,3}", "{1,2,4}", Truth::Unknown);
    judge(&domain, "{1,2,3}", "1", Truth::True);
    judge(&domain, "{1,2,3}", "4", Truth::False);
    judge(&domain, "1", "2", Truth::False);
    // What the printed rule would have refuted: 1 is in both.
    assert_eq!(gamma(&domain, "{1,2,3}"), [1, 2, 3]);
    assert_eq!(gamma(&domain, "{1,2,4}"), [1, 2, 4]);
    let upper: Vec<&str> = domain
        .elements()
        .filter(|bound| {
            ["{1,2,3}", "{1,2,4}"].iter().all(|set| domain.is_at_most(named(&domain, set), *bound))
        })
        .map(|bound| domain.name(bound))
        .collect();
    assert_eq!(upper, ["1", "2"]);
    assert!((1..=4).all(|n| domain.is_exact(&BigInt::from(n))) && !domain.is_exact(&BigInt::from(5)));
}
