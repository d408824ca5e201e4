//! Without the feature `debug`, the variable says what to add.

mod counter;

use std::process::Command;

#[test]
fn a_missing_debugger_is_named() {
    let tests = std::env::current_exe().expect("the path of this program");
    let run = Command::new(tests)
        .args(["counter::two_increments_make_two", "--exact", "--nocapture"])
        .env("SELVEDGE_DEBUG", "two_increments_make_two")
        .output()
        .expect("this program runs");
    let errors = String::from_utf8_lossy(&run.stderr);
    let expected = "selvedge: SELVEDGE_DEBUG=two_increments_make_two: the debugger is a feature of `selvedge` that is missing here; \
         write `features = [\"check\", \"debug\"]` under dev-dependencies";
    assert!(errors.contains(expected), "{errors}");
}
