//! The notice that a dying child process leaves for its parent, in memory that both share.
//!
//! One page that a fork does not copy. The child notes its position, step by step, and the reason of its
//! death if it has the time to write it. The parent reads the page when the child is dead.

#![allow(unsafe_code)]

use std::fmt::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize};

/// A longer message is cut off at this many bytes.
const MAX_MESSAGE: usize = 3 * 1024;

/// A position within a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// Before the first step of a run, or in a teardown.
    BeforeFirstStep,
    /// In the step of this number, from 1.
    Step(u64),
    /// After the end of a run.
    AfterRun,
}

/// How a child process died.
#[derive(Debug)]
pub(super) struct Death {
    pub(super) position: Position,
    pub(super) message: String,
    /// Whether its thread performed an action while it unwound, where another thread could have taken a
    /// step. True if that is not known.
    pub(super) went_past: bool,
}

/// The shared page, and the role of this process.
pub(crate) struct CrashNotice {
    page: NonNull<SharedPage>,
    /// Whether this process is the child. It is not on the page, because each process has its own answer.
    is_child: AtomicBool,
}

/// A page of zeroes is an empty notice.
#[repr(C)]
struct SharedPage {
    position: AtomicU64,
    /// Whether the child ends because it has nothing left to do.
    exits: AtomicBool,
    /// Whether a thread has begun to unwind since the position was last noted.
    is_unwinding: AtomicBool,
    went_past: AtomicBool,
    /// The length of the message in bytes.
    length: AtomicUsize,
    message: [AtomicU8; MAX_MESSAGE],
}

// SAFETY: `page` is valid until the notice is dropped, and consists of atomics only.
unsafe impl Send for CrashNotice {}
// SAFETY: as above.
unsafe impl Sync for CrashNotice {}

impl CrashNotice {
    /// An empty notice.
    pub(crate) fn new() -> CrashNotice {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: the system chooses the address of the new mapping, so no existing memory is affected.
        let mapped =
            unsafe { libc::mmap(std::ptr::null_mut(), size_of::<SharedPage>(), protection, flags, -1, 0) };
        assert!(mapped != libc::MAP_FAILED, "the operating system has no memory that two processes share");
        let page = NonNull::new(mapped.cast()).expect("a mapping is not at address 0");
        CrashNotice { page, is_child: AtomicBool::new(false) }
    }

    fn page(&self) -> &SharedPage {
        // SAFETY: `new` mapped the memory, aligned to a page and zeroed, which is a valid value; only `drop`
        // unmaps it.
        unsafe { self.page.as_ref() }
    }

    /// Empties the notice for the next child.
    pub(super) fn clear(&self) {
        let page = self.page();
        self.set_position(Position::BeforeFirstStep);
        page.exits.store(false, Relaxed);
        page.went_past.store(false, Relaxed);
        page.length.store(0, Relaxed);
    }

    /// Notes that this process is the child.
    pub(super) fn enter_child(&self) {
        self.is_child.store(true, Relaxed);
    }

    /// Whether this process is the child.
    pub(crate) fn is_child(&self) -> bool {
        self.is_child.load(Relaxed)
    }

    /// Notes the position of the child.
    #[inline]
    pub(super) fn set_position(&self, position: Position) {
        let number = match position {
            Position::BeforeFirstStep => 0,
            Position::Step(step) => step,
            Position::AfterRun => u64::MAX,
        };
        self.page().position.store(number, Relaxed);
        self.page().is_unwinding.store(false, Relaxed);
    }

    /// Notes that a thread of the child begins to unwind. Unwinding ends before its step does, because no
    /// other thread runs meanwhile.
    pub(crate) fn begin_unwinding(&self) {
        if self.is_child.load(Relaxed) {
            self.page().is_unwinding.store(true, Relaxed);
        }
    }

    /// Notes that the child exits because it has nothing left to do: its end is not a death.
    pub(super) fn announce_exit(&self) {
        self.page().exits.store(true, Relaxed);
    }

    /// Whether a thread of the child may be unwinding.
    pub(crate) fn is_unwinding(&self) -> bool {
        self.page().is_unwinding.load(Relaxed)
    }

    /// Writes why the child dies. Returns whether this process is a child. Neither allocates nor waits.
    pub(crate) fn write(&self, message: &dyn fmt::Display, went_past: bool) -> bool {
        let is_child = self.is_child.load(Relaxed);
        if is_child {
            let mut page = self.page();
            page.length.store(0, Relaxed);
            page.went_past.store(went_past, Relaxed);
            // A message that is too long is cut off.
            let _ = write!(page, "{message}");
        }
        is_child
    }

    /// How the child died. The child has ended with this status. `None` if it announced its exit.
    pub(super) fn death(&self, status: Option<ExitStatus>) -> Option<Death> {
        let page = self.page();
        if page.exits.load(Relaxed) {
            return None;
        }
        let position = match page.position.load(Relaxed) {
            0 => Position::BeforeFirstStep,
            u64::MAX => Position::AfterRun,
            step => Position::Step(step),
        };
        let length = page.length.load(Relaxed);
        if length == 0 {
            let message = format!("aborted: {}", cause(status));
            return Some(Death { position, message, went_past: self.is_unwinding() });
        }
        let message: Vec<u8> = page.message[..length].iter().map(|byte| byte.load(Relaxed)).collect();
        let message = String::from_utf8_lossy(&message).into_owned();
        Some(Death { position, message, went_past: page.went_past.load(Relaxed) })
    }
}

/// Appends to the message.
impl fmt::Write for &SharedPage {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let length = self.length.load(Relaxed);
        let free = self.message[length..].iter();
        let written = free.zip(text.bytes()).map(|(to, byte)| to.store(byte, Relaxed)).count();
        self.length.store(length + written, Relaxed);
        Ok(())
    }
}

impl Drop for CrashNotice {
    fn drop(&mut self) {
        // SAFETY: `new` mapped this many bytes at this address, and no reference into them outlives the
        // notice.
        unsafe { libc::munmap(self.page.as_ptr().cast(), size_of::<SharedPage>()) };
    }
}

/// What ended a process, in words.
fn cause(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "an unknown cause".to_owned() };
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let known = SIGNALS.iter().find(|(number, _)| *number == signal);
            known.map_or(format!("signal {signal}"), |(_, name)| (*name).to_owned())
        }
        (None, Some(code)) => format!("the process exited with code {code}"),
        (None, None) => "an unknown cause".to_owned(),
    }
}

/// Signals that end a process, by name.
const SIGNALS: [(libc::c_int, &str); 8] = [
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGTERM, "SIGTERM"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_child_writes_a_notice_and_its_parent_reads_it() {
        let notice = CrashNotice::new();
        assert!(!notice.write(&"of a parent", true));
        notice.enter_child();
        let long = "ä".repeat(MAX_MESSAGE);
        for message in ["boom", long.as_str()] {
            assert!(notice.write(&message, true));
            notice.set_position(Position::Step(7));
            let death = notice.death(None).expect("it has not exited");
            assert_eq!((death.position, death.went_past), (Position::Step(7), true));
            assert!(!death.message.is_empty() && message.starts_with(&death.message));
        }
    }

    #[test]
    fn a_cleared_notice_names_the_signal() {
        let notice = CrashNotice::new();
        notice.enter_child();
        notice.write(&"boom", false);
        notice.clear();
        let death = notice.death(Some(ExitStatus::from_raw(libc::SIGSEGV))).expect("it has not exited");
        assert_eq!((death.position, &*death.message), (Position::BeforeFirstStep, "aborted: SIGSEGV"));
        notice.announce_exit();
        assert!(notice.death(None).is_none(), "it has exited");
    }
}
