//! An execution as a [`Stepper`]: resumes who is chosen, and looks what can be done then.

use super::handoff::{Handoff, Upcoming};
use crate::control::diagnose::{Heartbeat, Phase};
use crate::control::execution::Execution;
use crate::control::fiber;
use crate::control::fiber::{Resumable, Resumed};
use crate::control::schedule::CandidateEvent;
use crate::control::schedule::ExecutedAction;
use crate::control::state::State;
use crate::control::thread::Status;
use selvedge_explore::run::{Decide, drive_light_in_full, drive_step_by_step};
use selvedge_explore::{Event, EventId, Kind, LightEvent, LightRun, Stepper, ThreadId};
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers for runs, all different, from 1; drivers take so many at once.
static NEXT_RUN: AtomicU64 = AtomicU64::new(1);
const RUNS_AT_ONCE: u64 = 64;

/// Drives the runs of one program.
pub(crate) struct Driver<'e, B> {
    pub(crate) execution: &'e Execution,
    /// Spawns the program's first thread.
    body: B,
    enabled: Vec<Event>,
    /// What threads were about to do that the last step stopped.
    stopped: Vec<Event>,
    /// Numbers for the next runs.
    numbers: std::ops::Range<u64>,
}

impl<'e, B: Fn(&Execution)> Driver<'e, B> {
    /// A driver of runs that begin with `body`, which spawns the first thread.
    pub(crate) fn new(execution: &'e Execution, body: B) -> Driver<'e, B> {
        Driver { execution, body, enabled: Vec::new(), stopped: Vec::new(), numbers: 0..0 }
    }

    /// Lets a thread run until it announces something or ends; then those that it spawned.
    fn resume(&mut self, thread: ThreadId, phase: Phase) {
        resume(self.execution, thread, phase);
        begin_fresh(self.execution);
    }
}

impl<B> Driver<'_, B> {
    /// A number for a run.
    #[inline]
    fn number(&mut self) -> u64 {
        self.numbers.next().unwrap_or_else(|| {
            let first = NEXT_RUN.fetch_add(RUNS_AT_ONCE, Ordering::Relaxed);
            self.numbers = first + 1..first + RUNS_AT_ONCE;
            first
        })
    }
}

/// Lets the threads begin that were spawned in the step at hand.
#[inline]
fn begin_fresh(execution: &Execution) {
    loop {
        let (fresh, is_over) = {
            let mut state = execution.state.borrow_mut();
            (state.fresh.pop(), state.stop.is_some())
        };
        match fresh {
            Some(_) if is_over => {}
            Some(thread) => resume(execution, thread, Phase::Begins),
            None => break,
        }
    }
}

/// Goes on while somebody decides.
fn drive<L: CandidateEvent>(execution: &Execution, handoff: &Handoff<L>) {
    let mut next = handoff.ask_first(execution);
    while let Some(upcoming) = next {
        match upcoming {
            Upcoming::Ready(thread, fiber) => resume_ready(execution, thread, fiber),
            Upcoming::Chosen(id) if id.thread.is_phantom() => execution.state.borrow_mut().commit_chosen(),
            Upcoming::Chosen(id) => resume(execution, id.thread, Phase::Does),
        }
        next = handoff.next(execution, || begin_fresh(execution));
    }
}

/// Lets one thread run until it announces something or ends.
#[inline]
pub(in crate::control) fn resume(execution: &Execution, thread: ThreadId, phase: Phase) {
    let fiber = execution.state.borrow_mut().ready(thread, phase, &execution.heartbeat);
    resume_ready(execution, thread, fiber);
}

/// The same for one that is known as the running one.
#[inline]
fn resume_ready(execution: &Execution, thread: ThreadId, fiber: Resumable) {
    if fiber::enter(execution, || fiber.resume()) == Resumed::Done {
        let mut state = execution.state.borrow_mut();
        let slot = &mut state.threads[thread.index()];
        slot.status = Status::Ended;
        let stack = slot.fiber.take().expect(FIBER).into_stack();
        state.live_count -= 1;
        state.stacks.push(stack);
    }
}

const FIBER: &str = "a live thread has a fiber";

impl Execution {
    /// The running thread, which has spawned others, lets them begin: each runs until it announces something, or ends. That
    /// happens on top of its own stack; none of them can do the same before its first step.
    pub(in crate::control) fn begin_in_place(&self, running: ThreadId) {
        begin_fresh(self);
        self.state.borrow_mut().running = running;
    }
}

impl State {
    /// This thread is the running one from now on.
    #[inline(always)]
    pub(in crate::control) fn ready(
        &mut self,
        thread: ThreadId,
        phase: Phase,
        heartbeat: &Heartbeat,
    ) -> Resumable {
        self.running = thread;
        let slot = &self.threads[thread.index()];
        heartbeat.beat(thread, phase, &slot.pending);
        slot.fiber.as_ref().expect(FIBER).resumable()
    }

    /// This is done next. Lists what it stops, if it does.
    #[inline]
    pub(in crate::control) fn choose(&mut self, event: &Event, stopped: &mut Vec<Event>) {
        self.begin_step(event.id);
        self.found = self.open(&event.action);
        stopped.clear();
        match event.action.kind {
            Kind::Contain => self.list_stopped(Some(event.id.thread), stopped),
            Kind::Throw => self.list_interrupted(event.action.target, stopped),
            _ => {}
        }
    }

    /// Somebody goes on who was chosen.
    #[inline(always)]
    pub(in crate::control) fn begin_step(&mut self, chosen: EventId) {
        self.chosen = chosen;
        self.noted.begin();
        self.read_only = false;
    }

    /// The commit that was chosen is done.
    #[inline]
    pub(in crate::control) fn commit_chosen(&mut self) {
        self.found = self.commit(self.chosen.thread);
    }

    /// The event that was chosen is done: how it turned out.
    #[inline(always)]
    pub(in crate::control) fn turned_out(&mut self, event: &mut Event) {
        if self.read_only {
            event.effect.read_only = true;
        }
        event.effect.observed = self.found;
        event.effect.wakes_no_waiter = self.keeps(&event.action);
        if event.action.kind == Kind::Spawn {
            event.action.target = self.spawned;
        }
    }

    /// Nothing can be done after this event. Lists who is left.
    #[cold]
    pub(in crate::control) fn was_last(&self, event: &mut Event, stopped: &mut Vec<Event>) {
        self.list_stopped(None, stopped);
        event.effect.ends_run = self.is_over() && !stopped.is_empty();
        // Nobody can tell what they would have committed.
        self.list_uncommitted(stopped);
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
            state.stop.is_some()
        };
        if chosen.thread.is_phantom() {
            self.execution.state.borrow_mut().commit_chosen();
        } else if is_fatal {
            // The step at hand is known to end the process: it is the last one of the run, and is not done.
            self.execution.state.borrow_mut().spawned = None;
        } else {
            self.resume(chosen.thread, Phase::Does);
        }
        let state = &mut *self.execution.state.borrow_mut();
        state.turned_out(&mut event);
        state.note(&ExecutedAction::from(&event));
        state.look(&mut self.enabled);
        if self.enabled.is_empty() {
            state.was_last(&mut event, &mut self.stopped);
        }
        event
    }

    fn stopped(&self) -> &[Event] {
        &self.stopped
    }

    fn give_up(&mut self) {
        self.stopped.clear();
        let state = self.execution.state.borrow();
        state.list_stopped(None, &mut self.stopped);
        state.list_uncommitted(&mut self.stopped);
    }

    /// Ends what is left of the last run, and begins the next.
    fn restart(&mut self) {
        self.execution.tear_down();
        let number = self.number();
        {
            let mut state = self.execution.state.borrow_mut();
            state.clear(number);
            state.unusual.spins_freely = self.execution.spins_freely.get();
        }
        (self.body)(self.execution);
        self.resume(ThreadId::MAIN, Phase::Begins);
        self.execution.state.borrow_mut().look(&mut self.enabled);
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
