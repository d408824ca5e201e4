//! Panics of the threads of a run, and exceptions that threads throw to each other.

mod interrupts;
mod panics;

pub(in crate::control) use interrupts::Interrupts;
#[cfg(unix)]
pub(crate) use panics::be_quiet;
pub(crate) use panics::{Unwound, again, install_hook, is_stop, message};
