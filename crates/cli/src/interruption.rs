//! SIGINT (Ctrl-C) and SIGTERM end a search, or a log that is followed; the command then tells what it has
//! found.
//!
//! Promise: the first signal is noted, and the command comes to its end; the second one ends the process at
//! once, with the exit code 130.

use std::sync::atomic::{AtomicBool, Ordering};

/// Was a signal received? A search reads it beside its limits.
pub(crate) static IS_ASKED_FOR: AtomicBool = AtomicBool::new(false);

/// Was a signal received?
pub(crate) fn is_asked_for() -> bool {
    IS_ASKED_FOR.load(Ordering::Relaxed)
}

/// From now on the signals are noted, and the first one ends no process.
#[cfg(unix)]
#[allow(unsafe_code)] // the standard library has no signals
pub(crate) fn note_signals() {
    extern "C" fn note(_signal: libc::c_int) {
        // A second signal, if the first had no effect, ends the process.
        if IS_ASKED_FOR.swap(true, Ordering::Relaxed) {
            // SAFETY: POSIX allows `_exit` in a signal handler. 130 is the shell's code for SIGINT.
            unsafe { libc::_exit(130) };
        }
    }
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: an action of zeros is valid: no flags, so that a blocked read returns, and no mask. The
        // handler touches an atomic alone, or leaves by `_exit`.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note as *const () as libc::sighandler_t;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Elsewhere a signal ends the command at once.
#[cfg(not(unix))]
pub(crate) fn note_signals() {}
