//! A state of a run as the debugger remembers it: what readers see of it, and what makes two states the
//! same.
//!
//! Two runs that are interleavings of one Mazurkiewicz trace lead to the same state: the normal form of the
//! trace identifies it. Three things are not decided by the trace, and belong to the identity of a state
//! because propositions speak of them: the numbers of objects, which are in the order of first use; the
//! program's propositions, since changes that no checked formula mentions are independent of each other;
//! and the thread that moved last, which makes states differ but not their classes.

use crate::control::diagnose::Snapshot;
use crate::explorer::api::{Outcome, Value};
use crate::explorer::engine::SteppedRuns;
use selvedge_explore::{Event, EventId, ObjectId, ThreadId};
use selvedge_monitor::Fact;
use std::collections::HashMap;

/// A state of a run.
pub(super) struct RunState {
    pub(super) snapshot: Snapshot,
    pub(super) enabled: Vec<Event>,
    /// The thread that made the last step.
    pub(super) last_mover: Option<ThreadId>,
    /// The end of the run, if it is over.
    pub(super) end: Option<RunEnding>,
}

/// How a run ended.
pub(super) struct RunEnding {
    /// In words.
    pub(super) text: String,
    pub(super) is_deadlock: bool,
    /// Does the test fail by it?
    pub(super) is_failure: bool,
}

/// What makes two states the same, but for the thread that moved last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StateKey {
    /// The choices of the normal form of the past.
    choices: Vec<EventId>,
    /// The objects of these steps, and of the announced actions.
    objects: Vec<Option<ObjectId>>,
    facts: Vec<Fact>,
}

/// Says whether a test fails by an outcome.
pub(super) type IsFailure<'f> = dyn Fn(&Outcome<Value>) -> bool + Send + Sync + 'f;

impl RunState {
    /// The present state.
    pub(super) fn of(runs: &SteppedRuns<'_, '_>, is_failure: &IsFailure<'_>) -> RunState {
        let ending = |outcome: &Outcome<Value>| RunEnding {
            text: outcome.to_string(),
            is_deadlock: *outcome == Outcome::Deadlock,
            is_failure: is_failure(outcome),
        };
        RunState {
            snapshot: runs.snapshot(),
            enabled: runs.enabled().to_vec(),
            last_mover: runs.events().last().map(Event::thread),
            end: runs.outcome().map(ending),
        }
    }

    /// What makes the present state the same as another; this is its snapshot.
    pub(super) fn key(&self, runs: &SteppedRuns<'_, '_>) -> StateKey {
        let choices = runs.normal_form().choices;
        // The events of each thread are in one order in all interleavings.
        let mut own: HashMap<ThreadId, Vec<Option<ObjectId>>> = HashMap::new();
        for event in runs.events().iter().rev() {
            own.entry(event.thread()).or_default().push(event.action.object);
        }
        let mut next = |choice: &EventId| own.get_mut(&choice.thread).and_then(Vec::pop).flatten();
        let mut objects: Vec<Option<ObjectId>> = choices.iter().map(&mut next).collect();
        objects.extend(self.snapshot.threads.iter().map(|thread| thread.object));
        StateKey { choices, objects, facts: self.snapshot.facts.clone() }
    }

    /// Has the program set this proposition?
    pub(super) fn has_fact(&self, fact: &Fact) -> bool {
        self.snapshot.facts.binary_search(fact).is_ok()
    }
}
