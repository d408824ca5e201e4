//! Forked processes.
//!
//! A forked process has the forking thread and no other. Locks that other threads held at that moment stay
//! locked in it: glibc takes care of those of its allocator, and the caller of [`fork`] of those of the
//! exploration. For all others, the author of the body is responsible.

#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// A forked process.
#[derive(Debug)]
pub(super) struct Child {
    pid: libc::pid_t,
    has_ended: bool,
}

/// Forks this process. `None` in the child.
pub(super) fn fork() -> io::Result<Option<Child>> {
    // SAFETY: the child continues with the calling thread, whose stack and thread-local values it has.
    // Explorations do not touch what other threads left half done; `Explorer::in_child_process` says what
    // the body must not touch.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            prepare_child();
            Ok(None)
        }
        pid => Ok(Some(Child { pid, has_ended: false })),
    }
}

/// Prepares a child process: it ends with its parent, leaves no core dump, and writes nothing to standard
/// output, where the parent writes the same.
fn prepare_child() {
    // SAFETY: these calls change settings of this process only, and the path is a C string.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        if null >= 0 {
            libc::dup2(null, libc::STDOUT_FILENO);
            libc::close(null);
        }
    }
}

/// Ends this process at once, without destructors, flushes or exit handlers: all of these belong to the
/// parent.
pub(super) fn exit() -> ! {
    // SAFETY: `_exit` has no preconditions.
    unsafe { libc::_exit(0) }
}

impl Child {
    /// Waits for its end. `None` if other code has waited for it before.
    pub(super) fn wait(&mut self) -> Option<ExitStatus> {
        self.has_ended = true;
        let mut status = 0;
        loop {
            // SAFETY: `status` is a valid place for the result.
            if unsafe { libc::waitpid(self.pid, &raw mut status, 0) } == self.pid {
                return Some(ExitStatus::from_raw(status));
            }
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return None;
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.has_ended {
            // SAFETY: the child was not waited for, so the process id is still its own.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
            self.wait();
        }
    }
}
