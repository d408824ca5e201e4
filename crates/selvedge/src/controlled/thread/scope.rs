//! Scoped threads: they may borrow from the stack frame of the thread that waits for them.
//!
//! A [`Scope`] contains `std`'s scope. Inside an exploration `std`'s scope has no threads: it only provides
//! the lifetimes, and its address identifies the scope. Borrowing is sound for the same reason in both
//! cases: [`scope`] neither returns nor unwinds before all threads of the scope have ended. When a run is
//! torn down, the youngest threads are unwound first (`control::teardown`), and a thread that cannot be
//! unwound is never resumed.

use super::Builder;
use super::handle::Thread;
use super::spawn::{ControlledHandle, erased};
use crate::control::{Execution, Pending, Stop, exception};
use crate::controlled::current;
use selvedge_explore::{Action, Kind, ThreadId};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// As [`std::thread::Scope`].
#[repr(transparent)]
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope>(std::thread::Scope<'scope, 'env>);

/// As [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T>(Handle<'scope, T>);

enum Handle<'scope, T> {
    Std(std::thread::ScopedJoinHandle<'scope, T>, Thread),
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
    let site = std::panic::Location::caller();
    std::thread::scope(|scope| {
        let scope = Scope::from_std(scope);
        match current() {
            None => function(scope),
            Some(execution) => run_controlled(execution, scope, function, site),
        }
    })
}

/// Runs the function, and waits for all threads of the scope, also if the function unwinds.
fn run_controlled<'scope, 'env, T>(
    execution: &Execution,
    scope: &'scope Scope<'scope, 'env>,
    function: impl FnOnce(&'scope Scope<'scope, 'env>) -> T,
    site: &'static std::panic::Location<'static>,
) -> T {
    let address = scope.address();
    let owner = {
        let mut state = execution.state.borrow_mut();
        state.threads.scopes.push(address);
        state.running
    };
    let result = match catch_unwind(AssertUnwindSafe(|| function(scope))) {
        // The run is torn down. The threads of this scope are descendants of this one, so they have ended.
        Err(payload) if exception::is_stop(&*payload) => resume_unwind(payload),
        result => result,
    };
    let mut has_panicked = false;
    while let Some(thread) = next_of_scope(execution, address) {
        let was_joined_here = execution.state.borrow().threads[thread].joined_by == Some(owner);
        if !was_joined_here {
            let action = Action::to(Kind::Join, thread);
            execution.visible(Pending::new(action, selvedge_explore::Site::Rust(site)));
        }
        has_panicked |= leave_scope(execution, thread);
    }
    execution.state.borrow_mut().threads.scopes.retain(|scope| *scope != address);
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if has_panicked => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

/// A thread of the scope that it has not waited for yet.
fn next_of_scope(execution: &Execution, address: usize) -> Option<ThreadId> {
    execution.state.borrow().threads.first_of_scope(address)
}

/// Removes a thread that has ended from its scope. Returns whether it panicked and was not joined.
fn leave_scope(execution: &Execution, thread: ThreadId) -> bool {
    let has_panicked = {
        let mut state = execution.state.borrow_mut();
        let slot = &mut state.threads[thread];
        slot.scope = 0;
        slot.unobserved.is_some()
    };
    execution.joined(thread);
    has_panicked
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
    fn address(&self) -> usize {
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
        let Some(execution) = current() else {
            let handle = builder.into_std().spawn_scoped(&self.0, erased(function))?;
            let thread = Thread::from_std(handle.thread().clone());
            return Ok(ScopedJoinHandle(Handle::Std(handle, thread)));
        };
        if !execution.state.borrow().threads.scopes.contains(&self.address()) {
            let reason =
                "a thread is spawned in a scope from outside of the exploration; open the scope in the body";
            execution.end_run(Stop::Refused(reason.to_owned()));
        }
        // SAFETY: the bounds of this function make the function and its result `Send`. What they borrow
        // lives for `'scope`, and `run_controlled` does not leave the scope before all of its threads have
        // ended.
        #[allow(unsafe_code)]
        let handle = unsafe {
            ControlledHandle::spawn_unchecked(execution, builder, self.address(), || None, function)
        };
        Ok(ScopedJoinHandle(Handle::Controlled(handle, PhantomData)))
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// As [`std::thread::ScopedJoinHandle::thread`].
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Handle::Std(_, thread) => thread,
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
            Handle::Std(handle, _) => handle.join(),
            Handle::Controlled(handle, _) => handle.join(true),
        }
    }

    /// As [`std::thread::ScopedJoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Handle::Std(handle, _) => handle.is_finished(),
            Handle::Controlled(handle, _) => handle.is_finished(),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
