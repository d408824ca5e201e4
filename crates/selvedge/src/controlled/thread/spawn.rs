//! Spawning and joining threads.

#[cfg(feature = "check")]
use super::in_run::ControlledHandle;
use super::scope::{Scope, ScopedJoinHandle};
use super::{Thread, thread_of_std};
#[cfg(feature = "check")]
use crate::controlled::current;
use crate::watched::threads::{self, ChildTicket};
use std::fmt;
use std::io;

/// As [`std::thread::JoinHandle`].
pub struct JoinHandle<T>(Handle<T>);

enum Handle<T> {
    Std(std::thread::JoinHandle<T>, Thread, ChildTicket),
    #[cfg(feature = "check")]
    Controlled(ControlledHandle<T>),
}

// SAFETY: only `spawn` and `Builder::spawn` create a handle, and both require `T: Send`. `std`'s handle is
// `Send` for the same reason.
#[allow(unsafe_code)]
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: no method gives access to the value through a shared reference: `join` consumes the handle.
#[allow(unsafe_code)]
unsafe impl<T> Sync for JoinHandle<T> {}

/// A function that a thread of `std` runs.
type Function<'f, T> = Box<dyn FnOnce() -> T + Send + 'f>;

/// The function for a thread with this name, without its type: `std`'s machinery for threads is compiled
/// once for each type of result, not once for each function.
pub(super) fn watched<'f, T>(
    name: Option<&str>,
    function: impl FnOnce() -> T + Send + 'f,
) -> (Function<'f, T>, ChildTicket) {
    let (child, ticket) = threads::spawn(name);
    let function = move || {
        let _running = child.begin();
        function()
    };
    (Box::new(function), ticket)
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
    #[cfg(feature = "check")]
    if let Some(execution) = current() {
        let handle = ControlledHandle::spawn(execution, Builder::new(), function);
        return JoinHandle(Handle::Controlled(handle));
    }
    let (function, ticket) = watched(None, function);
    JoinHandle::from_std(std::thread::spawn(function), ticket)
}

/// As [`std::thread::Builder`].
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    pub(super) name: Option<String>,
    pub(super) stack_size: Option<usize>,
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
        #[cfg(feature = "check")]
        if let Some(execution) = current() {
            return Ok(JoinHandle(Handle::Controlled(ControlledHandle::spawn(execution, self, function))));
        }
        let (function, ticket) = watched(self.name.as_deref(), function);
        Ok(JoinHandle::from_std(self.into_std().spawn(function)?, ticket))
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

impl<T> JoinHandle<T> {
    fn from_std(handle: std::thread::JoinHandle<T>, ticket: ChildTicket) -> JoinHandle<T> {
        let thread = thread_of_std(handle.thread());
        JoinHandle(Handle::Std(handle, thread, ticket))
    }

    /// As [`std::thread::JoinHandle::thread`].
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Handle::Std(_, thread, _) => thread,
            #[cfg(feature = "check")]
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
            Handle::Std(handle, _, ticket) => ticket.join(handle.is_finished(), || handle.join()),
            #[cfg(feature = "check")]
            Handle::Controlled(handle) => handle.join(false),
        }
    }

    /// As [`std::thread::JoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Handle::Std(handle, ..) => handle.is_finished(),
            #[cfg(feature = "check")]
            Handle::Controlled(handle) => handle.is_finished(),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
