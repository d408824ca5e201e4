//! The holder of the calling thread, for watched types.
//!
//! A thread holds locks for itself, unless it runs a task that has a holder of its own: then the task's
//! holder takes the place of the thread's for that time.
//!
//! Promise: code that the recorder itself calls, such as a user's reaction to a finding, is not watched.

use super::LockOrder;
use super::holder::Holder;
use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static GLOBAL: OnceLock<LockOrder> = OnceLock::new();
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CURRENT: RefCell<Option<Holder>> = const { RefCell::new(None) };
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
#[inline]
pub fn with_current<R>(function: impl FnOnce(&mut Holder) -> R) -> Option<R> {
    CURRENT
        .try_with(|current| {
            let mut current = current.try_borrow_mut().ok()?;
            Some(function(current.get_or_insert_with(make_holder)))
        })
        .ok()
        .flatten()
}

/// Makes this the holder of the calling thread, and returns the one that was. A spawned thread installs the
/// holder that its parent made for it; a runtime installs the holder of a task around each poll.
pub fn install(holder: Option<Holder>) -> Option<Holder> {
    CURRENT.with(|current| current.replace(holder))
}

#[cold]
fn make_holder() -> Holder {
    let thread = std::thread::current();
    match thread.name() {
        Some(name) => global().holder(name),
        None => global().holder(&format!("{:?}", thread.id())),
    }
}
