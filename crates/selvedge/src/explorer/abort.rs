//! The last words of a process that aborts in the middle of a run.

use super::failure::Failure;
use selvedge_explore::Trace;
use std::io::Write;

/// Tells of the run on standard error, and saves it.
pub(super) fn tell(why: &str, trace: &Trace, name: &str, strategy: &str) {
    let outcome = format!("abort: {why}");
    let failure =
        Failure { kind: "abort", sentence: why, outcome: &outcome, trace, seen: None, notes: &[], strategy };
    let text = failure.tell(name);
    // Whoever cannot write there cannot be told.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
