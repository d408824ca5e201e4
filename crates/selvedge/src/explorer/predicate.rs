//! Claims about what can happen, as in Déjà Fu (Walker's thesis, §5.1).
//!
//! ```
//! use selvedge::predicate::{always_same, never_deadlocks};
//!
//! let report = selvedge::explore(|| 1 + 1);
//! report.assert(&never_deadlocks());
//! report.assert(&always_same());
//! ```
//!
//! A claim that something never happens is about the runs that were made; [`Report::is_complete`] says whether these were all.

use super::test::no_run;
use super::{Outcome, Report, failure};
use std::fmt::{self, Debug};

type Judge<T> = dyn Fn(&Report<T>) -> Result<(), Against<T>>;

/// What speaks against a claim.
pub enum Against<T> {
    /// This can happen.
    Seen(Outcome<T>),
    /// Something that should happen was not seen.
    Unseen(String),
}

/// A claim about what can happen.
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
    /// A claim of your own.
    pub fn new(
        name: impl Into<String>,
        judge: impl Fn(&Report<T>) -> Result<(), Against<T>> + 'static,
    ) -> Predicate<T> {
        Predicate { name: name.into(), judge: Box::new(judge) }
    }

    /// Is it true of the runs that were made?
    pub fn holds(&self, report: &Report<T>) -> bool {
        (self.judge)(report).is_ok()
    }

    /// Every outcome is like this.
    fn always(name: &str, is_fine: impl Fn(&Outcome<T>) -> bool + 'static) -> Predicate<T> {
        Predicate::new(name, move |report| match report.outcomes().keys().find(|outcome| !is_fine(outcome)) {
            Some(outcome) => Err(Against::Seen(outcome.clone())),
            None => Ok(()),
        })
    }

    /// Some outcome is like this.
    fn sometimes(name: &str, is_it: impl Fn(&Outcome<T>) -> bool + 'static) -> Predicate<T> {
        let wanted = name.to_owned();
        Predicate::new(name, move |report| match report.outcomes().keys().any(&is_it) {
            true => Ok(()),
            false => Err(Against::Unseen(wanted.clone())),
        })
    }
}

impl<T: Ord + Clone + Debug + 'static> Report<T> {
    /// Panics with a readable report if the claim is not true of the runs that were made.
    ///
    /// # Panics
    /// That is what it is for.
    #[track_caller]
    pub fn assert(&self, claim: &Predicate<T>) {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("explored");
        assert!(self.executions > 0, "{}", no_run(name));
        let against = match (claim.judge)(self) {
            Ok(()) => return,
            Err(against) => against,
        };
        match against {
            Against::Seen(outcome) => {
                panic!("the claim fails: {}\n{}", claim.name, failure::tell(self, &outcome, name))
            }
            Against::Unseen(what) => {
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

/// All runs end in the same way.
pub fn always_same<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::new("always the same", |report: &Report<T>| match report.outcomes().keys().nth(1) {
        Some(other) => Err(Against::Seen(other.clone())),
        None => Ok(()),
    })
}

/// Not all runs end in the same way.
pub fn not_always_same<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::new("not always the same", |report: &Report<T>| match report.outcomes().len() {
        0 | 1 => Err(Against::Unseen("a second outcome".to_owned())),
        _ => Ok(()),
    })
}

/// Every run returns a value of which this is true.
pub fn always_true<T: Ord + Clone + Debug + 'static>(is_fine: impl Fn(&T) -> bool + 'static) -> Predicate<T> {
    Predicate::always("every run returns a value as asked for", move |outcome| {
        outcome.returned().is_some_and(&is_fine)
    })
}

/// Some run returns a value of which this is true.
pub fn sometimes_true<T: Ord + Clone + Debug + 'static>(
    is_it: impl Fn(&T) -> bool + 'static,
) -> Predicate<T> {
    Predicate::sometimes("some run returns a value as asked for", move |outcome| {
        outcome.returned().is_some_and(&is_it)
    })
}

/// Exactly these outcomes are seen.
pub fn gives<T: Ord + Clone + Debug + 'static>(
    expected: impl IntoIterator<Item = Outcome<T>>,
) -> Predicate<T> {
    let expected: Vec<Outcome<T>> = expected.into_iter().collect();
    Predicate::new("gives exactly what is expected", move |report: &Report<T>| {
        if let Some(outcome) = report.outcomes().keys().find(|outcome| !expected.contains(outcome)) {
            return Err(Against::Seen(outcome.clone()));
        }
        match expected.iter().find(|outcome| !report.outcomes().contains_key(outcome)) {
            Some(outcome) => Err(Against::Unseen(outcome.to_string())),
            None => Ok(()),
        }
    })
}

/// Exactly these values are returned, and nothing else happens.
pub fn gives_values<T: Ord + Clone + Debug + 'static>(expected: impl IntoIterator<Item = T>) -> Predicate<T> {
    gives(expected.into_iter().map(Outcome::Returned))
}
