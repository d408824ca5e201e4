//! Runs that end the process, as outcomes: a child process makes every run first.
//!
//! The worker forks, and parent and child both continue from there. The child is ahead; the parent begins
//! nothing that the child has not survived. Both go through the same stages, which are the runs and their
//! teardowns, and the child writes one byte into a pipe for each stage that it has survived. The pipe has
//! room for some thousands of bytes, so that the two run in parallel. When the child dies, the parent knows
//! the stage from the pipe and the step from the [`CrashNotice`]. The parent makes that run up to this step,
//! which it leaves undone, and forks another child from there.
//!
//! Why not start the test program once more? The new process would have to find its way to the same
//! exploration, which is known for tests only, and the values that the body returns would have to be written
//! as text. A forked process has both.
//!
//! Promise: with a deterministic body, neither a run nor a teardown ends the parent process. A closure that
//! judges outcomes may end it: that closure is not part of a run.

mod notice;
mod process;

pub(super) use notice::CrashNotice;

use super::api::Strategy;
use super::engine::Nondeterminism;
use super::report::{self, Watchdog};
use crate::control::{Driver, Execution, Stop, exception};
use notice::{Death, Position};
use process::Child;
use selvedge_explore::{Event, EventId, Next, RunEnd, Scheduler, Stepper, Trace, run};
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// One side of a worker whose runs are made in a child process first.
pub(super) struct ChildProcess {
    notice: Arc<CrashNotice>,
    side: Side,
    /// Whether the present run has ended the child process.
    was_fatal: bool,
    /// For the watchdog of the child.
    name: String,
    patience: Duration,
}

enum Side {
    /// The parent, without a child.
    Alone,
    /// The parent of a living child.
    Parent(ParentSide),
    /// The child.
    Child(ChildSide),
}

struct ParentSide {
    child: Child,
    reports: PipeReader,
    /// How many stages the child is known to have survived that this side has not begun.
    survived: usize,
}

struct ChildSide {
    reports: PipeWriter,
    _watchdog: Watchdog,
}

impl ChildProcess {
    /// A parent without a child.
    pub(super) fn new(notice: Arc<CrashNotice>, name: &str, patience: Duration) -> ChildProcess {
        ChildProcess { notice, side: Side::Alone, was_fatal: false, name: name.to_owned(), patience }
    }

    /// Makes the next run, up to the step that ends the process if there is one.
    pub(super) fn run<B: Fn(&Execution)>(
        &mut self,
        driver: &mut Driver<'_, B>,
        strategy: &mut Strategy,
        max_steps: usize,
    ) -> RunEnd {
        let execution = driver.execution;
        let death = self.begin_stage(execution);
        self.was_fatal = death.is_some();
        match death {
            Some(Death { position: Position::BeforeFirstStep, message, went_past }) => {
                let state = &mut *execution.state.borrow_mut();
                state.begin_run(state.run);
                execution.trace.borrow_mut().clear();
                strategy.begin();
                (state.end.stop, state.end.went_past) = (Some(Stop::Stuck(message)), went_past);
                RunEnd::Finished
            }
            Some(Death { position: Position::AfterRun, message, .. }) => {
                let message = format!("what judges the outcomes of runs ends the process: {message}");
                execution.state.borrow_mut().end.stop = Some(Stop::Refused(message));
                RunEnd::Finished
            }
            death => {
                driver.restart();
                let notice = matches!(self.side, Side::Child(_)).then_some(&*self.notice);
                let mut steps = TrackedSteps { strategy, execution, notice, death, count: 0 };
                let end = run(driver, &mut steps, max_steps, &mut &execution.trace);
                steps.end();
                end
            }
        }
    }

    /// Tears a run down. If that would end the process, the threads are leaked instead.
    pub(super) fn tear_down(&mut self, execution: &Execution) {
        let is_empty = execution.state.borrow().threads.live().next().is_none();
        match if is_empty { None } else { self.begin_stage(execution) } {
            Some(death) => {
                execution.abandon();
                if !self.was_fatal {
                    // The outcome of a fatal run already says why its stacks are leaked.
                    execution.state.borrow_mut().end.lost.get_or_insert(death.message);
                }
            }
            None => execution.tear_down(),
        }
    }

    /// Begins a stage. If the stage ends the process, the parent learns how. The child returns from here
    /// too.
    fn begin_stage(&mut self, execution: &Execution) -> Option<Death> {
        let heartbeat = &execution.heartbeat;
        match &mut self.side {
            Side::Child(child) => {
                child.report_survival();
                self.notice.set_position(Position::BeforeFirstStep);
            }
            Side::Alone => self.fork(execution),
            Side::Parent(_) => {}
        }
        let Side::Parent(parent) = &mut self.side else { return None };
        heartbeat.follow();
        let survives = parent.child_survives_stage();
        heartbeat.rest();
        if survives {
            return None;
        }
        let status = parent.child.wait();
        self.side = Side::Alone;
        self.notice.death(status)
    }

    /// Forks a child: both processes return from here.
    fn fork(&mut self, execution: &Execution) {
        // One fork at a time: a child that inherits the pipe of another child would hide the end of that
        // one.
        static FORKING: Mutex<()> = Mutex::new(());
        let _forking = FORKING.lock().unwrap_or_else(PoisonError::into_inner);
        let (reader, writer) = std::io::pipe().expect("the operating system has a pipe for the exploration");
        self.notice.clear();
        let forked = report::with_watchdog_locked(|| execution.while_unlocked(process::fork));
        self.side = match forked.expect("the operating system has a process for the exploration") {
            Some(child) => Side::Parent(ParentSide { child, reports: reader, survived: 0 }),
            None => {
                self.notice.enter_child();
                exception::silence_program_hook();
                report::forget_watched();
                execution.heartbeat.attach();
                let watchdog =
                    Watchdog::start(self.name.as_str().into(), execution.heartbeat.clone(), self.patience);
                Side::Child(ChildSide { reports: writer, _watchdog: watchdog })
            }
        };
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if matches!(self.side, Side::Child(_)) {
            // Only the parent continues after the last run.
            self.notice.announce_exit();
            process::exit();
        }
    }
}

impl ParentSide {
    /// Waits until the child has survived another stage, or has ended.
    fn child_survives_stage(&mut self) -> bool {
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

impl ChildSide {
    /// Reports that the child has survived another stage.
    fn report_survival(&mut self) {
        if self.reports.write_all(&[1]).is_err() {
            // The parent has ended.
            process::exit();
        }
    }
}

/// A strategy whose steps are tracked: the child notes the number of each step, and the parent ends the run
/// at the step that ended the child.
struct TrackedSteps<'s> {
    strategy: &'s mut Strategy,
    execution: &'s Execution,
    /// In the child: the memory where the position is noted.
    notice: Option<&'s CrashNotice>,
    /// In the parent: the death of the child in this run, until its step is reached.
    death: Option<Death>,
    count: u64,
}

impl TrackedSteps<'_> {
    /// The run has ended.
    fn end(self) {
        if let Some(notice) = self.notice {
            notice.set_position(Position::AfterRun);
        }
        if let Some(Death { message, .. }) = self.death {
            let message = Nondeterminism::OnlyChildEnded(message).to_string();
            self.execution.state.borrow_mut().end.stop = Some(Stop::Refused(message));
        }
    }
}

impl Scheduler for TrackedSteps<'_> {
    fn begin(&mut self) {
        self.strategy.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        let chosen = self.strategy.choose(enabled)?;
        self.count += 1;
        let position = Position::Step(self.count);
        if let Some(notice) = self.notice {
            notice.set_position(position);
        }
        if let Some(death) = self.death.take_if(|death| death.position == position) {
            // The driver does not perform a step after the run is stopped.
            let state = &mut *self.execution.state.borrow_mut();
            state.end.stop = Some(Stop::Stuck(death.message));
            state.end.went_past |= death.went_past;
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
