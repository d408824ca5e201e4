//! One wait of one thread. It ends once: another thread wakes it, or an exception interrupts it.
//!
//! Every production type that blocks does so here. A thread creates a [`Waiter`], puts it where other
//! threads find it, and waits. A wake-up and an interruption compete in one compare-exchange. So the waking
//! thread learns whether it has ended the wait (a value that it hands over is not lost in an interrupted
//! thread), and a thrower learns whether its exception has.
//!
//! The thread parks. `park` consumes the thread's token, and cannot tell the token of a waker from one that
//! the program's own `unpark` left. So a thread that has parked leaves a token behind when its wait is over.
//! A later `park` of the program may then return without an `unpark`, as `std` permits, and no `unpark` of
//! the program is lost. The thread does not spin before it parks: with more threads than processors,
//! spinning only delays the waker (see bench/RESULTS-production.md).
//!
//! Promise: no wake-up is lost, and exactly one of [`wake`](Waiter::wake) and an interruption ends a wait.

use super::interrupt::Thrown;
use super::mailbox;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicU8, Ordering};
use crate::thread::{self, Thread};
use crate::time::Instant;

const WAITING: u8 = 0;
/// [`Waiter::claim`] has decided how the wait ends, and the thread still waits.
const CLAIMED: u8 = 1;
const WOKEN: u8 = 2;
const INTERRUPTED: u8 = 3;

/// One wait of the thread that created it.
#[derive(Debug)]
pub(crate) struct Waiter {
    state: AtomicU8,
    thread: Thread,
}

/// How a wait ended.
#[derive(Debug)]
#[must_use]
pub(crate) enum WaitEnd {
    /// Another thread's [`wake`](Waiter::wake) returned true.
    Woken,
    /// An exception ended the wait. The thread [raises](Thrown::raise) it after it has cleaned up. Every
    /// `wake` returns false.
    Interrupted(Thrown),
}

impl Waiter {
    /// A wait of the calling thread.
    pub(crate) fn new() -> Arc<Waiter> {
        Arc::new(Waiter { state: AtomicU8::new(WAITING), thread: thread::current() })
    }

    /// Ends the wait. Returns false if it has already ended. Everything before this call happens before
    /// everything that the thread does after its wait.
    pub(crate) fn wake(&self) -> bool {
        let is_first = self.end_as(WOKEN);
        if is_first {
            self.thread.unpark();
        }
        is_first
    }

    /// The first half of [`wake`](Waiter::wake): decides how the wait ends, but the thread waits on until
    /// [`unpark`](Waiter::unpark). For a caller that holds a lock, or that ends several waits and must
    /// decide all of them before the first thread continues.
    pub(crate) fn claim(&self) -> bool {
        self.end_as(CLAIMED)
    }

    /// The second half of [`wake`](Waiter::wake), after [`claim`](Waiter::claim) returned true.
    pub(crate) fn unpark(&self) {
        self.state.store(WOKEN, Ordering::Release);
        self.thread.unpark();
    }

    /// Ends the wait by an exception. Returns false if it has already ended. Only the mailbox of the thread
    /// calls this.
    pub(super) fn interrupt(&self) -> bool {
        let is_first = self.end_as(INTERRUPTED);
        if is_first {
            self.thread.unpark();
        }
        is_first
    }

    fn end_as(&self, state: u8) -> bool {
        self.state.compare_exchange(WAITING, state, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Is it still open how the wait ends?
    pub(crate) fn is_waiting(&self) -> bool {
        self.state.load(Ordering::Acquire) == WAITING
    }

    /// Waits until another thread wakes this one or, if its masking state permits it, interrupts it. The
    /// thread that created the waiter calls this once.
    pub(crate) fn wait(self: &Arc<Waiter>) -> WaitEnd {
        self.wait_by(|| {
            self.park_while_waiting(|| {
                thread::park();
                true
            });
        })
    }

    /// As [`wait`](Waiter::wait), but at the deadline the wait ends as if another thread had woken this one.
    pub(super) fn wait_until(self: &Arc<Waiter>, deadline: Instant) -> WaitEnd {
        self.wait_by(|| {
            self.park_while_waiting(|| {
                let left = deadline.saturating_duration_since(Instant::now());
                if !left.is_zero() {
                    thread::park_timeout(left);
                }
                !left.is_zero()
            });
            self.claim();
        })
    }

    /// Waits for a token: any `unpark` of the thread ends the wait.
    pub(super) fn wait_for_token(self: &Arc<Waiter>) -> WaitEnd {
        self.wait_by(|| {
            thread::park();
            if !self.claim() {
                // Interrupted. `park` may have consumed a token of the program together with that of the
                // thrower.
                self.thread.unpark();
            }
        })
    }

    /// Waits by the function, which returns when the wait is over.
    fn wait_by(self: &Arc<Waiter>, park: impl FnOnce()) -> WaitEnd {
        let Some(mailbox) = mailbox::if_interruptible() else {
            park();
            return WaitEnd::Woken;
        };
        if let Some(thrown) = mailbox.begin_wait(self) {
            return WaitEnd::Interrupted(thrown);
        }
        park();
        mailbox.end_wait().map_or(WaitEnd::Woken, WaitEnd::Interrupted)
    }

    /// Calls the function, which parks once, until the wait is over or the function returns false: no time
    /// is left.
    fn park_while_waiting(&self, mut park: impl FnMut() -> bool) {
        let mut has_parked = false;
        while self.state.load(Ordering::Acquire) < WOKEN && park() {
            has_parked = true;
        }
        if has_parked {
            self.thread.unpark();
        }
    }
}
