//! Who a thread is.

use crate::control::{self, Execution, Pending, Stop};
use selvedge_explore::{Action, Kind};
use std::fmt;
use std::sync::Arc;

/// As [`std::thread::Thread`].
#[derive(Clone)]
pub struct Thread(Handle);

#[derive(Clone)]
enum Handle {
    Plain(std::thread::Thread),
    Controlled(Controlled),
}

/// A thread of a run.
#[derive(Clone)]
pub(super) struct Controlled {
    run: u64,
    slot: selvedge_explore::ThreadId,
    born: u64,
    name: Option<Arc<str>>,
}

/// As [`std::thread::ThreadId`]. Inside of an exploration it is the same in all runs that spawn in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(Id);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Id {
    Plain(std::thread::ThreadId),
    Controlled(u64),
}

/// As [`std::thread::current`].
pub fn current() -> Thread {
    match control::current() {
        None => Thread::plain(std::thread::current()),
        Some(execution) => {
            let running = execution.state.borrow().running;
            Thread(Handle::Controlled(Controlled::new(execution, running)))
        }
    }
}

impl Thread {
    pub(super) fn plain(thread: std::thread::Thread) -> Thread {
        Thread(Handle::Plain(thread))
    }

    pub(super) fn controlled(thread: Controlled) -> Thread {
        Thread(Handle::Controlled(thread))
    }

    /// As [`std::thread::Thread::unpark`].
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Handle::Plain(thread) => thread.unpark(),
            Handle::Controlled(thread) => {
                let execution = thread.execution();
                execution.visible(Pending::here(Action::to(Kind::Unpark, thread.slot)));
                execution.unpark(thread.slot, thread.born);
            }
        }
    }

    /// As [`std::thread::Thread::id`].
    #[must_use]
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.0 {
            Handle::Plain(thread) => Id::Plain(thread.id()),
            Handle::Controlled(thread) => Id::Controlled(thread.born),
        })
    }

    /// As [`std::thread::Thread::name`]. The thread that runs an explored body is `main`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Handle::Plain(thread) => thread.name(),
            Handle::Controlled(thread) if thread.slot == selvedge_explore::ThreadId::MAIN => Some("main"),
            Handle::Controlled(thread) => thread.name.as_deref(),
        }
    }
}

impl Controlled {
    /// The thread that has this slot now.
    pub(super) fn new(execution: &Execution, slot: selvedge_explore::ThreadId) -> Controlled {
        let state = execution.state.borrow();
        let thread = &state.threads[slot.index()];
        Controlled { run: state.run, slot, born: thread.born, name: thread.name.clone() }
    }

    pub(super) fn slot(&self) -> selvedge_explore::ThreadId {
        self.slot
    }

    /// The run that the thread belongs to, which must be the caller's.
    #[track_caller]
    pub(super) fn execution<'e>(&self) -> &'e Execution {
        let execution = control::current().expect("a thread of an exploration can be used only inside of it");
        if execution.state.borrow().run != self.run {
            let what =
                "the handle of a thread was carried from one run to the next; keep it inside of the body";
            execution.end_run(Stop::Refused(what.to_owned()));
        }
        execution
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Id::Plain(id) => fmt::Debug::fmt(id, f),
            Id::Controlled(number) => f.debug_tuple("ThreadId").field(number).finish(),
        }
    }
}
