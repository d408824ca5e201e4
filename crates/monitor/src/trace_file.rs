//! Recorded paths as trace files, in the format of explored runs (`docs/trace.md`): `selvedge show` prints
//! them.
//!
//! A file has the states as changes of propositions, with threads by name, and the formulas. Its first
//! state has all that holds there, so the file alone says what holds in each of its states.

use crate::monitor::Monitor;
use crate::violation::{PathEntry, Violation};
use selvedge_explore::ThreadId;
use selvedge_explore::trace::{PropositionChange, RecordedFormula, RecordedState, Recording, VerdictPlace};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

impl Violation {
    /// The text of a trace file with the recorded states since the formula began, up to its violation.
    ///
    /// ```
    /// use selvedge_monitor::{Fact, Monitor, OnViolation};
    /// let mut monitor: Monitor<Fact> = Monitor::new();
    /// monitor.on_violation(OnViolation::Keep);
    /// monitor.check("never", "G !p").unwrap();
    /// monitor.pulse(&"p".into());
    /// let text = monitor.violations()[0].trace_file();
    /// assert!(text.contains("\nstate 1 -\n  set p\n  left false\n"));
    /// assert!(text.ends_with("\nformula 1 never\n  text G !p\n  began 0\n  violated 1\n"));
    /// ```
    pub fn trace_file(&self) -> String {
        let first = self.path.first().map_or(self.state, |entry| entry.state - 1);
        let outcome = ("outcome".to_owned(), format!("violated: {}", self.name));
        let mut path = PathRecorder::new(first, &self.holding);
        path.recording.about = vec![outcome, recorded(first, self.state)];
        self.path.iter().for_each(|entry| path.add(entry));
        for entry in &self.decisive {
            let states = &mut path.recording.states;
            if let Ok(index) = states.binary_search_by_key(&entry.state, |state| state.number) {
                states[index].remainder.clone_from(&entry.remainder);
            }
        }
        path.recording.formulas = vec![RecordedFormula {
            name: self.name.clone(),
            text: self.formula.clone(),
            binding: self.binding.clone(),
            began: Some(self.began),
            violated: Some(VerdictPlace::At(self.state)),
        }];
        path.recording.to_string()
    }
}

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    /// The text of a trace file with all recorded states ([`Monitor::record`]), and the properties.
    pub fn trace_file(&self) -> String {
        let first = self.path().known_since();
        let mut path = PathRecorder::new(first, &self.holding_at(first));
        path.recording.about = vec![recorded(first, self.state())];
        self.path_entries().for_each(|entry| path.add(&entry));
        let formulas = self.property_texts().map(|(name, text, began)| {
            let violation = self.violations().iter().find(|violation| violation.name == name);
            RecordedFormula {
                name,
                text,
                binding: violation.and_then(|violation| violation.binding.clone()),
                began: Some(began),
                violated: violation.map(|violation| VerdictPlace::At(violation.state)),
            }
        });
        path.recording.formulas = formulas.collect();
        path.recording.to_string()
    }

    /// The propositions that hold in a recorded state.
    pub(crate) fn holding_at(&self, state: u64) -> Vec<String> {
        let (path, propositions) = (self.path(), self.propositions());
        let holding = propositions.known().filter(|prop| path.value_at(propositions, *prop, state));
        holding.map(|prop| format!("{:?}", propositions.prop(prop))).collect()
    }
}

/// The line about the states of a file.
fn recorded(first: u64, last: u64) -> (String, String) {
    ("recorded".to_owned(), format!("states {first} to {last}"))
}

/// A recording that grows state by state.
struct PathRecorder {
    recording: Recording,
}

impl PathRecorder {
    /// Begins with a state in which these propositions hold.
    fn new(number: u64, holding: &[String]) -> PathRecorder {
        let set = |text: &String| PropositionChange { holds: true, proposition: text.clone() };
        let changes = holding.iter().map(set).collect();
        let states = vec![RecordedState { number, changes, ..RecordedState::default() }];
        PathRecorder { recording: Recording { states, ..Recording::default() } }
    }

    fn add(&mut self, entry: &PathEntry) {
        let change = |text: &String| {
            let released = text.strip_prefix('-');
            let proposition = released.or(text.strip_prefix('+')).unwrap_or(text).to_owned();
            PropositionChange { holds: released.is_none(), proposition }
        };
        let changes = entry.changes.iter().map(change).collect();
        let thread = entry.actor.as_ref().map(|actor| self.thread(actor));
        self.recording.states.push(RecordedState { number: entry.state, thread, changes, remainder: None });
    }

    /// The number of a thread, by its name.
    fn thread(&mut self, name: &Arc<str>) -> ThreadId {
        let threads = &mut self.recording.threads;
        let known = threads.iter().position(|known| **known == **name);
        let number = known.unwrap_or(threads.len());
        if known.is_none() {
            threads.push(name.to_string());
        }
        ThreadId(number as u32)
    }
}
