//! What a dead scout leaves behind: memory that both processes see.
//!
//! One page that a fork does not copy. The scout writes down where it is, step by step, and its last words, if it has the time;
//! the worker behind it reads them when it is dead.

#![allow(unsafe_code)]

use std::fmt::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize};

/// No more of the last words than these bytes is kept.
const MAX_WORDS: usize = 3 * 1024;

/// How far a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Before the first step.
    Beginning,
    /// In the step of this number, from 1.
    Step(u64),
    /// The run is over.
    Afterwards,
}

/// How a scout died.
#[derive(Debug)]
pub(super) struct Death {
    pub(super) place: Place,
    pub(super) message: String,
    /// Did its thread go past another one's possible step before, while it unwound? Where nobody knows, it may have.
    pub(super) went_past: bool,
}

/// The page, and whose it is.
pub(crate) struct Notice {
    board: NonNull<Board>,
    /// Is this process the scout? Not on the page: each process has its own answer.
    is_ahead: AtomicBool,
}

/// All zeroes is a board on which nothing is written.
#[repr(C)]
struct Board {
    place: AtomicU64,
    has_left: AtomicBool,
    /// Has a thread begun to unwind since the place was last written?
    panics: AtomicBool,
    went_past: AtomicBool,
    length: AtomicUsize,
    words: [AtomicU8; MAX_WORDS],
}

// SAFETY: `board` is valid until it is dropped, and is made of atomics only.
unsafe impl Send for Notice {}
// SAFETY: as above.
unsafe impl Sync for Notice {}

impl Notice {
    /// An empty one.
    pub(in super::super) fn new() -> Notice {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at a place that the system chooses touches nothing that is there.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), size_of::<Board>(), protection, flags, -1, 0) };
        assert!(page != libc::MAP_FAILED, "the operating system has no memory that two processes share");
        let board = NonNull::new(page.cast()).expect("a mapping is not at address 0");
        Notice { board, is_ahead: AtomicBool::new(false) }
    }

    fn board(&self) -> &Board {
        // SAFETY: `new` mapped it, aligned to a page and zeroed, which is a valid board; `drop` alone unmaps it.
        unsafe { self.board.as_ref() }
    }

    /// Ready for another scout.
    pub(super) fn clear(&self) {
        let board = self.board();
        self.be_at(Place::Beginning);
        board.has_left.store(false, Relaxed);
        board.went_past.store(false, Relaxed);
        board.length.store(0, Relaxed);
    }

    /// This process is the scout.
    pub(super) fn is_mine(&self) {
        self.is_ahead.store(true, Relaxed);
    }

    /// The scout is here now. Of no interest to others.
    #[inline]
    pub(super) fn be_at(&self, place: Place) {
        let number = match place {
            Place::Beginning => 0,
            Place::Step(step) => step,
            Place::Afterwards => u64::MAX,
        };
        self.board().place.store(number, Relaxed);
        self.board().panics.store(false, Relaxed);
    }

    /// A thread begins to unwind. That ends before the step does, as nothing switches then.
    pub(in super::super) fn panics(&self) {
        if self.is_ahead.load(Relaxed) {
            self.board().panics.store(true, Relaxed);
        }
    }

    /// The scout ends because there is nothing left to do, or because something comes that does not end the process.
    pub(super) fn leave(&self) {
        self.board().has_left.store(true, Relaxed);
    }

    /// May a thread be unwinding?
    pub(in super::super) fn unwinds(&self) -> bool {
        self.board().panics.load(Relaxed)
    }

    /// Writes the last words of a scout. Says whether this process is one. Neither allocates nor waits.
    pub(in super::super) fn write(&self, words: &dyn fmt::Display, went_past: bool) -> bool {
        let is_ahead = self.is_ahead.load(Relaxed);
        if is_ahead {
            let mut board = self.board();
            board.length.store(0, Relaxed);
            board.went_past.store(went_past, Relaxed);
            // What has no room is left out.
            let _ = write!(board, "{words}");
        }
        is_ahead
    }

    /// How the scout died, if it did not leave. It has ended, by this status.
    pub(super) fn death(&self, status: Option<ExitStatus>) -> Option<Death> {
        let board = self.board();
        if board.has_left.load(Relaxed) {
            return None;
        }
        let place = match board.place.load(Relaxed) {
            0 => Place::Beginning,
            u64::MAX => Place::Afterwards,
            step => Place::Step(step),
        };
        let length = board.length.load(Relaxed);
        if length == 0 {
            let message = format!("aborted: {}", cause(status));
            return Some(Death { place, message, went_past: self.unwinds() });
        }
        let words: Vec<u8> = board.words[..length].iter().map(|byte| byte.load(Relaxed)).collect();
        let message = String::from_utf8_lossy(&words).into_owned();
        Some(Death { place, message, went_past: board.went_past.load(Relaxed) })
    }
}

/// Adds to the last words.
impl fmt::Write for &Board {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let length = self.length.load(Relaxed);
        let room = self.words[length..].iter();
        let written = room.zip(text.bytes()).map(|(to, byte)| to.store(byte, Relaxed)).count();
        self.length.store(length + written, Relaxed);
        Ok(())
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        // SAFETY: `new` mapped so much there, and no reference to it outlives this value.
        unsafe { libc::munmap(self.board.as_ptr().cast(), size_of::<Board>()) };
    }
}

/// What ended a process.
fn cause(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "nobody knows why".to_owned() };
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let known = SIGNALS.iter().find(|(number, _)| *number == signal);
            known.map_or(format!("signal {signal}"), |(_, name)| (*name).to_owned())
        }
        (None, Some(code)) => format!("the process exited with code {code}"),
        (None, None) => "nobody knows why".to_owned(),
    }
}

/// The signals that end a process because of what it did.
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
    fn only_a_scout_writes_last_words_and_they_are_read_back() {
        let notice = Notice::new();
        assert!(!notice.write(&"of a worker", true));
        notice.is_mine();
        let long = "ä".repeat(MAX_WORDS);
        for words in ["boom", long.as_str()] {
            assert!(notice.write(&words, true));
            notice.be_at(Place::Step(7));
            let death = notice.death(None).expect("it has not left");
            assert_eq!((death.place, death.went_past), (Place::Step(7), true));
            assert!(!death.message.is_empty() && words.starts_with(&death.message));
        }
    }

    #[test]
    fn a_cleared_notice_tells_of_a_signal_by_its_name() {
        let notice = Notice::new();
        notice.is_mine();
        notice.write(&"boom", false);
        notice.clear();
        let death = notice.death(Some(ExitStatus::from_raw(libc::SIGSEGV))).expect("it has not left");
        assert_eq!((death.place, &*death.message), (Place::Beginning, "aborted: SIGSEGV"));
        notice.leave();
        assert!(notice.death(None).is_none(), "it has left");
    }
}
