//! The driver: an execution as a [`Stepper`]. It resumes the thread of the chosen event, and computes the
//! enabled events.

#![allow(unsafe_code)]

use super::candidates::CandidateEvent;
use super::enabled::{compute_enabled, list_stopped, list_uncommitted};
use super::executed_action::ExecutedAction;
use super::handoff::{Handoff, Upcoming};
use crate::control::diagnose::{self, Heartbeat, Phase};
use crate::control::fiber::{self, Resumable, Resumed};
use crate::control::progress;
use crate::control::thread::FIBER;
use crate::control::{Execution, State};
use selvedge_explore::run::{Decide, drive_light_in_full, drive_step_by_step};
use selvedge_explore::{Event, EventId, LightEvent, LightRun, Stepper, ThreadId};

/// A driver takes this many numbers of runs at once.
const RUNS_AT_ONCE: u64 = 64;

/// Drives the runs of one program.
pub(crate) struct Driver<'e, B> {
    pub(crate) execution: &'e Execution,
    /// Spawns the program's first thread.
    body: B,
    enabled: Vec<Event>,
    /// The announced actions of threads that the last step stopped.
    stopped: Vec<Event>,
    /// Numbers for the next runs.
    numbers: std::ops::Range<u64>,
}

impl<'e, B: Fn(&Execution)> Driver<'e, B> {
    /// A driver of runs that begin with `body`, which spawns the first thread.
    pub(crate) fn new(execution: &'e Execution, body: B) -> Driver<'e, B> {
        Driver { execution, body, enabled: Vec::new(), stopped: Vec::new(), numbers: 0..0 }
    }

    /// Lets a thread run until it announces an action or ends; then the threads that it spawned.
    fn resume(&mut self, thread: ThreadId, phase: Phase) {
        resume(self.execution, thread, phase);
        begin_spawned(self.execution);
    }
}

impl<B> Driver<'_, B> {
    /// A number for a run.
    #[inline]
    fn number(&mut self) -> u64 {
        self.numbers.next().unwrap_or_else(|| {
            let first = diagnose::number_runs(RUNS_AT_ONCE);
            self.numbers = first + 1..first + RUNS_AT_ONCE;
            first
        })
    }
}

impl<B: Fn(&Execution)> Stepper for Driver<'_, B> {
    fn enabled(&self) -> &[Event] {
        &self.enabled
    }

    fn step(&mut self, chosen: EventId) -> Event {
        let mut event = *self.enabled.iter().find(|event| event.id == chosen).expect("an enabled event");
        let is_fatal = {
            let mut state = self.execution.state.borrow_mut();
            state.choose(&event, &mut self.stopped);
            state.end.stop.is_some()
        };
        if chosen.thread.is_phantom() {
            self.execution.state.borrow_mut().commit_chosen();
        } else if !is_fatal {
            self.resume(chosen.thread, Phase::Does);
        }
        // A step that is known to end the process is the last one of the run, and is not executed.
        let state = &mut *self.execution.state.borrow_mut();
        state.complete(&mut event);
        progress::record_step(state, &ExecutedAction::from(&event));
        compute_enabled(state, &mut self.enabled);
        if self.enabled.is_empty() {
            state.complete_last(&mut event, &mut self.stopped);
        }
        event
    }

    fn stopped(&self) -> &[Event] {
        &self.stopped
    }

    fn give_up(&mut self) {
        self.stopped.clear();
        let state = self.execution.state.borrow();
        list_stopped(&state, &mut self.stopped);
        list_uncommitted(&state, &mut self.stopped);
    }

    /// Ends the last run, and begins the next.
    fn restart(&mut self) {
        self.execution.tear_down();
        let number = self.number();
        {
            let mut state = self.execution.state.borrow_mut();
            state.begin_run(number);
            state.conditions.spins_freely = self.execution.spins_freely.get();
            state.bound.daemon_bound = self.execution.daemon_bound.get();
        }
        // From the first announced action on, an object belongs to this run.
        self.execution.seat.begin(number);
        (self.body)(self.execution);
        self.resume(ThreadId::MAIN, Phase::Begins);
        compute_enabled(&mut self.execution.state.borrow_mut(), &mut self.enabled);
    }

    fn drive(&mut self, decide: &mut Decide<'_>) {
        let execution = self.execution;
        let run = execution.state.borrow().run;
        execution.seat.during(run, || {
            if execution.settings.goes_one_by_one {
                return drive_step_by_step(self, decide);
            }
            let handoff = &execution.handoff;
            handoff.with(decide, self.enabled.drain(..), || drive(execution, handoff));
        });
    }

    fn drive_light(&mut self, light_run: &mut LightRun<'_>) {
        let execution = self.execution;
        let run = execution.state.borrow().run;
        execution.seat.during(run, || {
            if execution.settings.goes_one_by_one {
                return drive_light_in_full(self, light_run);
            }
            let handoff = &execution.light_handoff;
            handoff
                .with(light_run, self.enabled.drain(..).map(LightEvent::from), || drive(execution, handoff));
        });
    }
}

/// Goes on while the scheduler chooses events.
fn drive<L: CandidateEvent>(execution: &Execution, handoff: &Handoff<L>) {
    let mut next = handoff.ask_first(execution);
    while let Some(upcoming) = next {
        match upcoming {
            Upcoming::Ready(thread, fiber) => resume_ready(execution, thread, fiber),
            Upcoming::Chosen(id) if id.thread.is_phantom() => execution.state.borrow_mut().commit_chosen(),
            Upcoming::Chosen(id) => resume(execution, id.thread, Phase::Does),
        }
        next = handoff.next(execution, || begin_spawned(execution));
    }
}

/// Lets the threads begin that the current step spawned.
#[inline]
fn begin_spawned(execution: &Execution) {
    loop {
        let (spawned, is_over) = {
            let mut state = execution.state.borrow_mut();
            (state.threads.take_unstarted(), state.end.stop.is_some())
        };
        match spawned {
            Some(_) if is_over => {}
            Some(thread) => resume(execution, thread, Phase::Begins),
            None => break,
        }
    }
}

/// Lets one thread run until it announces an action or ends.
#[inline]
pub(in crate::control) fn resume(execution: &Execution, thread: ThreadId, phase: Phase) {
    let fiber = make_running(&mut execution.state.borrow_mut(), thread, phase, &execution.heartbeat);
    resume_ready(execution, thread, fiber);
}

/// This thread is the running one from now on.
#[inline(always)]
pub(super) fn make_running(
    state: &mut State,
    thread: ThreadId,
    phase: Phase,
    heartbeat: &Heartbeat,
) -> Resumable {
    state.running = thread;
    let slot = &state.threads[thread];
    heartbeat.beat(thread, phase, &slot.pending);
    slot.fiber.as_ref().expect(FIBER).resumable()
}

/// Lets the running thread run until it announces an action or ends.
#[inline]
fn resume_ready(execution: &Execution, thread: ThreadId, fiber: Resumable) {
    let resumed = fiber::enter(execution, || {
        // SAFETY: the fiber is in the slot of its live thread, so it exists; it is suspended or has not
        // begun, since a thread resumes only threads that it has spawned itself, and the driver runs no
        // thread.
        unsafe { fiber.resume() }
    });
    if resumed == Resumed::Done {
        execution.state.borrow_mut().threads.end(thread);
    }
}

/// The running thread lets the threads begin that it has spawned: each runs until it announces an action, or
/// ends. That happens on top of its own stack; none of them can do the same before its first step.
pub(super) fn begin_in_place(execution: &Execution, running: ThreadId) {
    begin_spawned(execution);
    execution.state.borrow_mut().running = running;
}
