//! The values of atomics in a run, and the numbers of owners, for readers of its trace.
//!
//! The value that a step observed is in its event. A value that it wrote, or read from its own buffer, is
//! noted during the run, with the number of the step: a few stores, since most runs are never shown. The
//! object knows what the bits mean.
//!
//! Promise: a value that is shown is the value that the program read or wrote. A value that is not known is
//! not shown.

use crate::control::object::{ObjectTable, Sync};
use selvedge_explore::counts::{Counts, concerns_counts};
use selvedge_explore::{Event, Kind, ReadsFrom, Trace};

/// What the bits of an atomic's value mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Values {
    /// Nothing for people: the versions of a reference.
    #[default]
    Hidden,
    Bool,
    Unsigned,
    Signed,
    Pointer,
}

impl Values {
    pub(in crate::control) fn show(self, bits: u64) -> String {
        match self {
            Values::Hidden => String::new(),
            Values::Bool => (bits != 0).to_string(),
            Values::Unsigned => bits.to_string(),
            Values::Signed => (bits as i64).to_string(),
            Values::Pointer if bits == 0 => "null".to_owned(),
            Values::Pointer => format!("{bits:#x}"),
        }
    }
}

/// The values that steps wrote, or read from their own buffers.
#[derive(Debug, Default)]
pub(crate) struct WrittenValues {
    /// How many steps of the run have begun.
    steps: usize,
    /// By the number of the step, in order.
    values: Vec<(usize, u64)>,
}

impl WrittenValues {
    /// A run begins.
    pub(in crate::control) fn clear(&mut self) {
        let WrittenValues { steps, values } = self;
        *steps = 0;
        values.clear();
    }

    /// A step begins.
    #[inline(always)]
    pub(in crate::control) fn begin(&mut self) {
        self.steps += 1;
    }

    /// How many steps have begun.
    pub(in crate::control) fn steps(&self) -> usize {
        self.steps
    }

    /// The current step has written this value, or read it from its buffer.
    #[inline]
    pub(in crate::control) fn note(&mut self, value: u64) {
        self.values.push((self.steps, value));
    }

    /// The value that the current step wrote.
    pub(in crate::control) fn of_current_step(&self) -> Option<u64> {
        self.of(self.steps.checked_sub(1)?)
    }

    /// The value that the step of this number, from 0, wrote. Actions of an unwinding thread after that are
    /// no step.
    fn of(&self, step: usize) -> Option<u64> {
        let at = self.values.partition_point(|(noted, _)| *noted < step + 1);
        self.values.get(at).filter(|(noted, _)| *noted == step + 1).map(|(_, value)| *value)
    }
}

/// The value that each step of the run read or wrote, in words.
pub(in crate::control) fn value_texts(
    trace: &Trace,
    objects: &ObjectTable,
    written: &WrittenValues,
) -> Vec<String> {
    let steps = trace.steps().iter().enumerate();
    steps.map(|(number, step)| value_text(number, &step.event, objects, written)).collect()
}

/// The value that the last executed step read or wrote, in words.
#[cfg(feature = "debug")]
pub(in crate::control) fn last_value_text(
    event: &Event,
    objects: &ObjectTable,
    written: &WrittenValues,
) -> String {
    value_text(written.steps().saturating_sub(1), event, objects, written)
}

/// The bits that the last executed step shows to be in memory now; `None` if it does not show them.
#[cfg(feature = "debug")]
pub(in crate::control) fn bits_after(event: &Event, written: &WrittenValues) -> Option<u64> {
    let Event { action, effect, .. } = event;
    match action.kind {
        Kind::Load => Some(effect.observed),
        Kind::Update if effect.read_only => Some(effect.observed),
        Kind::Store if action.is_buffered => None,
        Kind::Update | Kind::Store | Kind::Commit => written.of_current_step(),
        _ => None,
    }
}

fn value_text(step: usize, event: &Event, objects: &ObjectTable, written: &WrittenValues) -> String {
    let Event { action, effect, .. } = event;
    if concerns_counts(action.kind) {
        return owners_text(event);
    }
    let values = match action.object.map(|object| &objects[object].sync) {
        Some(Sync::Atomic(atomic)) => atomic.values(),
        _ => Values::Hidden,
    };
    if values == Values::Hidden {
        return String::new();
    }
    let show = |bits| values.show(bits);
    let written = || written.of(step).map(show).unwrap_or_default();
    match action.kind {
        Kind::Load if action.reads_from == ReadsFrom::Buffer => written(),
        Kind::Load => show(effect.observed),
        Kind::Update if effect.read_only => show(effect.observed),
        Kind::Update => format!("{} -> {}", show(effect.observed), written()),
        Kind::Store | Kind::Commit => written(),
        _ => String::new(),
    }
}

/// The number of owners before and after an action on it. The number of weak references is not always known.
fn owners_text(event: &Event) -> String {
    let before = Counts::from_bits(event.effect.observed);
    let after = before.after(event);
    match event.action.kind {
        Kind::CloneWeak | Kind::DropWeak => String::new(),
        Kind::WeakCount => before.weak.to_string(),
        _ if before == after => before.strong.to_string(),
        _ => format!("{} -> {}", before.strong, after.strong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_shown_as_what_they_mean() {
        let shown = |values: Values, bits: u64| values.show(bits);
        assert_eq!(shown(Values::Bool, 1), "true");
        assert_eq!(shown(Values::Unsigned, u64::MAX), "18446744073709551615");
        assert_eq!(shown(Values::Signed, -1_i8 as u64), "-1");
        assert_eq!(shown(Values::Pointer, 0), "null");
        assert_eq!(shown(Values::Pointer, 0x10), "0x10");
        assert_eq!(shown(Values::Hidden, 3), "");
    }

    #[test]
    fn a_step_has_the_first_value_that_was_noted_in_it() {
        let mut noted = WrittenValues::default();
        noted.note(7);
        noted.begin();
        noted.begin();
        noted.note(1);
        noted.note(2);
        noted.begin();
        noted.begin();
        noted.note(3);
        let all: Vec<Option<u64>> = (0..5).map(|step| noted.of(step)).collect();
        assert_eq!(all, [None, Some(1), None, Some(3), None]);
    }
}
