//! Stack overflows are reported with the name of the thread.
//!
//! Below each stack is a guard page. An access to it raises a signal, and std's handler knows the stacks of
//! its own threads only. Our handler stands before it: a fault in the guard page of the running thread is
//! reported, and the process ends, as it does if a thread of std overflows. All other faults go to the
//! handler that was there before.
//!
//! A signal handler runs on a stack of its own, which std gives to each of its threads; an exploration runs
//! on such a one.

#![allow(unsafe_code)]

use super::context::with_current;
use crate::control::Execution;
use crate::control::diagnose::Doing;
use std::fmt::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

static INSTALLED: Once = Once::new();
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(4096);

/// The signals of a fault, and their handlers before ours.
const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];
static mut BEFORE: [std::mem::MaybeUninit<libc::sigaction>; 2] = [std::mem::MaybeUninit::uninit(); 2];

/// Installs the handler, once for the process.
pub(crate) fn install_handler() {
    INSTALLED.call_once(|| {
        // SAFETY: `sysconf` has no preconditions.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        PAGE_BYTES.store(usize::try_from(page_bytes).unwrap_or(4096), Ordering::Relaxed);
        for (index, signal) in SIGNALS.into_iter().enumerate() {
            // SAFETY: `BEFORE` is written here only, once, before the handler that reads it is installed; an
            // action of all zeroes is a valid one; the handler has the signature that `SA_SIGINFO` requires.
            unsafe {
                let before = &raw mut BEFORE[index];
                libc::sigaction(signal, std::ptr::null(), before.cast());
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_fault as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    });
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid pointer; `si_addr` is there for these two signals.
    let address = unsafe { (*info).si_addr() }.addr();
    with_current(|execution| {
        if let Some(execution) = execution {
            end_if_overflow(execution, address);
        }
    });
    call_handler_before(signal, info, context);
}

/// Reports an overflow and ends the process, if the address is in the guard page of a stack.
fn end_if_overflow(execution: &Execution, address: usize) {
    let page_bytes = PAGE_BYTES.load(Ordering::Relaxed);
    let Some(stack) = execution.heartbeat.stack_that_ends_at(address, page_bytes) else { return };
    let doing = execution.heartbeat.doing();
    let bytes = stack.base - stack.limit - page_bytes;
    execution.heartbeat.with_name(doing.thread, |name| {
        let overflow = Overflow { doing: &doing, name, bytes };
        if !execution.crash_report.report_overflow(&overflow) {
            report(&overflow);
        }
    });
    // SAFETY: `abort` has no preconditions.
    unsafe { libc::abort() }
}

/// A thread has overflowed its stack.
struct Overflow<'o> {
    doing: &'o Doing,
    name: Option<&'o str>,
    bytes: usize,
}

impl fmt::Display for Overflow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {}", self.doing.thread)?;
        if let Some(name) = self.name {
            write!(f, " `{name}`")?;
        }
        write!(f, " of the explored program has overflowed its stack of {} KiB", self.bytes / 1024)
    }
}

/// Reports the overflow. Neither allocates nor waits.
fn report(overflow: &Overflow<'_>) {
    let mut out = StandardError;
    let _ = writeln!(out, "\nerror[run::stack-overflow]: {overflow}");
    let doing = overflow.doing;
    if let Some(site) = doing.site {
        let _ = writeln!(out, "  after {} at {}:{}", doing.kind.text(), site.file(), site.line());
    }
    let _ = writeln!(out, "  = help: raise it by `stack_size`, or look for a recursion without an end");
}

/// Calls the handler that was there before.
fn call_handler_before(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let index = usize::from(signal == SIGNALS[1]);
    // SAFETY: `install_handler` filled it before this handler was installed.
    let before = unsafe { BEFORE[index].assume_init() };
    match before.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // The faulting instruction is executed again, and fails as it would without our handler.
            // SAFETY: the action came from the system.
            unsafe { libc::sigaction(signal, &raw const before, std::ptr::null_mut()) };
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

/// Standard error without a lock or a buffer.
struct StandardError;

impl Write for StandardError {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // SAFETY: the pointer and the length are of one string.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
        Ok(())
    }
}
