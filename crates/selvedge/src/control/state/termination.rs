//! How a run ends.

use crate::control::Stop;
use crate::control::exception::Unwound;

/// How a run ends, and what became of its threads then.
#[derive(Debug, Default)]
pub(crate) struct Termination {
    /// Why the run ends before its time.
    pub(crate) stop: Option<Stop>,
    /// An unwinding thread executed an action at which another thread could have been scheduled.
    pub(crate) went_past: bool,
    /// A data race that is not judged: the counts of `std`'s `Arc` may order its accesses.
    pub(crate) unjudged_race: Option<String>,
    /// The end of the body, if the run went on after it: the outcome is fixed there.
    pub(crate) body: Option<BodyEnd>,
    /// How often the thread that is being unwound was stopped.
    pub(in crate::control) stops: usize,
    /// Why the first stack that could not be unwound could not.
    pub(crate) lost: Option<String>,
    /// The outcome of the run, as a word.
    pub(crate) outcome: &'static str,
    /// The message of the panic that is under way.
    pub(in crate::control) panic_message: Option<String>,
}

/// The end of the body in a run that goes on after it.
#[derive(Debug)]
pub(crate) struct BodyEnd {
    /// The failure of another thread that no thread had observed.
    pub(crate) failure: Option<Unwound>,
    /// The number of steps up to the end of the body.
    pub(crate) steps: usize,
}
