//! Runs that end the process, as outcomes: a child process makes every run first.
//!
//! The worker forks, and parent and child both go on from there: the *scout* ahead, and the worker behind it, which begins
//! nothing that the scout has not survived. So both go through the same stages, the runs and what is stopped after them, and a
//! byte in a pipe stands for each that the scout has survived. The pipe has room for some thousands, so that the two run side
//! by side. When the scout dies, the worker knows the stage, and [`Notice`] the step: the worker makes that run again up
//! to this step, calls that its end, and sends another scout from there on.
//!
//! Why not the test program once more, as a process of its own? It would have to find its way to the same exploration, which is
//! known for tests only, and what the body returns would have to be written down. A fork has both.
//!
//! Promise: with a deterministic body, no run and no stopped thread ends the worker's process. What judges outcomes may:
//! it is not part of a run.

mod notice;
mod process;

pub(super) use notice::Notice;

use super::Strategy;
use super::watchdog::Watchdog;
use super::worker::{LOOK_FOR, NOT_DETERMINISTIC};
use crate::control::pulse::Pulse;
use crate::control::{Driver, Execution, Stop, panics};
use notice::{Death, Place};
use process::Child;
use selvedge_explore::{End, Event, EventId, Next, Scheduler, Stepper, Switch, Trace, run};
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// One side of a worker that sends scouts.
pub(super) struct Scout {
    notice: Arc<Notice>,
    side: Side,
    /// Did the present run end the process of its scout?
    was_fatal: bool,
    /// For the watchdog of the child.
    name: String,
    patience: Duration,
}

enum Side {
    /// No child is under way.
    Alone,
    /// Behind a child.
    Behind(Behind),
    /// In the child.
    Ahead(Ahead),
}

struct Behind {
    child: Child,
    reports: PipeReader,
    /// The stages that the child is known to have survived, and this side has not begun.
    survived: usize,
}

struct Ahead {
    reports: PipeWriter,
    _watchdog: Watchdog,
}

impl Scout {
    /// A worker that has not sent anybody yet.
    pub(super) fn new(notice: Arc<Notice>, name: &str, patience: Duration) -> Scout {
        Scout { notice, side: Side::Alone, was_fatal: false, name: name.to_owned(), patience }
    }

    /// Makes the next run, as far as one can.
    pub(super) fn run<B: Fn(&Execution)>(
        &mut self,
        driver: &mut Driver<'_, B>,
        strategy: &mut Strategy,
        max_steps: usize,
    ) -> End {
        let execution = driver.execution;
        let death = self.fate(&execution.pulse);
        self.was_fatal = death.is_some();
        let Some(death) = death else {
            driver.restart();
            let notice = matches!(self.side, Side::Ahead(_)).then_some(&*self.notice);
            let mut steps = Steps { strategy, execution, notice, fatal: None, count: 0, last: None };
            let end = run(driver, &mut steps, max_steps, &mut &execution.trace);
            notice.inspect(|notice| notice.be_at(Place::Afterwards));
            return end;
        };
        let stop = match death.place {
            Place::Beginning => {
                let state = &mut *execution.state.borrow_mut();
                state.clear(state.run);
                execution.trace.borrow_mut().clear();
                strategy.begin();
                Stop::Stuck(death.message)
            }
            Place::Step(fatal) => {
                driver.restart();
                if run_until(fatal, driver, strategy, max_steps) {
                    Stop::Stuck(death.message)
                } else {
                    let what = format!("a child process ended in this run ({})", death.message);
                    Stop::Refused(format!("{NOT_DETERMINISTIC}: {what}, but not this one; {LOOK_FOR}"))
                }
            }
            Place::Afterwards => {
                let what = "what judges the outcomes of runs ends the process";
                Stop::Refused(format!("{what}: {}", death.message))
            }
        };
        let state = &mut *execution.state.borrow_mut();
        state.went_past |= death.went_past;
        state.stop = Some(stop);
        // The end of the process is an end of a run like others: nothing was cut off.
        End::Finished
    }

    /// Stops what is left of a run, or leaves it where it is, if stopping it would end the process.
    pub(super) fn tear_down(&mut self, execution: &Execution) {
        let is_empty = execution.state.borrow().live().next().is_none();
        match if is_empty { None } else { self.fate(&execution.pulse) } {
            Some(death) => {
                execution.abandon();
                if !self.was_fatal {
                    // Where the run has ended the process, nobody asks what was left of it.
                    execution.state.borrow_mut().lost.get_or_insert(death.message);
                }
            }
            None => execution.tear_down(),
        }
    }

    /// How the stage ends that begins now, if it ends the process. The child returns from here too, and finds out.
    fn fate(&mut self, pulse: &Arc<Pulse>) -> Option<Death> {
        match &mut self.side {
            Side::Ahead(ahead) => {
                ahead.report();
                self.notice.be_at(Place::Beginning);
            }
            Side::Alone => self.send(pulse),
            Side::Behind(_) => {}
        }
        let Side::Behind(behind) = &mut self.side else { return None };
        pulse.follow();
        let survives = behind.survives();
        pulse.rest();
        if survives {
            return None;
        }
        let status = behind.child.wait();
        self.side = Side::Alone;
        self.notice.death(status)
    }

    /// Sends a scout: there are two processes from here on.
    fn send(&mut self, pulse: &Arc<Pulse>) {
        // One at a time: a child that held another one's pipe open would hide the end of that one.
        static SENDING: Mutex<()> = Mutex::new(());
        let _sending = SENDING.lock().unwrap_or_else(PoisonError::into_inner);
        let (reader, writer) = std::io::pipe().expect("the operating system has a pipe for the exploration");
        self.notice.clear();
        let forked = pulse.while_unlocked(process::fork);
        self.side = match forked.expect("the operating system has a process for the exploration") {
            Some(child) => Side::Behind(Behind { child, reports: reader, survived: 0 }),
            None => {
                self.notice.is_mine();
                panics::be_quiet();
                let watchdog = Watchdog::start(self.name.clone(), pulse.clone(), self.patience);
                Side::Ahead(Ahead { reports: writer, _watchdog: watchdog })
            }
        };
    }
}

impl Drop for Scout {
    fn drop(&mut self) {
        if matches!(self.side, Side::Ahead(_)) {
            // What comes after the last run is the parent's alone.
            self.notice.leave();
            process::leave();
        }
    }
}

impl Behind {
    /// Waits until the child has survived a stage more, or has ended.
    fn survives(&mut self) -> bool {
        if self.survived == 0 {
            let mut reports = [0; 4096];
            self.survived = loop {
                match self.reports.read(&mut reports) {
                    Ok(count) => break count,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => break 0,
                }
            };
        }
        let survives = self.survived > 0;
        self.survived = self.survived.saturating_sub(1);
        survives
    }
}

impl Ahead {
    /// Another stage is survived.
    fn report(&mut self) {
        if self.reports.write_all(&[1]).is_err() {
            // Nobody is behind any more.
            process::leave();
        }
    }
}

/// Makes a run up to the step that would end the process, which is in its trace but is not done. Says whether it was there.
fn run_until<B: Fn(&Execution)>(
    fatal: u64,
    driver: &mut Driver<'_, B>,
    strategy: &mut Strategy,
    max_steps: usize,
) -> bool {
    let execution = driver.execution;
    let mut steps = Steps { strategy, execution, notice: None, fatal: Some(fatal), count: 0, last: None };
    run(driver, &mut steps, max_steps, &mut &execution.trace);
    let Some((event, switch)) = steps.last else { return false };
    strategy.done(&event);
    execution.trace.borrow_mut().push(event, switch);
    true
}

/// A strategy whose steps are written down, or stopped before the one that ends the process.
struct Steps<'s> {
    strategy: &'s mut Strategy,
    execution: &'s Execution,
    /// Where they are written down.
    notice: Option<&'s Notice>,
    /// The step in which the process would end, from 1.
    fatal: Option<u64>,
    count: u64,
    /// What would end it.
    last: Option<(Event, Switch)>,
}

impl Scheduler for Steps<'_> {
    fn begin(&mut self) {
        self.strategy.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        let chosen = self.strategy.choose(enabled)?;
        self.count += 1;
        if let Some(notice) = self.notice {
            notice.be_at(Place::Step(self.count));
        }
        if self.fatal != Some(self.count) {
            return Some(chosen);
        }
        let event = enabled.iter().find(|event| event.id == chosen)?;
        let switch = self.execution.trace.borrow().switch_to(chosen.thread, enabled);
        self.last = Some((*event, switch));
        None
    }

    fn done(&mut self, event: &Event) {
        self.strategy.done(event);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.strategy.finish(run)
    }
}
