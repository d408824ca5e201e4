//! A run, or a monitored path, as a trace file holds it: all that its table, a page and a replay need.
//!
//! A [`Recording`] is made of a [`Trace`] that is described, of the path of a monitor, or of a file
//! ([`read`](super::read), [`write`](super::write)). Texts are on one line each. Places in the source are
//! texts. Threads are numbered in the order of their paths ([`RunThreads`]), as the spawns among the steps
//! show them, so that a replay in another process finds them again.
//!
//! Promise: the events of the steps are whole, but for their places: what can be computed of a trace, its
//! table, its short form, which steps depend on each other, can be computed of its recording.

use super::{Stall, Step, Switch, Trace, write_short_form};
use crate::event::{Action, Effect, Event, Kind, Site};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::thread_tree::RunThreads;
use std::fmt;

/// A run, or a path of states, as a file holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The test, its outcome, and how its runs were made, by key.
    pub about: Vec<(String, String)>,
    /// The threads' names by number. Threads are numbered in the order of their paths.
    pub threads: Vec<String>,
    /// The objects' names by number.
    pub objects: Vec<String>,
    /// The steps of a run.
    pub steps: Vec<RecordedStep>,
    /// The accesses of a data race, between the steps.
    pub accesses: Vec<RecordedAccess>,
    /// How far the threads came, if that is known.
    pub endings: Vec<RecordedEnding>,
    /// The states of a monitored path.
    pub states: Vec<RecordedState>,
    /// The formulas that were judged.
    pub formulas: Vec<RecordedFormula>,
}

/// A step as a file holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// The thread, and the number of its alternative.
    pub id: EventId,
    /// The action. Older files have its kind, its objects and its target alone.
    pub action: Action,
    /// The effect. Older files do not have it.
    pub effect: Effect,
    /// The context switch from the step before, if it is known.
    pub switch: Option<Switch>,
    /// The value that the step read or wrote, or the proposition that it changed; empty if there is none, or
    /// it is not known.
    pub value: String,
    /// The place in the source, as `file:line`.
    pub site: String,
}

/// An access of a data race as a file holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedAccess {
    /// The number of steps before it.
    pub after: usize,
    /// The thread.
    pub thread: ThreadId,
    /// The object.
    pub object: ObjectId,
    /// The access as text, such as `write`.
    pub action: String,
    /// The place in the source.
    pub site: String,
}

/// The state of a thread at the end of its run, as a file holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEnding {
    /// The thread.
    pub thread: ThreadId,
    /// The state as text: `waits for mutex#1, held by main`.
    pub state: String,
    /// The place in the source; `-` if it is not known.
    pub site: String,
    /// Why the thread made no progress.
    pub stall: Option<Stall>,
}

/// A state of a monitored path, as the changes that lead to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedState {
    /// The number of the state; the state before the first step of a monitor has number 0.
    pub number: u64,
    /// The thread that made the step to it, if it is known.
    pub thread: Option<ThreadId>,
    /// What changed. The first recorded state has all that holds there.
    pub changes: Vec<PropositionChange>,
    /// What is left of the violated formula after this state, if this state changed that.
    pub remainder: Option<String>,
}

/// A change of a proposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropositionChange {
    /// Does the proposition hold from now on?
    pub holds: bool,
    /// The proposition.
    pub proposition: String,
}

/// A formula that was judged on a run or a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedFormula {
    /// Its name.
    pub name: String,
    /// The formula; empty if it has no text.
    pub text: String,
    /// The values of its variables for which it is violated.
    pub binding: Option<String>,
    /// The first state that it was judged on, of a path.
    pub began: Option<u64>,
    /// Where it was violated; `None` if it was not.
    pub violated: Option<VerdictPlace>,
}

/// Where a formula was violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictPlace {
    /// At the step of a run, or the state of a path, with this number.
    At(u64),
    /// At the end: the last state stays for ever, and that violates it.
    End,
}

impl RecordedStep {
    /// Does the pending event match the recorded step? Places in the source may move and are not compared.
    /// In version 1 a spawn that ended the process has no target.
    pub fn matches(&self, event: &Event) -> bool {
        let (own, other) = (&self.action, &event.action);
        self.id == event.id
            && own.kind == other.kind
            && own.object == other.object
            && own.second == other.second
            && (own.target == other.target || own.kind == Kind::Spawn && own.target.is_none())
    }

    /// The event, without its place in the source.
    pub fn event(&self) -> Event {
        Event { id: self.id, action: self.action, effect: self.effect, site: Site::Unknown }
    }
}

impl Trace {
    /// The trace as a recording, with the test and its outcome.
    pub fn recording(&self, about: &[(&str, &str)]) -> Recording {
        let step = |(number, step): (usize, &Step)| {
            let Event { id, action, effect, site } = step.event;
            let value = self.values.get(number).map(|value| one_line(value)).unwrap_or_default();
            RecordedStep { id, action, effect, switch: Some(step.switch), value, site: place(site) }
        };
        let access = |access: &super::RacingAccess| RecordedAccess {
            after: access.after.min(self.steps().len()),
            thread: access.thread,
            object: access.object,
            action: one_line(access.action),
            site: place(access.site),
        };
        let ending = |ending: &super::Ending| RecordedEnding {
            thread: ending.id,
            state: one_line(&ending.state),
            site: place(ending.site),
            stall: ending.stall,
        };
        let mut recording = Recording {
            about: about.iter().map(|(key, value)| ((*key).to_owned(), one_line(value))).collect(),
            threads: self.threads.iter().map(|name| one_line(name)).collect(),
            objects: self.objects.iter().map(|name| one_line(name)).collect(),
            steps: self.steps().iter().enumerate().map(step).collect(),
            accesses: self.racing_accesses.iter().map(access).collect(),
            endings: self.endings.iter().map(ending).collect(),
            states: Vec::new(),
            formulas: self.formulas.iter().map(RecordedFormula::on_lines).collect(),
        };
        recording.accesses.sort_by_key(|access| access.after);
        recording.renumber_threads();
        recording
    }
}

impl RecordedFormula {
    /// The same with each text on one line.
    fn on_lines(&self) -> RecordedFormula {
        let (name, text) = (one_line(&self.name), one_line(&self.text));
        RecordedFormula { name, text, binding: self.binding.as_deref().map(one_line), ..*self }
    }
}

impl Recording {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.about.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The threads of the run, as its spawns show them.
    pub fn run_threads(&self) -> RunThreads {
        let spawns = self.steps.iter().filter(|step| step.action.kind == Kind::Spawn);
        RunThreads::of(spawns.filter_map(|step| Some((step.id.thread, step.action.target?))))
    }

    /// The name of a thread.
    pub fn thread_name(&self, thread: ThreadId) -> String {
        if thread.is_phantom() {
            return format!("{}'s buffer", self.thread_name(thread.owner()));
        }
        let name = self.threads.get(thread.index()).filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| format!("thread {thread}"))
    }

    /// The name of an object.
    pub fn object_name(&self, object: ObjectId) -> String {
        let name = self.objects.get(object.index());
        name.cloned().unwrap_or_else(|| format!("object {}", object.number()))
    }

    /// The short form of the run; `None` if it has no steps, or a context switch is not known.
    pub fn short(&self) -> Option<String> {
        let step = |step: &RecordedStep| Some(Step { event: step.event(), switch: step.switch? });
        let steps: Vec<Step> = self.steps.iter().map(step).collect::<Option<_>>()?;
        let threads = self.run_threads();
        let write_label = |thread, out: &mut dyn fmt::Write| out.write_str(&threads.label(thread));
        let mut text = String::new();
        write_short_form(&mut text, steps.into_iter(), &write_label).ok()?;
        Some(text).filter(|text| !text.is_empty())
    }

    /// The formulas that are violated at the step or state with this number.
    pub(super) fn violated_at(&self, number: u64) -> impl Iterator<Item = &RecordedFormula> {
        let place = Some(VerdictPlace::At(number));
        self.formulas.iter().filter(move |formula| formula.violated == place)
    }

    /// Numbers the threads in the order of their paths.
    pub(super) fn renumber_threads(&mut self) {
        let canonical = self.run_threads().canonical();
        for step in &mut self.steps {
            step.id.thread = canonical(step.id.thread);
            step.action.target = step.action.target.map(&canonical);
        }
        self.accesses.iter_mut().for_each(|access| access.thread = canonical(access.thread));
        self.endings.iter_mut().for_each(|ending| ending.thread = canonical(ending.thread));
        self.states.iter_mut().for_each(|state| state.thread = state.thread.map(&canonical));
        let names = std::mem::take(&mut self.threads);
        for (number, name) in names.into_iter().enumerate() {
            let number = canonical(ThreadId(number as u32)).index();
            // A number without a name belongs to another run.
            if !name.is_empty() {
                self.threads.resize(self.threads.len().max(number + 1), String::new());
                self.threads[number] = name;
            }
        }
    }
}

/// A place in the source as text.
fn place(site: Site) -> String {
    one_line(&site.to_string())
}

/// The text with a space in place of each control character: names and values come from programs and may
/// have line breaks.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(without_control).collect()
}

pub(super) fn without_control(char: char) -> char {
    if char.is_control() { ' ' } else { char }
}
