//! An execution as a [`Stepper`]: resumes who is chosen, and looks what can be done then.

use super::context;
use super::execution::{Execution, State};
use super::fiber::Resumed;
use super::pulse::Phase;
use super::thread::Status;
use selvedge_explore::{Event, EventId, Kind, Stepper, ThreadId};
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers for runs, all different, from 1.
static NEXT_RUN: AtomicU64 = AtomicU64::new(1);

/// Drives the runs of one program.
pub(crate) struct Driver<'e, B> {
    pub(crate) execution: &'e Execution,
    /// Spawns the program's first thread.
    body: B,
    enabled: Vec<Event>,
    /// What threads were about to do that the last step stopped.
    stopped: Vec<Event>,
}

impl<'e, B: Fn(&Execution)> Driver<'e, B> {
    /// A driver of runs that begin with `body`, which spawns the first thread.
    pub(crate) fn new(execution: &'e Execution, body: B) -> Driver<'e, B> {
        Driver { execution, body, enabled: Vec::new(), stopped: Vec::new() }
    }

    /// Lets a thread run until it announces something or ends; then those that it spawned.
    fn resume(&mut self, thread: ThreadId, phase: Phase) {
        resume(self.execution, thread, phase);
        loop {
            let fresh = self.execution.state.borrow_mut().fresh.pop();
            match fresh {
                Some(_) if self.execution.state.borrow().stop.is_some() => {}
                Some(thread) => resume(self.execution, thread, Phase::Begins),
                None => break,
            }
        }
        self.look();
    }

    /// The step at hand is known to end the process: it is the last one of the run, and is not done.
    #[cold]
    fn leave_undone(&mut self) {
        self.execution.state.borrow_mut().spawned = None;
        self.look();
    }

    fn look(&mut self) {
        let state = self.execution.state.borrow();
        if state.is_over() { self.enabled.clear() } else { state.list_enabled(&mut self.enabled) }
    }
}

/// Lets one thread run until it announces something or ends.
#[inline]
pub(super) fn resume(execution: &Execution, thread: ThreadId, phase: Phase) {
    let mut fiber = {
        let mut state = execution.state.borrow_mut();
        state.running = thread;
        let slot = &mut state.threads[thread.index()];
        execution.pulse.beat(thread, phase, &slot.pending);
        slot.fiber.take().expect("a live thread has a fiber")
    };
    let resumed = context::enter(execution, || fiber.resume());
    let mut state = execution.state.borrow_mut();
    match resumed {
        Resumed::Suspended => state.threads[thread.index()].fiber = Some(fiber),
        Resumed::Done => {
            state.threads[thread.index()].status = Status::Ended;
            state.stacks.push(fiber.into_stack());
        }
    }
}

impl State {
    /// Has the body returned, or something final happened?
    fn is_over(&self) -> bool {
        self.stop.is_some() || self.threads[ThreadId::MAIN.index()].status == Status::Ended
    }
}

impl<B: Fn(&Execution)> Stepper for Driver<'_, B> {
    fn enabled(&self) -> &[Event] {
        &self.enabled
    }

    fn step(&mut self, chosen: EventId) -> Event {
        let mut event = *self.enabled.iter().find(|event| event.id == chosen).expect("an enabled event");
        self.stopped.clear();
        let is_fatal = {
            let mut state = self.execution.state.borrow_mut();
            state.chosen = chosen;
            state.only_looked = false;
            state.found = state.open(&event.action);
            if event.action.kind == Kind::Contain {
                state.list_stopped(Some(chosen.thread), &mut self.stopped);
            }
            state.stop.is_some()
        };
        if is_fatal {
            self.leave_undone();
        } else {
            self.resume(chosen.thread, Phase::Does);
        }
        let state = self.execution.state.borrow();
        event.action.only_looked = state.only_looked;
        event.action.found = state.found;
        if event.action.kind == Kind::Spawn {
            event.action.target = state.spawned;
        }
        if self.enabled.is_empty() {
            state.list_stopped(None, &mut self.stopped);
            event.action.ends_run = state.is_over() && !self.stopped.is_empty();
        }
        event
    }

    fn stopped(&self) -> &[Event] {
        &self.stopped
    }

    fn give_up(&mut self) {
        self.stopped.clear();
        self.execution.state.borrow().list_stopped(None, &mut self.stopped);
    }

    /// Ends what is left of the last run, and begins the next.
    fn restart(&mut self) {
        self.execution.tear_down();
        self.execution.state.borrow_mut().clear(NEXT_RUN.fetch_add(1, Ordering::Relaxed));
        (self.body)(self.execution);
        self.resume(ThreadId::MAIN, Phase::Begins);
    }
}
