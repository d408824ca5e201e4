//! Discovery misses no law of a read-write lock that was written down before it ran.

use super::cases::read_write_lock::read_write_lock;
use super::found::{Rows, assert_none_missed};
use expect_test::expect;

/// The laws, by hand: what looking does not change, which attempts are in vain, and where threads and
/// one thread do the same. Between its two steps `give_write >> take_read` lets a writer in;
/// `downgrade` does not.
const LAWS: &[&str] = &[
    "readers === readers >> readers",
    "readers === readers ||| readers",
    "take_read === readers >> take_read",
    "take_read === take_read >> readers",
    "take_read === readers ||| take_read",
    "take_write === readers >> take_write",
    "take_write === take_write >> readers",
    "take_write === readers ||| take_write",
    "try_read === readers >> try_read",
    "try_read === try_read >> readers",
    "try_write === readers >> try_write",
    "try_write === try_write >> readers",
    "give_read === readers >> give_read",
    "give_read === give_read >> readers",
    "give_write === readers >> give_write",
    "give_write === give_write >> readers",
    "try_write === try_write >> try_write",
    "try_write === try_write ||| try_write",
    "take_write === take_write >> try_write",
    "take_write === take_write >> try_read",
    "take_read === take_read >> try_write",
    "take_read >> take_read === take_read ||| take_read",
    "take_read >> take_read === take_read >> try_read",
    "take_read >> take_read === try_read >> take_read",
    "try_read >> try_read === try_read ||| try_read",
    "take_write >> take_read === take_write >> take_write",
    "downgrade ->- give_write >> take_read",
];

const ROWS: Rows = Rows { values: 4, seeds: 4 };

#[test]
fn no_law_of_the_read_write_lock_is_missed() {
    let laws = read_write_lock().discover(ROWS.limits(5));
    let found = ROWS.found(&laws, LAWS);
    expect![[r#"
        reported  readers === readers >> readers
        reported  readers === readers ||| readers
        reported  take_read === readers >> take_read
        reported  take_read === take_read >> readers
        follows   take_read === readers ||| take_read
        reported  take_write === readers >> take_write
        reported  take_write === take_write >> readers
        follows   take_write === readers ||| take_write
        reported  try_read === readers >> try_read
        reported  try_read === try_read >> readers
        reported  try_write === readers >> try_write
        reported  try_write === try_write >> readers
        reported  give_read === readers >> give_read
        reported  give_read === give_read >> readers
        reported  give_write === readers >> give_write
        reported  give_write === give_write >> readers
        reported  try_write === try_write >> try_write
        reported  try_write === try_write ||| try_write
        reported  take_write === take_write >> try_write
        reported  take_write === take_write >> try_read
        reported  take_read === take_read >> try_write
        reported  take_read >> take_read === take_read ||| take_read
        reported  take_read >> take_read === take_read >> try_read
        reported  take_read >> take_read === try_read >> take_read
        reported  try_read >> try_read === try_read ||| try_read
        reported  take_write >> take_read === take_write >> take_write
        reported  downgrade ->- give_write >> take_read
    "#]]
    .assert_eq(&found);
    assert_none_missed(&found);
    ROWS.assert_hold(&read_write_lock(), LAWS);
    ROWS.assert_stands(&read_write_lock(), &laws);
}
