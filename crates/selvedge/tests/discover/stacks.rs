//! The laws of stacks (Walker's thesis, Listings 75 to 80).

use super::cases::stacks::{CasStack, LockStack, Stack, peeked_stack, stack, stack_with_wrong_push2};
use super::found::{Rows, assert_none_missed};
use expect_test::expect;

const ROWS: Rows = Rows { values: 3, seeds: 5 };

/// (6) to (8).
const LAWS: [&str; 3] =
    ["peek ->- push x >> pop", "peek ->- push x ||| pop", r"peek ->- pop >>= \m -> when_some_push m"];

/// Those of a `push2` that pushes its second argument twice.
const WRONG_PUSH2_LAWS: [&str; 3] =
    ["push2 x1 x ->- push x >> push x", "push2 x1 x ->- push x ||| push x", "push x1 ->- push2 x x1 >> pop"];

/// Listing 78.
const PEEKED_LAWS: [&str; 6] = [
    "peek ->- push x >> pop",
    r"peek === pop >>= \m -> when_some_push m",
    "push x === pop >> push x",
    "push x1 === push2 x x1",
    "push x1 === push x >> push x1",
    "when_some_push m === when_some_push2 x m",
];

/// Between two stacks: Listing 80, and more.
const COMPARED_LAWS: [&str; 8] = [
    "pop === pop",
    "peek === peek",
    "push x === push x",
    "pop >> pop === pop >> pop",
    "pop ||| pop === pop ||| pop",
    "push x ||| pop === push x ||| pop",
    "when_some_push m === when_some_push m",
    "push x >> pop === push x >> pop",
];

fn check_listed<S: Stack>() -> String {
    let signature = stack_with_wrong_push2::<S>();
    let laws = signature.discover(ROWS.limits(7));
    let named = [LAWS, WRONG_PUSH2_LAWS].concat();
    let found = ROWS.found(&laws, &named);
    assert_none_missed(&found);
    ROWS.assert_hold(&signature, &named);
    ROWS.assert_stands(&signature, &laws);
    found
}

#[test]
fn a_push2_that_is_wrong_is_seen_in_its_laws() {
    expect![[r#"
        reported  peek ->- push x >> pop
        follows   peek ->- push x ||| pop
        reported  peek ->- pop >>= \m -> when_some_push m
        reported  push2 x1 x ->- push x >> push x
        follows   push2 x1 x ->- push x ||| push x
        reported  push x1 ->- push2 x x1 >> pop
    "#]]
    .assert_eq(&check_listed::<LockStack>());
}

#[test]
fn a_stack_by_compare_and_swap_has_the_same_laws() {
    expect![[r#"
        reported  peek ->- push x >> pop
        follows   peek ->- push x ||| pop
        reported  peek ->- pop >>= \m -> when_some_push m
        reported  push2 x1 x ->- push x >> push x
        follows   push2 x1 x ->- push x ||| push x
        reported  push x1 ->- push2 x x1 >> pop
    "#]]
    .assert_eq(&check_listed::<CasStack>());
}

#[test]
fn the_six_laws_of_listing_78_are_found_by_peeking() {
    let signature = peeked_stack::<LockStack>();
    let laws = signature.discover(ROWS.limits(7));
    let found = ROWS.found(&laws, &PEEKED_LAWS);
    expect![[r#"
        reported  peek ->- push x >> pop
        reported  peek === pop >>= \m -> when_some_push m
        reported  push x === pop >> push x
        reported  push x1 === push2 x x1
        reported  push x1 === push x >> push x1
        reported  when_some_push m === when_some_push2 x m
    "#]]
    .assert_eq(&found);
    assert_none_missed(&found);
    ROWS.assert_hold(&signature, &PEEKED_LAWS);
    ROWS.assert_stands(&signature, &laws);
}

#[test]
fn both_stacks_do_the_same() {
    let comparison = stack::<LockStack>().compare(&stack::<CasStack>(), ROWS.limits(7));
    let found = ROWS.found_between(&comparison, &COMPARED_LAWS);
    expect![[r#"
        reported  pop === pop
        reported  peek === peek
        reported  push x === push x
        reported  pop >> pop === pop >> pop
        follows   pop ||| pop === pop ||| pop
        follows   push x ||| pop === push x ||| pop
        reported  when_some_push m === when_some_push m
        follows   push x >> pop === push x >> pop
    "#]]
    .assert_eq(&found);
    assert_none_missed(&found);
}
