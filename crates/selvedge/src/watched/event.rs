//! What a thread tells the monitor of the process: changes that make a state, or a formula to check.

use super::Change;
use selvedge_monitor::{Fact, Monitor, Property};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::slice;
use std::sync::Arc;

/// An event, and the thread that it belongs to.
pub(super) struct Event {
    pub(super) actor: Arc<str>,
    pub(super) action: Action,
}

/// What the thread does.
pub(super) enum Action {
    /// One change, and a state.
    Change((Change, Fact)),
    /// Several changes, and one state.
    Changes(Vec<(Change, Fact)>),
    /// A property is checked from here on.
    Check { name: String, property: Property<Fact> },
    /// The thread ends: its name, which the consumer frees.
    End,
}

impl Event {
    /// The monitor does what the event says.
    pub(super) fn apply(self, monitor: &mut Monitor<Fact>) {
        match self.action {
            Action::Change(change) => step(monitor, slice::from_ref(&change), &self.actor),
            Action::Changes(changes) => step(monitor, &changes, &self.actor),
            Action::Check { name, property } => {
                monitor.check(&name, property).expect("the caller of `check` has validated it");
            }
            Action::End => {}
        }
    }
}

/// Makes a state of the changes, and another one after pulses.
fn step(monitor: &mut Monitor<Fact>, changes: &[(Change, Fact)], actor: &Arc<str>) {
    for (change, fact) in changes {
        match change {
            Change::Set | Change::Pulse => monitor.set(fact),
            Change::Release => monitor.release(fact),
        }
    }
    let mut pulses = changes.iter().filter(|(change, _)| *change == Change::Pulse).peekable();
    if pulses.peek().is_none() {
        return monitor.step_by(actor);
    }
    // The handler of a violation may panic. The pulses end nevertheless.
    let stepped = catch_unwind(AssertUnwindSafe(|| monitor.step_by(actor)));
    pulses.for_each(|(_, fact)| monitor.release(fact));
    match stepped {
        Ok(()) => monitor.step_by(actor),
        Err(panic) => resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_monitor::OnViolation;

    fn apply(monitor: &mut Monitor<Fact>, changes: &[(Change, &str)]) {
        let changes = changes.iter().map(|(change, name)| (*change, Fact::from(*name))).collect();
        Event { actor: "main".into(), action: Action::Changes(changes) }.apply(monitor);
    }

    #[test]
    fn several_changes_make_one_state_and_a_pulse_ends_in_a_second_one() {
        let mut monitor = Monitor::new();
        apply(&mut monitor, &[(Change::Set, "a"), (Change::Set, "b")]);
        assert_eq!(monitor.state(), 1);
        apply(&mut monitor, &[(Change::Release, "a"), (Change::Pulse, "c"), (Change::Release, "d")]);
        assert_eq!(monitor.state(), 3);
        let holds = ["a", "b", "c", "d"].map(|name| monitor.holds(&name.into()));
        assert_eq!(holds, [false, true, false, false]);
    }

    #[test]
    fn a_pulse_ends_even_if_its_violation_panics() {
        let mut monitor = Monitor::new();
        monitor.on_violation(OnViolation::Panic);
        monitor.check("quiet", "G !p").expect("a formula");
        catch_unwind(AssertUnwindSafe(|| apply(&mut monitor, &[(Change::Pulse, "p")]))).expect_err("a panic");
        apply(&mut monitor, &[(Change::Set, "q")]);
        assert!(!monitor.holds(&"p".into()));
    }
}
