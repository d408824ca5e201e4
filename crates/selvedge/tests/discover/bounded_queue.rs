//! Discovery misses no law of a bounded queue that was written down before it ran.

use super::cases::bounded_queue::bounded_queue;
use super::found::{Rows, assert_none_missed};
use expect_test::expect;

/// The laws, by hand: what `len` does not change, what two threads can do that one cannot, and what
/// they cannot.
const LAWS: &[&str] = &[
    "len === len >> len",
    "len === len ||| len",
    "pop === len >> pop",
    "pop === pop >> len",
    "pop === len ||| pop",
    "push x === len >> push x",
    "push x === push x >> len",
    "push x === len ||| push x",
    "try_pop === len >> try_pop",
    "try_pop === try_pop >> len",
    "try_push x === len >> try_push x",
    "try_push x === try_push x >> len",
    "pop >> pop === pop ||| pop",
    "try_pop >> try_pop === try_pop ||| try_pop",
    "try_push x >> try_pop ->- try_push x ||| try_pop",
    "try_pop >> try_push x ->- try_push x ||| try_pop",
    "push x >> push x1 ->- push x ||| push x1",
    "push x >> push x === push x ||| push x",
    "try_push x >> try_push x1 ->- try_push x ||| try_push x1",
    "try_push x >> try_push x === try_push x ||| try_push x",
];

const ROWS: Rows = Rows { values: 2, seeds: 4 };

#[test]
fn no_law_of_the_bounded_queue_is_missed() {
    let laws = bounded_queue().discover(ROWS.limits(7));
    let found = ROWS.found(&laws, LAWS);
    expect![[r#"
        reported  len === len >> len
        reported  len === len ||| len
        reported  pop === len >> pop
        reported  pop === pop >> len
        follows   pop === len ||| pop
        reported  push x === len >> push x
        reported  push x === push x >> len
        reported  push x === len ||| push x
        reported  try_pop === len >> try_pop
        reported  try_pop === try_pop >> len
        reported  try_push x === len >> try_push x
        reported  try_push x === try_push x >> len
        reported  pop >> pop === pop ||| pop
        reported  try_pop >> try_pop === try_pop ||| try_pop
        follows   try_push x >> try_pop ->- try_push x ||| try_pop
        follows   try_pop >> try_push x ->- try_push x ||| try_pop
        reported  push x >> push x1 ->- push x ||| push x1
        reported  push x >> push x === push x ||| push x
        reported  try_push x >> try_push x1 ->- try_push x ||| try_push x1
        reported  try_push x >> try_push x === try_push x ||| try_push x
    "#]]
    .assert_eq(&found);
    assert_none_missed(&found);
    ROWS.assert_hold(&bounded_queue(), LAWS);
    ROWS.assert_stands(&bounded_queue(), &laws);
}
