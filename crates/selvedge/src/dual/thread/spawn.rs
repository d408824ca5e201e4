//! Threads, and waiting for their end.

use super::handle::Thread;
use super::packet::Packet;
use super::scope::{Scope, ScopedJoinHandle};
use crate::control::{Execution, Pending, current, exception, exception::Unwound};
use selvedge_explore::{Action, Kind};
use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// As [`std::thread::JoinHandle`].
pub struct JoinHandle<T>(Handle<T>);

enum Handle<T> {
    Plain(std::thread::JoinHandle<T>, Thread),
    Controlled(Running<T>),
}

// SAFETY: a handle is made by `spawn` alone, where the value can be sent; std's own handle says the same of itself.
#[allow(unsafe_code)]
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: by a shared reference nobody comes to the value.
#[allow(unsafe_code)]
unsafe impl<T> Sync for JoinHandle<T> {}

/// A thread of a run, and what it returned, once it has.
pub(super) struct Running<T> {
    pub(super) thread: Thread,
    packet: Packet<T>,
    stand_in: StandIn<T>,
}

/// Makes what a destructor gets that joins, while it unwinds, a thread that was stopped.
pub(super) type StandIn<T> = fn() -> Option<T>;

/// Of a thread that returns nothing, there is nothing to miss.
fn unit<T: 'static>() -> Option<T> {
    let unit: Box<dyn Any> = Box::new(());
    unit.downcast().ok().map(|unit| *unit)
}

/// As [`std::thread::spawn`].
///
/// # Panics
/// If the operating system has no thread, as std does.
#[track_caller]
pub fn spawn<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match current() {
        Some(execution) => {
            JoinHandle(Handle::Controlled(Running::spawn(execution, Builder::new(), 0, unit, function)))
        }
        None => JoinHandle::plain(std::thread::spawn(function)),
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
    #[allow(clippy::new_without_default, reason = "std's has no default either")]
    pub fn new() -> Builder {
        Builder { name: None, stack_size: None }
    }

    /// As [`std::thread::Builder::name`].
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// As [`std::thread::Builder::stack_size`]. In an exploration a stack is not smaller than the explorer says.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    /// As [`std::thread::Builder::spawn`].
    ///
    /// # Errors
    /// Where the operating system has no thread.
    #[track_caller]
    pub fn spawn<F, T>(self, function: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        match current() {
            Some(execution) => {
                Ok(JoinHandle(Handle::Controlled(Running::spawn(execution, self, 0, unit, function))))
            }
            None => self.into_std().spawn(function).map(JoinHandle::plain),
        }
    }

    /// As [`std::thread::Builder::spawn_scoped`].
    ///
    /// # Errors
    /// Where the operating system has no thread.
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
        let same = Builder { name: self.name.clone(), stack_size: self.stack_size };
        fmt::Debug::fmt(&same.into_std(), f)
    }
}

impl<T> Running<T> {
    /// Announces and spawns a thread, in the scope of this address if that is not 0.
    ///
    /// What the function borrows must live until the thread has ended: for a scoped thread, its scope sees to that.
    #[track_caller]
    pub(super) fn spawn(
        execution: &Execution,
        builder: Builder,
        scope: usize,
        stand_in: StandIn<T>,
        function: impl FnOnce() -> T,
    ) -> Running<T> {
        let name = builder.name.map(|name| {
            assert!(!name.contains('\0'), "thread name may not contain interior null bytes");
            Arc::from(name)
        });
        execution.visible(Pending::here(Action::new(Kind::Spawn)));
        let packet = Packet::new();
        let result = packet.clone();
        let slot = execution.spawn(name, builder.stack_size.unwrap_or(0), move || run(&result, function));
        let mut state = execution.state.borrow_mut();
        state.threads[slot.index()].scope = scope;
        Running { thread: Thread::of_run(&state, slot), packet, stand_in }
    }

    /// Waits for the thread's end. The handle of a scoped thread leaves its slot to the scope.
    #[track_caller]
    pub(super) fn join(self, is_scoped: bool) -> std::thread::Result<T> {
        let (execution, slot) = self.thread.in_run();
        execution.visible(Pending::here(Action::to(Kind::Join, slot)));
        if is_scoped {
            execution.heard(slot);
        } else {
            execution.joined(slot);
        }
        let result = self.packet.take(execution);
        match result {
            // Most destructors would panic at this error, and abort.
            Some(Err(payload)) if exception::is_stop(&*payload) && std::thread::panicking() => {
                Ok((self.stand_in)().unwrap_or_else(|| execution.has_no_result(slot)))
            }
            result => result.expect("a thread that has ended left its result"),
        }
    }

    /// Has its function come to its end?
    #[track_caller]
    pub(super) fn is_finished(&self) -> bool {
        let (execution, slot) = self.thread.in_run();
        execution.visible(Pending::here(Action::to(Kind::IsFinished, slot)));
        execution.read_only();
        // It has not ended before its stores are in memory.
        self.packet.is_there(execution) && execution.state.borrow().buffers.is_empty(slot)
    }
}

/// What a thread does from its beginning to its end.
fn run<T>(packet: &Packet<T>, function: impl FnOnce() -> T) {
    let result = catch_unwind(AssertUnwindSafe(function));
    let execution = current().expect("a thread of a run runs inside of it");
    if let Err(payload) = &result
        && !exception::is_stop(&**payload)
    {
        let mut state = execution.state.borrow_mut();
        let running = state.running.index();
        if !state.unusual.is_stopping {
            state.threads[running].unwound = Some(Unwound::by(&**payload));
            state.threads[running].fell = state.threads[running].unwound.clone();
        }
    }
    packet.put(execution, result);
}

impl<T> JoinHandle<T> {
    fn plain(handle: std::thread::JoinHandle<T>) -> JoinHandle<T> {
        let thread = Thread::plain(handle.thread().clone());
        JoinHandle(Handle::Plain(handle, thread))
    }

    /// As [`std::thread::JoinHandle::thread`].
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Handle::Plain(_, thread) => thread,
            Handle::Controlled(running) => &running.thread,
        }
    }

    /// As [`std::thread::JoinHandle::join`].
    ///
    /// # Errors
    /// What the thread panicked with.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.0 {
            Handle::Plain(handle, _) => handle.join(),
            Handle::Controlled(running) => running.join(false),
        }
    }

    /// As [`std::thread::JoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Handle::Plain(handle, _) => handle.is_finished(),
            Handle::Controlled(running) => running.is_finished(),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
