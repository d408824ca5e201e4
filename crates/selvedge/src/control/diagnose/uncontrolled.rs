//! Uncontrolled threads: they are not threads of a run, and use its objects all the same.
//!
//! A thread of `std::thread` that an explored body begins is not controlled: its actions on objects of the
//! run are in no schedule, and an exploration that does not see them must not claim that it is complete. So
//! an uncontrolled thread that uses an object checks whether the run that last used the object is under way;
//! if so it panics, and the exploration is refused when that run ends. If no run has used the object, the
//! thread leaves a mark in its tag, and a run that had begun by then and uses the object later is refused
//! too. So it does not matter which of the two comes first. An object that carries no state from
//! one use to the next, a lock around nothing or a value that was made before all runs, may be shared by
//! tests that run at the same time, and is not checked.
//!
//! Promise: no wrong refusals. A run is under way from its beginning, when threads announce their first
//! actions, to its last step; its own thread of the operating system may use its objects between steps, to
//! compare outcomes, say. A use after the end of the run is not noticed; no thread of the run can observe
//! it.

use crate::control::object::Tag;
use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The runs that are under way, by seat; 0 if there is none. Runs without a seat are not checked.
static RUNS: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];

/// The number of executions, each of which may have a run under way.
static EXECUTIONS: AtomicUsize = AtomicUsize::new(0);

/// Numbers for runs, all different, from 1. The runs of an execution that begins later have larger ones.
static NEXT_RUN: AtomicU64 = AtomicU64::new(1);

/// A seat without a run.
const TAKEN: u64 = u64::MAX;

/// Is there a use that has not been reported?
static IS_USED: AtomicBool = AtomicBool::new(false);

/// The runs of the used objects, and the message about the use.
static USED: Mutex<Vec<(u64, String)>> = Mutex::new(Vec::new());

thread_local! {
    /// The run of this thread of the operating system.
    static OWN_RUN: Cell<u64> = const { Cell::new(0) };
}

/// The place where the runs of an execution are registered.
pub(in crate::control) struct Seat {
    place: Option<&'static AtomicU64>,
    /// The run of this thread of the operating system before the one that is under way, if there is one.
    outer_run: Cell<Option<u64>>,
}

impl Seat {
    /// The first free seat.
    pub(in crate::control) fn take() -> Seat {
        let is_free =
            |seat: &&AtomicU64| seat.compare_exchange(0, TAKEN, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        EXECUTIONS.fetch_add(1, Ordering::Relaxed);
        Seat { place: RUNS.iter().find(is_free), outer_run: Cell::new(None) }
    }

    /// A run begins. It is under way until the end of [`Seat::during`].
    pub(in crate::control) fn begin(&self, run: u64) {
        self.set(run);
        let before = OWN_RUN.replace(run);
        self.outer_run.set(self.outer_run.get().or(Some(before)));
    }

    /// A run is under way until the work is done.
    pub(in crate::control) fn during<R>(&self, run: u64, work: impl FnOnce() -> R) -> R {
        self.begin(run);
        let _leaves = Leaves(self);
        work()
    }

    /// No run is under way.
    fn end(&self) {
        self.set(TAKEN);
        if let Some(outer) = self.outer_run.take() {
            OWN_RUN.set(outer);
        }
    }

    fn set(&self, run: u64) {
        if let Some(place) = self.place {
            place.store(run, Ordering::Relaxed);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.end();
        self.set(0);
        EXECUTIONS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The first of so many new numbers for runs.
pub(in crate::control) fn number_runs(count: u64) -> u64 {
    NEXT_RUN.fetch_add(count, Ordering::Relaxed)
}

/// A number that no run exceeds which has begun before, if the caller does not make a run itself and another
/// thread of the operating system may make one now.
#[inline]
pub(in crate::control) fn newest_foreign_run() -> Option<u64> {
    let may_be_under_way = EXECUTIONS.load(Ordering::Relaxed) != 0;
    let is_own = || OWN_RUN.try_with(Cell::get) != Ok(0);
    (may_be_under_way && !is_own()).then(|| NEXT_RUN.load(Ordering::Relaxed) - 1)
}

/// Ends the run at its seat when it is dropped.
struct Leaves<'s>(&'s Seat);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// An uncontrolled thread uses the object of a tag, which was last used in this run.
///
/// # Panics
/// If the run is under way on another thread, and the caller does not unwind already.
#[cold]
pub(in crate::control) fn check_uncontrolled_use(run: u64, tag: &Tag, place: &'static Location<'static>) {
    let is_under_way = RUNS.iter().any(|seat| seat.load(Ordering::Relaxed) == run);
    if !is_under_way || OWN_RUN.try_with(Cell::get) == Ok(run) {
        return;
    }
    let message = note(run, tag, &format!("is used at {}:{}", place.file(), place.line()));
    if !std::thread::panicking() {
        panic!("{message}");
    }
}

/// This run uses the object of a tag, which an uncontrolled thread has used since the run began.
#[cold]
pub(in crate::control) fn note_uncontrolled_use(run: u64, tag: &Tag) {
    note(run, tag, "is also used");
}

/// Notes the message about the use, so that the exploration is refused. Returns the message.
fn note(run: u64, tag: &Tag, is_used: &str) -> String {
    let created_at = tag.created_at();
    let message = format!(
        "an object of an explored body, made at {}:{}, {is_used} by a thread that is not explored, so that not all that can happen is seen; \
         inside of explored bodies begin threads with `selvedge::thread`, not with `std::thread`, and explore nothing that other \
         tests use at the same time",
        created_at.file(),
        created_at.line()
    );
    USED.lock().unwrap_or_else(PoisonError::into_inner).push((run, message.clone()));
    IS_USED.store(true, Ordering::Release);
    message
}

/// The message about uncontrolled uses of a run's objects. It is returned once.
#[inline]
pub(crate) fn take_uncontrolled_use(run: u64) -> Option<String> {
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
