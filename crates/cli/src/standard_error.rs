//! Messages on standard error, so that programs can read the answer on standard output.
//!
//! A message that cannot be written is dropped: no stream is left to report that on.

use std::io::{IsTerminal, Write};

/// Prints a message that is no part of the answer.
pub(crate) fn print_note(message: &str) {
    print(&format!("note: {message}\n"));
}

/// Prints this text as it is.
pub(crate) fn print(text: &str) {
    let _ = write!(std::io::stderr(), "{text}");
}

/// Are messages coloured? On a terminal, unless `NO_COLOR` is set.
pub(crate) fn has_colours() -> bool {
    is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Does a terminal show the messages?
pub(crate) fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}
