//! Claims about the outcomes of an exploration, as in Déjà Fu (Walker's thesis, §5.6).
//!
//! ```
//! use selvedge::predicate::{always_same, never_deadlocks};
//!
//! let report = selvedge::explore(|| 1 + 1);
//! report.assert(&never_deadlocks());
//! report.assert(&always_same());
//! ```
//!
//! A claim that something never happens holds for the runs that were made. [`Report::is_complete`] says
//! whether these were all runs.

use super::test_attribute::no_run_message;
use super::{Outcome, Report};
use crate::explorer::report::failure_message;
use std::fmt::{self, Debug};

type Judge<T> = dyn Fn(&Report<T>) -> Result<(), Counterexample<T>>;

/// Why a claim is false of a report.
pub enum Counterexample<T> {
    /// A run has this outcome, which the claim excludes.
    Seen(Outcome<T>),
    /// No run has an outcome that the claim requires; described in words.
    Unseen(String),
}

/// A claim about the outcomes of an exploration.
pub struct Predicate<T> {
    name: String,
    judge: Box<Judge<T>>,
}

impl<T> Debug for Predicate<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Predicate").field(&self.name).finish()
    }
}

impl<T: Ord + Clone + Debug + 'static> Predicate<T> {
    /// A custom claim. The name appears in the message of a failed assertion.
    pub fn new(
        name: impl Into<String>,
        judge: impl Fn(&Report<T>) -> Result<(), Counterexample<T>> + 'static,
    ) -> Predicate<T> {
        Predicate { name: name.into(), judge: Box::new(judge) }
    }

    /// Whether the claim is true of the runs that were made.
    pub fn holds(&self, report: &Report<T>) -> bool {
        (self.judge)(report).is_ok()
    }

    /// Every outcome satisfies the condition.
    fn always(name: &str, holds: impl Fn(&Outcome<T>) -> bool + 'static) -> Predicate<T> {
        Predicate::new(name, move |report| match report.outcomes().keys().find(|outcome| !holds(outcome)) {
            Some(outcome) => Err(Counterexample::Seen(outcome.clone())),
            None => Ok(()),
        })
    }

    /// At least one outcome satisfies the condition.
    fn sometimes(name: &str, holds: impl Fn(&Outcome<T>) -> bool + 'static) -> Predicate<T> {
        let wanted = name.to_owned();
        Predicate::new(name, move |report| match report.outcomes().keys().any(&holds) {
            true => Ok(()),
            false => Err(Counterexample::Unseen(wanted.clone())),
        })
    }
}

impl<T: Ord + Clone + Debug + 'static> Report<T> {
    /// Asserts a claim about the runs that were made.
    ///
    /// # Panics
    /// With a readable report if the claim is false, or if no run was made.
    #[track_caller]
    pub fn assert(&self, claim: &Predicate<T>) {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("explored");
        assert!(self.executions > 0, "{}", no_run_message(name));
        let counterexample = match (claim.judge)(self) {
            Ok(()) => return,
            Err(counterexample) => counterexample,
        };
        match counterexample {
            Counterexample::Seen(outcome) => {
                panic!("the claim fails: {}\n{}", claim.name, failure_message(self, &outcome, name))
            }
            Counterexample::Unseen(what) => {
                panic!("the claim fails: {}\n  never seen: {what}\n  {self}", claim.name)
            }
        }
    }
}

/// No run deadlocks.
pub fn never_deadlocks<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("never deadlocks", |outcome| *outcome != Outcome::Deadlock)
}

/// Every run deadlocks.
pub fn always_deadlocks<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("always deadlocks", |outcome| *outcome == Outcome::Deadlock)
}

/// Some run deadlocks.
pub fn sometimes_deadlocks<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::sometimes("sometimes deadlocks", |outcome| *outcome == Outcome::Deadlock)
}

/// No run panics.
pub fn never_panics<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("never panics", |outcome| !matches!(outcome, Outcome::Panicked(_)))
}

/// Every run panics.
pub fn always_panics<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("always panics", |outcome| matches!(outcome, Outcome::Panicked(_)))
}

/// Some run panics.
pub fn sometimes_panics<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::sometimes("sometimes panics", |outcome| matches!(outcome, Outcome::Panicked(_)))
}

/// All runs have the same outcome.
pub fn always_same<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::new("always the same", |report: &Report<T>| match report.outcomes().keys().nth(1) {
        Some(other) => Err(Counterexample::Seen(other.clone())),
        None => Ok(()),
    })
}

/// At least two runs have different outcomes.
pub fn not_always_same<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::new("not always the same", |report: &Report<T>| match report.outcomes().len() {
        0 | 1 => Err(Counterexample::Unseen("a second outcome".to_owned())),
        _ => Ok(()),
    })
}

/// Every run returns a value that satisfies the condition.
pub fn always_true<T: Ord + Clone + Debug + 'static>(holds: impl Fn(&T) -> bool + 'static) -> Predicate<T> {
    Predicate::always("every run returns a value as asked for", move |outcome| {
        outcome.returned().is_some_and(&holds)
    })
}

/// Some run returns a value that satisfies the condition.
pub fn sometimes_true<T: Ord + Clone + Debug + 'static>(
    holds: impl Fn(&T) -> bool + 'static,
) -> Predicate<T> {
    Predicate::sometimes("some run returns a value as asked for", move |outcome| {
        outcome.returned().is_some_and(&holds)
    })
}

/// The runs have exactly these outcomes.
pub fn gives<T: Ord + Clone + Debug + 'static>(
    expected: impl IntoIterator<Item = Outcome<T>>,
) -> Predicate<T> {
    let expected: Vec<Outcome<T>> = expected.into_iter().collect();
    Predicate::new("gives exactly what is expected", move |report: &Report<T>| {
        if let Some(outcome) = report.outcomes().keys().find(|outcome| !expected.contains(outcome)) {
            return Err(Counterexample::Seen(outcome.clone()));
        }
        match expected.iter().find(|outcome| !report.outcomes().contains_key(outcome)) {
            Some(outcome) => Err(Counterexample::Unseen(outcome.to_string())),
            None => Ok(()),
        }
    })
}

/// Every run returns, and exactly these values are returned.
pub fn gives_values<T: Ord + Clone + Debug + 'static>(expected: impl IntoIterator<Item = T>) -> Predicate<T> {
    gives(expected.into_iter().map(Outcome::Returned))
}
