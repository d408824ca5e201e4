//! Scoped threads: they may borrow from the stack frame of the thread that waits for them.
//!
//! A [`Scope`] contains `std`'s scope. Inside an exploration `std`'s scope has no threads: it only provides
//! the lifetimes, and its address identifies the scope. Borrowing is sound for the same reason in both
//! cases: [`scope`] neither returns nor unwinds before all threads of the scope have ended. When a run is
//! torn down, the youngest threads are unwound first (`control::teardown`), and a thread that cannot be
//! unwound is never resumed.

#[cfg(feature = "check")]
use super::in_run::ControlledHandle;
use super::spawn::watched;
use super::{Builder, Thread, thread_of_std};
#[cfg(feature = "check")]
use crate::controlled::current;
use crate::watched::threads::{ChildTicket, ScopeTickets};
use std::fmt;
use std::io;
#[cfg(feature = "check")]
use std::marker::PhantomData;

/// As [`std::thread::Scope`].
#[repr(transparent)]
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope>(std::thread::Scope<'scope, 'env>);

/// As [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T>(Handle<'scope, T>);

enum Handle<'scope, T> {
    Std(std::thread::ScopedJoinHandle<'scope, T>, Thread, ChildTicket),
    #[cfg(feature = "check")]
    Controlled(ControlledHandle<T>, PhantomData<&'scope ()>),
}

/// As [`std::thread::scope`].
///
/// # Panics
/// If a thread of the scope panicked and was not joined, as in `std`.
#[track_caller]
pub fn scope<'env, F, T>(function: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    #[cfg(feature = "check")]
    if let Some(execution) = current() {
        let site = std::panic::Location::caller();
        return std::thread::scope(|scope| {
            super::scope_in_run::run(execution, Scope::from_std(scope), function, site)
        });
    }
    let mut tickets = ScopeTickets::new();
    let result = std::thread::scope(|scope| {
        let scope = Scope::from_std(scope);
        tickets.begin(scope.address());
        function(scope)
    });
    tickets.end();
    result
}

impl<'scope, 'env> Scope<'scope, 'env> {
    fn from_std(scope: &'scope std::thread::Scope<'scope, 'env>) -> &'scope Scope<'scope, 'env> {
        let scope: *const std::thread::Scope<'scope, 'env> = scope;
        // SAFETY: `Scope` is `repr(transparent)` over `std`'s scope, so both have the same layout; the
        // pointer comes from a reference with the same lifetimes.
        #[allow(unsafe_code)]
        unsafe {
            &*scope.cast::<Scope<'scope, 'env>>()
        }
    }

    /// Identifies the scope in a run, while it exists.
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// As [`std::thread::Scope::spawn`].
    ///
    /// # Panics
    /// If the operating system cannot create a thread, as in `std`.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, function: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.spawn_by(Builder::new(), function).expect("failed to spawn thread")
    }

    #[track_caller]
    pub(super) fn spawn_by<F, T>(
        &'scope self,
        builder: Builder,
        function: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        #[cfg(feature = "check")]
        if let Some(execution) = current() {
            return Ok(self.spawn_in_run(execution, builder, function));
        }
        let (function, ticket) = watched(builder.name.as_deref(), function);
        let handle = builder.into_std().spawn_scoped(&self.0, function)?;
        ScopeTickets::add(self.address(), &ticket);
        let thread = thread_of_std(handle.thread());
        Ok(ScopedJoinHandle(Handle::Std(handle, thread, ticket)))
    }
}

#[cfg(feature = "check")]
impl<T> ScopedJoinHandle<'_, T> {
    pub(super) fn of_run(handle: ControlledHandle<T>) -> Self {
        ScopedJoinHandle(Handle::Controlled(handle, PhantomData))
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// As [`std::thread::ScopedJoinHandle::thread`].
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Handle::Std(_, thread, _) => thread,
            #[cfg(feature = "check")]
            Handle::Controlled(handle, _) => &handle.thread,
        }
    }

    /// As [`std::thread::ScopedJoinHandle::join`].
    ///
    /// # Errors
    /// The payload, if the thread panicked.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.0 {
            Handle::Std(handle, _, ticket) => ticket.join(handle.is_finished(), || handle.join()),
            #[cfg(feature = "check")]
            Handle::Controlled(handle, _) => handle.join(true),
        }
    }

    /// As [`std::thread::ScopedJoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Handle::Std(handle, ..) => handle.is_finished(),
            #[cfg(feature = "check")]
            Handle::Controlled(handle, _) => handle.is_finished(),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
