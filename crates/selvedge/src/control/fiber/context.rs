//! The current execution: a thread-local of the operating system's thread.
//!
//! Promise: the current execution is the execution of the running thread. There is none outside of
//! explorations and between the steps of a run, so that a scheduler or a comparison of outcomes is never
//! controlled itself.

#![allow(unsafe_code)]

use crate::control::execution::Execution;
use std::cell::Cell;
use std::ptr;

thread_local! {
    static CURRENT: Cell<*const Execution> = const { Cell::new(ptr::null()) };
}

/// Runs the work with the execution that the caller is a thread of, if there is one.
#[inline]
pub(crate) fn with_current<R>(work: impl FnOnce(Option<&Execution>) -> R) -> R {
    // SAFETY: the reference does not leave this call, during which the caller's frame is alive.
    work(unsafe { current() })
}

/// The execution that the caller is a thread of, by a reference without a bound: closures do not inherit
/// `#[track_caller]`, which most callers need.
///
/// # Safety
/// The reference must not outlive the caller's frame. A frame of a thread of the program runs only inside of
/// [`enter`], which borrows the execution.
#[inline]
pub(crate) unsafe fn current<'e>() -> Option<&'e Execution> {
    let current = CURRENT.try_with(Cell::get).unwrap_or(ptr::null());
    // SAFETY: `enter` sets the pointer from a reference that outlives its call, and resets it before it
    // returns; the caller runs inside of that call, and promises not to keep the reference.
    unsafe { current.as_ref() }
}

/// Runs threads of this execution.
#[inline]
pub(crate) fn enter<R>(execution: &Execution, work: impl FnOnce() -> R) -> R {
    let before = CURRENT.replace(execution);
    let result = work();
    CURRENT.set(before);
    result
}

/// Executes code that is no part of the execution, in the middle of a step. The work must not panic.
#[inline]
pub(crate) fn outside<R>(work: impl FnOnce() -> R) -> R {
    let before = CURRENT.replace(ptr::null());
    let result = work();
    CURRENT.set(before);
    result
}
