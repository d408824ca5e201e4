//! Threads, and waiting for their end.

use crate::control::{Execution, Pending, current, panics};
use selvedge_explore::{Action, Kind, ThreadId};
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// As [`std::thread::JoinHandle`].
pub struct JoinHandle<T>(Handle<T>);

enum Handle<T> {
    Plain(std::thread::JoinHandle<T>),
    Controlled(Controlled<T>),
}

/// What a thread returned, once it has.
type Packet<T> = Rc<Cell<Option<std::thread::Result<T>>>>;

struct Controlled<T> {
    thread: ThreadId,
    packet: SingleThread<Packet<T>>,
}

/// Something that never leaves the thread of the operating system on which a run happens.
struct SingleThread<T>(T);

// SAFETY: the handle of a controlled thread belongs to a run, all threads of which are coroutines on one thread of
// the operating system; `JoinHandle::join` refuses to be called elsewhere.
#[allow(unsafe_code)]
unsafe impl<T> Send for SingleThread<T> {}
#[allow(unsafe_code)]
unsafe impl<T> Sync for SingleThread<T> {}

/// As [`std::thread::spawn`].
#[track_caller]
pub fn spawn<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match current() {
        Some(execution) => JoinHandle(Handle::Controlled(spawn_controlled(execution, None, function))),
        None => JoinHandle(Handle::Plain(std::thread::spawn(function))),
    }
}

#[track_caller]
fn spawn_controlled<T: 'static>(
    execution: &Execution,
    name: Option<String>,
    function: impl FnOnce() -> T + 'static,
) -> Controlled<T> {
    execution.visible(Pending::here(Action::new(Kind::Spawn)));
    let packet: Packet<T> = Rc::new(Cell::new(None));
    let result = packet.clone();
    let thread = execution.spawn(name, move || run(&result, function));
    Controlled { thread, packet: SingleThread(packet) }
}

/// What a thread does from its beginning to its end.
fn run<T>(packet: &Packet<T>, function: impl FnOnce() -> T) {
    let result = catch_unwind(AssertUnwindSafe(function));
    if let Err(payload) = &result
        && !panics::is_stop(&**payload)
        && let Some(execution) = current()
    {
        let mut state = execution.state.borrow_mut();
        let running = state.running.index();
        state.threads[running].panicked = Some(panics::message(&**payload));
    }
    packet.set(Some(result));
}

impl<T> JoinHandle<T> {
    /// Waits for the thread's end.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        let handle = match self.0 {
            Handle::Plain(handle) => return handle.join(),
            Handle::Controlled(handle) => handle,
        };
        let execution = current().expect("a thread of an exploration is joined inside of it");
        execution.visible(Pending::here(Action::to(Kind::Join, handle.thread)));
        execution.joined(handle.thread);
        handle.packet.0.take().expect("a thread that has ended left its result")
    }

    /// Has the thread ended?
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Handle::Plain(handle) => handle.is_finished(),
            Handle::Controlled(handle) => {
                let execution = current().expect("a thread of an exploration is asked for inside of it");
                execution.visible(Pending::here(Action::to(Kind::IsFinished, handle.thread)));
                let mut state = execution.state.borrow_mut();
                state.only_looked = true;
                state.has_ended(Some(handle.thread))
            }
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// As [`std::thread::yield_now`].
#[track_caller]
pub fn yield_now() {
    match current() {
        Some(execution) => {
            execution.visible(Pending::here(Action::new(Kind::Yield)));
        }
        None => std::thread::yield_now(),
    }
}
