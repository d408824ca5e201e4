//! The laws of `MVar` (Walker's thesis, Listings 70 and 71, Table 9).

use super::cases::mvar::{mvar, refilled_mvar};
use super::found::{Rows, assert_none_missed};
use expect_test::{expect, expect_file};
use selvedge::discover::{Behaviour, Failure, Limits};
use std::collections::BTreeSet;

const ROWS: Rows = Rows { values: 10, seeds: 10 };

/// Listings 70 and 71.
const LAWS: [&str; 8] = [
    "read === read >> read",
    r"read ->- take >>= \x -> put x",
    "take === read >> take",
    "put x === put x >> read",
    "read === read >> try_put x",
    r"read === read >>= \x -> try_put x",
    r"read ->- take >>= \x -> try_put x",
    "put x === put x >> try_put x1",
];

/// The same beside a thread that empties the variable and puts the seed back.
const REFILLED_LAWS: [&str; 8] = [
    "read === read >> read",
    r"read ->- take >>= \x -> put x",
    "take === read >> take",
    "put x ->- put x >> read",
    "read ->- read >> try_put x",
    r"read === read >>= \x -> try_put x",
    r"read === take >>= \x -> try_put x",
    "put x ->- put x >> try_put x1",
];

#[test]
fn the_eight_laws_of_listings_70_and_71_are_found() {
    let laws = mvar().discover(ROWS.limits(7));
    assert!(laws.is_complete(), "{laws}");
    let found = ROWS.found(&laws, &LAWS);
    expect![[r#"
        reported  read === read >> read
        reported  read ->- take >>= \x -> put x
        reported  take === read >> take
        reported  put x === put x >> read
        reported  read === read >> try_put x
        reported  read === read >>= \x -> try_put x
        reported  read ->- take >>= \x -> try_put x
        reported  put x === put x >> try_put x1
    "#]]
    .assert_eq(&found);
    assert_none_missed(&found);
    ROWS.assert_hold(&mvar(), &LAWS);
    ROWS.assert_stands(&mvar(), &laws);
}

#[test]
fn another_interference_has_other_laws() {
    let laws = refilled_mvar().discover(ROWS.limits(7));
    let found = ROWS.found(&laws, &REFILLED_LAWS);
    expect![[r#"
        reported  read === read >> read
        reported  read ->- take >>= \x -> put x
        reported  take === read >> take
        reported  put x ->- put x >> read
        reported  read ->- read >> try_put x
        reported  read === read >>= \x -> try_put x
        reported  read === take >>= \x -> try_put x
        reported  put x ->- put x >> try_put x1
    "#]]
    .assert_eq(&found);
    assert_none_missed(&found);
    ROWS.assert_hold(&refilled_mvar(), &REFILLED_LAWS);
    ROWS.assert_stands(&refilled_mvar(), &laws);
}

/// Behaviours: what is observed, and how the term ended.
#[track_caller]
fn check_behaviours(term: &str, seed: Option<i64>, expected: &[(Option<i64>, Option<Failure>)]) {
    let behaviour = |(observation, failure): &(_, Option<Failure>)| Behaviour {
        observation: Some(*observation),
        failure: failure.clone(),
    };
    let expected: BTreeSet<_> = expected.iter().map(behaviour).collect();
    assert_eq!(mvar().behaviours(term, &seed, "put 42", &Limits::size(7)), expected, "{term}, {seed:?}");
}

#[test]
fn the_behaviours_are_those_of_table_9() {
    check_behaviours("read", None, &[(Some(42), None)]);
    check_behaviours("read", Some(0), &[(Some(0), None)]);
    let take_put = r"take >>= \x -> put x";
    check_behaviours(take_put, None, &[(Some(42), None)]);
    check_behaviours(take_put, Some(0), &[(Some(0), None), (Some(42), Some(Failure::Deadlock))]);
}

/// What stands before the tests that discovery writes.
const HEAD: &str = "\
//! The laws of `MVar`, as discovery writes them: `Laws::to_tests`. A test in `mvar` writes them anew.

use super::cases::mvar::mvar;

";

#[test]
fn the_checked_in_tests_are_those_that_discovery_writes() {
    let laws = mvar().discover(ROWS.limits(7));
    expect_file!["mvar_laws.rs"].assert_eq(&(HEAD.to_owned() + &laws.to_tests("mvar()")));
}
