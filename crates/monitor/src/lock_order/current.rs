//! The holder of the calling thread, for watched types.
//!
//! A thread holds locks for itself, unless it runs a task that has a holder of its own: then the task's
//! holder takes the place of the thread's for that time.
//!
//! Promise: code that the recorder itself calls, such as a user's reaction to a finding, is not watched.

use super::holder::Holder;
use super::ids::{Access, HolderId, LockTag, PackedHold};
use super::{LockOrder, fast};
use std::cell::RefCell;
use std::panic::Location;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static GLOBAL: OnceLock<LockOrder> = OnceLock::new();
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CURRENT: Current = const { Current(RefCell::new(None)) };
}

/// The holder of the calling thread, once it is asked for. Except while it is borrowed, its locks in hand
/// are in [`fast`].
struct Current(RefCell<Option<Holder>>);

impl Drop for Current {
    fn drop(&mut self) {
        fast::end();
    }
}

/// A holder with its locks in hand, until this is dropped.
struct Borrowed<'a>(&'a mut Holder);

impl<'a> Borrowed<'a> {
    fn new(holder: &'a mut Holder) -> Borrowed<'a> {
        fast::move_to(holder);
        Borrowed(holder)
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        fast::move_from(self.0);
    }
}

/// From now on, watched types tell the recorder of the process what they do.
pub fn watch() -> &'static LockOrder {
    IS_WATCHED.store(true, Ordering::Relaxed);
    global()
}

/// Do watched types tell the recorder of the process what they do?
#[inline]
pub fn is_watched() -> bool {
    IS_WATCHED.load(Ordering::Relaxed)
}

/// The recorder of the process.
pub fn global() -> &'static LockOrder {
    GLOBAL.get_or_init(LockOrder::new)
}

/// Calls the function with the holder of the calling thread: the one that was installed, or one of its own
/// in the recorder of the process. Returns `None`, without the call, inside of such a function and at the
/// end of the thread, when its thread-local values are gone.
pub fn with_current<R>(function: impl FnOnce(&mut Holder) -> R) -> Option<R> {
    CURRENT
        .try_with(|Current(current)| {
            let mut current = current.try_borrow_mut().ok()?;
            let borrowed = Borrowed::new(current.get_or_insert_with(make_holder));
            Some(function(borrowed.0))
        })
        .ok()
        .flatten()
}

/// Makes this the holder of the calling thread, and returns the one that was. A spawned thread installs the
/// holder that its parent made for it; a runtime installs the holder of a task around each poll.
pub fn install(mut holder: Option<Holder>) -> Option<Holder> {
    CURRENT.with(|Current(current)| {
        let mut current = current.borrow_mut();
        if let Some(before) = &mut *current {
            fast::move_to(before);
        }
        if let Some(holder) = &mut holder {
            fast::move_from(holder);
        }
        std::mem::replace(&mut *current, holder)
    })
}

/// The holder of the calling thread is about to take a lock, and counts as one that holds it from now on.
/// The order is checked, if that is wanted. Returns `None`, without effect, if the lock is not watched, and
/// where [`with_current`] does.
#[inline]
pub fn takes(
    lock: &LockTag,
    access: Access,
    at: &'static Location<'static>,
    is_checked: bool,
) -> Option<HolderId> {
    // A writer that holds nothing still keeps readers out, so its order is one to check.
    let may_be_first = access != Access::Write || !is_checked;
    if may_be_first && fast::take_first(lock, access, at) {
        fast::holder()
    } else {
        take(lock, access, at, is_checked)
    }
}

#[inline(never)]
fn take(
    lock: &LockTag,
    access: Access,
    at: &'static Location<'static>,
    is_checked: bool,
) -> Option<HolderId> {
    if fast::take_further(lock, access, at, is_checked) {
        fast::holder()
    } else {
        take_by_holder(lock, access, at, is_checked)
    }
}

#[cold]
fn take_by_holder(
    lock: &LockTag,
    access: Access,
    at: &'static Location<'static>,
    is_checked: bool,
) -> Option<HolderId> {
    if !lock.is_watched() {
        return None;
    }
    with_current(|holder| {
        if is_checked {
            holder.requests_at(lock, access, at);
            if let Some(step) = holder.known_step(PackedHold::new(lock.id(), access)) {
                fast::remember(step);
            }
        }
        holder.acquires_at(lock, access, at);
        holder.id()
    })
}

/// The holder of the calling thread has taken a lock without waiting. Returns `None` where [`takes`] does.
#[inline]
pub fn acquires(lock: &LockTag, access: Access, at: &'static Location<'static>) -> Option<HolderId> {
    takes(lock, access, at, false)
}

/// The calling thread is about to release a lock that was taken by the holder `by`.
pub fn releases(lock: &LockTag, by: HolderId) {
    if !releases_last(lock, by) {
        with_current(|holder| holder.releases(lock, by));
    }
}

/// The same, if the lock is the last one that the holder of the calling thread has taken. Otherwise it
/// returns false, without effect, and [`releases`] is to be called.
#[inline]
#[must_use = "if it returns false, it has no effect"]
pub fn releases_last(lock: &LockTag, by: HolderId) -> bool {
    fast::release_last(lock, by)
}

#[cold]
fn make_holder() -> Holder {
    let thread = std::thread::current();
    match thread.name() {
        Some(name) => global().holder(name),
        None => global().holder(&format!("{:?}", thread.id())),
    }
}
