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
//! A claim that something never happens holds for the runs that were made. A claim that something sometimes
//! happens fails if none of these runs shows it. [`Report::is_complete`] says whether these were all runs.

use super::test_attribute::no_run_message;
use super::{Outcome, Report};
use crate::explorer::report::{TestName, failure_message};
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
        let name = &TestName::of_current_thread();
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
                let seen =
                    if self.is_complete { "never seen" } else { "not seen in the runs that were made" };
                panic!("the claim fails: {}\n  {seen}: {what}\n  {self}", claim.name)
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

/// Whether a panic or an exception escaped the body, or escaped a thread that no other thread joined.
fn panics<T>(outcome: &Outcome<T>) -> bool {
    matches!(outcome, Outcome::Panicked(_) | Outcome::Interrupted(_))
}

/// In no run a panic, or an exception of [`interrupt`](crate::interrupt), escapes the body.
pub fn never_panics<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("never panics", |outcome| !panics(outcome))
}

/// In every run a panic or an exception escapes the body.
pub fn always_panics<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("always panics", panics)
}

/// In some run a panic or an exception escapes the body.
pub fn sometimes_panics<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::sometimes("sometimes panics", panics)
}

/// In no run an exception of [`interrupt`](crate::interrupt) escapes the body.
pub fn never_interrupted<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("never interrupted", |outcome| !matches!(outcome, Outcome::Interrupted(_)))
}

/// In every run an exception escapes the body.
pub fn always_interrupted<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("always interrupted", |outcome| matches!(outcome, Outcome::Interrupted(_)))
}

/// In some run an exception escapes the body.
pub fn sometimes_interrupted<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::sometimes("sometimes interrupted", |outcome| matches!(outcome, Outcome::Interrupted(_)))
}

/// No run takes more steps than [`Explorer::max_steps`](crate::Explorer::max_steps) allows.
pub fn never_exceeds_steps<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("never takes more steps than a run may", |outcome| *outcome != Outcome::StepLimit)
}

/// Every run takes more steps than a run may.
pub fn always_exceeds_steps<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("always takes more steps than a run may", |outcome| *outcome == Outcome::StepLimit)
}

/// Some run takes more steps than a run may.
pub fn sometimes_exceeds_steps<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::sometimes("sometimes takes more steps than a run may", |outcome| {
        *outcome == Outcome::StepLimit
    })
}

/// No run has a data race.
pub fn never_races<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("never has a data race", |outcome| !matches!(outcome, Outcome::DataRace(_)))
}

/// Every run has a data race.
pub fn always_races<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::always("always has a data race", |outcome| matches!(outcome, Outcome::DataRace(_)))
}

/// Some run has a data race.
pub fn sometimes_races<T: Ord + Clone + Debug + 'static>() -> Predicate<T> {
    Predicate::sometimes("sometimes has a data race", |outcome| matches!(outcome, Outcome::DataRace(_)))
}

/// All runs have the same outcome in the part that matters, to which the function projects each outcome.
pub fn always_same_on<T: Ord + Clone + Debug + 'static, K: PartialEq>(
    project: impl Fn(&Outcome<T>) -> K + 'static,
) -> Predicate<T> {
    Predicate::new("always the same after the projection", move |report: &Report<T>| {
        match differing(report, &project) {
            Some(other) => Err(Counterexample::Seen(other.clone())),
            None => Ok(()),
        }
    })
}

/// At least two runs have outcomes that differ in the part to which the function projects them.
pub fn not_always_same_on<T: Ord + Clone + Debug + 'static, K: PartialEq>(
    project: impl Fn(&Outcome<T>) -> K + 'static,
) -> Predicate<T> {
    Predicate::new("not always the same after the projection", move |report: &Report<T>| {
        match differing(report, &project) {
            Some(_) => Ok(()),
            None => {
                Err(Counterexample::Unseen("a second outcome that differs after the projection".to_owned()))
            }
        }
    })
}

/// The first outcome whose projection differs from that of the first outcome.
fn differing<T: Ord, K: PartialEq>(
    report: &Report<T>,
    project: impl Fn(&Outcome<T>) -> K,
) -> Option<&Outcome<T>> {
    let mut outcomes = report.outcomes().keys();
    let first = project(outcomes.next()?);
    outcomes.find(|outcome| project(outcome) != first)
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

/// Some run satisfies the formula to which [`check`](crate::check()) gives this name: at the return of the
/// body or in a deadlock. [`Report::formulas`] has the number of such runs.
///
/// ```
/// use selvedge::predicate::sometimes_holds;
/// use selvedge::{prop, thread};
///
/// let report = selvedge::explore(|| {
///     selvedge::check("overtakes", "!first U second");
///     let other = thread::spawn(|| prop::set("second"));
///     prop::set("first");
///     other.join().unwrap();
/// });
/// report.assert(&sometimes_holds("overtakes"));
/// assert_eq!((report.formulas()["overtakes"].held, report.formulas()["overtakes"].violated), (1, 1));
/// ```
///
/// The claim fails if no run checks a formula of this name, too.
pub fn sometimes_holds<T: Ord + Clone + Debug + 'static>(name: impl Into<String>) -> Predicate<T> {
    let name = name.into();
    Predicate::new(format!("the formula `{name}` sometimes holds"), move |report: &Report<T>| {
        let what = match report.formulas().get(&name) {
            Some(runs) if runs.held > 0 => return Ok(()),
            Some(runs) => format!(
                "a run that satisfies it; {} violate it, {} were cut and have no verdict",
                runs.violated, runs.undecided
            ),
            None => format!("a run that checks a formula of this name; {}", checked_formulas(report)),
        };
        Err(Counterexample::Unseen(what))
    })
}

/// The formulas that runs check, in words.
fn checked_formulas<T: Ord>(report: &Report<T>) -> String {
    let names: Vec<String> = report.formulas().keys().map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        "no formula is checked".to_owned()
    } else {
        format!("checked: {}", names.join(", "))
    }
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
