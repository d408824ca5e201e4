//! The names of locks, given by [`prop::name_lock`](crate::prop::name_lock) outside of explorations.

use super::Watch;
use selvedge_monitor::Value;
use selvedge_monitor::lock_order::{self, LockTag};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// Is any lock named? Until then, the table need not be locked.
static HAS_NAMES: AtomicBool = AtomicBool::new(false);
static NAMES: LazyLock<Mutex<HashMap<u64, Arc<str>>>> = LazyLock::new(Mutex::default);

fn names() -> MutexGuard<'static, HashMap<u64, Arc<str>>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Names a lock, for propositions and for lock orders.
pub(crate) fn name(watch: &Watch, name: &str) {
    names().insert(watch.number(), name.into());
    HAS_NAMES.store(true, Ordering::Relaxed);
    lock_order::global().name_lock(&watch.0, name);
}

/// The lock in propositions, if it has a name.
pub(crate) fn lock_value(watch: &Watch) -> Option<Value> {
    HAS_NAMES.load(Ordering::Relaxed).then(|| names().get(&watch.number()).cloned().map(Value::Text))?
}

/// The lock is gone.
pub(super) fn forget(tag: &LockTag) {
    if HAS_NAMES.load(Ordering::Relaxed)
        && let Some(id) = tag.known_id()
    {
        names().remove(&id.number());
    }
}
