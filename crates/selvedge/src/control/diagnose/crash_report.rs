//! What is told of a run in the middle of which the process aborts.

use crate::control::execution::Execution;
use crate::control::state::{NOBODY, State};
use crate::control::thread::display_name;
use selvedge_explore::{Event, Switch, Trace};
use std::fmt::Display;

/// Who is told of a run that aborts.
pub(crate) trait CrashReport {
    /// A thread of the run begins to unwind. That need not be the end.
    fn panics(&self);

    /// The run aborts: why, in one sentence; its trace; whether it went past another thread's possible step.
    fn tell(&self, why: &str, trace: &Trace, went_past: bool);

    /// A stack overflows, and the process ends: says whether it has told of that. Neither allocates nor waits.
    fn overflows(&self, what: &dyn Display) -> bool;
}

impl Execution {
    /// Tells all that is known of the run, and what is undefined of what it did, if that is why. Called by the panic hook before the
    /// process aborts, so it must not panic.
    #[cold]
    pub(in crate::control) fn say_last_words(&self, undefined: Option<String>) {
        let Ok(state) = self.state.try_borrow() else { return };
        let known = || self.trace.try_borrow().map(|trace| trace.clone()).unwrap_or_default();
        let mut trace = self.light_handoff.so_far().unwrap_or_else(known);
        if !state.unusual.is_stopping && state.chosen == NOBODY {
            // Before its first step a run has not taken the place of the one before.
            trace.clear();
        }
        // In brief, a step is written down before it is done.
        let has_step = trace.is_light();
        trace.expand_light_steps();
        if !state.unusual.is_stopping
            && !has_step
            && let Some(event) = state.step_at_hand()
        {
            trace.push(event, if trace.is_empty() { Switch::Start } else { switch(&trace, &event) });
        }
        let (why, went_past) = (state.why_it_aborts(undefined), state.went_past);
        drop(state);
        self.describe_run(&mut trace);
        self.crash_report.tell(&why, &trace, went_past);
    }
}

/// Whether the thread before could have gone on is not known any more.
fn switch(trace: &Trace, event: &Event) -> Switch {
    match trace.steps().last() {
        Some(last) if last.event.thread() == event.thread() => Switch::Same,
        _ => Switch::Preempt,
    }
}

impl State {
    /// The step that is being done.
    fn step_at_hand(&self) -> Option<Event> {
        let id = Some(self.chosen).filter(|chosen| *chosen != NOBODY)?;
        // Where a thread runs that was not chosen, the chosen one has just spawned it, and has announced its next action.
        let thread = self.threads.get(id.thread.index())?;
        let pending = if self.running == id.thread { &thread.pending } else { &self.spawning };
        Some(Event::pending(id, pending.action, pending.site))
    }

    fn why_it_aborts(&self, undefined: Option<String>) -> String {
        let name = self.threads.get(self.running.index()).and_then(|thread| thread.name.as_deref());
        let name = display_name(name, self.running);
        if let Some(what) = undefined {
            return format!("`{name}` did what is undefined, which makes Rust abort: {what}");
        }
        let message = self.message.as_deref().unwrap_or("a panic without a message");
        let because = if self.unusual.is_stopping {
            format!("was stopped at the end of a run (its outcome: {})", self.ended_as)
        } else {
            "unwound".to_owned()
        };
        format!("a destructor panicked while `{name}` {because}, which makes Rust abort: {message}")
    }
}
