//! Runs that go forward by single steps, as a person wants them: the other way to drive a [`Runner`].
//!
//! Godefroid, Model Checking for Programming Languages using VeriSoft, POPL 1997: a state of a program
//! cannot be stored, but it can be reached again by the choices that led to it. A run that is a prefix of
//! the wanted one goes on; otherwise another run begins.
//!
//! Promise: the state is that after the chosen steps of a run that is under way or has just ended. There is
//! no limit of time or steps, and no watchdog: a person may look at a state for as long as they like.

use super::context::RunContext;
use super::notes::{Refusal, SOURCES_OF_NONDETERMINISM};
use super::pool::{self, ThreadState};
use super::run_once::{Body, Runner, outcome_of, with_runner};
use crate::control::diagnose::{ShownBits, Snapshot};
use crate::control::progress::UNBOUNDED;
use crate::control::{Stop, exception};
use crate::explorer::api::{DEFAULT_STEPS, Options, Outcome, Strategy, Value};
use crate::explorer::report::prepare_directory;
use selvedge_explore::schedulers::{Follow, NormalForm, Past};
use selvedge_explore::{Event, EventId, RunEnd, Scheduler, Stepper, Trace};
use std::collections::HashSet;

/// How the runs of a session are made.
#[derive(Clone, Debug, Default)]
pub(crate) struct SteppedSettings {
    /// Whether spinning threads may go on although nothing has changed.
    pub(crate) spins_freely: bool,
    /// Whether deadlines are fixed by steps of their own.
    pub(crate) keeps_time: bool,
    /// The last step of each of these runs is known to end the process, and is not executed.
    pub(crate) fatal: HashSet<Vec<EventId>>,
}

/// The runs of one body, step by step.
pub(crate) struct SteppedRuns<'s, 'r> {
    runner: &'s mut Runner<'r>,
    settings: SteppedSettings,
    past: Past,
    choices: Vec<EventId>,
    shown: ShownBits,
    outcome: Option<Outcome<Value>>,
    has_begun: bool,
}

/// Does the work on a thread of the operating system of its own, where the runs are made.
///
/// # Errors
/// The payload, if the work panics.
pub(crate) fn with_stepped_runs<R: Send>(
    options: &Options,
    body: Body<'_>,
    settings: SteppedSettings,
    work: impl FnOnce(&mut SteppedRuns<'_, '_>) -> R + Send,
) -> std::thread::Result<R> {
    exception::install_hook();
    #[cfg(unix)]
    crate::control::fiber::install_handlers();
    prepare_directory();
    let options = Options { workers: 1, in_child_process: false, checkpoint: None, ..options.clone() };
    let context = RunContext::for_workers(&options, &Strategy::nothing()).swap_remove(0);
    pool::run(|| {
        let execution = context.new_execution(&options);
        let result = with_runner(&execution, body, None, |runner| {
            let (past, shown) = (Past::default(), ShownBits::default());
            let (choices, outcome) = (Vec::new(), None);
            let mut runs = SteppedRuns { runner, settings, past, choices, shown, outcome, has_begun: false };
            let result = work(&mut runs);
            runs.end();
            result
        });
        let is_broken = execution.state.borrow().is_broken;
        (result, if is_broken { ThreadState::Broken } else { ThreadState::Reusable })
    })
}

impl SteppedRuns<'_, '_> {
    /// Goes to the state after these choices.
    ///
    /// # Errors
    /// If the body does not take these steps, or cannot be explored.
    pub(crate) fn go_to(&mut self, choices: &[EventId]) -> Result<(), String> {
        if !self.has_begun || !choices.starts_with(&self.choices) {
            self.begin()?;
        }
        for step in self.choices.len()..choices.len() {
            self.step(choices[step])?;
        }
        Ok(())
    }

    /// Begins another run, which ends with the return of the body.
    fn begin(&mut self) -> Result<(), String> {
        let execution = self.runner.execution();
        if self.runner.is_broken() {
            return Err(BROKEN.to_owned());
        }
        self.end();
        if self.runner.is_broken() {
            return Err(BROKEN.to_owned());
        }
        execution.unroll_bound.set(UNBOUNDED);
        execution.spins_freely.set(self.settings.spins_freely);
        execution.keeps_time.set(self.settings.keeps_time);
        execution.daemon_bound.set(None);
        self.past.rewind(0);
        self.choices.clear();
        self.shown.clear();
        self.outcome = None;
        self.has_begun = true;
        self.runner.result.set(None);
        self.runner.driver.restart();
        execution.trace.borrow_mut().clear();
        self.note_end()
    }

    /// Ends the run. The threads of a run that would end the process stay where they are, for ever: their
    /// destructors may be what ends it.
    fn end(&mut self) {
        let execution = self.runner.execution();
        #[cfg(unix)]
        if self.settings.fatal.contains(&self.choices) {
            execution.abandon();
        }
        execution.tear_down();
        execution.heartbeat.rest();
    }

    /// Executes an enabled event.
    ///
    /// # Errors
    /// If it is not enabled, or the program does what cannot be explored.
    fn step(&mut self, chosen: EventId) -> Result<(), String> {
        let execution = self.runner.execution();
        let enabled = self.runner.driver.enabled();
        if !enabled.iter().any(|event| event.id == chosen) {
            let step = self.choices.len();
            return Err(format!("step {step} is not enabled any more: {SOURCES_OF_NONDETERMINISM}"));
        }
        let switch = execution.trace.borrow().switch_to(chosen.thread, enabled);
        self.choices.push(chosen);
        if self.settings.fatal.contains(&self.choices) {
            // The driver does not execute a step of a run that is stopped.
            execution.state.borrow_mut().end.stop = Some(Stop::Stuck(FATAL.to_owned()));
        }
        execution.end_pulse();
        let event = self.runner.driver.step(chosen);
        execution.heartbeat.rest();
        execution.trace.borrow_mut().push(event, switch);
        execution.note_bits(&event, &mut self.shown);
        self.past.push(&event);
        self.note_end()
    }

    /// Notes the outcome, if the run is over.
    fn note_end(&mut self) -> Result<(), String> {
        if !self.runner.driver.enabled().is_empty() {
            return Ok(());
        }
        let execution = self.runner.execution();
        let ended = outcome_of(execution, RunEnd::Finished, self.runner.result.take());
        let outcome = ended.map_err(|refusal: Refusal| refusal.to_string())?;
        let state = &mut execution.state.borrow_mut();
        self.outcome = Some(self.runner.formulas.judge(RunEnd::Finished, outcome, state));
        Ok(())
    }

    /// Whether a run has broken the thread of the operating system, so that no other can be made on it.
    pub(crate) fn is_broken(&self) -> bool {
        self.runner.is_broken()
    }

    /// The enabled events.
    pub(crate) fn enabled(&self) -> &[Event] {
        self.runner.driver.enabled()
    }

    /// The executed events.
    pub(crate) fn events(&self) -> &[Event] {
        self.past.events()
    }

    /// The outcome of the run, if it is over.
    pub(crate) fn outcome(&self) -> Option<&Outcome<Value>> {
        self.outcome.as_ref()
    }

    /// The state for readers.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.runner.execution().snapshot(self.enabled(), &self.shown)
    }

    /// The last step in words; empty before the first.
    pub(crate) fn describe_last_step(&self) -> String {
        let last = self.past.events().last();
        last.map(|event| self.runner.execution().describe_step(event)).unwrap_or_default()
    }

    /// The name of an object without its place.
    pub(crate) fn object_name(&self, object: selvedge_explore::ObjectId) -> String {
        self.runner.execution().object_name(object)
    }

    /// The normal form of the run so far: the same for all interleavings of its trace.
    pub(crate) fn normal_form(&self) -> NormalForm {
        self.past.normal_form()
    }

    /// The run so far, described.
    pub(crate) fn trace(&self) -> Trace {
        let execution = self.runner.execution();
        let mut trace = execution.trace.borrow().clone();
        execution.describe_run(&mut trace);
        trace
    }

    /// Goes on to the end of the run: each thread as long as it can, and for at most so many steps as runs
    /// of an exploration have by default.
    ///
    /// # Errors
    /// As [`SteppedRuns::go_to`].
    pub(crate) fn go_on_to_end(&mut self) -> Result<(), String> {
        let mut scheduler = Follow::prefix(Vec::new());
        scheduler.begin();
        while self.choices.len() < DEFAULT_STEPS {
            if let Some(last) = self.past.events().last() {
                scheduler.done(last);
            }
            let Some(chosen) = scheduler.choose(self.enabled()) else { break };
            self.step(chosen)?;
        }
        Ok(())
    }
}

const BROKEN: &str = "a thread of the program could not be unwound, so that no other run can be made here";

const FATAL: &str = "this step ended the process before, and is not executed again";
