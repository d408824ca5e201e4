//! Panics of the threads of a run, and exceptions that threads throw to each other.

mod interrupts;
mod panics;

pub(in crate::control) use interrupts::{
    Interrupts, at_point, can_throw_to, interrupted_event, raise_arriving, throw_action, throw_to,
};
#[cfg(unix)]
pub(crate) use panics::silence_program_hook;
pub(crate) use panics::{Unwound, install_hook, is_stop, message, rethrow};
