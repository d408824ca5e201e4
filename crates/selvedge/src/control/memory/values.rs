//! The values that atomics had in a run, for people who read its trace.
//!
//! What a step found is in its event. What it wrote, or read from its own buffer, is noted while the run goes on, with
//! the number of the step: a few stores, since most runs are never shown. What the bits mean is known to the object.
//!
//! Promise: a value that is shown is the one that the program saw or wrote. Where it is not known, none is shown.

use crate::control::object::Sync;
use crate::control::state::State;
use selvedge_explore::{Event, Kind, ReadsFrom, Trace};

/// What the bits of an atomic's value mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Values {
    /// Nothing that says anything: the versions of a reference.
    #[default]
    Hidden,
    Bool,
    Unsigned,
    Signed,
    Pointer,
}

impl Values {
    fn show(self, bits: u64) -> String {
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

/// What steps wrote, or read from their own buffers.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// How many steps of the run have begun.
    steps: usize,
    /// By the number of the step, in order.
    values: Vec<(usize, u64)>,
}

impl Noted {
    /// A run begins.
    pub(in crate::control) fn clear(&mut self) {
        self.steps = 0;
        self.values.clear();
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

    /// This was written by the step at hand, or read.
    #[inline]
    pub(in crate::control) fn note(&mut self, value: u64) {
        self.values.push((self.steps, value));
    }

    /// What the step at hand wrote.
    pub(in crate::control) fn at_hand(&self) -> Option<u64> {
        self.of(self.steps.checked_sub(1)?)
    }

    /// What the step of this number, from 0, wrote. What a thread does after that while it unwinds is no step.
    fn of(&self, step: usize) -> Option<u64> {
        let at = self.values.partition_point(|(noted, _)| *noted < step + 1);
        self.values.get(at).filter(|(noted, _)| *noted == step + 1).map(|(_, value)| *value)
    }
}

impl State {
    /// What each step of the run read or wrote, in words.
    pub(in crate::control) fn values(&self, trace: &Trace) -> Vec<String> {
        trace.steps().iter().enumerate().map(|(number, step)| self.value(number, &step.event)).collect()
    }

    fn value(&self, step: usize, event: &Event) -> String {
        let Event { action, effect, .. } = event;
        let values = action.object.map(|object| &self.objects[object.index()].sync);
        let values = match values {
            Some(Sync::Atomic(cell)) => cell.values(),
            _ => Values::Hidden,
        };
        if values == Values::Hidden {
            return String::new();
        }
        let show = |bits| values.show(bits);
        let noted = || self.noted.of(step).map(show).unwrap_or_default();
        match action.kind {
            Kind::Load if action.reads_from == ReadsFrom::Buffer => noted(),
            Kind::Load => show(effect.observed),
            Kind::Update if effect.read_only => show(effect.observed),
            Kind::Update => format!("{} -> {}", show(effect.observed), noted()),
            Kind::Store | Kind::Commit => noted(),
            _ => String::new(),
        }
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
    fn a_step_has_the_first_value_that_was_noted_with_it() {
        let mut noted = Noted::default();
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
