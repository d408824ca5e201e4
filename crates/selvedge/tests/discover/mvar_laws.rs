//! The laws of `MVar`, as discovery writes them: `Laws::to_tests`. A test in `mvar` writes them anew.

use super::cases::mvar::mvar;

#[test]
fn take_equals_read_then_take() {
    let law = "take === read >> take";
    mvar().check(law).assert();
}

#[test]
fn read_equals_read_then_read() {
    let law = "read === read >> read";
    mvar().check(law).assert();
}

#[test]
fn read_then_put_x_equals_read_then_put_x1() {
    let law = "read >> put x === read >> put x1";
    mvar().check(law).assert();
}

#[test]
fn read_then_put_x_equals_read_binds_x1_put_x1() {
    let law = r"read >> put x === read >>= \x1 -> put x1";
    mvar().check(law).assert();
}

#[test]
fn read_equals_read_then_try_put_x() {
    let law = "read === read >> try_put x";
    mvar().check(law).assert();
}

#[test]
fn read_equals_read_binds_x_try_put_x() {
    let law = r"read === read >>= \x -> try_put x";
    mvar().check(law).assert();
}

#[test]
fn put_x_then_take_equals_put_x1_then_take() {
    let law = "put x >> take === put x1 >> take";
    mvar().check(law).assert();
}

#[test]
fn put_x_equals_put_x_then_read() {
    let law = "put x === put x >> read";
    mvar().check(law).assert();
}

#[test]
fn try_put_x_then_take_equals_try_put_x1_then_take() {
    let law = "try_put x >> take === try_put x1 >> take";
    mvar().check(law).assert();
}

#[test]
fn read_refines_take_binds_x_put_x() {
    let law = r"read ->- take >>= \x -> put x";
    mvar().check(law).assert();
}

#[test]
fn read_refines_take_binds_x_try_put_x() {
    let law = r"read ->- take >>= \x -> try_put x";
    mvar().check(law).assert();
}

#[test]
fn put_x_then_put_x1_equals_put_x_then_put_x2() {
    let law = "put x >> put x1 === put x >> put x2";
    mvar().check(law).assert();
}

#[test]
fn put_x_equals_put_x_then_try_put_x1() {
    let law = "put x === put x >> try_put x1";
    mvar().check(law).assert();
}

#[test]
fn put_x_then_put_x1_equals_try_put_x_then_put_x2() {
    let law = "put x >> put x1 === try_put x >> put x2";
    mvar().check(law).assert();
}
