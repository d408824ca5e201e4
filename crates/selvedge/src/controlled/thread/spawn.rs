//! Spawning and joining threads.

use super::handle::Thread;
use super::packet::Packet;
use super::scope::{Scope, ScopedJoinHandle};
use crate::control::{Execution, Pending, exception};
use crate::controlled::current;
use selvedge_explore::{Action, Kind};
use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// As [`std::thread::JoinHandle`].
pub struct JoinHandle<T>(Handle<T>);

enum Handle<T> {
    Std(std::thread::JoinHandle<T>, Thread),
    Controlled(ControlledHandle<T>),
}

// SAFETY: only `spawn` and `Builder::spawn` create a handle, and both require `T: Send`. `std`'s handle is
// `Send` for the same reason.
#[allow(unsafe_code)]
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: no method gives access to the value through a shared reference: `join` consumes the handle.
#[allow(unsafe_code)]
unsafe impl<T> Sync for JoinHandle<T> {}

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

/// The function without its type: `std`'s machinery for threads is compiled once for each type of result,
/// not once for each function.
pub(super) fn erased<'f, T>(function: impl FnOnce() -> T + Send + 'f) -> Box<dyn FnOnce() -> T + Send + 'f> {
    Box::new(function)
}

/// As [`std::thread::spawn`].
///
/// # Panics
/// If the operating system cannot create a thread, as in `std`.
#[track_caller]
pub fn spawn<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match current() {
        Some(execution) => {
            JoinHandle(Handle::Controlled(ControlledHandle::spawn(execution, Builder::new(), function)))
        }
        None => JoinHandle::from_std(std::thread::spawn(erased(function))),
    }
}

/// As [`std::thread::Builder`].
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// As [`std::thread::Builder::new`].
    #[allow(clippy::new_without_default, reason = "`std`'s has no default either")]
    pub fn new() -> Builder {
        Builder { name: None, stack_size: None }
    }

    /// As [`std::thread::Builder::name`].
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// As [`std::thread::Builder::stack_size`]. Inside an exploration the explorer sets the smallest size.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    /// As [`std::thread::Builder::spawn`].
    ///
    /// # Errors
    /// If the operating system cannot create a thread.
    #[track_caller]
    pub fn spawn<F, T>(self, function: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        match current() {
            Some(execution) => {
                Ok(JoinHandle(Handle::Controlled(ControlledHandle::spawn(execution, self, function))))
            }
            None => self.into_std().spawn(erased(function)).map(JoinHandle::from_std),
        }
    }

    /// As [`std::thread::Builder::spawn_scoped`].
    ///
    /// # Errors
    /// If the operating system cannot create a thread.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        function: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        scope.spawn_by(self, function)
    }

    pub(super) fn into_std(self) -> std::thread::Builder {
        let mut builder = std::thread::Builder::new();
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        match self.stack_size {
            Some(size) => builder.stack_size(size),
            None => builder,
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let copy = Builder { name: self.name.clone(), stack_size: self.stack_size };
        fmt::Debug::fmt(&copy.into_std(), f)
    }
}

impl<T> ControlledHandle<T> {
    /// Announces and spawns a thread without a scope.
    #[track_caller]
    fn spawn(
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

impl<T> JoinHandle<T> {
    fn from_std(handle: std::thread::JoinHandle<T>) -> JoinHandle<T> {
        let thread = Thread::from_std(handle.thread().clone());
        JoinHandle(Handle::Std(handle, thread))
    }

    /// As [`std::thread::JoinHandle::thread`].
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Handle::Std(_, thread) => thread,
            Handle::Controlled(handle) => &handle.thread,
        }
    }

    /// As [`std::thread::JoinHandle::join`].
    ///
    /// # Errors
    /// The payload, if the thread panicked.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.0 {
            Handle::Std(handle, _) => handle.join(),
            Handle::Controlled(handle) => handle.join(false),
        }
    }

    /// As [`std::thread::JoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Handle::Std(handle, _) => handle.is_finished(),
            Handle::Controlled(handle) => handle.is_finished(),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
