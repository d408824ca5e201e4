//! One run: a stepper executes, a scheduler chooses, a trace records.

use crate::event::Event;
use crate::ids::EventId;
use crate::light::{LightEvent, LightRun, ThreadScheduler};
use crate::thread_tree::ThreadTree;
use crate::trace::{PreviousStep, Switch, Trace};
use std::cell::RefCell;

/// A program that runs step by step, forwards only, and can be restarted.
pub trait Stepper {
    /// The enabled events, in the order of threads (by their paths, see [`ThreadTree`]) and alternatives.
    /// Deterministic: the same choices lead to the same enabled events. Empty at the end of a run: every
    /// thread is finished or blocked.
    fn enabled(&self) -> &[Event];

    /// Executes an enabled event. Returns the event with its effect.
    fn step(&mut self, chosen: EventId) -> Event;

    /// The pending events of the threads that the last step stopped; at the end of a run, of all threads
    /// that are left.
    fn stopped(&self) -> &[Event] {
        &[]
    }

    /// Ends the run early: all threads that are left are stopped.
    fn give_up(&mut self) {}

    /// Back to the initial state.
    fn restart(&mut self);

    /// Runs until `decide` returns `None`. A stepper may implement this without a return to the caller at
    /// each step, as long as it asks for the same decisions, in the same order, about the same events.
    fn drive(&mut self, decide: &mut Decide<'_>) {
        drive_step_by_step(self, decide);
    }

    /// The same for a light run. The stepper asks for no decision in a state without enabled events.
    fn drive_light(&mut self, run: &mut LightRun<'_>) {
        drive_light_in_full(self, run);
    }
}

/// Drives a light run by full events.
pub fn drive_light_in_full<S: Stepper + ?Sized>(stepper: &mut S, run: &mut LightRun<'_>) {
    let mut light_events = Vec::new();
    stepper.drive(&mut |_, enabled| {
        light_events.clear();
        light_events.extend(enabled.iter().map(|event| LightEvent::from(*event)));
        if light_events.is_empty() { None } else { run.decide(&light_events) }
    });
}

/// Drives a run by single steps.
pub fn drive_step_by_step<S: Stepper + ?Sized>(stepper: &mut S, decide: &mut Decide<'_>) {
    let mut next = decide(None, stepper.enabled());
    while let Some(index) = next {
        let event = stepper.step(stepper.enabled()[index].id);
        next = decide(Some(ExecutedStep { event: &event, stopped: stepper.stopped() }), stepper.enabled());
    }
}

/// A step that a stepper has executed.
#[derive(Clone, Copy, Debug)]
pub struct ExecutedStep<'s> {
    /// The event, with its effect.
    pub event: &'s Event,
    /// The pending events of the threads that it stopped: see [`Stepper::stopped`].
    pub stopped: &'s [Event],
}

/// Receives the last executed step, if there is one, and the enabled events. Returns the index of the event
/// to execute next, or `None` to end the run.
pub type Decide<'d> = dyn FnMut(Option<ExecutedStep<'_>>, &[Event]) -> Option<usize> + 'd;

/// Chooses the interleavings of a program, run by run.
pub trait Scheduler {
    /// A run begins.
    fn begin(&mut self) {}

    /// Chooses one of the enabled events, of which there is at least one. `None` gives up the run.
    fn choose(&mut self, enabled: &[Event]) -> Option<EventId>;

    /// The chosen event is executed; `event` has its effect.
    fn done(&mut self, _event: &Event) {}

    /// The last step stopped threads, or the run is over: the pending events of the stopped threads.
    fn stopped(&mut self, _left: &[Event]) {}

    /// A run has ended.
    fn finish(&mut self, run: &Trace) -> Next;

    /// Does a run go on after the return of its body, so that the scheduler sees what the remaining threads
    /// do? Otherwise it ends there. A light run always does.
    fn goes_on_after_return(&self) -> bool {
        false
    }

    /// The same scheduler for light runs, if light events are enough for it. It makes the same choices, and
    /// none of [`Scheduler::choose`], [`Scheduler::done`] and [`Scheduler::stopped`] is called.
    fn as_thread_scheduler(&mut self) -> Option<&mut dyn ThreadScheduler> {
        None
    }

    /// Before the first run: the threads that the scheduler knows by their numbers, from a run of another
    /// exploration. The exploration begins with them.
    fn thread_tree(&self) -> Option<ThreadTree> {
        None
    }

    /// The number of the next run, from 0, if runs are numbered and there is another one.
    fn run_number(&self) -> Option<u64> {
        None
    }

    /// Before the first run, or between two runs: a scheduler for one worker's share of the remaining runs.
    /// `None` if a run depends on the runs before it.
    fn share(&self, _worker: u64, _workers: u64) -> Option<Box<dyn Scheduler + Send>> {
        None
    }

    /// Between two runs: a checkpoint as text, from which another process can continue; `None` if that is
    /// unsupported.
    fn save(&self) -> Option<String> {
        None
    }

    /// Before the first run: continues from the checkpoint of a scheduler with the same settings.
    ///
    /// # Errors
    /// A message about text that is not a checkpoint of this scheduler.
    fn load(&mut self, _saved: &str) -> Result<(), String> {
        Err("this scheduler cannot go on from what was saved".to_owned())
    }
}

/// Does the scheduler want another run?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another run.
    Another,
    /// The exploration is over.
    Done,
}

/// The reason for the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// No event is enabled.
    Finished,
    /// The run has reached its greatest number of steps.
    StepLimit,
    /// The scheduler gave up the run.
    GivenUp,
}

/// Holds the trace of a run in progress.
pub trait Recorder {
    /// Borrows the trace, never during a step.
    fn with<R>(&mut self, work: impl FnOnce(&mut Trace) -> R) -> R;
}

impl Recorder for Trace {
    #[inline]
    fn with<R>(&mut self, work: impl FnOnce(&mut Trace) -> R) -> R {
        work(self)
    }
}

/// A trace that is readable during a step: the crash report of a program that aborts reads it.
impl Recorder for &RefCell<Trace> {
    #[inline]
    fn with<R>(&mut self, work: impl FnOnce(&mut Trace) -> R) -> R {
        work(&mut self.borrow_mut())
    }
}

/// Runs to the end, but for at most `max_steps` steps. The trace is cleared first.
pub fn run<S: Stepper + ?Sized>(
    stepper: &mut S,
    scheduler: &mut (impl Scheduler + ?Sized),
    max_steps: usize,
    trace: &mut impl Recorder,
) -> RunEnd {
    trace.with(Trace::clear);
    scheduler.begin();
    let (mut steps, mut switch, mut end) = (0, Switch::Start, RunEnd::Finished);
    let mut previous = PreviousStep::default();
    stepper.drive(&mut |done, enabled| {
        if let Some(ExecutedStep { event, stopped }) = done {
            scheduler.done(event);
            if !stopped.is_empty() {
                scheduler.stopped(stopped);
            }
            trace.with(|trace| trace.push(*event, switch));
            previous.record(event);
            steps += 1;
        }
        if enabled.is_empty() {
            return None;
        }
        if steps >= max_steps {
            end = RunEnd::StepLimit;
            return None;
        }
        let Some(chosen) = scheduler.choose(enabled) else {
            end = RunEnd::GivenUp;
            return None;
        };
        switch = previous.switch_to(chosen.thread, enabled);
        Some(enabled.iter().position(|event| event.id == chosen).expect("an enabled event"))
    });
    if end != RunEnd::Finished {
        stepper.give_up();
        scheduler.stopped(stepper.stopped());
    }
    end
}

/// The same for a light run. The trace is light: see [`Trace::is_light`].
pub fn run_light<S: Stepper + ?Sized>(
    stepper: &mut S,
    scheduler: &mut dyn ThreadScheduler,
    max_steps: usize,
    trace: &mut impl Recorder,
) -> RunEnd {
    scheduler.begin();
    let recycled = trace.with(|trace| {
        trace.clear();
        trace.take_light_steps()
    });
    let mut run = LightRun::new(scheduler, recycled, max_steps);
    stepper.drive_light(&mut run);
    let (run, end) = run.finish();
    trace.with(|trace| *trace = run);
    if end != RunEnd::Finished {
        stepper.give_up();
    }
    end
}
