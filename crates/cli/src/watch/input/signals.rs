//! SIGINT and SIGTERM end a log that is followed, and the verdicts are given.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_END_ASKED_FOR: AtomicBool = AtomicBool::new(false);

/// Was a signal received?
pub(super) fn is_end_asked_for() -> bool {
    IS_END_ASKED_FOR.load(Ordering::Relaxed)
}

/// From now on the signals are noted, and end no process.
#[cfg(unix)]
#[allow(unsafe_code)] // the standard library has no signals
pub(super) fn ask_for_the_end() {
    extern "C" fn note(_signal: libc::c_int) {
        // A second signal, if the first had no effect, ends the process.
        if IS_END_ASKED_FOR.swap(true, Ordering::Relaxed) {
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

/// Elsewhere an interrupted command ends without verdicts.
#[cfg(not(unix))]
pub(super) fn ask_for_the_end() {}
