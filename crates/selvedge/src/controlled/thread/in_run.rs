//! Threads of a run: spawning, joining, and their results.

use super::handle::Thread;
use super::packet::Packet;
use super::spawn::Builder;
use crate::control::{Execution, Pending, exception};
use crate::controlled::current;
use selvedge_explore::{Action, Kind};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The handle of a thread of a run.
pub(super) struct ControlledHandle<T> {
    pub(super) thread: Thread,
    packet: Packet<T>,
    substitute: Substitute<T>,
}

/// Makes the result of a stopped thread, for a destructor that joins it while it unwinds.
pub(super) type Substitute<T> = fn() -> Option<T>;

/// The substitute for the result of a thread that returns nothing.
fn unit<T: 'static>() -> Option<T> {
    let unit: Box<dyn Any> = Box::new(());
    unit.downcast().ok().map(|unit| *unit)
}

impl<T> ControlledHandle<T> {
    /// Announces and spawns a thread without a scope.
    #[track_caller]
    pub(super) fn spawn(
        execution: &Execution,
        builder: Builder,
        function: impl FnOnce() -> T + Send + 'static,
    ) -> ControlledHandle<T>
    where
        T: Send + 'static,
    {
        // SAFETY: the function and its result borrow nothing, and are `Send`.
        #[allow(unsafe_code)]
        unsafe {
            ControlledHandle::spawn_unchecked(execution, builder, 0, unit, function)
        }
    }

    /// Announces and spawns a thread. `scope` is the address of its scope, or 0 for a thread without one.
    ///
    /// # Safety
    /// Everything that the function and its result borrow must live until the thread has ended. The function
    /// and its result must be `Send`.
    #[track_caller]
    #[allow(unsafe_code)]
    pub(super) unsafe fn spawn_unchecked(
        execution: &Execution,
        builder: Builder,
        scope: usize,
        substitute: Substitute<T>,
        function: impl FnOnce() -> T,
    ) -> ControlledHandle<T> {
        let name = builder.name.map(|name| {
            assert!(!name.contains('\0'), "thread name may not contain interior null bytes");
            Arc::from(name)
        });
        execution.visible(Pending::here(Action::to(Kind::Spawn, execution.next_child())));
        let packet = Packet::empty();
        let result = packet.clone();
        let stack_bytes = builder.stack_size.unwrap_or(0);
        // SAFETY: the caller promises that the borrows of the function outlive the thread.
        let slot = unsafe { execution.spawn(name, stack_bytes, move || run(&result, function)) };
        let mut state = execution.state.borrow_mut();
        state.threads[slot].scope = scope;
        ControlledHandle { thread: Thread::of_run(&state, slot), packet, substitute }
    }

    /// Waits for the end of the thread. The slot of a scoped thread is freed by its scope, not here.
    #[track_caller]
    pub(super) fn join(self, is_scoped: bool) -> std::thread::Result<T> {
        let (execution, slot) = self.thread.in_run();
        execution.visible(Pending::here(Action::to(Kind::Join, slot)));
        if is_scoped {
            execution.observe_end(slot);
        } else {
            execution.joined(slot);
        }
        let result = self.packet.take(execution);
        match result {
            // Most destructors would panic at this error, and a panic while unwinding aborts the process.
            Some(Err(payload)) if exception::is_stop(&*payload) && std::thread::panicking() => {
                Ok((self.substitute)().unwrap_or_else(|| execution.has_no_result(slot)))
            }
            result => result.expect("a thread puts its result before it ends"),
        }
    }

    /// Has the function of the thread returned?
    #[track_caller]
    pub(super) fn is_finished(&self) -> bool {
        let (execution, slot) = self.thread.in_run();
        execution.visible(Pending::here(Action::to(Kind::IsFinished, slot)));
        execution.read_only();
        // A thread has ended when its stores have left the store buffer.
        self.packet.has_result(execution) && execution.state.borrow().buffers.is_empty(slot)
    }
}

/// The body of a thread of a run: runs the function and puts the result.
fn run<T>(packet: &Packet<T>, function: impl FnOnce() -> T) {
    let result = catch_unwind(AssertUnwindSafe(function));
    let execution = current().expect("a thread of a run has a current execution");
    if let Err(payload) = &result
        && !exception::is_stop(&**payload)
    {
        execution.record_unwinding(&**payload);
    }
    packet.put(execution, result);
}
