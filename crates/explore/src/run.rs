//! One run: what can be done, who chooses, what was done.

use crate::event::Event;
use crate::ids::EventId;
use crate::light::{LightEvent, LightRun, ThreadScheduler};
use crate::trace::{Last, Switch, Trace};
use std::cell::RefCell;

/// Something that runs: goes forward, or starts again.
pub trait Stepper {
    /// What can be done next, in the order of threads and alternatives; the same whenever the same was done before.
    /// Empty where nothing can: all is done, or stuck.
    fn enabled(&self) -> &[Event];

    /// Does one of the enabled events. Returns it as it turned out: one that only looked says so.
    fn step(&mut self, chosen: EventId) -> Event;

    /// What threads were about to do, or waited for, that the last step stopped; at the end of a run, all that are left.
    fn stopped(&self) -> &[Event] {
        &[]
    }

    /// The run goes no further, though it could: all that are left are stopped.
    fn give_up(&mut self) {}

    /// Back to the beginning.
    fn restart(&mut self);

    /// Goes on for as long as somebody decides. What can step without coming back to the caller each time may do so: the
    /// same decisions are asked for, in the same order, about the same events.
    fn drive(&mut self, decide: &mut Decide<'_>) {
        drive_step_by_step(self, decide);
    }

    /// The same for somebody who wants to know in brief what can be done, and nothing of how it turned out. Nobody is asked where
    /// nothing can be done.
    fn drive_light(&mut self, run: &mut LightRun<'_>) {
        drive_light_in_full(self, run);
    }
}

/// Goes on in full, and tells in brief what can be done.
pub fn drive_light_in_full<S: Stepper + ?Sized>(stepper: &mut S, run: &mut LightRun<'_>) {
    let mut light_events = Vec::new();
    stepper.drive(&mut |_, enabled| {
        light_events.clear();
        light_events.extend(enabled.iter().map(|event| LightEvent::from(*event)));
        if light_events.is_empty() { None } else { run.decide(&light_events) }
    });
}

/// Goes on step by step.
pub fn drive_step_by_step<S: Stepper + ?Sized>(stepper: &mut S, decide: &mut Decide<'_>) {
    let mut next = decide(None, stepper.enabled());
    while let Some(place) = next {
        let event = stepper.step(stepper.enabled()[place].id);
        next = decide(Some(Done { event: &event, stopped: stepper.stopped() }), stepper.enabled());
    }
}

/// What was done.
#[derive(Clone, Copy, Debug)]
pub struct Done<'s> {
    /// The event, as it turned out.
    pub event: &'s Event,
    /// What threads were about to do that it stopped: see [`Stepper::stopped`].
    pub stopped: &'s [Event],
}

/// Is told what was done, if anything was, and what can be done next. Decides which of these is, by its place among
/// them, or that the run ends here.
pub type Decide<'d> = dyn FnMut(Option<Done<'_>>, &[Event]) -> Option<usize> + 'd;

/// Decides how runs go.
pub trait Scheduler {
    /// A run begins.
    fn begin(&mut self) {}

    /// What is done next, of these; there is at least one. `None` gives the run up.
    fn choose(&mut self, enabled: &[Event]) -> Option<EventId>;

    /// What was chosen is done, and turned out like this.
    fn done(&mut self, _event: &Event) {}

    /// The last step stopped threads, or the run is over: this is what they were about to do, or waited for.
    fn stopped(&mut self, _left: &[Event]) {}

    /// A run has ended.
    fn finish(&mut self, run: &Trace) -> Next;

    /// The same scheduler for runs in brief, where it needs no more. It decides as it would in full, and none of
    /// [`Scheduler::choose`], [`Scheduler::done`] and [`Scheduler::stopped`] is called.
    fn as_thread_scheduler(&mut self) -> Option<&mut dyn ThreadScheduler> {
        None
    }

    /// The number of the next run, from 0, where runs are numbered and there is one more.
    fn run_number(&self) -> Option<u64> {
        None
    }

    /// Before the first run, or between two: the share of one of several workers in the runs that are left. Nothing where a run
    /// depends on those before it.
    fn share(&self, _worker: u64, _workers: u64) -> Option<Box<dyn Scheduler + Send>> {
        None
    }

    /// Between two runs: how far it is, as text, where another process can go on from that.
    fn save(&self) -> Option<String> {
        None
    }

    /// Before the first run: goes on from what a scheduler with the same settings saved.
    ///
    /// # Errors
    /// What cannot be read, in words.
    fn load(&mut self, _saved: &str) -> Result<(), String> {
        Err("this scheduler cannot go on from what was saved".to_owned())
    }
}

/// Is there more to see?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another run, please.
    Another,
    /// That was all.
    Done,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing can be done any more.
    Finished,
    /// It took as many steps as it may.
    Limit,
    /// The scheduler gave it up.
    GivenUp,
}

/// Where the steps of a run are written down.
pub trait Record {
    /// Works on the trace for a moment, and not while a step is done.
    fn with<R>(&mut self, work: impl FnOnce(&mut Trace) -> R) -> R;
}

impl Record for Trace {
    #[inline]
    fn with<R>(&mut self, work: impl FnOnce(&mut Trace) -> R) -> R {
        work(self)
    }
}

/// A trace that can be looked at while a step is done: by the last words of a program that aborts, say.
impl Record for &RefCell<Trace> {
    #[inline]
    fn with<R>(&mut self, work: impl FnOnce(&mut Trace) -> R) -> R {
        work(&mut self.borrow_mut())
    }
}

/// Runs to the end, or for so many steps; the trace is recorded anew.
pub fn run<S: Stepper + ?Sized>(
    stepper: &mut S,
    scheduler: &mut (impl Scheduler + ?Sized),
    max_steps: usize,
    trace: &mut impl Record,
) -> End {
    trace.with(Trace::clear);
    scheduler.begin();
    let (mut steps, mut switch, mut end) = (0, Switch::Start, End::Finished);
    let mut last = Last::default();
    stepper.drive(&mut |done, enabled| {
        if let Some(Done { event, stopped }) = done {
            scheduler.done(event);
            if !stopped.is_empty() {
                scheduler.stopped(stopped);
            }
            trace.with(|trace| trace.push(*event, switch));
            last.note(event);
            steps += 1;
        }
        if enabled.is_empty() {
            return None;
        }
        if steps >= max_steps {
            end = End::Limit;
            return None;
        }
        let Some(chosen) = scheduler.choose(enabled) else {
            end = End::GivenUp;
            return None;
        };
        switch = last.switch_to(chosen.thread, enabled);
        Some(enabled.iter().position(|event| event.id == chosen).expect("an enabled event"))
    });
    if end != End::Finished {
        stepper.give_up();
        scheduler.stopped(stepper.stopped());
    }
    end
}

/// The same for a scheduler that needs to know in brief what can be done. So is the run recorded: see [`Trace::is_light`].
pub fn run_light<S: Stepper + ?Sized>(
    stepper: &mut S,
    scheduler: &mut dyn ThreadScheduler,
    max_steps: usize,
    trace: &mut impl Record,
) -> End {
    scheduler.begin();
    let room = trace.with(|trace| {
        trace.clear();
        trace.take_room()
    });
    let mut run = LightRun::new(scheduler, room, max_steps);
    stepper.drive_light(&mut run);
    let (run, end) = run.finish();
    trace.with(|trace| *trace = run);
    if end != End::Finished {
        stepper.give_up();
    }
    end
}
