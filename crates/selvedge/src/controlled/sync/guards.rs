//! Our guards around `std`'s guards, and results of `std`'s locks.

#[cfg(feature = "check")]
use super::held_outside;
#[cfg(feature = "check")]
use crate::control::{Execution, ObjectKind, Tag};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// The guard of `std` inside of ours, whose destructor takes it out: so it need not be optional.
pub(super) struct Inner<G>(ManuallyDrop<G>);

impl<G> Inner<G> {
    #[inline]
    pub(super) fn new(guard: G) -> Inner<G> {
        Inner(ManuallyDrop::new(guard))
    }

    /// Takes out the guard of `std`.
    ///
    /// # Safety
    /// This is not used again.
    #[allow(unsafe_code)]
    #[inline]
    pub(super) unsafe fn take(&mut self) -> G {
        // SAFETY: the caller does not use the value again.
        unsafe { ManuallyDrop::take(&mut self.0) }
    }
}

impl<G> Deref for Inner<G> {
    type Target = G;

    #[inline]
    fn deref(&self) -> &G {
        &self.0
    }
}

impl<G> DerefMut for Inner<G> {
    #[inline]
    fn deref_mut(&mut self) -> &mut G {
        &mut self.0
    }
}

/// Maps the guard of a result, poisoned or not.
#[inline]
pub(super) fn map_guard<T, U>(result: LockResult<T>, wrap: impl FnOnce(T) -> U) -> LockResult<U> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(poisoned) => Err(PoisonError::new(wrap(poisoned.into_inner()))),
    }
}

/// The guard of an attempt, poisoned or not; `None` if another thread has the lock.
#[inline]
pub(super) fn attempt<T>(result: TryLockResult<T>) -> Option<T> {
    match result {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The result of an acquisition, of which only the guard is known.
#[inline]
pub(super) fn judged<T>(guard: T, is_poisoned: bool) -> LockResult<T> {
    if is_poisoned { Err(PoisonError::new(guard)) } else { Ok(guard) }
}

/// The guard of a result, poisoned or not.
#[inline]
pub(super) fn ignoring_poison<T>(result: LockResult<T>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}

/// Maps the guard of a result of `try_lock`.
#[inline]
pub(super) fn map_try_guard<T, U>(result: TryLockResult<T>, wrap: impl FnOnce(T) -> U) -> TryLockResult<U> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(TryLockError::Poisoned(poisoned)) => {
            Err(TryLockError::Poisoned(PoisonError::new(wrap(poisoned.into_inner()))))
        }
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

/// Maps the guard of a result of `try_lock`, for a thread that has acquired the lock in the run: so `std`'s
/// lock is free, unless a thread outside of the exploration holds it.
#[cfg(feature = "check")]
#[inline]
pub(super) fn map_acquired_guard<T, U>(
    result: TryLockResult<T>,
    (execution, tag, sort): (&Execution, &Tag, ObjectKind),
    wrap: impl FnOnce(T) -> U,
) -> LockResult<U> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(TryLockError::Poisoned(poisoned)) => Err(PoisonError::new(wrap(poisoned.into_inner()))),
        Err(TryLockError::WouldBlock) => execution.end_run(held_outside(tag, sort)),
    }
}
