//! As `tokio::sync::Mutex`. (Owned guards are not offered.)

use crate::guard::MutexGuard;
use crate::task::with_task;
use selvedge_monitor::lock_order::{self, Access, Holder, HolderId, LockTag};
use std::fmt;
use std::future::Future;
use std::panic::Location;
use tokio::sync::TryLockError;

/// As [`tokio::sync::Mutex`]: lock orders are recorded.
pub struct Mutex<T: ?Sized> {
    pub(crate) tag: Tag,
    pub(crate) inner: tokio::sync::Mutex<T>,
}

/// The number of a mutex. When it is dropped, its orders make room.
#[derive(Debug, Default)]
pub(crate) struct Tag(LockTag);

impl Drop for Tag {
    fn drop(&mut self) {
        if lock_order::is_watched() && self.0.known_id().is_some() {
            lock_order::global().forget(&self.0);
        }
    }
}

impl Tag {
    /// Takes the lock for a task: `attempt` does not wait, `wait` does.
    async fn acquire<G>(
        &self,
        at: &'static Location<'static>,
        attempt: impl FnOnce() -> Option<G>,
        wait: impl Future<Output = G>,
    ) -> (G, Option<HolderId>) {
        with_task(|holder| holder.requests_at(&self.0, Access::Lock, at));
        let guard = match attempt() {
            Some(guard) => guard,
            None => {
                // The wait ends also if the future is dropped.
                let _waiting = with_task(|holder| holder.waits_for_at(&self.0, Access::Lock, at));
                wait.await
            }
        };
        (guard, self.acquired(at))
    }

    fn acquired(&self, at: &'static Location<'static>) -> Option<HolderId> {
        with_task(|holder| {
            holder.acquires_at(&self.0, Access::Lock, at);
            holder.id()
        })
    }

    /// The lock is about to be given back, by any task or thread.
    pub(crate) fn release(&self, by: Option<HolderId>) {
        if let Some(by) = by {
            lock_order::with_current(|holder: &mut Holder| holder.releases(&self.0, by));
        }
    }
}

impl<T> Mutex<T> {
    /// As [`tokio::sync::Mutex::new`].
    #[track_caller]
    pub fn new(value: T) -> Mutex<T> {
        Mutex { tag: Tag(LockTag::new()), inner: tokio::sync::Mutex::new(value) }
    }

    /// As [`tokio::sync::Mutex::const_new`].
    #[track_caller]
    pub const fn const_new(value: T) -> Mutex<T> {
        Mutex { tag: Tag(LockTag::new()), inner: tokio::sync::Mutex::const_new(value) }
    }

    /// As [`tokio::sync::Mutex::into_inner`].
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Names the mutex, for messages and for [`allow`](lock_order::LockOrder::allow).
    pub fn set_name(&self, name: &str) {
        lock_order::global().name_lock(&self.tag.0, name);
    }

    /// As [`tokio::sync::Mutex::lock`].
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = MutexGuard<'_, T>> {
        let at = Location::caller();
        async move {
            let attempt = || self.inner.try_lock().ok();
            let (inner, holder) = self.tag.acquire(at, attempt, self.inner.lock()).await;
            MutexGuard { tag: &self.tag, holder, inner }
        }
    }

    /// As [`tokio::sync::Mutex::try_lock`].
    ///
    /// # Errors
    /// If the mutex is locked.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        let inner = self.inner.try_lock()?;
        Ok(MutexGuard { tag: &self.tag, holder: self.tag.acquired(Location::caller()), inner })
    }

    /// As [`tokio::sync::Mutex::get_mut`].
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}
