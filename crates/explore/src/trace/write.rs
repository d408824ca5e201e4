//! Writes trace files. `docs/trace.md` describes the format.
//!
//! Promise: [`RecordingWriter`] does not allocate, so a signal handler can use it. It may number threads in
//! any order, since a reader numbers them anew.

use super::recording::{
    RecordedAccess, RecordedEnding, RecordedFormula, RecordedState, RecordedStep, Recording, VerdictPlace,
    without_control,
};
use super::words::{FLAGS, NUMBERS, READS_FROM, SWITCHES, stall_word, word_of};
use super::{MAGIC, Step, Switch, VERSION};
use crate::event::{Action, Effect};
use crate::ids::{EventId, ObjectId};
use std::fmt::{self, Display, Write};

/// Writes a trace file line by line. It does not allocate, so a signal handler can write the run in the
/// middle of which a process dies.
pub struct RecordingWriter<'w> {
    out: &'w mut dyn Write,
}

impl<'w> RecordingWriter<'w> {
    /// Writes the first line.
    ///
    /// # Errors
    /// If the output fails; so do all functions of the writer.
    pub fn begin(out: &'w mut dyn Write) -> Result<RecordingWriter<'w>, fmt::Error> {
        writeln!(out, "{MAGIC} {VERSION}")?;
        Ok(RecordingWriter { out })
    }

    /// Writes what is known of the run: the test, its outcome.
    ///
    /// # Errors
    /// See [`RecordingWriter::begin`].
    pub fn about(&mut self, key: &str, value: &dyn Display) -> fmt::Result {
        self.line(format_args!("about {key} {value}"))
    }

    /// Writes the name of the thread of this number, from 0, in order.
    ///
    /// # Errors
    /// See [`RecordingWriter::begin`].
    pub fn thread(&mut self, number: usize, name: &dyn Display) -> fmt::Result {
        self.line(format_args!("thread {number} {name}"))
    }

    /// Writes the name of the object of this number, from 1, in order.
    ///
    /// # Errors
    /// See [`RecordingWriter::begin`].
    pub fn object(&mut self, number: usize, name: &dyn Display) -> fmt::Result {
        self.line(format_args!("object {number} {name}"))
    }

    /// Writes a step, in order.
    ///
    /// # Errors
    /// See [`RecordingWriter::begin`].
    pub fn step(&mut self, step: &Step) -> fmt::Result {
        let event = &step.event;
        self.step_line(event.id, &event.action, &event.site)?;
        self.how(Some(step.switch), &event.action, &event.effect)
    }

    fn recorded_step(&mut self, step: &RecordedStep) -> fmt::Result {
        self.step_line(step.id, &step.action, &step.site)?;
        self.how(step.switch, &step.action, &step.effect)?;
        self.detail("value", Some(&step.value))
    }

    fn step_line(&mut self, id: EventId, action: &Action, site: &dyn Display) -> fmt::Result {
        let EventId { thread, alternative } = id;
        let [object, second] = [action.object, action.second].map(|object| OrDash(object.map(Number)));
        let (kind, target) = (action.kind.text(), OrDash(action.target));
        self.line(format_args!("step {thread} {alternative} {kind} {object} {second} {target} {site}"))
    }

    /// Writes the rest of the event, as far as it is not the usual.
    fn how(&mut self, switch: Option<Switch>, action: &Action, effect: &Effect) -> fmt::Result {
        let reads_from = word_of(&READS_FROM, action.reads_from);
        let first = [switch.and_then(|switch| word_of(&SWITCHES, switch)), reads_from];
        let flags = FLAGS.iter().filter(|flag| (flag.get)(action, effect)).map(|flag| flag.word);
        let mut is_begun = false;
        let mut begin = |out: &mut dyn Write| {
            let before = if std::mem::replace(&mut is_begun, true) { " " } else { "  how " };
            out.write_str(before)
        };
        for word in first.into_iter().flatten().chain(flags) {
            begin(self.out)?;
            self.out.write_str(word)?;
        }
        for number in &NUMBERS {
            if let Some(value) = (number.get)(action, effect) {
                begin(self.out)?;
                write!(self.out, "{}={value}", number.word)?;
            }
        }
        if is_begun { writeln!(self.out) } else { Ok(()) }
    }

    fn access(&mut self, access: &RecordedAccess) -> fmt::Result {
        let RecordedAccess { thread, object, action, site, .. } = access;
        self.line(format_args!("access {thread} {} {site}", object.number()))?;
        self.detail("action", Some(action))
    }

    fn ending(&mut self, ending: &RecordedEnding) -> fmt::Result {
        let RecordedEnding { thread, state, site, stall } = ending;
        self.line(format_args!("ending {thread} {} {site}", stall_word(*stall)))?;
        self.detail("state", Some(state))
    }

    fn state(&mut self, state: &RecordedState) -> fmt::Result {
        self.line(format_args!("state {} {}", state.number, OrDash(state.thread)))?;
        for change in &state.changes {
            let word = if change.holds { "set" } else { "release" };
            self.line(format_args!("  {word} {}", change.proposition))?;
        }
        match &state.remainder {
            Some(remainder) => self.line(format_args!("  left {remainder}")),
            None => Ok(()),
        }
    }

    fn formula(&mut self, number: usize, formula: &RecordedFormula) -> fmt::Result {
        self.line(format_args!("formula {number} {}", formula.name))?;
        self.detail("text", Some(&formula.text))?;
        if let Some(binding) = &formula.binding {
            self.line(format_args!("  for {binding}"))?;
        }
        if let Some(began) = formula.began {
            self.line(format_args!("  began {began}"))?;
        }
        match formula.violated {
            Some(VerdictPlace::At(number)) => self.line(format_args!("  violated {number}")),
            Some(VerdictPlace::End) => self.line(format_args!("  violated end")),
            None => Ok(()),
        }
    }

    /// Writes a line about the last item, unless there is nothing to write.
    fn detail(&mut self, word: &str, text: Option<&str>) -> fmt::Result {
        match text {
            Some(text) if !text.is_empty() => self.line(format_args!("  {word} {text}")),
            _ => Ok(()),
        }
    }

    /// Replaces control characters: names come from programs and may contain line breaks.
    fn line(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        struct OneLine<'w>(&'w mut dyn Write);
        impl Write for OneLine<'_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                text.chars().try_for_each(|char| self.0.write_char(without_control(char)))
            }
        }
        OneLine(self.out).write_fmt(text)?;
        writeln!(self.out)
    }
}

/// Displays the number of an object.
struct Number(ObjectId);

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.number())
    }
}

/// Displays what there is, or a dash.
struct OrDash<T>(Option<T>);

impl<T: Display> Display for OrDash<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => write!(f, "{value}"),
            None => write!(f, "-"),
        }
    }
}

/// The text of a trace file.
impl Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut writer = RecordingWriter::begin(f)?;
        self.about.iter().try_for_each(|(key, value)| writer.about(key, value))?;
        let mut threads = self.threads.iter().enumerate();
        threads.try_for_each(|(number, name)| writer.thread(number, name))?;
        let mut objects = self.objects.iter().enumerate();
        objects.try_for_each(|(index, name)| writer.object(index + 1, name))?;
        let mut accesses = self.accesses.iter().peekable();
        for (number, step) in self.steps.iter().enumerate() {
            while let Some(access) = accesses.next_if(|access| access.after <= number) {
                writer.access(access)?;
            }
            writer.recorded_step(step)?;
        }
        accesses.try_for_each(|access| writer.access(access))?;
        self.states.iter().try_for_each(|state| writer.state(state))?;
        self.endings.iter().try_for_each(|ending| writer.ending(ending))?;
        let mut formulas = self.formulas.iter().enumerate();
        formulas.try_for_each(|(index, formula)| writer.formula(index + 1, formula))
    }
}
