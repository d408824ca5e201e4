//! Signals that end the process are reported before it ends.
//!
//! A null pointer, an illegal instruction, the abort of a C library that has found a double free: these
//! raise a signal in the thread of the operating system that runs the explored program. Our handler writes
//! the run ([`DyingRun`]), unless the process has done so already, and then lets the signal do what it does
//! without us. A fault in the guard page below a stack is an overflow ([`overflow`](super::overflow)).
//!
//! A signal handler runs on a stack of its own, which std gives to each of its threads, and which is small.
//! The report is written on a larger one, made in advance.
//!
//! Promise: neither allocates nor takes a lock. A signal for which the program has its own handler is left
//! to that handler, except faults: std has a handler for those in every program, and ours comes before it.

#![allow(unsafe_code)]

use super::context::with_current;
use super::overflow;
use super::switch::on_stack;
use crate::control::Execution;
use crate::control::diagnose::{DeathCause, DyingRun, OsThread};
use corosensei::stack::DefaultStack;
use std::mem::MaybeUninit;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

static INSTALLED: Once = Once::new();

/// The signals, their names, and whether they carry the address of an access.
const SIGNALS: [(libc::c_int, &str, bool); 6] = [
    (libc::SIGSEGV, "SIGSEGV", true),
    (libc::SIGBUS, "SIGBUS", true),
    (libc::SIGILL, "SIGILL", false),
    (libc::SIGFPE, "SIGFPE", false),
    (libc::SIGTRAP, "SIGTRAP", false),
    (libc::SIGABRT, "SIGABRT", false),
];

/// Their handlers before ours.
static mut BEFORE: [MaybeUninit<libc::sigaction>; SIGNALS.len()] = [MaybeUninit::uninit(); SIGNALS.len()];

/// The thread of the operating system that reports the end of the process; 0 if none does.
static REPORTER: AtomicUsize = AtomicUsize::new(0);

/// The thread of the operating system that a watchdog ends, because it is blocked for ever; 0 if there is
/// none.
static BLOCKED: AtomicUsize = AtomicUsize::new(0);

/// The stack of the reporter.
static mut REPORT_STACK: Option<DefaultStack> = None;
const REPORT_STACK_BYTES: usize = 256 * 1024;

/// While another thread reports, this one waits so many times 10 ms at most.
const MAX_WAITS: usize = 500;

/// Installs the handlers, once for the process.
pub(crate) fn install_handlers() {
    INSTALLED.call_once(|| {
        overflow::prepare();
        // SAFETY: the stack is written here only, once, before a handler uses it.
        unsafe { REPORT_STACK = DefaultStack::new(REPORT_STACK_BYTES).ok() };
        SIGNALS.iter().enumerate().for_each(|(index, (signal, _, is_fault))| {
            // SAFETY: `BEFORE` is written here only, once, before the handler that reads it is installed; an
            // action of all zeroes is a valid one; the handler has the signature that `SA_SIGINFO` requires.
            unsafe {
                let before = &raw mut BEFORE[index];
                libc::sigaction(*signal, std::ptr::null(), before.cast());
                let has_default = (*before).assume_init_ref().sa_sigaction == libc::SIG_DFL;
                if *is_fault || has_default {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    action.sa_sigaction = on_signal as *const () as usize;
                    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                    libc::sigaction(*signal, &raw const action, std::ptr::null_mut());
                }
            }
        });
    });
}

/// The calling thread reports the end of the process. False if it has done so: then it is in the middle of
/// the report, or the report is complete.
pub(in crate::control) fn claim_report() -> bool {
    // SAFETY: `pthread_self` has no preconditions.
    let own = unsafe { libc::pthread_self() } as usize;
    for _ in 0..MAX_WAITS {
        match REPORTER.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return true,
            Err(reporter) if reporter == own => return false,
            // Another thread reports, and the process ends after that.
            Err(_) => {
                let pause = libc::timespec { tv_sec: 0, tv_nsec: 10_000_000 };
                // SAFETY: the pointers are valid or null.
                unsafe { libc::nanosleep(&raw const pause, std::ptr::null_mut()) };
            }
        }
    }
    false
}

/// Ends the process, because a thread of a run is blocked for ever: the thread reports its run itself.
/// Returns only if that takes long, because the program has a handler of its own for the signal.
pub(crate) fn end_blocked(thread: OsThread) {
    BLOCKED.store(thread.handle as usize, Ordering::Relaxed);
    // SAFETY: the caller knows that the thread has not ended.
    unsafe { libc::pthread_kill(thread.handle, libc::SIGABRT) };
    let pause = libc::timespec { tv_sec: 0, tv_nsec: 10_000_000 };
    for _ in 0..MAX_WAITS {
        // SAFETY: the pointers are valid or null.
        unsafe { libc::nanosleep(&raw const pause, std::ptr::null_mut()) };
    }
}

extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let index = SIGNALS.iter().position(|(known, ..)| *known == signal).unwrap_or(0);
    let (_, name, is_fault) = SIGNALS[index];
    // SAFETY: the kernel passes a valid pointer; the address is there for the signals of a fault.
    let (sent, address) = unsafe { ((*info).si_code <= 0, is_fault.then(|| (*info).si_addr().addr())) };
    let address = address.filter(|_| !sent);
    with_current(|execution| {
        let Some(execution) = execution else { return };
        match address.and_then(|address| overflow::overflowed_bytes(execution, address)) {
            Some(bytes) => {
                report(execution, DeathCause::StackOverflow { bytes });
                // SAFETY: `abort` has no preconditions.
                unsafe { libc::abort() }
            }
            None if is_blocked(signal) => report(execution, DeathCause::Blocked),
            None => report(execution, DeathCause::Signal { name, address }),
        }
    });
    call_handler_before(index, sent, info, context);
}

/// Has a watchdog sent this signal, because the calling thread is blocked?
fn is_blocked(signal: libc::c_int) -> bool {
    // SAFETY: `pthread_self` has no preconditions.
    let own = unsafe { libc::pthread_self() } as usize;
    signal == libc::SIGABRT && BLOCKED.load(Ordering::Relaxed) == own
}

/// Reports the run, once.
fn report(execution: &Execution, cause: DeathCause) {
    if !claim_report() {
        return;
    }
    let work = || execution.crash_report.report_death(&DyingRun::new(execution, cause));
    // SAFETY: the stack was made before the handlers were installed; the thread that has claimed the report
    // is the only one that uses it.
    let stack = unsafe { (&raw mut REPORT_STACK).as_mut() };
    match stack.and_then(Option::as_mut) {
        Some(stack) => on_stack(stack, work),
        None => work(),
    }
}

/// Calls the handler that was there before.
fn call_handler_before(index: usize, sent: bool, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let signal = SIGNALS[index].0;
    // SAFETY: `install_handlers` filled it before this handler was installed.
    let before = unsafe { BEFORE[index].assume_init() };
    match before.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: the action came from the system.
            unsafe { libc::sigaction(signal, &raw const before, std::ptr::null_mut()) };
            if sent {
                // Arrives when this handler returns. Otherwise the faulting instruction is executed again,
                // and fails as it would without our handler.
                // SAFETY: `raise` has no preconditions.
                unsafe { libc::raise(signal) };
            }
        }
        handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
            type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            // SAFETY: with this flag the handler has this signature.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(handler) };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: without the flag it has this signature.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler) };
            handler(signal);
        }
    }
}
