//! Handles and ids of threads.

use crate::control::{Execution, Pending, State, Stop};
use selvedge_explore::{Action, Kind, ThreadId as Slot};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// As [`std::thread::Thread`].
#[derive(Clone)]
pub struct Thread(Handle);

#[derive(Clone)]
enum Handle {
    Std(std::thread::Thread),
    Controlled(Controlled),
}

/// A thread of a run.
#[derive(Clone)]
struct Controlled {
    run: u64,
    slot: Slot,
    born: u64,
    id: ControlledId,
    name: Option<Arc<str>>,
}

/// As [`std::thread::ThreadId`]. Inside an exploration, the id of a thread depends on the spawns of its
/// ancestors alone: it is the same in all runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(Id);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Id {
    Std(std::thread::ThreadId),
    Controlled(ControlledId),
}

/// The id of a thread of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ControlledId {
    /// Depends on the path of the thread alone, and is its own but for a very small probability.
    number: u64,
    slot: Slot,
}

impl Hash for ControlledId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The slot differs from one exploration to another.
        self.number.hash(state);
    }
}

/// As [`std::thread::current`].
pub fn current() -> Thread {
    match crate::controlled::current() {
        None => Thread::from_std(std::thread::current()),
        Some(execution) => {
            let state = execution.state.borrow();
            Thread::of_run(&state, state.running)
        }
    }
}

impl Thread {
    pub(super) fn from_std(thread: std::thread::Thread) -> Thread {
        Thread(Handle::Std(thread))
    }

    /// The thread of the current run that occupies this slot now.
    pub(super) fn of_run(state: &State, slot: Slot) -> Thread {
        let thread = &state.threads[slot];
        let (name, generation) = (thread.name.clone(), u64::from(thread.generation));
        let number = state.threads.path_code(slot).wrapping_add(generation << 32);
        let id = ControlledId { number, slot };
        Thread(Handle::Controlled(Controlled { run: state.run, slot, born: thread.birth, id, name }))
    }

    /// The execution and the slot of a controlled thread. Ends the run if it is not the caller's run.
    #[track_caller]
    pub(crate) fn in_run<'e>(&self) -> (&'e Execution, Slot) {
        let (execution, slot, _) = self.in_run_with_birth();
        (execution, slot)
    }

    /// Is this a thread outside of explorations?
    pub(crate) fn is_std(&self) -> bool {
        matches!(self.0, Handle::Std(_))
    }

    /// As [`in_run`](Thread::in_run), with the birth number of the thread: slots are reused, birth numbers
    /// are not.
    #[track_caller]
    pub(crate) fn in_run_with_birth<'e>(&self) -> (&'e Execution, Slot, u64) {
        match &self.0 {
            Handle::Std(_) => unreachable!("the caller has checked `is_std`"),
            Handle::Controlled(thread) => (thread.execution(), thread.slot, thread.born),
        }
    }

    /// As [`std::thread::Thread::unpark`].
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Handle::Std(thread) => thread.unpark(),
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
            Handle::Std(thread) => Id::Std(thread.id()),
            Handle::Controlled(thread) => Id::Controlled(thread.id),
        })
    }

    /// As [`std::thread::Thread::name`]. The name of the thread that runs an explored body is `main`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Handle::Std(thread) => thread.name(),
            Handle::Controlled(thread) if thread.slot == Slot::MAIN => Some("main"),
            Handle::Controlled(thread) => thread.name.as_deref(),
        }
    }
}

impl Controlled {
    /// The execution of the thread. Ends the run if it is not the caller's run.
    #[track_caller]
    fn execution<'e>(&self) -> &'e Execution {
        let execution =
            crate::controlled::current().expect("a thread of an exploration can be used only inside of it");
        if execution.state.borrow().run != self.run {
            let reason =
                "the handle of a thread was carried from one run to the next; keep it inside of the body";
            execution.end_run(Stop::Refused(reason.to_owned()));
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
            Id::Std(id) => fmt::Debug::fmt(id, f),
            Id::Controlled(id) => f.debug_tuple("ThreadId").field(&id.number).finish(),
        }
    }
}
