//! Scopes inside an exploration.

use super::in_run::ControlledHandle;
use super::scope::{Scope, ScopedJoinHandle};
use super::spawn::Builder;
use crate::control::{Execution, Pending, Stop, exception};
use selvedge_explore::{Action, Kind, ThreadId};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs the function, and waits for all threads of the scope, also if the function unwinds.
pub(super) fn run<'scope, 'env, T>(
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
    /// Spawns a thread of the scope in a run.
    #[track_caller]
    pub(super) fn spawn_in_run<F, T>(
        &'scope self,
        execution: &Execution,
        builder: Builder,
        function: F,
    ) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        if !execution.state.borrow().threads.scopes.contains(&self.address()) {
            let reason =
                "a thread is spawned in a scope from outside of the exploration; open the scope in the body";
            execution.end_run(Stop::Refused(reason.to_owned()));
        }
        // SAFETY: the bounds of this function make the function and its result `Send`. What they borrow
        // lives for `'scope`, and `run` does not leave the scope before all of its threads have
        // ended.
        #[allow(unsafe_code)]
        let handle = unsafe {
            ControlledHandle::spawn_unchecked(execution, builder, self.address(), || None, function)
        };
        ScopedJoinHandle::of_run(handle)
    }
}
