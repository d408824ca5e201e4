//! The report of a run in the middle of which the process aborts.

#[cfg(unix)]
use super::dying_run::DyingRun;
use super::ending::describe_run;
use crate::control::state::NO_EVENT;
use crate::control::{Execution, State};
use selvedge_explore::{Event, Switch, Trace};

/// The receiver of reports about a run that aborts.
pub(crate) trait CrashReport {
    /// A thread of the run begins to unwind. That need not be the end.
    fn begin_panic(&self);

    /// The run aborts: why, in one sentence; its trace; whether an unwinding thread went past a possible
    /// step of another.
    fn report_abort(&self, why: &str, trace: &Trace, went_past: bool);

    /// A signal ends the process. Neither allocates nor waits.
    #[cfg(unix)]
    fn report_death(&self, run: &DyingRun<'_>);
}

/// Reports all that is known of the run, and the undefined behaviour, if that is why it aborts. The panic
/// hook calls this before the process aborts, so it must not panic.
#[cold]
pub(in crate::control) fn report_crash(execution: &Execution, undefined: Option<String>) {
    let Ok(state) = execution.state.try_borrow() else { return };
    let known = || execution.trace.try_borrow().map(|trace| trace.clone()).unwrap_or_default();
    let mut trace = execution.light_handoff.trace_so_far().unwrap_or_else(known);
    if !state.conditions.is_stopping && state.step.chosen == NO_EVENT {
        // Before its first step a run has not replaced the trace of the last one.
        trace.clear();
    }
    // A light trace has a step before it is executed.
    let has_step = trace.is_light();
    trace.expand_light_steps();
    if !state.conditions.is_stopping
        && !has_step
        && let Some(event) = current_event(&state)
    {
        trace.push(event, if trace.is_empty() { Switch::Start } else { switch(&trace, &event) });
    }
    describe_run(&state, &mut trace);
    let (why, went_past) = (reason(&state, undefined), state.end.went_past);
    drop(state);
    // The signal of the abort reports nothing more.
    #[cfg(unix)]
    crate::control::fiber::claim_report();
    execution.crash_report.report_abort(&why, &trace, went_past);
}

/// Whether the last thread could have gone on is not known any more.
pub(super) fn switch(trace: &Trace, event: &Event) -> Switch {
    match trace.steps().last() {
        Some(last) if last.event.thread() == event.thread() => Switch::Same,
        _ => Switch::Preempt,
    }
}

/// The event that is being executed.
pub(super) fn current_event(state: &State) -> Option<Event> {
    let id = Some(state.step.chosen).filter(|chosen| *chosen != NO_EVENT)?;
    let thread = state.threads.get(id.thread)?;
    // If the running thread was not chosen, the chosen one has just spawned it, and has announced its next
    // action.
    let spawning = || state.step.spawning.as_ref();
    let pending = if state.running == id.thread { &thread.pending } else { spawning()? };
    Some(Event::pending(id, pending.action, pending.site))
}

fn reason(state: &State, undefined: Option<String>) -> String {
    let name = state.threads.name(state.running);
    if let Some(what) = undefined {
        return format!("`{name}` did what is undefined, which makes Rust abort: {what}");
    }
    let message = state.end.panic_message.as_deref().unwrap_or("a panic without a message");
    let because = if state.conditions.is_stopping {
        format!("was stopped at the end of a run (its outcome: {})", state.end.outcome)
    } else {
        "unwound".to_owned()
    };
    format!("a destructor panicked while `{name}` {because}, which makes Rust abort: {message}")
}
