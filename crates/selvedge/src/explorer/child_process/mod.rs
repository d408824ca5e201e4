//! Runs that end the process, as outcomes: a child process makes every run first.
//!
//! The worker forks, and parent and child both go on from there: the *scout* ahead, and the worker behind it, which begins
//! nothing that the scout has not survived. So both go through the same stages, the runs and what is stopped after them, and a
//! byte in a pipe stands for each that the scout has survived. The pipe has room for some thousands, so that the two run side
//! by side. When the scout dies, the worker knows the stage, and [`Notice`] the step: the worker makes that run again up
//! to this step, which it leaves undone, and sends another scout from there on.
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
use super::watchdog::{self, Watchdog};
use super::worker::{LOOK_FOR, NOT_DETERMINISTIC};
use crate::control::diagnose::Heartbeat;
use crate::control::{Driver, Execution, Stop, exception};
use notice::{Death, Place};
use process::Child;
use selvedge_explore::{Event, EventId, Next, RunEnd, Scheduler, Stepper, Trace, run};
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// One side of a worker that sends scouts.
pub(super) struct ChildProcess {
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

impl ChildProcess {
    /// A worker that has not sent anybody yet.
    pub(super) fn new(notice: Arc<Notice>, name: &str, patience: Duration) -> ChildProcess {
        ChildProcess { notice, side: Side::Alone, was_fatal: false, name: name.to_owned(), patience }
    }

    /// Makes the next run, as far as one can.
    pub(super) fn run<B: Fn(&Execution)>(
        &mut self,
        driver: &mut Driver<'_, B>,
        strategy: &mut Strategy,
        max_steps: usize,
    ) -> RunEnd {
        let execution = driver.execution;
        let death = self.fate(&execution.heartbeat);
        self.was_fatal = death.is_some();
        match death {
            Some(Death { place: Place::Beginning, message, went_past }) => {
                let state = &mut *execution.state.borrow_mut();
                state.clear(state.run);
                execution.trace.borrow_mut().clear();
                strategy.begin();
                (state.stop, state.went_past) = (Some(Stop::Stuck(message)), went_past);
                RunEnd::Finished
            }
            Some(Death { place: Place::Afterwards, message, .. }) => {
                let message = format!("what judges the outcomes of runs ends the process: {message}");
                execution.state.borrow_mut().stop = Some(Stop::Refused(message));
                RunEnd::Finished
            }
            death => {
                driver.restart();
                let notice = matches!(self.side, Side::Ahead(_)).then_some(&*self.notice);
                let mut steps = Steps { strategy, execution, notice, death, count: 0 };
                let end = run(driver, &mut steps, max_steps, &mut &execution.trace);
                steps.end();
                end
            }
        }
    }

    /// Stops what is left of a run, or leaves it where it is, if stopping it would end the process.
    pub(super) fn tear_down(&mut self, execution: &Execution) {
        let is_empty = execution.state.borrow().live().next().is_none();
        match if is_empty { None } else { self.fate(&execution.heartbeat) } {
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
    fn fate(&mut self, heartbeat: &Arc<Heartbeat>) -> Option<Death> {
        match &mut self.side {
            Side::Ahead(ahead) => {
                ahead.report();
                self.notice.be_at(Place::Beginning);
            }
            Side::Alone => self.send(heartbeat),
            Side::Behind(_) => {}
        }
        let Side::Behind(behind) = &mut self.side else { return None };
        heartbeat.follow();
        let survives = behind.survives();
        heartbeat.rest();
        if survives {
            return None;
        }
        let status = behind.child.wait();
        self.side = Side::Alone;
        self.notice.death(status)
    }

    /// Sends a scout: there are two processes from here on.
    fn send(&mut self, heartbeat: &Arc<Heartbeat>) {
        // One at a time: a child that held another one's pipe open would hide the end of that one.
        static SENDING: Mutex<()> = Mutex::new(());
        let _sending = SENDING.lock().unwrap_or_else(PoisonError::into_inner);
        let (reader, writer) = std::io::pipe().expect("the operating system has a pipe for the exploration");
        self.notice.clear();
        let forked = watchdog::while_unlocked(|| heartbeat.while_unlocked(process::fork));
        self.side = match forked.expect("the operating system has a process for the exploration") {
            Some(child) => Side::Behind(Behind { child, reports: reader, survived: 0 }),
            None => {
                self.notice.is_mine();
                exception::be_quiet();
                watchdog::forget_all();
                let watchdog = Watchdog::start(self.name.as_str().into(), heartbeat.clone(), self.patience);
                Side::Ahead(Ahead { reports: writer, _watchdog: watchdog })
            }
        };
    }
}

impl Drop for ChildProcess {
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

/// A strategy whose steps are written down, or end with the one that ends the process.
struct Steps<'s> {
    strategy: &'s mut Strategy,
    execution: &'s Execution,
    /// Where they are written down.
    notice: Option<&'s Notice>,
    /// Which of them ends the process; taken when it is there.
    death: Option<Death>,
    count: u64,
}

impl Steps<'_> {
    /// The run is over.
    fn end(self) {
        if let Some(notice) = self.notice {
            notice.be_at(Place::Afterwards);
        }
        if let Some(Death { message, .. }) = self.death {
            let what = format!("a child process ended in this run ({message}), but not this one");
            let message = format!("{NOT_DETERMINISTIC}: {what}; {LOOK_FOR}");
            self.execution.state.borrow_mut().stop = Some(Stop::Refused(message));
        }
    }
}

impl Scheduler for Steps<'_> {
    fn begin(&mut self) {
        self.strategy.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        let chosen = self.strategy.choose(enabled)?;
        self.count += 1;
        let place = Place::Step(self.count);
        if let Some(notice) = self.notice {
            notice.be_at(place);
        }
        if let Some(death) = self.death.take_if(|death| death.place == place) {
            // The driver leaves undone what would be done after the end.
            let state = &mut *self.execution.state.borrow_mut();
            state.stop = Some(Stop::Stuck(death.message));
            state.went_past |= death.went_past;
        }
        Some(chosen)
    }

    fn done(&mut self, event: &Event) {
        self.strategy.done(event);
    }

    fn stopped(&mut self, left: &[Event]) {
        self.strategy.stopped(left);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.strategy.finish(run)
    }
}
