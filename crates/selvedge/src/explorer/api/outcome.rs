//! How a run ends.

use crate::control::exception::Unwound;
use crate::production::interrupt::Killed;
use std::fmt;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome<T> {
    /// The body returned this value.
    Returned(T),
    /// No thread could continue. If some threads spin, the failure message calls it a livelock.
    Deadlock,
    /// The body panicked, or a thread panicked that no other thread joined; with the message.
    Panicked(String),
    /// An exception of [`interrupt`](crate::interrupt) was not caught.
    Interrupted(String),
    /// The run took more steps than [`Explorer::max_steps`](crate::Explorer::max_steps) allows.
    StepLimit,
    /// Two accesses of the same data, at least one of them a write, neither of which happens before the
    /// other.
    DataRace(String),
    /// The check of this name failed.
    Violated(String),
}

impl<T> From<Unwound> for Outcome<T> {
    fn from(unwound: Unwound) -> Outcome<T> {
        match unwound {
            Unwound::Panic(message) => Outcome::Panicked(message),
            Unwound::Thrown(what) => Outcome::Interrupted(what),
            Unwound::Killed => Outcome::Interrupted(format!("{Killed:?}")),
        }
    }
}

impl<T> Outcome<T> {
    /// The value that the body returned, if it returned.
    pub fn returned(&self) -> Option<&T> {
        match self {
            Outcome::Returned(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the body returned.
    pub fn is_returned(&self) -> bool {
        matches!(self, Outcome::Returned(_))
    }

    /// The kind of the outcome as a word, as in `error[run::deadlock]`.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Outcome::Returned(_) => "returned",
            Outcome::Deadlock => "deadlock",
            Outcome::Panicked(_) => "panic",
            Outcome::Interrupted(_) => "interrupted",
            Outcome::StepLimit => "step-limit",
            Outcome::DataRace(_) => "data-race",
            Outcome::Violated(_) => "violated",
        }
    }
}

impl<T: fmt::Debug> fmt::Display for Outcome<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Returned(value) => write!(f, "returned {value:?}"),
            Outcome::Deadlock => write!(f, "deadlock"),
            Outcome::Panicked(message) => write!(f, "panicked: {message}"),
            Outcome::Interrupted(what) => write!(f, "interrupted by {what}"),
            Outcome::StepLimit => write!(f, "took more steps than a run may"),
            Outcome::DataRace(what) => write!(f, "data race: {what}"),
            Outcome::Violated(name) => write!(f, "violated: {name}"),
        }
    }
}
