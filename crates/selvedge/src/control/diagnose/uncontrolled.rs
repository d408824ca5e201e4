//! Threads that are none of a run's and use its objects all the same.
//!
//! A thread of `std::thread` that an explored body begins is not controlled: what it does to objects of the run is in no
//! schedule, and an exploration that does not see it must not say that it has seen everything. So who comes to an object
//! and is no thread of a run looks whether the run that last used the object is under way; then it panics, and the exploration is
//! refused when that run ends. What carries nothing from one use to the next, a lock around nothing or a value that was made before all
//! runs, may be shared by tests that run at the same time, and is left alone.
//!
//! Promise: no wrong refusals. A run is under way from its first step to its last; the thread of the operating system that makes it may
//! use its objects between steps, to compare outcomes, say. A use that comes before the first one of the run, or after its end, is
//! not noticed.

use crate::control::object::Tag;
use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The runs that are under way, by seat; 0 where there is none. Those who find no seat are not looked after.
static RUNS: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];

/// Stands for a run that has not begun.
const TAKEN: u64 = u64::MAX;

/// Has any such use been noticed that nobody has been told of?
static IS_USED: AtomicBool = AtomicBool::new(false);

/// The runs whose objects were used, and what to say about that.
static USED: Mutex<Vec<(u64, String)>> = Mutex::new(Vec::new());

thread_local! {
    /// The run that this thread of the operating system makes.
    static MAKES: Cell<u64> = const { Cell::new(0) };
}

/// Where the runs of an execution are known.
pub(in crate::control) struct Seat(Option<&'static AtomicU64>);

impl Seat {
    /// The first that is free.
    pub(in crate::control) fn take() -> Seat {
        let is_free =
            |seat: &&AtomicU64| seat.compare_exchange(0, TAKEN, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        Seat(RUNS.iter().find(is_free))
    }

    /// A run is under way while the work is done.
    pub(in crate::control) fn during<R>(&self, run: u64, work: impl FnOnce() -> R) -> R {
        self.set(run);
        let _ends = Ends { seat: self, before: MAKES.replace(run) };
        work()
    }

    fn set(&self, run: u64) {
        if let Some(seat) = self.0 {
            seat.store(run, Ordering::Relaxed);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// The run is not under way any more.
struct Ends<'s> {
    seat: &'s Seat,
    before: u64,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.seat.set(TAKEN);
        MAKES.set(self.before);
    }
}

/// Somebody who is no thread of this run uses the object of a tag, which was last used in it.
///
/// # Panics
/// If the run is under way elsewhere, and the caller does not unwind already.
#[cold]
pub(in crate::control) fn use_of(run: u64, tag: &Tag, place: &'static Location<'static>) {
    let is_under_way = RUNS.iter().any(|seat| seat.load(Ordering::Relaxed) == run);
    if !is_under_way || MAKES.try_with(Cell::get) == Ok(run) {
        return;
    }
    let made = tag.made().map_or(String::new(), |made| format!(", made at {}:{},", made.file(), made.line()));
    let message = format!(
        "an object of an explored body{made} is used at {}:{} by a thread that is not explored, so that not all that can happen is seen; \
         inside of explored bodies begin threads with `selvedge::thread`, not with `std::thread`, and explore nothing that other \
         tests use at the same time",
        place.file(),
        place.line()
    );
    USED.lock().unwrap_or_else(PoisonError::into_inner).push((run, message.clone()));
    IS_USED.store(true, Ordering::Release);
    if !std::thread::panicking() {
        panic!("{message}");
    }
}

/// What is to be said about uses of a run's objects by others. It is said once.
#[inline]
pub(crate) fn told(run: u64) -> Option<String> {
    if IS_USED.load(Ordering::Acquire) { take(run) } else { None }
}

#[cold]
fn take(run: u64) -> Option<String> {
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    let at = used.iter().position(|(of, _)| *of == run)?;
    let (_, message) = used.swap_remove(at);
    used.retain(|(of, _)| *of != run);
    IS_USED.store(!used.is_empty(), Ordering::Release);
    Some(message)
}
