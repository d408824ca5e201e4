//! What std's locks answer, with our guards around theirs.

use super::held_outside;
use crate::control::{Execution, Sort, Tag};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// The same with something else in it, poisoned or not.
#[inline]
pub(super) fn rewrap<T, U>(result: LockResult<T>, change: impl FnOnce(T) -> U) -> LockResult<U> {
    match result {
        Ok(value) => Ok(change(value)),
        Err(poisoned) => Err(PoisonError::new(change(poisoned.into_inner()))),
    }
}

/// The same for who tries.
#[inline]
pub(super) fn rewrap_try<T, U>(result: TryLockResult<T>, change: impl FnOnce(T) -> U) -> TryLockResult<U> {
    match result {
        Ok(value) => Ok(change(value)),
        Err(TryLockError::Poisoned(poisoned)) => {
            Err(TryLockError::Poisoned(PoisonError::new(change(poisoned.into_inner()))))
        }
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

/// The same for who has taken the lock in the exploration, so that it must be free. If it is not, somebody outside has it.
#[inline]
pub(super) fn rewrap_free<T, U>(
    result: TryLockResult<T>,
    (execution, tag, sort): (&Execution, &Tag, Sort),
    change: impl FnOnce(T) -> U,
) -> LockResult<U> {
    match result {
        Ok(value) => Ok(change(value)),
        Err(TryLockError::Poisoned(poisoned)) => Err(PoisonError::new(change(poisoned.into_inner()))),
        Err(TryLockError::WouldBlock) => execution.end_run(held_outside(tag, sort)),
    }
}
