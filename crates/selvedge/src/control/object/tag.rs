//! How a run knows a shared object: the number of the run and the number of the object, kept in the object
//! itself. A `static` that runs have anew keeps neither, since runs on several workers use it at the same
//! time; it is known by its address ([`super::statics`]).

use super::statics;
use crate::control::diagnose;
use crate::control::execution::Persistence;
use selvedge_explore::ObjectId;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

/// The part of a shared object that the execution knows it by.
#[derive(Debug)]
pub(crate) struct Tag {
    /// 0 before the first use; otherwise the run's number above, the object's number below; or [`STATIC`];
    /// or, if no run has used the object, [`UNCONTROLLED`] and the newest run when an uncontrolled thread
    /// last did.
    last_use: AtomicU64,
    created_at: &'static Location<'static>,
}

/// Bits for the object's number.
const OBJECT_BITS: u32 = 24;

/// Of a `static` that each run has anew.
const STATIC: u64 = u64::MAX;

/// No run has used the object, but an uncontrolled thread has, while there was a run. A run's number is
/// smaller.
const UNCONTROLLED: u64 = 1 << 63;

/// Is it the mark of an uncontrolled thread?
#[inline]
const fn is_mark(last_use: u64) -> bool {
    last_use & UNCONTROLLED != 0 && last_use != STATIC
}

/// What a tag knows of its object in a run.
pub(crate) enum Known {
    /// The object has this number.
    InThisRun(ObjectId),
    /// No run has used the object.
    Never,
    /// Another run has used the object.
    InAnotherRun,
    /// The object is a `static` that each run has anew, and that a run has used.
    Static,
}

impl Tag {
    /// Of an object that the caller makes.
    #[track_caller]
    pub(crate) const fn new() -> Tag {
        Tag { last_use: AtomicU64::new(0), created_at: Location::caller() }
    }

    /// Where the object was made.
    pub(crate) fn created_at(&self) -> &'static Location<'static> {
        self.created_at
    }

    /// The run that the object was last used in, of an object that is taken apart; 0 if no run has used it.
    pub(crate) const fn into_run(self) -> u64 {
        let last_use = self.last_use.into_inner();
        if is_mark(last_use) { 0 } else { last_use >> OBJECT_BITS }
    }

    /// What is known of the object in this run.
    #[inline]
    pub(crate) fn known(&self, run: u64) -> Known {
        let last_use = self.last_use.load(Ordering::Relaxed);
        if last_use >> OBJECT_BITS == run {
            let number = last_use & ((1 << OBJECT_BITS) - 1);
            Known::InThisRun(ObjectId::at(number as usize))
        } else if last_use == 0 || is_mark(last_use) {
            Known::Never
        } else if last_use == STATIC {
            Known::Static
        } else {
            Known::InAnotherRun
        }
    }

    /// Has a run used the object as a `static` that each run has anew?
    #[inline]
    pub(crate) fn is_renewed(&self) -> bool {
        self.last_use.load(Ordering::Relaxed) == STATIC
    }

    /// Has no run used the object?
    #[inline]
    pub(crate) fn is_unused(&self) -> bool {
        self.last_use.load(Ordering::Relaxed) == 0
    }

    /// Is the object a `static`?
    pub(crate) fn is_static(&self) -> bool {
        statics::is_static(self)
    }

    /// The object is a `static`, and each run has it anew.
    pub(crate) fn renew_in_each_run(&self) {
        self.last_use.store(STATIC, Ordering::Relaxed);
    }

    /// An uncontrolled thread uses the object. If the object carries state, it must not belong to a run that
    /// is under way.
    ///
    /// # Panics
    /// If it does.
    #[inline]
    #[track_caller]
    pub(crate) fn check_uncontrolled_use(&self, persistence: Persistence) {
        let last_use = self.last_use.load(Ordering::Relaxed);
        // What an uncontrolled thread does to a `static` that runs have anew is not seen by any run.
        if !persistence.keeps_state() || last_use == STATIC {
            return;
        }
        if last_use != 0 && !is_mark(last_use) {
            diagnose::check_uncontrolled_use(last_use >> OBJECT_BITS, self, Location::caller());
        } else if let Some(newest) = diagnose::newest_foreign_run() {
            self.mark_uncontrolled_use(last_use, newest);
        }
    }

    /// An uncontrolled thread uses the object, which no run has used. It must not belong to a run that
    /// begins to use it right now, either. A `static` is not marked: threads of other tests may use it.
    #[cold]
    #[track_caller]
    fn mark_uncontrolled_use(&self, last_use: u64, newest: u64) {
        if self.is_static() {
            return;
        }
        let mark = UNCONTROLLED | newest;
        if let Err(now) = self.last_use.compare_exchange(last_use, mark, Ordering::Relaxed, Ordering::Relaxed)
            && now != STATIC
            && !is_mark(now)
        {
            diagnose::check_uncontrolled_use(now >> OBJECT_BITS, self, Location::caller());
        }
    }

    /// This run begins to use the object. Has an uncontrolled thread used it since the run began?
    #[inline]
    fn check_mark(&self, before: u64, run: u64) {
        if is_mark(before) && before & !UNCONTROLLED >= run {
            diagnose::note_uncontrolled_use(run, self);
        }
    }

    /// Is this the first run that ever uses the object? Of several runs that claim it at the same time, one
    /// is.
    pub(crate) fn claim(&self, run: u64) -> bool {
        let claimed = run << OBJECT_BITS;
        let is_free = |last_use: u64| (last_use == 0 || is_mark(last_use)).then_some(claimed);
        let before = self.last_use.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_free);
        before.inspect(|before| self.check_mark(*before, run)).is_ok()
    }

    /// From now on, in this run, the object has this number.
    pub(crate) fn remember(&self, run: u64, object: ObjectId) {
        assert!(object.index() < 1 << OBJECT_BITS, "a run has at most {} shared objects", 1 << OBJECT_BITS);
        // Not a store: the mark of an uncontrolled thread must not be lost.
        let before = self.last_use.swap(run << OBJECT_BITS | object.index() as u64, Ordering::Relaxed);
        self.check_mark(before, run);
    }
}
