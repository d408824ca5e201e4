//! Threads that borrow from the frame of the one who waits for them.
//!
//! A [`Scope`] is std's, in both modes: inside of an exploration std's has no threads of its own, gives the lifetimes, and is
//! known by its address. What makes borrowing sound is the same in both: [`scope`] is not left, neither by a return nor by a
//! panic, before all threads of the scope have ended; and where a run is torn down, the youngest threads are unwound first
//! (`control::teardown`), while those that cannot be unwound are never resumed.

use super::Builder;
use super::handle::Thread;
use super::spawn::Running;
use crate::control::{Execution, Pending, Stop, current, exception};
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
    Plain(std::thread::ScopedJoinHandle<'scope, T>, Thread),
    Controlled(Running<T>, PhantomData<&'scope ()>),
}

/// As [`std::thread::scope`].
///
/// # Panics
/// If a thread of the scope panicked and was not joined, as std does.
#[track_caller]
pub fn scope<'env, F, T>(function: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let place = std::panic::Location::caller();
    std::thread::scope(|scope| {
        let scope = Scope::from_std(scope);
        match current() {
            None => function(scope),
            Some(execution) => controlled(execution, scope, function, place),
        }
    })
}

/// Runs the function and waits for all threads of the scope, whatever becomes of it.
fn controlled<'scope, 'env, T>(
    execution: &Execution,
    scope: &'scope Scope<'scope, 'env>,
    function: impl FnOnce(&'scope Scope<'scope, 'env>) -> T,
    place: &'static std::panic::Location<'static>,
) -> T {
    let address = scope.address();
    let owner = {
        let mut state = execution.state.borrow_mut();
        state.scopes.push(address);
        state.running
    };
    let result = match catch_unwind(AssertUnwindSafe(|| function(scope))) {
        // The run is torn down: threads of this scope are younger than this one, so they have ended.
        Err(payload) if exception::is_stop(&*payload) => resume_unwind(payload),
        result => result,
    };
    let mut has_panicked = false;
    loop {
        let next = execution.next_of_scope(address);
        let Some(thread) = next else { break };
        let was_joined_here = execution.state.borrow().threads[thread.index()].joined_by == Some(owner);
        if !was_joined_here {
            let action = Action::to(Kind::Join, thread);
            execution.visible(Pending::new(action, selvedge_explore::Site::Rust(place)));
        }
        has_panicked |= execution.leave_scope(thread);
    }
    execution.state.borrow_mut().scopes.retain(|scope| *scope != address);
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if has_panicked => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

impl Execution {
    fn next_of_scope(&self, address: usize) -> Option<ThreadId> {
        let state = self.state.borrow();
        let threads = &state.threads[..state.thread_count];
        threads.iter().position(|thread| thread.scope == address).map(|slot| ThreadId(slot as u32))
    }

    /// The scope has waited for this thread. Says whether that panicked and nobody was told.
    fn leave_scope(&self, thread: ThreadId) -> bool {
        let has_panicked = {
            let mut state = self.state.borrow_mut();
            let slot = &mut state.threads[thread.index()];
            slot.scope = 0;
            slot.unwound.is_some()
        };
        self.joined(thread);
        has_panicked
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    fn from_std(scope: &'scope std::thread::Scope<'scope, 'env>) -> &'scope Scope<'scope, 'env> {
        let scope: *const std::thread::Scope<'scope, 'env> = scope;
        // SAFETY: `Scope` is a transparent wrapper, so the two have the same layout; the lifetime stays the same.
        #[allow(unsafe_code)]
        unsafe {
            &*scope.cast::<Scope<'scope, 'env>>()
        }
    }

    /// What the run knows it by, while it lives.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// As [`std::thread::Scope::spawn`].
    ///
    /// # Panics
    /// If the operating system has no thread, as std does.
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
            let handle = builder.into_std().spawn_scoped(&self.0, function)?;
            let thread = Thread::plain(handle.thread().clone());
            return Ok(ScopedJoinHandle(Handle::Plain(handle, thread)));
        };
        if !execution.state.borrow().scopes.contains(&self.address()) {
            let what =
                "a thread is spawned in a scope from outside of the exploration; open the scope in the body";
            execution.end_run(Stop::Refused(what.to_owned()));
        }
        let running = Running::spawn(execution, builder, self.address(), || None, function);
        Ok(ScopedJoinHandle(Handle::Controlled(running, PhantomData)))
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// As [`std::thread::ScopedJoinHandle::thread`].
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Handle::Plain(_, thread) => thread,
            Handle::Controlled(running, _) => &running.thread,
        }
    }

    /// As [`std::thread::ScopedJoinHandle::join`].
    ///
    /// # Errors
    /// What the thread panicked with.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.0 {
            Handle::Plain(handle, _) => handle.join(),
            Handle::Controlled(running, _) => running.join(true),
        }
    }

    /// As [`std::thread::ScopedJoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Handle::Plain(handle, _) => handle.is_finished(),
            Handle::Controlled(running, _) => running.is_finished(),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
