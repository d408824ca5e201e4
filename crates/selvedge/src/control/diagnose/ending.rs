//! How far everybody was when a run ended, in words.

use crate::control::exception::Unwound;
use crate::control::execution::Execution;
use crate::control::object::{Ends, Sync};
use crate::control::state::State;
use crate::control::thread::{Pending, Status, display_name};
use selvedge_explore::{Action, Ending, Kind, ObjectId, Site, Stall, ThreadId, Trace};

impl Execution {
    /// Gives a trace the names of threads and objects, and tells how far everybody was.
    pub(crate) fn describe_run(&self, trace: &mut Trace) {
        let state = self.state.borrow();
        let threads = || (0..state.thread_count as u32).map(ThreadId);
        trace.threads = threads().map(|thread| state.thread_name(thread)).collect();
        let objects = state.objects[..state.object_count].iter().enumerate();
        trace.objects = objects.map(|(index, object)| object.display_name(ObjectId::at(index))).collect();
        trace.endings = threads().map(|thread| state.ending(thread)).collect();
        trace.values = state.values(trace);
        trace.racing_accesses = state.racing_accesses();
    }
}

impl State {
    /// A thread's name, for people.
    pub(crate) fn thread_name(&self, thread: ThreadId) -> String {
        let name = self.threads.get(thread.index()).and_then(|thread| thread.name.as_deref());
        display_name(name, thread)
    }

    /// How far a thread is.
    fn ending(&self, id: ThreadId) -> Ending {
        let (state, site, stall) = match self.racing(id) {
            Some((state, site)) => (state, site, None),
            None => self.progress_of(id),
        };
        Ending { thread: self.thread_name(id), state, site, stall }
    }

    /// How far a thread is that has not ended the run by a race: in words, where, and why it cannot go on.
    fn progress_of(&self, id: ThreadId) -> (String, Site, Option<Stall>) {
        let thread = &self.threads[id.index()];
        let Pending { action, site, .. } = thread.pending;
        match (&thread.fell, thread.status) {
            (Some(Unwound::Panic(message)), _) => {
                let place = thread.panicked_at.as_ref().map(|place| format!(" at {place}"));
                let first = message.lines().next().unwrap_or_default();
                (format!("panicked{}: {first}", place.unwrap_or_default()), Site::Unknown, None)
            }
            (Some(unwound), _) => (unwound.to_string(), Site::Unknown, None),
            (None, Status::Ended) => ("has ended".to_owned(), Site::Unknown, None),
            (None, Status::Lost) => ("could not be unwound".to_owned(), Site::Unknown, None),
            (None, Status::Live) if self.can_do(id, &thread.pending) => {
                (format!("is about to {}", self.describe(&thread.pending)), site, None)
            }
            (None, Status::Live) if action.kind == Kind::Yield => {
                let state = format!("spins at yield, waiting for {}", self.awaited(id));
                (state, site, Some(Stall::Spinning))
            }
            (None, Status::Live) => (self.waits(id, &thread.pending), site, Some(Stall::Blocked)),
        }
    }

    /// What a thread waits for, and who has it.
    fn waits(&self, thread: ThreadId, pending: &Pending) -> String {
        if pending.action.drains && !self.buffers.is_empty(thread) {
            return "waits until its stores are in memory".to_owned();
        }
        let Action { kind, object, target, .. } = pending.action;
        if let Some(target) = target {
            return format!("waits to {} `{}`", kind.text().replace('_', " "), self.thread_name(target));
        }
        if kind == Kind::Atomically {
            return self.awaited_variables(thread);
        }
        let Some(id) = object else {
            return match kind {
                Kind::Park => "waits to be unparked".to_owned(),
                Kind::Return => "waits for the end of all others".to_owned(),
                _ => format!("waits to {}", kind.text()),
            };
        };
        let object = &self.objects[id.index()];
        let name = object.display_name(id);
        let held = |by: &[ThreadId]| {
            let names: Vec<String> =
                by.iter().map(|thread| format!("`{}`", self.thread_name(*thread))).collect();
            format!("waits for {name}, held by {}", names.join(", "))
        };
        match (&object.sync, kind) {
            (Sync::Mutex { owner: Some(owner) }, _) => held(&[*owner]),
            (Sync::RwLock { writer: Some(writer), .. }, _) => held(&[*writer]),
            (Sync::RwLock { readers, .. }, _) if !readers.is_empty() => held(readers),
            (Sync::Once { running: Some(running), .. }, _) => held(&[*running]),
            (Sync::Condvar(_), _) => format!("waits to be notified by {name}"),
            (Sync::Channel { .. }, Kind::Receive) => format!("waits for a message from {name}"),
            (Sync::Channel(Ends { capacity: Some(0), .. }), _) => {
                format!("waits until its message is received from {name}")
            }
            (Sync::Channel { .. }, _) => format!("waits for room in {name}"),
            (Sync::Barrier { .. }, _) => format!("waits for others at {name}"),
            (Sync::MVar { .. }, Kind::Put) => format!("waits until {name} is empty"),
            (Sync::MVar { .. }, _) => format!("waits until {name} is full"),
            _ => format!("waits for {name}"),
        }
    }
}
