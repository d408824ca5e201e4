//! One wait of one thread, which ends once: somebody wakes it, or an exception interrupts it.
//!
//! Every production type that blocks waits here. A thread makes a [`Waiter`], leaves it where wakers look, and waits;
//! who wakes and who interrupts race for one compare-exchange, so that a waker always knows whether its wake-up was
//! used (a value that it hands over is not lost in a thread that was interrupted), and a thrower whether its
//! exception was.
//!
//! The thread parks. A park takes whatever token there is, and one that the program's own `unpark` left cannot be
//! told from a waker's; so a thread that has parked leaves a token behind when its wait is over. A `park` of the
//! program may then return for no reason, which std's may too, and no `unpark` of the program is ever lost. It does
//! not spin before it parks: where threads are more than processors, that only keeps the waker from its work (see
//! bench/RESULTS-production.md).
//!
//! Promise: no wake-up is lost, and of [`wake`](Waiter::wake) and interruption exactly one ends a wait.

use super::interrupt::Thrown;
use super::mailbox;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicU8, Ordering};
use crate::thread::{self, Thread};
use crate::time::Instant;

const WAITING: u8 = 0;
/// Decided, as [`Waiter::claim`] does, but not over yet.
const CLAIMED: u8 = 1;
const WOKEN: u8 = 2;
const INTERRUPTED: u8 = 3;

/// One wait of the thread that made it.
#[derive(Debug)]
pub(crate) struct Waiter {
    state: AtomicU8,
    thread: Thread,
}

/// How a wait ended.
#[derive(Debug)]
#[must_use]
pub(crate) enum Ended {
    /// A waker's [`wake`](Waiter::wake) was true.
    Woken,
    /// By an exception, to be [raised](Thrown::raise) when what was waited for has been given up. Every `wake` is,
    /// and was, false.
    Interrupted(Thrown),
}

impl Waiter {
    /// A wait of the calling thread.
    pub(crate) fn new() -> Arc<Waiter> {
        Arc::new(Waiter { state: AtomicU8::new(WAITING), thread: thread::current() })
    }

    /// Ends the wait, if nothing has. True if this call did. What the caller did before happens before what the thread
    /// does after its wait.
    pub(crate) fn wake(&self) -> bool {
        let ends = self.end_as(WOKEN);
        if ends {
            self.thread.unpark();
        }
        ends
    }

    /// The first half of [`wake`](Waiter::wake): nothing else can end the wait any more, and its thread waits on until
    /// [`unpark`](Waiter::unpark). For who holds a lock, or ends several waits of which none must go on before the last
    /// is decided.
    pub(crate) fn claim(&self) -> bool {
        self.end_as(CLAIMED)
    }

    /// The second half, for who has claimed it.
    pub(crate) fn unpark(&self) {
        self.state.store(WOKEN, Ordering::Release);
        self.thread.unpark();
    }

    /// Ends the wait by an exception, if nothing has ended it. True if this call did. Only the mailbox of the thread
    /// may call it.
    pub(super) fn interrupt(&self) -> bool {
        let ends = self.end_as(INTERRUPTED);
        if ends {
            self.thread.unpark();
        }
        ends
    }

    fn end_as(&self, state: u8) -> bool {
        self.state.compare_exchange(WAITING, state, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Has nothing decided it yet?
    pub(crate) fn is_waiting(&self) -> bool {
        self.state.load(Ordering::Acquire) == WAITING
    }

    /// Waits until it is woken or, where the masking state of the thread allows it, interrupted. To be called by the
    /// thread that made it, once.
    pub(crate) fn wait(self: &Arc<Waiter>) -> Ended {
        self.wait_by(|| {
            self.park_while_waiting(|| {
                thread::park();
                true
            });
        })
    }

    /// The same with a last moment: then the wait is over as if somebody had woken it.
    pub(super) fn wait_until(self: &Arc<Waiter>, deadline: Instant) -> Ended {
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

    /// The same for a wait that whatever unparks the thread ends; the token is the program's.
    pub(super) fn wait_for_token(self: &Arc<Waiter>) -> Ended {
        self.wait_by(|| {
            thread::park();
            if !self.claim() {
                // Interrupted: what was taken may have been more than the thrower's token.
                self.thread.unpark();
            }
        })
    }

    /// Waits by this function, which returns when the wait is over.
    fn wait_by(self: &Arc<Waiter>, park: impl FnOnce()) -> Ended {
        let Some(mailbox) = mailbox::interruptible() else {
            park();
            return Ended::Woken;
        };
        if let Some(thrown) = mailbox.begin_wait(self) {
            return Ended::Interrupted(thrown);
        }
        park();
        mailbox.end_wait().map_or(Ended::Woken, Ended::Interrupted)
    }

    /// Parks until the wait is over, or the function, which parks once, says that there is no time left.
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
