//! What is worth knowing and is no part of the answer.

use std::io::Write;

/// Tells it on standard error, so that the answer can be read by programs.
pub(crate) fn note(message: &str) {
    // If standard error is gone there is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "note: {message}");
}
