//! Results of `std`'s locks, with our guards around `std`'s guards.

#[cfg(feature = "check")]
use super::held_outside;
#[cfg(feature = "check")]
use crate::control::{Execution, ObjectKind, Tag};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

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
pub(super) fn attempt<T>(result: TryLockResult<T>) -> Option<LockResult<T>> {
    match result {
        Ok(guard) => Some(Ok(guard)),
        Err(TryLockError::Poisoned(poisoned)) => Some(Err(poisoned)),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The guard of a result, poisoned or not.
#[cfg(feature = "check")]
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
