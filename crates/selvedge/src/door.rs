//! The one door between code that is in all builds and the features `check` and `watch`.
//!
//! [`crate::production`] and [`crate::future`] are the same source with and without the features. Where
//! they must know whether an exploration runs them, or make locks that are not watched, they ask here.
//! Without the feature every answer is a constant or a type without data, so the optimiser removes the
//! question.
//!
//! Promise: the two modules below export the same names. No other file of `production/`, nor `future.rs` or
//! `task.rs`, mentions the feature; `lib.rs` does, to choose the public modules.

#[cfg(feature = "check")]
mod build {
    use crate::control::{Execution, Tag, with_current};
    pub(crate) use crate::controlled::stm::{DomainRef, TransactionMemory, load_as_step};

    /// Is the caller a thread of an exploration?
    #[inline]
    pub(crate) fn is_exploring() -> bool {
        with_current(|execution| execution.is_some())
    }

    /// The number of the run that the caller is a thread of.
    #[inline]
    pub(crate) fn current_run() -> Option<u64> {
        with_current(|execution| execution.map(|execution| execution.state.borrow().run))
    }

    /// A wake-up of the calling thread was observed by other means than its park token: everything before
    /// the `unpark` happens before everything that follows.
    #[inline]
    pub(crate) fn acquire_unpark() {
        with_current(|execution| {
            if let Some(execution) = execution {
                execution.see_unpark();
            }
        });
    }

    /// How explorations identify a transactional variable.
    pub(crate) struct VariableIdentity {
        pub(crate) tag: Tag,
        /// The bit of the variable in the footprint of a transaction.
        pub(crate) bit: u32,
    }

    /// The identity of a new variable.
    #[track_caller]
    pub(crate) fn new_variable() -> VariableIdentity {
        let bit = with_current(|execution| execution.map_or(0, Execution::variable_bit));
        VariableIdentity { tag: Tag::new(), bit }
    }
}

#[cfg(not(feature = "check"))]
mod build {
    use crate::production::stm::TVar;
    use crate::production::stm::domain::{Domain, GLOBAL};
    pub(crate) use crate::production::stm::snapshot::Snapshot as TransactionMemory;
    use std::marker::PhantomData;
    use std::ops::Deref;

    /// Is the caller a thread of an exploration?
    #[inline(always)]
    pub(crate) fn is_exploring() -> bool {
        false
    }

    /// The number of the run that the caller is a thread of.
    #[inline(always)]
    pub(crate) fn current_run() -> Option<u64> {
        None
    }

    /// Nothing to do: outside of explorations the atomics of the caller establish happens-before.
    #[inline(always)]
    pub(crate) fn acquire_unpark() {}

    /// The value of a variable by a step of an exploration: there is none.
    #[inline(always)]
    pub(crate) fn load_as_step<T>(_variable: &TVar<T>) -> Option<T> {
        None
    }

    /// How explorations identify a transactional variable: there are none.
    pub(crate) type VariableIdentity = PhantomData<()>;

    /// The identity of a new variable.
    #[inline(always)]
    pub(crate) fn new_variable() -> VariableIdentity {
        PhantomData
    }

    /// The domain of a transaction: the global one.
    #[derive(Clone)]
    pub(crate) struct DomainRef;

    impl DomainRef {
        #[inline(always)]
        pub(crate) fn global() -> DomainRef {
            DomainRef
        }
    }

    impl Deref for DomainRef {
        type Target = Domain;

        #[inline(always)]
        fn deref(&self) -> &Domain {
            &GLOBAL
        }
    }
}

/// The locks inside of our own types: not watched, as the program does not know of them.
#[cfg(any(feature = "check", feature = "watch"))]
mod locks {
    use crate::sync::{Mutex, RwLock};

    #[track_caller]
    #[inline]
    pub(crate) const fn mutex<T>(value: T) -> Mutex<T> {
        Mutex::unwatched(value)
    }

    #[track_caller]
    #[inline]
    pub(crate) const fn rwlock<T>(value: T) -> RwLock<T> {
        RwLock::unwatched(value)
    }
}

#[cfg(not(any(feature = "check", feature = "watch")))]
mod locks {
    use crate::sync::{Mutex, RwLock};

    #[inline(always)]
    pub(crate) const fn mutex<T>(value: T) -> Mutex<T> {
        Mutex::new(value)
    }

    #[inline(always)]
    pub(crate) const fn rwlock<T>(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}

pub(crate) use build::*;
pub(crate) use locks::*;
