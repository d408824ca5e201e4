//! A thread whose stack overflows is told of by name.
//!
//! Below each stack is a page that nobody may touch. Touching it is a signal, and std's handler knows the stacks of its own
//! threads only. Ours stands before it: a fault in that page of the running thread is told, and the process ends, as it
//! does where a thread of std's overflows. All other faults go to the handler that was there before.
//!
//! A handler runs on a stack of its own, which std gives to each of its threads; an exploration has one of these.

#![allow(unsafe_code)]

use crate::control::diagnose::Doing;
use crate::control::fiber::current;
use std::fmt::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

static INSTALLED: Once = Once::new();
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(4096);

/// The signals of a fault, and who handled them before.
const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];
static mut BEFORE: [std::mem::MaybeUninit<libc::sigaction>; 2] = [std::mem::MaybeUninit::uninit(); 2];

/// Puts the handler in place, once for the process.
pub(crate) fn install_handler() {
    INSTALLED.call_once(|| {
        // SAFETY: asking for the size of a page has no conditions.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        PAGE_BYTES.store(usize::try_from(page_bytes).unwrap_or(4096), Ordering::Relaxed);
        for (index, signal) in SIGNALS.into_iter().enumerate() {
            // SAFETY: `BEFORE` is written here only, once, before the handler that reads it is in place; an action of all
            // zeroes is a valid one; the handler has the signature that `SA_SIGINFO` asks for.
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
    // SAFETY: the kernel hands over what it knows of the fault; `si_addr` is there for these two signals.
    let address = unsafe { (*info).si_addr() }.addr();
    if let Some(execution) = current() {
        let page_bytes = PAGE_BYTES.load(Ordering::Relaxed);
        if let Some(stack) = execution.heartbeat.stack_that_ends_at(address, page_bytes) {
            let doing = execution.heartbeat.doing();
            let bytes = stack.base - stack.limit - page_bytes;
            execution.heartbeat.with_name(doing.thread, |name| {
                let overflow = Overflow { doing: &doing, name, bytes };
                if !execution.crash_report.overflows(&overflow) {
                    tell(&overflow);
                }
            });
            // SAFETY: ending the process has no conditions.
            unsafe { libc::abort() }
        }
    }
    hand_on(signal, info, context);
}

/// A thread has no room on its stack.
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

/// Says what happened. Neither allocates nor waits.
fn tell(overflow: &Overflow<'_>) {
    let mut out = StandardError;
    let _ = writeln!(out, "\nerror[run::stack-overflow]: {overflow}");
    let doing = overflow.doing;
    if let Some(site) = doing.site {
        let _ = writeln!(out, "  after {} at {}:{}", doing.kind.text(), site.file(), site.line());
    }
    let _ = writeln!(out, "  = help: raise it by `stack_size`, or look for a recursion without an end");
}

/// The handler that was there before does what it does.
fn hand_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let index = usize::from(signal == SIGNALS[1]);
    // SAFETY: `install_handler` filled it before this handler was in place.
    let before = unsafe { BEFORE[index].assume_init() };
    match before.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // The instruction that failed is tried again, and fails as it would without us.
            // SAFETY: the action is one that the system gave us.
            unsafe { libc::sigaction(signal, &raw const before, std::ptr::null_mut()) };
        }
        handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
            type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            // SAFETY: with this flag the handler has this signature.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(handler) };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: without the flag it has this one.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler) };
            handler(signal);
        }
    }
}

/// Standard error without a lock or a buffer.
struct StandardError;

impl Write for StandardError {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // SAFETY: the bytes are there.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
        Ok(())
    }
}
