//! How events reach the monitor of the process: in place, or by a ring that the monitor's thread empties.
//!
//! By a ring, an event takes a ticket inside of the action that it belongs to, is written, and its thread
//! goes on. The thread `selvedge-monitor` takes events out in the order of tickets, and progresses the
//! formulas. Between two threads of the program this orders nothing (`ring.rs` has the argument), and no
//! thread of the program takes a lock. What happens before [`deliver`] happens before all events: they use
//! the ring that it makes.
//!
//! The monitor's thread sleeps if there is nothing to do. A producer that sees it asleep wakes it; it may
//! look too early, so the sleep is bounded. [`Pipe::flush`] wakes it for certain. (Where `unpark` takes a
//! lock, on systems without futexes, two producers that wake it are ordered.)
//!
//! Promise: once [`Pipe::flush`] returns, all events that happen before its call have made their states.

use super::event::{Action, Event};
use super::global;
use super::ring::{Backoff, Consumer, Ring, ring};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Duration;

/// How events reach the monitor of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// The thread of an event progresses the formulas before it goes on, one thread at a time. A violation
    /// is handled by the thread that caused it, before its next action: for tests, and to stop at a
    /// violation.
    #[default]
    InPlace,
    /// The thread of an event writes it to a ring and goes on; a thread of the monitor, `selvedge-monitor`,
    /// progresses the formulas and handles violations. No lock is taken, and the program's accesses to
    /// memory are ordered no more than without the monitor.
    Ring {
        /// The number of events that can wait, rounded up to a power of two.
        capacity: usize,
        /// What happens to an event if the ring is full.
        when_full: WhenFull,
    },
}

/// What happens to an event if the ring is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// Its thread waits until the monitor's thread has made room.
    #[default]
    Wait,
    /// It is dropped. All verdicts that fall later are told with the number of dropped events, because they
    /// need not be those of the run. A [`check`](crate::check()) waits, and is never dropped.
    Drop,
}

/// Decides how events reach the monitor of the process. Without this call they are delivered in place.
///
/// With a ring, a violation is known some time after its event. Its handler runs in the thread
/// `selvedge-monitor`; a panic there ([`OnViolation::Panic`](crate::monitor::OnViolation)) is resumed by the
/// next [`global`](super::global()). `global` waits until all events before it have been seen, so
/// `global(|monitor| monitor.finish())` at the end of the program misses none. A handler must not wait for a
/// thread that makes events: that thread may wait for room in the ring.
///
/// ```
/// use selvedge::monitor::{Delivery, OnViolation, WhenFull, deliver, global};
/// deliver(Delivery::Ring { capacity: 1024, when_full: WhenFull::Wait });
/// global(|monitor| { monitor.on_violation(OnViolation::Keep); });
/// selvedge::check("exclusive", "forall t1 != t2: G !(critical(t1) & critical(t2))");
/// std::thread::scope(|scope| {
///     for number in 0..2 {
///         scope.spawn(move || selvedge::prop::set(("critical", number)));
///     }
/// });
/// assert!(global(|monitor| monitor.finish()).has_violations());
/// ```
///
/// # Panics
/// If it was decided before, if the monitor has been used (by [`check`](crate::check()) or `global`),
/// inside of an exploration, or if the thread cannot be started.
#[track_caller]
pub fn deliver(delivery: Delivery) {
    assert!(!crate::door::is_exploring(), "{EXPLORING}");
    let (made, consumer) = match delivery {
        Delivery::InPlace => (None, None),
        Delivery::Ring { capacity, when_full } => {
            let (ring, consumer) = ring(capacity);
            (Some(Pipe::new(ring, when_full)), Some(consumer))
        }
    };
    let is_first = PIPE.set(made).is_ok();
    assert!(is_first, "the delivery of events is decided before the monitor is used, and once");
    if let (Some(pipe), Some(consumer)) = (pipe(), consumer) {
        let thread = std::thread::Builder::new().name("selvedge-monitor".to_owned());
        let thread = thread.spawn(move || pipe.run(consumer)).expect("the monitor's thread starts");
        pipe.thread.set(thread.thread().clone()).expect("there is one such thread");
    }
}

const EXPLORING: &str = "the monitor of the process cannot be used inside of an exploration";

static PIPE: OnceLock<Option<Pipe>> = OnceLock::new();

/// The ring, if events go there. From the first use of the monitor on this is decided.
#[inline]
pub(super) fn pipe() -> Option<&'static Pipe> {
    PIPE.get_or_init(|| None).as_ref()
}

/// The longest time for which an event goes unnoticed if the monitor's thread sleeps.
const POLL: Duration = Duration::from_millis(10);

/// After this number of events the monitor's thread tells its progress to threads that wait for it.
const BATCH: usize = 256;

/// The ring, and what its producers and its consumer know of each other.
pub(super) struct Pipe {
    ring: Arc<Ring<Event>>,
    when_full: WhenFull,
    /// Does the monitor's thread sleep?
    is_asleep: AtomicBool,
    thread: OnceLock<Thread>,
    progress: Mutex<Progress>,
    /// There is progress.
    advanced: Condvar,
}

/// What the monitor's thread has done.
#[derive(Default)]
struct Progress {
    /// The number of events that have made their states.
    stepped: usize,
    /// The number of threads that wait for progress.
    waiting: usize,
    /// The first panic of a handler that was not resumed.
    panic: Option<Box<dyn Any + Send>>,
}

impl Pipe {
    fn new(ring: Arc<Ring<Event>>, when_full: WhenFull) -> Pipe {
        Pipe {
            ring,
            when_full,
            is_asleep: AtomicBool::new(false),
            thread: OnceLock::new(),
            progress: Mutex::default(),
            advanced: Condvar::new(),
        }
    }

    /// Writes an event.
    #[inline]
    pub(super) fn send(&self, event: Event) {
        let event = Box::new(event);
        match (self.when_full, &event.action) {
            (WhenFull::Wait, _) | (_, Action::Check { .. }) => self.ring.push(event),
            (WhenFull::Drop, _) => {
                self.ring.push_or_drop(event);
            }
        }
        if self.is_asleep.load(Relaxed) {
            self.wake();
        }
    }

    /// Writes the end of a thread, if there is room. Otherwise its name is leaked: freeing it here could
    /// order this thread after the monitor's.
    pub(super) fn send_end(&self, actor: Arc<str>) {
        if let Err(event) = self.ring.try_push(Box::new(Event { actor, action: Action::End })) {
            std::mem::forget(event);
        }
    }

    /// The number of events that were dropped. Drops that happen before this call are among them.
    pub(super) fn dropped(&self) -> usize {
        self.ring.dropped()
    }

    /// Waits until all events that happen before this call have made their states.
    ///
    /// # Panics
    /// If a handler has panicked.
    pub(super) fn flush(&self) {
        assert!(!crate::door::is_exploring(), "{EXPLORING}");
        let tickets = self.ring.tickets();
        self.wake();
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.waiting += 1;
        let is_behind = |progress: &mut Progress| (progress.stepped.wrapping_sub(tickets) as isize) < 0;
        let waited = self.advanced.wait_while(progress, is_behind);
        let mut progress = waited.unwrap_or_else(PoisonError::into_inner);
        progress.waiting -= 1;
        let panic = progress.panic.take();
        drop(progress);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            self.is_asleep.store(false, Relaxed);
            thread.unpark();
        }
    }

    /// The monitor's thread.
    fn run(&self, mut consumer: Consumer<Event>) {
        let mut backoff = Backoff::default();
        loop {
            if let Some(event) = consumer.pop() {
                let panic = self.step(event, &mut consumer);
                self.tell_progress(&consumer, panic);
                backoff = Backoff::default();
            } else if self.ring.tickets() != consumer.popped() {
                // An event is about to be written.
                backoff.wait();
            } else {
                self.is_asleep.store(true, Relaxed);
                if self.ring.tickets() == consumer.popped() {
                    std::thread::park_timeout(POLL);
                }
                self.is_asleep.store(false, Relaxed);
            }
        }
    }

    /// Gives an event and some that follow it to the monitor. Returns the first panic of a handler.
    fn step(&self, first: Box<Event>, consumer: &mut Consumer<Event>) -> Option<Box<dyn Any + Send>> {
        let mut panic = None;
        let mut next = Some(first);
        let mut count = 0;
        while let Some(event) = next {
            let apply = || global::with_monitor(|monitor| event.apply(monitor));
            if let Err(payload) = catch_unwind(AssertUnwindSafe(apply)) {
                panic.get_or_insert(payload);
            }
            count += 1;
            next = if count < BATCH { consumer.pop() } else { None };
        }
        panic
    }

    fn tell_progress(&self, consumer: &Consumer<Event>, panic: Option<Box<dyn Any + Send>>) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.stepped = consumer.popped();
        progress.panic = progress.panic.take().or(panic);
        if progress.waiting > 0 {
            self.advanced.notify_all();
        }
    }
}
