//! How a run can end.

use crate::control::exception::Unwound;
use crate::production::interrupt::Killed;
use std::fmt;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome<T> {
    /// The body returned this.
    Returned(T),
    /// Nobody could go on.
    Deadlock,
    /// The body panicked, or a thread that nobody joined; with the message.
    Panicked(String),
    /// Something was thrown and not caught.
    Interrupted(String),
    /// The run took more steps than it may.
    StepLimit,
    /// Two accesses of the same data, at least one of them a write, of which neither happened before the other.
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
    /// What the body returned, if it did.
    pub fn returned(&self) -> Option<&T> {
        match self {
            Outcome::Returned(value) => Some(value),
            _ => None,
        }
    }

    /// Did the body return?
    pub fn is_returned(&self) -> bool {
        matches!(self, Outcome::Returned(_))
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
