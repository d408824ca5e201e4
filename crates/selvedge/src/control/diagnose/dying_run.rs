//! What is known of a run when a signal is about to end its process.
//!
//! The C library aborts at a double free, and the processor faults at a null pointer: the process ends in
//! the middle of a step, possibly while its allocator is locked or broken. What is written here is read
//! from the execution where it stands.
//!
//! Promise: neither allocates nor waits. State that the interrupted code has borrowed is not read: then the
//! run is unknown, and only the heartbeat tells where it was.

use super::crash_report::{current_event, switch};
use super::heartbeat::Doing;
use crate::control::state::NO_EVENT;
use crate::control::{Execution, State};
use selvedge_explore::trace::write_short_form;
use selvedge_explore::{LightRun, ObjectId, Step, Switch, ThreadId, Trace};
use std::cell::Ref;
use std::fmt::{self, Display};

/// Why the process ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DeathCause {
    /// The running thread received this signal; for a fault, the address that it accessed.
    Signal { name: &'static str, address: Option<usize> },
    /// The running thread overflowed its stack, which has this many bytes.
    StackOverflow { bytes: usize },
    /// The running thread waits for what no thread of the process can do any more.
    Blocked,
}

/// A run whose process is about to end.
pub(crate) struct DyingRun<'r> {
    pub(crate) cause: DeathCause,
    /// What the running thread is doing.
    pub(crate) doing: Doing,
    execution: &'r Execution,
    state: Option<Ref<'r, State>>,
    steps: Steps<'r>,
}

/// Where the steps of the run are.
enum Steps<'r> {
    Unknown,
    /// In a light run that is under way, with the current step.
    Light(&'r LightRun<'static>),
    /// In the trace, to which the current step is added.
    Trace(Ref<'r, Trace>),
}

impl<'r> DyingRun<'r> {
    pub(in crate::control) fn new(execution: &'r Execution, cause: DeathCause) -> DyingRun<'r> {
        let state = execution.state.try_borrow().ok();
        let steps = match (&state, execution.light_handoff.run_under_way()) {
            (None, _) => Steps::Unknown,
            (_, Some(run)) => Steps::Light(run),
            _ => execution.trace.try_borrow().map_or(Steps::Unknown, Steps::Trace),
        };
        DyingRun { cause, doing: execution.heartbeat.doing(), execution, state, steps }
    }

    /// Is it known how the run came here?
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self.steps, Steps::Unknown)
    }

    /// The steps so far, including the one in which the process ends.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Step> {
        let light = match &self.steps {
            Steps::Light(run) => Some(run.steps()),
            _ => None,
        };
        let trace = match &self.steps {
            Steps::Trace(trace) if self.has_begun() => Some(trace.all_steps()),
            _ => None,
        };
        light.into_iter().flatten().chain(trace.into_iter().flatten()).chain(self.current_step())
    }

    /// Is there a step of this run? Before its first one, a run has not replaced the trace of the last.
    fn has_begun(&self) -> bool {
        let has_begun = |state: &State| state.conditions.is_stopping || state.step.chosen != NO_EVENT;
        self.state.as_deref().is_some_and(has_begun)
    }

    /// The step in which the process ends, if the trace does not have it.
    fn current_step(&self) -> Option<Step> {
        let (Steps::Trace(trace), Some(state)) = (&self.steps, self.state.as_deref()) else { return None };
        if state.conditions.is_stopping {
            return None;
        }
        let event = current_event(state)?;
        let switch = if trace.is_empty() { Switch::Start } else { switch(trace, &event) };
        Some(Step { event, switch })
    }

    /// All numbers up to the greatest one of the run's threads. Some may belong to threads of other runs.
    pub(crate) fn threads(&self) -> impl Iterator<Item = ThreadId> {
        let ids = self.state.as_deref().map_or(&[][..], |state| state.threads.ids());
        let end = ids.iter().map(|thread| thread.0 + 1).max().unwrap_or(0);
        (0..end).map(ThreadId)
    }

    /// Writes the short form of the run.
    pub(crate) fn write_short_form(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let write_label = |thread: ThreadId, out: &mut dyn fmt::Write| match self.state.as_deref() {
            Some(state) => state.threads.write_label(thread, out),
            None => write!(out, "{thread}"),
        };
        write_short_form(out, self.steps(), &write_label)
    }

    /// The numbers of the run's objects.
    pub(crate) fn objects(&self) -> impl Iterator<Item = ObjectId> {
        let count = self.state.as_deref().map_or(0, |state| state.objects.count());
        (0..count).map(ObjectId::at)
    }

    /// The name of a thread.
    pub(crate) fn thread_name(&self, thread: ThreadId) -> impl Display {
        NameOf(move |f: &mut fmt::Formatter<'_>| match self.state.as_deref() {
            Some(state) => write!(f, "{}", state.threads.display_name(thread)),
            None => write!(f, "thread {thread}"),
        })
    }

    /// The name of an object.
    pub(crate) fn object_name(&self, object: ObjectId) -> impl Display {
        NameOf(move |f: &mut fmt::Formatter<'_>| match self.state.as_deref() {
            Some(state) => write!(f, "{}", state.objects.display_name(object)),
            None => write!(f, "object {}", object.number()),
        })
    }

    /// Why the process ends, in one sentence.
    pub(crate) fn sentence(&self) -> impl Display {
        NameOf(move |f: &mut fmt::Formatter<'_>| match self.cause {
            DeathCause::Signal { name, address } => {
                write!(f, "`{}` ", self.thread_name(self.doing.thread))?;
                write!(f, "received {name}")?;
                if let Some(address) = address {
                    write!(f, " at an access to address {address:#x}")?;
                }
                write!(f, ", which ends the process")
            }
            DeathCause::Blocked => {
                write!(f, "`{}` ", self.thread_name(self.doing.thread))?;
                write!(f, "waits for ever, outside of the exploration's control")
            }
            DeathCause::StackOverflow { bytes } => {
                let thread = self.doing.thread;
                self.execution.heartbeat.with_names(thread, |names| names.write(thread, f))?;
                write!(f, " of the explored program has overflowed its stack of {} KiB", bytes / 1024)
            }
        })
    }
}

/// Displays a text by a function.
struct NameOf<F>(F);

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> Display for NameOf<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}
