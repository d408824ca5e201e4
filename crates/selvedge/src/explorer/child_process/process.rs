//! Processes that begin as copies of this one.
//!
//! A copy has the forking thread and no other. Locks that others held at that moment stay locked in it: those of glibc's
//! allocator are seen to by glibc, those of an exploration by whoever forks; others are the body's, and its author's.

#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// A copy of this process.
#[derive(Debug)]
pub(super) struct Child {
    pid: libc::pid_t,
    has_ended: bool,
}

/// Copies this process. `None` in the copy.
pub(super) fn fork() -> io::Result<Option<Child>> {
    // SAFETY: the copy goes on with the thread that called, whose stack and thread-local values it has; what other threads
    // left half done is not touched by explorations, and what the body touches is said with `Explorer::in_child_process`.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            settle();
            Ok(None)
        }
        pid => Ok(Some(Child { pid, has_ended: false })),
    }
}

/// What a copy does before anything else: it ends with its parent, leaves no core, and writes nothing on standard output, where
/// the parent writes the same.
fn settle() {
    // SAFETY: these change settings of this process only; `/dev/null` is a string that ends with a zero.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        if nowhere >= 0 {
            libc::dup2(nowhere, libc::STDOUT_FILENO);
            libc::close(nowhere);
        }
    }
}

/// Ends this process at once: nothing is dropped, flushed or run at its exit, which all is the parent's.
pub(super) fn leave() -> ! {
    // SAFETY: ending the process has no conditions.
    unsafe { libc::_exit(0) }
}

impl Child {
    /// Waits for its end. `None` if somebody else has asked how it ended.
    pub(super) fn wait(&mut self) -> Option<ExitStatus> {
        self.has_ended = true;
        let mut status = 0;
        loop {
            // SAFETY: it is our child, which nobody else waits for, and `status` is there to be written.
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
            // SAFETY: nobody has waited for it, so the number is still that of our child.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
            self.wait();
        }
    }
}
